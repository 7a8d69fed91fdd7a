/**
 * What one request to the agent has come to so far, shared by its processors and read by the caller afterwards. Lives in the request
 * context, so nothing of it outlives the request or reaches another.
 */
import { RequestContext } from '@mastra/core/request-context';
import type { KnowledgeError } from '../errors.ts';
import type { Answer } from '../knowledge/answer/answer.ts';
import type { AnswerWriter } from '../knowledge/answer/answer-writer.ts';
import { withinBudget } from '../knowledge/answer/context.ts';
import type { Retrieved } from '../knowledge/retriever.ts';
import type { Snippet } from '../knowledge/types.ts';

/** One search of a request, as it appears as a call of `docsRetriever`. */
export interface Search extends Retrieved {
  readonly toolCallId: string;
  readonly query: string;
}

export interface Turn {
  /** The last user message without its mentions. */
  readonly question: string;
  /** What the conversation was about, where the question leans on it. */
  readonly background: string;
  /** A greeting, thanks, nothing: no question for the documents. */
  readonly isSmallTalk: boolean;
  namespace: string;
  /** The search for the question, and the model's own where it may ask once more. */
  readonly searches: Search[];
  /** What the model is given and its sentences are checked against, each passage once. */
  passages: readonly Snippet[];
  /** Checks the reply while it comes in. */
  writer?: AnswerWriter;
  answer?: Answer;
  /** Why the turn could not be served. */
  error?: KnowledgeError;
}

/** Coverage below which the documents may hold an answer in words that the question does not share. */
const badCoverage = 0.5;
/** The search before the model is asked, and one of the model's. */
const maxSearches = 2;

export const maySearchAgain = ({ searches }: Turn): boolean =>
  searches.length > 0 && searches.length < maxSearches && searches.every(({ coverage }) => coverage < badCoverage);

/** Takes what a search found among the passages of the turn, as far as there is room. */
export function addSearch(turn: Turn, toolCallId: string, query: string, found: Retrieved): Search {
  const known = new Set(turn.passages.map(({ chunkId }) => chunkId));
  const passages = withinBudget([...turn.passages, ...found.snippets.filter(({ chunkId }) => !known.has(chunkId))]);
  const shown = new Set(passages.map(({ chunkId }) => chunkId));
  const search = { toolCallId, query, ...found, snippets: found.snippets.filter(({ chunkId }) => shown.has(chunkId)) };
  turn.searches.push(search);
  turn.passages = passages;
  return search;
}

const turnKey = 'knowledge.turn';
const namespaceKey = 'namespace';

/** The only thing that a caller decides about a request. */
export function createRequestContext(namespace: string): RequestContext {
  const context = new RequestContext();
  context.set(namespaceKey, namespace);
  return context;
}

/** `default` where the caller set none. */
export function namespaceOf(context: RequestContext | undefined): string {
  const namespace = context?.getRaw(namespaceKey);
  return typeof namespace === 'string' && namespace !== '' ? namespace : 'default';
}

export function beginTurn(context: RequestContext | undefined, turn: Turn): void {
  context?.setRaw(turnKey, turn);
}

export const clearTurn = (context: RequestContext | undefined): void => {
  context?.deleteRaw(turnKey);
};

export const readTurn = (context: RequestContext | undefined): Turn | undefined => context?.getRaw(turnKey) as Turn | undefined;
