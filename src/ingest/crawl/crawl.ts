/**
 * State of a crawl: the URLs seen, and the page stored for each text. It depends only on the pages
 * and their order, so a killed crawl is restored by placing its pages again. Skips pages whose URL
 * or text was seen before.
 */
import { createHash } from 'node:crypto';
import type { ParsedSource } from '../../../packages/converters/src/source.ts';
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { KnownPage, PageLink, PlacedPage } from '../../documents/document.ts';
import { sha256 } from '../../documents/document-store.ts';
import { notAllowed } from '../fetch/address-guard.ts';
import { createMatcher, type Matches } from '../glob.ts';
import type { CrawlOptions } from '../source.ts';

/**
 * Returns one key for the usual URLs of a page: with and without a slash, `.html`, `index`, `.md`.
 */
export function pageKey(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname.replace(/(?:\/(?:index\.(?:html?|mdx?))?|\.html?|\.mdx?)$/i, '')}${search}`;
}

const maxUrlLength = 2_048;
const trackingParameter =
  /^(?:utm_[a-z_]+|gclid|fbclid|msclkid|mc_cid|mc_eid|_hsenc|_hsmi|ref_src|yclid|igshid)$/i;
const fileOfOtherKind =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|mov|avi|wav|ogg|flac|woff2?|ttf|otf|eot|css|map|wasm|zip|tgz|tar|7z|rar|bz2|xz|exe|dmg|pkg|deb|rpm|iso|apk|xml|rss|atom|ics)$/i;
const pathWithSideEffects = /\/(?:logout|log-out|signout|sign-out|wp-login\.php|cart\/add)\b/i;

function isPageOf(host: string, { protocol, username, password, pathname, host: own }: URL) {
  return (
    own === host &&
    /^https?:$/.test(protocol) &&
    username === '' &&
    password === '' &&
    !fileOfOtherKind.test(pathname) &&
    !pathWithSideEffects.test(pathname)
  );
}

/** URLs that belong to a crawl: pages of one host. */
export class Scope {
  readonly #seed;
  readonly #isIncluded: Matches;
  readonly #isExcluded: Matches;

  constructor(seed: string, { include, exclude }: CrawlOptions) {
    const across = { acrossParts: true };
    this.#seed = new URL(seed);
    this.#isIncluded = include.length === 0 ? () => true : createMatcher(include, across);
    this.#isExcluded = createMatcher(exclude, across);
  }

  /** Returns a URL as it is read and stored; undefined if it is not a page of the host. */
  normalise(text: string) {
    const url = text.length > maxUrlLength ? null : URL.parse(text);
    if (!url || !isPageOf(this.#seed.host, url)) return undefined;
    url.hash = '';
    // http and https are the same site.
    url.protocol = this.#seed.protocol;
    for (const name of [...url.searchParams.keys()])
      if (trackingParameter.test(name)) url.searchParams.delete(name);
    if (url.searchParams.size === 0) url.search = '';
    return url.href;
  }

  includes(url: string) {
    const { pathname, search } = new URL(url);
    const path = `${pathname}${search}`;
    return this.#isIncluded(path) && !this.#isExcluded(path);
  }
}

const sketchSize = 32;
const minSimilarity = 0.5;

const smallest = (hashes: Iterable<number>) =>
  [...new Set(hashes)].sort((a, b) => a - b).slice(0, sketchSize);

/** MinHash of a page's words (Broder, "On the resemblance and containment of documents", 1997). */
async function sketchOf(text: string, slicer: TimeSlicer) {
  const hashes: number[] = [];
  for (const word of new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u))) {
    hashes.push(Number.parseInt(sha256(word).slice(0, 12), 16));
    await slicer.pause();
  }
  return smallest(hashes);
}

const hashedChars = 65_536;
const endsInsideCharacter = /[\ud800-\udbff]$/;

/** SHA-256 of a page's text with white space collapsed. */
async function textHashOf(text: string, slicer: TimeSlicer) {
  const hash = createHash('sha256');
  let isAfterBlank = false;
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = from + hashedChars;
    if (endsInsideCharacter.test(text.slice(to - 1, to))) to--;
    const slice = text.slice(from, to).replace(/\s+/g, ' ');
    hash.update(isAfterBlank && slice.startsWith(' ') ? slice.slice(1) : slice);
    isAfterBlank = slice.endsWith(' ');
    await slicer.pause();
  }
  return hash.digest('hex');
}

/**
 * Compares a page with its canonical page (estimated Jaccard similarity): some sites declare the
 * front page canonical for every page.
 */
function isSimilar(sketch: readonly number[], named: PlacedPage | undefined) {
  const all = smallest([...sketch, ...(named?.sketch ?? [])]);
  return (
    all.filter((hash) => sketch.includes(hash) && named?.sketch.includes(hash)).length >=
    minSimilarity * all.length
  );
}

/**
 * Address under which a page is stored, why it is skipped, or the page that must be read before it.
 */
export type Placement =
  | { readonly address: string }
  | { readonly skipped: KnowledgeError }
  | { readonly after: string }
  | { readonly forLinksOnly: true };

/** Maximum URLs seen, as a multiple of `maxPages`, because some sites generate URLs endlessly. */
const seenPerPage = 50;
/**
 * Maximum total length of the URLs from one page, or from all sitemaps and llms.txt. A job saves
 * them in one line.
 */
const maxFoundChars = 4 * 1024 * 1024;
const maxComparedChars = 100_000;

export const disallowed = () =>
  new KnowledgeError(
    'robots_disallowed',
    "The site's robots.txt does not allow this page to be read.",
  );

export const sameAs = (address: string) =>
  new KnowledgeError('duplicate_source', `The page has the same content as ${address}.`);
const redirected = (where: string): Placement => ({
  skipped: notAllowed(`The page redirects to ${where}.`),
});

export class Crawl {
  readonly seed: string;
  readonly #options;
  readonly #scope;
  readonly #known;
  readonly #seen = new Set<string>();
  readonly #pages = new Map<string, PlacedPage>();
  /** Address or text hash → stored page. */
  readonly #stored = new Map<string, PlacedPage>();
  /** Text hash → canonical URL of the first page with this text. */
  readonly #claimed = new Map<string, string>();

  constructor(seedUrl: string, options: CrawlOptions, known: readonly KnownPage[]) {
    this.#options = options;
    this.#scope = new Scope(seedUrl, options);
    this.seed = this.#scope.normalise(seedUrl) ?? seedUrl;
    this.#known = known;
  }

  async begin(listed: readonly string[]): Promise<PageLink[]> {
    const originals = this.#known.filter(({ placed }) => !placed?.isDuplicate);
    // Reads duplicates last. If their original no longer exists, one of them is stored in its
    // place.
    const duplicates = this.#known.filter(({ placed }) => placed?.isDuplicate);
    const pages = (await this.#inScope(listed)).map((url) => ({ url, depth: 1 }));
    const taken: PageLink[] = [];
    const slicer = new TimeSlicer();
    for (const link of [{ url: this.seed, depth: 0 }, ...originals, ...pages, ...duplicates]) {
      taken.push(...this.take([link]));
      await slicer.pause();
    }
    return taken;
  }

  async #inScope(urls: readonly string[]) {
    const pages: string[] = [];
    let chars = 0;
    const slicer = new TimeSlicer();
    for (const url of urls) {
      const page = this.#scope.normalise(url);
      if (page !== undefined && this.#scope.includes(page)) {
        pages.push(page);
        chars += page.length;
      }
      if (chars > maxFoundChars) break;
      await slicer.pause();
    }
    return pages;
  }

  take(links: readonly PageLink[]) {
    return links.filter(({ url }) => {
      const key = pageKey(url);
      if (this.#seen.has(key) || this.#seen.size > this.#options.maxPages * seenPerPage)
        return false;
      this.#seen.add(key);
      return true;
    });
  }

  async linksOf(page: ParsedSource, depth: number): Promise<PageLink[]> {
    if (depth >= this.#options.maxDepth) return [];
    return this.take(
      (await this.#inScope(page.links ?? [])).map((url) => ({ url, depth: depth + 1 })),
    );
  }

  /** @param page `isLast`: whether its canonical page was already tried */
  async place(
    {
      url,
      depth,
      location: loadedFrom,
      parsed,
      isLast,
    }: PageLink & Readonly<{ location: string | undefined; parsed: ParsedSource; isLast: boolean }>,
    isAllowed: (url: string) => boolean,
  ): Promise<Placement> {
    const location = this.#scope.normalise(loadedFrom ?? url);
    if (location === undefined) return redirected('another site');
    if (!isAllowed(location)) return { skipped: disallowed() };
    if (!this.#scope.includes(location))
      return depth === 0
        ? { forLinksOnly: true }
        : redirected('a URL that "include" and "exclude" do not allow');
    const { markdown } = parsed;
    const slicer = new TimeSlicer();
    const textHash = await textHashOf(markdown, slicer);
    const sketch = await sketchOf(markdown.slice(0, maxComparedChars), slicer);
    const canonical = this.#canonicalOf(parsed, location);
    const named = this.#stored.get(canonical);
    const original = (
      this.#stored.get(location) ??
      this.#stored.get(textHash) ??
      (isSimilar(sketch, named) ? named : undefined)
    )?.address;
    // If pages have equal text, the canonical page is stored, so it must be read first.
    if (!named && canonical !== location && !this.#claimed.has(textHash))
      this.#claimed.set(textHash, canonical);
    const after = this.#claimed.get(textHash) ?? location;
    if (original === undefined && !isLast && after !== location && !this.#stored.has(after))
      return { after };
    this.restore(url, {
      address: original ?? location,
      textHash,
      sketch,
      isDuplicate: original !== undefined,
    });
    return original === undefined ? { address: location } : { skipped: sameAs(original) };
  }

  #canonicalOf({ canonicalUrl }: ParsedSource, location: string) {
    const canonical = canonicalUrl === undefined ? undefined : this.#scope.normalise(canonicalUrl);
    return canonical !== undefined && this.#scope.includes(canonical) ? canonical : location;
  }

  /**
   * Records a placement: a new one, one of a killed run, or one of the last crawl if the page is
   * unchanged.
   */
  restore(url: string, placed: PlacedPage) {
    const { address, textHash, isDuplicate } = placed;
    this.#pages.set(url, placed);
    this.take([
      { url, depth: 0 },
      { url: address, depth: 0 },
    ]);
    if (!isDuplicate) this.#stored.set(address, placed).set(textHash, placed);
  }

  placed(url: string) {
    return this.#pages.get(url);
  }
}
