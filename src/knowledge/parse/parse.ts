/** Bytes → Markdown: one line per format. What a source is, is decided by its content first, then by what its server or name says. */
import { extname } from 'node:path';
import { KnowledgeError } from '../../errors.ts';
import type { LoadedSource, ParsedSource, Source } from '../types.ts';
import { decodeText, htmlCharset } from './decode-text.ts';
import type { ParseHtml } from './html-process.ts';
import { parseMarkdown } from './parse-markdown.ts';

type Format = 'html' | 'markdown' | 'mdx' | 'text';

const formatOfMediaType = new Map<string, Format>([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/markdown', 'markdown'],
  ['text/x-markdown', 'markdown'],
  ['text/mdx', 'mdx'],
  ['text/plain', 'text'],
]);

const formatOfExtension = new Map<string, Format>([
  ['.md', 'markdown'],
  ['.markdown', 'markdown'],
  ['.mdx', 'mdx'],
  ['.txt', 'text'],
  ['.text', 'text'],
  ['.html', 'html'],
  ['.htm', 'html'],
  ['.xhtml', 'html'],
]);

const looksLikeHtml = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i;

function formatOf(source: Source, loaded: LoadedSource, content: string): Format {
  if (source.kind === 'text') return 'markdown';
  const name = source.kind === 'url' ? new URL(source.url).pathname : source.path;
  const byName = formatOfExtension.get(extname(name).toLowerCase());
  const byType = loaded.mediaType === undefined ? undefined : formatOfMediaType.get(loaded.mediaType);
  if (byType === undefined && loaded.mediaType !== undefined && loaded.mediaType !== 'application/octet-stream')
    throw unsupported(loaded.mediaType);
  if (looksLikeHtml.test(content.slice(0, 4096))) return 'html';
  // Servers send Markdown as text/plain; the name knows better.
  const format = byType === undefined || (byType === 'text' && byName !== undefined) ? byName : byType;
  if (format === undefined) throw unsupported(extname(name) || 'a file without extension');
  return format;
}

const unsupported = (what: string) =>
  new KnowledgeError('unsupported_media_type', `Markdown, MDX, plain text and HTML can be read; this is ${what.slice(0, 80)}.`);

export type ParseSource = (source: Source, loaded: LoadedSource, signal?: AbortSignal) => Promise<ParsedSource>;

/**
 * @param maxBytes of the Markdown that comes out: some pages grow in the making
 * @throws KnowledgeError `unsupported_media_type`, `empty_source`, `payload_too_large`
 */
export function createSourceParser(parseHtml: ParseHtml, maxBytes: number): ParseSource {
  return async (source, loaded, signal) => {
    const content = decodeText(loaded.bytes, loaded.charset ?? htmlCharset(loaded.bytes));
    const format = formatOf(source, loaded, content);
    const parsed = format === 'html' ? await parseHtml(content, loaded.location, signal) : parseMarkdown(content, format === 'mdx');
    if (parsed.markdown.trim() === '') throw new KnowledgeError('empty_source', 'The source holds no text.');
    if (Buffer.byteLength(parsed.markdown) > maxBytes)
      throw new KnowledgeError('payload_too_large', `The text of the source is larger than ${maxBytes} bytes.`);
    return parsed;
  };
}
