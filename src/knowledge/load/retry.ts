/**
 * Asks again where that helps: after a broken connection, and after 429 or 503 with a `Retry-After` (RFC 9110 10.2.3) that is worth
 * waiting for. Anything else would come out the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { causesOf, KnowledgeError, systemErrorCode } from '../../errors.ts';
import type { Outbound, OutboundAnswer } from './outbound.ts';

export interface RetryOptions {
  readonly maxAttempts?: number;
  /** A longer `Retry-After` is not waited for: the row of the report says when to come back. */
  readonly maxWaitMs?: number;
  /** Before the second attempt after a broken connection; doubles each time. */
  readonly firstPauseMs?: number;
}

const brokenConnection = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'EAI_AGAIN']);

/** Milliseconds that an answer asks to wait; undefined without a readable header. */
function retryAfterMs(answer: OutboundAnswer, now: number): number | undefined {
  const header = answer.headers.get('retry-after')?.trim();
  if (!header) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const wasBroken = (error: unknown): boolean =>
  error instanceof KnowledgeError &&
  error.code === 'fetch_failed' &&
  [...causesOf(error)].length > 1 &&
  brokenConnection.has(systemErrorCode(error.cause) ?? '');

export function withRetries(outbound: Outbound, options: RetryOptions = {}): Outbound {
  const { maxAttempts = 3, maxWaitMs = 20_000, firstPauseMs = 250 } = options;
  return async (url, request) => {
    const pause = (ms: number) => sleep(ms, undefined, request?.signal ? { signal: request.signal } : {});
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await outbound(url, request);
        if (answer.status !== 429 && answer.status !== 503) return answer;
        const waitMs = retryAfterMs(answer, Date.now());
        if (waitMs === undefined || waitMs > maxWaitMs || attempt >= maxAttempts) return answer;
        await pause(waitMs);
      } catch (error) {
        if (!wasBroken(error) || attempt >= maxAttempts) throw error;
        await pause(firstPauseMs * 2 ** (attempt - 1));
      }
    }
  };
}
