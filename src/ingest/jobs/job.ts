/**
 * One job as it is after each of its lines; the same lines, read again, give the same job. Which lines of a file can be believed is decided
 * here: the folder is open to whoever has the machine.
 */
import { z } from 'zod';
import { fairShare } from '../../concurrency/fair-share.ts';
import type { WriteMark } from '../../documents/document-writes.ts';
import { isNamespaceName } from '../../documents/namespace-name.ts';
import { countReportRows, type IngestStage, type ReportRow, reportRow, rowCounts, writingStatus } from '../ingest-source.ts';
import { type RunHistory, taskDone } from '../run.ts';
import { ingestRequest } from '../source.ts';

const count = z.int().min(0);
const time = z.string().refine((value) => !Number.isNaN(Date.parse(value)));
const jobEnd = z.enum(['completed', 'failed', 'cancelled']);
export type JobEnd = z.infer<typeof jobEnd>;

const asked = z.object({
  line: z.literal('asked'),
  id: z.string(),
  namespace: z.string().refine(isNamespaceName),
  prune: z.boolean(),
  at: time,
  /** Hash of who asked. */
  owner: z.string().default(''),
  requests: z.array(ingestRequest),
});
/** `start` names one start. Lines of earlier versions have no name and do not count as unended. */
const started = z.object({ line: z.literal('started'), at: time, start: z.string().optional() });
/** The process ended this start in order, but not the job. */
const stopped = z.object({ line: z.literal('stopped'), start: z.string() });
const jobError = z.object({ code: z.literal('crashed'), message: z.string() });
export type JobError = z.infer<typeof jobError>;
const ended = z.object({ line: z.literal('ended'), at: time, status: jobEnd, tasks: count, error: jobError.optional() });
const jobLine = z.discriminatedUnion('line', [
  asked,
  started,
  stopped,
  z.object({ line: z.literal('writing'), task: count, status: writingStatus }),
  taskDone.extend({ line: z.literal('done') }),
  ended,
]);
export type JobLine = z.infer<typeof jobLine>;
type Done = Extract<JobLine, { line: 'done' }>;

const shownTime = z.string().describe('ISO 8601');
const tasks = z.int();

export const jobReport = z.object({
  id: z.string(),
  namespace: z.string(),
  status: z.enum(['queued', 'running', ...jobEnd.options]).describe('failed: every source failed, or `error` has the reason'),
  createdAt: shownTime,
  startedAt: shownTime.nullable(),
  finishedAt: shownTime.nullable(),
  stages: z
    .object({ waiting: tasks, loading: tasks, parsing: tasks, storing: tasks, indexing: tasks, done: tasks })
    .describe('sources by stage; what a site or a folder holds is counted as it is found'),
  current: z.string().nullable().describe('the source that was taken up last'),
  error: jobError.optional().describe('why the whole job failed; crashed: the server stopped unexpectedly twice while the job was running'),
  ...rowCounts,
  results: z.array(reportRow).describe('of every finished source'),
});
export type JobReport = z.infer<typeof jobReport>;

export class Job {
  #asked: z.infer<typeof asked>;
  #startedAt: string | undefined;
  readonly #unended = new Map<string, z.infer<typeof started>>();
  /** The task that ended the run: its row is saved with the end of the job. */
  last: number | undefined;
  #isRunning = false;
  #ended: z.infer<typeof ended> | undefined;
  /** What the run needs to be taken up again; once the job has ended its rows alone. */
  #done: Done[] = [];
  readonly #writing = new Map<number, Extract<JobLine, { line: 'writing' }>>();
  readonly #active = new Map<number, { readonly label: string; readonly stage: IngestStage }>();

  constructor(first: Omit<z.infer<typeof asked>, 'line'>) {
    this.#asked = { line: 'asked', ...first };
  }

  /** Undefined where the lines do not begin as those of this job; lines that cannot be read are left out. Nothing of it is at work. */
  static fromLines(id: string, [first, ...others]: readonly unknown[]): Job | undefined {
    const { data } = asked.safeParse(first);
    if (data?.id !== id) return undefined;
    const job = new Job(data);
    job.read(others);
    return job;
  }

  /** Applies the lines that come next; those that cannot be read are left out. @param isHeld whether somebody is at work on it */
  read(lines: readonly unknown[], isHeld = false): void {
    for (const line of lines) this.apply(jobLine.safeParse(line).data);
    this.rest();
    this.#isRunning = isHeld && this.#startedAt !== undefined;
  }

  get asked(): Readonly<z.infer<typeof asked>> {
    return this.#asked;
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Number of starts that a process ended neither in order nor with the job. */
  get unended(): number {
    return this.#unended.size;
  }

  hasUnended(start: string): boolean {
    return this.#unended.has(start);
  }

  get history(): RunHistory {
    return { done: this.#done, writing: new Map(this.#writing.values().map(({ task, status }) => [task, status])) };
  }

  apply(line: JobLine | undefined): void {
    if (line?.line === 'started') {
      this.#isRunning = true;
      this.#startedAt ??= line.at;
      if (line.start !== undefined) this.#unended.set(line.start, line);
    } else if (line?.line === 'stopped') this.#unended.delete(line.start);
    else if (line?.line === 'writing') this.#writing.set(line.task, line);
    else if (line?.line === 'done') {
      this.#active.delete(line.task);
      this.#done.push(line);
    } else if (line?.line === 'ended') {
      this.#ended = line;
      this.rest();
      this.#asked.requests = [];
      this.#done = this.#done.flatMap(({ task, row }) => (row ? [{ line: 'done', task, row }] : []));
      this.#writing.clear();
    }
  }

  enter(task: number, label: string, stage: IngestStage): void {
    this.#active.delete(task);
    this.#active.set(task, { label, stage });
  }

  rest(): void {
    this.#active.clear();
    this.#isRunning = false;
  }

  lines(): JobLine[] {
    const first: JobLine[] = this.#startedAt === undefined ? [] : [{ line: 'started', at: this.#startedAt }];
    const unended = this.#ended ? [] : this.#unended.values();
    return [this.#asked, ...first, ...unended, ...this.#writing.values(), ...this.#done, this.#ended ?? []].flat();
  }

  /** Takes a document out of every row, and the text that it was made of out of what was asked. @returns whether there was any */
  forget(documentId: string): boolean {
    const own = new Set(this.#done.filter(({ row }) => row?.document?.id === documentId).map(({ task }) => task));
    this.#done = this.#done.map((done) => {
      if (!done.row || !own.has(done.task)) return done;
      const { kind, status } = done.row;
      return { ...done, row: { source: '(deleted)', kind, status } };
    });
    this.#asked.requests = this.#asked.requests.map((request, task) =>
      request.type === 'source' && own.has(task) ? { type: 'source', source: { kind: 'text', text: '', label: '(deleted)' } } : request,
    );
    return own.size > 0;
  }

  rows(): ReportRow[] {
    return this.#done.flatMap(({ row }) => row ?? []);
  }

  report(): JobReport {
    const { id, namespace, at: createdAt, requests } = this.#asked;
    const found = this.#done.reduce((sum, done) => sum + (done.found?.length ?? 0), 0);
    const done = this.#ended?.tasks ?? this.#done.length;
    const unfinished = (this.#ended?.tasks ?? requests.length + found) - done;
    const stages = { waiting: Math.max(0, unfinished - this.#active.size), loading: 0, parsing: 0, storing: 0, indexing: 0, done };
    for (const { stage } of this.#active.values()) stages[stage]++;
    const results = this.#done.toSorted((a, b) => a.task - b.task).flatMap(({ row }) => row ?? []);
    return {
      id,
      namespace,
      status: this.#ended?.status ?? (this.#isRunning ? 'running' : 'queued'),
      createdAt,
      startedAt: this.#startedAt ?? null,
      finishedAt: this.#ended?.at ?? null,
      stages,
      current: [...this.#active.values()].at(-1)?.label ?? null,
      ...(this.#ended?.error && { error: this.#ended.error }),
      ...countReportRows(results),
      results,
    };
  }
}

// Where jobs are written down, and who runs them: one process alone, or any of several that share a store. What happens to a job is
// written by whoever has claimed it; who has lost the claim cannot write any more.

export type WaitingJob = Readonly<{ id: string; owner: string }>;

export interface HeldJob {
  readonly id: string;
  /** Somebody wants it ended. */
  readonly isCancelled: boolean;
  readonly forgotten: readonly string[];
}

export type StartLine = Extract<JobLine, { line: 'started' }> & { start: string };
/** @property token of the namespace, if it is known */
export type StartedJob = Readonly<{ line: StartLine; isSaved: boolean; token?: number | undefined }>;

export type StoredJob = Readonly<{ job: Job; isLive: boolean }>;

export interface JobStore {
  /** How often to look for jobs that other processes took in, or left; undefined where there are no others. Milliseconds. */
  readonly lookEveryMs: number | undefined;
  /**
   * Resolves when it is saved.
   * @param check given the jobs that wait; what it throws refuses the job
   * @param start starts the job in this process if no other job waits
   * @returns the start if this process runs the job now
   */
  add(job: Job, check: (waiting: readonly WaitingJob[]) => void, start?: StartLine): Promise<StartedJob | undefined>;
  /** In the order of their turns. Where there are no other processes, also those at work. */
  waiting(): Promise<readonly WaitingJob[]>;
  /**
   * Gives a live job that no other process runs, as it is after its last line, to be run or ended by this one; undefined where there is
   * none. Run, the other jobs of its owner go to the end; to be cancelled, whoever runs it is told so.
   */
  claim(id: string, why: 'run' | 'cancel'): Promise<{ readonly job: Job; readonly isCancelled: boolean } | undefined>;
  hold(ids: readonly string[]): Promise<readonly HeldJob[]>;
  /** Saves `stopped` without the claim too. @param line applied to the job already @returns false where this process does not have the job any more */
  append(id: string, line: JobLine): Promise<boolean>;
  /** The same as a statement for another transaction. Fails with `division_by_zero` if this process no longer has the job. */
  toAppend(id: string, line: JobLine): WriteMark['statement'];
  /** Saves the end, and deletes the oldest jobs. @param job with its end @returns as `append` */
  end(job: Job): Promise<boolean>;
  read(id: string): Promise<StoredJob | undefined>;
  isBusy(namespace: string, owner: string): Promise<boolean>;
  /** Removes the jobs of a namespace; who runs them has them no more. @returns whether any had not ended */
  forgetNamespace(namespace: string): Promise<boolean>;
  forgetDocument(namespace: string, documentId: string): Promise<void>;
}

const jobId = /^[0-9a-f-]{36}$/;
export const isJobId = (id: string): boolean => jobId.test(id);

/** Reports of older jobs are forgotten, first of those who have most. */
export const maxEndedJobs = 200;

export function overdueJobs<Ended>(ended: readonly Ended[], ownerOf: (job: Ended) => string): Ended[] {
  const kept = new Set(fairShare(ended, maxEndedJobs, ownerOf));
  return ended.filter((job) => !kept.has(job));
}
