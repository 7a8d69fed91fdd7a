/** Reading sources for a request: what starts it, waits for it and reports it, whichever operation asks. */
import type { Context } from 'hono';
import { ingestSourcesOutput, toReport } from '../../app/ingest-sources.ts';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { KnowledgeError } from '../../errors.ts';
import { jobReport } from '../../ingest/jobs/job.ts';
import type { IngestAndWaitOptions } from '../../ingest/run.ts';
import type { AppEnv } from '../auth/caller.ts';
import { json, signalOf } from '../operation.ts';

const retryAfterSeconds = 5;

/** How it answers. */
export const ingested = {
  output: ingestSourcesOutput,
  others: {
    202: json('With "wait": false, the job that does it', jobReport),
    422: json('Every source failed; the report says why', ingestSourcesOutput),
  },
};

/** Reads the sources: a job is started and told of, or waited for; 422 where every source failed. */
export async function ingest(
  c: Context<AppEnv>,
  { jobs, ingestNow, mirrorHealth }: Pick<KnowledgeApi, 'jobs' | 'ingestNow' | 'mirrorHealth'>,
  wait: boolean,
  asked: IngestAndWaitOptions,
): Promise<Response> {
  if (!wait) {
    const job = await jobs.start(asked.namespace, asked.requests, asked.prune, c.get('caller').id);
    return c.json(job, 202, { location: `/api/jobs/${job.id}` });
  }
  const report = toReport(asked.namespace, await ingestNow({ ...asked, signal: signalOf(c) }));
  const [first] = report.results;
  // Nothing was done, and later, or at another server, the same request may succeed.
  if (first?.error && mirrorHealth() && report.results.every(({ error }) => error?.code === 'storage_unavailable'))
    throw new KnowledgeError('storage_unavailable', first.error.message, { retryAfterSeconds });
  return c.json(report, report.results.length > 0 && report.failed === report.results.length ? 422 : 200);
}
