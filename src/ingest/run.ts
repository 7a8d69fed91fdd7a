/**
 * An ingest run: requests → tasks → report rows. Sites and folders add a task for each page or file
 * that they find. The observer receives every finished task; from these a killed run can be resumed
 * without repeating work.
 */
import { z } from 'zod';
import { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { WriteMark } from '../documents/document-writes.ts';
import { inStage } from '../trace.ts';
import { type Get, Throttle } from './crawl/robots.ts';
import { findSeed, pageOutcome, pageTask, Site, type SiteParts, siteKey } from './crawl/site.ts';
import { isLocalUrl } from './fetch/address-guard.ts';
import type { Folders } from './folder.ts';
import type { IngestParts, IngestStage, ReportRow, WritingStatus } from './ingest-source.ts';
import {
  defaultSourceTimeoutMs,
  failedRow,
  maxStoring,
  SourceIngest,
  withTimeout,
} from './ingest-source.ts';
import {
  fileSource,
  type IngestRequest,
  ingestRequest,
  type SiteRequest,
  type Source,
  type UploadRequest,
} from './source.ts';

const anyTask = z.discriminatedUnion('type', [...ingestRequest.options, pageTask]);
type Task = z.infer<typeof anyTask> | UploadRequest;

export const taskDone = pageOutcome.extend({
  task: z.int().min(0),
  found: z.array(anyTask).optional(),
});
type TaskDone = z.infer<typeof taskDone>;
type Outcome = Omit<TaskDone, 'task'>;

export interface RunObserver {
  /** @param isLast whether the run ends with this task and writes nothing more */
  onDone(done: TaskDone, isLast?: boolean): Promise<void>;
  /** Called before a task runs without others: it may have caused a crash. */
  onAlone?(task: number): Promise<void>;
  onWriting?(task: number, status: WritingStatus): WriteMark;
  onStage?(task: number, label: string, stage: IngestStage): void;
}

export type RunHistory = Readonly<{
  done: readonly TaskDone[];
  /** Task that was writing when the run stopped → status for its row. */
  writing: ReadonlyMap<number, WritingStatus>;
  /** Set if the run ended with a crash. `failed`: the task that causes crashes, if known. */
  crash?: { readonly failed: number | undefined } | undefined;
}>;

export type IngestRunOptions = Readonly<{
  namespace: string;
  requests: readonly (IngestRequest | UploadRequest)[];
  prune: boolean;
  signal?: AbortSignal | undefined;
  observer: RunObserver;
  history?: RunHistory;
  /** Fencing token of the namespace, if known. */
  token?: number | undefined;
}>;

type RunParts = IngestParts &
  Readonly<{
    get: Get;
    folders: Pick<Folders, 'list'>;
    onRow?: (row: ReportRow) => void;
    schedule: (
      namespace: string,
      request: IngestRequest,
      everyMs: number | undefined,
    ) => Promise<void>;
  }>;

const maxConcurrentTasks = 8;
const listsTimeoutShare = 1 / 3;

export const labelOfTask = (task: Task): string =>
  'source' in task ? task.source.label : task.type === 'page' ? task.url : task.label;
const kindOfTask = (task: Task) =>
  'source' in task ? task.source.kind : task.type === 'path' ? 'file' : 'url';
const identityOf = (task: Task) => `${kindOfTask(task)} ${labelOfTask(task)}`;
const isScheduled = (
  asked: IngestRequest | UploadRequest,
): asked is IngestRequest & { refreshEveryMs: number | null } =>
  asked.type !== 'upload' && asked.refreshEveryMs !== undefined;
const failedTask = (task: Task, error: KnowledgeError) =>
  failedRow({ source: labelOfTask(task), kind: kindOfTask(task) }, error);

const crashed = 'The server stopped unexpectedly twice while it read this source.';

/** `origin`: index of the request that led to the task. */
interface TaskState {
  readonly task: Task;
  readonly origin: number;
  isDone: boolean;
  row?: ReportRow | undefined;
}

/**
 * Restores the killed run's status: the resumed run reports earlier writes as `unchanged` and
 * earlier removals as not found.
 */
function asWritten(
  row: ReportRow | undefined,
  was: WritingStatus | undefined,
): ReportRow | undefined {
  if (!was || !row) return row;
  const { source, kind } = row;
  const isMissing =
    row.error?.code === 'document_not_found' || row.error?.code === 'source_not_found';
  if (was === 'removed') return isMissing ? { source, kind, status: was } : row;
  return row.status === 'unchanged' ? { ...row, status: was } : row;
}

class Run {
  readonly #parts;
  readonly #options;
  readonly #tasks: TaskState[];
  readonly #sites = new Map<number, Site>();
  readonly #token;
  readonly #throttles = new Map<string, Throttle>();
  #finished = 0;

  constructor(parts: RunParts & SiteParts, options: IngestRunOptions, token: number) {
    this.#parts = parts;
    this.#options = options;
    this.#tasks = options.requests.map((task, origin) => ({ task, origin, isDone: false }));
    this.#token = token;
  }

  async perform(): Promise<void> {
    for (const done of this.#options.history?.done ?? []) await this.#replay(done);
    if (this.#options.history?.crash) await this.#performSuspects();
    await this.#performAll();
    const namespace = await this.#parts.namespaces.find(this.#options.namespace);
    const pages = this.#pages();
    for (const site of this.#sites.values()) namespace?.recordCrawl(site.key, site.recordOf(pages));
    await this.#saveSchedules();
  }

  #finish({ task: number, row, found = [] }: TaskDone) {
    const state = this.#tasks[number];
    if (!state) return;
    state.isDone = true;
    this.#finished++;
    state.row = row;
    for (const task of found) this.#tasks.push({ task, origin: state.origin, isDone: false });
  }

  async #replay(done: TaskDone) {
    const { task, isDone } = this.#tasks[done.task] ?? {};
    if (!task || isDone) return;
    this.#finish(done);
    const found = done.found?.filter((next) => next.type === 'page');
    if (task.type === 'site' && found?.[0]) await this.#openSite(done.task, task, found[0].url);
    const site = this.#sites.get(task.type === 'page' ? task.site : done.task);
    site?.replay(task.type === 'page' ? task.url : undefined, { ...done, found });
  }

  /** Tasks start in order. So those that were running at a crash are the first unfinished ones. */
  async #performSuspects() {
    const { signal, observer } = this.#options;
    let left = maxConcurrentTasks;
    for (let number = 0; left > 0; number++) {
      const state = this.#tasks[number];
      if (!state) return;
      if (state.isDone) continue;
      left--;
      signal?.throwIfAborted();
      await observer.onAlone?.(number);
      await this.#performTask(number, state);
    }
  }

  async #performAll() {
    const { signal } = this.#options;
    const running = new Set<Promise<void>>();
    const last = new Map<string, Promise<void>>();
    try {
      for (let number = 0; ; ) {
        signal?.throwIfAborted();
        const next = running.size < maxConcurrentTasks ? this.#tasks[number] : undefined;
        if (next) {
          const at = number++;
          const identity = identityOf(next.task);
          // A source that is named twice is read in order, so that the later text stays.
          const work: Promise<void> = this.#performTask(at, next, last.get(identity)).finally(() =>
            running.delete(work),
          );
          last.set(identity, work);
          running.add(work);
        } else if (running.size > 0) await Promise.race(running);
        else return;
      }
    } finally {
      await Promise.allSettled(running);
      signal?.throwIfAborted();
    }
  }

  /** @param before what must end before the source is read */
  async #performTask(number: number, { task, isDone }: TaskState, before?: Promise<void>) {
    // A page takes its place among the pages of its site first.
    if (task.type !== 'page') await before;
    if (isDone) return;
    const outcome = await this.#outcomeOf(number, task, before);
    const done = {
      ...outcome,
      task: number,
      row: asWritten(outcome.row, this.#options.history?.writing.get(number)),
    };
    this.#finish(done);
    if (done.row) this.#parts.onRow?.(done.row);
    const isLast =
      this.#finished === this.#tasks.length && !this.#options.requests.some(isScheduled);
    await this.#options.observer.onDone(done, isLast);
  }

  async #outcomeOf(number: number, task: Task, before?: Promise<void>): Promise<Outcome> {
    const { namespace, signal, observer } = this.#options;
    try {
      if (number === this.#options.history?.crash?.failed)
        throw new KnowledgeError('crashed', crashed);
      if (task.type === 'site') {
        observer.onStage?.(number, task.label, 'loading');
        return { found: await this.#discover(number, task) };
      }
      if (task.type === 'page')
        return (
          (await this.#sites
            .get(task.site)
            ?.readPage(task, this.#taskFor(number, task.url), before)) ?? {}
        );
      if ('source' in task) return await this.#readSource(number, task);
      const found = await this.#parts.folders.list(namespace, task, signal);
      return found ? { found } : await this.#readSource(number, fileSource(task.path, task.label));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof KnowledgeError) return { row: failedTask(task, error) };
      this.#parts.onUnexpected(error);
      const failure = new KnowledgeError('ingest_failed', 'The source could not be read.');
      return { row: failedTask(task, failure) };
    }
  }

  /** Finds the first pages of a site. @throws KnowledgeError if its first page cannot be read */
  #discover(number: number, request: SiteRequest) {
    const { get, sourceTimeoutMs = defaultSourceTimeoutMs } = this.#parts;
    const discover = async (deadline: AbortSignal) => {
      const seed = await findSeed(get, request.url, deadline);
      const site = await this.#openSite(number, request, seed);
      return site.discover(deadline, Math.floor(sourceTimeoutMs * listsTimeoutShare));
    };
    return inStage('fetch', () => withTimeout(sourceTimeoutMs, this.#options.signal, discover));
  }

  async #openSite(number: number, request: SiteRequest, seed: string) {
    const found =
      (await this.#parts.namespaces.find(this.#options.namespace))?.crawl(siteKey(request)) ?? [];
    const known = new Map(found.map((page) => [page.url, page]));
    const { signal } = this.#options;
    const site = new Site(this.#parts, { number, request, seed, known, signal });
    this.#sites.set(number, site);
    return site;
  }

  async #readSource(
    number: number,
    { source, expectedFile }: { source: Source; expectedFile?: string | undefined },
  ): Promise<Outcome> {
    const throttle = source.kind === 'url' ? this.#throttleOf(source.url) : undefined;
    const { row } = await this.#parts.ingestSource({
      ...this.#taskFor(number, source.label),
      source,
      throttle,
      expectedFile,
    });
    return { row };
  }

  #taskFor(number: number, label: string) {
    const { namespace, signal, prune, observer } = this.#options;
    return {
      namespace,
      signal,
      prune,
      token: this.#token,
      onStage: (stage: IngestStage) => observer.onStage?.(number, label, stage),
      onWriting: (status: WritingStatus) => observer.onWriting?.(number, status),
    };
  }

  #throttleOf(url: string) {
    const host = URL.canParse(url) ? new URL(url).host : '';
    const throttle = this.#throttles.get(host) ?? new Throttle(host === '' || isLocalUrl(url));
    this.#throttles.set(host, throttle);
    return throttle;
  }

  /**
   * Includes pages that were found but not read: the next crawl may have room for them. Excludes
   * missing pages.
   */
  #pages() {
    return this.#tasks.flatMap(({ task, row }) => {
      const isMissing = row?.status === 'removed' || row?.error?.code === 'source_not_found';
      return task.type === 'page' && !isMissing ? [task] : [];
    });
  }

  /** Schedules sources that were read, except if their document was deleted during the run. */
  async #saveSchedules() {
    const { namespaces, writes, schedule } = this.#parts;
    const { namespace: name, requests } = this.#options;
    const namespace = await namespaces.find(name);
    for (const [number, asked] of requests.entries()) {
      if (!isScheduled(asked)) continue;
      const { refreshEveryMs: everyMs, ...request } = asked;
      const own = this.#tasks[number]?.row?.document;
      const isFound = this.#tasks.some(
        ({ origin, row }) => origin === number && row && row.status !== 'failed',
      );
      if (everyMs === null) await schedule(name, request, undefined);
      else if (isFound && (!own || namespace?.document(own.id)))
        await writes.change(name, this.#token, '', () => schedule(name, request, everyMs));
    }
  }
}

export class Ingestion {
  readonly #parts: RunParts & SiteParts;

  constructor(parts: RunParts) {
    const common = { ...parts, storing: new FairQueue({ slots: maxStoring }) };
    this.#parts = { ...parts, ingestSource: (task) => new SourceIngest(common, task).report() };
  }

  /**
   * Resolves when every task is done. @throws the signal's reason; then unfinished tasks are not
   * reported
   */
  readonly run = async (options: IngestRunOptions) => {
    const token = options.token ?? (await this.#parts.writes.token(options.namespace));
    await new Run(this.#parts, options, token).perform();
  };

  /**
   * Runs an ingest to its end. Returns rows in the order of the tasks; if it is cancelled,
   * unfinished requests get failed rows.
   */
  readonly runAndWait = async ({
    onRow,
    onTotal,
    ...options
  }: Omit<IngestRunOptions, 'observer' | 'history'> & {
    readonly onRow?: (row: ReportRow) => void;
    readonly onTotal?: (tasks: number) => void;
  }): Promise<ReportRow[]> => {
    const { requests, signal } = options;
    const rows: (ReportRow | undefined)[] = [];
    let total = requests.length;
    onTotal?.(total);
    const onDone: RunObserver['onDone'] = async ({ task, row, found = [] }) => {
      total += found.length;
      if (found.length > 0) onTotal?.(total);
      rows[task] = row;
      if (row) onRow?.(row);
    };
    try {
      await this.run({ ...options, observer: { onDone } });
    } catch (error) {
      if (!signal?.aborted) throw error;
      const cancelled =
        signal.reason instanceof KnowledgeError
          ? signal.reason
          : new KnowledgeError('cancelled', 'The request ended before this source was ingested.');
      for (const [number, request] of requests.entries())
        if (!(number in rows)) rows[number] = failedTask(request, cancelled);
    }
    return rows.filter((row) => row !== undefined);
  };
}

export type IngestAndWait = Ingestion['runAndWait'];
