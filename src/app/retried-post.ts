/**
 * What is sent to an address that an operator set: again after 429, 5xx and broken connections, with growing pauses; not after a deadline:
 * it may have been taken. A redirect is not followed, because a key may go along.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { retryAfterMs } from '../concurrency/deadline.ts';
import { KnowledgeError } from '../errors.ts';
import type { OutboundPost, OutboundPostRequest } from '../ingest/fetch/outbound.ts';

export interface RetriedPostOptions {
  readonly post: OutboundPost;
  /** Who is there, as the beginning of a sentence. */
  readonly name: string;
  /** Before the second attempt; doubles each time. */
  readonly firstPauseMs?: number | undefined;
}

/** @throws KnowledgeError where it was not taken (`upstream_failed`: for good), or `signal` ended it */
export type RetriedPost = (url: string, request: OutboundPostRequest) => Promise<void>;

const maxAttempts = 4;
/** A longer `Retry-After` is not waited for. */
const maxPauseMs = 30_000;

const mayHelp = (status: number) => status === 429 || status >= 500;
/** What an operator can mend, such as the key, and the other side by itself. */
const mayChange = (status: number) => mayHelp(status) || [401, 403, 408].includes(status);

export function createRetriedPost({ post, name, firstPauseMs = 500 }: RetriedPostOptions): RetriedPost {
  const refusalWith = (status: number) =>
    new KnowledgeError(mayChange(status) ? 'fetch_failed' : 'upstream_failed', `${name} answered the delivery with status ${status}.`);

  /** @returns undefined where the connection broke, which another attempt may mend */
  async function attempt(url: string, request: OutboundPostRequest, isLast: boolean) {
    return post(url, request).catch((error: unknown) => {
      const isBroken = error instanceof KnowledgeError && error.code === 'fetch_failed';
      if (isLast || request.signal.aborted || !isBroken) throw error;
    });
  }

  return async (url, request) => {
    for (let made = 1; ; made++) {
      const isLast = made === maxAttempts;
      const answer = await attempt(url, request, isLast);
      if (answer && answer.status >= 200 && answer.status <= 299) return;
      const pauseMs = Math.max(firstPauseMs * 2 ** (made - 1), retryAfterMs(answer?.headers.get('retry-after')) ?? 0);
      if (answer && (isLast || !mayHelp(answer.status) || pauseMs > maxPauseMs)) throw refusalWith(answer.status);
      await sleep(pauseMs, undefined, { signal: request.signal });
    }
  };
}
