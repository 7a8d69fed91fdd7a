/**
 * What a caller asks to be ingested, as plain data that a job can put away: single sources, whole sites, whole folders. A string that
 * begins with http:// or https:// is a URL; one word that has a slash or a known file extension is a path; anything else is
 * the text itself.
 */
import type { CrawlOptions } from './crawl/scope.ts';
import type { Source } from './types.ts';

/** A source on the wire. */
export type SourceInput =
  | string
  | { readonly url: string; readonly crawl?: Partial<CrawlOptions> | true | undefined; readonly refreshEvery?: string | undefined }
  | { readonly path: string; readonly glob?: string | undefined; readonly refreshEvery?: string | undefined }
  | { readonly text: string; readonly title?: string | undefined };

export interface SourceRequest {
  readonly type: 'source';
  readonly source: Source;
  /** The stored file that it has to belong to, where a document is read again. */
  readonly expectedFile?: string | undefined;
}

/** @see IngestRequest; how often a source is to be read again by itself: milliseconds, null for no longer, undefined for as before. */
export interface Scheduled {
  readonly refreshEveryMs?: number | null | undefined;
}

export interface SiteRequest {
  readonly type: 'site';
  readonly url: string;
  readonly crawl: CrawlOptions;
  readonly label: string;
}

/** A path that may be a file or a folder; with a pattern it is a folder. */
export interface PathRequest {
  readonly type: 'path';
  readonly path: string;
  readonly glob: string | undefined;
  readonly label: string;
}

export type IngestRequest = Scheduled & (SourceRequest | SiteRequest | PathRequest);

export const crawlDefaults: CrawlOptions = { maxPages: 200, maxDepth: 3, include: [], exclude: [] };

const unitMs = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const minEveryMs = 60_000;
const maxEveryMs = 366 * 86_400_000;

/** `90m`, `24h`, `7d` → milliseconds, from a minute to a year; undefined for anything else. */
export function parseInterval(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? [];
  const ms = Number(count) * (unitMs.get(unit) ?? Number.NaN);
  return isInterval(ms) ? ms : undefined;
}

export const isInterval = (ms: unknown): ms is number => typeof ms === 'number' && ms >= minEveryMs && ms <= maxEveryMs;

/** The largest unit that holds a whole number: `86400000` → `1d`. */
export function formatInterval(ms: number): string {
  const [unit, size] = [...unitMs].reverse().find(([, unitSize]) => ms % unitSize === 0) ?? ['m', 60_000];
  return `${Math.round(ms / size)}${unit}`;
}

const knownExtension =
  /\.(md|mdx|markdown|txt|text|html?|xhtml|pdf|docx?|csv|tsv|json|jsonl|ndjson|ya?ml|xml|rtf|odt|pptx?|xlsx?|rst|adoc|gz|zip)$/i;
const maxLabelLength = 200;

/** How the report names a source: as the caller wrote it, cut where it is long. */
export const labelOf = (text: string): string => (text.length > maxLabelLength ? `${text.slice(0, maxLabelLength - 1)}…` : text);

export const urlSource = (url: string, label = url, expectedFile?: string): SourceRequest => ({
  type: 'source',
  source: { kind: 'url', url, label: labelOf(label) },
  expectedFile,
});
export const fileSource = (path: string, label: string, expectedFile?: string): SourceRequest => ({
  type: 'source',
  source: { kind: 'file', path, label: labelOf(label) },
  expectedFile,
});
const textSource = (text: string, title: string | undefined, label: string): SourceRequest => ({
  type: 'source',
  source: { kind: 'text', text, title, label: labelOf(label) },
});
const pathRequest = (path: string, glob: string | undefined): IngestRequest => ({ type: 'path', path, glob, label: labelOf(path) });

function fromString(input: string): IngestRequest {
  const trimmed = input.trim();
  if (/^https?:\/\//i.test(trimmed)) return urlSource(trimmed, input);
  if (!/\s/.test(trimmed) && (trimmed.includes('/') || knownExtension.test(trimmed))) return pathRequest(trimmed, undefined);
  return textSource(input, undefined, input);
}

export function toRequest(input: SourceInput): IngestRequest {
  const request = withoutSchedule(input);
  if (typeof input === 'string' || !('refreshEvery' in input) || input.refreshEvery === undefined) return request;
  return { ...request, refreshEveryMs: input.refreshEvery === 'off' ? null : (parseInterval(input.refreshEvery) ?? null) };
}

function withoutSchedule(input: SourceInput): IngestRequest {
  if (typeof input === 'string') return fromString(input);
  if ('text' in input) {
    const title = input.title?.trim() || undefined;
    return textSource(input.text, title, title ?? input.text);
  }
  if ('path' in input) return pathRequest(input.path, input.glob);
  const url = input.url.trim();
  if (input.crawl === undefined) return urlSource(url, input.url);
  const asked = Object.fromEntries(Object.entries(input.crawl === true ? {} : input.crawl).filter(([, value]) => value !== undefined));
  return { type: 'site', url, crawl: { ...crawlDefaults, ...asked }, label: labelOf(input.url) };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNone = (value: unknown): boolean => value === undefined || value === null || isText(value);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

function isSource(value: unknown): value is Source {
  if (!isObject(value) || !isText(value['label'])) return false;
  if (value['kind'] === 'url') return isText(value['url']);
  if (value['kind'] === 'file') return isText(value['path']);
  return value['kind'] === 'text' && isText(value['text']) && isTextOrNone(value['title']);
}

/** Whether something that was read from a file is a request. */
export function isIngestRequest(value: unknown): value is IngestRequest {
  if (!isObject(value)) return false;
  if (value['type'] === 'source') return isSource(value['source']) && isTextOrNone(value['expectedFile']);
  if (value['type'] === 'path') return isText(value['path']) && isText(value['label']) && isTextOrNone(value['glob']);
  const crawl = value['crawl'];
  return (
    value['type'] === 'site' &&
    isText(value['url']) &&
    isText(value['label']) &&
    isObject(crawl) &&
    Number.isInteger(crawl['maxPages']) &&
    Number.isInteger(crawl['maxDepth']) &&
    isTexts(crawl['include']) &&
    isTexts(crawl['exclude'])
  );
}
