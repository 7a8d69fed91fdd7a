/**
 * Ingests at a running server: uploads files, starts a job for other sources. Redirects are not
 * followed, so the key goes nowhere else.
 */
import { constants, openAsBlob } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import {
  type ClientSource,
  createKnowledgeClient,
  type IngestJob,
  type KnowledgeClient,
  KnowledgeClientError,
  type RequestOptions,
} from '../../packages/client/src/index.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { shownLine } from '../../packages/shared/src/language/invisible.ts';
import { notAllowed } from '../ingest/fetch/address-guard.ts';
import { folderMatcher, listFolder } from '../ingest/folder.ts';
import { failedRow, type ReportRow } from '../ingest/ingest-source.ts';
import { UsageError } from './command.ts';
import { reasonOf } from './json-request.ts';
import type { Progress } from './terminal.ts';

type LocalFile = Readonly<{
  path: string;
  /** Name of the upload: path from the given folder on, including the folder's name. */
  name: string;
  bytes: number;
}>;

/** Maximum per request. Small batches show progress and are cheap to repeat. */
const maxBatchFiles = 20;
const maxBatchBytes = 50_000_000;
export async function listUploads(
  paths: readonly string[],
  glob: string | undefined,
): Promise<LocalFile[]> {
  const files: Omit<LocalFile, 'bytes'>[] = [];
  for (const path of paths) {
    const whole = resolve(path);
    const name = basename(resolve(path));
    const below = await listFolder(whole, folderMatcher(glob), undefined);
    if (!below && glob !== undefined)
      throw new UsageError(`"${shownLine(path)}" is a file, not a folder. Remove --glob.`);
    if (below?.length === 0)
      throw new UsageError(`The folder "${shownLine(path)}" has no matching file. Check --glob.`);
    files.push(
      ...(below?.map((file) => ({ path: join(whole, file), name: `${name}/${file}` })) ?? [
        { path: whole, name },
      ]),
    );
  }
  const known = new Map<string, string>();
  for (const { path, name } of files) {
    const other = known.get(name);
    if (other !== undefined && other !== path)
      throw new UsageError(
        `"${other}" and "${path}" would both be called "${name}". Give their folder instead.`,
      );
    known.set(name, path);
  }
  // Unreadable files count 0 bytes here; `ingestAtServer` reports them.
  const sized = [...known].map(async ([name, path]) => ({
    path,
    name,
    bytes: (await stat(path).catch(() => undefined))?.size ?? 0,
  }));
  return Promise.all(sized);
}

function* batchesOf(files: readonly LocalFile[]): Generator<LocalFile[]> {
  let batch: LocalFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (
      batch.length === maxBatchFiles ||
      (batch.length > 0 && bytes + file.bytes > maxBatchBytes)
    ) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.bytes;
  }
  if (batch.length > 0) yield batch;
}

/** Says what the operator can change. */
function commandError(error: unknown, address: string) {
  if (!(error instanceof KnowledgeClientError)) return error;
  const { code, message, cause } = error;
  if (code === 'unauthorized')
    return new KnowledgeError(code, `${address} requires a valid key. Set KNOWLEDGE_API_KEY.`);
  if (code === 'redirect')
    return new KnowledgeError(
      'upstream_failed',
      `${address} returned a redirect, which is not followed. Give the final address.`,
    );
  // A lost job has the failure of its connection as its cause.
  if (code !== 'unreachable' || cause instanceof KnowledgeClientError)
    return new KnowledgeError('upstream_failed', message);
  return new KnowledgeError('fetch_failed', `${address} is unreachable: ${reasonOf(cause)}.`, {
    cause,
  });
}

type RemoteServer = Readonly<{ address: string; client: KnowledgeClient }>;

/** @throws UsageError */
export function createRemoteServer(server: string, key: string | undefined): RemoteServer {
  const address = server.trim().replace(/\/+$/, '');
  const options = {
    url: address,
    apiKey: key,
    retry: { maxAttempts: 6, firstPauseMs: 4_000, maxPauseMs: 4_000 },
  };
  try {
    return { address, client: createKnowledgeClient(options) };
  } catch (error) {
    if (!(error instanceof KnowledgeClientError)) throw error;
    throw new UsageError(
      error.message.replace(/^url/, '--server').replace(/^apiKey/, 'KNOWLEDGE_API_KEY'),
    );
  }
}

const isReadable = ({ path }: LocalFile) =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );

const rowOf = ({ name }: LocalFile, error: KnowledgeError): ReportRow =>
  failedRow({ source: name, kind: 'file' }, error);

/** Splits a batch that the server or a proxy rejects as too large. */
async function uploadBatch(
  client: KnowledgeClient,
  files: readonly LocalFile[],
  options: RequestOptions,
): Promise<ReportRow[]> {
  const [first, ...others] = files;
  if (!first) return [];
  try {
    const blobs = await Promise.all(
      files.map(async ({ path, name }) => ({ name, file: await openAsBlob(path) })),
    );
    return [...(await client.upload(blobs, options)).results];
  } catch (error) {
    if (!(error instanceof KnowledgeClientError) || error.status !== 413) throw error;
    if (others.length === 0)
      return [rowOf(first, new KnowledgeError('payload_too_large', error.message))];
    const half = Math.ceil(files.length / 2);
    return [
      ...(await uploadBatch(client, files.slice(0, half), options)),
      ...(await uploadBatch(client, files.slice(half), options)),
    ];
  }
}

type RemoteIngest = Readonly<{
  namespace: string;
  uploads: readonly LocalFile[];
  /** Checked by `ingestSourcesInput`. */
  sources: readonly unknown[];
  prune: boolean;
  progress: Progress;
  signal: AbortSignal;
}>;

/**
 * Returns one row per source, uploads first; if interrupted, only the finished ones. @throws
 * KnowledgeError if the server refuses
 */
export async function ingestAtServer(
  { address, client }: RemoteServer,
  { namespace, uploads, sources, prune, progress, signal }: RemoteIngest,
): Promise<ReportRow[]> {
  const rows: ReportRow[] = [];
  const add = (row: ReportRow) => {
    rows.push(row);
    progress.row(row);
  };
  const showTotal = ({ stages }: Pick<IngestJob, 'stages'>) =>
    progress.total(Object.values(stages).reduce((sum, count) => sum + count, 0));
  progress.total(uploads.length + sources.length);
  try {
    for (const batch of batchesOf(uploads)) {
      const readable = await Promise.all(batch.map(isReadable));
      const unreadable = notAllowed('The file cannot be read. Check its permissions.');
      for (const [at, file] of batch.entries()) if (!readable[at]) add(rowOf(file, unreadable));
      const sent = batch.filter((_, at) => readable[at]);
      for (const row of await uploadBatch(client, sent, { namespace, signal })) add(row);
    }
    if (sources.length === 0) return rows;
    const { error } = await client.ingest(sources as ClientSource[], {
      namespace,
      prune,
      signal,
      onResult: add,
      onProgress: showTotal,
    });
    if (error) throw new KnowledgeError('ingest_failed', error.message);
  } catch (error) {
    if (!signal.aborted) throw commandError(error, address);
  }
  return rows;
}
