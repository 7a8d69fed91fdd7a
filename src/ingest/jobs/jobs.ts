/**
 * Background ingestion. Every step of a job is saved. After a crash, the next process or another
 * process that shares the store resumes the job.
 */
import { randomUUID } from 'node:crypto';
import { withAbort } from '../../../packages/shared/src/concurrency/deadline.ts';
import { FairQueue } from '../../../packages/shared/src/concurrency/fair-queue.ts';
import { isWithinFairShare } from '../../../packages/shared/src/concurrency/fair-share.ts';
import { Semaphore } from '../../../packages/shared/src/concurrency/queue.ts';
import { retry } from '../../../packages/shared/src/concurrency/retry.ts';
import { isStorageAway, KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { sha256 } from '../../documents/document-store.ts';
import { outOfRequest } from '../../trace.ts';
import type { ReportRow } from '../ingest-source.ts';
import type { Ingestion, RunHistory } from '../run.ts';
import type { IngestRequest } from '../source.ts';
import {
  Job,
  type JobEnd,
  type JobLine,
  type JobReport,
  type JobStore,
  type StartedJob,
  type WaitingJob,
} from './job.ts';

type JobRunnerOptions = Readonly<{
  run: Ingestion['run'];
  store: JobStore;
  clock: () => Date;
  onUnexpected: (error: unknown) => void;
  onWarning: (message: string) => void;
  onEnded?: (status: JobEnd) => void;
}>;

/** `maxRunning`: concurrent jobs in this process; one caller gets at most half. */
type JobsOptions = JobRunnerOptions & Readonly<{ maxRunning: number; maxWaiting: number }>;

type OwnJob = Readonly<{
  job: Job;
  controller: AbortController;
  /** Settles when the run stops; true if the end of the job is saved. */
  work: Promise<boolean>;
}>;

const cancelled = new Error('the job is cancelled');
const interrupted = new Error('the job cannot be saved now, or another process runs it');

/** Fruitless starts after which the source that ran alone fails. */
const maxStartsPerSource = 2;
/** Fruitless starts after which a job fails that never began a source. */
const maxStartsWithoutSource = 5;
const crashed = {
  code: 'crashed' as const,
  message:
    'The server stopped unexpectedly five times before this job read a source. Send its sources in smaller jobs.',
};

/**
 * Runs a claimed job to its end. A run that is interrupted or loses its claim saves a clean stop
 * instead of an end. So a start without a stop or an end is a crash. After a crash, the sources that
 * were in work run one at a time. After two crashes without a finished source between them, the
 * source that ran alone fails and the others continue.
 */
class JobRunner {
  readonly #options;
  readonly #store;
  /** Start id → job id. */
  readonly #unsavedStops = new Map<string, string>();
  /** Settles when all earlier jobs with an unended start are done. */
  #suspects: Promise<unknown> = Promise.resolve();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /** Skips outages of a shared store: its callers report them, and jobs resume when it is back. */
  report(error: unknown) {
    if (!isStorageAway(error)) this.#options.onUnexpected(error);
  }

  startLine(): StartedJob['line'] {
    return { line: 'started', at: this.#now(), start: randomUUID() };
  }

  /** @param begun the start, if it is already saved @returns whether the end is saved */
  async run(job: Job, controller: AbortController, begun?: StartedJob): Promise<boolean> {
    const line = begun?.line ?? this.startLine();
    const { start } = line;
    job.apply(begun?.line);
    let isSaved = false;
    try {
      isSaved = await this.#runToEnd(job, controller, begun ?? { line, isSaved: false });
      return isSaved;
    } finally {
      if (!isSaved && job.hasUnended(start)) {
        this.#unsavedStops.set(start, job.asked.id);
        job.apply({ line: 'stopped', start });
        await this.saveStops();
      }
    }
  }

  /** Saves clean stops. If a shared store is unavailable, the next poll retries. */
  async saveStops() {
    for (const [start, id] of this.#unsavedStops) {
      const isAnswered = await this.#store.append(id, { line: 'stopped', start }).then(
        () => true,
        (error: unknown) => this.report(error),
      );
      if (isAnswered) this.#unsavedStops.delete(start);
    }
  }

  /**
   * Whether the store is shared. Its outage interrupts a job, but neither the source nor the job
   * fails.
   */
  get #isShared() {
    return this.#store.lookEveryMs !== undefined;
  }

  #now() {
    return this.#options.clock().toISOString();
  }

  async #runToEnd(job: Job, controller: AbortController, start: StartedJob) {
    const { signal } = controller;
    const isSuspect = !start.isSaved && job.unended > 0;
    const failed = job.fruitless >= maxStartsPerSource ? job.begun : undefined;
    const hasCrashed =
      failed === undefined && job.fruitless >= maxStartsWithoutSource && !signal.aborted;
    const perform = () => this.#perform(job, controller, start, isSuspect ? { failed } : undefined);
    const status = hasCrashed
      ? 'failed'
      : await (isSuspect ? this.#runSuspect(signal, perform) : perform());
    if (!status) return false;
    const { done, waiting } = job.report().stages;
    const tasks = status === 'cancelled' || hasCrashed ? done : done + waiting;
    if (!job.isEnded)
      job.apply({
        line: 'ended',
        at: this.#now(),
        status,
        tasks,
        ...(hasCrashed && { error: crashed }),
      });
    const isSaved = await this.#store.end(job);
    if (isSaved) this.#options.onEnded?.(status);
    if (isSaved && hasCrashed)
      this.#options.onWarning(`The job ${job.asked.id} has failed. ${crashed.message}`);
    return isSaved;
  }

  /**
   * Runs jobs that a crash interrupted one at a time, so that a second crash counts for only one of
   * them.
   */
  #runSuspect<Result>(signal: AbortSignal, perform: () => Promise<Result>) {
    const before = this.#suspects;
    const turn = withAbort(
      signal,
      () => signal.reason,
      () => before,
    );
    const result = turn.catch(() => undefined).then(perform);
    this.#suspects = Promise.allSettled([before, result]);
    return result;
  }

  async #perform(
    job: Job,
    controller: AbortController,
    start: StartedJob,
    crash: RunHistory['crash'],
  ): Promise<JobEnd | undefined> {
    const { namespace, requests, prune } = job.asked;
    const { signal } = controller;
    const record = (line: JobLine) => this.#record(job, line, controller);
    try {
      signal.throwIfAborted();
      if (!start.isSaved) await record(start.line);
      await this.#options.run({
        namespace,
        requests,
        prune,
        signal,
        token: start.token,
        history: { ...job.history, crash },
        observer: {
          onStage: (task, label, stage) => job.setStage(task, label, stage),
          onAlone: (task) => record({ line: 'begun', task }),
          onWriting: (task, status) => {
            const line = { line: 'writing' as const, task, status };
            return {
              statement: this.#store.toAppend(job.asked.id, line),
              save: () => record(line),
            };
          },
          onDone: async (done, isLast) => {
            if (done.task === crash?.failed && done.row)
              this.#options.onWarning(
                `A source of the job ${job.asked.id} has failed. ${done.row.error?.message}`,
              );
            if (this.#isShared && done.row?.error?.code === 'storage_unavailable')
              return this.#interrupt(controller);
            if (!isLast) return record({ line: 'done', ...done });
            job.apply({ line: 'done', ...done });
            job.lastTask = done.task;
          },
        },
      });
      const { results, failed } = job.report();
      return results.length > 0 && failed === results.length ? 'failed' : 'completed';
    } catch (error) {
      if (signal.reason === cancelled) return 'cancelled';
      if (signal.aborted || (this.#isShared && isStorageAway(error))) return undefined;
      this.#options.onUnexpected(error);
      return 'failed';
    }
  }

  async #record(job: Job, line: JobLine, controller: AbortController) {
    job.apply(line);
    const isOwn = await this.#store.append(job.asked.id, line).catch((error: unknown) => {
      this.report(error);
      return false;
    });
    if (!isOwn) await this.#interrupt(controller);
  }

  async #interrupt(controller: AbortController): Promise<never> {
    controller.abort(interrupted);
    throw interrupted;
  }
}

const shuttingDown = new Error('the process is shutting down');

/**
 * Maximum wait for another server to end a job; longer than a disconnected server keeps its claims.
 */
const maxCancelMs = 60_000;

const ownerOf = (caller: string) => sha256(caller).slice(0, 16);

export class Jobs {
  readonly #options;
  readonly #store;
  readonly #own = new Map<string, OwnJob>();
  readonly #slots;
  readonly #runner;
  /** Serializes claims with the store. */
  readonly #inOrder = new Semaphore(1);
  /** Whether no job was waiting at the last check. If so, the end of a job starts no other job. */
  #isQueueEmpty = false;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#store = options.store;
    this.#runner = new JobRunner(options);
    this.#slots = new FairQueue({ slots: options.maxRunning });
  }

  /**
   * Resumes the jobs of earlier processes. If the store is shared, polls for jobs that other
   * processes abandon.
   */
  async open() {
    await this.#startNext();
    if (this.#store.lookEveryMs === undefined || this.#isClosed) return;
    this.#timer = setInterval(() => {
      this.#polling ??= this.#poll().finally(() => {
        this.#polling = undefined;
      });
    }, this.#store.lookEveryMs).unref();
  }

  /**
   * @param caller key, token subject or address; callers take turns
   * @param id makes the call idempotent: a job with this id is started only once
   * @throws KnowledgeError `rate_limited` while the caller has too many waiting jobs
   */
  async start(
    namespace: string,
    requests: readonly IngestRequest[],
    prune: boolean,
    caller: string,
    id?: string,
  ): Promise<JobReport> {
    const known = id === undefined ? undefined : await this.#store.read(id);
    if (known) return known.job.report();
    const owner = ownerOf(caller);
    const job = new Job({
      id: id ?? randomUUID(),
      namespace,
      prune,
      at: this.#options.clock().toISOString(),
      owner,
      requests: [...requests],
    });
    if (!(await this.#inOrder.run(() => this.#add(job)))) await this.#startNext();
    return (this.#own.get(job.asked.id)?.job ?? job).report();
  }

  /** @returns whether the job runs here now, because no other job waits */
  async #add(job: Job) {
    const { owner } = job.asked;
    const slot = new AbortController();
    const isNext =
      this.#isQueueEmpty && !this.#isClosed && this.#slots.tryAcquire(owner, slot.signal);
    const check = (stored: readonly WaitingJob[]) => {
      const waiting = stored.filter((one) => !this.#own.has(one.id));
      const own = waiting.filter((one) => one.owner === owner).length;
      const full = `Too many jobs are waiting: ${own} of yours, ${waiting.length} of all callers. Retry when some have ended.`;
      if (!isWithinFairShare(own, waiting.length, this.#options.maxWaiting))
        throw new KnowledgeError('rate_limited', full, { retryAfterSeconds: 30 });
    };
    const begun = await this.#store
      .add(job, check, isNext ? this.#runner.startLine() : undefined)
      .catch((error: unknown) => {
        slot.abort();
        throw error;
      });
    if (begun) this.#run(job, new AbortController(), slot, begun);
    else {
      slot.abort();
      this.#isQueueEmpty = false;
    }
    return begun !== undefined;
  }

  async get(id: string) {
    return (await this.#find(id)).job.report();
  }

  async progress(id: string, from: number) {
    const { job, isLive } = await this.#find(id);
    return { rows: job.rows().slice(from), report: job.report(), isLive };
  }

  /**
   * Cancels a job; documents that it has stored are kept. The process that runs the job ends it, or
   * this one if that process is dead. Ended jobs stay unchanged.
   * @throws KnowledgeError `job_not_found`; `busy` if another server does not end it in time
   */
  cancel(id: string): Promise<JobReport> {
    const stillRuns = new KnowledgeError(
      'busy',
      'Another server has not ended this job yet. Retry in a moment.',
      { retryAfterSeconds: 5 },
    );
    const { lookEveryMs: firstPauseMs = 1 } = this.#store;
    const isRetryable = (error: unknown) => error === stillRuns;
    return retry(
      async () => {
        const entry =
          this.#own.get(id) ??
          (await this.#inOrder.run(async () => this.#own.get(id) ?? this.#claim(id, 'cancel')));
        entry?.controller.abort(cancelled);
        if (entry && (await entry.work)) return entry.job.report();
        const { job, isLive } = await this.#find(id);
        if (isLive) throw stillRuns;
        return job.report();
      },
      { firstPauseMs, maxPauseMs: firstPauseMs, totalMs: maxCancelMs, isRetryable },
    );
  }

  /**
   * Waiting jobs of all processes, and running jobs of this one. @throws if the store is
   * unavailable
   */
  async count() {
    const waiting = (await this.#store.waiting()).filter(({ id }) => !this.#own.has(id)).length;
    return { waiting, running: this.#own.size };
  }

  /**
   * Newest first. A report lists only failed sources that no newer job has read.
   * @param of lists the rows of this document instead, failed reads of its source included
   */
  async list(
    namespace: string,
    of?: { readonly id: string; readonly source: string },
  ): Promise<JobReport[]> {
    const reports: JobReport[] = [];
    const read = new Set<string>();
    for (const id of await this.#store.newest(namespace)) {
      const report = (this.#own.get(id)?.job ?? (await this.#store.read(id))?.job)?.report();
      if (!report) continue;
      const isListed = ({ source, status, document }: ReportRow) =>
        of
          ? document?.id === of.id || (!document && source === of.source)
          : status === 'failed' && !read.has(source);
      reports.push({ ...report, results: report.results.filter(isListed) });
      for (const { source } of report.results) read.add(source);
    }
    return reports;
  }

  isBusy(namespace: string, caller: string) {
    return this.#store.isBusy(namespace, ownerOf(caller));
  }

  /** Cancels and deletes the jobs of a namespace. @returns whether any had not ended */
  async forgetNamespace(namespace: string): Promise<boolean> {
    const wereLive = await this.#store.forgetNamespace(namespace);
    const own = await this.#inOrder.run(async () => this.#ownOf(namespace));
    for (const { controller } of own) controller.abort(cancelled);
    await Promise.allSettled(own.map(({ work }) => work));
    return wereLive;
  }

  async forgetDocument(namespace: string, documentId: string) {
    await this.#store.forgetDocument(namespace, documentId);
    for (const { job } of this.#ownOf(namespace)) job.forget(documentId);
  }

  /** Stops the jobs. They resume at the next `open`, or in another process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const stop = () => {
      for (const { controller } of this.#own.values()) controller.abort(shuttingDown);
      return [...this.#own.values()].map(({ work }) => work);
    };
    stop();
    await Promise.allSettled(await this.#inOrder.run(async () => stop()));
    await this.#polling;
    await this.#inOrder.run(() => this.#store.hold([])).catch(() => undefined);
  }

  async #find(id: string) {
    const own = this.#own.get(id);
    const found = own ? { job: own.job, isLive: true } : await this.#store.read(id);
    if (!found) {
      const hint =
        'Use an id from ingestSources or refreshNamespace with "wait": false. Old jobs are deleted.';
      throw new KnowledgeError('job_not_found', `Job not found. ${hint}`);
    }
    return found;
  }

  #ownOf(namespace: string) {
    return [...this.#own.values()].filter(({ job }) => job.asked.namespace === namespace);
  }

  /**
   * Renews the claims of this process, applies requests of other processes, and starts more jobs.
   */
  async #poll() {
    try {
      await this.#inOrder.run(() => this.#hold());
      await this.#runner.saveStops();
    } catch (error) {
      this.#runner.report(error);
      for (const { controller } of this.#own.values()) controller.abort(interrupted);
    }
    await this.#startNext();
  }

  async #hold() {
    const own = [...this.#own];
    const states = new Map(
      (await this.#store.hold(own.map(([id]) => id))).map((one) => [one.id, one]),
    );
    for (const [id, { job, controller }] of own) {
      const state = states.get(id);
      if (!state || state.isCancelled) controller.abort(state ? cancelled : interrupted);
      for (const documentId of state?.forgotten ?? []) job.forget(documentId);
    }
  }

  #next(waiting: readonly WaitingJob[], slot: AbortSignal) {
    return waiting
      .filter(({ id }) => !this.#own.has(id))
      .sort((a, b) => this.#slots.held(a.owner) - this.#slots.held(b.owner))
      .find(({ owner }) => this.#slots.tryAcquire(owner, slot));
  }

  #startNext() {
    const startNext = async () => {
      this.#isQueueEmpty = false;
      while (!this.#isClosed && this.#slots.load().running < this.#options.maxRunning) {
        const waiting = await this.#store.waiting();
        const slot = new AbortController();
        const next = this.#isClosed ? undefined : this.#next(waiting, slot.signal);
        if (next) await this.#claim(next.id, 'run', slot);
        this.#isQueueEmpty = waiting.every(({ id }) => id === next?.id || this.#own.has(id));
        if (!next || this.#isQueueEmpty) return;
      }
    };
    return this.#inOrder.run(startNext).catch((error: unknown) => this.#runner.report(error));
  }

  async #claim(id: string, purpose: 'run' | 'cancel', slot = new AbortController()) {
    const claim = this.#store.claim(id, purpose);
    const release = () => slot.abort();
    void claim.then((found) => found ?? release(), release);
    const claimed = await claim;
    if (!claimed) return undefined;
    const { job } = claimed;
    const controller = new AbortController();
    if (claimed.isCancelled) controller.abort(cancelled);
    return this.#run(job, controller, slot);
  }

  #run(job: Job, controller: AbortController, slot: AbortController, begun?: StartedJob) {
    const { id } = job.asked;
    const work = outOfRequest(() => this.#runner.run(job, controller, begun)).finally(() => {
      this.#own.delete(id);
      slot.abort();
      job.markIdle();
      // An interrupted job is resumed by the next poll, when the store may be available again.
      if (job.isEnded && !this.#isQueueEmpty) void this.#startNext();
    });
    work.catch((error: unknown) => this.#runner.report(error));
    const entry: OwnJob = { job, controller, work };
    this.#own.set(id, entry);
    return entry;
  }
}
