/**
 * Crawls one site of a run. Pages are read concurrently but placed in the order in which they were
 * found. So every crawl stores the same one of two equal pages.
 */
import { z } from 'zod';
import { yieldToEventLoop } from '../../../packages/shared/src/concurrency/event-loop.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { KnownPage, PageLink, PlacedPage } from '../../documents/document.ts';
import { sha256 } from '../../documents/document-store.ts';
import { isLocalUrl } from '../fetch/address-guard.ts';
import { failureCode, identifyUrl } from '../fetch/load.ts';
import { toUrl } from '../fetch/outbound.ts';
import {
  failedRow,
  type ReportRow,
  reportRow,
  type SourceIngest,
  type SourceTask,
} from '../ingest-source.ts';
import { type SiteRequest, urlSource } from '../source.ts';
import { Crawl, disallowed, type Placement, sameAs } from './crawl.ts';
import { type Get, type Robots, readRobots, Throttle } from './robots.ts';
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

export const pageOutcome = z.object({
  row: reportRow.optional(),
  found: z.array(pageTask).optional(),
  placed: placed.optional(),
});
type PageOutcome = z.infer<typeof pageOutcome>;

type PageOptions = Omit<SourceTask, 'source'>;

export type SiteParts = Readonly<{
  ingestSource: (task: SourceTask) => ReturnType<SourceIngest['report']>;
  get: Get;
}>;

/**
 * Maximum URLs from sitemaps and llms.txt, as a multiple of `maxPages`, because some are not pages
 * or do not match.
 */
const listedPerPage = 4;
/** Maximum URLs recorded for the next crawl, as a multiple of `maxPages`. */
const recordedPerPage = 4;
const maxSeedBytes = 20 * 1024 * 1024;

/** Key of a crawl's record: equal URL and options have the same key. */
export const siteKey = ({ url, crawl }: SiteRequest): string =>
  sha256(JSON.stringify([url, crawl]));

/**
 * URL of the first page after redirects: many sites redirect to another host. @throws
 * KnowledgeError if it cannot be read
 */
export async function findSeed(get: Get, seedUrl: string, signal: AbortSignal): Promise<string> {
  const robots = await readRobots(get, toUrl(seedUrl).href, signal);
  if (!robots.isAllowed(seedUrl)) throw disallowed();
  const { status, url } = await get(seedUrl, { signal, maxBytes: maxSeedBytes });
  if (status < 200 || status > 299)
    throw new KnowledgeError(failureCode(status), `The first page answered with status ${status}.`);
  url.hash = '';
  return url.href;
}

/**
 * Adapts the row of a page to its site. @param before the last placement, if the page was not read
 * again
 */
function rowOfPage(row: ReportRow, depth: number, before: PlacedPage | undefined): ReportRow {
  // The document of a duplicate belongs to another page, which has its own row.
  if (row.status === 'unchanged' && before?.isDuplicate)
    return { ...failedRow(row, sameAs(before.address)), status: 'skipped' };
  // Links to files that are not documents are not failures.
  return row.error?.code === 'unsupported_media_type' && depth > 0
    ? { ...row, status: 'skipped' }
    : row;
}

export class Site {
  readonly #parts;
  readonly #options;
  readonly #crawl;
  #attempts = 0;
  #robots: Promise<Robots> | undefined;
  #throttle: Throttle | undefined;
  #earlier: Promise<void> = Promise.resolve();

  constructor(
    parts: SiteParts,
    options: Readonly<{
      number: number;
      request: SiteRequest;
      seed: string;
      known: ReadonlyMap<string, KnownPage>;
      signal: AbortSignal | undefined;
    }>,
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#crawl = new Crawl(options.seed, options.request.crawl, [...options.known.values()]);
  }

  get key() {
    return siteKey(this.#options.request);
  }

  #rules(signal = this.#options.signal) {
    this.#robots ??= readRobots(this.#parts.get, this.#crawl.seed, signal).catch(
      (error: unknown) => {
        this.#robots = undefined;
        throw error;
      },
    );
    return this.#robots;
  }

  /**
   * Finds the first pages. @param listsTimeoutMs for all sitemaps and llms.txt @throws
   * KnowledgeError `robots_disallowed`, or as `readRobots`
   */
  async discover(signal: AbortSignal, listsTimeoutMs: number): Promise<PageTask[]> {
    const { seed } = this.#crawl;
    const { isAllowed, sitemaps } = await this.#rules(signal);
    if (!isAllowed(seed)) throw disallowed();
    const listsSignal = AbortSignal.any([AbortSignal.timeout(listsTimeoutMs), signal]);
    const listed =
      this.#options.request.crawl.maxDepth > 0 ? await this.#readLists(sitemaps, listsSignal) : [];
    signal.throwIfAborted();
    return this.#tasksOf(await this.#crawl.begin(listed));
  }

  async #readLists(sitemaps: readonly string[], signal: AbortSignal) {
    const { get } = this.#parts;
    const { seed } = this.#crawl;
    const maxListed = this.#options.request.crawl.maxPages * listedPerPage;
    const isOfSite = (url: string) => URL.canParse(url) && new URL(url).host === new URL(seed).host;
    const named = sitemaps.flatMap((url) => URL.parse(url, seed)?.href ?? []).filter(isOfSite);
    const sitemapUrls = named.length > 0 ? named : [new URL('/sitemap.xml', seed).href];
    const listed = await readSitemaps(get, sitemapUrls, isOfSite, maxListed, signal);
    return [...listed, ...(await readLlmsTxt(get, seed, maxListed, signal))];
  }

  #tasksOf(links: readonly PageLink[]): PageTask[] {
    return links.map(({ url, depth }) => ({
      type: 'page',
      site: this.#options.number,
      url,
      depth,
    }));
  }

  /**
   * Call in the order in which pages were found; calls resolve in that order. No row for forbidden
   * pages or beyond `maxPages`. @param before what must end before the page is read
   */
  async readPage(
    task: PageTask,
    options: PageOptions,
    before?: Promise<void>,
  ): Promise<PageOutcome> {
    const { maxPages } = this.#options.request.crawl;
    const earlier = this.#earlier;
    const done = Promise.withResolvers<void>();
    this.#earlier = done.promise;
    try {
      await before;
      const robots = await this.#rules();
      if (!robots.isAllowed(task.url)) {
        // There may be thousands of forbidden pages in a row.
        await yieldToEventLoop();
        return { found: [] };
      }
      // Waits, because earlier pages may not count toward `maxPages`.
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

  async #read(
    task: PageTask,
    robots: Robots,
    earlier: Promise<void>,
    options: PageOptions,
  ): Promise<PageOutcome> {
    const { url, depth, after } = task;
    const { isAllowed, crawlDelayMs } = robots;
    const known = this.#options.known.get(url)?.placed;
    this.#throttle ??= new Throttle(isLocalUrl(this.#crawl.seed), crawlDelayMs);
    let placement: Placement | undefined;
    const { row, page } = await this.#parts.ingestSource({
      ...options,
      source: urlSource(url).source,
      throttle: this.#throttle,
      // Without a record, the links of the page are unknown.
      readAgain: known === undefined,
      place: async ({ loaded, parsed }) => {
        await earlier;
        placement = await this.#crawl.place(
          { url, depth, location: loaded.location, parsed, isLast: after !== undefined },
          isAllowed,
        );
        if ('address' in placement) return identifyUrl(placement.address);
        return 'skipped' in placement
          ? placement.skipped
          : new KnowledgeError('duplicate_source', '');
      },
    });
    await earlier;
    if (!page && row.status === 'unchanged' && known) this.#crawl.restore(url, known);
    if (placement && 'after' in placement) {
      const before = this.#tasksOf(this.#crawl.take([{ url: placement.after, depth }]));
      return { found: [...before, { ...task, after: placement.after }] };
    }
    return {
      row:
        placement && 'forLinksOnly' in placement
          ? undefined
          : rowOfPage(row, depth, page ? undefined : known),
      found: page ? this.#tasksOf(await this.#crawl.linksOf(page.parsed, depth)) : [],
      placed: this.#crawl.placed(url),
    };
  }

  /**
   * Restores the result of a killed run. @param url URL of the page; undefined for the result of
   * `discover`
   */
  replay(url: string | undefined, { row, found = [], placed }: PageOutcome) {
    this.#crawl.take(found);
    if (url === undefined) return;
    if (row) this.#attempts++;
    if (placed) this.#crawl.restore(url, placed);
  }

  /** Returns the record for the next crawl. @param pages found pages, except missing ones */
  recordOf(pages: readonly PageTask[]): KnownPage[] {
    const own = new Map<string, KnownPage>();
    for (const { site, url, depth } of pages)
      if (site === this.#options.number)
        own.set(url, { url, depth, placed: this.#crawl.placed(url) });
    return [...own.values()].slice(0, this.#options.request.crawl.maxPages * recordedPerPage);
  }
}
