/** The tool `ingestSources`: its wire form, and the report as callers read it. */
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { IngestNow } from '../../knowledge/ingest-now.ts';
import type { ParseNamespace } from '../../knowledge/namespaces.ts';
import { countRows, type ReportRow } from '../../knowledge/report.ts';
import { crawlDefaults, type IngestRequest, parseInterval, type SourceInput, toRequest } from '../../knowledge/requests.ts';

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

export const sourceInput = z.union(
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
  sources: z
    .array(sourceInput)
    .max(maxSources)
    .default([])
    .meta({
      example: ['Refunds are paid within 30 days of purchase.', { text: 'Calls are kept for 90 days.', title: 'Call retention' }],
    }),
  files: z.array(path).max(maxSources).default([]).describe('the same as path sources').meta({ example: [] }),
  prune: z.boolean().default(false).describe('remove the documents of sources that are gone (404, 410, a file that was deleted)'),
});

interface Listed {
  readonly sources: readonly unknown[];
  readonly files: readonly unknown[];
}
const isFilled = ({ sources, files }: Listed) => sources.length + files.length >= 1 && sources.length + files.length <= maxSources;
const notFilled = { path: ['sources'], error: `sources and files together must hold 1 to ${maxSources} entries` };

const toolInput = fields.refine(isFilled, notFilled);
export const ingestSourcesInput = fields
  .extend({ wait: z.boolean().default(true).describe('false: answer 202 with a job at once, see GET /api/jobs/{id}') })
  .refine(isFilled, notFilled);

export const statusNames = ['added', 'updated', 'unchanged', 'removed', 'skipped', 'failed'] as const;

export const reportRow = z.object({
  source: z.string().describe('as sent, cut at 200 characters; of a page or file that was found, its URL or path'),
  kind: z.enum(['url', 'file', 'text']),
  status: z.enum(statusNames),
  document: z
    .object({ id: z.string(), file: z.string(), title: z.string(), bytes: z.int(), chunks: z.int(), revision: z.string() })
    .optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional().describe('why it failed or was skipped'),
});

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
  ...countRows(rows),
  results: rows as ReportRow[],
});

export interface RequestedSources {
  readonly sources: readonly SourceInput[];
  readonly files: readonly string[];
}

export const requestsOf = ({ sources, files }: RequestedSources): IngestRequest[] =>
  [...sources, ...files.map((file) => ({ path: file }))].map(toRequest);

export type IngestSources = (input: z.infer<typeof toolInput>, signal?: AbortSignal) => Promise<IngestSourcesOutput>;

export const createIngestSources =
  (ingestNow: IngestNow, parseNamespace: ParseNamespace): IngestSources =>
  async ({ namespace: name, prune, ...requested }, signal) => {
    const namespace = parseNamespace(name);
    return toReport(namespace, await ingestNow({ namespace, requests: requestsOf(requested), prune, signal }));
  };

export const createIngestSourcesTool = (ingestSources: IngestSources) =>
  createTool({
    id: 'ingestSources',
    description: 'Reads URLs, sites, files, folders and texts, stores them as Markdown and makes them searchable.',
    inputSchema: toolInput,
    outputSchema: ingestSourcesOutput,
    execute: async (input, { abortSignal }) => ingestSources(input, abortSignal),
  });
