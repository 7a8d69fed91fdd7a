/**
 * The one door to the network for sources, and for what is sent to an address that an operator set. Every connection is made to an address that the guard has judged: the name is resolved
 * here, and the very address that was judged is dialled. Redirects are followed by hand and judged like the first hop. Bytes are
 * counted after decompression; one deadline holds for the whole of it. For a source nothing is sent but a plain GET: no cookies, no
 * authorization. A POST follows no redirect and reads no body.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { retryAfterMs } from '../../concurrency/deadline.ts';
import { type RetryOptions, retry } from '../../concurrency/retry.ts';
import { causesOf, KnowledgeError, systemErrorCode } from '../../errors.ts';
import type { AddressGuard } from './address-guard.ts';

/** Sent with every request, and what robots.txt may name. */
export const userAgent = 'knowledge-agent';

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly url: URL;
  /** Decompressed; empty for anything but a 2xx. */
  readonly bytes: Uint8Array;
}

export interface OutboundRequest {
  readonly signal?: AbortSignal | undefined;
  readonly validators?: { readonly location: string; readonly headers: Readonly<Record<string, string>> } | undefined;
  readonly maxBytes?: number;
}

/** @throws KnowledgeError `source_not_allowed`, `fetch_failed`, `timeout`, `payload_too_large`; an answer of any status is no error */
export type Outbound = (url: string, request?: OutboundRequest) => Promise<OutboundAnswer>;

export interface OutboundOptions {
  readonly guard: AddressGuard;
  readonly maxBytes: number;
  readonly timeoutMs?: number;
  /** All addresses of a name; the system's resolver unless a test brings its own. */
  readonly resolve?: (hostname: string) => Promise<string[]>;
}

const maxRedirects = 5;
const maxHeaderBytes = 16 * 1024;
const connectTimeoutMs = 10_000;
const accept = 'text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/pdf;q=0.9,*/*;q=0.5';

const resolveWithSystem = async (hostname: string) => (await lookup(hostname, { all: true })).map((entry) => entry.address);

function guardedConnector(guard: AddressGuard, resolve: (hostname: string) => Promise<string[]>): buildConnector.connector {
  const dial = buildConnector({ timeout: connectTimeoutMs });
  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    const allowed = (address: string) => guard.isAllowedAddress(address, hostname, port);
    const addresses = isIP(hostname) ? Promise.resolve([hostname]) : resolve(hostname);
    addresses
      .then((found) => {
        const address = found.find(allowed);
        if (address === undefined) throw new KnowledgeError('source_not_allowed', 'The host of this source is not a public address.');
        dial({ ...options, hostname: address, ...(isIP(hostname) ? {} : { servername: hostname }) }, callback);
      })
      .catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null));
  };
}

const failures: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^(?:ENOTFOUND|EAI_NODATA|EAI_NONAME)$/, 'its host name does not resolve'],
  [/^EAI_AGAIN$/, 'its host name cannot be resolved now'],
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was broken off'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'its host cannot be reached'],
  [/CERT|SIGNATURE/, 'its certificate is not valid'],
  [/^(?:ERR_SSL|EPROTO)/, 'no secure connection came about'],
  [/^Z_(?:BUF|DATA)_ERROR$|^ERR_BUFFER_OUT_OF_BOUNDS$/, 'its compressed body is damaged or cut short'],
  [/^HPE_|^UND_ERR_HEADERS_OVERFLOW$/, 'its answer is no HTTP that can be read'],
];

type FailureWording = Readonly<{ name: string; failed: string }>;
const source: FailureWording = { name: 'The source', failed: 'could not be fetched' };

function toFailure(error: unknown, { name, failed }: FailureWording): KnowledgeError {
  const late = () => new KnowledgeError('timeout', `${name} did not answer in time.`, { cause: error });
  for (const cause of causesOf(error)) {
    if (cause instanceof KnowledgeError) return cause;
    if (cause.name === 'TimeoutError') return late();
  }
  const code = systemErrorCode(error) ?? '';
  if (/TIMEOUT|TIMEDOUT/.test(code)) return late();
  const reason = failures.find(([codes]) => codes.test(code))?.[1] ?? 'the connection failed';
  return new KnowledgeError('fetch_failed', `${name} ${failed}: ${reason}.`, { cause: error });
}

/** Unlike those of a browser, these take a body that was cut short for what it is: damaged. */
const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
const maxEncodings = 3;

async function readBody({ headers, body }: Dispatcher.ResponseData, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new KnowledgeError('payload_too_large', `The source is larger than ${maxBytes} bytes.`);
  if (Number(headerOf(headers, 'content-length') ?? 0) > maxBytes) throw tooLarge();
  const encodings = (headerOf(headers, 'content-encoding') ?? '')
    .split(',')
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  const steps = encodings.toReversed().map((encoding) => decoders[encoding]?.());
  if (steps.length > maxEncodings || steps.includes(undefined))
    throw new KnowledgeError('fetch_failed', 'The source is encoded in a way that cannot be read.');
  const parts: Uint8Array[] = [];
  let size = 0;
  const collect = async (stream: AsyncIterable<Uint8Array>) => {
    for await (const part of stream) {
      size += part.byteLength;
      if (size > maxBytes) throw tooLarge();
      parts.push(part);
    }
  };
  const stages: unknown[] = [body, ...steps, collect];
  await pipeline(...(stages as [NodeJS.ReadableStream, NodeJS.WritableStream]));
  return Buffer.concat(parts);
}

function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const discard = ({ body }: Dispatcher.ResponseData): void => {
  body.on('error', () => undefined);
  body.destroy();
};

type DoorOptions = Pick<OutboundOptions, 'guard' | 'resolve'>;

const createDispatcher = ({ guard, resolve = resolveWithSystem }: DoorOptions): Agent =>
  new Agent({
    connect: guardedConnector(guard, resolve),
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: 1000,
    connections: 8,
  });

type Deadline = Readonly<{ timeoutMs: number; signal: AbortSignal | undefined; told: FailureWording }>;

async function withinDeadline<T>({ timeoutMs, signal, told }: Deadline, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await work(signal ? AbortSignal.any([deadline, signal]) : deadline);
  } catch (error) {
    throw toFailure(error, told);
  }
}

const readableHeaders = (headers: Dispatcher.ResponseData['headers']): OutboundAnswer['headers'] => ({
  get: (name) => headerOf(headers, name.toLowerCase()) ?? null,
});

const toUrl = (text: string): URL => {
  if (!URL.canParse(text)) throw new KnowledgeError('source_not_allowed', 'This is not a valid URL.');
  return new URL(text);
};

export interface OutboundPostRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A redirect is an answer like any other. @throws KnowledgeError `source_not_allowed`, `fetch_failed`, `timeout` */
export type OutboundPost = (url: string, request: OutboundPostRequest) => Promise<Pick<OutboundAnswer, 'status' | 'headers'>>;

export interface OutboundPostOptions extends DoorOptions {
  readonly name: string;
  readonly timeoutMs?: number;
}

export function createOutboundPost({ name, timeoutMs = 10_000, ...door }: OutboundPostOptions): OutboundPost {
  const dispatcher = createDispatcher(door);
  const told: FailureWording = { name, failed: 'could not be reached' };
  return async (text, { body, headers, signal: given }) => {
    const own = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': userAgent };
    try {
      const url = toUrl(text);
      door.guard.checkUrl(url);
      return await withinDeadline({ timeoutMs, signal: given, told }, async (signal) => {
        const response = await send(url, { method: 'POST', dispatcher, signal, body, headers: { ...own, ...headers } });
        discard(response);
        return { status: response.statusCode, headers: readableHeaders(response.headers) };
      });
    } catch (error) {
      // The guard speaks of sources.
      if (!(error instanceof KnowledgeError) || error.code !== 'source_not_allowed') throw error;
      const may = 'where ALLOWED_URL_HOSTS is set it has to be listed there, as a private host or an unusual port has to be';
      throw new KnowledgeError('source_not_allowed', `${name} may not be reached: ${may}.`, { cause: error });
    }
  };
}

export function createOutbound({ maxBytes, timeoutMs = 30_000, ...door }: OutboundOptions): Outbound {
  const { guard } = door;
  const dispatcher = createDispatcher(door);

  async function get(first: URL, { validators }: OutboundRequest, signal: AbortSignal) {
    let url = first;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      guard.checkUrl(url);
      const headers = {
        accept,
        'accept-encoding': 'gzip, deflate, br',
        'accept-language': '*',
        'user-agent': `${userAgent} (+document ingestion)`,
        ...(validators?.location === url.href ? validators.headers : {}),
      };
      const response = await send(url, { dispatcher, signal, headers });
      const location = headerOf(response.headers, 'location');
      const { statusCode: status } = response;
      if (status < 300 || status > 399 || status === 304 || location === undefined) return { response, url };
      discard(response);
      if (!URL.canParse(location, url.href))
        throw new KnowledgeError('fetch_failed', 'The source redirects to something that is not a URL.');
      url = new URL(location, url);
    }
    throw new KnowledgeError('fetch_failed', `The source redirects more than ${maxRedirects} times.`);
  }

  return async (text, request = {}) => {
    const first = toUrl(text);
    return withinDeadline({ timeoutMs, signal: request.signal, told: source }, async (signal) => {
      const { response, url } = await get(first, request, signal);
      const { statusCode: status, headers } = response;
      const isFound = status >= 200 && status <= 299;
      if (!isFound) discard(response);
      const bytes = isFound ? await readBody(response, Math.min(maxBytes, request.maxBytes ?? maxBytes)) : new Uint8Array();
      return { status, headers: readableHeaders(headers), url, bytes };
    });
  };
}

const brokenConnection = new Set(['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT', 'EAI_AGAIN']);

const wasBroken = (error: unknown): boolean =>
  error instanceof KnowledgeError && error.code === 'fetch_failed' && brokenConnection.has(systemErrorCode(error.cause) ?? '');

class Postponed extends Error {
  readonly answer: OutboundAnswer;
  readonly waitMs: number;

  constructor(answer: OutboundAnswer, waitMs: number) {
    super('the source asks to come back later');
    this.answer = answer;
    this.waitMs = waitMs;
  }
}

/** After a longer `Retry-After` the row of the report says when to retry. */
const usualRetries = { maxAttempts: 3, firstPauseMs: 500, maxRetryAfterMs: 20_000, totalMs: 60_000 };

/** Retries after a broken connection, and after 429 or 503 with a short `Retry-After`. Any other result would be the same again. */
export function withRetries(outbound: Outbound, options: Partial<RetryOptions> = {}): Outbound {
  async function attempt(url: string, request: OutboundRequest | undefined): Promise<OutboundAnswer> {
    const answer = await outbound(url, request);
    const waitMs = answer.status === 429 || answer.status === 503 ? retryAfterMs(answer.headers.get('retry-after')) : undefined;
    if (waitMs === undefined) return answer;
    throw new Postponed(answer, waitMs);
  }

  return (url, request) =>
    retry(() => attempt(url, request), {
      ...usualRetries,
      isRetryable: (error) => error instanceof Postponed || wasBroken(error),
      retryAfterMs: (error) => (error instanceof Postponed ? error.waitMs : undefined),
      signal: request?.signal,
      ...options,
    }).catch((error: unknown) => {
      if (error instanceof Postponed) return error.answer;
      throw error;
    });
}
