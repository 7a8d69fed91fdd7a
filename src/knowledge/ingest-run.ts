/**
 * A run: requests → tasks → rows. A site or a folder turns into tasks as its pages and files are found; every task that reads a
 * source ends in one row. The run is told to an observer line by line, and can be taken up again from those lines: what
 * was finished is not done twice, what was not is done.
 */
import { KnowledgeError } from '../errors.ts';
import type { PlacedPage } from './crawl/crawl.ts';
import { createPace, localPace, type Pace, politePace } from './crawl/pace.ts';
import type { IngestOptions, IngestRow, IngestStage } from './ingest.ts';
import type { ListPath } from './path-run.ts';
import { fileSource, type IngestRequest, type SourceRequest } from './requests.ts';
import { createSiteRun, type PageTask, type SiteRunParts } from './site-run.ts';
import type { WriteLocks } from './write-locks.ts';

/** Plain data. */
export type Task = IngestRequest | PageTask;

/** One finished task. */
export interface TaskDone<Row = IngestRow> {
  /** Position among the tasks: the requests first, then what was found, in the order in which it was told. */
  readonly task: number;
  readonly row?: Row | undefined;
  readonly found?: readonly Task[] | undefined;
  readonly placed?: PlacedPage | undefined;
}

/** What counts of a row for those that follow. */
export interface ToldRow {
  readonly status: string;
  readonly error?: { readonly code: string } | undefined;
}

type Outcome = Omit<TaskDone, 'task'>;

export interface RunObserver {
  /** Resolves when it is put away. */
  onDone(done: TaskDone): Promise<void>;
  onWriting?(task: number, status: 'added' | 'updated' | 'removed'): Promise<void>;
  onStage?(task: number, label: string, stage: IngestStage): void;
}

/** What earlier lines of the same run said. */
export interface RunHistory {
  readonly done: readonly TaskDone<ToldRow>[];
  /** Tasks that were about to write when the run was ended, and what their row would have said. */
  readonly writing: ReadonlyMap<number, 'added' | 'updated' | 'removed'>;
}

export interface RunOptions {
  readonly namespace: string;
  readonly requests: readonly IngestRequest[];
  readonly prune: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly observer: RunObserver;
  readonly history?: RunHistory;
}

/** Resolves when every task is done. @throws the signal's reason where it was aborted; what was not done then is not told */
export type Run = (options: RunOptions) => Promise<void>;

export interface RunParts extends SiteRunParts {
  readonly locks: WriteLocks;
  readonly listPath: ListPath;
  /** Keeps how often a request that came to something is to be repeated. */
  readonly schedule: (namespace: string, request: IngestRequest, everyMs: number | undefined) => Promise<void>;
  /** Told of failures whose cause a caller may not see. */
  readonly onUnexpected: (error: unknown) => void;
}

const maxConcurrentTasks = 8;

export const labelOfTask = (task: Task): string =>
  task.type === 'source' ? task.source.label : task.type === 'page' ? task.url : task.label;
export const kindOfTask = (task: Task) => (task.type === 'source' ? task.source.kind : task.type === 'path' ? 'file' : 'url');

export function createRun(parts: RunParts): Run {
  const { library, ingestSource, crawl, locks, listPath, schedule, onUnexpected } = parts;
  return async ({ namespace, requests, prune, signal, observer, history }) => {
    const sites = createSiteRun(namespace, signal, parts);
    const tasks: Task[] = [...requests];
    /** Task → the request that it follows from. */
    const origins = requests.map((_, number) => number);
    const done = new Set<number>();
    const successful = new Set<number>();
    /** Request → the one document that it came to. */
    const documentOf = new Map<number, string>();
    const gone = new Set<number>();
    const paces = new Map<string, Pace>();

    const token = locks.token(namespace);
    const optionsFor = (number: number, label: string): IngestOptions => ({
      signal,
      prune,
      token,
      onStage: (stage) => observer.onStage?.(number, label, stage),
      onWriting: async (status) => observer.onWriting?.(number, status),
    });

    /** Of one host, so that a refresh of a site is as polite as its crawl. */
    function paceOf(url: string): Pace {
      const host = URL.canParse(url) ? new URL(url).host : '';
      let pace = paces.get(host);
      if (!pace) {
        pace = createPace(host === '' || crawl.isLocal(url) ? localPace : politePace);
        paces.set(host, pace);
      }
      return pace;
    }

    async function readSource(number: number, { source, expectedFile }: SourceRequest): Promise<Outcome> {
      const read = () => ingestSource(namespace, source, { ...optionsFor(number, source.label), expectedFile });
      const { row } = source.kind === 'url' ? await paceOf(source.url)(signal, read) : await read();
      return { row };
    }

    async function perform(number: number, task: Task): Promise<Outcome> {
      try {
        if (task.type === 'site') {
          observer.onStage?.(number, task.label, 'loading');
          return { found: await sites.discover(number, task) };
        }
        if (task.type === 'page') return await sites.readPage(task, optionsFor(number, task.url));
        if (task.type === 'source') return await readSource(number, task);
        const found = await listPath(namespace, task, signal);
        return found ? { found } : await readSource(number, fileSource(task.path, task.label));
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof KnowledgeError)) onUnexpected(error);
        const known =
          error instanceof KnowledgeError ? error : new KnowledgeError('ingest_failed', 'The source could not be read.', { cause: error });
        return { row: { source: labelOfTask(task), kind: kindOfTask(task), status: 'failed', error: known } };
      }
    }

    /** A task is done: what it found are tasks now, in the order in which this is told. */
    function settle(number: number, found: readonly Task[], row: TaskDone<ToldRow>['row']): void {
      const origin = origins[number] ?? number;
      done.add(number);
      tasks.push(...found);
      for (const _ of found) origins.push(origin);
      if (row?.status === 'removed' || row?.error?.code === 'source_not_found') gone.add(number);
      if (row && row.status !== 'failed') successful.add(origin);
    }

    /** What a killed run was writing when it ended is now found as unchanged, or as gone; the row says what the run did. */
    function asWritten(number: number, row: IngestRow | undefined): IngestRow | undefined {
      const was = history?.writing.get(number);
      if (!was || !row) return row;
      const { source, kind } = row;
      const isMissing = row.error?.code === 'document_not_found' || row.error?.code === 'source_not_found';
      if (was === 'removed') return isMissing ? { source, kind, status: was } : row;
      return row.status === 'unchanged' ? { ...row, status: was } : row;
    }

    async function replay(finished: RunHistory['done']): Promise<void> {
      for (const { task: number, row, found = [], placed } of finished) {
        const task = tasks[number];
        if (!task || done.has(number)) continue;
        settle(number, found, row);
        const pages = found.flatMap((next) => (next.type === 'page' ? [next] : []));
        if (task.type === 'site') await sites.replaySite(number, task, pages);
        if (task.type === 'page') sites.replayPage(task, { found: pages, placed, isRow: row !== undefined });
      }
    }

    async function finish(number: number, { row: found, ...outcome }: Outcome): Promise<void> {
      const row = asWritten(number, found);
      settle(number, outcome.found ?? [], row);
      if (row?.entry && number < requests.length) documentOf.set(number, row.entry.document.id);
      await observer.onDone({ task: number, row, ...outcome });
    }

    /** Performs what is not done, in order, some at a time. */
    const performAll = () =>
      new Promise<void>((resolve, reject) => {
        let next = 0;
        let running = 0;
        const start = (): void => {
          if (signal?.aborted) {
            if (running === 0) reject(signal.reason);
            return;
          }
          while (running < maxConcurrentTasks && next < tasks.length) {
            const number = next++;
            const task = tasks[number];
            if (!task || done.has(number)) continue;
            running++;
            perform(number, task)
              .then((outcome) => finish(number, outcome))
              .catch((error: unknown) => {
                if (!signal?.aborted) reject(error);
              })
              .finally(() => {
                running--;
                start();
              });
          }
          if (running === 0 && next >= tasks.length) resolve();
        };
        start();
      });

    /** A source that came to something is read again; not one whose document was deleted meanwhile. */
    async function keepSchedules(): Promise<void> {
      const shelf = await library.findShelf(namespace);
      for (const [number, { refreshEveryMs: everyMs, ...request }] of requests.entries()) {
        const document = documentOf.get(number);
        const isDeleted = document !== undefined && !shelf?.entry(document);
        if (everyMs === null) await schedule(namespace, request, undefined);
        else if (everyMs !== undefined && successful.has(number) && !isDeleted)
          await locks.change(namespace, token, '', () => schedule(namespace, request, everyMs));
      }
    }

    if (history) await replay(history.done);
    await performAll();
    // Pages that were found and not read count: the next crawl may have room for them. Those that are gone are looked for no more.
    await sites.record(tasks.flatMap((task, number) => (task.type === 'page' && !gone.has(number) ? [task] : [])));
    await keepSchedules();
  };
}
