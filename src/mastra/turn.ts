/**
 * What one request to the agent has come to so far, shared by its processors and read by the caller afterwards. Lives in the request
 * context, so nothing of it outlives the request or reaches another.
 */
import type { RequestContext } from '@mastra/core/request-context';
import type { KnowledgeError } from '../errors.ts';
import type { Answer } from '../knowledge/answer/answer.ts';
import type { AnswerWriter } from '../knowledge/answer/answer-writer.ts';
import { withinBudget } from '../knowledge/answer/context.ts';
import type { Retrieved } from '../knowledge/retriever.ts';
import type { Snippet } from '../knowledge/types.ts';
import type { CallsUse } from './tools/calls.ts';

/** One search of a request. */
export interface Search extends Retrieved {
  readonly query: string;
}

/** What a tool was asked and what it found, in the order of the request. */
export type ToolUse =
  | { readonly toolName: 'docsRetriever'; readonly toolCallId: string; readonly search: Search }
  | ({ readonly toolCallId: string } & CallsUse);

export interface Turn {
  /** The last user message without its mentions. */
  readonly question: string;
  /** What the conversation was about, where the question leans on it. */
  readonly background: string;
  /** A greeting, thanks, nothing: no question for the documents. */
  readonly isSmallTalk: boolean;
  namespace: string;
  /** The search for the question, and what the model asked for besides, where it may. */
  readonly toolUses: ToolUse[];
  /** What the model is given and its sentences are checked against, each passage once. */
  passages: readonly Snippet[];
  /** Checks the reply while it comes in. */
  writer?: AnswerWriter;
  answer?: Answer;
  /** Why the turn could not be served. */
  error?: KnowledgeError;
  /** Why a tool could not look something up: told where nothing else answers. */
  lookupError?: KnowledgeError;
}

/** Coverage below which the documents may hold an answer in words that the question does not share. */
const badCoverage = 0.5;
/** The search before the model is asked, and one of the model's. */
const maxSearches = 2;

export const searchesOf = ({ toolUses }: Turn): readonly Search[] =>
  toolUses.flatMap((use) => (use.toolName === 'docsRetriever' ? [use.search] : []));

export function maySearchAgain(turn: Turn): boolean {
  const searches = searchesOf(turn);
  return searches.length > 0 && searches.length < maxSearches && searches.every(({ coverage }) => coverage < badCoverage);
}

/** Takes what a search found among the passages of the turn, as far as there is room. */
export function addSearch(turn: Turn, toolCallId: string, query: string, found: Retrieved): Search {
  const known = new Set(turn.passages.map(({ chunkId }) => chunkId));
  const passages = withinBudget([...turn.passages, ...found.snippets.filter(({ chunkId }) => !known.has(chunkId))]);
  const shown = new Set(passages.map(({ chunkId }) => chunkId));
  const search = { query, ...found, snippets: found.snippets.filter(({ chunkId }) => shown.has(chunkId)) };
  turn.toolUses.push({ toolName: 'docsRetriever', toolCallId, search });
  turn.passages = passages;
  return search;
}

/** Takes records that a tool found; they come first, because they were asked for. */
export function addRecords(turn: Turn, use: ToolUse, records: readonly Snippet[]): void {
  turn.toolUses.push(use);
  turn.passages = withinBudget([...records, ...turn.passages]);
}

const turnKey = 'knowledge.turn';

export function beginTurn(context: RequestContext | undefined, turn: Turn): void {
  context?.setRaw(turnKey, turn);
}

export const clearTurn = (context: RequestContext | undefined): void => {
  context?.deleteRaw(turnKey);
};

export const readTurn = (context: RequestContext | undefined): Turn | undefined => context?.getRaw(turnKey) as Turn | undefined;
