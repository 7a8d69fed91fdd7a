/**
 * Pages listed in sitemaps (sitemaps.org) and llms.txt, with limits on files, bytes, depth and
 * URLs. Skips files that fail. Parsing yields to the event loop, and stops when the signal aborts.
 */
import { Parser } from 'htmlparser2';
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import { unpackIfGzip } from '../fetch/load.ts';
import type { Get } from './robots.ts';

const maxBytes = 20 * 1024 * 1024;
const maxFiles = 50;
const maxIndexDepth = 3;
const sliceBytes = 16_384;
const roots = new Set(['urlset', 'sitemapindex']);
/** The parser takes quadratic time in the depth of elements. */
const maxXmlDepth = 10;
const maxLlmsBytes = 2 * 1024 * 1024;
/**
 * A Markdown link, or a bare URL. The link ends at the first bracket, so that matching takes linear
 * time.
 */
const listedLink = /\]\(([^()\n]{1,2300})\)|(?<![("\w])(https?:\/\/[^\s<>()[\]"']{1,2000})/g;
const firstWord = /^\s*<?([^\s<>]{1,2000})/;

/**
 * Reads at most `maxLocations` texts of `<loc>` without building a tree. Stops at an unknown root
 * or too deep elements.
 */
async function parseSitemap(xml: Uint8Array, maxLocations: number, signal: AbortSignal) {
  const locations: string[] = [];
  let isIndex = false;
  let location: string | undefined;
  /** With the prefix of the root: not `<image:loc>`, which is the URL of a picture. */
  let loc = '';
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
        if (depth === 1) loc = `${name.slice(0, -local.length)}loc`;
        if (local === 'sitemapindex') isIndex = true;
        if (name === loc) location = '';
      },
      ontext(text) {
        if (location !== undefined && location.length < 2_100) location += text;
      },
      onclosetag(name) {
        depth--;
        if (name !== loc || location === undefined) return;
        if (locations.length < maxLocations) locations.push(location.trim());
        location = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const decoder = new TextDecoder();
  const slicer = new TimeSlicer();
  for (
    let from = 0;
    from < xml.byteLength && locations.length < maxLocations && !isStopped && !signal.aborted;
    from += sliceBytes
  ) {
    parser.write(decoder.decode(xml.subarray(from, from + sliceBytes), { stream: true }));
    await slicer.pause();
  }
  if (!isStopped) parser.end();
  return { isIndex, locations };
}

/**
 * Lines of a text sitemap: one URL each (sitemaps.org).
 */
async function parseTextSitemap(text: string, maxLocations: number, signal: AbortSignal) {
  const locations: string[] = [];
  const slicer = new TimeSlicer();
  for (const { 0: line } of text.matchAll(/^(?:https?:\/\/|\/)\S{1,2000}(?=\s*$)/gm)) {
    if (locations.length >= maxLocations || signal.aborted) break;
    locations.push(line);
    await slicer.pause();
  }
  return { isIndex: false, locations };
}

/** Bytes of the start of a file that tell XML from plain text. */
const sniffedBytes = 512;

const parse = (bytes: Uint8Array, maxLocations: number, signal: AbortSignal) =>
  /^\s*</.test(new TextDecoder().decode(bytes.subarray(0, sniffedBytes)))
    ? parseSitemap(bytes, maxLocations, signal)
    : parseTextSitemap(new TextDecoder().decode(bytes), maxLocations, signal);

/**
 * Returns the distinct URLs in the sitemaps, absolute. @param isOfSite filters sitemap URLs @param signal
 * ends reading early, without an error
 */
export async function readSitemaps(
  get: Get,
  urls: readonly string[],
  isOfSite: (url: string) => boolean,
  maxLocations: number,
  signal: AbortSignal,
): Promise<string[]> {
  const found = new Set<string>();
  const seen = new Set<string>();
  const queue = urls.map((url) => ({ url, depth: 0 }));
  const isDone = () => signal.aborted || seen.size >= maxFiles || found.size >= maxLocations;
  const slicer = new TimeSlicer();
  for (const { url, depth } of queue) {
    await slicer.pause();
    if (isDone() || seen.has(url) || !isOfSite(url)) continue;
    seen.add(url);
    try {
      const response = await get(url, { signal, maxBytes });
      const { isIndex, locations: written } = await parse(
        await unpackIfGzip(response.bytes, maxBytes),
        maxLocations,
        signal,
      );
      const locations = written.flatMap(
        (location) => URL.parse(location, response.url.href)?.href ?? [],
      );
      if (isIndex && depth < maxIndexDepth)
        queue.push(...locations.map((location) => ({ url: location, depth: depth + 1 })));
      else if (!isIndex) for (const location of locations) found.add(location);
    } catch {
      // Skip this sitemap.
    }
  }
  return [...found].slice(0, maxLocations);
}

/** Absolute URLs of an llms.txt (llmstxt.org): Markdown links and bare URLs. */
export async function readLlmsTxt(
  get: Get,
  siteUrl: string,
  maxLinks: number,
  signal: AbortSignal,
): Promise<string[]> {
  const url = new URL('/llms.txt', siteUrl).href;
  try {
    const response = await get(url, { signal, maxBytes: maxLlmsBytes });
    const content = new TextDecoder().decode(response.bytes);
    // Some sites return the HTML of their application for every path.
    if (/^\s*</.test(content)) return [];
    const links = new Set<string>();
    const slicer = new TimeSlicer();
    for (const [, target, bare] of content.matchAll(listedLink)) {
      const link = URL.parse(bare ?? firstWord.exec(target ?? '')?.[1] ?? '', url);
      if (link) links.add(link.href);
      if (links.size === maxLinks || signal.aborted) break;
      await slicer.pause();
    }
    return [...links];
  } catch {
    return [];
  }
}
