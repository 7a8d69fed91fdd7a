/** Serves the service on a loopback port and reads its event streams chunk by chunk. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { whenDone } from './when-done.ts';
import type { TestService } from './workspace.ts';

export type Chunk = Readonly<{
  type: string;
  runId: string;
  from: string;
  payload: any;
}>;

/**
 * @param settings the service's settings that its HTTP server reads (keys, limits)
 * @param silenceMs after which the server ends a silent socket
 */
export async function serveOnLoopback(
  service: TestService,
  settings: Record<string, string> = {},
  silenceMs = 0,
): Promise<string> {
  const config = parseConfig({ RATE_LIMIT_PER_MINUTE: '0', ...settings });
  const server = createAdaptorServer({
    fetch: createApp(config, service.api, service.logger).fetch,
  });
  server.setTimeout(silenceMs);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  whenDone(() => {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface EventStream {
  readonly status: number;
  readonly headers: Headers;
  /** Returns the next event's data, including `[DONE]`; undefined at the end. Skips comments. */
  next(): Promise<string | undefined>;
  /** Returns the next chunk; undefined for `[DONE]` and at the end. */
  nextChunk(): Promise<Chunk | undefined>;
  rest(): Promise<string[]>;
  raw(): string;
  leave(): Promise<void>;
}

export async function openStream(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let raw = '';
  let at = 0;
  async function next() {
    for (;;) {
      const end = raw.indexOf('\n\n', at);
      if (end >= 0) {
        const event = raw.slice(at, end);
        at = end + 2;
        const lines = event.split('\n').filter((line) => line.startsWith('data:'));
        if (lines.length > 0) return lines.map((line) => line.slice(5).trimStart()).join('\n');
        continue;
      }
      const read = await reader?.read();
      if (!read || read.done) return undefined;
      raw += read.value;
    }
  }
  return {
    status: response.status,
    headers: response.headers,
    next,
    async nextChunk() {
      const event = await next();
      return event === undefined || event === '[DONE]' ? undefined : JSON.parse(event);
    },
    async rest() {
      const events: string[] = [];
      for (let event = await next(); event !== undefined; event = await next()) events.push(event);
      return events;
    },
    raw: () => raw,
    leave: async () => reader?.cancel(),
  };
}

/** Reads a whole stream: its chunks without the final `[DONE]`, which must come last. */
export async function readChunks(stream: EventStream): Promise<Chunk[]> {
  const events = await stream.rest();
  if (events.at(-1) !== '[DONE]') throw new Error(`the stream ended with ${events.at(-1)}`);
  return events.slice(0, -1).map((event) => JSON.parse(event));
}

export const textOf = (chunks: readonly Chunk[]): string =>
  chunks.flatMap(({ type, payload }) => (type === 'text-delta' ? [payload.text] : [])).join('');
