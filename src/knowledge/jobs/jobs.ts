/**
 * Long ingests: started with a word, followed by their id, ended by themselves. Each is written down line by line, so that a job
 * whose process was killed goes on where it was when the next one starts.
 */
import { randomUUID } from 'node:crypto';
import { KnowledgeError } from '../../errors.ts';
import type { Run } from '../ingest-run.ts';
import { type ReportRow, toReportRow } from '../report.ts';
import type { IngestRequest } from '../requests.ts';
import { Job, type JobReport } from './job.ts';

import type { JobJournal } from './job-journal.ts';
import type { JobLine } from './job-line.ts';

export interface JobEvent {
  /** `result`: a row was added; `end`: the last event of a job; `progress`: anything else has changed. */
  readonly type: 'progress' | 'result' | 'end';
  readonly row?: ReportRow;
  /** Without rows. */
  readonly job: JobReport;
}

export interface Jobs {
  /** Takes up the jobs that an earlier process left. */
  open(): Promise<void>;
  /** @throws KnowledgeError `rate_limited` while too many are waiting */
  start(namespace: string, requests: readonly IngestRequest[], prune: boolean): Promise<JobReport>;
  /** @throws KnowledgeError `job_not_found` */
  get(id: string): Promise<JobReport>;
  /** Ends a job; what is stored stays. One that has ended stays as it is. @throws KnowledgeError `job_not_found` */
  cancel(id: string): Promise<JobReport>;
  /** The job as it is, and from then on every event of it. Undefined where it has ended or is not known. */
  follow(id: string, listener: (event: JobEvent) => void): { readonly job: JobReport; stop(): void } | undefined;
  /** Ends the jobs of a namespace and forgets them. @returns whether any was at work */
  forgetNamespace(namespace: string): Promise<boolean>;
  /** Whether a job has not ended. */
  isLive(id: string): boolean;
  /** Takes a document's name out of every job. */
  forgetDocument(namespace: string, documentId: string): Promise<void>;
  /** Stops the work; it goes on with the next `open`. */
  close(): Promise<void>;
}

export interface JobsOptions {
  readonly run: Run;
  readonly journal: JobJournal;
  readonly clock: () => Date;
  readonly onUnexpected: (error: unknown) => void;
}

const maxRunning = 2;
const maxWaiting = 100;
/** Reports of older jobs are forgotten. */
const maxEnded = 200;

interface LiveJob {
  readonly job: Job;
  readonly controller: AbortController;
  readonly listeners: Set<(event: JobEvent) => void>;
  isRunning: boolean;
}

class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

export function createJobs({ run, journal, clock, onUnexpected }: JobsOptions): Jobs {
  /** Jobs that have not ended, oldest first. */
  const live = new Map<string, LiveJob>();
  const work = new Set<Promise<void>>();
  let isClosed = false;

  const now = () => clock().toISOString();
  const notFound = () => new KnowledgeError('job_not_found', 'There is no such job; jobs that ended long ago are forgotten.');

  function emit({ job, listeners }: LiveJob, type: JobEvent['type'], row?: ReportRow): void {
    if (listeners.size === 0) return;
    const event: JobEvent = { type, job: job.report(false), ...(row ? { row } : {}) };
    for (const listener of listeners) listener(event);
  }

  /** A job that cannot be written down goes on; it would only not survive the process. */
  const written = (work: Promise<void>) => work.catch(onUnexpected);

  async function tell(entry: LiveJob, line: JobLine): Promise<void> {
    entry.job.tell(line);
    if (line.line === 'done' && line.row) emit(entry, 'result', line.row);
    await written(journal.append(entry.job.id, line));
  }

  function add(job: Job): LiveJob {
    const entry: LiveJob = { job, controller: new AbortController(), listeners: new Set(), isRunning: false };
    live.set(job.id, entry);
    return entry;
  }

  async function end(entry: LiveJob, status: 'completed' | 'failed' | 'cancelled'): Promise<void> {
    const { job } = entry;
    const { stages } = job.report(false);
    job.tell({ line: 'ended', at: now(), status, tasks: status === 'cancelled' ? stages.done : stages.done + stages.waiting });
    await written(journal.replace(job.id, job.lines()));
    live.delete(job.id);
    emit(entry, 'end');
    await written(forgetOldest());
  }

  async function perform(entry: LiveJob): Promise<void> {
    const { job, controller } = entry;
    try {
      await tell(entry, { line: 'started', at: now() });
      await run({
        namespace: job.namespace,
        requests: job.requests,
        prune: job.prune,
        signal: controller.signal,
        history: job.history,
        observer: {
          onStage(task, label, stage) {
            job.enter(task, label, stage);
            emit(entry, 'progress');
          },
          onWriting: (task, status) => tell(entry, { line: 'writing', task, status }),
          onDone: ({ task, row, found, placed }) => tell(entry, { line: 'done', task, row: row && toReportRow(row), found, placed }),
        },
      });
      const report = job.report();
      await end(entry, report.results.length > 0 && report.failed === report.results.length ? 'failed' : 'completed');
    } catch (error) {
      if (controller.signal.reason instanceof Cancelled) await end(entry, 'cancelled');
      else if (controller.signal.aborted) job.rest();
      else {
        onUnexpected(error);
        await end(entry, 'failed');
      }
    }
  }

  function startNext(): void {
    const running = [...live.values()].filter((entry) => entry.isRunning).length;
    const waiting = [...live.values()].filter((entry) => !entry.isRunning && !entry.controller.signal.aborted);
    for (const entry of isClosed ? [] : waiting.slice(0, Math.max(0, maxRunning - running))) {
      entry.isRunning = true;
      const performed = perform(entry).finally(() => {
        work.delete(performed);
        startNext();
      });
      work.add(performed);
    }
  }

  /** Ids of jobs that have ended, with what they say. */
  async function* endedJobs(): AsyncGenerator<Job> {
    for (const id of await journal.list()) {
      if (live.has(id)) continue;
      const job = Job.fromLines(id, await journal.read(id));
      if (job) yield job;
    }
  }

  async function forgetOldest(): Promise<void> {
    const ids = await journal.list();
    if (ids.length - live.size <= maxEnded) return;
    const ended: [id: string, at: string][] = [];
    for await (const job of endedJobs()) ended.push([job.id, job.report(false).createdAt]);
    ended.sort(([, a], [, b]) => (a < b ? 1 : -1));
    for (const [id] of ended.slice(maxEnded)) await journal.remove(id);
  }

  async function cancelled(entry: LiveJob): Promise<void> {
    entry.controller.abort(new Cancelled());
    if (!entry.isRunning) await end(entry, 'cancelled');
    else await new Promise<void>((resolve) => entry.listeners.add((event) => event.type === 'end' && resolve()));
  }

  return {
    async open() {
      for (const id of await journal.list()) {
        const job = Job.fromLines(id, await journal.read(id));
        if (!job) await written(journal.remove(id));
        else if (!job.isEnded && !live.has(id)) {
          job.rest();
          add(job);
        }
      }
      startNext();
    },

    async start(namespace, requests, prune) {
      if (live.size >= maxWaiting + maxRunning)
        throw new KnowledgeError('rate_limited', `${maxWaiting} jobs are waiting already; try again when some have ended.`, {
          retryAfterSeconds: 30,
        });
      const asked = { line: 'asked', id: randomUUID(), namespace, prune, at: now(), requests } as const;
      const entry = add(new Job(asked));
      try {
        await journal.append(asked.id, asked);
      } catch (error) {
        live.delete(asked.id);
        throw error;
      }
      startNext();
      return entry.job.report();
    },

    async get(id) {
      const entry = live.get(id);
      if (entry) return entry.job.report();
      const job = Job.fromLines(id, await journal.read(id));
      if (!job) throw notFound();
      // Left by an earlier process, and not taken up yet.
      if (!job.isEnded) job.rest();
      return job.report();
    },

    async cancel(id) {
      const entry = live.get(id);
      if (entry) await cancelled(entry);
      return entry ? entry.job.report() : this.get(id);
    },

    follow(id, listener) {
      const entry = live.get(id);
      if (!entry) return undefined;
      entry.listeners.add(listener);
      return { job: entry.job.report(), stop: () => void entry.listeners.delete(listener) };
    },

    async forgetNamespace(namespace) {
      const own = [...live.values()].filter(({ job }) => job.namespace === namespace);
      for (const entry of own) await cancelled(entry);
      for await (const job of endedJobs()) if (job.namespace === namespace) await written(journal.remove(job.id));
      return own.length > 0;
    },

    isLive: (id) => live.has(id),

    async forgetDocument(namespace, documentId) {
      for (const { job } of live.values())
        if (job.namespace === namespace && job.forget(documentId)) await written(journal.replace(job.id, job.lines()));
      for await (const job of endedJobs())
        if (job.namespace === namespace && job.forget(documentId)) await written(journal.replace(job.id, job.lines()));
    },

    async close() {
      isClosed = true;
      for (const { controller } of live.values()) controller.abort(new Error('the process ends'));
      await Promise.all(work);
    },
  };
}
