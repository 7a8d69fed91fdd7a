/**
 * Runs a claimed job to its end. A run that is interrupted or loses its claim saves a clean stop
 * instead of an end. So a start without a stop or an end is a crash. After a crash, the sources that
 * were in work run one at a time. After two crashes without a finished source between them, the
 * source that ran alone fails and the others continue.
 */
import { randomUUID } from 'node:crypto';
import { withAbort } from '../../../packages/shared/src/concurrency/deadline.ts';
import { isStorageAway } from '../../../packages/shared/src/errors.ts';
import type { Ingestion, RunHistory } from '../run.ts';
import type { Job, JobEnd, JobError, JobLine, JobStore, StartedJob, StartLine } from './job.ts';

export interface JobRunnerOptions {
  readonly run: Ingestion['run'];
  readonly store: JobStore;
  readonly clock: () => Date;
  readonly onUnexpected: (error: unknown) => void;
  readonly onWarning: (message: string) => void;
  readonly onEnded?: (status: JobEnd) => void;
}

export const cancelled = new Error('the job is cancelled');
export const interrupted = new Error('the job cannot be saved now, or another process runs it');

/** Fruitless starts after which the source that ran alone fails. */
const maxStartsPerSource = 2;
/** Fruitless starts after which a job fails that never began a source. */
const maxStartsWithoutSource = 5;
const crashed: JobError = {
  code: 'crashed',
  message:
    'The server stopped unexpectedly five times before this job read a source. Send its sources in smaller jobs.',
};

export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #store: JobStore;
  /** Start id → job id. */
  readonly #unsavedStops = new Map<string, string>();
  /** Settles when all earlier jobs with an unended start are done. */
  #suspects: Promise<unknown> = Promise.resolve();

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /** Skips outages of a shared store: its callers report them, and jobs resume when it is back. */
  report(error: unknown): void {
    if (!isStorageAway(error)) this.#options.onUnexpected(error);
  }

  startLine(): StartLine {
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
  async saveStops(): Promise<void> {
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
  get #isShared(): boolean {
    return this.#store.lookEveryMs !== undefined;
  }

  #now(): string {
    return this.#options.clock().toISOString();
  }

  async #runToEnd(job: Job, controller: AbortController, start: StartedJob): Promise<boolean> {
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
  #runSuspect<Result>(signal: AbortSignal, perform: () => Promise<Result>): Promise<Result> {
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

  async #record(job: Job, line: JobLine, controller: AbortController): Promise<void> {
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
