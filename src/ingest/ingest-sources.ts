/** Input and report of `ingestSources`. */
import { z } from 'zod';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import { countReportRows, type ReportRow, reportRow, rowCounts } from './ingest-source.ts';
import type { IngestAndWait } from './run.ts';
import { type IngestRequest, inputPath, sourceInput, toRequest } from './source.ts';

export const maxSources = 100;

const fields = z.object({
  namespace: z.string().default('default'),
  sources: z.array(sourceInput).max(maxSources).default([]),
  files: z
    .array(inputPath)
    .max(maxSources)
    .default([])
    .describe('paths; each is short for a source {path}'),
  prune: z
    .boolean()
    .default(false)
    .describe('delete documents whose sources no longer exist (404, 410, deleted file)'),
});

type Requested = Pick<z.infer<typeof fields>, 'sources' | 'files'>;

const isFilled = ({ sources: { length }, files }: Requested) =>
  length + files.length >= 1 && length + files.length <= maxSources;
const notFilled = {
  path: ['sources'],
  error: `sources and files together must have 1 to ${maxSources} entries`,
};

export const ingestSourcesToolInput = fields.refine(isFilled, notFilled);
export const ingestSourcesInput = fields
  .extend({
    wait: z
      .boolean()
      .default(true)
      .describe('false: return 202 with a job at once, see GET /api/jobs/{id}'),
  })
  .refine(isFilled, notFilled);

export type IngestSourcesInput = z.infer<typeof ingestSourcesInput>;

export const ingestSourcesCard = {
  id: 'ingestSources' as const,
  description:
    'Reads URLs, sites, files, folders and texts, stores them as Markdown and makes them searchable.',
};

export const ingestSourcesOutput = z.object({
  namespace: z.string(),
  ...rowCounts,
  results: z.array(reportRow),
});

export const toReport = (namespace: string, results: ReportRow[]) => ({
  namespace,
  ...countReportRows(results),
  results,
});

export const requestsOf = ({ sources, files }: Requested): IngestRequest[] =>
  [...sources, ...files.map((path) => ({ path }))].map(toRequest);

export const createIngestSources =
  (ingestNow: IngestAndWait, parseNamespace: ParseNamespace) =>
  async (
    { namespace: name, prune, ...requested }: z.infer<typeof ingestSourcesToolInput>,
    signal?: AbortSignal,
  ) => {
    const namespace = parseNamespace(name);
    return toReport(
      namespace,
      await ingestNow({ namespace, requests: requestsOf(requested), prune, signal }),
    );
  };
export type IngestSources = ReturnType<typeof createIngestSources>;
