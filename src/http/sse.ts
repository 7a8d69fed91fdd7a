/**
 * Server-sent events, whatever they say: a heartbeat, events no faster than the client reads them, an end when the client leaves, and what
 * is sent instead of a status where something fails after the headers.
 */
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { AppEnv } from './auth/caller.ts';

/** Proxies and load balancers close a connection that is silent for 30 to 60 seconds (nginx, AWS ALB by default); half of the shorter. */
const heartbeatMs = 15_000;

export interface SseEvent {
  readonly event?: string;
  readonly data: string;
}

export interface SseSource {
  /** @param ended aborted when the client has left, and when the stream is over */
  open(ended: AbortSignal): AsyncGenerator<SseEvent, void>;
  /** What is sent where the events fail. */
  onFailure(error: unknown): readonly SseEvent[];
  /** What every stream ends with, also one that failed. */
  readonly last?: readonly SseEvent[];
}

export function sendEvents(c: Context<AppEnv>, { open, onFailure, last = [] }: SseSource): Response {
  // A proxy that gathers events before it passes them on would make them useless.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    const ended = new AbortController();
    const events = open(ended.signal);
    const heartbeat = setInterval(() => void stream.write(': still here\n\n').catch(() => undefined), heartbeatMs).unref();
    stream.onAbort(() => {
      ended.abort();
      void events.return().catch(() => undefined);
    });
    const send = async (list: readonly SseEvent[]) => {
      for (const event of list) await stream.writeSSE({ ...event });
    };
    try {
      for await (const event of events) {
        if (stream.aborted) break;
        await send([event]);
      }
    } catch (error) {
      await send(onFailure(error));
    } finally {
      clearInterval(heartbeat);
      await send(last);
      ended.abort();
    }
  });
}
