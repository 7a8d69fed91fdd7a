/** Long work: a job's report, its end, and its progress as events. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Hono } from 'hono';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import type { ReportRow } from '../../ingest/ingest-source.ts';
import { type JobReport, jobReport } from '../../ingest/jobs/job.ts';
import type { Jobs } from '../../ingest/jobs/jobs.ts';
import { type AppEnv, mayUse } from '../auth/caller.ts';
import { reportFailure } from '../error-response.ts';
import { serve, signalOf } from '../operation.ts';
import { type SseEvent, sendEvents } from '../sse.ts';

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
async function* jobEvents(jobs: Pick<Jobs, 'get' | 'follow' | 'isLive'>, id: string, ended: AbortSignal): AsyncGenerator<SseEvent, void> {
  const rows: ReportRow[] = [];
  let changed = Promise.withResolvers<void>();
  const followed = jobs.follow(id, (row) => {
    if (row) rows.push(row);
    changed.resolve();
  });
  ended.addEventListener('abort', () => changed.resolve(), { once: true });
  try {
    let job = followed?.report() ?? (await jobs.get(id));
    let isOver = !followed;
    rows.push(...job.results);
    while (!ended.aborted) {
      // Rows also come in while one is sent.
      for (let row = rows.shift(); row; row = rows.shift()) yield toSse('result', row);
      yield toSse(isOver ? 'end' : 'progress', withoutRows(job));
      if (isOver) return;
      await sleep(progressEveryMs, undefined, { signal: ended }).catch(() => undefined);
      await changed.promise;
      changed = Promise.withResolvers();
      job = followed?.report() ?? job;
      isOver = !jobs.isLive(id);
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

  serve(app, 'readJob', { output: jobReport }, async (c) => c.json(await jobOf(c)));

  serve(app, 'cancelJob', { output: jobReport }, async (c) => c.json(await jobs.cancel((await jobOf(c)).id)));

  serve(app, 'followJob', { output: jobReport }, async (c) => {
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
