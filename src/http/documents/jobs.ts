/** Long work: a job's report, its end, and its progress as events. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { rowCounts } from '../../app/ingest-sources.ts';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import type { ReportRow } from '../../ingest/ingest-source.ts';
import { reportRow } from '../../ingest/ingest-source.ts';
import type { JobReport } from '../../ingest/jobs/job.ts';
import type { Jobs } from '../../ingest/jobs/jobs.ts';
import { type AppEnv, mayUse } from '../auth/caller.ts';
import { reportFailure } from '../error-response.ts';
import { isoTime, serve, signalOf } from '../operation.ts';
import { type SseEvent, sendEvents } from '../sse.ts';

export const jobOutput = z.object({
  id: z.string(),
  namespace: z.string(),
  status: z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']).describe('failed: every source failed'),
  createdAt: isoTime,
  startedAt: isoTime.nullable(),
  finishedAt: isoTime.nullable(),
  stages: z
    .object({ waiting: z.int(), loading: z.int(), parsing: z.int(), storing: z.int(), indexing: z.int(), done: z.int() })
    .describe('sources by stage; what a site or a folder holds is counted as it is found'),
  current: z.string().nullable().describe('the source that was taken up last'),
  ...rowCounts,
  results: z.array(reportRow).describe('of every finished source'),
});

export function jobStarted(c: Context<AppEnv>, job: JobReport) {
  c.header('location', `/api/jobs/${job.id}`);
  return c.json(job, 202);
}

/** Four times a second: more than anybody reads, and little beside the work that it reports. */
const progressEveryMs = 250;

const toSse = (event: string, content: unknown): SseEvent => ({ event, data: JSON.stringify(content) });
const withoutRows = ({ results: _, ...job }: JobReport) => job;

/**
 * `result` for every finished source (those from before the stream began, first), `progress` for the counts, and `end` with the last word;
 * then the stream is closed. What happens faster than it is reported comes together, its rows first.
 */
async function* jobEvents(jobs: Pick<Jobs, 'get' | 'follow'>, id: string, ended: AbortSignal): AsyncGenerator<SseEvent, void> {
  const rows: ReportRow[] = [];
  let changed = Promise.withResolvers<void>();
  let last: { readonly job: JobReport; readonly isOver: boolean } | undefined;
  const followed = jobs.follow(id, ({ type, row, job }) => {
    if (row) rows.push(row);
    last = { job, isOver: type === 'end' };
    changed.resolve();
  });
  ended.addEventListener('abort', () => changed.resolve(), { once: true });
  try {
    const begun = followed?.job ?? (await jobs.get(id));
    rows.push(...begun.results);
    last = { job: begun, isOver: !followed };
    while (!ended.aborted) {
      // Rows also come in while one is sent.
      for (let row = rows.shift(); row; row = rows.shift()) yield toSse('result', row);
      const { job, isOver } = last;
      yield toSse(isOver ? 'end' : 'progress', withoutRows(job));
      if (isOver) return;
      await sleep(progressEveryMs, undefined, { signal: ended }).catch(() => undefined);
      await changed.promise;
      changed = Promise.withResolvers();
    }
  } finally {
    followed?.stop();
  }
}

export function addJobRoutes(app: Hono<AppEnv>, { jobs }: KnowledgeApi): void {
  /** A job of this caller's; that of another is as unknown as one that never was. */
  async function jobOf(c: Context<AppEnv>): Promise<JobReport> {
    const job = await jobs.get(c.req.param('id') ?? '');
    if (!mayUse(c.get('caller'), job.namespace)) return jobs.get('');
    return job;
  }

  serve(app, 'readJob', { output: jobOutput }, async (c) => c.json(await jobOf(c)));

  serve(app, 'cancelJob', { output: jobOutput }, async (c) => c.json(await jobs.cancel((await jobOf(c)).id)));

  serve(app, 'followJob', { output: jobOutput }, async (c) => {
    const { id } = await jobOf(c);
    return sendEvents(c, {
      open: (ended) => jobEvents(jobs, id, AbortSignal.any([ended, signalOf(c)])),
      onFailure: (error) => {
        reportFailure(c, error);
        return [];
      },
    });
  });
}
