/**
 * Posts to a URL of the operator. Retries after 429, 5xx and broken connections, but not after a
 * timeout: the request may have arrived.
 */
import { createHmac } from 'node:crypto';
import { retryAfterMs } from '../../../packages/shared/src/concurrency/deadline.ts';
import { retry } from '../../../packages/shared/src/concurrency/retry.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { Outbound, OutboundAnswer, PostRequest } from './outbound.ts';

export type RetriedPostOptions = Readonly<{
  post: Outbound['post'];
  name: string;
  /** Default 4. */
  maxAttempts?: number | undefined;
  /** Maximum pause before the second attempt, in milliseconds; doubles each time. */
  firstPauseMs?: number | undefined;
}>;

const maxRetryAfterMs = 30_000;

const isTemporary = (status: number) => status === 429 || status >= 500;
/** Also statuses that the operator can fix, such as a wrong key. */
const isRepairable = (status: number) => isTemporary(status) || [401, 403, 408].includes(status);

class Refusal extends KnowledgeError {
  readonly isRetryable: boolean;
  readonly waitMs: number | undefined;

  constructor(name: string, { status, headers }: Pick<OutboundAnswer, 'status' | 'headers'>) {
    super(
      isRepairable(status) ? 'fetch_failed' : 'upstream_failed',
      `${name} rejected the delivery with status ${status}.`,
    );
    this.isRetryable = isTemporary(status);
    this.waitMs = retryAfterMs(headers.get('retry-after'));
  }
}

const isRetryable = (error: unknown) =>
  error instanceof Refusal
    ? error.isRetryable
    : error instanceof KnowledgeError && error.code === 'fetch_failed';

/**
 * @throws KnowledgeError if the delivery failed (`upstream_failed`: permanently) or the signal
 * aborted it
 */
export const postWithRetries = (
  { post, name, firstPauseMs = 1_000, maxAttempts = 4 }: RetriedPostOptions,
  url: string,
  request: PostRequest,
): Promise<void> =>
  retry(
    async () => {
      const answer = await post(url, request);
      if (answer.status < 200 || answer.status > 299) throw new Refusal(name, answer);
    },
    {
      maxAttempts,
      maxRetryAfterMs,
      firstPauseMs,
      isRetryable,
      retryAfterMs: (error) => (error instanceof Refusal ? error.waitMs : undefined),
      signal: request.signal,
    },
  );

/** Signature of a webhook, sent or received (https://www.standardwebhooks.com). */
export const webhookDigest = (
  id: string,
  timestamp: string,
  body: string | Uint8Array,
  key: Uint8Array,
): Buffer => createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();

/** `id` is the same for every attempt. `timestamp`: ISO 8601. */
type WebhookMessage = Readonly<{ id: string; type: string; timestamp: string; data: unknown }>;
export type SendWebhook = (message: WebhookMessage, signal: AbortSignal) => Promise<void>;

/** Sends messages in the format of Standard Webhooks. @param key undefined: they are not signed */
export const webhookSender =
  ({
    url,
    key,
    clock,
    ...options
  }: RetriedPostOptions &
    Readonly<{ url: string; key: Uint8Array | undefined; clock: () => Date }>): SendWebhook =>
  ({ id, ...message }, signal) => {
    const body = JSON.stringify(message);
    const sentAt = String(Math.floor(clock().getTime() / 1_000));
    const signature = key && {
      'webhook-signature': `v1,${webhookDigest(id, sentAt, body, key).toString('base64')}`,
    };
    const headers = { 'webhook-id': id, 'webhook-timestamp': sentAt, ...signature };
    return postWithRetries(options, url, { body, headers, signal });
  };
