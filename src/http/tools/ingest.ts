/** Reading sources for a request: what starts it, waits for it and reports it, whichever operation asks. */
import type { Context } from 'hono';
import { ingestSourcesOutput, toReport } from '../../app/ingest-sources.ts';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { KnowledgeError } from '../../errors.ts';
import type { ReportRow } from '../../ingest/ingest-source.ts';
import { jobReport } from '../../ingest/jobs/job.ts';
import type { IngestAndWaitOptions } from '../../ingest/run.ts';
import type { IngestRequest } from '../../ingest/source.ts';
import { note } from '../../trace.ts';
import type { AppEnv } from '../auth/caller.ts';
import { json, signalOf } from '../operation.ts';

const retryAfterSeconds = 5;

const allFailed = { 422: json('Every source failed; the report says why', ingestSourcesOutput) };

export const waitedFor = { output: ingestSourcesOutput, others: allFailed };

export const ingested = {
  output: ingestSourcesOutput,
  others: { 202: json('With "wait": false, the job that does it', jobReport), ...allFailed },
};

/** @throws KnowledgeError `storage_unavailable` where nothing was done, and later, or at another server, the same request may succeed */
export function sendReport(
  c: Context<AppEnv>,
  { mirrorHealth }: Pick<KnowledgeApi, 'mirrorHealth'>,
  namespace: string,
  rows: ReportRow[],
): Response {
  const report = toReport(namespace, rows);
  const [first] = report.results;
  if (first?.error && mirrorHealth() && report.results.every(({ error }) => error?.code === 'storage_unavailable'))
    throw new KnowledgeError('storage_unavailable', first.error.message, { retryAfterSeconds });
  return c.json(report, report.results.length > 0 && report.failed === report.results.length ? 422 : 200);
}

/** Reads the sources: a job is started and told of, or waited for; 422 where every source failed. */
export async function ingest(
  c: Context<AppEnv>,
  api: Pick<KnowledgeApi, 'jobs' | 'ingestNow' | 'mirrorHealth'>,
  wait: boolean,
  asked: IngestAndWaitOptions & { readonly requests: readonly IngestRequest[] },
): Promise<Response> {
  if (!wait) {
    const job = await api.jobs.start(asked.namespace, asked.requests, asked.prune, c.get('caller').id);
    note({ changed: { job: job.id } });
    return c.json(job, 202, { location: `/api/jobs/${job.id}` });
  }
  return sendReport(c, api, asked.namespace, await api.ingestNow({ ...asked, signal: signalOf(c) }));
}
