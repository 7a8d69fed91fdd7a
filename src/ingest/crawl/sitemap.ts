/**
 * Sitemaps (sitemaps.org) and llms.txt: the pages that a site itself lists. Bounded in files, bytes, depth and addresses; a list that fails
 * is left out. They are read in slices between which others have the event loop, and the signal ends the reading.
 */
import { Parser } from 'htmlparser2';
import { createTimeSlicer } from '../../concurrency/time-slicer.ts';
import { unpackIfGzip } from '../fetch/load.ts';
import type { Get } from './robots.ts';

const maxBytes = 20 * 1024 * 1024;
const maxFiles = 50;
const maxIndexDepth = 3;
/** The parser reads this much before others may have the loop. */
const bytesAtATime = 16_384;
const roots = new Set(['urlset', 'sitemapindex']);
/** Nesting of elements, with those of extensions. The parser takes quadratic time in it. */
const maxXmlDepth = 10;
/** Of an llms.txt, more than any site has. */
const maxLlmsBytes = 2 * 1024 * 1024;
/** A Markdown link, and an address that stands alone; the first kind ends at the next bracket, so no character is looked at twice. */
const listedLink = /\]\(([^()\n]{1,2300})\)|(?<![("\w])(https?:\/\/[^\s<>()[\]"']{1,2000})/g;
const firstWord = /^\s*<?([^\s<>]{1,2000})/;

/** Reads at most `maxLocations` texts of `<loc>` without building a tree; stops at another root and at elements nested too deeply. */
async function parseSitemap(xml: Uint8Array, maxLocations: number, signal: AbortSignal | undefined) {
  const locations: string[] = [];
  let isIndex = false;
  let location: string | undefined;
  let depth = 0;
  let isStopped = false;
  const parser = new Parser(
    {
      onopentagname(name) {
        const local = name.slice(name.lastIndexOf(':') + 1);
        depth++;
        if (depth > maxXmlDepth || (depth === 1 && !roots.has(local))) {
          isStopped = true;
          parser.pause();
        }
        if (local === 'sitemapindex') isIndex = true;
        // `<image:loc>` is a picture of the page.
        if (name === 'loc') location = '';
      },
      ontext(text) {
        if (location !== undefined && location.length < 2_100) location += text;
      },
      onclosetag(name) {
        depth--;
        if (name !== 'loc' || location === undefined) return;
        if (locations.length < maxLocations) locations.push(location.trim());
        location = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder();
  const pause = createTimeSlicer();
  for (let from = 0; from < xml.byteLength && locations.length < maxLocations && !isStopped && !signal?.aborted; from += bytesAtATime) {
    parser.write(decoder.decode(xml.subarray(from, from + bytesAtATime), { stream: true }));
    await pause();
  }
  if (!isStopped) parser.end();
  return { isIndex, locations };
}

/** Addresses of the sitemaps, each once. @param isOfSite other sitemaps are not read @param signal ends the reading early */
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
  const pause = createTimeSlicer();
  for (const { url, depth } of open) {
    await pause();
    if (isDone() || seen.has(url) || !isOfSite(url)) continue;
    seen.add(url);
    try {
      const answer = await get(url, { signal, maxBytes });
      const { isIndex, locations } = await parseSitemap(await unpackIfGzip(answer.bytes, maxBytes), maxLocations, signal);
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
    const content = new TextDecoder().decode(answer.bytes);
    // A site that answers every path with its application is no list.
    if (/^\s*</.test(content)) return [];
    const links = new Set<string>();
    const pause = createTimeSlicer();
    for (const [, target, bare] of content.matchAll(listedLink)) {
      const link = URL.parse(bare ?? firstWord.exec(target ?? '')?.[1] ?? '', url);
      if (link) links.add(link.href);
      if (links.size === maxLinks || signal?.aborted) break;
      await pause();
    }
    return [...links];
  } catch {
    return [];
  }
}
