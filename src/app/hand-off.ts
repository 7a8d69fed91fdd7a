/**
 * Hands questions off to a person: sends them to HANDOFF_WEBHOOK_URL. Each is stored until the
 * receiver has accepted it, and retried for days. A crash between delivery and deletion repeats the
 * delivery with the same `webhook-id`.
 */

import { createDebounce } from '../../packages/shared/src/concurrency/debounce.ts';
import { backoffMs } from '../../packages/shared/src/concurrency/retry.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { ClosestDocument } from '../answers/gaps.ts';
import type { SendWebhook } from './retried-post.ts';

/**
 * `asked`: the user asked for a person; `second_refusal`: the previous question was refused too.
 */
export type HandOffTrigger = 'refusal' | 'second_refusal' | 'asked';

export interface HandOff {
  readonly runId: string;
  readonly trigger: HandOffTrigger;
  readonly namespace: string;
  readonly question: string;
  readonly previousQuestion: string | null;
  readonly thread: string | null;
  /** Only a user that authentication proved. */
  readonly user: string | null;
  /** Name that the caller chose for the owner of the thread; proves nothing. */
  readonly resource: string | null;
  readonly entryPoint: string | null;
  readonly reason: string;
  readonly closest: readonly ClosestDocument[];
  /** Page with the stored answer; omitted without PUBLIC_URL. */
  readonly link?: string;
}

/** `body`: JSON of a `HandOff`; `createdAt`: ISO 8601. */
export type StoredHandOff = Readonly<{
  runId: string;
  body: string;
  attempts: number;
  createdAt: string;
}>;

/** Undelivered hand-offs, implemented by `state/hand-offs.ts`. */
export interface HandOffs {
  /** @returns false if too many are stored */
  add(handOff: HandOff, createdAt: string): Promise<boolean>;
  /** Claims due hand-offs for `maxMs`; no other server gets them. */
  claim(limit: number, maxMs: number): Promise<StoredHandOff[]>;
  remove(runId: string): Promise<void>;
  postpone(runId: string, ms: number): Promise<void>;
}

/**
 * `pollMs`: interval of checks for due hand-offs; `firstBackoffMs`: doubles with each failure, up
 * to ten minutes.
 */
export type HandOffLimits = Readonly<{ pollMs: number; firstBackoffMs: number; claimMs: number }>;

export interface HandOffSenderParts {
  readonly rows: HandOffs;
  readonly send: SendWebhook;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly limits?: Partial<HandOffLimits> | undefined;
}

/**
 * `keep` stores a hand-off and sends it soon. It never throws, and does nothing before the start,
 * as in commands.
 */
export type HandOffSender = Readonly<{
  keep: (handOff: HandOff) => Promise<void>;
  start: () => void;
  close: () => Promise<void>;
}>;

const batch = 10;
const maxBackoffMs = 600_000;
const maxAgeMs = 3 * 86_400_000;

export function createHandOffSender({
  rows,
  send,
  clock,
  onWarning,
  limits = {},
}: HandOffSenderParts): HandOffSender {
  const { pollMs = 30_000, firstBackoffMs = 30_000, claimMs = 60_000 } = limits;
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  async function deliver({ runId, body, attempts, createdAt }: StoredHandOff): Promise<void> {
    try {
      const message = {
        id: `handoff_${runId}`,
        type: 'question.handed_off',
        timestamp: createdAt,
        data: JSON.parse(body),
      };
      await send(message, closing.signal);
      await rows.remove(runId);
    } catch (error) {
      if (closing.signal.aborted) return;
      const isLast = clock().getTime() - Date.parse(createdAt) > maxAgeMs;
      if (isLast) await rows.remove(runId);
      else
        await rows.postpone(
          runId,
          backoffMs(attempts + 1, { firstPauseMs: firstBackoffMs, maxPauseMs: maxBackoffMs }),
        );
      const outcome = isLast ? 'it is deleted after three days' : 'will retry';
      if (isLast || attempts === 0)
        onWarning(`sending a question to HANDOFF_WEBHOOK_URL failed; ${outcome}`, error);
    }
  }

  /** One batch; others may follow. */
  async function work(): Promise<number> {
    try {
      const due = await rows.claim(batch, claimMs);
      await Promise.all(due.map(deliver));
      if (due.length > 0) debounce.request();
    } catch (error) {
      onWarning('reading questions for HANDOFF_WEBHOOK_URL failed; will retry', error);
    }
    return 0;
  }

  const debounce = createDebounce({ quietMs: 0, maxWaitMs: 0, work });

  return {
    async keep(handOff) {
      if (!timer) return;
      try {
        const isKept = await rows.add(handOff, clock().toISOString());
        if (!isKept)
          throw new KnowledgeError(
            'busy',
            'Too many questions are waiting for the hand-off webhook.',
          );
        debounce.request();
      } catch (error) {
        onWarning('a question was not handed off', error);
      }
    },
    start() {
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
