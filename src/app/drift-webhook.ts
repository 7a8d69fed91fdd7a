/**
 * Sends outdated answers to DRIFT_WEBHOOK_URL after document changes, each once until it becomes
 * valid again. The state is stored with the answers, so restarts and other servers do not repeat
 * it. A crash between delivery and saving repeats the delivery.
 */
import { randomUUID } from 'node:crypto';
import { createDebounce } from '../../packages/shared/src/concurrency/debounce.ts';
import { backoffMs } from '../../packages/shared/src/concurrency/retry.ts';
import { createTimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import type { AnswerLog } from '../answers/answer-log.ts';
import type { SendWebhook } from './retried-post.ts';
import type { CheckedAnswer, StaleAnswers } from './stale-answers.ts';

export interface DriftLimits {
  /** Wait after the last change, because sites and folders change many documents. */
  readonly quietMs: number;
  readonly maxWaitMs: number;
  /** First pause after a failed delivery; doubles each time, up to an hour. */
  readonly firstBackoffMs: number;
  /** Lifetime of a server's claim, longer than its four attempts with pauses. */
  readonly claimMs: number;
}

export interface DriftWebhookParts {
  readonly answers: Pick<
    AnswerLog,
    'claimNotification' | 'finishNotification' | 'resetNotification'
  >;
  readonly staleAnswers: Pick<StaleAnswers, 'each'>;
  /**
   * Applies changes of other servers, because an answer that they reported must not look valid
   * here.
   */
  readonly syncNow: () => Promise<void>;
  readonly send: SendWebhook;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly limits?: Partial<DriftLimits> | undefined;
}

const maxAnswers = 50;
const maxBackoffMs = 3_600_000;
/** A check is not urgent: it leaves two thirds of the time to requests. */
const [maxBusyMs, restMs] = [5, 10];

/**
 * Sends the outdated answers of some or all namespaces, newest first, up to 50 per message. A
 * repeated message keeps its id.
 * @param onOthers schedules another check for when the claims of other servers expire
 */
function createCheck(
  parts: DriftWebhookParts,
  claimMs: number,
  onOthers: (namespace: string) => void,
  signal: AbortSignal,
) {
  const { answers, staleAnswers, clock } = parts;
  let failed: { readonly content: string; readonly id: string } | undefined;

  async function send(data: Readonly<Record<string, unknown>>): Promise<void> {
    const content = JSON.stringify(data);
    const id = failed?.content === content ? failed.id : randomUUID();
    failed = { content, id };
    await parts.send({ id, type: 'answers.stale', timestamp: clock().toISOString(), data }, signal);
    failed = undefined;
  }

  async function notify(
    namespace: string,
    stale: readonly CheckedAnswer[],
    isPartial: boolean,
  ): Promise<void> {
    const runIds = stale.map(({ kept }) => kept.runId);
    const claim = await answers.claimNotification(runIds, claimMs);
    if (claim.runIds.length < runIds.length) onOthers(namespace);
    if (claim.runIds.length === 0) return;
    let isSent = false;
    try {
      const listed = [];
      for (const one of stale)
        if (claim.runIds.includes(one.kept.runId)) listed.push(await one.listed());
      await send({ namespace, answers: listed, isPartial });
      isSent = true;
    } finally {
      await answers.finishNotification(claim, isSent);
    }
  }

  async function* unreported(
    namespaces: readonly string[] | undefined,
  ): AsyncGenerator<CheckedAnswer> {
    const pauses = createTimeSlicer(maxBusyMs, restMs);
    const pause = () => {
      signal.throwIfAborted();
      return pauses();
    };
    for await (const one of staleAnswers.each({ namespaces, callerId: undefined }, pause)) {
      const { told, runId } = one.kept;
      if (one.state === 'stale' && told !== 'told') yield one;
      else if (one.state !== 'stale' && told !== null) await answers.resetNotification(runId, told);
    }
  }

  return async (namespaces: readonly string[] | undefined): Promise<void> => {
    await parts.syncNow();
    const found = new Map<string, CheckedAnswer[]>();
    for await (const one of unreported(namespaces)) {
      const { namespace } = one.kept;
      const stale = found.get(namespace) ?? [];
      if (stale.length === maxAnswers) await notify(namespace, stale.splice(0), true);
      stale.push(one);
      found.set(namespace, stale);
    }
    for (const [namespace, stale] of found) await notify(namespace, stale, false);
  };
}

export interface DriftWebhook {
  scheduleCheck(namespace: string): void;
  start(): void;
  close(): Promise<void>;
}

export function createDriftWebhook(parts: DriftWebhookParts): DriftWebhook {
  const {
    quietMs = 5_000,
    maxWaitMs = 60_000,
    firstBackoffMs = 60_000,
    claimMs = 300_000,
  } = parts.limits ?? {};
  const closing = new AbortController();
  const onOthers = (namespace: string) =>
    void setTimeout(() => scheduleCheck(namespace), claimMs).unref();
  const check = createCheck(parts, claimMs, onOthers, closing.signal);
  let changed: Set<string> | undefined = new Set();
  let failures = 0;

  async function work(): Promise<number> {
    const wanted = changed;
    changed = new Set();
    try {
      await check(wanted && [...wanted]);
      failures = 0;
      return 0;
    } catch (error) {
      if (closing.signal.aborted) return 0;
      parts.onWarning('sending outdated answers to DRIFT_WEBHOOK_URL failed; will retry', error);
      changed = wanted && changed.union(wanted);
      debounce.request();
      return backoffMs(++failures, { firstPauseMs: firstBackoffMs, maxPauseMs: maxBackoffMs });
    }
  }

  const debounce = createDebounce({ quietMs, maxWaitMs, work });

  function scheduleCheck(namespace: string): void {
    changed?.add(namespace);
    debounce.request();
  }

  return {
    scheduleCheck,
    start() {
      changed = undefined;
      debounce.request();
    },
    async close() {
      closing.abort();
      await debounce.close();
    },
  };
}
