/**
 * robots.txt (RFC 9309), read once per crawl, and rate limits per host. No file (4xx) allows
 * everything; a failure (5xx, no connection) forbids everything. Parsing and matching take linear
 * time, whatever the file contains.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '../../../packages/shared/src/concurrency/queue.ts';
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { type OutboundAnswer, type OutboundRequest, userAgent } from '../fetch/outbound.ts';

/** Reads robots.txt, sitemaps and llms.txt. @throws as `Outbound` */
export type Get = (
  url: string,
  request: OutboundRequest,
) => Promise<Pick<OutboundAnswer, 'status' | 'url' | 'bytes'>>;

export interface Robots {
  isAllowed(url: string): boolean;
  readonly crawlDelayMs: number;
  readonly sitemaps: readonly string[];
}

/** RFC 9309 2.5: a crawler may stop reading after 500 KiB. */
const maxReadBytes = 512 * 1024;
/** A larger file is not read and allows everything. */
const maxBytes = 4 * 1024 * 1024;
/** Longer than any URL of a crawl. Longer lines are ignored; longer paths are cut. */
const maxLineChars = 2_100;
/**
 * Maximum stars in the rules of one group; later rules with stars are ignored. Each star costs up
 * to 40 µs per path.
 */
const maxStars = 1_000;
const maxSitemaps = 1_000;
const maxCrawlDelayMs = 60_000;

interface Group {
  /** Keyed by text, so that repeated rules count once. */
  readonly rules: Map<string, Rule>;
  stars: number;
  crawlDelay: number;
}

/** Patterns and paths are compared in this form: unreserved characters decoded (RFC 9309 2.2.2). */
const comparable = (path: string) =>
  path.replace(/%[\da-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : code.toUpperCase();
  });
const encoded = (pattern: string) =>
  comparable(pattern.replace(/[^!-~]+|["<>^`{}]/g, encodeURIComponent));

function toRule(text: string, isAllowed: boolean) {
  const pattern = encoded(text);
  const isWhole = pattern.endsWith('$');
  return {
    isAllowed,
    pattern,
    parts: (isWhole ? pattern.slice(0, -1) : pattern).split('*'),
    isWhole,
  };
}
type Rule = ReturnType<typeof toRule>;

/** Greedy without backtracking: the first position of each part is never worse than a later one. */
function matches({ parts, isWhole }: Rule, path: string) {
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
/** Product token without version (RFC 9309 2.2.1). */
const agentOf = (value: string) => /^(?:[a-z_-]+|\*)/i.exec(value)?.[0].toLowerCase();

class RobotsFile {
  readonly sitemaps: string[] = [];
  readonly #groups = new Map<string, Group>();
  /** Groups of the next rule: consecutive user-agent lines share their rules. */
  #current = new Set<Group>();
  #isNaming = false;

  read(line: string) {
    const [, name = '', value = ''] = /^\s*([\w-]{1,20})\s*:([^#]*)/.exec(line) ?? [];
    this.#set(name.toLowerCase(), value.trim());
  }

  #set(name: string, value: string) {
    if (name === 'user-agent') this.#name(agentOf(value));
    else if (name === 'sitemap' && value !== '' && this.sitemaps.length < maxSitemaps)
      this.sitemaps.push(value);
    else if (name === 'allow' || name === 'disallow' || name === 'crawl-delay') {
      this.#isNaming = false;
      for (const group of this.#current) {
        if (name === 'crawl-delay') group.crawlDelay = Number(value) || 0;
        else addRule(group, value, name === 'allow');
      }
    }
  }

  #name(agent: string | undefined) {
    if (!this.#isNaming) this.#current = new Set();
    this.#isNaming = true;
    if (agent !== userAgent && agent !== anyAgent) return;
    const group = this.#groups.get(agent) ?? { rules: new Map(), stars: 0, crawlDelay: 0 };
    this.#groups.set(agent, group);
    this.#current.add(group);
  }

  toRobots(): Robots {
    const { rules, crawlDelay } = this.#groups.get(userAgent) ??
      this.#groups.get(anyAgent) ?? { rules: new Map(), crawlDelay: 0 };
    // The longest pattern wins; on a tie, `allow` (RFC 9309 2.2.2).
    const sorted = [...rules.values()].sort(
      (a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed),
    );
    return {
      isAllowed(url) {
        const { pathname, search } = new URL(url);
        const path = comparable(`${pathname}${search}`.slice(0, maxLineChars));
        return sorted.find((rule) => matches(rule, path))?.isAllowed ?? true;
      },
      crawlDelayMs: Math.min(maxCrawlDelayMs, 1000 * Math.max(0, crawlDelay)),
      sitemaps: this.sitemaps,
    };
  }
}

function addRule(group: Group, value: string, isAllowed: boolean) {
  const key = `${isAllowed ? '+' : '-'}${value}`;
  if (value === '' || group.rules.has(key)) return;
  const rule = toRule(value, isAllowed);
  const stars = rule.parts.length - 1;
  group.stars += stars;
  if (stars === 0 || group.stars <= maxStars) group.rules.set(key, rule);
}

const allowAll: Robots = { isAllowed: () => true, crawlDelayMs: 0, sitemaps: [] };

const unreadable = 'Its pages are not read without robots.txt.';

async function parseRobots(bytes: Uint8Array) {
  const text = new TextDecoder().decode(bytes.subarray(0, maxReadBytes));
  const file = new RobotsFile();
  const slicer = new TimeSlicer();
  for (const { 0: line, index } of text.matchAll(/[^\r\n]+/g)) {
    // Skips a truncated last line, because it would be a different rule.
    const isCut = bytes.byteLength > maxReadBytes && index + line.length === text.length;
    if (line.length <= maxLineChars && !isCut) file.read(line);
    await slicer.pause();
  }
  return file.toRobots();
}

export async function readRobots(
  get: Get,
  siteUrl: string,
  signal: AbortSignal | undefined,
): Promise<Robots> {
  const url = new URL('/robots.txt', siteUrl).href;
  try {
    const { status, bytes } = await get(url, { signal, maxBytes });
    const failed = `The site's robots.txt answered with status ${status}. ${unreadable}`;
    if (status >= 500) throw new KnowledgeError('robots_disallowed', failed);
    return status < 200 || status > 299 ? allowAll : await parseRobots(bytes);
  } catch (error) {
    if (!(error instanceof KnowledgeError)) throw error;
    const { code, message } = error;
    // A crawler may ignore rules beyond its size limit (RFC 9309 2.5).
    if (code === 'payload_too_large') return allowAll;
    if (code !== 'fetch_failed' && code !== 'timeout') throw error;
    throw new KnowledgeError(code, `${message} ${unreadable}`, { cause: error });
  }
}

/** Limits requests to a host. */
export class Throttle {
  readonly #limit;
  readonly #intervalMs;
  #nextStart = 0;

  /**
   * @param crawlDelayMs delay from robots.txt; if it exceeds the usual interval, requests run one at
   * a time
   */
  constructor(isLocal: boolean, crawlDelayMs = 0) {
    const usualMs = isLocal ? 0 : 250;
    const isSlow = crawlDelayMs > usualMs;
    this.#intervalMs = isSlow ? crawlDelayMs : usualMs;
    this.#limit = new Semaphore(isSlow ? 1 : isLocal ? 8 : 2);
  }

  run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    return this.#limit.run(async () => {
      const pause = this.#nextStart - performance.now();
      this.#nextStart = Math.max(performance.now(), this.#nextStart) + this.#intervalMs;
      if (pause > 0) await sleep(pause, undefined, signal ? { signal } : {});
      return work();
    });
  }
}
