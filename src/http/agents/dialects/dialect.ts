/**
 * The port for chat protocols. A dialect has pure functions from a request to a question, and from
 * events to chunks or a whole answer. Transport (`http/sse.ts`) and access (`agent-routes.ts`) are
 * elsewhere. Chunks contain only data of `AskEvent`, so no prompt can leak.
 */
import type { z } from 'zod';
import type { AskResult, ToolCall, ToolResult } from '../../../ask/ask-result.ts';
import type { ChatMessage } from '../../../records/conversations.ts';
import type { actAs } from '../../auth/caller.ts';
import type { ErrorBody, ErrorForm } from '../../error-body.ts';
import type { NamedCard } from '../../operations.ts';
import type { Framing, SseEvent, SseEvents } from '../../sse.ts';

export type DialectQuestion = Readonly<{
  messages: readonly ChatMessage[];
  namespace?: string | null | undefined;
  /**
   * Thread that remembers earlier turns, as the request names it; undefined: nothing is remembered.
   */
  thread?: { readonly thread: string; readonly resource: string } | undefined;
  /** Whether the message needs no mention; ignored unless the caller sent a key. */
  addressed?: boolean | undefined;
  /**
   * User that the request names; believed if the token is valid, or the caller is a key that may
   * act for users.
   */
  user?: Parameters<typeof actAs>[1];
  maxTokens?: number | undefined;
  /** Reply to a task prompt of the client, such as one for a title; then the agent is not asked. */
  taskReply?: string | undefined;
}>;

export type DialectRun = Readonly<{
  agentId: string;
  runId: string;
  /** Public URL of the page, without a slash at its end; empty if unknown. */
  baseUrl: string;
  /** Thread that remembers this turn; undefined: none. */
  thread?: string | undefined;
}>;

/**
 * Writes one answer; `start` is first, `end` is last. If the agent stays silent, only `finish` is
 * called in between.
 */
export interface DialectWriter {
  start(): SseEvents;
  /** Before the first events of `text`. */
  beginText?(): SseEvents;
  text(text: string): SseEvents;
  /** After the last `text`, if there were events of it. */
  endText?(): SseEvents;
  searched?(call: ToolCall, result: ToolResult): SseEvents;
  working?(on: string): SseEvents;
  finish(result: AskResult): SseEvents;
  fail(error: ErrorBody): SseEvents;
  end?(): SseEvents;
}

export type DialectStream<Body> = Readonly<{
  description: string;
  framing?: Framing;
  headers?: Readonly<Record<string, string>>;
  open(run: DialectRun, body: Body): DialectWriter;
}>;

export type DialectOperation<Body> = Readonly<{
  card: NamedCard & { readonly work: 'ask' };
  body: z.ZodType<Body>;
  /** A body that works with the sample documents. */
  example: unknown;
  /** Whether messages on this path need no mention. */
  isAddressed: boolean;
  question(body: Body): DialectQuestion;
  whole?: {
    readonly output: z.ZodType;
    write(result: AskResult, run: DialectRun, body: Body): unknown;
  };
  /** With `whole`, only for bodies with `stream: true`. */
  stream?: DialectStream<Body>;
}>;

export type Dialect = Readonly<{
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own body type
  operations: readonly DialectOperation<any>[];
  pages?: readonly {
    readonly card: NamedCard;
    readonly output: z.ZodType;
    readonly others?: Readonly<Record<number, { readonly description: string }>>;
    /** @param namespaces those that the caller may use */
    read(namespaces: readonly string[], param: (name: string) => string): unknown;
  }[];
  /** Default: the error body of this server. */
  errors?: {
    /** Path pattern of Hono. */
    readonly path: string;
    readonly form: ErrorForm;
    readonly output: z.ZodType;
    /**
     * Whether `form` returns a text. Requests with `Accept: application/json` then get the error
     * body of this server.
     */
    readonly isText?: boolean;
  };
}>;

/**
 * Omits the passage texts of search results, because chat clients resend stored results with each
 * question.
 */
export const placesOf = ({ result }: ToolResult): object =>
  'results' in result
    ? { ...result, results: result.results.map(({ text: _, ...place }) => place) }
    : result;

/** An answer without its text, run, tools and usage, which the protocols send in other places. */
export const verdictOf = ({
  text,
  runId,
  finishReason,
  toolCalls,
  toolResults,
  usage,
  ...verdict
}: AskResult) => verdict;

/** Data of one event, as JSON. */
export const dataOf = (content: object): SseEvent => ({ data: JSON.stringify(content) });

export const pageCard = (
  id: string,
  at: string,
  summary: string,
  ...fails: number[]
): NamedCard => ({
  id,
  group: 'Compatibility',
  right: 'ask',
  at,
  summary,
  fails,
});

/** 404: unknown agent or namespace; 502 and 504: the model failed or timed out. */
const askFails = [404, 502, 504];
export const askCard = (id: string, at: string, summary: string) => {
  const group = /legacy|vnext/.test(at) ? 'Compatibility' : 'Ask';
  return { id, group, right: 'ask', work: 'ask', at, summary, fails: askFails } as const;
};
