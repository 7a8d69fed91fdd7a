/** `ingestSources`: its input, and the report as callers read it. */
import { z } from 'zod';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import { countReportRows, type ReportRow, reportRow } from '../ingest/ingest-source.ts';
import type { IngestAndWait } from '../ingest/run.ts';
import { crawlDefaults, type IngestRequest, parseInterval, type SourceInput, toRequest } from '../ingest/source.ts';

const maxSources = 100;
const maxCrawledPages = 10_000;
const maxCrawlDepth = 20;

const url = z
  .string()
  .regex(/^\s*https?:\/\//i, 'must begin with http:// or https://')
  .max(4096);
const path = z.string().min(1).max(4096);
const text = z.string().refine((value) => value.trim() !== '', 'must hold more than white space');
const pattern = z.string().min(1).max(500);
const refreshEvery = z
  .string()
  .refine((value) => value === 'off' || parseInterval(value) !== undefined, 'must be "off" or an interval such as 90m, 24h or 7d')
  .optional()
  .describe('read the source again by itself this often (`90m`, `24h`, `7d`); `off` ends that');

const crawl = z
  .strictObject({
    maxPages: z.int().min(1).max(maxCrawledPages).default(crawlDefaults.maxPages),
    maxDepth: z.int().min(0).max(maxCrawlDepth).default(crawlDefaults.maxDepth).describe('links from the first page'),
    include: z.array(pattern).max(50).default([]).describe('patterns of paths, `*` for anything; none: every path of the host'),
    exclude: z.array(pattern).max(50).default([]),
  })
  .describe('follow llms.txt, sitemaps and links within the host; robots.txt is obeyed');

const sourceInput = z.union(
  [
    text.describe('http(s):// is a URL; one word with a slash or a known file extension is a path; anything else is the text itself'),
    z.strictObject({ url, crawl: z.union([crawl, z.literal(true)]).optional(), refreshEvery }),
    z.strictObject({
      path,
      glob: pattern.optional().describe('of a folder: `**/*.{md,pdf}`; without one, every file that can be read'),
      refreshEvery,
    }),
    z.strictObject({ text, title: z.string().min(1).max(300).optional() }),
  ],
  { error: 'must be a string, {"url", "crawl"?, "refreshEvery"?}, {"path", "glob"?, "refreshEvery"?} or {"text", "title"?}' },
);

const fields = z.object({
  namespace: z.string().default('default'),
  sources: z.array(sourceInput).max(maxSources).default([]),
  files: z.array(path).max(maxSources).default([]).describe('the same as path sources'),
  prune: z.boolean().default(false).describe('remove the documents of sources that are gone (404, 410, a file that was deleted)'),
});

const isFilled = ({ sources, files }: { sources: readonly unknown[]; files: readonly unknown[] }) =>
  sources.length + files.length >= 1 && sources.length + files.length <= maxSources;
const notFilled = { path: ['sources'], error: `sources and files together must hold 1 to ${maxSources} entries` };

export const ingestSourcesToolInput = fields.refine(isFilled, notFilled);
export const ingestSourcesInput = fields
  .extend({ wait: z.boolean().default(true).describe('false: answer 202 with a job at once, see GET /api/jobs/{id}') })
  .refine(isFilled, notFilled);

/** How many rows there are of each status. */
export const rowCounts = {
  added: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  removed: z.int(),
  skipped: z.int(),
  failed: z.int(),
};

export const ingestSourcesOutput = z.object({ namespace: z.string(), ...rowCounts, results: z.array(reportRow) });

export type IngestSourcesOutput = z.infer<typeof ingestSourcesOutput>;

/** @param rows not written to */
export const toReport = (namespace: string, rows: readonly ReportRow[]): IngestSourcesOutput => ({
  namespace,
  ...countReportRows(rows),
  results: rows as ReportRow[],
});

export const requestsOf = ({ sources, files }: { sources: readonly SourceInput[]; files: readonly string[] }): IngestRequest[] =>
  [...sources, ...files.map((file) => ({ path: file }))].map(toRequest);

export type IngestSources = (input: z.infer<typeof ingestSourcesToolInput>, signal?: AbortSignal) => Promise<IngestSourcesOutput>;

export const createIngestSources =
  (ingestNow: IngestAndWait, parseNamespace: ParseNamespace): IngestSources =>
  async ({ namespace: name, prune, ...requested }, signal) => {
    const namespace = parseNamespace(name);
    return toReport(namespace, await ingestNow({ namespace, requests: requestsOf(requested), prune, signal }));
  };
