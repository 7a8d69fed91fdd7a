/**
 * A body of `multipart/form-data` (RFC 7578), read as a stream: each file is handed on as it comes in, and no faster than it is taken.
 * Every part has to be a file; what is broken, cut off, too long or too slow fails as a whole.
 */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { type ErrorCode, KnowledgeError } from '../../errors.ts';
import type { TakeFile } from '../../ingest/uploads.ts';

export interface MultipartLimits {
  /** Of the whole body. */
  readonly maxBytes: number;
  readonly maxFiles: number;
  /** Without a byte of the body. */
  readonly maxPauseMs: number;
}

/** Of one part; a name has 500 characters at most. */
const [maxHeaders, maxHeaderBytes] = [20, 8 * 1024];

const refused = (code: ErrorCode, message: string, cause?: unknown) => new KnowledgeError(code, message, { cause });

const tooLarge = (maxBytes: number) =>
  refused('payload_too_large', `The upload is larger than ${maxBytes} bytes; send the files in several requests.`);

function openParser(contentType: string, { maxFiles }: MultipartLimits) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      // A part that is no file is refused before it is read.
      isPartAFile: () => true,
      limits: { files: maxFiles, headerPairs: maxHeaders, headerSize: maxHeaderBytes },
    });
  } catch (error) {
    throw refused('invalid_request', 'The header content-type names no boundary; let the client that makes the form set it.', error);
  }
}

class MultipartReading {
  readonly #failed = Promise.withResolvers<never>();
  readonly #parser: ReturnType<typeof openParser>;
  readonly #limits: MultipartLimits;
  readonly #taking: Promise<void>[] = [];
  readonly #open = new Set<Readable>();

  constructor(contentType: string, limits: MultipartLimits, take: TakeFile) {
    this.#parser = openParser(contentType, limits);
    this.#limits = limits;
    // Looked at where something is waited for.
    this.#failed.promise.catch(() => undefined);
    this.#parser
      .on('file', (field, content, name, _encoding, mediaType) => this.#takeFile(take, field, content, name, mediaType))
      .on('filesLimit', () => this.#fail(refused('payload_too_large', `An upload holds at most ${limits.maxFiles} files; send the others in another request.`)))
      .on('error', (error) => this.#fail(refused('invalid_request', 'The body is no complete multipart/form-data.', error)));
  }

  #fail(error: unknown): void {
    this.#failed.reject(error);
  }

  #takeFile(take: TakeFile, field: string | undefined, content: Readable, name: string | undefined, mediaType: string): void {
    // Its iterator tells.
    content.on('error', () => undefined);
    this.#open.add(content);
    content.once('close', () => this.#open.delete(content));
    if (!name) {
      const which = field ? `"${field.slice(0, 100)}"` : 'without a name';
      return this.#fail(refused('invalid_request', `Every part has to be a file with a filename; the part ${which} is none.`));
    }
    const taking = take({ name, mediaType, content });
    taking.catch((error: unknown) => this.#fail(error));
    this.#taking.push(taking);
  }

  /** What is not read when this fails is left to the connection. */
  async read(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<void> {
    const ended = () => this.#fail(signal.reason instanceof KnowledgeError ? signal.reason : refused('cancelled', 'The upload was ended.'));
    if (signal.aborted) ended();
    signal.addEventListener('abort', ended, { once: true });
    try {
      await this.#readAll(body.getReader());
    } catch (error) {
      for (const content of this.#open) content.destroy(error instanceof Error ? error : undefined);
      throw error;
    } finally {
      signal.removeEventListener('abort', ended);
      await Promise.allSettled(this.#taking);
    }
    if (this.#taking.length === 0) throw refused('invalid_request', 'The upload holds no file; send each as a part with a filename.');
  }

  async #readAll(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    const { maxBytes, maxPauseMs } = this.#limits;
    const failed = this.#failed.promise;
    const stopped = () => this.#fail(refused('timeout', `Nothing came in for ${maxPauseMs / 1000} seconds; send the upload again.`));
    const pause = setTimeout(stopped, maxPauseMs);
    const cutOff = (error: unknown) => Promise.reject(refused('invalid_request', 'The body was cut off.', error));
    try {
      for (let received = 0; ; ) {
        const { done, value } = await Promise.race([reader.read().catch(cutOff), failed]);
        if (done) break;
        received += value.byteLength;
        if (received > maxBytes) throw tooLarge(maxBytes);
        pause.refresh();
        if (!this.#parser.write(value)) await Promise.race([once(this.#parser, 'drain'), failed]);
      }
      const finished = once(this.#parser, 'finish');
      this.#parser.end();
      await Promise.race([finished, failed]);
      await Promise.race([Promise.all(this.#taking), failed]);
    } finally {
      clearTimeout(pause);
    }
  }
}

/**
 * Resolves when every file is taken.
 * @throws KnowledgeError `unsupported_media_type`, `invalid_request`, `payload_too_large`, `timeout`, `cancelled`, and as `take`
 */
export async function readMultipart(request: Request, limits: MultipartLimits, signal: AbortSignal, take: TakeFile): Promise<void> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType))
    throw refused('unsupported_media_type', 'Send the files as multipart/form-data, each as a part with a filename.');
  if (Number(request.headers.get('content-length')) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const reading = new MultipartReading(contentType, limits, take);
  if (!request.body) throw refused('invalid_request', 'The request has no body.');
  await reading.read(request.body, signal);
}
