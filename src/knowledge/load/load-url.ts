/**
 * Reads one URL. Every connection is made to an address that the guard has judged: the name is resolved here, and the very
 * address that was judged is dialled. Redirects are followed by hand and judged like the first hop. Bytes are counted after
 * decompression; one deadline holds for the whole of it. Nothing is sent but a plain GET: no cookies, no authorization.
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, buildConnector, fetch, type Response } from 'undici';
import { causesOf, KnowledgeError, systemErrorCode } from '../../errors.ts';
import type { LoadedSource } from '../types.ts';
import { type AddressGuard, hostOf } from './address-guard.ts';

export type LoadUrl = (url: string, signal?: AbortSignal) => Promise<LoadedSource>;

export interface UrlLoaderOptions {
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
const accept = 'text/html,application/xhtml+xml,text/markdown,text/plain;q=0.9,*/*;q=0.1';

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

function parseUrl(text: string): URL {
  if (!URL.canParse(text)) throw new KnowledgeError('source_not_allowed', 'This is not a valid URL.');
  return new URL(text);
}

/** The URL that identifies a source: without its fragment. */
function withoutFragment(url: URL): string {
  const plain = new URL(url);
  plain.hash = '';
  return plain.href;
}

function readablePath(url: URL): string {
  const path = url.pathname.replace(/\/$/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // a percent sign that encodes nothing
  }
}

function fetchFailure(error: unknown): KnowledgeError {
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

export function createUrlLoader({ guard, maxBytes, timeoutMs = 30_000, resolve = resolveWithSystem }: UrlLoaderOptions): LoadUrl {
  const dispatcher = new Agent({
    connect: guardedConnector(guard, resolve),
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: 1000,
    connections: 8,
  });

  async function get(url: URL, signal: AbortSignal, redirectsLeft: number): Promise<{ response: Response; url: URL }> {
    guard.checkUrl(url);
    const response = await fetch(url, {
      dispatcher,
      signal,
      redirect: 'manual',
      headers: { accept, 'user-agent': 'knowledge-agent (+document ingestion)' },
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return { response, url };
    await response.body?.cancel();
    if (redirectsLeft === 0) throw new KnowledgeError('fetch_failed', `The source redirects more than ${maxRedirects} times.`);
    if (!URL.canParse(location, url.href)) throw new KnowledgeError('fetch_failed', 'The source redirects to something that is not a URL.');
    return get(new URL(location, url), signal, redirectsLeft - 1);
  }

  return async (text, signal) => {
    const asked = parseUrl(text);
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const { response, url } = await get(asked, signal ? AbortSignal.any([deadline, signal]) : deadline, maxRedirects);
      if (!response.ok) {
        await response.body?.cancel();
        const gone = response.status === 404 || response.status === 410;
        throw new KnowledgeError(gone ? 'source_not_found' : 'fetch_failed', `The source answered with status ${response.status}.`);
      }
      const bytes = await readBody(response, maxBytes);
      const contentType = response.headers.get('content-type') ?? '';
      return {
        bytes,
        identity: withoutFragment(asked),
        origin: withoutFragment(asked),
        location: url.href,
        fileName: url.pathname,
        mediaType: contentType.split(';')[0]?.trim().toLowerCase() || undefined,
        charset: /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1],
        fallbackTitle: `${hostOf(asked)}${readablePath(asked)}`,
      };
    } catch (error) {
      throw fetchFailure(error);
    }
  };
}
