/** Long work: a job's report, its end, and its progress as events. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Hono } from 'hono';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { type JobReport, jobReport } from '../../ingest/jobs/job.ts';
import { type AppEnv, mayUse } from '../auth/caller.ts';
import { reportFailure } from '../error-response.ts';
import { serve, signalOf } from '../operation.ts';
import { type SseEvent, sendEvents } from '../sse.ts';

/** Four times a second: more than anybody reads, and little beside the work that it reports. */
const progressEveryMs = 250;

const toSse = (event: string, content: unknown): SseEvent => ({ event, data: JSON.stringify(content) });

/**
 * `result` for every finished source (those from before the stream began, first), `progress` where the counts are others, and `end` with
 * the last word; then the stream is closed.
 */
async function* jobEvents(jobs: KnowledgeApi['jobs'], id: string, ended: AbortSignal): AsyncGenerator<SseEvent, void> {
  let sent = 0;
  let last = '';
  while (!ended.aborted) {
    const isOver = !jobs.isLive(id);
    for (const row of await jobs.rows(id, sent)) {
      sent++;
      yield toSse('result', row);
    }
    const { results: _, ...job } = await jobs.get(id);
    const event = toSse(isOver ? 'end' : 'progress', job);
    if (isOver || event.data !== last) yield event;
    if (isOver) return;
    last = event.data;
    await sleep(progressEveryMs, undefined, { signal: ended }).catch(() => undefined);
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
