/**
 * The one door to the network for sources. Every connection is made to an address that the guard has judged: the name is resolved
 * here, and the very address that was judged is dialled. Redirects are followed by hand and judged like the first hop. Bytes are
 * counted after decompression; one deadline holds for the whole of it. Nothing is sent but a plain GET: no cookies, no authorization.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, buildConnector, fetch, type Response } from 'undici';
import { causesOf, KnowledgeError, systemErrorCode } from '../../errors.ts';
import type { AddressGuard } from './address-guard.ts';

/** Sent with every request, and what robots.txt may name. */
export const userAgent = 'knowledge-agent';

export interface OutboundAnswer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  /** Of the last hop. */
  readonly url: URL;
  /** Decompressed; empty for anything but a 2xx. */
  readonly bytes: Uint8Array;
}

export interface OutboundRequest {
  readonly signal?: AbortSignal | undefined;
  /** Sent to this address alone, not to where it redirects. */
  readonly validators?: { readonly location: string; readonly headers: Readonly<Record<string, string>> } | undefined;
  /** Less than the loader's own limit. */
  readonly maxBytes?: number;
}

/** @throws KnowledgeError `source_not_allowed`, `fetch_failed`, `timeout`, `payload_too_large`; an answer of any status is no error */
export type Outbound = (url: string, request?: OutboundRequest) => Promise<OutboundAnswer>;

export interface OutboundOptions {
  readonly guard: AddressGuard;
  /** After decompression. */
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

const notPublic = () => new KnowledgeError('source_not_allowed', 'The host of this source is not a public address.');

/** Connector of undici that dials only addresses the guard allows. */
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
        if (address === undefined) throw notPublic();
        const servername = isIP(hostname) ? undefined : hostname;
        dial({ ...options, hostname: address, ...(servername === undefined ? {} : { servername }) }, callback);
      })
      .catch((error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null));
  };
}

function toFailure(error: unknown): KnowledgeError {
  for (const cause of causesOf(error)) {
    if (cause instanceof KnowledgeError) return cause;
    if (cause.name === 'TimeoutError') return new KnowledgeError('timeout', 'The source did not answer in time.', { cause: error });
  }
  const code = systemErrorCode(error);
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new KnowledgeError('fetch_failed', 'The host name of this source does not resolve.', { cause: error });
  if (code?.includes('TIMEOUT')) return new KnowledgeError('timeout', 'The source did not answer in time.', { cause: error });
  return new KnowledgeError('fetch_failed', 'The source could not be fetched: the connection failed.', { cause: error });
}

async function readBody(response: Response, maxBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new KnowledgeError('payload_too_large', `The source is larger than ${maxBytes} bytes.`);
  if (Number(response.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

export function createOutbound({ guard, maxBytes, timeoutMs = 30_000, resolve = resolveWithSystem }: OutboundOptions): Outbound {
  const dispatcher = new Agent({
    connect: guardedConnector(guard, resolve),
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: 1000,
    connections: 8,
  });

  async function get(url: URL, request: OutboundRequest, signal: AbortSignal, redirectsLeft: number): Promise<[Response, URL]> {
    guard.checkUrl(url);
    const validators = request.validators?.location === url.href ? request.validators.headers : {};
    const response = await fetch(url, {
      dispatcher,
      signal,
      redirect: 'manual',
      headers: { accept, 'user-agent': `${userAgent} (+document ingestion)`, ...validators },
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || response.status === 304 || location === null) return [response, url];
    await response.body?.cancel();
    if (redirectsLeft === 0) throw new KnowledgeError('fetch_failed', `The source redirects more than ${maxRedirects} times.`);
    if (!URL.canParse(location, url.href)) throw new KnowledgeError('fetch_failed', 'The source redirects to something that is not a URL.');
    return get(new URL(location, url), request, signal, redirectsLeft - 1);
  }

  return async (text, request = {}) => {
    if (!URL.canParse(text)) throw new KnowledgeError('source_not_allowed', 'This is not a valid URL.');
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const signal = request.signal ? AbortSignal.any([deadline, request.signal]) : deadline;
      const [response, url] = await get(new URL(text), request, signal, maxRedirects);
      if (!response.ok) await response.body?.cancel();
      const bytes = response.ok ? await readBody(response, Math.min(maxBytes, request.maxBytes ?? maxBytes)) : new Uint8Array();
      return { status: response.status, headers: response.headers, url, bytes };
    } catch (error) {
      throw toFailure(error);
    }
  };
}
