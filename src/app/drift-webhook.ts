/**
 * Tells an address that an operator set which kept answers do not hold any more: after documents have changed, whoever changed them, each
 * once, until it holds again. What is told is written down with the answers, so that neither a restart nor one of several servers on the
 * same answers loses or repeats it; who ends between a delivery and that writes it down never, and it is delivered again.
 */
import { randomUUID } from 'node:crypto';
import type { AnswerLog } from '../answers/answer-log.ts';
import { createDebounce } from '../concurrency/debounce.ts';
import { backoffMs } from '../concurrency/retry.ts';
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import { createRetriedPost, type RetriedPostOptions, webhookDigest } from './retried-post.ts';
import type { LookedAt, StaleAnswers } from './stale-answers.ts';

export interface DriftLimits {
  /** Since the last change; a site or a folder is often read as a whole. */
  readonly quietMs: number;
  readonly maxWaitMs: number;
  /** After what could not be delivered; doubles each time, up to an hour. */
  readonly firstBackoffMs: number;
  /** For which a server may take to tell what it has claimed: four attempts and their pauses are done by then. */
  readonly claimMs: number;
}

export interface DriftWebhookParts extends Pick<RetriedPostOptions, 'post' | 'firstPauseMs'> {
  readonly answers: Pick<AnswerLog, 'claimNotification' | 'finishNotification' | 'resetNotification'>;
  readonly staleAnswers: Pick<StaleAnswers, 'each'>;
  /** Brings in what other servers have changed: what they have told must not seem to hold here. */
  readonly syncNow: () => Promise<void>;
  readonly url: string;
  readonly key: Uint8Array | undefined;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly limits?: Partial<DriftLimits> | undefined;
}

const maxAnswers = 50;
const maxBackoffMs = 3_600_000;
/** Nobody waits for a look: it leaves two thirds of the time to whoever asks. */
const [maxBusyMs, restMs] = [5, 10];

/** A message with the headers of Standard Webhooks; the same id for one that is sent again. */
function createSender({ post, firstPauseMs, url, key, clock }: DriftWebhookParts, signal: AbortSignal) {
  const send = createRetriedPost({ post, name: 'The drift webhook', firstPauseMs });
  let failed: { readonly content: string; readonly id: string } | undefined;
  return async (data: Readonly<Record<string, unknown>>): Promise<void> => {
    const content = JSON.stringify(data);
    const id = failed?.content === content ? failed.id : randomUUID();
    const now = clock();
    const timestamp = String(Math.floor(now.getTime() / 1_000));
    const body = JSON.stringify({ type: 'answers.stale', timestamp: now.toISOString(), data });
    const signature = key && { 'webhook-signature': `v1,${webhookDigest(id, timestamp, body, key).toString('base64')}` };
    failed = { content, id };
    await send(url, { body, headers: { 'webhook-id': id, 'webhook-timestamp': timestamp, ...signature }, signal });
    failed = undefined;
  };
}

interface LookOptions {
  readonly claimMs: number;
  /** What others have claimed is looked at again when their time is over. */
  readonly onOthers: (namespace: string) => void;
  readonly signal: AbortSignal;
}

/** Tells what does not hold any more, of some namespaces or of all: the newest first, as many at a time as a message holds. */
function createLook(parts: DriftWebhookParts, { claimMs, onOthers, signal }: LookOptions) {
  const { answers, staleAnswers } = parts;
  const send = createSender(parts, signal);

  async function tell(namespace: string, stale: readonly LookedAt[], isPartial: boolean): Promise<void> {
    const runIds = stale.map(({ kept }) => kept.runId);
    const claim = await answers.claimNotification(runIds, claimMs);
    if (claim.runIds.length < runIds.length) onOthers(namespace);
    if (claim.runIds.length === 0) return;
    let isTold = false;
    try {
      const listed = [];
      for (const one of stale) if (claim.runIds.includes(one.kept.runId)) listed.push(await one.listed());
      await send({ namespace, answers: listed, isPartial });
      isTold = true;
    } finally {
      await answers.finishNotification(claim, isTold);
    }
  }

  async function* untold(namespaces: readonly string[] | undefined): AsyncGenerator<LookedAt> {
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
    const found = new Map<string, LookedAt[]>();
    for await (const one of untold(namespaces)) {
      const { namespace } = one.kept;
      const stale = found.get(namespace) ?? [];
      if (stale.length === maxAnswers) await tell(namespace, stale.splice(0), true);
      stale.push(one);
      found.set(namespace, stale);
    }
    for (const [namespace, stale] of found) await tell(namespace, stale, false);
  };
}

export function createDriftWebhook(parts: DriftWebhookParts) {
  const { quietMs = 5_000, maxWaitMs = 60_000, firstBackoffMs = 60_000, claimMs = 300_000 } = parts.limits ?? {};
  const closing = new AbortController();
  const onOthers = (namespace: string) => void setTimeout(() => scheduleCheck(namespace), claimMs).unref();
  const look = createLook(parts, { claimMs, onOthers, signal: closing.signal });
  let changed: Set<string> | undefined = new Set();
  let failures = 0;

  async function work(): Promise<number> {
    const wanted = changed;
    changed = new Set();
    try {
      await look(wanted && [...wanted]);
      failures = 0;
      return 0;
    } catch (error) {
      if (closing.signal.aborted) return 0;
      parts.onWarning('answers that do not hold any more could not be told to DRIFT_WEBHOOK_URL; they will be later', error);
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
    scheduleCheck: scheduleCheck,
    start(): void {
      changed = undefined;
      debounce.request();
    },
    async close(): Promise<void> {
      closing.abort();
      await debounce.close();
    },
  };
}
