/**
 * An answer as server-sent events in the chunk form of Mastra's agent streams, so that its clients read it: `start`, the search as
 * `tool-call` and `tool-result`, checked text, `finish` with the citations; `tripwire` where the agent stays silent, `error` with a code
 * where something fails on the way; then `[DONE]`. Chunks are made here, so nothing of the prompt or the provider can be in one.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { AskEvent, AskResult } from '../mastra/ask.ts';
import type { AppEnv } from './app-env.ts';
import { reportFailure } from './error-response.ts';

/** A connection that says nothing for long is closed on the way. */
const heartbeatMs = 15_000;
/** What fails sooner is answered with its status; after this the first byte is sent, and a failure is an event. */
const atOnceMs = 100;

const finishPayload = ({ answered, reason, namespace, model, citations, dropped, usage, text }: AskResult) => ({
  stepResult: { reason: 'stop', warnings: [], isContinued: false },
  output: { text, usage },
  metadata: {},
  messages: { all: [], user: [], nonUser: [] },
  answered,
  reason,
  namespace,
  model,
  citations,
  dropped,
});

export async function streamAnswer(c: Context<AppEnv>, events: AsyncGenerator<AskEvent, void>, runId: string): Promise<Response> {
  const first = events.next();
  await Promise.race([first, sleep(atOnceMs)]);
  // A proxy that gathers events before it passes them on would make them useless.
  c.header('x-accel-buffering', 'no');
  return streamSSE(c, async (stream) => {
    const send = (type: string, payload: unknown) => stream.writeSSE({ data: JSON.stringify({ type, runId, from: 'AGENT', payload }) });
    const heartbeat = setInterval(() => void stream.write(': still here\n\n').catch(() => undefined), heartbeatMs).unref();
    stream.onAbort(() => void events.return().catch(() => undefined));
    const textId = randomUUID();
    let hasText = false;
    try {
      await send('start', { id: c.req.param('agentId'), messageId: randomUUID() });
      for (let next = await first; !next.done && !stream.aborted; next = await events.next()) {
        const event = next.value;
        if (event.type === 'searched') {
          await send('tool-call', event.call);
          await send('tool-result', { ...event.result, args: event.call.args });
        } else if (event.type === 'text') {
          if (!hasText) await send('text-start', { id: textId });
          hasText = true;
          await send('text-delta', { id: textId, text: event.text });
        } else if (event.result.reason === 'not_mentioned') await send('tripwire', { reason: 'not_mentioned' });
        else {
          if (hasText) await send('text-end', { id: textId });
          await send('finish', finishPayload(event.result));
        }
      }
    } catch (error) {
      await send('error', reportFailure(c, error).body);
    } finally {
      clearInterval(heartbeat);
      await stream.writeSSE({ data: '[DONE]' });
      await events.return();
    }
  });
}
