/**
 * Hands questions off to a person: sends them to HANDOFF_WEBHOOK_URL. Each is stored until the receiver has accepted it, and retried for days.
 * A crash between delivery and deletion repeats the delivery with the same `webhook-id`.
 */
import type { ClosestDocument } from '../answers/gaps.ts';
import { createDebounce } from '../concurrency/debounce.ts';
import { backoffMs } from '../concurrency/retry.ts';
import { KnowledgeError } from '../errors.ts';
import { createRetriedPost, type RetriedPostOptions, webhookHeaders } from './retried-post.ts';

/** `asked`: the user asked for a person; `second_refusal`: the previous question was refused too. */
export type HandOffTrigger = 'refusal' | 'second_refusal' | 'asked';

export interface HandOff {
  readonly runId: string;
  readonly trigger: HandOffTrigger;
  readonly namespace: string;
  readonly question: string;
  readonly previousQuestion: string | null;
  readonly thread: string | null;
  readonly user: string | null;
  readonly entryPoint: string | null;
  readonly reason: string;
  readonly closest: readonly ClosestDocument[];
  /** Page with the stored answer; omitted without PUBLIC_URL. */
  readonly link?: string;
}

/** `body`: JSON of the request; `createdAt`: ISO 8601. */
export type StoredHandOff = Readonly<{ runId: string; body: string; attempts: number; createdAt: string }>;

/** Undelivered hand-offs, implemented by `state/hand-offs.ts`. */
export interface HandOffs {
  /** @returns false if too many are stored */
  add(handOff: Omit<StoredHandOff, 'attempts'> & { readonly namespace: string }): Promise<boolean>;
  /** Makes all due; for a single server, whose earlier process may have stopped during a delivery. */
  retryNow(): Promise<void>;
  /** Claims due hand-offs for `maxMs`; no other server gets them. */
  claim(limit: number, maxMs: number): Promise<StoredHandOff[]>;
  remove(runId: string): Promise<void>;
  postpone(runId: string, ms: number): Promise<void>;
}

/** `pollMs`: interval of checks for hand-offs of other servers; `firstBackoffMs`: doubles with each failure, up to an hour. */
export type HandOffLimits = Readonly<{ pollMs: number; firstBackoffMs: number; claimMs: number; maxAgeMs: number }>;

export interface HandOffSenderParts extends Pick<RetriedPostOptions, 'post'> {
  readonly rows: HandOffs;
  readonly url: string;
  readonly key: Uint8Array | undefined;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly limits?: Partial<HandOffLimits> | undefined;
}

/** `keep` stores a hand-off and sends it soon. It never throws, and does nothing before the start, as in commands. */
export type HandOffSender = Readonly<{ keep: (handOff: HandOff) => Promise<void>; start: () => Promise<void>; close: () => Promise<void> }>;

const batch = 10;
const maxBackoffMs = 3_600_000;
const oneDayMs = 86_400_000;

export function createHandOffSender({ rows, post, url, key, clock, onWarning, limits = {} }: HandOffSenderParts): HandOffSender {
  const { pollMs = 30_000, firstBackoffMs = 5_000, claimMs = 60_000, maxAgeMs = 3 * oneDayMs } = limits;
  // The store repeats deliveries, so that documents deleted between attempts are not sent.
  const send = createRetriedPost({ post, name: 'The hand-off webhook', maxAttempts: 1 });
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  async function deliver({ runId, body, attempts, createdAt }: StoredHandOff): Promise<void> {
    try {
      await send(url, { body, headers: webhookHeaders(`handoff_${runId}`, body, { now: clock(), key }), signal: closing.signal });
      await rows.remove(runId);
    } catch (error) {
      if (closing.signal.aborted) return await rows.postpone(runId, 0);
      const isLast = clock().getTime() - Date.parse(createdAt) > maxAgeMs;
      const tried = attempts + 1;
      const pauseMs = backoffMs(tried, { firstPauseMs: firstBackoffMs, maxPauseMs: maxBackoffMs });
      if (isLast) await rows.remove(runId);
      else await rows.postpone(runId, pauseMs);
      // A little later, because timers may fire early.
      setTimeout(() => debounce.request(), pauseMs + 20).unref();
      const outcome = isLast ? 'it is deleted after three days' : 'will retry';
      if (isLast || tried === 1) onWarning(`sending a question to HANDOFF_WEBHOOK_URL failed; ${outcome}`, error);
    }
  }

  /** One batch; a full batch requests the next. */
  async function work(): Promise<number> {
    if (closing.signal.aborted) return 0;
    try {
      const due = await rows.claim(batch, claimMs);
      await Promise.all(due.map(deliver));
      if (due.length > 0) debounce.request();
    } catch (error) {
      if (!closing.signal.aborted) onWarning('reading questions for HANDOFF_WEBHOOK_URL failed; will retry', error);
    }
    return 0;
  }

  const debounce = createDebounce({ quietMs: 0, maxWaitMs: 0, work });

  return {
    async keep(handOff) {
      if (!timer) return;
      const { runId, namespace } = handOff;
      const createdAt = clock().toISOString();
      const body = JSON.stringify({ type: 'question.handed_off', timestamp: createdAt, data: handOff });
      try {
        const isKept = await rows.add({ runId, namespace, body, createdAt });
        if (!isKept) throw new KnowledgeError('busy', 'Too many questions are waiting for the hand-off webhook.');
        debounce.request();
      } catch (error) {
        onWarning('a question was not handed off', error);
      }
    },
    async start() {
      await rows.retryNow().catch((error: unknown) => onWarning('questions for HANDOFF_WEBHOOK_URL wait until their next attempt', error));
      debounce.request();
      timer = setInterval(() => debounce.request(), pollMs).unref();
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await debounce.close();
    },
  };
}
