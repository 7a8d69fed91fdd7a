/**
 * An answer → the chat platform, as a message in its own form. Asked again after 429, 5xx and broken connections, with growing pauses; not
 * after a deadline: the platform may have taken it, and nobody wants to read it twice. A redirect is not followed, because the key goes along.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { retryAfterMs } from '../../concurrency/deadline.ts';
import { KnowledgeError } from '../../errors.ts';
import type { OutboundPost } from '../../ingest/fetch/outbound.ts';
import type { ChatReceiver } from './chat-message.ts';

export interface OutgoingMessage extends ChatReceiver {
  readonly text: string;
  /** For programs: which answer it is, to what, and what it rests on. */
  readonly knowledge: Readonly<Record<string, unknown>>;
  /** The same for every attempt. */
  readonly idempotencyKey: string;
}

/** @throws KnowledgeError where it was not taken (`upstream_failed`: for good), or `signal` ended it */
export type DeliverAnswer = (message: OutgoingMessage, signal: AbortSignal) => Promise<void>;

export interface DeliveryOptions {
  readonly post: OutboundPost;
  readonly url: string;
  readonly key: string | undefined;
  readonly agentUid: string;
  /** Before the second attempt; doubles each time. */
  readonly firstPauseMs?: number | undefined;
}

const maxAttempts = 4;
/** A longer `Retry-After` is not waited for. */
const maxPauseMs = 30_000;

const mayHelp = (status: number) => status === 429 || status >= 500;
/** What an operator can mend, such as the key, and the platform by itself. */
const mayChange = (status: number) => mayHelp(status) || [401, 403, 408].includes(status);

/** Whether another delivery of the answer would end as this one did; after a deadline the platform may have taken it. */
export const isFinalRefusal = (error: unknown): boolean =>
  error instanceof KnowledgeError && (error.code === 'upstream_failed' || error.code === 'timeout');

const refusalWith = (status: number) =>
  new KnowledgeError(
    mayChange(status) ? 'fetch_failed' : 'upstream_failed',
    `The chat platform answered the delivery with status ${status}.`,
  );

function bodyOf({ receiver, receiverType, text, knowledge }: OutgoingMessage): string {
  return JSON.stringify({ category: 'message', type: 'text', receiver, receiverType, data: { text, metadata: { knowledge } } });
}

export function createDelivery({ post, url, key, agentUid, firstPauseMs = 500 }: DeliveryOptions): DeliverAnswer {
  /** @returns undefined where the connection broke, which another attempt may mend */
  async function attempt(message: OutgoingMessage, signal: AbortSignal, isLast: boolean) {
    const headers = { 'idempotency-key': message.idempotencyKey, ...(key === undefined ? {} : { apikey: key, onBehalfOf: agentUid }) };
    return post(url, { body: bodyOf(message), headers, signal }).catch((error: unknown) => {
      const isBroken = error instanceof KnowledgeError && error.code === 'fetch_failed';
      if (isLast || signal.aborted || !isBroken) throw error;
    });
  }

  return async (message, signal) => {
    for (let made = 1; ; made++) {
      const isLast = made === maxAttempts;
      const answer = await attempt(message, signal, isLast);
      if (answer && answer.status >= 200 && answer.status <= 299) return;
      const pauseMs = Math.max(firstPauseMs * 2 ** (made - 1), retryAfterMs(answer?.headers.get('retry-after')) ?? 0);
      if (answer && (isLast || !mayHelp(answer.status) || pauseMs > maxPauseMs)) throw refusalWith(answer.status);
      await sleep(pauseMs, undefined, { signal });
    }
  };
}
