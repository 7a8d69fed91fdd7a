/** URL → bytes, or the word that nothing has changed since the last time. */
import { createHash } from 'node:crypto';
import { KnowledgeError } from '../../errors.ts';
import type { IdentifiedSource, LoadedSource, SourceVersion } from '../types.ts';
import { hostOf } from './address-guard.ts';
import type { Outbound, OutboundAnswer } from './outbound.ts';
import { isGzip, unpackGzip, withoutGzipName } from './unpack-gzip.ts';

/** The URL that identifies a source: without its fragment. */
export function withoutFragment(url: string): string {
  if (!URL.canParse(url)) throw new KnowledgeError('source_not_allowed', 'This is not a valid URL.');
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

/** @throws KnowledgeError `source_not_allowed` */
export function identifyUrl(text: string): IdentifiedSource {
  const identity = withoutFragment(text);
  const url = new URL(identity);
  return { identity, origin: identity, fallbackTitle: `${hostOf(url)}${readablePath(url)}` };
}

export type LoadUrl = (
  source: IdentifiedSource,
  known: SourceVersion | undefined,
  signal: AbortSignal | undefined,
) => Promise<LoadedSource | 'unchanged'>;

/** Headers that let a server say that nothing has changed; undefined where it gave none to ask with. */
function validatorsOf(known: SourceVersion | undefined): { location: string; headers: Record<string, string> } | undefined {
  if (known?.location === undefined) return undefined;
  const headers: Record<string, string> = {};
  if (known.etag !== undefined) headers['if-none-match'] = known.etag;
  if (known.lastModified !== undefined) headers['if-modified-since'] = known.lastModified;
  return Object.keys(headers).length === 0 ? undefined : { location: known.location, headers };
}

function failure({ status, headers }: OutboundAnswer): KnowledgeError {
  if (status === 404 || status === 410) return new KnowledgeError('source_not_found', `The source answered with status ${status}.`);
  const retryAfter = headers.get('retry-after')?.slice(0, 40);
  const hint = (status === 429 || status === 503) && retryAfter ? `, and asks to try again after ${retryAfter}` : '';
  return new KnowledgeError(
    'fetch_failed',
    `The source answered with status ${status}${hint && `${hint}${/^\d+$/.test(retryAfter ?? '') ? ' seconds' : ''}`}.`,
  );
}

export function createUrlLoader(outbound: Outbound, maxBytes: number): LoadUrl {
  return async (source, known, signal) => {
    const answer = await outbound(source.identity, { signal, validators: validatorsOf(known) });
    if (answer.status === 304 && known) return 'unchanged';
    // A part of a page, which nobody asked for, is not the page.
    if (answer.status < 200 || answer.status > 299 || answer.status === 206) throw failure(answer);
    const { url, headers } = answer;
    const packed = isGzip(answer.bytes);
    const bytes = packed ? await unpackGzip(answer.bytes, maxBytes) : answer.bytes;
    const contentType = headers.get('content-type') ?? '';
    const mediaType = contentType.split(';')[0]?.trim().toLowerCase() || undefined;
    const etag = headers.get('etag');
    const lastModified = headers.get('last-modified');
    return {
      ...source,
      bytes,
      version: {
        hash: createHash('sha256').update(bytes).digest('hex'),
        location: url.href,
        ...(etag === null ? {} : { etag }),
        ...(lastModified === null ? {} : { lastModified }),
      },
      location: url.href,
      fileName: packed ? withoutGzipName(url.pathname) : url.pathname,
      mediaType: packed && /gzip/.test(mediaType ?? '') ? undefined : mediaType,
      charset: /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1],
    };
  };
}
