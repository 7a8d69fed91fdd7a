/**
 * Event streams: heartbeat, backpressure, end on disconnect, and an event for a failure after the
 * headers were sent.
 */
import { stream as streamResponse } from 'hono/streaming';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { AppContext } from './auth/caller.ts';
import { countedAs } from './auth/counting.ts';

/**
 * Proxies close a connection after 30 to 60 idle seconds (nginx, AWS ALB by default); this is half
 * of the shorter time.
 */
const heartbeatMs = 15_000;

export type SseEvent = Readonly<{ event?: string; data: string }>;
export type SseEvents = readonly SseEvent[];

export interface Framing {
  readonly contentType: string;
  frame(event: SseEvent): string;
  /** A comment that keeps the connection open. */
  readonly heartbeat: string;
}

/** Server-sent events (WHATWG HTML 9.2). Data is JSON or one word, so it contains no line break. */
const serverSentEvents: Framing = {
  contentType: 'text/event-stream',
  frame: ({ event, data }) => `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`,
  heartbeat: ': still here\n\n',
};

interface SseSource {
  open(ended: AbortSignal): AsyncGenerator<SseEvents, void>;
  onFailure(error: unknown): SseEvents;
  readonly last?: () => SseEvents;
  readonly framing?: Framing | undefined;
}

/**
 * Acquires a stream slot. Aborting the returned controller releases it. @throws KnowledgeError
 * `busy`
 */
export function openStream(c: AppContext): AbortController {
  const ended = new AbortController();
  if (c.get('streams').tryAcquire(countedAs(c), ended.signal)) return ended;
  throw new KnowledgeError(
    'busy',
    'Too many streams are open. Close some or retry in a few seconds.',
    { retryAfterSeconds: 5 },
  );
}

/** @param ended from `openStream`; aborted when the client disconnects or the stream ends */
export function sendEvents(c: AppContext, ended: AbortController, source: SseSource): Response {
  const { open, onFailure, last = () => [], framing = serverSentEvents } = source;
  c.header('content-type', framing.contentType);
  // Proxies must not buffer events.
  c.header('x-accel-buffering', 'no');
  if (c.req.method === 'HEAD') {
    ended.abort();
    return c.body(null);
  }
  return streamResponse(c, async (stream) => {
    const events = open(ended.signal);
    const heartbeat = setInterval(
      () => void stream.write(framing.heartbeat).catch(() => undefined),
      heartbeatMs,
    ).unref();
    stream.onAbort(() => {
      ended.abort();
      void events.return().catch(() => undefined);
    });
    const send = async (list: SseEvents) => {
      if (list.length > 0) await stream.write(list.map((event) => framing.frame(event)).join(''));
    };
    try {
      for await (const list of events) {
        if (stream.aborted) break;
        await send(list);
      }
    } catch (error) {
      await send(onFailure(error));
    } finally {
      clearInterval(heartbeat);
      await send(last()).finally(() => ended.abort());
    }
  });
}
