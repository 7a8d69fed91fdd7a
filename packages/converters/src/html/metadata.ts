/** Metadata of a page: address, language, date, title and links. JSON-LD is parsed as JSON only. */
import { comparableText, languageTag } from '../source.ts';
import { attributeOf, type HtmlElement, type Page, rawTextOf, textOf } from './dom.ts';

const maxJsonNodes = 2_000;

export type ResolveUrl = (href: string) => URL | undefined;

/**
 * Resolves addresses like a browser, including `<base>`. Only http(s) and mailto are allowed. Links in
 * Google Docs lead through a page of Google.
 */
export function createUrlResolver(page: Page, location: string | undefined): ResolveUrl {
  const parse = (href: string, base?: string): URL | undefined => {
    const url = href.length > 2_048 ? null : URL.parse(href, base);
    const isVia = url?.host === 'www.google.com' && url.pathname === '/url';
    const target = isVia ? url.searchParams.get('q') : null;
    if (target) return parse(target);
    return url && /^(?:https?|mailto):$/.test(url.protocol) ? url : undefined;
  };
  const base = page('base[href]').attr('href');
  const start = (base === undefined ? undefined : parse(base.trim(), location)?.href) ?? location;
  return (href) => parse(href.trim(), start);
}

/** Returns the content of the first `<meta>` with one of these names. */
export type MetaOf = ReturnType<typeof createMeta>;

export function createMeta(page: Page) {
  const contents = new Map<string, string>();
  for (const element of page('meta')) {
    const content = attributeOf(element, 'content');
    if (!content) continue;
    for (const kind of ['property', 'name', 'http-equiv']) {
      const name = attributeOf(element, kind)?.toLowerCase();
      if (name && !contents.has(name)) contents.set(name, content.replace(/\s+/g, ' '));
    }
  }
  return (...names: readonly string[]) => names.map((name) => contents.get(name)).find(Boolean);
}

export function canonicalUrlOf(page: Page, resolve: ResolveUrl): string | undefined {
  const href = page('link[rel~="canonical" i]').attr('href')?.trim();
  const url = href ? resolve(href) : undefined;
  return url?.protocol === 'mailto:' ? undefined : url?.href;
}

export function pageLanguageOf(page: Page, metaOf: MetaOf): string | undefined {
  const html = page('html');
  const own = html.attr('lang') || html.attr('xml:lang');
  return [own, metaOf('content-language'), metaOf('og:locale')].map(languageTag).find(Boolean);
}

/** Returns an ISO 8601 date, or a time with its zone; undefined for other text. */
function isoDateOf(text = '') {
  const [, day, rest = text] = /^(\d{4}-\d{2}-\d{2})(?:[T ](.+))?$/.exec(text) ?? [];
  const hasZone = /(?:Z|GMT|UTC|[+-]\d{2}:?\d{2})$/i.test(rest.trim());
  const date = new Date(hasZone ? text : `${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return undefined;
  return hasZone ? date.toISOString() : day;
}

/** Objects in the page's JSON-LD, outermost first. */
export function* jsonNodesOf(page: Page): Generator<object> {
  for (const script of page('script[type="application/ld+json" i]').slice(0, 10)) {
    const waiting = [parsedJson(rawTextOf(script.children[0] ?? script))];
    for (let seen = 0; seen < Math.min(waiting.length, maxJsonNodes); seen++) {
      const node = waiting[seen];
      if (typeof node !== 'object' || node === null) continue;
      yield node;
      waiting.push(...Object.values(node).slice(0, maxJsonNodes));
    }
  }
}

function parsedJson(text: string): unknown {
  try {
    return text.length > 262_144 ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function lastModifiedOf(page: Page, metaOf: MetaOf): string | undefined {
  const marked = page('[itemprop="dateModified"]').first();
  const stated = [
    metaOf('article:modified_time'),
    metaOf('og:updated_time'),
    marked.attr('content') ?? marked.attr('datetime') ?? marked.text().trim(),
    metaOf('last-modified', 'dcterms.modified'),
    ...jsonNodesOf(page).map((node) => ('dateModified' in node ? String(node.dateModified) : '')),
  ];
  return stated.map(isoDateOf).find(Boolean);
}

/**
 * Returns distinct absolute URLs without fragments, in page order. Empty if the page forbids
 * following links.
 */
export function linksOf(page: Page, metaOf: MetaOf, resolve: ResolveUrl): string[] {
  if (/(?:^|[\s,])(?:nofollow|none)(?:[\s,]|$)/i.test(metaOf('robots') ?? '')) return [];
  const links = new Set<string>();
  for (const element of page(':is(a, area)[href]:not([rel~="nofollow" i])')) {
    const href = attributeOf(element, 'href') ?? '#';
    if (href.startsWith('#')) continue;
    const url = resolve(href);
    if (!url || url.protocol === 'mailto:') continue;
    url.hash = '';
    links.add(url.href);
    if (links.size === 5_000) break;
  }
  return [...links];
}

const cleanTitle = (text = '') => text.replace(/\s+/g, ' ').trim().slice(0, 300);

export type Titles = ReturnType<typeof titlesOf>;

export function titlesOf(page: Page, metaOf: MetaOf) {
  return {
    head: cleanTitle(page(':not(svg) > title').first().text()),
    // From tags for social media.
    shared: cleanTitle(metaOf('og:title', 'twitter:title')),
    site: cleanTitle(metaOf('og:site_name', 'application-name')),
  };
}

const lastDash = /^(.*\S)\s+[›—–:-]{1,2}\s+(.*)$/;

/**
 * Returns the first part that is not the site name: `Refunds | Help | Acme` → `Refunds`. Also
 * removes the site name after a dash.
 */
function withoutSite(title: string, { site }: Titles, host: string) {
  const isSite = (part: string) => {
    const plain = comparableText(part);
    const isInHost = plain.length > 2 && comparableText(host).includes(plain);
    return isInHost || (plain !== '' && plain === comparableText(site));
  };
  const named = title.split(/\s+[·•»]\s+|\s*\|\s*/).find((part) => !isSite(part)) ?? title;
  const [, start = named, end = ''] = lastDash.exec(named) ?? [];
  const isName = end.split(' ').length <= 4 && !/\d/.test(end) && !lastDash.test(start);
  return isSite(end) || (end !== '' && isName && !isSite(start)) ? start : named;
}

/**
 * Returns the first heading if it is the only one or part of a title; otherwise a title without the
 * name of the site or host.
 */
export function titleOf(
  titles: Titles,
  headings: readonly HtmlElement[],
  location: string | undefined,
): string | undefined {
  const host = URL.parse(location ?? '')?.hostname ?? '';
  const shared = withoutSite(titles.shared, titles, host);
  const head = withoutSite(titles.head, titles, host);
  const [first = '', ...others] = headings.map((heading) => textOf(heading, 300)).filter(Boolean);
  const isHeadingUsed =
    others.length === 0 ||
    comparableText(titles.shared + titles.head).includes(comparableText(first));
  return (isHeadingUsed && first) || shared || head || first || undefined;
}
