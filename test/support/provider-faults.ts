/** Provider failures. Callers must never see text of a failing provider. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { cutAfter, event, raw, sse, type Wire } from './provider-wire.ts';

/** Text in every response of a failing provider. */
export const faultMark = 'evil sk-server-secret';
const json = { 'content-type': 'application/json' };
const slowText = `No client reads this to its end ${faultMark} `.repeat(400);

export type ProviderFault = Readonly<{
  name: string;
  /** Undefined: the port is closed. */
  wire: Wire | undefined;
  /** Error code for the caller if there is no fallback. */
  code: RegExp;
  /** Maximum requests for one question if the provider always fails. */
  maxRequests: number;
  retryAfter?: string;
  /** Whether a stream sends text before it fails. */
  breaksOff?: boolean;
}>;

const answering = (status: number, headers: Record<string, string> = {}): Wire =>
  raw(
    status,
    { ...json, ...headers },
    JSON.stringify({ error: { message: faultMark, type: 'x', code: 'evil' } }),
  );

/** Writes until the client disconnects. */
async function endlessly(
  response: ServerResponse,
  next: () => string | Buffer,
  pauseMs = 0,
): Promise<undefined> {
  while (!response.destroyed) {
    if (response.writableNeedDrain || !response.write(next())) await sleep(1);
    await sleep(pauseMs);
  }
  return undefined;
}

const dripping: Wire = (request, response) => {
  response.writeHead(200, sse);
  const text = [...slowText].map((letter) => event(request, { content: letter }));
  return endlessly(response, () => text.shift() ?? ' ', 5);
};

/** 100 MB response; the first megabytes arrive before the client can abort. */
const huge: Wire = (_, response) => {
  response.writeHead(200, { ...sse, 'content-length': String(100 * 1024 * 1024) });
  response.on('error', () => undefined);
  const piece = Buffer.alloc(256 * 1024, `: ${faultMark}\n`);
  return endlessly(response, () => piece);
};

const silent: Wire = (_, response) => {
  response.writeHead(200, sse).flushHeaders();
  return undefined;
};

const fault = (
  name: string,
  wire: ProviderFault['wire'],
  code: RegExp,
  maxRequests: number,
  more: Pick<ProviderFault, 'retryAfter' | 'breaksOff'> = {},
): ProviderFault => ({ name, wire, code, maxRequests, ...more });
const timeout = /^timeout$/;
const failed = /^model_failed$/;
const unavailable = /^model_unavailable$/;
const anHour = { 'retry-after': '3600' };

export const providerFaults: readonly ProviderFault[] = [
  fault('is down', undefined, unavailable, 0),
  fault('hangs without a byte', async () => undefined, timeout, 1),
  fault('hangs after its headers', silent, timeout, 1),
  fault('drips', dripping, timeout, 1, { breaksOff: true }),
  fault('429', answering(429), unavailable, 3, { retryAfter: '10' }),
  fault('429, come back in an hour', answering(429, anHour), unavailable, 1, {
    retryAfter: '3600',
  }),
  fault('500', answering(500), failed, 3),
  fault('503', answering(503), unavailable, 3, { retryAfter: '10' }),
  fault('the wrong key', answering(401), failed, 1),
  fault('a request that is too long', answering(400), failed, 1),
  fault('invalid JSON', raw(200, json, faultMark), failed, 1),
  fault('100 MB', huge, failed, 1),
  fault(
    'a connection that breaks in the middle',
    (...on) => cutAfter(faultMark, 0.5, true)(...on),
    /^model_/,
    3,
    { breaksOff: true },
  ),
];
