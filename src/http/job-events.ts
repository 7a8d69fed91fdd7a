/**
 * The progress of a job as server-sent events: `result` for every finished source (those from before the stream began, first),
 * `progress` for the counts, at most four times a second, and `end` with the last word; then the stream is closed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { JobReport } from '../knowledge/jobs/job.ts';
import type { JobEvent, Jobs } from '../knowledge/jobs/jobs.ts';
import type { AppEnv } from './app-env.ts';

/** A connection that says nothing for long is closed on the way. */
const heartbeatMs = 15_000;
const progressEveryMs = 250;

const withoutRows = ({ results: _, ...job }: JobReport) => job;

export function streamJob(c: Context<AppEnv>, jobs: Jobs, started: JobReport, signal: AbortSignal): Response {
  // A proxy that gathers events before it passes them on would make them useless.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    const events: JobEvent[] = [];
    let wake = Promise.withResolvers<void>();
    const followed = jobs.follow(started.id, (event) => {
      // Of the progress that nobody has read yet, the last counts.
      if (event.type === 'progress' && events.at(-1)?.type === 'progress') events.pop();
      events.push(event);
      wake.resolve();
    });
    const stop = () => {
      stream.aborted = true;
      wake.resolve();
    };
    stream.onAbort(stop);
    signal.addEventListener('abort', stop, { once: true });
    const heartbeat = setInterval(() => void stream.write(': still here\n\n').catch(stop), heartbeatMs).unref();
    const send = (event: string, data: unknown) => stream.writeSSE({ event, data: JSON.stringify(data) });
    let lastProgress = 0;

    try {
      const job = followed?.job ?? (await jobs.get(started.id));
      for (const row of job.results) await send('result', row);
      await send(followed ? 'progress' : 'end', withoutRows(job));
      while (followed && !stream.aborted) {
        const event = events.shift();
        if (!event) {
          await wake.promise;
          wake = Promise.withResolvers<void>();
        } else if (event.type === 'result') await send('result', event.row);
        else if (event.type === 'end') {
          await send('end', withoutRows(event.job));
          break;
        } else {
          const pause = lastProgress + progressEveryMs - performance.now();
          // What happens meanwhile comes with the next; the last word is never lost.
          if (pause > 0) await sleep(pause);
          if (events.some(({ type }) => type !== 'result')) continue;
          lastProgress = performance.now();
          await send('progress', withoutRows(event.job));
        }
      }
    } finally {
      followed?.stop();
      clearInterval(heartbeat);
      signal.removeEventListener('abort', stop);
    }
  });
}
