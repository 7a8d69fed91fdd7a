/** The tool `ingestSources`: its wire form, and the report as callers read it. */
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { Ingest, IngestReport, IngestRow } from '../../knowledge/ingest.ts';
import type { ParseNamespace } from '../../knowledge/namespaces.ts';

const maxSources = 100;

const url = z
  .string()
  .regex(/^\s*https?:\/\//i, 'must begin with http:// or https://')
  .max(4096);
const path = z.string().min(1).max(4096);
const text = z.string().refine((value) => value.trim() !== '', 'must hold more than white space');

export const sourceInput = z.union(
  [
    text.describe('http(s):// is a URL; one word with a slash or a known file extension is a path; anything else is the text itself'),
    z.strictObject({ url }),
    z.strictObject({ path }),
    z.strictObject({ text, title: z.string().min(1).max(300).optional() }),
  ],
  { error: 'must be a string, {"url"}, {"path"} or {"text", "title"?}' },
);

export const ingestSourcesInput = z
  .object({
    namespace: z.string().default('default'),
    sources: z
      .array(sourceInput)
      .max(maxSources)
      .default([])
      .meta({
        example: ['Refunds are paid within 30 days of purchase.', { text: 'Calls are kept for 90 days.', title: 'Call retention' }],
      }),
    files: z.array(path).max(maxSources).default([]).describe('the same as path sources').meta({ example: [] }),
  })
  .refine(({ sources, files }) => sources.length + files.length >= 1 && sources.length + files.length <= maxSources, {
    path: ['sources'],
    error: `sources and files together must hold 1 to ${maxSources} entries`,
  });

export const ingestSourcesOutput = z.object({
  namespace: z.string(),
  added: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  failed: z.int(),
  results: z.array(
    z.object({
      source: z.string().describe('as sent, cut at 200 characters'),
      kind: z.enum(['url', 'file', 'text']),
      status: z.enum(['added', 'updated', 'unchanged', 'failed']),
      document: z
        .object({ id: z.string(), file: z.string(), title: z.string(), bytes: z.int(), chunks: z.int(), revision: z.string() })
        .optional(),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
    }),
  ),
});

export type IngestSourcesOutput = z.infer<typeof ingestSourcesOutput>;

function toRow({ source, kind, status, entry, error }: IngestRow): IngestSourcesOutput['results'][number] {
  if (error) return { source, kind, status, error: { code: error.code, message: error.message } };
  if (!entry) return { source, kind, status };
  const { id, file, title, bytes, revision } = entry.document;
  return { source, kind, status, document: { id, file, title, bytes, chunks: entry.chunks.length, revision } };
}

function toOutput({ namespace, rows }: IngestReport): IngestSourcesOutput {
  const count = (status: IngestRow['status']) => rows.filter((row) => row.status === status).length;
  return {
    namespace,
    added: count('added'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    failed: count('failed'),
    results: rows.map(toRow),
  };
}

export type IngestSources = (input: z.infer<typeof ingestSourcesInput>, signal?: AbortSignal) => Promise<IngestSourcesOutput>;

export const createIngestSources =
  (ingest: Ingest, parseNamespace: ParseNamespace): IngestSources =>
  async ({ namespace, sources, files }, signal) =>
    toOutput(await ingest(parseNamespace(namespace), [...sources, ...files.map((file) => ({ path: file }))], signal));

export const createIngestSourcesTool = (ingestSources: IngestSources) =>
  createTool({
    id: 'ingestSources',
    description: 'Reads URLs, files and texts, stores them as Markdown and makes them searchable.',
    inputSchema: ingestSourcesInput,
    outputSchema: ingestSourcesOutput,
    execute: async (input, { abortSignal }) => ingestSources(input, abortSignal),
  });
