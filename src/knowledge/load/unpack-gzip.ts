/** A source that is itself compressed (`pages.md.gz`): unpacked once, never beyond the limit of a source. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { KnowledgeError, systemErrorCode } from '../../errors.ts';

const inflate = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(gunzip);

export const isGzip = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

export const withoutGzipName = (name: string): string => name.replace(/\.gz$/i, '');

/** @throws KnowledgeError `payload_too_large`, `ingest_failed` */
export async function unpackGzip(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  try {
    return await inflate(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if (systemErrorCode(error) === 'ERR_BUFFER_TOO_LARGE')
      throw new KnowledgeError('payload_too_large', `The source is larger than ${maxBytes} bytes when it is unpacked.`, { cause: error });
    throw new KnowledgeError('ingest_failed', 'The compressed source is damaged and cannot be unpacked.', { cause: error });
  }
}

/** Bytes that are not compressed are given back as they are. */
export const unpackIfGzip = async (bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> =>
  isGzip(bytes) ? unpackGzip(bytes, maxBytes) : bytes;
