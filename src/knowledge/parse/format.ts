/**
 * What a source is. Its first bytes decide where they are telling (PDF, ZIP, pictures, HTML), then the media type that its server names,
 * then its name: a page called `manual.pdf` is a page, and a picture called `notes.md` is refused.
 */
import { extname } from 'node:path';
import { KnowledgeError } from '../../errors.ts';
import { markdownLines } from '../text/lines.ts';

export type Format = 'html' | 'markdown' | 'mdx' | 'text' | 'csv' | 'tsv' | 'json' | 'pdf' | 'docx';

const formatOfMediaType = new Map<string, Format>([
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/markdown', 'markdown'],
  ['text/x-markdown', 'markdown'],
  ['text/mdx', 'mdx'],
  ['text/plain', 'text'],
  ['text/csv', 'csv'],
  ['application/csv', 'csv'],
  ['text/tab-separated-values', 'tsv'],
  ['application/json', 'json'],
  ['text/json', 'json'],
  ['application/ld+json', 'json'],
  ['application/jsonl', 'json'],
  ['application/x-ndjson', 'json'],
  ['application/pdf', 'pdf'],
  ['application/x-pdf', 'pdf'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
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
  ['.csv', 'csv'],
  ['.tsv', 'tsv'],
  ['.json', 'json'],
  ['.jsonl', 'json'],
  ['.ndjson', 'json'],
  ['.pdf', 'pdf'],
  ['.docx', 'docx'],
]);

/** Says nothing about the content. */
const vagueMediaTypes = new Set(['application/octet-stream', 'binary/octet-stream', 'application/zip', 'application/x-download']);
const isText = (format: Format | undefined) => format !== 'pdf' && format !== 'docx';

/** How much of a source is looked at, in bytes. */
const headBytes = 4_096;
const looksLikeHtml = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i;

const unsupported = (what: string) =>
  new KnowledgeError(
    'unsupported_media_type',
    `HTML, PDF, DOCX, Markdown, MDX, plain text, CSV and JSON can be read; this is ${what.slice(0, 80)}.`,
  );

/** How much of a Markdown file is looked at to see whether it is written in MDX, in bytes. */
const mdxBytes = 64 * 1024;
/** A line that is a statement, the tag of a component or a comment of JavaScript: nothing of plain Markdown. */
const mdxLine =
  /^(?:import\s[^;]{0,300}\sfrom\s+["'][^"']{1,300}["'];?\s*|export\s+(?:const|default|function)\s.*|\s*<\/?[A-Z][A-Za-z0-9.]{1,60}(?:\s[^<>]{0,500})?\/?>\s*|\{\/\*.*)$/;

function looksLikeMdx(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(mdxBytes, bytes.byteLength)).toString('latin1');
  for (const line of markdownLines(text)) if (line.kind === 'prose' && line.text.length < 1_000 && mdxLine.test(line.text)) return true;
  return false;
}

const startsWith = (bytes: Uint8Array, signature: string) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(signature.length, bytes.byteLength)).toString('latin1') === signature;

/** Formats that cannot be read, by how they begin. */
const foreign: readonly (readonly [signature: string, name: string])[] = [
  ['\x89PNG', 'a PNG picture'],
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['GIF8', 'a GIF picture'],
  ['{\\rtf', 'an RTF file'],
  ['\xd0\xcf\x11\xe0', 'a file of an older Office version'],
  ['\x7fELF', 'a program'],
  ['\x1f\x8b', 'a compressed file'],
  ['%!PS', 'a PostScript file'],
];

/**
 * @param name file name or path, only its extension counts
 * @param mediaType as declared, without parameters
 * @throws KnowledgeError `unsupported_media_type`
 */
export function detectFormat(bytes: Uint8Array, name: string, mediaType: string | undefined): Format {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(headBytes, bytes.byteLength)).toString('latin1');
  const extension = extname(name).toLowerCase();
  const byName = formatOfExtension.get(extension);
  const byType = mediaType === undefined ? undefined : formatOfMediaType.get(mediaType);
  const start = head.replace(/^\xef\xbb\xbf/, '').trimStart();
  // Readers of PDF accept up to a kilobyte before the mark.
  if (start.startsWith('%PDF-') || ((byName === 'pdf' || byType === 'pdf') && head.slice(0, 1_024).includes('%PDF-'))) return 'pdf';
  if (startsWith(bytes, 'PK\x03\x04')) return 'docx';
  for (const [signature, what] of foreign) if (startsWith(bytes, signature)) throw unsupported(what);
  if (byType === undefined && mediaType !== undefined && !vagueMediaTypes.has(mediaType)) throw unsupported(mediaType);
  if (looksLikeHtml.test(head)) return 'html';
  // Servers send Markdown and CSV as text/plain, and MDX as Markdown; the name knows better.
  const isVague = byType === 'text' || (byType === 'markdown' && byName === 'mdx');
  const declared = byType === undefined || (isVague && byName !== undefined) ? byName : byType;
  if (declared === 'markdown' && looksLikeMdx(bytes)) return 'mdx';
  if (declared !== undefined && !isText(declared)) throw unsupported(`no ${declared.toUpperCase()}, whatever it is called`);
  if (declared !== undefined) return declared;
  if (extension !== '') throw unsupported(`a file of type ${extension}`);
  return 'text';
}
