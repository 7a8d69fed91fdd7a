/**
 * Job state as a fold over its log lines: replaying the lines gives the same job. Lines are
 * validated, because the files are editable on disk. Also the port to the store that saves and
 * claims jobs.
 */
import { z } from 'zod';
import type { WriteMark } from '../../documents/document-writes.ts';
import { isNamespaceName } from '../../documents/namespace-name.ts';
import {
  countReportRows,
  type IngestStage,
  type ReportRow,
  reportRow,
  rowCounts,
  writingStatus,
} from '../ingest-source.ts';
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
  /** Hash of the caller. */
  owner: z.string().default(''),
  requests: z.array(ingestRequest),
});
/**
 * `start` is the id of this start. A line without one gives the time of the first start and does
 * not count as unended.
 */
const started = z.object({ line: z.literal('started'), at: time, start: z.string().optional() });
/** A clean stop: the process ended this start, but not the job. */
const stopped = z.object({ line: z.literal('stopped'), start: z.string() });
const jobError = z.object({ code: z.literal('crashed'), message: z.string() });
const ended = z.object({
  line: z.literal('ended'),
  at: time,
  status: jobEnd,
  tasks: count,
  error: jobError.optional(),
});
const jobLine = z.discriminatedUnion('line', [
  asked,
  started,
  stopped,
  /** A source that runs alone after a crash. */
  z.object({ line: z.literal('begun'), task: count }),
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
  status: z
    .enum(['queued', 'running', ...jobEnd.options])
    .describe('failed: every source failed, or `error` has the reason'),
  createdAt: shownTime,
  startedAt: shownTime.nullable(),
  finishedAt: shownTime.nullable(),
  stages: z
    .object({
      waiting: tasks,
      loading: tasks,
      parsing: tasks,
      storing: tasks,
      indexing: tasks,
      done: tasks,
    })
    .describe(
      'number of sources by stage; pages of a site and files of a folder are added when they are found',
    ),
  current: z.string().nullable().describe('the source that was started last'),
  error: jobError
    .optional()
    .describe(
      'why the whole job failed; crashed: the server stopped unexpectedly five times before it read a source',
    ),
  ...rowCounts,
  results: z.array(reportRow).describe('one row per finished source'),
});
export type JobReport = z.infer<typeof jobReport>;

export class Job {
  #asked: z.infer<typeof asked>;
  #startedAt: string | undefined;
  readonly #unended = new Map<string, z.infer<typeof started>>();
  /** Ids of unended starts since the last finished task. */
  readonly #fruitless = new Set<string>();
  /** The unfinished task that ran alone last, after a crash. */
  begun: number | undefined;
  /** The last task of the run: its row is saved with the end of the job. */
  lastTask: number | undefined;
  #isRunning = false;
  #ended: z.infer<typeof ended> | undefined;
  /** Finished tasks, needed to resume the run. After the end only their rows remain. */
  #done: Done[] = [];
  readonly #writing = new Map<number, Extract<JobLine, { line: 'writing' }>>();
  readonly #active = new Map<number, { readonly label: string; readonly stage: IngestStage }>();

  constructor(first: Omit<z.infer<typeof asked>, 'line'>) {
    this.#asked = { line: 'asked', ...first };
  }

  /** Undefined if the first line is not that of this job. Skips invalid lines. */
  static fromLines(id: string, [first, ...others]: readonly unknown[]): Job | undefined {
    const { data } = asked.safeParse(first);
    if (data?.id !== id) return undefined;
    const job = new Job(data);
    job.read(others);
    return job;
  }

  /** Applies the next lines; skips invalid ones. @param isClaimed whether a process runs the job */
  read(lines: readonly unknown[], isClaimed = false) {
    for (const line of lines) this.apply(jobLine.safeParse(line).data);
    this.markIdle();
    this.#isRunning = isClaimed && this.#startedAt !== undefined;
  }

  get asked(): Readonly<z.infer<typeof asked>> {
    return this.#asked;
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Number of starts without a clean stop or an end: crashes, or the current run. */
  get unended(): number {
    return this.#unended.size;
  }

  hasUnended(start: string): boolean {
    return this.#unended.has(start);
  }

  /** Number of unended starts since the last finished task. */
  get fruitless(): number {
    return this.#fruitless.size;
  }

  get history(): RunHistory {
    return {
      done: this.#done,
      writing: new Map(this.#writing.values().map(({ task, status }) => [task, status])),
    };
  }

  apply(line: JobLine | undefined) {
    if (line?.line === 'started') {
      this.#isRunning = true;
      this.#startedAt ??= line.at;
      if (line.start !== undefined) {
        this.#unended.set(line.start, line);
        this.#fruitless.add(line.start);
      }
    } else if (line?.line === 'stopped') {
      this.#unended.delete(line.start);
      this.#fruitless.delete(line.start);
    } else if (line?.line === 'begun') this.begun = line.task;
    else if (line?.line === 'writing') this.#writing.set(line.task, line);
    else if (line?.line === 'done') {
      this.#active.delete(line.task);
      this.#done.push(line);
      this.#fruitless.clear();
      if (line.task === this.begun) this.begun = undefined;
    } else if (line?.line === 'ended') {
      this.#ended = line;
      this.markIdle();
      this.#asked.requests = [];
      this.#done = this.#done.flatMap(({ task, row }) =>
        row ? [{ line: 'done', task, row }] : [],
      );
      this.#writing.clear();
    }
  }

  setStage(task: number, label: string, stage: IngestStage) {
    this.#active.delete(task);
    this.#active.set(task, { label, stage });
  }

  markIdle() {
    this.#active.clear();
    this.#isRunning = false;
  }

  lines(): JobLine[] {
    const first: JobLine[] =
      this.#startedAt === undefined ? [] : [{ line: 'started', at: this.#startedAt }];
    const unended = this.#ended ? [] : [...this.#unended];
    const starts = (isFruitless: boolean) =>
      unended.filter(([id]) => this.#fruitless.has(id) === isFruitless).map(([, line]) => line);
    const begun = this.#ended ? undefined : this.begun;
    return [
      this.#asked,
      ...first,
      ...starts(false),
      ...this.#writing.values(),
      ...this.#done,
      ...starts(true),
      begun === undefined ? [] : ({ line: 'begun', task: begun } as const),
      this.#ended ?? [],
    ].flat();
  }

  /**
   * Removes a document from the rows, and its text from the requests. @returns whether the job had
   * it
   */
  forget(documentId: string): boolean {
    const own = new Set(
      this.#done.filter(({ row }) => row?.document?.id === documentId).map(({ task }) => task),
    );
    this.#done = this.#done.map((done) => {
      if (!done.row || !own.has(done.task)) return done;
      const { kind, status } = done.row;
      return { ...done, row: { source: '(deleted)', kind, status } };
    });
    this.#asked.requests = this.#asked.requests.map((request, task) =>
      request.type === 'source' && own.has(task)
        ? { type: 'source', source: { kind: 'text', text: '', label: '(deleted)' } }
        : request,
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
    const stages = {
      waiting: Math.max(0, unfinished - this.#active.size),
      loading: 0,
      parsing: 0,
      storing: 0,
      indexing: 0,
      done,
    };
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

// A store is used by one process or shared by several. Only the process that holds the claim on a
// job can write to it.

export type WaitingJob = Readonly<{ id: string; owner: string }>;

type StartLine = Extract<JobLine, { line: 'started' }> & { start: string };
/** @property token fencing token of the namespace, if known */
export type StartedJob = Readonly<{
  line: StartLine;
  isSaved: boolean;
  token?: number | undefined;
}>;

export interface JobStore {
  /**
   * Poll interval for jobs that other processes added or abandoned, in ms; undefined if the store
   * is not shared.
   */
  readonly lookEveryMs: number | undefined;
  /**
   * Resolves when the job is saved.
   * @param check receives the waiting jobs; rejects the job by throwing
   * @param start starts the job in this process if no other job waits
   * @returns the start if this process runs the job now
   */
  add(
    job: Job,
    check: (waiting: readonly WaitingJob[]) => void,
    start?: StartLine,
  ): Promise<StartedJob | undefined>;
  /**
   * Waiting jobs in the order in which they will run. A store that is not shared includes running
   * jobs.
   */
  waiting(): Promise<readonly WaitingJob[]>;
  /**
   * Claims a live job for this process; undefined if another process runs it. `run` moves the
   * owner's other jobs to the end of the queue. `cancel` asks the process that runs the job to
   * cancel it.
   */
  claim(
    id: string,
    why: 'run' | 'cancel',
  ): Promise<{ readonly job: Job; readonly isCancelled: boolean } | undefined>;
  /** Renews the claims on the jobs of this process. @returns those that it still holds */
  hold(
    ids: readonly string[],
  ): Promise<
    readonly Readonly<{ id: string; isCancelled: boolean; forgotten: readonly string[] }>[]
  >;
  /**
   * Saves a line that is already applied. `stopped` needs no claim. @returns false if this process
   * lost the claim
   */
  append(id: string, line: JobLine): Promise<boolean>;
  /**
   * `append` as a statement for another transaction. Fails with `division_by_zero` if this process
   * lost the claim.
   */
  toAppend(id: string, line: JobLine): WriteMark['statement'];
  /** Saves an ended job, and deletes the oldest jobs. @returns as `append` */
  end(job: Job): Promise<boolean>;
  read(id: string): Promise<Readonly<{ job: Job; isLive: boolean }> | undefined>;
  /** Ids of the newest 20 jobs of a namespace, newest first. */
  newest(namespace: string): Promise<readonly string[]>;
  isBusy(namespace: string, owner: string): Promise<boolean>;
  /** Removes the jobs of a namespace and their claims. @returns whether any had not ended */
  forgetNamespace(namespace: string): Promise<boolean>;
  forgetDocument(namespace: string, documentId: string): Promise<void>;
}
