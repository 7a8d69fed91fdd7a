/** Ingests at a running server: uploads files, starts a job for other sources. Redirects are not followed, so the key goes nowhere else. */
import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isApiKey, isBaseUrl } from '../../packages/calls/src/upstream.ts';
import { retryAfterMs } from '../../packages/shared/src/concurrency/deadline.ts';
import { readEvents } from '../../packages/shared/src/concurrency/event-stream.ts';
import { retry } from '../../packages/shared/src/concurrency/retry.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { ingestSourcesOutput } from '../app/ingest-sources.ts';
import { folderMatcher, listFolder } from '../ingest/folder.ts';
import { failedRow, type ReportRow, reportRow } from '../ingest/ingest-source.ts';
import { jobReport } from '../ingest/jobs/job.ts';
import { UsageError } from './command.ts';
import { reasonOf } from './json-request.ts';
import type { Progress } from './terminal.ts';

export interface LocalFile {
  readonly path: string;
  /** Name of the upload: path from the given folder on, including the folder's name. */
  readonly name: string;
  readonly bytes: number;
}

/** Maximum per request. Small batches show progress and are cheap to repeat. */
const [maxBatchFiles, maxBatchBytes] = [20, 50_000_000];
const attempts = { maxAttempts: 6, firstPauseMs: 4_000, maxPauseMs: 4_000 };
const maxWaitMs = 60_000;
const maxCancelMs = 2_000;

export async function listUploads(paths: readonly string[], glob: string | undefined): Promise<LocalFile[]> {
  const files: Omit<LocalFile, 'bytes'>[] = [];
  for (const path of paths) {
    const [whole, name] = [resolve(path), basename(resolve(path))];
    const below = await listFolder(whole, folderMatcher(glob), undefined);
    if (!below && glob !== undefined) throw new UsageError(`"${shownLine(path)}" is a file, not a folder. Remove --glob.`);
    if (below?.length === 0) throw new UsageError(`The folder "${shownLine(path)}" has no matching file. Check --glob.`);
    files.push(...(below?.map((file) => ({ path: join(whole, file), name: `${name}/${file}` })) ?? [{ path: whole, name }]));
  }
  const known = new Map<string, string>();
  for (const { path, name } of files) {
    const other = known.get(name);
    if (other !== undefined && other !== path)
      throw new UsageError(`"${other}" and "${path}" would both be called "${name}". Give their folder instead.`);
    known.set(name, path);
  }
  // Unreadable files count 0 bytes here; `ingestAtServer` reports them.
  const sized = [...known].map(async ([name, path]) => ({ path, name, bytes: (await stat(path).catch(() => undefined))?.size ?? 0 }));
  return Promise.all(sized);
}

function* batchesOf(files: readonly LocalFile[]): Generator<LocalFile[]> {
  let batch: LocalFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (batch.length === maxBatchFiles || (batch.length > 0 && bytes + file.bytes > maxBatchBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(file);
    bytes += file.bytes;
  }
  if (batch.length > 0) yield batch;
}

/** Sends a request; repeats it if the server answers 429 or 503. @throws KnowledgeError for a status not in `expected` */
export type RemoteServer = (path: string, init: RequestInit, signal: AbortSignal, expected?: readonly number[]) => Promise<Response>;

class BusyError extends KnowledgeError {
  readonly waitMs: number;

  constructor(message: string, response: Response) {
    super('upstream_failed', message);
    this.waitMs = Math.min(maxWaitMs, retryAfterMs(response.headers.get('retry-after')) ?? 0);
  }
}

async function refusalOf(response: Response, address: string): Promise<KnowledgeError> {
  const { status } = response;
  const body = (await response.json().catch(() => undefined)) as { readonly error?: unknown } | undefined;
  const said = typeof body?.error === 'string' ? body.error.slice(0, 500) : undefined;
  if (status === 401) return new KnowledgeError('unauthorized', `${address} requires a valid key. Set KNOWLEDGE_API_KEY.`);
  if (status === 413)
    return new KnowledgeError('payload_too_large', said ?? `${address} or a proxy before it rejected the size of the request.`);
  if (status >= 300 && status < 400)
    return new KnowledgeError('upstream_failed', `${address} returned a redirect, which is not followed. Give the final address.`);
  const message = said ?? `${address} returned the unexpected status ${status}. Check the address.`;
  return status === 429 || status === 503 ? new BusyError(message, response) : new KnowledgeError('upstream_failed', message);
}

export function createRemoteServer(server: string, key: string | undefined): RemoteServer {
  const address = server.trim().replace(/\/+$/, '');
  if (/\s/.test(address) || !isBaseUrl(address))
    throw new UsageError('--server must be an http:// or https:// URL without user, query or fragment.');
  if (key && !isApiKey(key)) throw new UsageError('KNOWLEDGE_API_KEY must be visible ASCII characters without white space.');
  const authorization: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};

  async function attempt(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const headers = { accept: 'application/json', ...authorization, ...(init.headers as Record<string, string> | undefined) };
    try {
      return await fetch(`${address}${path}`, { ...init, headers, redirect: 'manual', signal });
    } catch (error) {
      signal.throwIfAborted();
      throw new KnowledgeError('fetch_failed', `${address} is unreachable: ${reasonOf(error)}.`, { cause: error });
    }
  }

  return (path, init, signal, expected = [200]) =>
    retry(
      async () => {
        const response = await attempt(path, init, signal);
        if (!expected.includes(response.status)) throw await refusalOf(response, address);
        return response;
      },
      {
        ...attempts,
        isRetryable: (error) => error instanceof BusyError,
        retryAfterMs: (error) => (error instanceof BusyError ? error.waitMs : undefined),
        signal,
      },
    );
}

async function formOf(files: readonly LocalFile[]): Promise<FormData> {
  const form = new FormData();
  for (const { path, name } of files) form.append('files', await openAsBlob(path), name);
  return form;
}

const isReadable = ({ path }: LocalFile) =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );

const rowOf = ({ name }: LocalFile, error: KnowledgeError): ReportRow => failedRow({ source: name, kind: 'file' }, error);

/** Splits a batch that the server or a proxy rejects as too large. */
async function uploadBatch(
  server: RemoteServer,
  namespace: string,
  files: readonly LocalFile[],
  signal: AbortSignal,
): Promise<ReportRow[]> {
  const path = `/api/namespaces/${encodeURIComponent(namespace)}/documents`;
  const [first, ...others] = files;
  if (!first) return [];
  try {
    const response = await server(path, { method: 'POST', body: await formOf(files) }, signal, [200, 422]);
    return ingestSourcesOutput.parse(await response.json()).results;
  } catch (error) {
    if (!(error instanceof KnowledgeError) || error.code !== 'payload_too_large') throw error;
    if (others.length === 0) return [rowOf(first, error)];
    const half = Math.ceil(files.length / 2);
    return [
      ...(await uploadBatch(server, namespace, files.slice(0, half), signal)),
      ...(await uploadBatch(server, namespace, files.slice(half), signal)),
    ];
  }
}

async function takeEvents(response: Response, rows: ReportRow[], progress: Progress): Promise<boolean> {
  let seen = 0;
  for await (const { event, data } of response.body ? readEvents(response.body) : []) {
    if (event === 'progress' || event === 'end') {
      const { stages, error } = jobReport.omit({ results: true }).parse(JSON.parse(data));
      if (error) throw new KnowledgeError('ingest_failed', error.message);
      if (event === 'end') return true;
      progress.total(Object.values(stages).reduce((sum, count) => sum + count, 0));
    }
    if (event !== 'result' || ++seen <= rows.length) continue;
    const row = reportRow.parse(JSON.parse(data));
    rows.push(row);
    progress.row(row);
  }
  return false;
}

/** Streams the rows of a job; reconnects if the stream breaks. @throws KnowledgeError */
async function followJob(server: RemoteServer, id: string, progress: Progress, signal: AbortSignal): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  const disconnected = new KnowledgeError(
    'fetch_failed',
    `The connection to job ${id} was lost. The server continues the job: GET /api/jobs/${id} shows it.`,
  );
  const follow = async () => {
    const response = await server(`/api/jobs/${id}/events`, { headers: { accept: 'text/event-stream' } }, signal);
    const isOver = await takeEvents(response, rows, progress).catch((error: unknown) => {
      if (error instanceof TypeError) return false; // the connection broke
      throw error;
    });
    if (!isOver) throw disconnected;
    return rows;
  };
  return retry(follow, { ...attempts, isRetryable: (error) => error === disconnected, signal });
}

async function runJob(server: RemoteServer, asked: object, progress: Progress, signal: AbortSignal): Promise<ReportRow[]> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ ...asked, wait: false });
  const { id } = jobReport.parse(await (await server('/api/tools/ingestSources', { method: 'POST', headers, body }, signal, [202])).json());
  try {
    return await followJob(server, id, progress, signal);
  } catch (error) {
    if (signal.aborted) await server(`/api/jobs/${id}`, { method: 'DELETE' }, AbortSignal.timeout(maxCancelMs)).catch(() => undefined);
    throw error;
  }
}

export interface RemoteIngest {
  readonly namespace: string;
  readonly uploads: readonly LocalFile[];
  readonly sources: readonly unknown[];
  readonly prune: boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Returns one row per source, uploads first; if interrupted, only the finished ones. @throws KnowledgeError if the server refuses */
export async function ingestAtServer(server: RemoteServer, asked: RemoteIngest): Promise<ReportRow[]> {
  const { namespace, uploads, sources, prune, progress, signal } = asked;
  const rows: ReportRow[] = [];
  const add = (row: ReportRow) => {
    rows.push(row);
    progress.row(row);
  };
  progress.total(uploads.length + sources.length);
  try {
    for (const batch of batchesOf(uploads)) {
      const readable = await Promise.all(batch.map(isReadable));
      const unreadable = new KnowledgeError('source_not_allowed', 'The file cannot be read. Check its permissions.');
      for (const [at, file] of batch.entries()) if (!readable[at]) add(rowOf(file, unreadable));
      const sent = batch.filter((_, at) => readable[at]);
      for (const row of await uploadBatch(server, namespace, sent, signal)) add(row);
    }
    if (sources.length > 0) rows.push(...(await runJob(server, { namespace, sources, prune }, progress, signal)));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return rows;
}
