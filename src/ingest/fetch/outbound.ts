/**
 * Guarded HTTP client for sources and operator-set webhooks. The guard checks each resolved address
 * before the connection, and each redirect. One deadline covers a request; size limits apply after
 * decompression. Sends no cookies or credentials to sources.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, buildConnector, type Dispatcher, request as send } from 'undici';
import { retryAfterMs } from '../../../packages/shared/src/concurrency/deadline.ts';
import { type RetryOptions, retry } from '../../../packages/shared/src/concurrency/retry.ts';
import { causesOf, KnowledgeError, systemErrorCode } from '../../../packages/shared/src/errors.ts';
import { type AddressGuard, hintToList } from './address-guard.ts';

/** Product token, also for rules in robots.txt. */
export const userAgent = 'knowledge-agent';

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly url: URL;
  /** Decompressed; empty unless the status is 2xx. */
  readonly bytes: Uint8Array;
}

export interface OutboundRequest {
  readonly signal?: AbortSignal | undefined;
  readonly validators?:
    | { readonly location: string; readonly headers: Readonly<Record<string, string>> }
    | undefined;
  readonly maxBytes?: number;
}

/**
 * Resolves for every status. @throws KnowledgeError `source_not_allowed`, `fetch_failed`,
 * `timeout`, `payload_too_large`
 */
export type Outbound = (url: string, request?: OutboundRequest) => Promise<OutboundAnswer>;

export interface OutboundOptions {
  readonly guard: AddressGuard;
  readonly maxBytes: number;
  readonly timeoutMs?: number;
  /** Returns all addresses of a host name; default: the system's resolver. */
  readonly resolve?: (hostname: string) => Promise<string[]>;
}

const maxRedirects = 5;
const maxHeaderBytes = 16 * 1024;
const connectTimeoutMs = 10_000;
const accept =
  'text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/pdf;q=0.9,*/*;q=0.5';

const resolveWithSystem = async (hostname: string) =>
  (await lookup(hostname, { all: true })).map((entry) => entry.address);

function guardedConnector(
  guard: AddressGuard,
  resolve: (hostname: string) => Promise<string[]>,
): buildConnector.connector {
  const dial = buildConnector({ timeout: connectTimeoutMs });
  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[(.*)\]$/, '$1');
    const port = Number(options.port || (options.protocol === 'https:' ? 443 : 80));
    const allowed = (address: string) => guard.isAllowedAddress(address, hostname, port);
    const addresses = isIP(hostname) ? Promise.resolve([hostname]) : resolve(hostname);
    addresses
      .then((found) => {
        const address = found.find(allowed);
        if (address === undefined)
          throw new KnowledgeError(
            'source_not_allowed',
            `The host of this source is not a public address. ${hintToList(hostname, port)}`,
          );
        dial(
          { ...options, hostname: address, ...(isIP(hostname) ? {} : { servername: hostname }) },
          callback,
        );
      })
      .catch((error: unknown) =>
        callback(error instanceof Error ? error : new Error(String(error)), null),
      );
  };
}

const failures: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^(?:ENOTFOUND|EAI_NODATA|EAI_NONAME)$/, 'its host name does not resolve'],
  [/^EAI_AGAIN$/, 'its host name cannot be resolved now'],
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'its host cannot be reached'],
  [/CERT|SIGNATURE/, 'its certificate is not valid'],
  [/^(?:ERR_SSL|EPROTO)/, 'the TLS handshake failed'],
  [
    /^Z_(?:BUF|DATA)_ERROR$|^ERR_BUFFER_OUT_OF_BOUNDS$/,
    'its compressed body is damaged or incomplete',
  ],
  [/^HPE_|^UND_ERR_HEADERS_OVERFLOW$/, 'its response is not valid HTTP'],
];

type FailureWording = Readonly<{ name: string; failed: string }>;
const source: FailureWording = { name: 'The source', failed: 'could not be fetched' };

function toFailure(error: unknown, { name, failed }: FailureWording): KnowledgeError {
  const late = () =>
    new KnowledgeError('timeout', `${name} did not answer in time.`, { cause: error });
  for (const cause of causesOf(error)) {
    if (cause instanceof KnowledgeError) return cause;
    if (cause.name === 'TimeoutError') return late();
  }
  const code = systemErrorCode(error) ?? '';
  if (/TIMEOUT|TIMEDOUT/.test(code)) return late();
  const reason = failures.find(([codes]) => codes.test(code))?.[1] ?? 'the connection failed';
  return new KnowledgeError('fetch_failed', `${name} ${failed}: ${reason}.`, { cause: error });
}

/** Unlike browsers, these decoders fail on an incomplete body. */
const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
const maxEncodings = 3;
const maxShownEncoding = 60;

async function readBody(
  { headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<Uint8Array> {
  const tooLarge = () =>
    new KnowledgeError('payload_too_large', `The source is larger than ${maxBytes} bytes.`);
  if (Number(headerOf(headers, 'content-length') ?? 0) > maxBytes) throw tooLarge();
  const encodings = (headerOf(headers, 'content-encoding') ?? '')
    .split(',')
    .map((encoding) => encoding.trim().toLowerCase())
    .filter((encoding) => encoding !== '' && encoding !== 'identity');
  const steps = encodings.toReversed().map((encoding) => decoders[encoding]?.());
  if (steps.length > maxEncodings || steps.includes(undefined))
    throw new KnowledgeError(
      'fetch_failed',
      `The content encoding "${encodings.join(', ').slice(0, maxShownEncoding)}" of the source is not supported.`,
    );
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

type ConnectOptions = Pick<OutboundOptions, 'guard' | 'resolve'>;

const createDispatcher = ({ guard, resolve = resolveWithSystem }: ConnectOptions): Agent =>
  new Agent({
    connect: guardedConnector(guard, resolve),
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: 1000,
    connections: 8,
  });

type Deadline = Readonly<{
  timeoutMs: number;
  signal: AbortSignal | undefined;
  wording: FailureWording;
}>;

async function withinDeadline<T>(
  { timeoutMs, signal, wording }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await work(signal ? AbortSignal.any([deadline, signal]) : deadline);
  } catch (error) {
    throw toFailure(error, wording);
  }
}

const readableHeaders = (
  headers: Dispatcher.ResponseData['headers'],
): OutboundAnswer['headers'] => ({
  get: (name) => headerOf(headers, name.toLowerCase()) ?? null,
});

const toUrl = (text: string): URL => {
  if (!URL.canParse(text))
    throw new KnowledgeError('source_not_allowed', 'This is not a valid URL.');
  return new URL(text);
};

export interface OutboundPostRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/**
 * Sends a POST request without following redirects or reading the response body. @throws
 * KnowledgeError `source_not_allowed`, `fetch_failed`, `timeout`
 */
export type OutboundPost = (
  url: string,
  request: OutboundPostRequest,
) => Promise<Pick<OutboundAnswer, 'status' | 'headers'>>;

/** @property name of the receiver, for messages */
export interface OutboundPostOptions extends ConnectOptions {
  readonly name: string;
  readonly timeoutMs?: number;
}

export function createOutboundPost({
  name,
  timeoutMs = 10_000,
  ...connect
}: OutboundPostOptions): OutboundPost {
  const dispatcher = createDispatcher(connect);
  const wording: FailureWording = { name, failed: 'could not be reached' };
  return async (text, { body, headers, signal: given }) => {
    const own = {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': userAgent,
    };
    try {
      const url = toUrl(text);
      connect.guard.checkUrl(url);
      return await withinDeadline({ timeoutMs, signal: given, wording }, async (signal) => {
        const response = await send(url, {
          method: 'POST',
          dispatcher,
          signal,
          body,
          headers: { ...own, ...headers },
        });
        discard(response);
        return { status: response.statusCode, headers: readableHeaders(response.headers) };
      });
    } catch (error) {
      // Replaces the guard's message, which mentions a source.
      if (!(error instanceof KnowledgeError) || error.code !== 'source_not_allowed') throw error;
      const hint = 'Add its host, with the port if it is not 80 or 443, to ALLOWED_URL_HOSTS.';
      throw new KnowledgeError('source_not_allowed', `${name} is blocked. ${hint}`, {
        cause: error,
      });
    }
  };
}

export function createOutbound({
  maxBytes,
  timeoutMs = 30_000,
  ...connect
}: OutboundOptions): Outbound {
  const { guard } = connect;
  const dispatcher = createDispatcher(connect);

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
      if (status < 300 || status > 399 || status === 304 || location === undefined)
        return { response, url };
      discard(response);
      if (!URL.canParse(location, url.href))
        throw new KnowledgeError('fetch_failed', 'The source redirects to an invalid URL.');
      url = new URL(location, url);
    }
    throw new KnowledgeError(
      'fetch_failed',
      `The source redirects more than ${maxRedirects} times.`,
    );
  }

  return async (text, request = {}) => {
    const first = toUrl(text);
    return withinDeadline(
      { timeoutMs, signal: request.signal, wording: source },
      async (signal) => {
        const { response, url } = await get(first, request, signal);
        const { statusCode: status, headers } = response;
        const isFound = status >= 200 && status <= 299;
        if (!isFound) discard(response);
        const bytes = isFound
          ? await readBody(response, Math.min(maxBytes, request.maxBytes ?? maxBytes))
          : new Uint8Array();
        return { status, headers: readableHeaders(headers), url, bytes };
      },
    );
  };
}

const brokenConnection = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'EAI_AGAIN',
]);

const wasBroken = (error: unknown): boolean =>
  error instanceof KnowledgeError &&
  error.code === 'fetch_failed' &&
  brokenConnection.has(systemErrorCode(error.cause) ?? '');

class RetryLater extends Error {
  readonly answer: OutboundAnswer;
  readonly waitMs: number;

  constructor(answer: OutboundAnswer, waitMs: number) {
    super('the source asks to retry later');
    this.answer = answer;
    this.waitMs = waitMs;
  }
}

/** If `Retry-After` exceeds `maxRetryAfterMs`, the answer is returned without a retry. */
const usualRetries = {
  maxAttempts: 3,
  firstPauseMs: 500,
  maxRetryAfterMs: 20_000,
  totalMs: 60_000,
};

/**
 * Retries after a broken connection, and after 429 or 503 with a short `Retry-After`. Retrying
 * other results is useless.
 */
export function withRetries(outbound: Outbound, options: Partial<RetryOptions> = {}): Outbound {
  async function attempt(
    url: string,
    request: OutboundRequest | undefined,
  ): Promise<OutboundAnswer> {
    const answer = await outbound(url, request);
    const waitMs =
      answer.status === 429 || answer.status === 503
        ? retryAfterMs(answer.headers.get('retry-after'))
        : undefined;
    if (waitMs === undefined) return answer;
    throw new RetryLater(answer, waitMs);
  }

  return (url, request) =>
    retry(() => attempt(url, request), {
      ...usualRetries,
      isRetryable: (error) => error instanceof RetryLater || wasBroken(error),
      retryAfterMs: (error) => (error instanceof RetryLater ? error.waitMs : undefined),
      signal: request?.signal,
      ...options,
    }).catch((error: unknown) => {
      if (error instanceof RetryLater) return error.answer;
      throw error;
    });
}
