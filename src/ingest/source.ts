/**
 * Ingest requests as plain data that jobs and schedules can save: single sources, sites and
 * folders.
 */
import { z } from 'zod';
import { hasFileExtension } from '../../packages/converters/src/formats.ts';
import type { RawSource } from '../../packages/converters/src/source.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import type { SourceVersion } from '../documents/document.ts';
import { isCalendarDay, maxAuthorLength } from '../documents/document-file.ts';

const label = z.string();

const source = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('url'), url: z.string(), label }),
  z.object({ kind: z.literal('file'), path: z.string(), label }),
  z.object({
    kind: z.literal('text'),
    text: z.string(),
    title: z.string().optional(),
    author: z.string().optional(),
    reviewBy: z.string().optional(),
    /** Reviewed answer of a gap; stored in the folder `answers`. */
    answer: z.object({ question: z.string(), replaces: z.string().optional() }).optional(),
    label,
  }),
]);

/**
 * Uploaded file on disk. It is deleted when its request ends, so jobs and schedules cannot refer to
 * it.
 */
export type UploadedFile = Readonly<{
  kind: 'file';
  label: string;
  /** `path` on disk; `name` and `mediaType` as sent. */
  upload: Readonly<{ path: string; name: string; mediaType: string | undefined }>;
}>;

/** `label` is the source as the caller wrote it, for the report. */
export type Source = z.infer<typeof source> | UploadedFile;
export type TextSource = Extract<Source, { kind: 'text' }>;

const pattern = z.string().min(1).max(500);

const crawlOptions = z
  .strictObject({
    maxPages: z.int().min(1).max(10_000).default(200),
    maxDepth: z.int().min(0).max(20).default(3).describe('links from the first page'),
    include: z
      .array(pattern)
      .max(50)
      .default([])
      .describe('path patterns with `*` for anything; empty: every path of the host'),
    exclude: z.array(pattern).max(50).default([]),
  })
  .describe('follow llms.txt, sitemaps and links within the host; robots.txt is obeyed');
export type CrawlOptions = z.infer<typeof crawlOptions>;
export const crawlDefaults: CrawlOptions = crawlOptions.parse({});

/** Refresh interval in ms; null deletes the schedule, undefined keeps it. */
const refreshEveryMs = z.number().nullable().optional();

const sourceRequest = z.object({
  type: z.literal('source'),
  source,
  /** In a refresh, the stored file that the source must lead to. */
  expectedFile: z.string().optional(),
  refreshEveryMs,
});
const siteRequest = z.object({
  type: z.literal('site'),
  url: z.string(),
  crawl: crawlOptions,
  label,
  refreshEveryMs,
});
/** A file or a folder; with `glob` a folder. */
const pathRequest = z.object({
  type: z.literal('path'),
  path: z.string(),
  glob: z.string().optional(),
  label,
  refreshEveryMs,
});

export const ingestRequest = z.discriminatedUnion('type', [
  sourceRequest,
  siteRequest,
  pathRequest,
]);
export type IngestRequest = z.infer<typeof ingestRequest>;
export type SourceRequest = z.infer<typeof sourceRequest>;
export type SiteRequest = z.infer<typeof siteRequest>;
export type PathRequest = z.infer<typeof pathRequest>;

export type UploadRequest = Readonly<{ type: 'upload'; source: UploadedFile }>;

export type IdentifiedSource = Readonly<{
  /** Equal for equal sources; determines the name of the stored file. Never shown. */
  identity: string;
  /** Shown in citations: the URL, the path below its root, or the title of the text. */
  origin: string;
  /**
   * Title if the content has none. Depends only on the identity, because it is part of the stored
   * file's name.
   */
  fallbackTitle: string;
}>;

export interface LoadedSource extends IdentifiedSource, RawSource {
  readonly version: SourceVersion;
}

const unitMs = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
const yearMs = 366 * 86_400_000;
export const intervalMs = z.number().min(60_000).max(yearMs);

export function parseInterval(text: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text.trim()) ?? [];
  return intervalMs.safeParse(Number(count) * (unitMs.get(unit) ?? 0)).data;
}

export function formatInterval(ms: number): string {
  const [unit, size] = [...unitMs].reverse().find(([, unitSize]) => ms % unitSize === 0) ?? [
    'm',
    60_000,
  ];
  return `${Math.round(ms / size)}${unit}`;
}

const maxLabelLength = 200;
export const sourceLabel = (text: string): string =>
  text.length > maxLabelLength ? `${text.slice(0, maxLabelLength - 1)}…` : text;

const single = (source: SourceRequest['source'], expectedFile?: string): SourceRequest => ({
  type: 'source',
  source,
  expectedFile,
});
export const urlSource = (url: string, name = url, expectedFile?: string): SourceRequest =>
  single({ kind: 'url', url, label: sourceLabel(name) }, expectedFile);
export const fileSource = (path: string, name: string, expectedFile?: string): SourceRequest =>
  single({ kind: 'file', path, label: sourceLabel(name) }, expectedFile);
const textSource = (
  text: string,
  { title, ...review }: Partial<Pick<TextSource, 'title' | 'author' | 'reviewBy'>> = {},
): SourceRequest =>
  single({ kind: 'text', text, title, ...review, label: sourceLabel(title ?? text) });
/** Source of a reviewed answer. @param replaces names the document that it replaces */
export const answerSource = (
  question: string,
  { text, author, replaces }: { text: string; author: string; replaces?: string | undefined },
): SourceRequest =>
  single({
    kind: 'text',
    text: `# ${question.replace(/\s+/g, ' ').trim()}\n\n${text}`,
    title: question.slice(0, 300),
    author,
    answer: { question, ...(replaces !== undefined && { replaces }) },
    label: sourceLabel(question),
  });
const pathSource = (path: string, glob?: string): PathRequest => ({
  type: 'path',
  path,
  glob,
  label: sourceLabel(path),
});

function fromString(input: string): IngestRequest {
  const trimmed = input.trim();
  if (/^https?:\/\//i.test(trimmed)) return urlSource(trimmed, input);
  if (!/\s/.test(trimmed) && (trimmed.includes('/') || hasFileExtension(trimmed)))
    return pathSource(trimmed);
  return textSource(input);
}

const text = z.string().refine((value) => value.trim() !== '', 'must not be blank');
const isInterval = (value: string) => value === 'off' || parseInterval(value) !== undefined;
const interval = z
  .string()
  .refine(isInterval, 'must be "off" or an interval such as 90m, 24h or 7d');
const refreshEvery = interval
  .optional()
  .describe('refresh interval (`90m`, `24h`, `7d`); `off` deletes the schedule');
const maxAddressChars = 4096;
const address = z.string().min(1).max(maxAddressChars);
/** A source with another scheme fails, not its request. */
const url = address.describe('begins with http:// or https://');
export const inputPath = address;

const isOneLine = (value: string) => !/[\t\n\r]/.test(value) && withoutInvisible(value) === value;
export const author = z
  .string()
  .trim()
  .min(1)
  .max(maxAuthorLength)
  .refine(isOneLine, 'must be one line without invisible characters');
const day = z
  .string()
  .refine(isCalendarDay, 'must be a date such as 2027-05-01')
  .meta({ format: 'date' });

export const sourceInput = z.union(
  [
    text.describe(
      'http(s):// is a URL; one word with a slash or a known file extension is a path; anything else is the text itself',
    ),
    z.strictObject({
      url,
      crawl: z.union([crawlOptions, z.literal(true)]).optional(),
      refreshEvery,
    }),
    z.strictObject({
      path: inputPath,
      glob: pattern
        .optional()
        .describe('files of a folder, such as `**/*.{md,pdf}`; default: every readable file'),
      refreshEvery,
    }),
    z.strictObject({
      text,
      title: z.string().min(1).max(300).optional(),
      author: author.optional().describe('person responsible for the text'),
      reviewBy: day.optional().describe('date by which the text should be reviewed: `2027-05-01`'),
    }),
  ],
  {
    error:
      'must be a string, {"url", "crawl"?, "refreshEvery"?}, {"path", "glob"?, "refreshEvery"?} or {"text", "title"?, "author"?, "reviewBy"?}',
  },
);

export function toRequest(input: z.infer<typeof sourceInput>): IngestRequest {
  if (typeof input === 'string') return fromString(input);
  if ('text' in input) {
    const { text, title, author, reviewBy } = input;
    return textSource(text, { title: title?.trim() || undefined, author, reviewBy });
  }
  const { refreshEvery: every } = input;
  const refreshEveryMs =
    every === 'off' ? null : every === undefined ? undefined : parseInterval(every);
  if ('path' in input) return { ...pathSource(input.path, input.glob), refreshEveryMs };
  const url = input.url.trim();
  if (input.crawl === undefined) return { ...urlSource(url, input.url), refreshEveryMs };
  return {
    type: 'site',
    url,
    crawl: input.crawl === true ? crawlDefaults : input.crawl,
    label: sourceLabel(input.url),
    refreshEveryMs,
  };
}
