/**
 * What is known of one site while it is crawled: which addresses were seen, and which page each text is stored under. It follows from the
 * pages alone, in the order in which they are placed, so a crawl that was killed is rebuilt by placing them again. The host, its
 * robots.txt and the caller's limits bound it; a page that was seen under another address, or whose text was, is left out.
 */
import type { ParsedSource } from '../../convert/source.ts';
import type { KnownPage, PageLink, PlacedPage } from '../../documents/document.ts';
import { sha256 } from '../../documents/document-store.ts';
import { KnowledgeError } from '../../errors.ts';
import { createMatcher } from '../glob.ts';
import type { CrawlOptions } from '../source.ts';

/** One page under its usual addresses: with and without a slash, `.html`, `index`, and the Markdown that sites offer beside it. */
export function pageKey(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname.replace(/(?:\/(?:index\.(?:html?|mdx?))?|\.html?|\.mdx?)$/i, '')}${search}`;
}

const maxUrlLength = 2_048;
/** Parameters that say where a visitor came from, not what the page is. */
const tracking = /^(?:utm_[a-z_]+|gclid|fbclid|msclkid|mc_cid|mc_eid|_hsenc|_hsmi|ref_src|yclid|igshid)$/i;
/** Never a document, and not worth a request to find out. */
const noPage =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|mov|avi|wav|ogg|flac|woff2?|ttf|otf|eot|css|map|wasm|zip|tgz|tar|7z|rar|bz2|xz|exe|dmg|pkg|deb|rpm|iso|apk|xml|rss|atom|ics)$/i;
/** Pages that change when they are read, or that only a signed-in person sees. */
const noReading = /\/(?:logout|log-out|signout|sign-out|wp-login\.php|cart\/add)\b/i;

function isPageOf(host: string, { protocol, username, password, pathname, host: own }: URL): boolean {
  if (own !== host || (protocol !== 'http:' && protocol !== 'https:')) return false;
  return username === '' && password === '' && !noPage.test(pathname) && !noReading.test(pathname);
}

/** Which addresses belong to a crawl: pages of one host, in the form that tells two links to one page as one. */
export function createScope(seed: string, { include, exclude }: CrawlOptions) {
  const { host, protocol } = new URL(seed);
  const isIncluded = include.length === 0 ? () => true : createMatcher(include, { acrossParts: true });
  const isExcluded = createMatcher(exclude, { acrossParts: true });
  return {
    /** The form of an address that is read and stored; undefined where it is no page of the host. */
    normalise(text: string): string | undefined {
      if (text.length > maxUrlLength || !URL.canParse(text)) return undefined;
      const url = new URL(text);
      if (!isPageOf(host, url)) return undefined;
      url.hash = '';
      // A site that answers under both schemes is one site.
      url.protocol = protocol;
      for (const name of [...url.searchParams.keys()]) if (tracking.test(name)) url.searchParams.delete(name);
      if (url.searchParams.size === 0) url.search = '';
      return url.href;
    },
    /** Whether a page of the host, in its normal form, is asked for. */
    includes(url: string): boolean {
      const { pathname, search } = new URL(url);
      const path = `${pathname}${search}`;
      return isIncluded(path) && !isExcluded(path);
    },
  };
}

const hashes = 32;
const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;

function hashOf(word: string): number {
  let hash = fnvOffset;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
  return hash >>> 0;
}

/**
 * Min-wise hashes of a page's words, the same for the same words: the equal share of two pages' hashes estimates the share of words that
 * both hold (Broder, "On the resemblance and containment of documents", 1997).
 */
function minhashOf(text: string): number[] {
  const sketch = new Uint32Array(hashes).fill(0xffffffff);
  for (const word of new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u))) {
    const hash = hashOf(word);
    for (let index = 0; index < hashes; index++) {
      // A different odd multiplier and rotation for each of the hashes.
      const mixed = Math.imul(hash ^ Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b | (index << 1) | 1) >>> 0;
      if (mixed < (sketch[index] as number)) sketch[index] = mixed;
    }
  }
  return [...sketch];
}

/** 0 to 1. */
const similarity = (one: readonly number[], other: readonly number[]): number =>
  one.filter((value, index) => value === other[index]).length / hashes;

/** Where a page is stored, why it is left out, or which page has to be read before that can be said. */
export type Placement =
  | { readonly address: string }
  | { readonly skipped: KnowledgeError }
  /** It says that another address is its own. */
  | { readonly after: string }
  /** The first page, which was not asked for itself. */
  | { readonly forLinksOnly: true };

/** A page as it was read. */
export interface LoadedCrawlPage extends PageLink {
  /** Where its bytes came from, after redirects. */
  readonly location: string | undefined;
  readonly parsed: ParsedSource;
  /** Whether the page that it names as its own address was read before it, if it could be. */
  readonly isLast: boolean;
}

/** Share of words that a page has in common with the one that it names as itself. */
const minLikeness = 0.5;
/** A site that makes up addresses without end is given up at this many for each page that is read. */
const seenPerPage = 50;
/** Of a longer page only this much is compared word by word; the rest has to be the same. */
const maxComparedChars = 100_000;

export const disallowed = () => new KnowledgeError('robots_disallowed', "The site's robots.txt does not allow this page to be read.");

const skip = (code: 'source_not_allowed' | 'duplicate_source', message: string): Placement => ({
  skipped: new KnowledgeError(code, message),
});

type Fingerprint = Pick<PlacedPage, 'textHash' | 'sketch'>;

function fingerprintOf(markdown: string): Fingerprint {
  const compared = markdown.slice(0, maxComparedChars);
  const textHash = sha256(compared.replace(/\s+/g, ' ') + markdown.slice(maxComparedChars));
  return { textHash, sketch: minhashOf(compared) };
}

export class Crawl {
  readonly seed: string;
  readonly #options: CrawlOptions;
  readonly #scope: ReturnType<typeof createScope>;
  readonly #known: readonly KnownPage[];
  readonly #seen = new Set<string>();
  readonly #pages = new Map<string, PlacedPage>();
  /** Address, or hash of a text → the address that it is stored under. */
  readonly #stored = new Map<string, string>();
  /** Hash of a text → the address that the first page with this text named as its own, and that is read yet. */
  readonly #claimed = new Map<string, string>();
  readonly #sketches = new Map<string, readonly number[]>();

  constructor(seedUrl: string, options: CrawlOptions, known: readonly KnownPage[]) {
    this.#options = options;
    this.#scope = createScope(seedUrl, options);
    this.seed = this.#scope.normalise(seedUrl) ?? seedUrl;
    this.#known = known;
  }

  begin(listed: readonly string[]): PageLink[] {
    const originals = this.#known.filter(({ placed }) => !placed?.isDuplicate);
    // Last those that said the same as another: by then it is known whether that is still there.
    const duplicates = this.#known.filter(({ placed }) => placed?.isDuplicate);
    const links = [{ url: this.seed, depth: 0 }, ...originals, ...this.#inScope(listed).map((url) => ({ url, depth: 1 })), ...duplicates];
    return this.take(links.map(({ url, depth }) => ({ url, depth })));
  }

  #inScope(urls: readonly string[]): string[] {
    return urls.flatMap((url) => this.#scope.normalise(url) ?? []).filter((url) => this.#scope.includes(url));
  }

  /** Marks links as seen; gives back those that were not. */
  take(links: readonly PageLink[]): PageLink[] {
    return links.filter(({ url }) => {
      const key = pageKey(url);
      if (this.#seen.has(key) || this.#seen.size > this.#options.maxPages * seenPerPage) return false;
      this.#seen.add(key);
      return true;
    });
  }

  linksOf(page: ParsedSource, depth: number): PageLink[] {
    if (depth >= this.#options.maxDepth) return [];
    return this.take(this.#inScope(page.links ?? []).map((url) => ({ url, depth: depth + 1 })));
  }

  /** @param isAllowed what robots.txt says of an address */
  place({ url, depth, location: loadedFrom, parsed, isLast }: LoadedCrawlPage, isAllowed: (url: string) => boolean): Placement {
    const location = this.#scope.normalise(loadedFrom ?? url);
    if (location === undefined) return skip('source_not_allowed', 'The page leads to another site.');
    if (!isAllowed(location)) return { skipped: disallowed() };
    if (!this.#scope.includes(location))
      return depth === 0 ? { forLinksOnly: true } : skip('source_not_allowed', 'The page leads out of what was asked for.');
    const text = fingerprintOf(parsed.markdown);
    const original = this.#stored.get(location) ?? this.#stored.get(text.textHash) ?? this.#namedBy(parsed, location, text);
    const after = original === undefined && !isLast ? this.#claimed.get(text.textHash) : undefined;
    if (after !== undefined && after !== location && !this.#sketches.has(after)) return { after };
    this.restore(url, { address: original ?? location, ...text, isDuplicate: original !== undefined });
    return original === undefined ? { address: location } : skip('duplicate_source', `The page says the same as ${original}.`);
  }

  /**
   * The page that a page names as itself, believed where that page says much the same: templates name the front page for every page.
   * Where it is not read yet, the text is claimed for it, so that of two pages with this text the canonical one is stored.
   */
  #namedBy({ canonicalUrl }: ParsedSource, location: string, { textHash, sketch }: Fingerprint): string | undefined {
    const canonical = canonicalUrl === undefined ? undefined : this.#scope.normalise(canonicalUrl);
    if (canonical === undefined || canonical === location || !this.#scope.includes(canonical)) return undefined;
    const other = this.#sketches.get(canonical);
    const claimed = this.#claimed.get(textHash);
    if (!other && (claimed === undefined || this.#sketches.has(claimed))) this.#claimed.set(textHash, canonical);
    return other && similarity(sketch, other) >= minLikeness ? canonical : undefined;
  }

  /** A page that was placed before: in this crawl, before it was killed, or in the last one and unchanged since. */
  restore(url: string, placed: PlacedPage): void {
    const { address, textHash, sketch, isDuplicate } = placed;
    this.#pages.set(url, placed);
    this.take([
      { url, depth: 0 },
      { url: address, depth: 0 },
    ]);
    if (isDuplicate) return;
    this.#stored.set(address, address).set(textHash, address);
    this.#sketches.set(address, sketch);
  }

  placed(url: string): PlacedPage | undefined {
    return this.#pages.get(url);
  }
}
