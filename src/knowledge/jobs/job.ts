/** One job as it stands, told line by line; the same lines, read again, give the same job. */
import type { IngestStage } from '../ingest.ts';
import type { RunHistory, Task, TaskDone } from '../ingest-run.ts';
import { countRows, type ReportRow, type StatusCounts } from '../report.ts';
import type { IngestRequest } from '../requests.ts';
import { type AskedLine, isAskedLine, isJobLine, type JobLine, type JobStatus, type Writing } from './job-line.ts';

export interface StageCounts extends Readonly<Record<IngestStage, number>> {
  readonly waiting: number;
  readonly done: number;
}

/** What a caller sees of a job. Times are ISO 8601. */
export interface JobReport extends StatusCounts {
  readonly id: string;
  readonly namespace: string;
  readonly status: JobStatus;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
  /** Tasks by stage; what a site or a folder holds is counted as it is found. */
  readonly stages: StageCounts;
  /** The source that was taken up last; null while none is. */
  readonly current: string | null;
  readonly results: readonly ReportRow[];
}

interface Row {
  readonly task: number;
  readonly row: ReportRow;
}

export class Job {
  readonly id: string;
  readonly namespace: string;
  readonly prune: boolean;
  #requests: readonly IngestRequest[];
  readonly #createdAt: string;
  #startedAt: string | null = null;
  #finishedAt: string | null = null;
  #status: JobStatus = 'queued';
  #tasks: number;
  #finished = 0;
  #rows: Row[] = [];
  /** Kept until the end: what the run needs to be taken up again. */
  #done: TaskDone<ReportRow>[] = [];
  #writing = new Map<number, Writing>();
  #active = new Map<number, { readonly label: string; readonly stage: IngestStage }>();

  constructor(asked: AskedLine) {
    this.id = asked.id;
    this.namespace = asked.namespace;
    this.prune = asked.prune;
    this.#requests = asked.requests;
    this.#createdAt = asked.at;
    this.#tasks = asked.requests.length;
  }

  /** Undefined where the lines do not begin as those of this job; lines that cannot be read are left out. */
  static fromLines(id: string, lines: readonly unknown[]): Job | undefined {
    const [first, ...others] = lines;
    if (!isAskedLine(first, id)) return undefined;
    const job = new Job(first);
    for (const line of others) if (isJobLine(line)) job.tell(line);
    return job;
  }

  get requests(): readonly IngestRequest[] {
    return this.#requests;
  }

  get status(): JobStatus {
    return this.#status;
  }

  get isEnded(): boolean {
    return this.#status !== 'queued' && this.#status !== 'running';
  }

  get history(): RunHistory {
    return { done: this.#done, writing: this.#writing };
  }

  tell(line: JobLine): void {
    if (line.line === 'started') {
      this.#status = 'running';
      this.#startedAt ??= line.at;
    } else if (line.line === 'writing') this.#writing.set(line.task, line.status);
    else if (line.line === 'done') {
      const found: readonly Task[] = line.found ?? [];
      this.#tasks += found.length;
      this.#finished++;
      this.#active.delete(line.task);
      if (line.row) this.#rows.push({ task: line.task, row: line.row });
      this.#done.push(line);
    } else if (line.line === 'ended') {
      this.#status = line.status;
      this.#finishedAt = line.at;
      this.#tasks = line.tasks;
      this.#finished = line.tasks;
      this.#active.clear();
      this.#done = [];
      this.#writing.clear();
    }
  }

  enter(task: number, label: string, stage: IngestStage): void {
    this.#active.delete(task);
    this.#active.set(task, { label, stage });
  }

  /** The run stopped without an end: nothing is being worked on. */
  rest(): void {
    this.#active.clear();
    if (this.#status === 'running') this.#status = 'queued';
  }

  /** The lines that give this job again; of one that has ended nothing of what was asked, and its rows alone. */
  lines(): JobLine[] {
    const { id, namespace, prune } = this;
    const head: JobLine[] = [{ line: 'asked', id, namespace, prune, at: this.#createdAt, requests: this.isEnded ? [] : this.#requests }];
    if (this.#startedAt !== null) head.push({ line: 'started', at: this.#startedAt });
    if (!this.isEnded) {
      for (const [task, status] of this.#writing) head.push({ line: 'writing', task, status });
      return [...head, ...this.#done.map((done) => ({ line: 'done' as const, ...done }))];
    }
    const rows = this.#rows.map(({ task, row }) => ({ line: 'done' as const, task, row }));
    return [...head, ...rows, { line: 'ended', at: this.#finishedAt ?? this.#createdAt, status: this.#status, tasks: this.#tasks }];
  }

  /** Takes a document out of every row, and the text that it was made of out of what was asked. @returns whether there was any */
  forget(documentId: string): boolean {
    const tasks = new Set(this.#rows.filter(({ row }) => row.document?.id === documentId).map(({ task }) => task));
    const without = ({ kind, status }: ReportRow): ReportRow => ({ source: '(deleted)', kind, status });
    this.#rows = this.#rows.map((entry) => (tasks.has(entry.task) ? { ...entry, row: without(entry.row) } : entry));
    this.#done = this.#done.map((done) => (tasks.has(done.task) && done.row ? { ...done, row: without(done.row) } : done));
    this.#requests = this.#requests.map((request, task) =>
      tasks.has(task) && request.type === 'source'
        ? { type: 'source', source: { kind: 'text', text: '', title: undefined, label: '(deleted)' } }
        : request,
    );
    return tasks.size > 0;
  }

  report(results = true): JobReport {
    const stages = { waiting: 0, loading: 0, parsing: 0, storing: 0, indexing: 0, done: this.#finished };
    for (const { stage } of this.#active.values()) stages[stage]++;
    stages.waiting = Math.max(0, this.#tasks - this.#finished - this.#active.size);
    const rows = results ? [...this.#rows].sort((a, b) => a.task - b.task).map(({ row }) => row) : [];
    return {
      id: this.id,
      namespace: this.namespace,
      status: this.#status,
      createdAt: this.#createdAt,
      startedAt: this.#startedAt,
      finishedAt: this.#finishedAt,
      stages,
      current: [...this.#active.values()].at(-1)?.label ?? null,
      ...countRows(this.#rows.map(({ row }) => row)),
      results: rows,
    };
  }
}
