/**
 * The port for chat clients: what happens while a question is answered, in the chunks of one wire. How chunks travel is not a dialect's
 * matter (`http/sse.ts`). Chunks are made from events that the product emits, so nothing of the prompt or the provider can be in one.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'hono';
import type { AskEvent } from '../../../app/ask/ask.ts';
import type { AppEnv } from '../../auth/caller.ts';
import { type ErrorBody, reportFailure } from '../../error-response.ts';
import { type SseEvent, sendEvents } from '../../sse.ts';

export interface DialectRun {
  readonly agentId: string;
  readonly runId: string;
}

/** Writes one answer, called in this order; an answer of which the agent stays silent is a `finished` event that says so. */
export interface DialectWriter {
  start(): readonly SseEvent[];
  write(event: AskEvent): readonly SseEvent[];
  /** Instead of what was still to come. */
  fail(error: ErrorBody): readonly SseEvent[];
  /** Last, also after a failure. */
  end(): readonly SseEvent[];
}

export interface Dialect {
  open(run: DialectRun): DialectWriter;
}

/** What fails sooner is answered with its status; after this the first byte is sent, and a failure is a chunk. */
const atOnceMs = 100;

/** @throws what fails at once */
export async function streamAnswer(
  c: Context<AppEnv>,
  events: AsyncGenerator<AskEvent, void>,
  dialect: Dialect,
  run: DialectRun,
): Promise<Response> {
  const first = events.next();
  await Promise.race([first, sleep(atOnceMs)]);
  const writer = dialect.open(run);
  async function* chunks() {
    try {
      yield* writer.start();
      for (let next = await first; !next.done; next = await events.next()) yield* writer.write(next.value);
    } finally {
      await events.return();
    }
  }
  return sendEvents(c, { open: chunks, onFailure: (error) => writer.fail(reportFailure(c, error)), last: writer.end() });
}
