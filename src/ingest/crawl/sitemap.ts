/** Sitemaps (sitemaps.org) and llms.txt: the pages that a site itself lists. Bounded in files, bytes and addresses; a list that fails is left out. */
import { Parser } from 'htmlparser2';
import { nextTurn } from '../../concurrency/next-turn.ts';
import { unpackIfGzip } from '../fetch/load.ts';
import type { Get } from './robots.ts';

const maxBytes = 20 * 1024 * 1024;
const maxFiles = 50;
const maxIndexDepth = 3;
/** Read at a time, so that others are answered meanwhile. */
const charsAtATime = 262_144;
/** Of an llms.txt, more than any site has. */
const maxLlmsBytes = 2 * 1024 * 1024;
/** A Markdown link, and an address that stands alone; the first kind ends at the next bracket, so no character is looked at twice. */
const listedLink = /\]\(([^()\n]{1,2300})\)|(?<![("\w])(https?:\/\/[^\s<>()[\]"']{1,2000})/g;
const firstWord = /^\s*<?([^\s<>]{1,2000})/;

/** Streaming, so that no tree is built; the text of `<loc>`, at most `maxLocations`. */
async function parseSitemap(xml: string, maxLocations: number) {
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
  for (let from = 0; from < xml.length; from += charsAtATime) {
    parser.write(xml.slice(from, from + charsAtATime));
    await nextTurn();
  }
  parser.end();
  return { isIndex, locations };
}

/** Without a byte order mark. */
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/**
 * Addresses of the sitemaps, in their order, each once.
 * @param isOfSite sitemaps elsewhere are not read
 * @param signal ends the reading; what was found until then is given back
 */
export async function readSitemaps(
  get: Get,
  urls: readonly string[],
  isOfSite: (url: string) => boolean,
  maxLocations: number,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const open = urls.map((url) => ({ url, depth: 0 }));
  const isDone = () => signal?.aborted || seen.size >= maxFiles || found.size >= maxLocations;
  for (const { url, depth } of open) {
    if (isDone() || seen.has(url) || !isOfSite(url)) continue;
    seen.add(url);
    try {
      const answer = await get(url, { signal, maxBytes });
      const { isIndex, locations } = await parseSitemap(text(await unpackIfGzip(answer.bytes, maxBytes)), maxLocations);
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
    const answer = await get(url, { signal, maxBytes: maxLlmsBytes });
    const content = text(answer.bytes);
    // A site that answers every path with its application is no list.
    if (/^\s*</.test(content)) return [];
    const links = new Set<string>();
    for (const [, target, bare] of content.matchAll(listedLink)) {
      const link = bare ?? firstWord.exec(target ?? '')?.[1] ?? '';
      if (URL.canParse(link, url)) links.add(new URL(link, url).href);
      if (links.size === maxLinks) break;
    }
    return [...links];
  } catch {
    return [];
  }
}
