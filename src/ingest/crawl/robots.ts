/**
 * How a site wants to be read. robots.txt (RFC 9309) is read once for a crawl: no file (4xx) allows everything. Where the server cannot
 * give it (5xx, no connection) nothing is read, and the error says what happened. Reading the file and matching a path take linear time,
 * whatever the file says. And how a host is spared: some requests at a time, with a pause between two.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createSemaphore } from '../../concurrency/queue.ts';
import { createTimeSlicer } from '../../concurrency/time-slicer.ts';
import { KnowledgeError } from '../../errors.ts';
import { type OutboundAnswer, type OutboundRequest, userAgent } from '../fetch/outbound.ts';

/** How a crawl reads what is not a document: the rules and the lists of a site. @throws as `Outbound` */
export type Get = (url: string, request: OutboundRequest) => Promise<Pick<OutboundAnswer, 'status' | 'url' | 'bytes'>>;

export interface Robots {
  isAllowed(url: string): boolean;
  readonly crawlDelayMs: number;
  readonly sitemaps: readonly string[];
}

/** RFC 9309 2.5: a crawler may stop reading after 500 KiB. */
const maxReadBytes = 512 * 1024;
/** A larger file is not loaded, and forbids nothing. */
const maxBytes = 4 * 1024 * 1024;
/** A crawl reads no page with a longer address: longer lines are ignored, and no more of a path is compared. */
const maxLineChars = 2_100;
/** Stars in the rules of one group; further rules with a star are ignored. Comparing a path takes up to 40 µs for each star. */
const maxStars = 1_000;
const maxSitemaps = 1_000;
const maxCrawlDelayMs = 60_000;

type Rule = Readonly<{ isAllowed: boolean; pattern: string; parts: readonly string[]; isWhole: boolean }>;

interface Group {
  /** By their text: a rule that is repeated counts once. */
  readonly rules: Map<string, Rule>;
  stars: number;
  crawlDelay: number;
}

/** The form in which patterns and paths are compared (RFC 9309 2.2.2). */
const withUpperCaseCodes = (path: string): string => path.replace(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
const encoded = (pattern: string): string => withUpperCaseCodes(pattern.replace(/[^!-~]+|["<>^`{}]/g, encodeURIComponent));

function toRule(text: string, isAllowed: boolean): Rule {
  const pattern = encoded(text);
  const isWhole = pattern.endsWith('$');
  return { isAllowed, pattern, parts: (isWhole ? pattern.slice(0, -1) : pattern).split('*'), isWhole };
}

/** Finds each part after the one before it. A later place of a part matches nothing that its first place does not match. */
function matches({ parts, isWhole }: Rule, path: string): boolean {
  const [first = ''] = parts;
  if (!path.startsWith(first)) return false;
  const others = parts.slice(1);
  const last = isWhole ? others.pop() : undefined;
  let end = first.length;
  for (const part of others) {
    const at = path.indexOf(part, end);
    if (at < 0) return false;
    end = at + part.length;
  }
  if (last !== undefined) return path.length - last.length >= end && path.endsWith(last);
  return !isWhole || end === path.length;
}

const anyAgent = '*';
/** The product token at the beginning of a value (RFC 9309 2.2.1), without a version. */
const agentOf = (value: string): string | undefined => /^(?:[a-z_-]+|\*)/i.exec(value)?.[0].toLowerCase();

class RobotsFile {
  readonly sitemaps: string[] = [];
  readonly #groups = new Map<string, Group>();
  /** Those that the next rule belongs to; lines of agents in sequence share their rules. */
  #current = new Set<Group>();
  #isNaming = false;

  read(line: string): void {
    const [, name = '', value = ''] = /^\s*([\w-]{1,20})\s*:([^#]*)/.exec(line) ?? [];
    this.#set(name.toLowerCase(), value.trim());
  }

  #set(name: string, value: string): void {
    if (name === 'user-agent') this.#name(agentOf(value));
    else if (name === 'sitemap' && value !== '' && this.sitemaps.length < maxSitemaps) this.sitemaps.push(value);
    else if (name === 'allow' || name === 'disallow' || name === 'crawl-delay') {
      this.#isNaming = false;
      for (const group of this.#current) {
        if (name === 'crawl-delay') group.crawlDelay = Number(value) || 0;
        else addRule(group, value, name === 'allow');
      }
    }
  }

  #name(agent: string | undefined): void {
    if (!this.#isNaming) this.#current = new Set();
    this.#isNaming = true;
    if (agent !== userAgent && agent !== anyAgent) return;
    const group = this.#groups.get(agent) ?? { rules: new Map(), stars: 0, crawlDelay: 0 };
    this.#groups.set(agent, group);
    this.#current.add(group);
  }

  toRobots(): Robots {
    const { rules, crawlDelay } = this.#groups.get(userAgent) ?? this.#groups.get(anyAgent) ?? { rules: new Map(), crawlDelay: 0 };
    // The longest pattern counts, and of two the one that allows (RFC 9309 2.2.2).
    const sorted = [...rules.values()].sort((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed));
    return {
      isAllowed(url) {
        const { pathname, search } = new URL(url);
        const path = withUpperCaseCodes(`${pathname}${search}`.slice(0, maxLineChars));
        return sorted.find((rule) => matches(rule, path))?.isAllowed ?? true;
      },
      crawlDelayMs: Math.min(maxCrawlDelayMs, 1000 * Math.max(0, crawlDelay)),
      sitemaps: this.sitemaps,
    };
  }
}

function addRule(group: Group, value: string, isAllowed: boolean): void {
  const key = `${isAllowed ? '+' : '-'}${value}`;
  if (value === '' || group.rules.has(key)) return;
  const rule = toRule(value, isAllowed);
  const stars = rule.parts.length - 1;
  group.stars += stars;
  if (stars === 0 || group.stars <= maxStars) group.rules.set(key, rule);
}

const everything: Robots = { isAllowed: () => true, crawlDelayMs: 0, sitemaps: [] };

const unreadable = 'No page of the site is read without its robots.txt.';

async function parseRobots(bytes: Uint8Array): Promise<Robots> {
  const text = new TextDecoder().decode(bytes.subarray(0, maxReadBytes));
  const file = new RobotsFile();
  const pause = createTimeSlicer();
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    // The last line may be cut, and the beginning of a rule is another rule.
    const isCut = bytes.byteLength > maxReadBytes && index + line.length === text.length;
    if (line.length <= maxLineChars && !isCut) file.read(line);
    await pause();
  }
  return file.toRobots();
}

export async function readRobots(get: Get, siteUrl: string, signal: AbortSignal | undefined): Promise<Robots> {
  const url = new URL('/robots.txt', siteUrl).href;
  try {
    const { status, bytes } = await get(url, { signal, maxBytes });
    if (status >= 500) throw new KnowledgeError('robots_disallowed', `The site's robots.txt answered with status ${status}. ${unreadable}`);
    return status < 200 || status > 299 ? everything : await parseRobots(bytes);
  } catch (error) {
    // Larger than the rules of any site: a crawler that stops reading does not know the rules behind that place (RFC 9309 2.5).
    if (error instanceof KnowledgeError && error.code === 'payload_too_large') return everything;
    if (error instanceof KnowledgeError && (error.code === 'fetch_failed' || error.code === 'timeout'))
      throw new KnowledgeError(error.code, `${error.message} ${unreadable}`, { cause: error });
    throw error;
  }
}

export type Throttle = <T>(signal: AbortSignal | undefined, work: () => Promise<T>) => Promise<T>;

/** `intervalMs` is between the starts of two requests. @param askedMs the site's own; a longer one goes with one request at a time */
export function createThrottle(isLocal: boolean, askedMs = 0): Throttle {
  const usual = isLocal ? { intervalMs: 0, maxConcurrent: 8 } : { intervalMs: 250, maxConcurrent: 2 };
  const { intervalMs, maxConcurrent } = askedMs > usual.intervalMs ? { intervalMs: askedMs, maxConcurrent: 1 } : usual;
  const limit = createSemaphore(maxConcurrent);
  let nextStart = 0;
  return (signal, work) =>
    limit(async () => {
      const pause = nextStart - performance.now();
      nextStart = Math.max(performance.now(), nextStart) + intervalMs;
      if (pause > 0) await sleep(pause, undefined, signal ? { signal } : {});
      return work();
    });
}
