/** Bytes → Markdown, in a process that can be ended: every reader has small inputs that take it minutes, that of Markdown too. */

import { KnowledgeError } from '../errors.ts';
import { detectFormat } from './formats.ts';
import type { ParseInProcess } from './parser-process.ts';
import type { ParsedSource, RawSource, SourceKind } from './source.ts';

/** @param source of a text it is known what it is: Markdown */
export type ParseSource = (source: { readonly kind: SourceKind }, raw: RawSource, signal?: AbortSignal) => Promise<ParsedSource>;

/**
 * @param maxBytes of the Markdown that comes out: some sources grow in the making
 * @throws KnowledgeError `unsupported_media_type`, `empty_source`, `payload_too_large`, `timeout`, `ingest_failed`
 */
export function createSourceParser(parseInProcess: ParseInProcess, maxBytes: number): ParseSource {
  return async (source, { bytes, fileName, mediaType, charset, location }, signal) => {
    const format = source.kind === 'text' ? 'markdown' : detectFormat(bytes, fileName, mediaType);
    const parsed = await parseInProcess({ format, bytes, charset, location }, signal);
    if (parsed.markdown.trim() === '') throw new KnowledgeError('empty_source', 'The source holds no text.');
    if (Buffer.byteLength(parsed.markdown) > maxBytes)
      throw new KnowledgeError('payload_too_large', `The text of the source is larger than ${maxBytes} bytes.`);
    return parsed;
  };
}
