/** The sites of one run: finds their pages, reads each once and politely, and puts away what was found, for the next time. */
import { createHash } from 'node:crypto';
import { KnowledgeError } from '../errors.ts';
import {
  type Crawl,
  type CrawlParts,
  createCrawl,
  disallowed,
  type KnownPage,
  type PageLink,
  type PlacedPage,
  type Placement,
  resolveSeed,
} from './crawl/crawl.ts';
import { readRobots } from './crawl/robots.ts';
import { pageKey } from './crawl/scope.ts';
import type { IngestOptions, IngestRow, IngestSource } from './ingest.ts';
import type { Library } from './library.ts';
import { type SiteRequest, urlSource } from './requests.ts';

/** Plain data. `site` is the position of the site's own task. */
export interface PageTask extends PageLink {
  readonly type: 'page';
  readonly site: number;
  /** A page that has to be read first. */
  readonly after?: string | undefined;
}

export interface PageOutcome {
  readonly row?: IngestRow | undefined;
  readonly found: readonly PageTask[];
  readonly placed?: PlacedPage | undefined;
}

export interface SiteRun {
  /** @throws KnowledgeError for a first page that cannot be read */
  discover(number: number, site: SiteRequest): Promise<PageTask[]>;
  /** Nothing for a page that the site forbids, or beyond the limit of pages. */
  readPage(task: PageTask, options: IngestOptions): Promise<PageOutcome>;
  /** Takes up a site, or a page, that was done before the run was killed. */
  replaySite(number: number, site: SiteRequest, found: readonly PageTask[]): Promise<void>;
  replayPage(task: PageTask, outcome: Omit<PageOutcome, 'row'> & { readonly isRow: boolean }): void;
  /** Puts away what each crawl found. @param pages of all sites, without those that are gone */
  record(pages: readonly PageTask[]): Promise<void>;
}

export interface SiteRunParts {
  readonly library: Library;
  readonly ingestSource: IngestSource;
  readonly crawl: CrawlParts;
}

/** Of the pages that were found and not read, as many are remembered for each that is read. */
const recordedPerPage = 4;

interface Site {
  /** The same for the same site asked for in the same way. */
  readonly key: string;
  readonly crawl: Crawl;
  readonly maxPages: number;
  /** Pages of the last crawl, by address. */
  readonly known: ReadonlyMap<string, KnownPage>;
  attempts: number;
  /** Pages that are being read. */
  readonly running: Map<string, Promise<void>>;
}

export function createSiteRun(namespace: string, signal: AbortSignal | undefined, parts: SiteRunParts): SiteRun {
  const sites = new Map<number, Site>();

  /** @param seed the address that the first page really has */
  async function open(number: number, { url, crawl: options }: SiteRequest, seed: string): Promise<Crawl> {
    const key = createHash('sha256')
      .update(JSON.stringify([url, options]))
      .digest('hex');
    const known = (await parts.library.findShelf(namespace))?.crawl(key) ?? [];
    const crawl = createCrawl(seed, options, parts.crawl, known);
    sites.set(number, {
      key,
      crawl,
      maxPages: options.maxPages,
      known: new Map(known.map((page) => [page.url, page])),
      attempts: 0,
      running: new Map(),
    });
    return crawl;
  }

  const tasksOf = (site: number, links: readonly PageLink[]): PageTask[] =>
    links.map(({ url, depth }) => ({ type: 'page', site, url, depth }));

  /** What the row of a page says in the view of its site. */
  function rowOf(row: IngestRow, depth: number, before: PlacedPage | undefined): IngestRow {
    // The document is that of another page, which has a row of its own.
    if (row.status === 'unchanged' && before?.isDuplicate) {
      const { source, kind } = row;
      const error = new KnowledgeError('duplicate_source', `The page says the same as ${before.address}.`);
      return { source, kind, status: 'skipped', error };
    }
    // A link to something that is no document is no fault of the site's.
    return row.error?.code === 'unsupported_media_type' && depth > 0 ? { ...row, status: 'skipped' } : row;
  }

  async function read(site: Site, { site: number, url, depth }: PageTask, isLast: boolean, options: IngestOptions): Promise<PageOutcome> {
    const { crawl } = site;
    const known = site.known.get(url);
    let placement: Placement | undefined;
    const pageOptions: IngestOptions = {
      ...options,
      // Without a record of its links they have to be read.
      readAgain: known?.placed === undefined,
      place({ loaded, parsed }) {
        placement = crawl.place({ url, depth }, loaded, parsed, isLast);
        if (typeof placement === 'object' && 'identified' in placement) return placement.identified;
        return typeof placement === 'object' && 'skipped' in placement ? placement.skipped : new KnowledgeError('duplicate_source', '');
      },
    };
    const { row, page } = await crawl.paced(signal, () => parts.ingestSource(namespace, urlSource(url).source, pageOptions));
    if (!page && row.status === 'unchanged' && known?.placed) crawl.restore(url, known.placed);
    if (typeof placement === 'object' && 'after' in placement) {
      const { after } = placement;
      return { found: [...tasksOf(number, crawl.take([{ url: after, depth }])), { type: 'page', site: number, url, depth, after }] };
    }
    return {
      row: placement === 'read for its links' ? undefined : rowOf(row, depth, page ? undefined : known?.placed),
      found: page ? tasksOf(number, crawl.linksOf(page.parsed, depth)) : [],
      placed: crawl.placed(url),
    };
  }

  return {
    async discover(number, request) {
      const { get, userAgent } = parts.crawl;
      const robots = await readRobots(get, request.url, userAgent, signal);
      if (!robots.isAllowed(request.url)) throw disallowed();
      const crawl = await open(number, request, await resolveSeed(get, request.url, signal));
      return tasksOf(number, await crawl.discover(signal));
    },

    async readPage(task, options) {
      const site = sites.get(task.site);
      if (!site || !(await site.crawl.isAllowed(task.url, signal))) return { found: [] };
      const isLast = task.after !== undefined;
      const after = task.after ?? site.crawl.originalOf(task.url);
      if (after !== undefined && pageKey(after) !== pageKey(task.url)) await site.running.get(pageKey(after));
      if (site.attempts >= site.maxPages) return { found: [] };
      site.attempts++;
      const reading = Promise.withResolvers<void>();
      site.running.set(pageKey(task.url), reading.promise);
      try {
        const outcome = await read(site, task, isLast, options);
        // What ends in no row was no page of its own.
        if (!outcome.row) site.attempts--;
        return outcome;
      } finally {
        site.running.delete(pageKey(task.url));
        reading.resolve();
      }
    },

    async replaySite(number, request, found) {
      if (found[0]) (await open(number, request, found[0].url)).take(found);
    },

    replayPage({ site: number, url }, { found, placed, isRow }) {
      const site = sites.get(number);
      if (!site) return;
      if (isRow) site.attempts++;
      site.crawl.take(found);
      if (placed) site.crawl.restore(url, placed);
    },

    async record(pages) {
      const shelf = await parts.library.findShelf(namespace);
      for (const [number, { key, crawl, maxPages }] of sites) {
        const own = new Map<string, KnownPage>();
        for (const { site, url, depth } of pages) if (site === number) own.set(url, { url, depth, placed: crawl.placed(url) });
        shelf?.recordCrawl(key, [...own.values()].slice(0, maxPages * recordedPerPage));
      }
    },
  };
}
