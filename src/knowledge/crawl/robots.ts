/**
 * robots.txt (RFC 9309), read once for a crawl: no file (4xx) allows everything, a server that cannot give it (5xx, no connection)
 * allows nothing.
 */
import robotsParser from 'robots-parser';
import { KnowledgeError } from '../../errors.ts';
import type { Get } from './get.ts';

export interface Robots {
  isAllowed(url: string): boolean;
  /** Milliseconds between two requests that the site asks for. */
  readonly crawlDelayMs: number;
  readonly sitemaps: readonly string[];
}

const maxBytes = 512 * 1024;
/** Matching a pattern takes its length times the path's; patterns beyond this many characters are cut at their first star. */
const maxPatternChars = 16_384;
/** Nobody waits longer for one page. */
const maxCrawlDelayMs = 60_000;
/** The package's types are not written for an import from a module. */
const parseRules = robotsParser as unknown as (
  url: string,
  content: string,
) => {
  isAllowed(url: string, userAgent: string): boolean | undefined;
  getCrawlDelay(userAgent: string): number | undefined;
  getSitemaps(): string[];
};

function withoutHeavyPatterns(content: string): string {
  let patternChars = 0;
  return content.replace(/^[^*\r\n]*\*[^\r\n]*$/gm, (line) => {
    if (/^\s*user-agent/i.test(line)) return line;
    patternChars += line.length;
    return patternChars > maxPatternChars ? line.slice(0, line.indexOf('*')) : line;
  });
}

const everything: Robots = { isAllowed: () => true, crawlDelayMs: 0, sitemaps: [] };
const nothing: Robots = { isAllowed: () => false, crawlDelayMs: 0, sitemaps: [] };

/** @param userAgent the name by which the file may mean us */
export async function readRobots(get: Get, siteUrl: string, userAgent: string, signal: AbortSignal | undefined): Promise<Robots> {
  const url = new URL('/robots.txt', siteUrl).href;
  try {
    const { status, bytes } = await get(url, { signal, maxBytes });
    if (status >= 500) return nothing;
    if (status < 200 || status > 299) return everything;
    const rules = parseRules(url, withoutHeavyPatterns(Buffer.from(bytes).toString('utf8')));
    return {
      isAllowed: (page) => rules.isAllowed(page, userAgent) !== false,
      crawlDelayMs: Math.min(maxCrawlDelayMs, 1000 * Math.max(0, rules.getCrawlDelay(userAgent) || 0)),
      sitemaps: rules.getSitemaps(),
    };
  } catch (error) {
    if (error instanceof KnowledgeError && error.code === 'source_not_allowed') throw error;
    // Larger than anybody's rules: what is not read cannot forbid (RFC 9309 2.5 lets a crawler stop at 500 KiB).
    if (error instanceof KnowledgeError && error.code === 'payload_too_large') return everything;
    signal?.throwIfAborted();
    return nothing;
  }
}
