/** Posts to an operator's address: again after 429, 5xx and broken connections, not after a deadline: it may have been taken. */

import { createHmac } from 'node:crypto';
import { retryAfterMs } from '../concurrency/deadline.ts';
import { retry } from '../concurrency/retry.ts';
import { KnowledgeError } from '../errors.ts';
import type { OutboundPost, OutboundPostRequest } from '../ingest/fetch/outbound.ts';

export interface RetriedPostOptions {
  readonly post: OutboundPost;
  readonly name: string;
  /** Longest pause before the second attempt; doubles each time. Milliseconds. */
  readonly firstPauseMs?: number | undefined;
}

/** @throws KnowledgeError where it was not taken (`upstream_failed`: for good), or `signal` ended it */
type RetriedPost = (url: string, request: OutboundPostRequest) => Promise<void>;

const attempts = { maxAttempts: 4, maxRetryAfterMs: 30_000 };

const mayHelp = (status: number) => status === 429 || status >= 500;
/** What an operator can mend, such as the key, and the other side by itself. */
const mayChange = (status: number) => mayHelp(status) || [401, 403, 408].includes(status);

class Refusal extends KnowledgeError {
  readonly isRetryable: boolean;
  readonly waitMs: number | undefined;

  constructor(name: string, { status, headers }: Awaited<ReturnType<OutboundPost>>) {
    super(mayChange(status) ? 'fetch_failed' : 'upstream_failed', `${name} answered the delivery with status ${status}.`);
    this.isRetryable = mayHelp(status);
    this.waitMs = retryAfterMs(headers.get('retry-after'));
  }
}

const isRetryable = (error: unknown) =>
  error instanceof Refusal ? error.isRetryable : error instanceof KnowledgeError && error.code === 'fetch_failed';

export function createRetriedPost({ post, name, firstPauseMs = 1_000 }: RetriedPostOptions): RetriedPost {
  const waitMsOf = (error: unknown) => (error instanceof Refusal ? error.waitMs : undefined);
  return (url, request) =>
    retry(
      async () => {
        const answer = await post(url, request);
        if (answer.status < 200 || answer.status > 299) throw new Refusal(name, answer);
      },
      { ...attempts, firstPauseMs, isRetryable, retryAfterMs: waitMsOf, signal: request.signal },
    );
}

/** What a webhook of Standard Webhooks (https://www.standardwebhooks.com) is signed with, both ways: of its id, its time and its body. */
export const webhookDigest = (id: string, timestamp: string, body: string | Uint8Array, key: Uint8Array): Buffer =>
  createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
