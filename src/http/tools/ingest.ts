/** Reading sources for a request: what starts it, waits for it and reports it, whichever operation asks. */
import type { Context } from 'hono';
import { ingestSourcesOutput, toReport } from '../../app/ingest-sources.ts';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { jobReport } from '../../ingest/jobs/job.ts';
import type { IngestAndWaitOptions } from '../../ingest/run.ts';
import type { AppEnv } from '../auth/caller.ts';
import { json, signalOf } from '../operation.ts';

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
  { jobs, ingestNow }: Pick<KnowledgeApi, 'jobs' | 'ingestNow'>,
  wait: boolean,
  asked: IngestAndWaitOptions,
): Promise<Response> {
  if (!wait) {
    const job = await jobs.start(asked.namespace, asked.requests, asked.prune, c.get('caller').id);
    return c.json(job, 202, { location: `/api/jobs/${job.id}` });
  }
  const report = toReport(asked.namespace, await ingestNow({ ...asked, signal: signalOf(c) }));
  return c.json(report, report.results.length > 0 && report.failed === report.results.length ? 422 : 200);
}
