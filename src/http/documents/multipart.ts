/**
 * Reads `multipart/form-data` (RFC 7578) as a stream: each file is passed on while it arrives.
 * Every part must be a file.
 */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Busboy } from '@fastify/busboy';
import { withAbort } from '../../../packages/shared/src/concurrency/deadline.ts';
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import { type ErrorCode, KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { TakeFile } from '../../ingest/uploads.ts';

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

function openParser(contentType: string, files: number) {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      preservePath: true,
      // Fields are treated as files, so that they are rejected before they are read.
      isPartAFile: () => true,
      limits: { files, headerPairs: maxHeaders, headerSize: maxHeaderBytes },
    });
  } catch (error) {
    throw refused(
      'invalid_request',
      'The content-type header has no boundary. Let the HTTP client set this header.',
      error,
    );
  }
}

/**
 * @throws KnowledgeError `unsupported_media_type`, `invalid_request`, `payload_too_large`,
 * `timeout`, `cancelled`, and as `take`
 */
export async function readMultipart(
  request: Request,
  {
    maxBytes,
    maxFiles,
    maxIdleMs,
  }: Readonly<{ maxBytes: number; maxFiles: number; maxIdleMs: number }>,
  signal: AbortSignal,
  take: TakeFile,
): Promise<void> {
  const contentType = request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\s*(?:;|$)/i.test(contentType))
    throw refused(
      'unsupported_media_type',
      'Send the files as multipart/form-data, each as a part with a filename.',
    );
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes);
  const parser = openParser(contentType, maxFiles);
  if (!request.body) throw refused('invalid_request', 'The request has no body.');

  const failing = new AbortController();
  const fail = (error: unknown) => failing.abort(error);
  const taking: Promise<void>[] = [];
  const open = new Set<Readable>();
  parser
    .on('file', (field, content, name, _encoding, mediaType) => {
      content.on('error', () => undefined);
      open.add(content);
      content.once('close', () => open.delete(content));
      if (!name) {
        const part = field ? `"${field.slice(0, 100)}"` : 'without a name';
        const message = `Every part must be a file with a filename; the part ${part} is not.`;
        fail(refused('invalid_request', message));
        return;
      }
      const taken = take({ name, mediaType, content });
      taken.catch(fail);
      taking.push(taken);
    })
    .on('filesLimit', () => {
      const tooMany = `An upload may contain at most ${maxFiles} files. Send the others in another request.`;
      fail(refused('payload_too_large', tooMany));
    })
    .on('error', (error) =>
      fail(refused('invalid_request', 'The body is not complete multipart/form-data.', error)),
    );

  async function parseAll(reader: ReadableStreamDefaultReader<Uint8Array>) {
    const rejectCutOff = (error: unknown) =>
      Promise.reject(refused('invalid_request', 'The body was cut off.', error));
    const paused = `No data arrived for ${maxIdleMs / 1000} seconds. Send the upload again.`;
    const pause = setTimeout(() => fail(refused('timeout', paused)), maxIdleMs);
    const slicer = new TimeSlicer();
    try {
      for (let received = 0; ; ) {
        const { done, value } = await withAbort(
          failing.signal,
          () => failing.signal.reason,
          () => reader.read().catch(rejectCutOff),
        );
        if (done) break;
        received += value.byteLength;
        if (received > maxBytes) throw tooLarge(maxBytes);
        pause.refresh();
        if (!parser.write(value)) await once(parser, 'drain', { signal: failing.signal });
        await slicer.pause();
      }
      const finished = once(parser, 'finish', { signal: failing.signal });
      parser.end();
      await finished;
    } finally {
      clearTimeout(pause);
    }
  }

  const end = () =>
    fail(
      signal.reason instanceof KnowledgeError
        ? signal.reason
        : refused('cancelled', 'The upload was cancelled.'),
    );
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    await parseAll(request.body.getReader());
    await Promise.all(taking);
  } catch (error) {
    fail(error);
  } finally {
    signal.removeEventListener('abort', end);
    if (failing.signal.aborted) for (const content of open) content.destroy(failing.signal.reason);
    await Promise.allSettled(taking);
  }
  failing.signal.throwIfAborted();
  if (taking.length === 0)
    throw refused(
      'invalid_request',
      'The upload contains no file. Send each file as a part with a filename.',
    );
}
