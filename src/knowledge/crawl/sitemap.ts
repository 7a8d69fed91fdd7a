/** Sitemaps (sitemaps.org) and llms.txt: the pages that a site itself lists. Bounded in files, bytes and addresses; a list that fails is left out. */
import { Parser } from 'htmlparser2';
import type { Get } from './get.ts';

const maxBytes = 20 * 1024 * 1024;
const maxFiles = 50;
const maxIndexDepth = 3;

export interface SiteLists {
  readonly get: Get;
  /** Unpacks a `.gz`; other bytes are given back as they are. */
  readonly unpack: (bytes: Uint8Array, maxBytes: number) => Promise<Uint8Array>;
}

interface Sitemap {
  readonly isIndex: boolean;
  readonly locations: readonly string[];
}

/** Streaming, so that no tree is built; the text of `<loc>`, at most `maxLocations`. */
function parseSitemap(xml: string, maxLocations: number): Sitemap {
  const locations: string[] = [];
  let isIndex = false;
  let location: string | undefined;
  const parser = new Parser(
    {
      onopentag(name) {
        const local = name.replace(/^.*:/, '');
        if (local === 'sitemapindex') isIndex = true;
        // `<image:loc>` is a picture of the page.
        if (name === 'loc') location = '';
      },
      ontext(text) {
        if (location !== undefined && location.length < 2_100) location += text;
      },
      onclosetag(name) {
        if (name !== 'loc' || location === undefined) return;
        if (locations.length < maxLocations) locations.push(location.trim());
        location = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
  return { isIndex, locations };
}

const text = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    .toString('utf8')
    .replace(/^\uFEFF/, '');

/**
 * Addresses of the sitemaps, in their order, each once.
 * @param isOfSite sitemaps elsewhere are not read
 * @param signal ends the reading; what was found until then is given back
 */
export async function readSitemaps(
  { get, unpack }: SiteLists,
  urls: readonly string[],
  isOfSite: (url: string) => boolean,
  maxLocations: number,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const open = urls.map((url) => ({ url, depth: 0 }));
  for (
    let next = open.shift();
    next !== undefined && !signal?.aborted && seen.size < maxFiles && found.size < maxLocations;
    next = open.shift()
  ) {
    const { url, depth } = next;
    if (seen.has(url) || !isOfSite(url)) continue;
    seen.add(url);
    try {
      const answer = await get(url, { signal, maxBytes });
      const { isIndex, locations } = parseSitemap(text(await unpack(answer.bytes, maxBytes)), maxLocations);
      if (isIndex && depth < maxIndexDepth) open.push(...locations.map((location) => ({ url: location, depth: depth + 1 })));
      else if (!isIndex) for (const location of locations) found.add(location);
    } catch {
      // The others may be read.
    }
  }
  return [...found].slice(0, maxLocations);
}

/** Links of an llms.txt (llmstxt.org): Markdown links and bare addresses, absolute. */
export async function readLlmsTxt(get: Get, siteUrl: string, maxLinks: number, signal: AbortSignal | undefined): Promise<string[]> {
  const url = new URL('/llms.txt', siteUrl).href;
  try {
    const answer = await get(url, { signal, maxBytes });
    const content = text(answer.bytes);
    // A site that answers every path with its application is no list.
    if (/^\s*</.test(content)) return [];
    const links = [...content.matchAll(/\]\(\s*<?([^()\s<>]{1,2000})>?[^()\n]{0,200}\)|(?<![("\w])(https?:\/\/[^\s<>()[\]"']{1,2000})/g)];
    const absolute = links.map(([, link, bare]) => link ?? bare ?? '').filter((link) => URL.canParse(link, url));
    return [...new Set(absolute.map((link) => new URL(link, url).href))].slice(0, maxLinks);
  } catch {
    return [];
  }
}
