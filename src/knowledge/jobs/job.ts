/** One job as it stands, told line by line; the same lines, read again, give the same job. */
import type { IngestStage } from '../ingest.ts';
import type { RunHistory, Task, TaskDone } from '../ingest-run.ts';
import { countRows, type ReportRow, type StatusCounts } from '../report.ts';
import type { IngestRequest } from '../requests.ts';

export type JobStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';

export type JobLine =
  | {
      readonly line: 'asked';
      readonly id: string;
      readonly namespace: string;
      readonly prune: boolean;
      readonly at: string;
      readonly requests: readonly IngestRequest[];
    }
  | { readonly line: 'started'; readonly at: string }
  | { readonly line: 'writing'; readonly task: number; readonly status: 'added' | 'updated' }
  | ({ readonly line: 'done' } & TaskDone<ReportRow>)
  | { readonly line: 'ended'; readonly at: string; readonly status: JobStatus; readonly tasks: number };

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
  readonly requests: readonly IngestRequest[];
  readonly #createdAt: string;
  #startedAt: string | null = null;
  #finishedAt: string | null = null;
  #status: JobStatus = 'queued';
  #tasks: number;
  #finished = 0;
  #rows: Row[] = [];
  /** Kept until the end: what the run needs to be taken up again. */
  #done: TaskDone<ReportRow>[] = [];
  #writing = new Map<number, 'added' | 'updated'>();
  #active = new Map<number, { readonly label: string; readonly stage: IngestStage }>();

  constructor(asked: Extract<JobLine, { line: 'asked' }>) {
    this.id = asked.id;
    this.namespace = asked.namespace;
    this.prune = asked.prune;
    this.requests = asked.requests;
    this.#createdAt = asked.at;
    this.#tasks = asked.requests.length;
  }

  /** Undefined where the lines do not begin as a job's do. */
  static fromLines(lines: readonly unknown[]): Job | undefined {
    const [first, ...others] = lines as readonly JobLine[];
    if (first?.line !== 'asked' || !Array.isArray(first.requests)) return undefined;
    const job = new Job(first);
    for (const line of others) job.tell(line);
    return job;
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

  /** The lines to keep of a job that has ended: nothing of what was asked, one for each row. */
  endedLines(): JobLine[] {
    const { id, namespace, prune } = this;
    return [
      { line: 'asked', id, namespace, prune, at: this.#createdAt, requests: [] },
      ...(this.#startedAt === null ? [] : [{ line: 'started' as const, at: this.#startedAt }]),
      ...this.#rows.map(({ task, row }) => ({ line: 'done' as const, task, row })),
      { line: 'ended', at: this.#finishedAt ?? this.#createdAt, status: this.#status, tasks: this.#tasks },
    ];
  }

  /** Takes a document's name out of every row. @returns whether there was any */
  forget(documentId: string): boolean {
    let isChanged = false;
    this.#rows = this.#rows.map((entry) => {
      if (entry.row.document?.id !== documentId) return entry;
      isChanged = true;
      const { kind, status } = entry.row;
      return { task: entry.task, row: { source: '(deleted)', kind, status } };
    });
    return isChanged;
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
