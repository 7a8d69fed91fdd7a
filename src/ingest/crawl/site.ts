/**
 * One site of a run: finds its pages, and reads each once and politely. Pages are read side by side and placed one after another in the
 * order in which they were found, so that which of two equal pages is stored does not depend on which is read first.
 */
import { z } from 'zod';
import { yieldToEventLoop } from '../../concurrency/event-loop.ts';
import type { KnownPage, PageLink, PlacedPage } from '../../documents/document.ts';
import { sha256 } from '../../documents/document-store.ts';
import { KnowledgeError } from '../../errors.ts';
import { isLocalUrl } from '../fetch/address-guard.ts';
import { identifyUrl } from '../fetch/load.ts';
import { failedRow, type IngestSource, type ReportRow, reportRow, type SourceTask } from '../ingest-source.ts';
import { type SiteRequest, urlSource } from '../source.ts';
import { Crawl, disallowed, type Placement } from './crawl.ts';
import { createThrottle, type Get, type Robots, readRobots, type Throttle } from './robots.ts';
import { readLlmsTxt, readSitemaps } from './sitemap.ts';

const count = z.int().min(0);

export const pageTask = z.object({
  type: z.literal('page'),
  site: count,
  url: z.string(),
  depth: count,
  after: z.string().optional(),
});
export type PageTask = z.infer<typeof pageTask>;

const placed: z.ZodType<PlacedPage> = z.object({
  address: z.string(),
  textHash: z.string(),
  sketch: z.array(z.number()),
  isDuplicate: z.boolean(),
});

/** What became of a page: no row where it is none of its own. */
export const pageOutcome = z.object({ row: reportRow.optional(), found: z.array(pageTask).optional(), placed: placed.optional() });
type PageOutcome = z.infer<typeof pageOutcome>;

type PageOptions = Omit<SourceTask, 'source'>;

export type SiteParts = Readonly<{ ingestSource: IngestSource; get: Get }>;

/** Of what a site lists itself, some is of other kinds or left out by the patterns: as many addresses are taken for each page. */
const listedPerPage = 4;
/** Of the pages that were found and not read, as many are remembered for each that is read. */
const recordedPerPage = 4;
const maxSeedBytes = 20 * 1024 * 1024;

/** The same for the same site asked for in the same way. */
export const siteKey = ({ url, crawl }: SiteRequest): string => sha256(JSON.stringify([url, crawl]));

/** Where the first page really is: many sites answer under one host and live under another. @throws KnowledgeError for one that cannot be read */
export async function findSeed(get: Get, seedUrl: string, signal: AbortSignal): Promise<string> {
  const robots = await readRobots(get, seedUrl, signal);
  if (!robots.isAllowed(seedUrl)) throw disallowed();
  const { status, url } = await get(seedUrl, { signal, maxBytes: maxSeedBytes });
  if (status === 404 || status === 410) throw new KnowledgeError('source_not_found', `The first page answered with status ${status}.`);
  if (status < 200 || status > 299) throw new KnowledgeError('fetch_failed', `The first page answered with status ${status}.`);
  url.hash = '';
  return url.href;
}

/** What the row of a page says in the view of its site. @param before what became of it the last time, where it was not read again */
function rowOfPage(row: ReportRow, depth: number, before: PlacedPage | undefined): ReportRow {
  // The document is that of another page, which has a row of its own.
  if (row.status === 'unchanged' && before?.isDuplicate)
    return { ...failedRow(row, new KnowledgeError('duplicate_source', `The page says the same as ${before.address}.`)), status: 'skipped' };
  // A link to something that is no document is no fault of the site's.
  return row.error?.code === 'unsupported_media_type' && depth > 0 ? { ...row, status: 'skipped' } : row;
}

export interface SiteOptions {
  readonly number: number;
  readonly request: SiteRequest;
  readonly seed: string;
  readonly known: ReadonlyMap<string, KnownPage>;
  readonly signal: AbortSignal | undefined;
}

export class Site {
  readonly #parts: SiteParts;
  readonly #options: SiteOptions;
  readonly #crawl: Crawl;
  #attempts = 0;
  #robots: Promise<Robots> | undefined;
  #throttle: Throttle | undefined;
  #earlier: Promise<void> = Promise.resolve();

  constructor(parts: SiteParts, options: SiteOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#crawl = new Crawl(options.seed, options.request.crawl, [...options.known.values()]);
  }

  get key(): string {
    return siteKey(this.#options.request);
  }

  #rules(signal = this.#options.signal): Promise<Robots> {
    this.#robots ??= readRobots(this.#parts.get, this.#crawl.seed, signal).catch((error: unknown) => {
      this.#robots = undefined;
      throw error;
    });
    return this.#robots;
  }

  /** The first pages. @param listsTimeoutMs for all lists of the site @throws KnowledgeError `robots_disallowed`, or why robots.txt cannot be read */
  async discover(signal: AbortSignal, listsTimeoutMs: number): Promise<PageTask[]> {
    const { seed } = this.#crawl;
    const { isAllowed, sitemaps } = await this.#rules(signal);
    if (!isAllowed(seed)) throw disallowed();
    const listsSignal = AbortSignal.any([AbortSignal.timeout(listsTimeoutMs), signal]);
    const listed = this.#options.request.crawl.maxDepth > 0 ? await this.#readLists(sitemaps, listsSignal) : [];
    signal.throwIfAborted();
    return this.#tasksOf(await this.#crawl.begin(listed));
  }

  async #readLists(sitemaps: readonly string[], signal: AbortSignal): Promise<string[]> {
    const { get } = this.#parts;
    const { seed } = this.#crawl;
    const maxListed = this.#options.request.crawl.maxPages * listedPerPage;
    const isOfSite = (url: string) => URL.canParse(url) && new URL(url).host === new URL(seed).host;
    const sitemapUrls = sitemaps.length > 0 ? sitemaps : [new URL('/sitemap.xml', seed).href];
    const listed = await readSitemaps(get, sitemapUrls, isOfSite, maxListed, signal);
    return [...listed, ...(await readLlmsTxt(get, seed, maxListed, signal))];
  }

  #tasksOf(links: readonly PageLink[]): PageTask[] {
    return links.map(({ url, depth }) => ({ type: 'page', site: this.#options.number, url, depth }));
  }

  /** Called in the order in which pages were found, and answers in it. No row for a page that is forbidden, or beyond the limit of pages. */
  async readPage(task: PageTask, options: PageOptions): Promise<PageOutcome> {
    const { maxPages } = this.#options.request.crawl;
    const earlier = this.#earlier;
    const done = Promise.withResolvers<void>();
    this.#earlier = done.promise;
    try {
      const robots = await this.#rules();
      if (!robots.isAllowed(task.url)) {
        // Thousands of pages may be forbidden in sequence.
        await yieldToEventLoop();
        return { found: [] };
      }
      // Of those before it some may come to nothing.
      if (this.#attempts >= maxPages) await earlier;
      if (this.#attempts >= maxPages) return { found: [] };
      this.#attempts++;
      const outcome = await this.#read(task, robots, earlier, options);
      if (!outcome.row) this.#attempts--;
      return outcome;
    } finally {
      void earlier.then(done.resolve);
    }
  }

  async #read(task: PageTask, robots: Robots, earlier: Promise<void>, options: PageOptions): Promise<PageOutcome> {
    const { url, depth, after } = task;
    const { isAllowed, crawlDelayMs } = robots;
    const known = this.#options.known.get(url)?.placed;
    this.#throttle ??= createThrottle(isLocalUrl(this.#crawl.seed), crawlDelayMs);
    let placement: Placement | undefined;
    const { row, page } = await this.#parts.ingestSource({
      ...options,
      source: urlSource(url).source,
      throttle: this.#throttle,
      // Without a record of its links they have to be read.
      readAgain: known === undefined,
      place: async ({ loaded, parsed }) => {
        await earlier;
        placement = await this.#crawl.place({ url, depth, location: loaded.location, parsed, isLast: after !== undefined }, isAllowed);
        if ('address' in placement) return identifyUrl(placement.address);
        return 'skipped' in placement ? placement.skipped : new KnowledgeError('duplicate_source', '');
      },
    });
    await earlier;
    if (!page && row.status === 'unchanged' && known) this.#crawl.restore(url, known);
    if (placement && 'after' in placement) {
      const before = this.#tasksOf(this.#crawl.take([{ url: placement.after, depth }]));
      return { found: [...before, { ...task, after: placement.after }] };
    }
    return {
      row: placement && 'forLinksOnly' in placement ? undefined : rowOfPage(row, depth, page ? undefined : known),
      found: page ? this.#tasksOf(await this.#crawl.linksOf(page.parsed, depth)) : [],
      placed: this.#crawl.placed(url),
    };
  }

  /** Takes up what was done before the run was killed. @param url of a page that was read; undefined for the lists of the site */
  replay(url: string | undefined, { row, found = [], placed }: PageOutcome): void {
    this.#crawl.take(found);
    if (url === undefined) return;
    if (row) this.#attempts++;
    if (placed) this.#crawl.restore(url, placed);
  }

  /** What the next crawl is to know. @param pages that were found, without those that are not there any more */
  recordOf(pages: readonly PageTask[]): KnownPage[] {
    const own = new Map<string, KnownPage>();
    for (const { site, url, depth } of pages)
      if (site === this.#options.number) own.set(url, { url, depth, placed: this.#crawl.placed(url) });
    return [...own.values()].slice(0, this.#options.request.crawl.maxPages * recordedPerPage);
  }
}
