/**
 * One site: what its own lists name (llms.txt, sitemaps), then the links of its pages, breadth first. The host, its robots.txt and the
 * caller's limits bound it; a page that was seen under another address, or whose text was, is left out.
 */
import { createHash } from 'node:crypto';
import { KnowledgeError } from '../../errors.ts';
import type { IdentifiedSource, LoadedSource, ParsedSource } from '../types.ts';
import type { Get } from './get.ts';
import { likeness, sketchOf } from './likeness.ts';
import { createPace, localPace, type Pace, politePace } from './pace.ts';
import { type Robots, readRobots } from './robots.ts';
import { type CrawlOptions, createScope, pageKey } from './scope.ts';
import { readLlmsTxt, readSitemaps, type SiteLists } from './sitemap.ts';

export interface PageLink {
  readonly url: string;
  /** Links from the first page. */
  readonly depth: number;
}

/** What became of a page: enough to tell the same page again, by its address or by its text. */
export interface PlacedPage {
  /** Under which the page is stored. */
  readonly address: string;
  /** Hash of its text without white space. */
  readonly textHash: string;
  readonly sketch: readonly number[];
  readonly isDuplicate: boolean;
}

/** Where a page is stored, why it is left out, or which page has to be read before that can be said. */
export type Placement =
  | { readonly identified: IdentifiedSource }
  | { readonly skipped: KnowledgeError }
  /** It names another address as its own. */
  | { readonly after: string }
  /** The first page, which was not asked for itself. */
  | 'read for its links';

/** A page of an earlier crawl. */
export interface KnownPage extends PageLink {
  readonly placed?: PlacedPage | undefined;
}

export interface CrawlParts extends SiteLists {
  readonly identify: (url: string) => IdentifiedSource;
  /** Whether a host is this machine or in its network, so the operator's own. */
  readonly isLocal: (url: string) => boolean;
  readonly userAgent: string;
}

/** The state of one crawl. It follows from the pages alone, so a crawl that was killed is rebuilt by telling it of them again. */
export interface Crawl {
  /** The first page, what the site lists itself, and what was known; reads robots.txt. @throws KnowledgeError `robots_disallowed`, `source_not_allowed` */
  discover(signal: AbortSignal | undefined): Promise<PageLink[]>;
  isAllowed(url: string, signal: AbortSignal | undefined): Promise<boolean>;
  /** Runs a request of the crawl when politeness allows it. */
  readonly paced: Pace;
  /** Marks links as seen; gives back those that were not. */
  take(links: readonly PageLink[]): PageLink[];
  /** Links of a page that have not been seen, for the next depth. */
  linksOf(page: ParsedSource, depth: number): PageLink[];
  /** @param isLast whether the page that it names as its own address has had its turn */
  place(link: PageLink, loaded: LoadedSource, parsed: ParsedSource, isLast: boolean): Placement;
  /** Another page that says what a page said the last time. */
  originalOf(url: string): string | undefined;
  /** A page that was placed before: in this crawl, before it was killed, or in the last one and unchanged since. */
  restore(url: string, placed: PlacedPage): void;
  placed(url: string): PlacedPage | undefined;
}

/** For all lists of a site together; what was read until then counts. */
const listsTimeoutMs = 60_000;
/** Share of words that a page has in common with the one that it names as itself. */
const minLikeness = 0.5;
/** A site that makes up addresses without end is given up at this many for each page that is read. */
const seenPerPage = 50;
const maxSeedBytes = 20 * 1024 * 1024;

export const disallowed = () => new KnowledgeError('robots_disallowed', "The site's robots.txt does not allow this page to be read.");

/** Where the first page really is: many sites answer under one host and live under another. @throws KnowledgeError as the loader */
export async function resolveSeed(get: Get, seedUrl: string, signal: AbortSignal | undefined): Promise<string> {
  const { status, url } = await get(seedUrl, { signal, maxBytes: maxSeedBytes });
  if (status === 404 || status === 410) throw new KnowledgeError('source_not_found', `The first page answered with status ${status}.`);
  if (status < 200 || status > 299) throw new KnowledgeError('fetch_failed', `The first page answered with status ${status}.`);
  url.hash = '';
  return url.href;
}

/** @param known pages of the last crawl with the same options */
export function createCrawl(seedUrl: string, options: CrawlOptions, parts: CrawlParts, known: readonly KnownPage[] = []): Crawl {
  const scope = createScope(seedUrl, options);
  const seed = scope.normalise(seedUrl) ?? seedUrl;
  const seen = new Set<string>();
  const maxSeen = options.maxPages * seenPerPage;
  const pages = new Map<string, PlacedPage>();
  const last = new Map(known.map((page) => [page.url, page.placed]));
  /** Address, or hash of a text → the address that it is stored under. */
  const stored = new Map<string, string>();
  const sketches = new Map<string, readonly number[]>();
  const usualPace = parts.isLocal(seed) ? localPace : politePace;
  let robots: Promise<Robots> | undefined;
  /** The same, once it is read. */
  let knownRules: Robots | undefined;
  let pace: Pace | undefined;

  const rules = (signal: AbortSignal | undefined): Promise<Robots> => {
    if (!robots) {
      robots = readRobots(parts.get, seed, parts.userAgent, signal);
      robots.then(
        (read) => {
          knownRules = read;
        },
        () => {
          robots = undefined;
        },
      );
    }
    return robots;
  };

  const isOfSite = (url: string) => URL.canParse(url) && new URL(url).host === new URL(seed).host;
  const inScope = (urls: readonly string[]) => urls.flatMap((url) => scope.normalise(url) ?? []).filter(scope.includes);

  function take(links: readonly PageLink[]): PageLink[] {
    return links.filter(({ url }) => {
      const key = pageKey(url);
      if (seen.has(key) || seen.size > maxSeen) return false;
      seen.add(key);
      return true;
    });
  }

  function restore(url: string, placed: PlacedPage): void {
    pages.set(url, placed);
    take([
      { url, depth: 0 },
      { url: placed.address, depth: 0 },
    ]);
    if (placed.isDuplicate) return;
    stored.set(placed.address, placed.address).set(placed.textHash, placed.address);
    sketches.set(placed.address, placed.sketch);
  }

  return {
    async discover(signal) {
      const { isAllowed, sitemaps } = await rules(signal);
      if (!isAllowed(seed)) throw disallowed();
      const listed: string[] = [];
      if (options.maxDepth > 0) {
        // Some of what a site lists is of other kinds or left out by the patterns.
        const maxListed = options.maxPages * 4;
        const patience = AbortSignal.any([AbortSignal.timeout(listsTimeoutMs), ...(signal ? [signal] : [])]);
        const sitemapUrls = sitemaps.length > 0 ? sitemaps : [new URL('/sitemap.xml', seed).href];
        listed.push(...(await readSitemaps(parts, sitemapUrls, isOfSite, maxListed, patience)));
        listed.push(...(await readLlmsTxt(parts.get, seed, maxListed, patience)));
        signal?.throwIfAborted();
      }
      // Last those that said the same as another: by then it is known whether that is still there.
      const [duplicates, originals] = [true, false].map((is) => known.filter(({ placed }) => (placed?.isDuplicate ?? false) === is));
      const links = [...(originals ?? []), ...inScope(listed).map((url) => ({ url, depth: 1 })), ...(duplicates ?? [])];
      return take([{ url: seed, depth: 0 }, ...links.map(({ url, depth }) => ({ url, depth }))]);
    },

    isAllowed: async (url, signal) => (await rules(signal)).isAllowed(url),

    async paced(signal, work) {
      const { crawlDelayMs } = await rules(signal);
      pace ??= createPace(crawlDelayMs > usualPace.intervalMs ? { intervalMs: crawlDelayMs, maxConcurrent: 1 } : usualPace);
      return pace(signal, work);
    },

    take,

    linksOf: (page, depth) => (depth >= options.maxDepth ? [] : take(inScope(page.links ?? []).map((url) => ({ url, depth: depth + 1 })))),

    place(link, loaded, parsed, isLast) {
      const skip = (code: 'source_not_allowed' | 'duplicate_source', message: string) => ({
        skipped: new KnowledgeError(code, message),
      });
      const location = scope.normalise(loaded.location ?? link.url);
      if (location === undefined) return skip('source_not_allowed', 'The page leads to another site.');
      if (knownRules?.isAllowed(location) === false) return { skipped: disallowed() };
      if (!scope.includes(location))
        return link.depth === 0 ? 'read for its links' : skip('source_not_allowed', 'The page leads out of what was asked for.');

      const textHash = createHash('sha256').update(parsed.markdown.replace(/\s+/g, ' ')).digest('hex');
      const sketch = sketchOf(parsed.markdown);
      let original = stored.get(location) ?? stored.get(textHash);
      // What a page names as its own address is believed where that page says much the same: templates name the front page for every page.
      const canonical = parsed.canonicalUrl === undefined ? undefined : scope.normalise(parsed.canonicalUrl);
      if (original === undefined && canonical !== undefined && canonical !== location && scope.includes(canonical)) {
        const other = sketches.get(canonical);
        if (other && likeness(sketch, other) >= minLikeness) original = canonical;
        else if (!other && !isLast) return { after: canonical };
      }
      restore(link.url, { address: original ?? location, textHash, sketch, isDuplicate: original !== undefined });
      return original === undefined
        ? { identified: parts.identify(location) }
        : skip('duplicate_source', `The page says the same as ${original}.`);
    },

    originalOf(url) {
      const before = last.get(url);
      return before?.isDuplicate ? before.address : undefined;
    },

    restore,
    placed: (url) => pages.get(url) ?? undefined,
  };
}
