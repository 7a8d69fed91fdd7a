/** Loads the bytes of sources, or reports `unchanged`. All sources are read here. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readFile, readlink, realpath } from 'node:fs/promises';
import { basename, extname, isAbsolute, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readableExtensions } from '../../../packages/converters/src/formats.ts';
import { KnowledgeError, systemErrorCode } from '../../../packages/shared/src/errors.ts';
import { readFrontMatter } from '../../../packages/shared/src/markdown/front-matter.ts';
import type { SourceVersion } from '../../documents/document.ts';
import { identifyUpload, readablePath } from '../../documents/document-file.ts';
import { fileStampOf, sha256 } from '../../documents/document-store.ts';
import type {
  IdentifiedSource,
  LoadedSource,
  Source,
  TextSource,
  UploadedFile,
} from '../source.ts';
import { hostOf, notAllowed } from './address-guard.ts';
import {
  type Outbound,
  type OutboundAnswer,
  type OutboundRequest,
  tooLarge,
  toUrl,
} from './outbound.ts';

// After links are resolved, only paths below allowed folders may be read; never devices, /proc or
// dot files. Errors do not reveal folders of the server or whether a forbidden path exists.

/** `below`: relative to its root, with `/`; empty for a root itself. */
type LocatedPath = Readonly<{ path: string; below: string }>;

const systemFolders = ['/proc', '/sys', '/dev'];

export const notFound = () =>
  new KnowledgeError('source_not_found', 'The file was not found below the allowed folders.');
const notBelowRoot = () => notAllowed('The path is not below a folder of ALLOWED_FILE_ROOTS.');

const isInside = (folder: string, path: string) => {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
};

const isAbsent = (error: unknown) =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(systemErrorCode(error) ?? '');

const realPathOf = (path: string) =>
  realpath(path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw notAllowed('The path cannot be opened for reading.');
  });

function shownBelow(root: string, path: string) {
  const below = relative(root, path).split(sep).join('/');
  if (below.split('/').some((part) => part.startsWith('.')))
    throw notAllowed('Files and folders with a leading dot are not read.');
  return below;
}

export class FileRoots {
  readonly #roots;
  readonly #workingDirectory;

  constructor(roots: readonly string[], workingDirectory: string) {
    this.#roots = roots;
    this.#workingDirectory = workingDirectory;
  }

  /** @throws KnowledgeError `source_not_allowed`, `source_not_found` */
  async locate(path: string): Promise<LocatedPath> {
    if (this.#roots.length === 0)
      throw notAllowed('File sources are disabled: ALLOWED_FILE_ROOTS is not set.');
    if (path === '' || path.includes('\0')) throw notAllowed('This is not a valid path.');
    const real = await this.list();
    let failure = notBelowRoot();
    for (const candidate of this.#candidatesIn(path, real)) {
      const found = await realPathOf(candidate);
      const root = rootOf(found ?? candidate, real);
      if (root === undefined) continue;
      if (found !== undefined) return { path: found, below: shownBelow(root, found) };
      failure = notFound();
    }
    throw failure;
  }

  /** Real paths of the roots that exist. Not cached: a folder may be mounted after the start. */
  async list(): Promise<string[]> {
    const found = await Promise.all(
      this.#roots.map((root) =>
        realpath(resolve(this.#workingDirectory, root)).catch(() => undefined),
      ),
    );
    return found.filter((root) => root !== undefined);
  }

  /** Absolute paths below a root to which a path may resolve; they need not exist. */
  async candidates(path: string): Promise<string[]> {
    const real = await this.list();
    return this.#candidatesIn(path, real).filter((one) => rootOf(one, real) !== undefined);
  }

  /** Whether an absolute path is below a root. */
  async holds(path: string): Promise<boolean> {
    return rootOf(path, await this.list()) !== undefined;
  }

  #candidatesIn(path: string, real: readonly string[]) {
    const starts = isAbsolute(path) ? [''] : [this.#workingDirectory, ...real];
    return starts.map((start) => resolve(start, path));
  }
}

const rootOf = (path: string, real: readonly string[]) =>
  systemFolders.some((folder) => isInside(folder, path))
    ? undefined
    : real.find((root) => isInside(root, path));

type Get = Outbound['get'];
type Known = SourceVersion | undefined;

/** Nothing names the type of a file but its name. */
const untyped = { location: undefined, mediaType: undefined, charset: undefined };

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;
const inflate = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);

/**
 * Unpacks one layer of gzip (`pages.md.gz`). @throws KnowledgeError `payload_too_large`,
 * `ingest_failed`
 */
export async function unpackIfGzip(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  if (!isGzip(bytes)) return bytes;
  try {
    return await inflate(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(maxBytes, ' when unpacked', error);
    throw new KnowledgeError(
      'ingest_failed',
      'The compressed source is damaged and cannot be unpacked.',
      { cause: error },
    );
  }
}

async function contentOf(received: Uint8Array, name: string, maxBytes: number) {
  const bytes = await unpackIfGzip(received, maxBytes);
  return {
    bytes,
    hash: sha256(bytes),
    fileName: bytes === received ? name : name.replace(/\.gz$/i, ''),
  };
}

export function identifyUrl(text: string): IdentifiedSource {
  const url = toUrl(text);
  url.hash = '';
  return {
    identity: url.href,
    origin: url.href,
    fallbackTitle: `${hostOf(url)}${readablePath(url).replace(/\/$/, '')}`,
  };
}

function validatorsOf({ location, etag, lastModified }: SourceVersion) {
  const headers = {
    ...(etag && { 'if-none-match': etag }),
    ...(lastModified && { 'if-modified-since': lastModified }),
  };
  return location === undefined ? undefined : { location, headers };
}

/** Code of a source that answered with this status. */
export const failureCode = (status: number) =>
  status === 404 || status === 410 ? 'source_not_found' : 'fetch_failed';

function failure({ status, headers }: OutboundAnswer) {
  const asked =
    status === 429 || status === 503 ? headers.get('retry-after')?.slice(0, 40) : undefined;
  const hint = asked
    ? `, and asks to retry after ${asked}${/^\d+$/.test(asked) ? ' seconds' : ''}`
    : '';
  return new KnowledgeError(
    failureCode(status),
    `The source answered with status ${status}${hint}.`,
  );
}

/** Pages that only send the reader on; documentation roots do this. */
const maxRefreshes = 3;
/** In seconds; a later refresh shows the page first. */
const maxRefreshDelay = 3;
/** Bytes searched for a refresh, and their parts that browsers with scripts ignore. */
const refreshBytes = 16_384;
const ignoredMarkup = /<!--[\s\S]{0,4000}?-->|<noscript\b[\s\S]{0,4000}?<\/noscript>/gi;
const refreshTag = /<meta\s(?=[^>]{0,400}http-equiv\s*=\s*["']?refresh\b)[^>]{0,2400}>/i;
const refreshContent = /\bcontent\s*=\s*(?:"([^"]{1,2100})"|'([^']{1,2100})')/i;
/** HTML requires a separator: a page that only reloads itself (`30`) names no target. */
const refreshTarget = /^\s*(\d{1,3})[\d.]*(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?["']?([^"']{1,2048})/i;

/** Returns the URL to which a page sends its reader at once, by a header or a `meta` element. */
function refreshOf({ bytes, headers, url }: OutboundAnswer) {
  const head = Buffer.from(bytes.subarray(0, refreshBytes)).toString('utf8');
  const tag = /^\s*</.test(head)
    ? refreshTag.exec(head.replace(ignoredMarkup, ''))?.[0]
    : undefined;
  const [, quoted, other] = refreshContent.exec(tag ?? '') ?? [];
  const content = headers.get('refresh') ?? quoted ?? other ?? '';
  const [, delay, target = ''] = refreshTarget.exec(content.replaceAll('&amp;', '&')) ?? [];
  const next = target.trim() === '' ? null : URL.parse(target.trim(), url.href);
  return next && next.href !== url.href && Number(delay) <= maxRefreshDelay ? next.href : undefined;
}

async function refreshed(get: Get, start: string, request: OutboundRequest) {
  let answer = await get(start, request);
  for (let refreshes = 0; refreshes < maxRefreshes && answer.status === 200; refreshes++) {
    const next = refreshOf(answer);
    if (next === undefined) break;
    answer = await get(next, request);
  }
  return answer;
}

export async function loadUrl(
  get: Get,
  maxBytes: number,
  source: IdentifiedSource,
  known: Known,
  signal?: AbortSignal,
): Promise<LoadedSource | 'unchanged'> {
  const answer = await refreshed(get, source.identity, {
    signal,
    validators: known && validatorsOf(known),
  });
  const { status, url, headers } = answer;
  if (status === 304 && known) return 'unchanged';
  // 206 is a partial response, which was not requested.
  if (status < 200 || status > 299 || status === 206) throw failure(answer);
  const { bytes, hash, fileName } = await contentOf(answer.bytes, url.pathname, maxBytes);
  const contentType = headers.get('content-type') ?? '';
  const mediaType = contentType.split(';')[0]?.trim().toLowerCase() || undefined;
  return {
    ...source,
    bytes,
    version: {
      hash,
      location: url.href,
      etag: headers.get('etag') ?? undefined,
      lastModified: headers.get('last-modified') ?? undefined,
    },
    location: url.href,
    fileName,
    mediaType: bytes !== answer.bytes && /gzip/.test(mediaType ?? '') ? undefined : mediaType,
    charset: /charset\s*=\s*"?([\w-]+)/i.exec(contentType)?.[1],
  };
}

export const identifyFile = ({ path, below }: LocatedPath): IdentifiedSource => ({
  identity: path,
  origin: below,
  fallbackTitle: basename(path).replace(/\.[^.]+$/, ''),
});

async function stampAt(path: string) {
  const stat = await lstat(path, { bigint: true }).catch(() => undefined);
  return stat?.isFile() ? fileStampOf(stat) : undefined;
}

async function readFileSource(
  roots: FileRoots,
  maxBytes: number,
  handle: FileHandle,
  source: IdentifiedSource,
): Promise<LoadedSource> {
  const path = source.identity;
  const stat = await handle.stat({ bigint: true });
  if (!stat.isFile()) throw notAllowed('Only regular files are read.');
  // The real path of the descriptor, on systems with /proc.
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => path);
  if (!(await roots.holds(opened))) throw notBelowRoot();
  const size = Number(stat.size);
  if (size > maxBytes) throw tooLarge(maxBytes);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
  const content = buffer.subarray(0, bytesRead);
  const { bytes, hash, fileName } = await contentOf(content, basename(path), maxBytes);
  const version = { hash, stamp: fileStampOf(stat), location: path };
  return { ...source, ...untyped, bytes, version, fileName };
}

/**
 * Reads a regular file below the allowed folders. Opens it without following links and checks
 * again, so swapping in a link has no effect.
 */
export async function loadFile(
  roots: FileRoots,
  maxBytes: number,
  source: IdentifiedSource,
  known: Known,
): Promise<LoadedSource | 'unchanged'> {
  const path = source.identity;
  if (known?.stamp !== undefined && known.stamp === (await stampAt(path))) return 'unchanged';
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(path, flags).catch((error: unknown) => {
    throw isAbsent(error) ? notFound() : notAllowed('The file cannot be opened for reading.');
  });
  try {
    return await readFileSource(roots, maxBytes, handle, source);
  } finally {
    await handle.close();
  }
}

/**
 * The file name determines the type. The media type counts only without a known extension, because
 * browsers derive it from the name.
 */
async function loadUpload(
  { path, name, mediaType }: UploadedFile['upload'],
  maxBytes: number,
  source: IdentifiedSource,
): Promise<LoadedSource> {
  const received = await readFile(path);
  const { bytes, hash, fileName } = await contentOf(received, name, maxBytes);
  const isNamed =
    bytes !== received || readableExtensions.includes(extname(fileName).toLowerCase());
  const named = { fileName, mediaType: isNamed ? undefined : mediaType };
  return { ...source, ...untyped, ...named, bytes, version: { hash } };
}

const maxTitleLength = 60;

function titleOf(text: string) {
  const { bodyStart } = readFrontMatter(text);
  const lines = text.slice(bodyStart, bodyStart + 10_000).split('\n');
  const line =
    lines.map((one) => one.replace(/^[\s#>*-]+/, '').trim()).find((one) => one !== '') ?? '';
  const sentence = /^.*?[.!?。！？](?=\s|$)/u.exec(line)?.[0] ?? line;
  if (sentence.length <= maxTitleLength) return sentence.replace(/[.。]$/, '');
  const cut = [...sentence].slice(0, maxTitleLength).join('');
  const lastSpace = cut.lastIndexOf(' ');
  return `${lastSpace > 20 ? cut.slice(0, lastSpace) : cut}…`;
}

function identifyText(text: string, title: string | undefined): IdentifiedSource {
  const name = title ?? titleOf(text);
  return {
    identity: title === undefined ? `content:${sha256(text)}` : `title:${title}`,
    origin: name,
    fallbackTitle: name,
  };
}

function loadText(
  { text, author, reviewBy }: TextSource,
  maxBytes: number,
  source: IdentifiedSource,
  known: Known,
): LoadedSource | 'unchanged' {
  const hash =
    author === undefined && reviewBy === undefined
      ? sha256(text)
      : sha256(JSON.stringify([text, author, reviewBy]));
  if (known?.hash === hash) return 'unchanged';
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
  const type = { fileName: '', mediaType: 'text/markdown', charset: 'utf-8' };
  return { ...source, ...type, location: undefined, bytes, version: { hash } };
}

export class SourceLoader {
  readonly #roots;
  readonly #get;
  readonly #maxBytes;

  constructor(roots: FileRoots, get: Get, maxBytes: number) {
    this.#roots = roots;
    this.#get = get;
    this.#maxBytes = maxBytes;
  }

  async identify(source: Source): Promise<IdentifiedSource> {
    if (source.kind === 'url') return identifyUrl(source.url);
    if ('upload' in source) return identifyUpload(source.upload.name);
    if (source.kind === 'file') return identifyFile(await this.#roots.locate(source.path));
    return identifyText(source.text, source.title);
  }

  /**
   * Returns `unchanged` if the source still has the version `known`, as far as can be checked
   * without parsing.
   */
  async load(
    source: Source,
    identified: IdentifiedSource,
    known: Known,
    signal?: AbortSignal,
  ): Promise<LoadedSource | 'unchanged'> {
    const max = this.#maxBytes;
    if (source.kind === 'url') return loadUrl(this.#get, max, identified, known, signal);
    if ('upload' in source) return loadUpload(source.upload, max, identified);
    if (source.kind === 'file') return loadFile(this.#roots, max, identified, known);
    return loadText(source, max, identified, known);
  }
}
