/** What a page is called: its first heading, or what its head says, without the name of the site. */
import { findFirst, type HtmlElement, type HtmlNode, parentOf, rawTextOf, textOf } from './dom.ts';
import type { MetaOf } from './metadata.ts';

export interface Titles {
  /** As in `<title>` and for links from elsewhere. */
  readonly head: string;
  readonly shared: string;
  readonly site: string;
}

const clean = (text: string | undefined) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, 300);

export function titlesOf(root: HtmlNode, metaOf: MetaOf): Titles {
  const title = findFirst(root, (element) => element.name === 'title' && parentOf(element)?.name !== 'svg');
  return {
    head: clean(title && rawTextOf(title, 1_000)),
    shared: clean(metaOf('og:title', 'twitter:title')),
    site: clean(metaOf('og:site_name', 'application-name')),
  };
}

const separator = /\s+[|·•»›—–:-]{1,2}\s+|\s*\|\s*/g;
const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const maxSiteWords = 4;

/** `Refunds | Help | Acme` → `Refunds`: a name of the site at either end goes, and short names after a bar. */
function withoutSite(title: string, { site }: Titles, host: string): string {
  const bounds = [...title.matchAll(separator)];
  const first = bounds[0];
  if (first === undefined) return title;
  const name = letters(site);
  const isSite = (part: string) => {
    const plain = letters(part);
    return plain !== '' && (plain === name || (plain.length > 2 && host.replace(/[^\p{L}\p{N}]/gu, '').includes(plain)));
  };
  const start = title.slice(0, first.index);
  if (isSite(start)) return withoutSite(title.slice(first.index + first[0].length), { head: '', shared: '', site }, host) || title;
  const last = bounds.findLast((bound) => {
    const rest = title.slice(bound.index + bound[0].length);
    return (
      isSite(rest) ||
      (/[|·•»]/.test(bound[0]) ? bound === first : rest.split(' ').length <= maxSiteWords && !/\d/.test(rest) && bounds.length === 1)
    );
  });
  return last === undefined ? title : title.slice(0, last.index).trim() || title;
}

/**
 * @param content the page's content; undefined where it has none
 * @param location address of the page, whose host may be the site's name
 */
export function titleOf(titles: Titles, headings: readonly HtmlElement[], location: string | undefined): string | undefined {
  const host = location !== undefined && URL.canParse(location) ? new URL(location).hostname : '';
  const shared = withoutSite(titles.shared, titles, host);
  const head = withoutSite(titles.head, titles, host);
  const [first, ...others] = headings.map((heading) => textOf(heading, 300)).filter((text) => text !== '');
  const isNamed = first !== undefined && (others.length === 0 || letters(titles.shared + titles.head).includes(letters(first)));
  return (isNamed ? first : undefined) ?? (shared || head || first || undefined);
}
