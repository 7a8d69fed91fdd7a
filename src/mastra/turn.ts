/**
 * What one request to the agent has come to so far, shared by its processors and read by the caller afterwards. Lives in the request
 * context, so nothing of it outlives the request or reaches another.
 */
import { RequestContext } from '@mastra/core/request-context';
import type { KnowledgeError } from '../errors.ts';
import type { Answer } from '../knowledge/answer/answer.ts';
import type { Retrieved } from '../knowledge/retriever.ts';

export interface Turn {
  /** The last user message without its mentions. */
  readonly question: string;
  /** What the conversation was about, where the question leans on it. */
  readonly background: string;
  /** A greeting, thanks, nothing: no question for the documents. */
  readonly isSmallTalk: boolean;
  namespace: string;
  /** What was searched, and under which id it appears as a call of `docsRetriever`. */
  retrieval?: { readonly toolCallId: string; readonly query: string } & Retrieved;
  answer?: Answer;
  /** Why the turn could not be served. */
  error?: KnowledgeError;
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
