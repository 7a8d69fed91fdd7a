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
import type { HandOffRow, HandOffTable } from '../records/hand-off-table.ts';
import { handoffText } from './reply/answer.ts';

/**
 * `second_refusal`: the previous question was refused too; `closest`: both questions got sections
 * that may answer them; `unhelpful`: a rating; `asked`: the user asked for a person.
 */
export type HandOffTrigger = 'refusal' | 'second_refusal' | 'closest' | 'unhelpful' | 'asked';

export type HandOff = Asker &
  Readonly<{
    runId: string;
    trigger: HandOffTrigger;
    namespace: string;
    question: string;
    reason: string;
    closest: readonly ClosestDocument[];
    /** Page with the stored answer; omitted without PUBLIC_URL. */
    link?: string;
  }>;

/**
 * `pollMs`: interval of checks for due hand-offs; `firstBackoffMs`: doubles with each failure, up
 * to ten minutes.
 */
export type HandOffLimits = Readonly<{ pollMs: number; firstBackoffMs: number; claimMs: number }>;

type HandOffSenderParts = Readonly<{
  rows: HandOffTable;
  send: SendWebhook;
  messagesOf: (namespace: string) => Promise<NamespaceMessages>;
  /** Base URL of the page that shows stored answers; undefined: none does. */
  page: string | undefined;
  clock: () => Date;
  onWarning: (message: string, error?: unknown) => void;
  limits?: Partial<HandOffLimits> | undefined;
}>;

const batch = 10;
const maxBackoffMs = 600_000;
const maxAgeMs = 3 * 86_400_000;

const willRetry = 'sending questions to HANDOFF_WEBHOOK_URL failed; will retry';
const isLost =
  'sending questions to HANDOFF_WEBHOOK_URL failed for three days; the oldest are deleted';
const isFull = 'a question was not handed off';

export class HandOffSender {
  readonly #parts;
  readonly #limits: HandOffLimits;
  readonly #closing = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  readonly #warned = new Set<string>();
  readonly #sending = new RepeatedRun(() => this.#work());

  constructor(parts: HandOffSenderParts) {
    this.#parts = parts;
    const defaults = { pollMs: 30_000, firstBackoffMs: 30_000, claimMs: 60_000 };
    this.#limits = { ...defaults, ...parts.limits };
  }

  /** Warns once an outage, not once a question. */
  #warnOnce(message: string, error: unknown) {
    if (!this.#warned.has(message)) this.#parts.onWarning(message, error);
    this.#warned.add(message);
  }

  async #deliver({ runId, body, attempts, createdAt }: HandOffRow) {
    const { rows, send, clock } = this.#parts;
    try {
      const message = {
        id: `handoff_${runId}`,
        type: 'question.handed_off',
        timestamp: createdAt,
        data: JSON.parse(body),
      };
      await send(message, this.#closing.signal);
      await rows.remove(runId);
      for (const warning of [willRetry, isLost]) this.#warned.delete(warning);
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const isLast = clock().getTime() - Date.parse(createdAt) > maxAgeMs;
      const pauses = { firstPauseMs: this.#limits.firstBackoffMs, maxPauseMs: maxBackoffMs };
      if (isLast) await rows.remove(runId);
      else await rows.postpone(runId, backoffMs(attempts + 1, pauses));
      this.#warnOnce(isLast ? isLost : willRetry, error);
    }
  }

  /** One batch; others may follow. */
  async #work() {
    try {
      const due = await this.#parts.rows.claim(batch, this.#limits.claimMs);
      await Promise.all(due.map((row) => this.#deliver(row)));
      if (due.length > 0) this.#sending.request();
    } catch (error) {
      this.#parts.onWarning('reading questions for HANDOFF_WEBHOOK_URL failed; will retry', error);
    }
  }

  /**
   * Stores a hand-off and sends it soon, or after `holdMs`. Never throws, and does nothing before
   * the start, as in commands. @returns whether it is stored
   */
  async keep(handOff: HandOff, caller: string, holdMs = 0) {
    if (!this.#timer) return false;
    const { rows, page, clock } = this.#parts;
    try {
      const createdAt = clock().toISOString();
      const link = page && { link: `${page}/#/ask/${handOff.namespace}/${handOff.runId}` };
      if (!(await rows.keep({ ...handOff, ...link }, { caller, createdAt, holdMs })))
        throw new KnowledgeError(
          'busy',
          'Too many questions of this caller, namespace or server wait for the hand-off webhook.',
        );
      this.#warned.delete(isFull);
      if (holdMs === 0) this.#sending.request();
      return true;
    } catch (error) {
      this.#warnOnce(isFull, error);
      return false;
    }
  }

  /**
   * Hands off an answer that was rated as not helpful, once a run. @returns the sentence that tells
   * the user so; undefined if nothing is handed off
   */
  async keepUnhelpful(rated: RatedAnswer, caller: string) {
    const { own, handOffOn = [] } = await this.#parts.messagesOf(rated.namespace);
    if (!handOffOn.includes('unhelpful')) return undefined;
    if (!(await this.keep({ ...rated, trigger: 'unhelpful' }, caller))) return undefined;
    return handoffText({ language: languageOf(rated.question), own, isHandedOff: true });
  }

  /** Deletes one that was held. */
  release(runId: string) {
    return this.#parts.rows
      .release(runId)
      .catch((error: unknown) => this.#warnOnce('a question stays handed off', error));
  }

  start() {
    this.#sending.request();
    this.#timer = setInterval(() => this.#sending.request(), this.#limits.pollMs).unref();
  }

  async close() {
    clearInterval(this.#timer);
    this.#closing.abort();
    await this.#sending.close();
  }
}
