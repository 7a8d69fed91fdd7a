/** Bytes → Markdown. Small Markdown and text is read here; whatever could take long or much is read in a process that can be ended. */
import { KnowledgeError } from '../../errors.ts';
import type { LoadedSource, ParsedSource, Source } from '../types.ts';
import { decodeText } from './decode-text.ts';
import { detectFormat, type Format } from './format.ts';
import { parseMarkdown } from './markdown/parse-markdown.ts';
import type { ParseInProcess } from './parser-process.ts';

export type ParseSource = (source: Source, loaded: LoadedSource, signal?: AbortSignal) => Promise<ParsedSource>;

/** Read without a process of its own: some milliseconds of work at most. */
const maxBytesHere = 128 * 1024;
const isMarkdown = (format: Format): format is 'markdown' | 'mdx' | 'text' =>
  format === 'markdown' || format === 'mdx' || format === 'text';

/**
 * @param maxBytes of the Markdown that comes out: some sources grow in the making
 * @throws KnowledgeError `unsupported_media_type`, `empty_source`, `payload_too_large`, `timeout`, `ingest_failed`
 */
export function createSourceParser(parseInProcess: ParseInProcess, maxBytes: number): ParseSource {
  return async (source, { bytes, fileName, mediaType, charset, location }, signal) => {
    const format = source.kind === 'text' ? 'markdown' : detectFormat(bytes, fileName, mediaType);
    const parsed =
      isMarkdown(format) && bytes.byteLength <= maxBytesHere
        ? parseMarkdown(decodeText(bytes, charset), format)
        : await parseInProcess({ format, bytes, charset, location }, signal);
    if (parsed.markdown.trim() === '') throw new KnowledgeError('empty_source', 'The source holds no text.');
    if (Buffer.byteLength(parsed.markdown) > maxBytes)
      throw new KnowledgeError('payload_too_large', `The text of the source is larger than ${maxBytes} bytes.`);
    return parsed;
  };
}
