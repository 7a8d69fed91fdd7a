/**
 * Uploaded files: stored in a folder of their request, ingested as any other source, and deleted
 * when the request ends. The name as sent identifies an upload. No other request can read its file.
 */
import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteThrottle } from '../../packages/shared/src/concurrency/byte-throttle.ts';
import { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';
import { makeFolder } from '../../packages/shared/src/disk/make-folder.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { notAllowed } from './fetch/address-guard.ts';
import { tooLarge } from './fetch/outbound.ts';
import { failedRow, type ReportRow } from './ingest-source.ts';
import type { IngestAndWait } from './run.ts';
import { sourceLabel, type UploadRequest } from './source.ts';

/**
 * Always reads a file to its end. Calls may overlap; the order of the calls is the order of the
 * rows.
 */
export type TakeFile = (
  file: Readonly<{
    name: string;
    mediaType: string | undefined;
    content: AsyncIterable<Uint8Array>;
  }>,
) => Promise<void>;

type UploadOptions = Readonly<{
  namespace: string;
  caller: string;
  signal?: AbortSignal | undefined;
  receive: (take: TakeFile) => Promise<void>;
}>;

/**
 * Maximum concurrent uploads; one caller gets at most half. Each may use the disk space of the
 * largest upload.
 */
const maxUploads = 8;
const retryAfterSeconds = 5;
/** Longer than any upload takes, so older folders are leftovers of killed processes. */
const leftoverAgeMs = 3_600_000;
const maxNameChars = 500;
/** Per upload: protects the disk throughput of other requests. */
const maxBytesPerSecond = 16 * 1024 * 1024;

const badName = (problem: string) =>
  notAllowed(`The file name ${problem}. Send a relative path such as policies/sla.pdf.`);

/**
 * Normalizes the name of an upload. @returns KnowledgeError `source_not_allowed` unless it is a
 * relative path without invisible characters
 */
export function parseUploadName(sent: string): string | KnowledgeError {
  const name = sent.normalize('NFC').replaceAll('\\', '/').replace(/ +/g, ' ').trim();
  if (name.length > maxNameChars) return badName(`is longer than ${maxNameChars} characters`);
  if (/\p{Cc}/u.test(name) || withoutInvisible(name) !== name)
    return badName('contains invisible characters');
  // Rejects the replacement character, because different invalid names would become equal.
  if (name.includes('\ufffd')) return badName('is not valid UTF-8');
  const parts = name.split('/');
  if (parts.includes('')) return badName('has an empty part');
  if (parts.some((part) => part.startsWith('.')))
    return badName('has a part that begins with a dot');
  // Uses the same spelling as the stored document.
  return name.replace(/\s+/g, ' ').trim();
}

async function writeUpTo(path: string, content: AsyncIterable<Uint8Array>, maxBytes: number) {
  let bytes = 0;
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of content) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) await file.appendFile(chunk);
    }
  } finally {
    await file.close();
  }
  if (bytes > maxBytes) await rm(path, { force: true });
  return bytes <= maxBytes;
}

async function* paced(
  content: AsyncIterable<Uint8Array>,
  throttle: ByteThrottle,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    await throttle.take(chunk.byteLength);
    yield chunk;
  }
}

async function readToEnd(content: AsyncIterable<Uint8Array>) {
  for await (const _ of content);
}

class Staging {
  readonly #folder;
  readonly #maxFileBytes;
  readonly #names = new Set<string>();
  readonly #throttle = new ByteThrottle(maxBytesPerSecond);
  readonly #taken: (UploadRequest | ReportRow)[] = [];

  constructor(folder: string, maxFileBytes: number) {
    this.#folder = folder;
    this.#maxFileBytes = maxFileBytes;
  }

  readonly take: TakeFile = async ({ name: sent, mediaType, content: unpaced }) => {
    const content = paced(unpaced, this.#throttle);
    const number = this.#taken.length;
    const label = sourceLabel(sent);
    const failed = (error: KnowledgeError) => failedRow({ kind: 'file', source: label }, error);
    const name = this.#nameOf(sent);
    this.#taken.push(failed(name instanceof KnowledgeError ? name : tooLarge(this.#maxFileBytes)));
    if (name instanceof KnowledgeError) return readToEnd(content);
    const path = join(this.#folder, String(number));
    const isWhole = await writeUpTo(path, content, this.#maxFileBytes);
    if (isWhole)
      this.#taken[number] = {
        type: 'upload',
        source: { kind: 'file', label, upload: { path, name, mediaType } },
      };
  };

  #nameOf(sent: string) {
    const name = parseUploadName(sent);
    if (name instanceof KnowledgeError) return name;
    if (this.#names.has(name))
      return new KnowledgeError(
        'duplicate_source',
        'Another file of this request has the same name.',
      );
    this.#names.add(name);
    return name;
  }

  get requests(): UploadRequest[] {
    return this.#taken.filter((one) => 'type' in one);
  }

  rows(read: readonly ReportRow[]): ReportRow[] {
    const next = read.values();
    return this.#taken.flatMap((one) => ('type' in one ? (next.next().value ?? []) : one));
  }
}

export class Uploads {
  readonly #parts;
  readonly #slots = new FairQueue({ slots: maxUploads });
  readonly #folders = new Set<string>();

  constructor(
    parts: Readonly<{
      folder: string;
      maxFileBytes: number;
      ingestNow: IngestAndWait;
    }>,
  ) {
    this.#parts = parts;
  }

  /**
   * Returns one row per file, in order. @throws KnowledgeError `busy`, `storage_full`, and as
   * `receive`
   */
  readonly ingest = async ({ caller, ...options }: UploadOptions): Promise<ReportRow[]> => {
    const ending = new AbortController();
    if (!this.#slots.tryAcquire(caller, ending.signal))
      throw new KnowledgeError(
        'busy',
        'Too many uploads are in progress. Retry in a few seconds.',
        { retryAfterSeconds },
      );
    try {
      return await this.#ingestStaged(options);
    } finally {
      ending.abort();
    }
  };

  async #ingestStaged({
    namespace,
    signal,
    receive,
  }: Omit<UploadOptions, 'caller'>): Promise<ReportRow[]> {
    await this.removeLeftovers();
    // The leading dot prevents reading it as a source, even below an allowed folder.
    const name = `.${randomUUID()}`;
    const folder = join(this.#parts.folder, name);
    await makeFolder(this.#parts.folder);
    this.#folders.add(name);
    try {
      await mkdir(folder, 0o700);
      // Overrides the umask.
      await chmod(folder, 0o700);
      const staging = new Staging(folder, this.#parts.maxFileBytes);
      await receive(staging.take);
      const { requests } = staging;
      return staging.rows(
        requests.length > 0
          ? await this.#parts.ingestNow({ namespace, requests, prune: false, signal })
          : [],
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
      this.#folders.delete(name);
    }
  }

  /** Deletes leftovers of killed processes, but no folder that another process may be using. */
  async removeLeftovers() {
    const { folder } = this.#parts;
    const names = await readdir(folder).catch(() => []);
    // Skips current folders, which would look old if the clock was set forward.
    for (const name of names.filter((one) => !this.#folders.has(one))) {
      const left = await lstat(join(folder, name)).catch(() => undefined);
      if (left && Date.now() - left.mtimeMs > leftoverAgeMs)
        await rm(join(folder, name), { recursive: true, force: true });
    }
  }
}
