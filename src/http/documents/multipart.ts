/**
 * Reads `multipart/form-data` (RFC 7578) as a stream: each file is passed on while it arrives.
 * Every part must be a file.
 */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { withAbort } from '../../../packages/shared/src/concurrency/deadline.ts';
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import { type ErrorCode, KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { TakeFile } from '../../ingest/uploads.ts';

type MultipartLimits = Readonly<{ maxBytes: number; maxFiles: number; maxIdleMs: number }>;

/** Limits of a part's headers. */
const maxHeaders = 20;
const maxHeaderBytes = 8 * 1024;

const refused = (code: ErrorCode, message: string, cause?: unknown) =>
  new KnowledgeError(code, message, { cause });

const tooLarge = (maxBytes: number) =>
  refused(
    'payload_too_large',
    `The upload is larger than ${maxBytes} bytes. Send the files in several requests.`,
  );

function openParser(contentType: string, { maxFiles }: MultipartLimits): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      // Fields are treated as files, so that they are rejected before they are read.
      isPartAFile: () => true,
      limits: { files: maxFiles, headerPairs: maxHeaders, headerSize: maxHeaderBytes },
    });
  } catch (error) {
    throw refused(
      'invalid_request',
      'The content-type header has no boundary. Let the HTTP client set this header.',
      error,
    );
  }
}

class MultipartReading {
  readonly #failing = new AbortController();
  readonly #parser;
  readonly #limits;
  readonly #taking: Promise<void>[] = [];
  readonly #open = new Set<Readable>();

  constructor(contentType: string, limits: MultipartLimits, take: TakeFile) {
    const tooMany = `An upload may contain at most ${limits.maxFiles} files. Send the others in another request.`;
    this.#parser = openParser(contentType, limits);
    this.#limits = limits;
    this.#parser
      .on('file', (field, content, name, _encoding, mediaType) =>
        this.#takeFile(take, field, content, name, mediaType),
      )
      .on('filesLimit', () => this.#fail(refused('payload_too_large', tooMany)))
      .on('error', (error) =>
        this.#fail(
          refused('invalid_request', 'The body is not complete multipart/form-data.', error),
        ),
      );
  }

  #fail(error: unknown) {
    this.#failing.abort(error);
  }

  #takeFile(
    take: TakeFile,
    field: string | undefined,
    content: Readable,
    name: string | undefined,
    mediaType: string,
  ): void {
    content.on('error', () => undefined);
    this.#open.add(content);
    content.once('close', () => this.#open.delete(content));
    if (!name) {
      const part = field ? `"${field.slice(0, 100)}"` : 'without a name';
      this.#fail(
        refused(
          'invalid_request',
          `Every part must be a file with a filename; the part ${part} is not.`,
        ),
      );
      return;
    }
    const taking = take({ name, mediaType, content });
    taking.catch((error: unknown) => this.#fail(error));
    this.#taking.push(taking);
  }

  async read(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const { signal: failing } = this.#failing;
    const end = () =>
      this.#fail(
        signal.reason instanceof KnowledgeError
          ? signal.reason
          : refused('cancelled', 'The upload was cancelled.'),
      );
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    try {
      await this.#readAll(body.getReader());
      await Promise.all(this.#taking);
    } catch (error) {
      this.#fail(error);
    } finally {
      signal.removeEventListener('abort', end);
      if (failing.aborted) for (const content of this.#open) content.destroy(failing.reason);
      await Promise.allSettled(this.#taking);
    }
    failing.throwIfAborted();
    if (this.#taking.length === 0)
      throw refused(
        'invalid_request',
        'The upload contains no file. Send each file as a part with a filename.',
      );
  }

  async #readAll(reader: ReadableStreamDefaultReader<Uint8Array>) {
    const { maxBytes, maxIdleMs } = this.#limits;
    const { signal } = this.#failing;
    const reasonOf = () => signal.reason;
    const rejectCutOff = (error: unknown) =>
      Promise.reject(refused('invalid_request', 'The body was cut off.', error));
    const paused = `No data arrived for ${maxIdleMs / 1000} seconds. Send the upload again.`;
    const pause = setTimeout(() => this.#fail(refused('timeout', paused)), maxIdleMs);
    const slicer = new TimeSlicer();
    try {
      for (let received = 0; ; ) {
        const { done, value } = await withAbort(signal, reasonOf, () =>
          reader.read().catch(rejectCutOff),
        );
        if (done) break;
        received += value.byteLength;
        if (received > maxBytes) throw tooLarge(maxBytes);
        pause.refresh();
        if (!this.#parser.write(value)) await once(this.#parser, 'drain', { signal });
        await slicer.pause();
      }
      const finished = once(this.#parser, 'finish', { signal });
      this.#parser.end();
      await finished;
    } finally {
      clearTimeout(pause);
    }
  }
}

/**
 * @throws KnowledgeError `unsupported_media_type`, `invalid_request`, `payload_too_large`,
 * `timeout`, `cancelled`, and as `take`
 */
export async function readMultipart(
  request: Request,
  limits: MultipartLimits,
  signal: AbortSignal,
  take: TakeFile,
): Promise<void> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType))
    throw refused(
      'unsupported_media_type',
      'Send the files as multipart/form-data, each as a part with a filename.',
    );
  if (Number(request.headers.get('content-length')) > limits.maxBytes)
    throw tooLarge(limits.maxBytes);
  const reading = new MultipartReading(contentType, limits, take);
  if (!request.body) throw refused('invalid_request', 'The request has no body.');
  await reading.read(request.body, signal);
}
