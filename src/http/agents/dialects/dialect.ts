/**
 * The port for chat clients. A dialect says how one wire asks (its request → a question) and how it reads an answer (events → chunks, and
 * where it has one the whole answer): pure functions in one file, with the operations, their documentation and the form of their errors.
 * How chunks travel is not a dialect's matter (`http/sse.ts`), nor who asks and what they may (`routes.ts`). Chunks are made from events
 * that the product emits, so nothing of the prompt or the provider can be in one.
 */
import type { z } from 'zod';
import type { ChatMessage } from '../../../answers/conversations.ts';
import type { AskEvent, AskResult, ToolResult } from '../../../app/ask/ask.ts';
import { isRecordId } from '../../../app/ask/call-evidence.ts';
import type { ErrorBody, ErrorForm } from '../../error-body.ts';
import type { OperationCard } from '../../operations.ts';
import type { Framing, SseEvent } from '../../sse.ts';

export interface DialectQuestion {
  readonly messages: readonly ChatMessage[];
  readonly namespace?: string | null | undefined;
  /** Where earlier turns are remembered, by the names that the request gives; undefined: nothing is. */
  readonly thread?: { readonly thread: string; readonly resource: string } | undefined;
  /** Whether the message needs no mention, as the request says it; it counts where a key sends it. */
  readonly addressed?: boolean | undefined;
  readonly maxTokens?: number | undefined;
  /** Reply to a prompt that the client itself wrote, such as one for a title: no question is asked then. */
  readonly taskReply?: string | undefined;
}

export interface DialectRun {
  readonly agentId: string;
  readonly runId: string;
  /** Where people reach the page of this server, without a slash at its end; empty if that is not known. */
  readonly baseUrl: string;
  /** The thread in which this turn is remembered; undefined: it is not. */
  readonly thread?: string | undefined;
}

/** Writes one answer, called in this order; an answer of which the agent stays silent is a `finished` event that says so. */
export interface DialectWriter {
  start(): readonly SseEvent[];
  write(event: AskEvent): readonly SseEvent[];
  fail(error: ErrorBody): readonly SseEvent[];
  end(): readonly SseEvent[];
}

export interface DialectStream<Body> {
  readonly description: string;
  readonly framing?: Framing;
  readonly headers?: Readonly<Record<string, string>>;
  open(run: DialectRun, body: Body): DialectWriter;
}

export interface DialectWhole<Body> {
  readonly output: z.ZodType;
  write(result: AskResult, run: DialectRun, body: Body): unknown;
}

export interface DialectOperation<Body> {
  readonly card: DialectCard & { readonly work: 'ask' };
  readonly body: z.ZodType<Body>;
  /** A body that works as it is with the sample documents. */
  readonly example: unknown;
  /** Whether whoever uses this way in speaks to the agent, so that no mention is needed. */
  readonly isAddressed: boolean;
  question(body: Body): DialectQuestion;
  readonly whole?: DialectWhole<Body>;
  readonly stream?: DialectStream<Body>;
  wantsStream?(body: Body): boolean;
  /** Of failures once the request was read; before, and without it, as the dialect says. */
  errorForm?(body: Body): ErrorForm;
}

export interface DialectPage {
  readonly card: DialectCard;
  readonly output: z.ZodType;
  readonly others?: Readonly<Record<number, { readonly description: string }>>;
  /** Open to everybody, because it is read before anybody has credentials: nothing of the documents is in it. */
  readonly isOpen?: boolean;
  readonly parameters?: Readonly<Record<string, string>>;
  read(server: DialectServer): unknown;
}

export interface DialectServer {
  readonly baseUrl: string;
  readonly agent: { readonly id: string; readonly name: string; readonly description: string };
  readonly namespaces: readonly string[];
  readonly needsCredentials: boolean;
  readonly param: (name: string) => string;
}

export type DialectCard = OperationCard & { readonly id: string };

export interface Dialect {
  // biome-ignore lint/suspicious/noExplicitAny: each operation has a body of its own
  readonly operations: readonly DialectOperation<any>[];
  readonly pages?: readonly DialectPage[];
  /** How failures are told, on paths as Hono matches them; without it in the error body of this server. */
  readonly errors?: DialectErrors;
}

export interface DialectErrors {
  readonly paths: readonly string[];
  readonly form: ErrorForm;
  readonly output: z.ZodType;
  /** Whether it makes a text, which a request with `Accept: application/json` gets as the error body of this server. */
  readonly isText?: boolean;
}

/** What a chat client keeps of a search and sends back with each later question: the places, without the text of the passages. */
export const placesOf = ({ result }: ToolResult): object =>
  'results' in result ? { ...result, results: result.results.map(({ text: _, ...place }) => place) } : result;

type GivenCitation = AskResult['citations'][number];

/** Where a person reads what is cited: its web page, or the page of this server with the quote open. */
export function addressOf({ source, documentId, file, start, end, revision }: GivenCitation, namespace: string, baseUrl: string): string {
  if (isWebAddress(source)) return source;
  const of = encodeURIComponent(namespace);
  if (isRecordId(documentId)) return `${baseUrl}/#/${file.replace(/^v3\/calls/, `calls/${of}`)}`;
  const span = new URLSearchParams({ start: String(start), end: String(end), revision });
  return `${baseUrl}/#/documents/${of}/${encodeURIComponent(documentId)}?${span}`;
}

export const isWebAddress = (source: string): boolean => /^https?:\/\//.test(source);

/** Besides its method and its input: no such agent or namespace, the model. */
const askFails = [404, 502, 504];
export const askCard = (id: string, at: string, summary: string) =>
  ({ id, group: 'Ask', right: 'read', work: 'ask', at, summary, fails: askFails }) as const;
