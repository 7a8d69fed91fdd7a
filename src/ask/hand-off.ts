/**
 * Hands questions off to a person: sends them to HANDOFF_WEBHOOK_URL. Each is stored until the
 * receiver has accepted it, and retried for days. A crash between delivery and deletion repeats the
 * delivery with the same `webhook-id`.
 */

import { RepeatedRun } from '../../packages/shared/src/concurrency/repeated-run.ts';
import { backoffMs } from '../../packages/shared/src/concurrency/retry.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { languageOf } from '../../packages/shared/src/language/languages.ts';
import type { NamespaceMessages } from '../documents/messages-file.ts';
import type { SendWebhook } from '../ingest/fetch/retried-post.ts';
import type { Asker, RatedAnswer } from '../records/answer-log.ts';
import type { ClosestDocument } from '../records/gaps.ts';
import { handoffText } from './reply/answer.ts';

/**
 * `second_refusal`: the previous question was refused too; `closest`: both questions got sections
 * that may answer them; `unhelpful`: a rating; `asked`: the user asked for a person.
 */
export type HandOffTrigger = 'refusal' | 'second_refusal' | 'closest' | 'unhelpful' | 'asked';

export interface HandOff extends Asker {
  readonly runId: string;
  readonly trigger: HandOffTrigger;
  readonly namespace: string;
  readonly question: string;
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

/** Undelivered hand-offs, implemented by `records/hand-off-table.ts`. */
export interface HandOffs {
  /**
   * Stores it, or replaces what is stored of its run. @param caller whose share of the places
   * counts @param createdAt ISO 8601 @param holdMs time until a claim; default 0
   * @returns false if too many are stored
   */
  keep(
    handOff: HandOff,
    options: Readonly<{ caller: string; createdAt: string; holdMs?: number }>,
  ): Promise<boolean>;
  /** Claims due hand-offs for `maxMs`; no other server gets them. */
  claim(limit: number, maxMs: number): Promise<StoredHandOff[]>;
  remove(runId: string): Promise<void>;
  /** Forgets a hand-off that was only held. */
  release(runId: string): Promise<void>;
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
 * `keep` stores a hand-off and sends it soon, or after `holdMs`. It never throws, and does nothing
 * before the start, as in commands. `release` deletes one that was held.
 */
export type HandOffSender = Readonly<{
  /** @returns whether it is stored */
  keep: (handOff: HandOff, caller: string, holdMs?: number) => Promise<boolean>;
  release: (runId: string) => Promise<void>;
  start: () => void;
  close: () => Promise<void>;
}>;

const batch = 10;
const maxBackoffMs = 600_000;
const maxAgeMs = 3 * 86_400_000;

const willRetry = 'sending questions to HANDOFF_WEBHOOK_URL failed; will retry';
const isLost =
  'sending questions to HANDOFF_WEBHOOK_URL failed for three days; the oldest are deleted';
const isFull = 'a question was not handed off';

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
  const warned = new Set<string>();

  /** Warns once an outage, not once a question. */
  function warnOnce(message: string, error: unknown): void {
    if (!warned.has(message)) onWarning(message, error);
    warned.add(message);
  }

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
      for (const message of [willRetry, isLost]) warned.delete(message);
    } catch (error) {
      if (closing.signal.aborted) return;
      const isLast = clock().getTime() - Date.parse(createdAt) > maxAgeMs;
      if (isLast) await rows.remove(runId);
      else
        await rows.postpone(
          runId,
          backoffMs(attempts + 1, { firstPauseMs: firstBackoffMs, maxPauseMs: maxBackoffMs }),
        );
      warnOnce(isLast ? isLost : willRetry, error);
    }
  }

  /** One batch; others may follow. */
  async function work(): Promise<void> {
    try {
      const due = await rows.claim(batch, claimMs);
      await Promise.all(due.map(deliver));
      if (due.length > 0) sending.request();
    } catch (error) {
      onWarning('reading questions for HANDOFF_WEBHOOK_URL failed; will retry', error);
    }
  }

  const sending = new RepeatedRun(work);

  return {
    async keep(handOff, caller, holdMs = 0) {
      if (!timer) return false;
      try {
        const createdAt = clock().toISOString();
        if (!(await rows.keep(handOff, { caller, createdAt, holdMs })))
          throw new KnowledgeError(
            'busy',
            'Too many questions of this caller, namespace or server wait for the hand-off webhook.',
          );
        warned.delete(isFull);
        if (holdMs === 0) sending.request();
        return true;
      } catch (error) {
        warnOnce(isFull, error);
        return false;
      }
    },
    release: (runId) =>
      rows.release(runId).catch((error: unknown) => warnOnce('a question stays handed off', error)),
    start() {
      sending.request();
      timer = setInterval(() => sending.request(), pollMs).unref();
    },
    async close() {
      clearInterval(timer);
      closing.abort();
      await sending.close();
    },
  };
}

/** Without HANDOFF_WEBHOOK_URL, nothing is kept. */
export const noHandOff: HandOffSender = {
  keep: async () => false,
  release: async () => undefined,
  start: () => undefined,
  close: async () => undefined,
};

/** @param page base URL of the page that shows stored answers; undefined: none does */
export const withLinks = (sender: HandOffSender, page: string | undefined): HandOffSender => ({
  ...sender,
  keep: (handOff, ...more) => {
    const link = page && { link: `${page}/#/ask/${handOff.namespace}/${handOff.runId}` };
    return sender.keep({ ...handOff, ...link }, ...more);
  },
});

/**
 * Hands off an answer that was rated as not helpful, once a run. @returns the sentence that tells
 * the user so; undefined if nothing is handed off
 */
export const createUnhelpfulHandOff =
  (
    { keep }: Pick<HandOffSender, 'keep'>,
    messagesOf: (namespace: string) => Promise<NamespaceMessages>,
  ) =>
  async (rated: RatedAnswer, caller: string): Promise<string | undefined> => {
    const { own, handOffOn = [] } = await messagesOf(rated.namespace);
    if (!handOffOn.includes('unhelpful')) return undefined;
    if (!(await keep({ ...rated, trigger: 'unhelpful' }, caller))) return undefined;
    return handoffText({ language: languageOf(rated.question), own, isHandedOff: true });
  };
