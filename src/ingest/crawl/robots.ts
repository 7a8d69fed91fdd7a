/**
 * How a site wants to be read. robots.txt (RFC 9309) is read once for a crawl: no file (4xx) allows everything. Where the server cannot
 * give it (5xx, no connection) nothing is read, and the error says what happened. And how a host is spared: some requests at a time, with
 * a pause between two.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import robotsParser from 'robots-parser';
import { createLimit } from '../../concurrency/queue.ts';
import { KnowledgeError } from '../../errors.ts';
import { type OutboundAnswer, type OutboundRequest, userAgent } from '../fetch/outbound.ts';

/** How a crawl reads what is not a document: the rules and the lists of a site. @throws as `Outbound` */
export type Get = (url: string, request: OutboundRequest) => Promise<Pick<OutboundAnswer, 'status' | 'url' | 'bytes'>>;

export interface Robots {
  isAllowed(url: string): boolean;
  /** Milliseconds between two requests that the site asks for. */
  readonly crawlDelayMs: number;
  readonly sitemaps: readonly string[];
}

const maxBytes = 512 * 1024;
/** Matching a pattern takes its length times the path's; patterns beyond this many characters are cut at their first star. */
const maxPatternChars = 4_096;
/** Nobody waits longer for one page. */
const maxCrawlDelayMs = 60_000;
/** The package's types are not written for an import from a module. */
const parseRules = robotsParser as unknown as typeof robotsParser.default;

function withoutHeavyPatterns(content: string): string {
  let patternChars = 0;
  const lines = content.split(/\r\n|\r|\n/).map((line) => {
    const star = line.indexOf('*');
    if (star < 0 || /^\s*user-agent/i.test(line)) return line;
    patternChars += line.length;
    return patternChars > maxPatternChars ? line.slice(0, star) : line;
  });
  return lines.join('\n');
}

const everything: Robots = { isAllowed: () => true, crawlDelayMs: 0, sitemaps: [] };

const unreadable = 'No page of the site is read without its robots.txt.';

/** @throws KnowledgeError `robots_disallowed` for a status of 500 or more, otherwise as `get` */
export async function readRobots(get: Get, siteUrl: string, signal: AbortSignal | undefined): Promise<Robots> {
  const url = new URL('/robots.txt', siteUrl).href;
  try {
    const { status, bytes } = await get(url, { signal, maxBytes });
    if (status >= 500) throw new KnowledgeError('robots_disallowed', `The site's robots.txt answered with status ${status}. ${unreadable}`);
    if (status < 200 || status > 299) return everything;
    const rules = parseRules(url, withoutHeavyPatterns(Buffer.from(bytes).toString('utf8')));
    return {
      isAllowed: (page) => rules.isAllowed(page, userAgent) !== false,
      crawlDelayMs: Math.min(maxCrawlDelayMs, 1000 * Math.max(0, rules.getCrawlDelay(userAgent) || 0)),
      sitemaps: rules.getSitemaps(),
    };
  } catch (error) {
    // Larger than anybody's rules: what is not read cannot forbid (RFC 9309 2.5 lets a crawler stop at 500 KiB).
    if (error instanceof KnowledgeError && error.code === 'payload_too_large') return everything;
    if (error instanceof KnowledgeError && (error.code === 'fetch_failed' || error.code === 'timeout'))
      throw new KnowledgeError(error.code, `${error.message} ${unreadable}`, { cause: error });
    throw error;
  }
}

/** Runs work when it is its turn. */
export type Throttle = <T>(signal: AbortSignal | undefined, work: () => Promise<T>) => Promise<T>;

/**
 * `intervalMs` is between the starts of two requests.
 * @param isLocal on this machine or in its network, so the operator's own
 * @param askedMs the pause that the site asks for; a longer one than usual goes with one request at a time
 */
export function createThrottle(isLocal: boolean, askedMs = 0): Throttle {
  const usual = isLocal ? { intervalMs: 0, maxConcurrent: 8 } : { intervalMs: 250, maxConcurrent: 2 };
  const { intervalMs, maxConcurrent } = askedMs > usual.intervalMs ? { intervalMs: askedMs, maxConcurrent: 1 } : usual;
  const limit = createLimit(maxConcurrent);
  let nextStart = 0;
  return (signal, work) =>
    limit(async () => {
      const pause = nextStart - performance.now();
      nextStart = Math.max(performance.now(), nextStart) + intervalMs;
      if (pause > 0) await sleep(pause, undefined, signal ? { signal } : {});
      return work();
    });
}
