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
import { type AddressGuard, hintToList, notAllowed } from './address-guard.ts';

/** Product token, also for rules in robots.txt. */
export const userAgent = 'knowledge-agent';

export type OutboundAnswer = Readonly<{
  status: number;
  headers: { get(name: string): string | null };
  url: URL;
  /** Decompressed; empty unless the status is 2xx. */
  bytes: Uint8Array;
}>;

export type OutboundRequest = Readonly<{
  signal?: AbortSignal | undefined;
  validators?:
    | Readonly<{ location: string; headers: Readonly<Record<string, string>> }>
    | undefined;
  maxBytes?: number;
}>;

const maxRedirects = 5;
const maxHeaderBytes = 16 * 1024;
const connectTimeoutMs = 10_000;
/** Maximum addresses of a host that are tried, one after the other. */
const maxDialled = 4;
const accept =
  'text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,application/pdf;q=0.9,*/*;q=0.5';

const resolveWithSystem = async (hostname: string) =>
  (await lookup(hostname, { all: true })).map((entry) => entry.address);

function guardedConnector(
  guard: Pick<AddressGuard, 'isAllowedAddress'>,
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
        const left = found.filter(allowed).slice(0, maxDialled);
        if (left.length === 0)
          throw notAllowed(
            `The host of this source is not a public address. ${hintToList(hostname, port)}`,
          );
        const servername = isIP(hostname) ? {} : { servername: hostname };
        const dialNext = () =>
          dial({ ...options, hostname: left.shift() ?? '', ...servername }, (...result) =>
            result[0] && left.length > 0 ? dialNext() : callback(...result),
          );
        dialNext();
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

/** Names the problem of a connection, as the end of a sentence. */
export const connectionProblem = (error: unknown): string =>
  failures.find(([codes]) => codes.test(systemErrorCode(error) ?? ''))?.[1] ??
  'the connection failed';

function toFailure(error: unknown, name: string, failed: string) {
  const late = () =>
    new KnowledgeError('timeout', `${name} did not answer in time.`, { cause: error });
  for (const cause of causesOf(error)) {
    if (cause instanceof KnowledgeError) return cause;
    if (cause.name === 'TimeoutError') return late();
  }
  if (/TIMEOUT|TIMEDOUT/.test(systemErrorCode(error) ?? '')) return late();
  const message = `${name} ${failed}: ${connectionProblem(error)}.`;
  return new KnowledgeError('fetch_failed', message, { cause: error });
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

export const tooLarge = (maxBytes: number, unpacked = '', cause?: unknown) =>
  new KnowledgeError(
    'payload_too_large',
    `The source is larger than ${maxBytes} bytes${unpacked}.`,
    { cause },
  );

async function readBody(
  { headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<Uint8Array> {
  if (Number(headerOf(headers, 'content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
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
      if (size > maxBytes) throw tooLarge(maxBytes);
      parts.push(part);
    }
  };
  const stages: unknown[] = [body, ...steps, collect];
  await pipeline(...(stages as [NodeJS.ReadableStream, NodeJS.WritableStream]));
  return Buffer.concat(parts);
}

function headerOf(headers: Dispatcher.ResponseData['headers'], name: string) {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

const discard = ({ body }: Dispatcher.ResponseData) => {
  body.on('error', () => undefined);
  body.destroy();
};

const readableHeaders = (
  headers: Dispatcher.ResponseData['headers'],
): OutboundAnswer['headers'] => ({
  get: (name) => headerOf(headers, name.toLowerCase()) ?? null,
});

/** @throws KnowledgeError `source_not_allowed` */
export function toUrl(text: string): URL {
  if (!URL.canParse(text))
    throw notAllowed('This is not a valid URL. It must begin with http:// or https://.');
  return new URL(text);
}

/** One deadline covers a request with its redirects. */
export class Outbound {
  readonly #options;
  readonly #dispatcher;

  constructor(
    options: Readonly<{
      guard: Pick<AddressGuard, 'checkUrl' | 'isAllowedAddress'>;
      /** Maximum bytes of a body; default: no limit. */
      maxBytes?: number;
      /** Default 30 seconds. */
      timeoutMs?: number;
      /** Returns all addresses of a host name; default: the system's resolver. */
      resolve?: (hostname: string) => Promise<string[]>;
      /** Receiver of posts, for messages. */
      name?: string;
    }>,
  ) {
    const { guard, resolve = resolveWithSystem } = options;
    const defaults = { maxBytes: Number.POSITIVE_INFINITY, timeoutMs: 30_000, name: '' };
    this.#options = { ...defaults, ...options };
    this.#dispatcher = new Agent({
      connect: guardedConnector(guard, resolve),
      maxHeaderSize: maxHeaderBytes,
      keepAliveTimeout: 1000,
      connections: 8,
    });
  }

  /**
   * Resolves for every status. @throws KnowledgeError `source_not_allowed`, `fetch_failed`,
   * `timeout`, `payload_too_large`
   */
  readonly get = async (text: string, request: OutboundRequest = {}): Promise<OutboundAnswer> => {
    const first = toUrl(text);
    const read = async (signal: AbortSignal) => {
      const { response, url } = await this.#follow(first, request, signal);
      const { statusCode: status, headers } = response;
      const isFound = status >= 200 && status <= 299;
      if (!isFound) discard(response);
      const { maxBytes } = this.#options;
      const bytes = isFound
        ? await readBody(response, Math.min(maxBytes, request.maxBytes ?? maxBytes))
        : new Uint8Array();
      return { status, headers: readableHeaders(headers), url, bytes };
    };
    return this.#inTime(request.signal, read).catch((error: unknown) => {
      throw toFailure(error, 'The source', 'could not be fetched');
    });
  };

  /**
   * Sends a POST request without following redirects or reading the response body. @throws
   * KnowledgeError `source_not_allowed`, `fetch_failed`, `timeout`
   */
  readonly post = async (
    text: string,
    { body, headers: given, signal }: PostRequest,
  ): Promise<Pick<OutboundAnswer, 'status' | 'headers'>> => {
    const { guard, name } = this.#options;
    const json = 'application/json';
    const headers = { accept: json, 'content-type': json, 'user-agent': userAgent, ...given };
    try {
      const url = toUrl(text);
      guard.checkUrl(url);
      const dispatcher = this.#dispatcher;
      const response = await this.#inTime(signal, (ending) =>
        send(url, { method: 'POST', signal: ending, body, headers, dispatcher }),
      );
      discard(response);
      return { status: response.statusCode, headers: readableHeaders(response.headers) };
    } catch (error) {
      const failure = toFailure(error, name, 'could not be reached');
      // Replaces the guard's message, which mentions a source.
      if (failure.code !== 'source_not_allowed') throw failure;
      const hint = 'Add its host, with the port if it is not 80 or 443, to ALLOWED_URL_HOSTS.';
      const cause = failure;
      throw new KnowledgeError('source_not_allowed', `${name} is blocked. ${hint}`, { cause });
    }
  };

  #inTime<T>(signal: AbortSignal | undefined, work: (ending: AbortSignal) => Promise<T>) {
    const deadline = AbortSignal.timeout(this.#options.timeoutMs);
    return work(signal ? AbortSignal.any([deadline, signal]) : deadline);
  }

  async #follow(first: URL, { validators }: OutboundRequest, signal: AbortSignal) {
    let url = first;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      this.#options.guard.checkUrl(url);
      const headers = {
        accept,
        // Not deflate: servers send it with and without the zlib header.
        'accept-encoding': 'gzip, br',
        'accept-language': '*',
        'user-agent': `${userAgent} (+document ingestion)`,
        ...(validators?.location === url.href ? validators.headers : {}),
      };
      const response = await send(url, { signal, headers, dispatcher: this.#dispatcher });
      // Each character is a byte; servers send raw UTF-8 too.
      const location = headerOf(response.headers, 'location')?.replace(
        /[\x80-\xff]/g,
        (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
      );
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
}

export type PostRequest = Readonly<{
  body: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
}>;

const brokenConnection = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'EAI_AGAIN',
]);

const wasBroken = (error: unknown) =>
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
export function withRetries(
  get: Outbound['get'],
  options: Partial<RetryOptions> = {},
): Outbound['get'] {
  const attempt: Outbound['get'] = async (url, request) => {
    const answer = await get(url, request);
    const waitMs =
      answer.status === 429 || answer.status === 503
        ? retryAfterMs(answer.headers.get('retry-after'))
        : undefined;
    if (waitMs === undefined) return answer;
    throw new RetryLater(answer, waitMs);
  };

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
