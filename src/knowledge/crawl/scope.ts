/** Which addresses belong to a crawl: pages of one host, in the form that tells two links to one page as one. */
import { createMatcher } from '../text/glob.ts';

export interface CrawlOptions {
  readonly maxPages: number;
  /** Links from the first page: 0 reads that page alone. */
  readonly maxDepth: number;
  /** Patterns of paths, `*` across parts; empty: every path. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** One page under its usual addresses: with and without a slash, `.html`, `index`, and the Markdown that sites offer beside it. */
export function pageKey(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname.replace(/(?:\/(?:index\.(?:html?|mdx?))?|\.html?|\.mdx?)$/i, '')}${search}`;
}

export interface Scope {
  /** The form of an address that is read and stored; undefined where it is no page of the host. */
  normalise(url: string): string | undefined;
  /** Whether a page of the host, in its normal form, is asked for. */
  includes(url: string): boolean;
}

const maxUrlLength = 2_048;
/** Parameters that say where a visitor came from, not what the page is. */
const tracking = /^(?:utm_[a-z_]+|gclid|fbclid|msclkid|mc_cid|mc_eid|_hsenc|_hsmi|ref_src|yclid|igshid)$/i;
/** Never a document, and not worth a request to find out. */
const noPage =
  /\.(?:png|jpe?g|gif|webp|avif|svg|ico|bmp|tiff?|mp[34]|m4[av]|webm|mov|avi|wav|ogg|flac|woff2?|ttf|otf|eot|css|map|wasm|zip|tgz|tar|7z|rar|bz2|xz|exe|dmg|pkg|deb|rpm|iso|apk|xml|rss|atom|ics)$/i;
/** Pages that change when they are read, or that only a signed-in person sees. */
const noReading = /\/(?:logout|log-out|signout|sign-out|wp-login\.php|cart\/add)\b/i;

export function createScope(seed: string, { include, exclude }: CrawlOptions): Scope {
  const { host, protocol } = new URL(seed);
  const isIncluded = include.length === 0 ? () => true : createMatcher(include, { acrossParts: true });
  const isExcluded = createMatcher(exclude, { acrossParts: true });
  return {
    normalise(text) {
      if (text.length > maxUrlLength || !URL.canParse(text)) return undefined;
      const url = new URL(text);
      if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.host !== host || url.username !== '' || url.password !== '')
        return undefined;
      if (noPage.test(url.pathname) || noReading.test(url.pathname)) return undefined;
      url.hash = '';
      // A site that answers under both schemes is one site.
      url.protocol = protocol;
      for (const name of [...url.searchParams.keys()]) if (tracking.test(name)) url.searchParams.delete(name);
      if (url.searchParams.size === 0) url.search = '';
      return url.href;
    },
    includes(url) {
      const { pathname, search } = new URL(url);
      const path = `${pathname}${search}`;
      return isIncluded(path) && !isExcluded(path);
    },
  };
}
