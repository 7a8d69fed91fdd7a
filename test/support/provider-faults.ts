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

export const providerFaults: readonly ProviderFault[] = [
  { name: 'is down', wire: undefined, code: /^model_unavailable$/, maxRequests: 0 },
  { name: 'hangs without a byte', wire: async () => undefined, code: /^timeout$/, maxRequests: 1 },
  {
    name: 'hangs after its headers',
    wire: async (_, response) => {
      response.writeHead(200, sse).flushHeaders();
      return undefined;
    },
    code: /^timeout$/,
    maxRequests: 1,
  },
  { name: 'drips', breaksOff: true, wire: dripping, code: /^timeout$/, maxRequests: 1 },
  {
    name: '429',
    wire: answering(429),
    code: /^model_unavailable$/,
    maxRequests: 3,
    retryAfter: '10',
  },
  {
    name: '429, come back in an hour',
    wire: answering(429, { 'retry-after': '3600' }),
    code: /^model_unavailable$/,
    maxRequests: 1,
    retryAfter: '3600',
  },
  { name: '500', wire: answering(500), code: /^model_failed$/, maxRequests: 3 },
  {
    name: '503',
    wire: answering(503),
    code: /^model_unavailable$/,
    maxRequests: 3,
    retryAfter: '10',
  },
  { name: 'the wrong key', wire: answering(401), code: /^model_failed$/, maxRequests: 1 },
  {
    name: 'a request that is too long',
    wire: answering(400),
    code: /^model_failed$/,
    maxRequests: 1,
  },
  { name: 'invalid JSON', wire: raw(200, json, faultMark), code: /^model_failed$/, maxRequests: 1 },
  { name: '100 MB', wire: huge, code: /^model_failed$/, maxRequests: 1 },
  {
    name: 'a connection that breaks in the middle',
    breaksOff: true,
    wire: (...on) => cutAfter(faultMark, 0.5, true)(...on),
    code: /^model_/,
    maxRequests: 3,
  },
];
