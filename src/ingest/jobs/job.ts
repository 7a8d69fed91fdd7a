/**
 * One job as it is after each of its lines; the same lines, read again, give the same job. Which lines of a file can be believed is decided
 * here: the folder is open to whoever has the machine.
 */
import { z } from 'zod';
import { isNamespaceName } from '../../documents/namespace-name.ts';
import { countReportRows, type IngestStage, type ReportRow, type StatusCounts, writingStatus } from '../ingest-source.ts';
import { type RunHistory, taskDone } from '../run.ts';
import { type IngestRequest, ingestRequest } from '../source.ts';

const count = z.int().min(0);
/** ISO 8601. */
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
const ended = z.object({ line: z.literal('ended'), at: time, status: jobEnd, tasks: count });
const jobLine = z.discriminatedUnion('line', [
  asked,
  z.object({ line: z.literal('started'), at: time }),
  z.object({ line: z.literal('writing'), task: count, status: writingStatus }),
  taskDone.extend({ line: z.literal('done') }),
  ended,
]);
export type JobLine = z.infer<typeof jobLine>;
type Asked = z.infer<typeof asked>;
type Done = Extract<JobLine, { line: 'done' }>;

/** What a caller sees of a job. Times are ISO 8601. */
export interface JobReport extends StatusCounts {
  readonly id: string;
  readonly namespace: string;
  readonly status: 'queued' | 'running' | JobEnd;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Tasks by stage; what a site or a folder holds is counted as it is found. */
  readonly stages: Readonly<Record<IngestStage | 'waiting' | 'done', number>>;
  /** The source that was taken up last; null while none is. */
  readonly current: string | null;
  readonly results: readonly ReportRow[];
}

export class Job {
  readonly id: string;
  readonly namespace: string;
  readonly prune: boolean;
  /** Who asked, as a hash. */
  readonly owner: string;
  readonly createdAt: string;
  #requests: readonly IngestRequest[];
  #startedAt: string | null = null;
  #isRunning = false;
  #ended: z.infer<typeof ended> | undefined;
  /** What the run needs to be taken up again; once the job has ended its rows alone. */
  #done: Done[] = [];
  readonly #writing = new Map<number, Extract<JobLine, { line: 'writing' }>>();
  readonly #active = new Map<number, { readonly label: string; readonly stage: IngestStage }>();

  constructor({ id, namespace, prune, owner, at, requests }: Asked) {
    this.id = id;
    this.namespace = namespace;
    this.prune = prune;
    this.owner = owner;
    this.createdAt = at;
    this.#requests = requests;
  }

  /** Undefined where the lines do not begin as those of this job; lines that cannot be read are left out. Nothing of it is at work. */
  static fromLines(id: string, lines: readonly unknown[]): Job | undefined {
    const [first, ...others] = lines;
    const { data } = asked.safeParse(first);
    if (data?.id !== id) return undefined;
    const job = new Job(data);
    for (const line of others) job.apply(jobLine.safeParse(line).data);
    job.rest();
    return job;
  }

  get requests(): readonly IngestRequest[] {
    return this.#requests;
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  get history(): RunHistory {
    return { done: this.#done, writing: new Map([...this.#writing.values()].map(({ task, status }) => [task, status])) };
  }

  apply(line: JobLine | undefined): void {
    if (line?.line === 'started') {
      this.#isRunning = true;
      this.#startedAt ??= line.at;
    } else if (line?.line === 'writing') this.#writing.set(line.task, line);
    else if (line?.line === 'done') {
      this.#active.delete(line.task);
      this.#done.push(line);
    } else if (line?.line === 'ended') {
      this.#ended = line;
      this.rest();
      this.#done = this.#done.flatMap(({ task, row }) => (row ? [{ line: 'done', task, row }] : []));
      this.#writing.clear();
    }
  }

  enter(task: number, label: string, stage: IngestStage): void {
    this.#active.delete(task);
    this.#active.set(task, { label, stage });
  }

  /** Nothing is being worked on, though the job may not have ended. */
  rest(): void {
    this.#active.clear();
    this.#isRunning = false;
  }

  /** The lines that give this job again; of one that has ended nothing of what was asked, and its rows alone. */
  lines(): JobLine[] {
    const { id, namespace, prune, owner, createdAt: at } = this;
    return [
      { line: 'asked', id, namespace, prune, at, owner, requests: this.isEnded ? [] : [...this.#requests] },
      ...(this.#startedAt === null ? [] : [{ line: 'started' as const, at: this.#startedAt }]),
      ...this.#writing.values(),
      ...this.#done,
      ...(this.#ended ? [this.#ended] : []),
    ];
  }

  /** Takes a document out of every row, and the text that it was made of out of what was asked. @returns whether there was any */
  forget(documentId: string): boolean {
    const tasks = new Set(this.#done.filter(({ row }) => row?.document?.id === documentId).map(({ task }) => task));
    this.#done = this.#done.map((done) => {
      if (!done.row || !tasks.has(done.task)) return done;
      const { kind, status } = done.row;
      return { ...done, row: { source: '(deleted)', kind, status } };
    });
    this.#requests = this.#requests.map((request, task) =>
      request.type === 'source' && tasks.has(task) ? { type: 'source', source: { kind: 'text', text: '', label: '(deleted)' } } : request,
    );
    return tasks.size > 0;
  }

  report(results = true): JobReport {
    const rows = this.#done.flatMap(({ task, row }) => (row ? [{ task, row }] : []));
    const found = this.#done.reduce((sum, done) => sum + (done.found?.length ?? 0), 0);
    const finished = this.#ended?.tasks ?? this.#done.length;
    const unfinished = (this.#ended?.tasks ?? this.#requests.length + found) - finished;
    const stages = {
      waiting: Math.max(0, unfinished - this.#active.size),
      loading: 0,
      parsing: 0,
      storing: 0,
      indexing: 0,
      done: finished,
    };
    for (const { stage } of this.#active.values()) stages[stage]++;
    return {
      id: this.id,
      namespace: this.namespace,
      status: this.#ended?.status ?? (this.#isRunning ? 'running' : 'queued'),
      createdAt: this.createdAt,
      startedAt: this.#startedAt,
      finishedAt: this.#ended?.at ?? null,
      stages,
      current: [...this.#active.values()].at(-1)?.label ?? null,
      ...countReportRows(rows.map(({ row }) => row)),
      results: results ? rows.sort((a, b) => a.task - b.task).map(({ row }) => row) : [],
    };
  }
}
