/**
 * A run: requests → tasks → rows. A site or a folder turns into tasks as its pages and files are found; every task that reads a
 * source ends in one row. The run is told to an observer line by line, and can be taken up again from those lines: what
 * was finished is not done twice, what was not is done.
 */
import { createHash } from 'node:crypto';
import { KnowledgeError } from '../errors.ts';
import { type Crawl, type CrawlParts, createCrawl, type KnownPage, type PlacedPage, resolveSeed } from './crawl/crawl.ts';
import type { IngestOptions, IngestRow, IngestSource, IngestStage } from './ingest.ts';
import type { Library } from './library.ts';
import type { ListFolder } from './load/list-folder.ts';
import { fileSource, type IngestRequest, type SourceRequest, urlSource } from './requests.ts';

/** Plain data. A page belongs to the task of its site. */
export type Task = IngestRequest | { readonly type: 'page'; readonly site: number; readonly url: string; readonly depth: number };

/** One finished task. */
export interface TaskDone<Row = IngestRow> {
  /** Position among the tasks: the requests first, then what was found, in the order in which it was told. */
  readonly task: number;
  readonly row?: Row | undefined;
  readonly found?: readonly Task[] | undefined;
  readonly placed?: PlacedPage | undefined;
}

export interface RunObserver {
  /** Resolves when it is put away. */
  onDone(done: TaskDone): Promise<void>;
  onWriting?(task: number, status: 'added' | 'updated'): Promise<void>;
  onStage?(task: number, label: string, stage: IngestStage): void;
}

/** What earlier lines of the same run said. */
export interface RunHistory {
  readonly done: readonly TaskDone<{ readonly status: string }>[];
  /** Tasks that were about to write when the run was ended, and what their row would have said. */
  readonly writing: ReadonlyMap<number, 'added' | 'updated'>;
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

export interface RunParts {
  readonly library: Library;
  readonly ingestSource: IngestSource;
  readonly listFolder: ListFolder;
  readonly crawl: CrawlParts;
  /** Keeps how often a request that came to something is to be repeated. */
  readonly schedule: (namespace: string, request: IngestRequest, everyMs: number | undefined) => Promise<void>;
  /** Told of failures whose cause a caller may not see. */
  readonly onUnexpected: (error: unknown) => void;
}

const maxConcurrentTasks = 4;

export const labelOfTask = (task: Task): string =>
  task.type === 'source' ? task.source.label : task.type === 'page' ? task.url : task.label;

export function createRun({ library, ingestSource, listFolder, crawl: crawlParts, schedule, onUnexpected }: RunParts): Run {
  return async ({ namespace, requests, prune, signal, observer, history }) => {
    const tasks: Task[] = [...requests];
    const done = new Set<number>();
    const crawls = new Map<number, Crawl>();
    const attempts = new Map<number, number>();
    /** Task → the request that it follows from. */
    const origins = requests.map((_, number) => number);
    const successful = new Set<number>();
    /** Pages that ended in a row. */
    const pagesRead = new Set<number>();

    const keyOf = (site: Extract<Task, { type: 'site' }>) =>
      createHash('sha256')
        .update(JSON.stringify([site.url, site.crawl]))
        .digest('hex');
    const siteAt = (number: number) => tasks[number] as Extract<Task, { type: 'site' }>;

    /** The crawl of a site whose first page is known. */
    async function openCrawl(number: number, seed: string): Promise<Crawl> {
      let crawl = crawls.get(number);
      if (!crawl) {
        const site = siteAt(number);
        const known = (await library.findShelf(namespace))?.crawl(keyOf(site)) ?? [];
        crawl = createCrawl(seed, site.crawl, crawlParts, known);
        crawls.set(number, crawl);
      }
      return crawl;
    }

    /** Pages of a site, as tasks. */
    const pagesOf = (site: number, links: readonly { url: string; depth: number }[]): Task[] =>
      links.map(({ url, depth }) => ({ type: 'page', site, url, depth }));

    async function discover(number: number, site: Extract<Task, { type: 'site' }>): Promise<Omit<TaskDone, 'task'>> {
      const seed = await resolveSeed(crawlParts.get, site.url, signal);
      const crawl = await openCrawl(number, seed);
      return { found: pagesOf(number, await crawl.discover(signal)) };
    }

    const optionsFor = (number: number, label: string): IngestOptions => ({
      signal,
      prune,
      onStage: (stage) => observer.onStage?.(number, label, stage),
      onWriting: async (status) => observer.onWriting?.(number, status),
    });

    /** What a killed run was writing when it ended is now found as unchanged; the row says what the run did. */
    function asWritten(number: number, row: IngestRow): IngestRow {
      const was = history?.writing.get(number);
      return was && row.status === 'unchanged' ? { ...row, status: was } : row;
    }

    async function readPage(number: number, { site, url, depth }: Extract<Task, { type: 'page' }>): Promise<Omit<TaskDone, 'task'>> {
      const crawl = crawls.get(site);
      if (!crawl || !(await crawl.isAllowed(url, signal))) return {};
      const attempted = (attempts.get(site) ?? 0) + 1;
      attempts.set(site, attempted);
      if (attempted > siteAt(site).crawl.maxPages) return {};
      const shelf = await library.findShelf(namespace);
      const known = shelf?.crawl(keyOf(siteAt(site)))?.find((page) => page.url === url);
      const options: IngestOptions = {
        ...optionsFor(number, url),
        // Without a record of its links they have to be read.
        readAgain: known === undefined,
        place: ({ loaded, parsed }) => crawl.place({ url, depth }, loaded, parsed),
      };
      const { row, page } = await crawl.paced(signal, () => ingestSource(namespace, urlSource(url).source, options));
      if (!page && row.status === 'unchanged' && known?.placed) crawl.restore(url, known.placed);
      // A link to something that is no document is no fault of the site's.
      const isOther = row.error?.code === 'unsupported_media_type' && depth > 0;
      return {
        row: isOther ? { ...row, status: 'skipped' } : row,
        placed: crawl.placed(url),
        found: page ? pagesOf(site, crawl.linksOf(page.parsed, depth)) : [],
      };
    }

    async function readPath(number: number, { path, glob, label }: Extract<Task, { type: 'path' }>): Promise<Omit<TaskDone, 'task'>> {
      const folder = await listFolder(path, glob, signal);
      if (!folder) return readSource(number, fileSource(path, label));
      const labelBelow = (below: string) => `${label.replace(/\/+$/, '')}/${below}`;
      const present = new Set(folder.files.map((file) => file.path));
      const found: IngestRequest[] = folder.files.map((file) => fileSource(file.path, labelBelow(file.below)));
      // Files that an earlier ingest found here and that are gone get a row as well.
      for (const { document, version } of (await library.findShelf(namespace))?.entries() ?? []) {
        const location = document.kind === 'file' ? version?.location : undefined;
        const below = location === undefined || present.has(location) ? undefined : folder.belowOf(location);
        if (location !== undefined && below !== undefined) found.push(fileSource(location, labelBelow(below), document.file));
      }
      if (found.length === 0) throw new KnowledgeError('empty_source', 'No file of the folder matches.');
      return { found };
    }

    async function readSource(number: number, { source, expectedFile }: SourceRequest): Promise<Omit<TaskDone, 'task'>> {
      const { row } = await ingestSource(namespace, source, { ...optionsFor(number, source.label), expectedFile });
      return { row };
    }

    async function perform(number: number, task: Task): Promise<Omit<TaskDone, 'task'>> {
      try {
        if (task.type === 'site') return await discover(number, task);
        if (task.type === 'page') return await readPage(number, task);
        if (task.type === 'path') return await readPath(number, task);
        return await readSource(number, task);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof KnowledgeError)) onUnexpected(error);
        const known =
          error instanceof KnowledgeError ? error : new KnowledgeError('ingest_failed', 'The source could not be read.', { cause: error });
        const kind = task.type === 'path' ? 'file' : 'url';
        return { row: { source: labelOfTask(task), kind, status: 'failed', error: known } };
      }
    }

    /** Takes up what earlier lines of the run say. */
    async function replay({ done: finished }: RunHistory): Promise<void> {
      for (const { task: number, row, found = [], placed } of finished) {
        const task = tasks[number];
        if (!task || done.has(number)) continue;
        done.add(number);
        settle(number, found, row?.status);
        const links = found.flatMap((page) => (page.type === 'page' ? [page] : []));
        if (task.type === 'site' && links[0]) (await openCrawl(number, links[0].url)).take(links);
        if (task.type === 'page') {
          attempts.set(task.site, (attempts.get(task.site) ?? 0) + 1);
          crawls.get(task.site)?.take(links);
          if (placed) crawls.get(task.site)?.restore(task.url, placed);
        }
      }
    }

    /** A task is done: what it found are tasks now, in the order in which this is told. */
    function settle(number: number, found: readonly Task[], status: unknown): void {
      const origin = origins[number] ?? number;
      tasks.push(...found);
      for (const _ of found) origins.push(origin);
      if (status !== undefined) pagesRead.add(number);
      if (status !== undefined && status !== 'failed') successful.add(origin);
    }

    async function keepSchedules(): Promise<void> {
      for (const [number, request] of requests.entries()) {
        const { refreshEveryMs: everyMs, ...plain } = request;
        if (everyMs !== undefined && (everyMs === null || successful.has(number))) await schedule(namespace, plain, everyMs ?? undefined);
      }
    }

    /** Puts away what each crawl found, for the next one. */
    async function recordCrawls(): Promise<void> {
      for (const [number, crawl] of crawls) {
        const pages = tasks.flatMap((task, position): KnownPage[] =>
          task.type === 'page' && task.site === number && pagesRead.has(position)
            ? [{ url: task.url, depth: task.depth, placed: crawl.placed(task.url) }]
            : [],
        );
        (await library.findShelf(namespace))?.recordCrawl(keyOf(siteAt(number)), pages);
      }
    }

    if (history) await replay(history);
    await new Promise<void>((resolve, reject) => {
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
            .then(async ({ row, found = [], placed }) => {
              const told = { task: number, row: row && asWritten(number, row), found, placed };
              settle(number, found, row?.status);
              await observer.onDone(told);
              running--;
              start();
            })
            .catch((error: unknown) => {
              running--;
              if (signal?.aborted) start();
              else reject(error);
            });
        }
        if (running === 0 && next >= tasks.length) resolve();
      };
      start();
    });
    await recordCrawls();
    await keepSchedules();
  };
}
