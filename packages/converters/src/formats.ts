/**
 * Supported formats, one record each. The signature of the first bytes decides, then the media
 * type, then the file name: HTML named `manual.pdf` is read as HTML, and an image named `notes.md`
 * is refused.
 */
import { extname } from 'node:path';
import { markdownLines } from '../../shared/src/markdown/lines.ts';
import { declaredCharset, decodeText } from './decode-text.ts';
import { type ParsedSource, type RawSource, refused } from './source.ts';

export type SourceBytes = Pick<RawSource, 'bytes' | 'charset' | 'location'>;

export type Format = Readonly<{
  label: string;
  mediaTypes: readonly string[];
  /** Lower case, with the dot. */
  extensions: readonly string[];
  /**
   * Tests the first bytes. Without a match, the format is never chosen. @param isDeclared whether
   * name or media type name the format
   */
  signature?: (head: string, isDeclared: boolean) => boolean;
  /** Recognizes text without a signature. */
  sniff?: (head: string) => boolean;
  /**
   * Base format. A source declared as this base is the dialect if `sniff` or the file name says so.
   */
  dialectOf?: 'markdown';
  /**
   * Maximum parse time, after libraries are loaded. Every parser has small inputs that take
   * minutes.
   */
  timeoutMs: number;
  /** Loads the parser's libraries. Called in a child process only. */
  load: () => Promise<ReadSource>;
}>;

/** @throws KnowledgeError */
type ReadSource = (source: SourceBytes) => ParsedSource | Promise<ParsedSource>;

const looksLikeHtml =
  /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,2000}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b/i;
/**
 * An import or export statement, a component tag or a JavaScript comment: plain Markdown has none.
 */
const mdxLine =
  /^(?:import\s[^;]{0,300}\sfrom\s+["'][^"']{1,300}["'];?\s*|export\s+(?:const|default|function)\s.*|\s*<\/?[A-Z][A-Za-z0-9.]{1,60}(?:\s[^<>]{0,500})?\/?>\s*|\{\/\*.*)$/;
const zipSignature = 'PK\x03\x04';

/** Bytes inspected in all other checks. */
const headBytes = 4_096;

const readBytes =
  (parse: (bytes: Uint8Array) => Promise<ParsedSource>): ReadSource =>
  ({ bytes }) =>
    parse(bytes);

const readText =
  (parse: (text: string) => ParsedSource | Promise<ParsedSource>): ReadSource =>
  async ({ bytes, charset }) =>
    parse(await decodeText(bytes, charset));

const loadMarkdown = (dialect: 'markdown' | 'mdx' | 'text') =>
  import('./markdown/parse-markdown.ts').then(({ parseMarkdown }) =>
    readText((text) => parseMarkdown(text, dialect)),
  );

const loadTable = (delimiter: string) =>
  import('./data/parse-table.ts').then(({ parseCsv }) =>
    readText((text) => parseCsv(text, delimiter)),
  );

/** If several signatures match, the first entry wins. */
const formatRecords = {
  html: {
    label: 'HTML',
    mediaTypes: ['text/html', 'application/xhtml+xml'],
    extensions: ['.html', '.htm', '.xhtml'],
    sniff: (text) => looksLikeHtml.test(text.slice(0, headBytes)),
    timeoutMs: 8_000,
    load: async () => {
      const { parseHtml } = await import('./html/parse-html.ts');
      return async ({ bytes, charset, location }) =>
        parseHtml(await decodeText(bytes, charset ?? declaredCharset(bytes)), location);
    },
  },
  pdf: {
    label: 'PDF',
    mediaTypes: ['application/pdf', 'application/x-pdf'],
    extensions: ['.pdf'],
    signature: (head, isDeclared) =>
      /^(?:\xef\xbb\xbf)?\s*%PDF-/.test(head) ||
      // PDF readers accept this many bytes before it (ISO 32000-1, Annex H.3).
      (isDeclared && head.slice(0, 1_024).includes('%PDF-')),
    timeoutMs: 60_000,
    load: () => import('./pdf/parse-pdf.ts').then(({ parsePdf }) => readBytes(parsePdf)),
  },
  epub: {
    label: 'EPUB',
    mediaTypes: ['application/epub+zip'],
    extensions: ['.epub'],
    // OCF 3.3, 4.3: the uncompressed first entry names the type, but some authoring tools omit it.
    signature: (head, isDeclared) =>
      head.startsWith(zipSignature) &&
      (isDeclared || head.slice(30, 58) === 'mimetypeapplication/epub+zip'),
    timeoutMs: 60_000,
    load: () => import('./epub/parse-epub.ts').then(({ parseEpub }) => readBytes(parseEpub)),
  },
  docx: {
    label: 'DOCX',
    mediaTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    extensions: ['.docx'],
    signature: (head) => head.startsWith(zipSignature),
    timeoutMs: 20_000,
    load: () => import('./docx/parse-docx.ts').then(({ parseDocx }) => readBytes(parseDocx)),
  },
  markdown: {
    label: 'Markdown',
    mediaTypes: ['text/markdown', 'text/x-markdown'],
    extensions: ['.md', '.markdown'],
    timeoutMs: 10_000,
    load: () => loadMarkdown('markdown'),
  },
  mdx: {
    label: 'MDX',
    mediaTypes: ['text/mdx'],
    extensions: ['.mdx'],
    sniff: (head) =>
      markdownLines(head).some(
        ({ kind, text }) => kind === 'prose' && text.length < 1_000 && mdxLine.test(text),
      ),
    dialectOf: 'markdown',
    timeoutMs: 10_000,
    load: () => loadMarkdown('mdx'),
  },
  text: {
    label: 'plain text',
    mediaTypes: ['text/plain'],
    extensions: ['.txt', '.text'],
    timeoutMs: 10_000,
    load: () => loadMarkdown('text'),
  },
  csv: {
    label: 'CSV',
    mediaTypes: ['text/csv', 'application/csv'],
    extensions: ['.csv'],
    timeoutMs: 10_000,
    load: () => loadTable(','),
  },
  tsv: {
    label: 'TSV',
    mediaTypes: ['text/tab-separated-values'],
    extensions: ['.tsv'],
    timeoutMs: 10_000,
    load: () => loadTable('\t'),
  },
  json: {
    label: 'JSON',
    mediaTypes: ['application/json', 'text/json', 'application/jsonl', 'application/x-ndjson'],
    extensions: ['.json', '.jsonl', '.ndjson'],
    timeoutMs: 10_000,
    load: () => import('./data/parse-json.ts').then(({ parseJson }) => readText(parseJson)),
  },
} satisfies Record<string, Format>;

export type FormatName = keyof typeof formatRecords;
export const formats: Readonly<Record<FormatName, Format>> = formatRecords;

const formatEntries = Object.entries(formats) as [FormatName, Format][];
const formatsBy = (property: 'mediaTypes' | 'extensions') =>
  new Map(
    formatEntries.flatMap(([name, format]) => format[property].map((key) => [key, name] as const)),
  );
const byMediaType = formatsBy('mediaTypes');
const byExtension = formatsBy('extensions');

/** Supported file extensions in lower case, with the dot. */
export const readableExtensions: readonly string[] = [...byExtension.keys()];

/**
 * Unsupported file types. A text that ends with such an extension is a file path, not text to
 * ingest.
 */
const fileExtensions = new Set([
  ...readableExtensions,
  ...'.doc .yml .yaml .xml .rtf .odt .ppt .pptx .xls .xlsx .rst .adoc .gz .zip'.split(' '),
]);

export const hasFileExtension = (text: string): boolean =>
  fileExtensions.has(/\.[a-z]+$/i.exec(text.slice(-16))?.[0].toLowerCase() ?? '');

/** Media types that do not identify the content. */
const vagueMediaTypes =
  /^(?:|(?:application|binary)\/octet-stream|application\/(?:zip|x-download))$/;

const oleSignature = '\xd0\xcf\x11\xe0';

/** Signatures of unsupported formats. */
const unsupportedSignatures = [
  ['\x89PNG', 'a PNG picture'],
  ['\xff\xd8\xff', 'a JPEG picture'],
  ['GIF8', 'a GIF picture'],
  ['{\\rtf', 'an RTF file'],
  [oleSignature, 'a file of an older Office version'],
  ['\x7fELF', 'a program'],
  ['\x1f\x8b', 'a compressed file'],
  ['%!PS', 'a PostScript file'],
] as const;

const readableLabels = new Intl.ListFormat('en-GB').format(
  formatEntries.map(([, { label }]) => label),
);
const unsupported = (found: string) =>
  refused(`This is ${found.slice(0, 80)}. Supported formats: ${readableLabels}.`);

/**
 * Combines media type and name. Servers send Markdown and CSV as text/plain, and MDX as Markdown;
 * then the name is more specific.
 */
const declaredFormat = (byType?: FormatName, byName?: FormatName) =>
  byType && byName && (byType === 'text' || formats[byName].dialectOf === byType)
    ? byName
    : (byType ?? byName);

/**
 * Whether a media type names another format. Servers invent types of texts: `text/x-web-markdown`,
 * `application/vnd.ms-excel` for CSV.
 */
const isOtherType = (mediaType: string, byName?: FormatName) =>
  !vagueMediaTypes.test(mediaType) && (!byName || !/^(?:text|application)\//.test(mediaType));

const matchOf = (fits: (format: Format, name: FormatName) => boolean | undefined) =>
  formatEntries.find(([name, format]) => fits(format, name))?.[0];

/**
 * @param fileName name or path; only the extension matters
 * @param mediaType without parameters
 * @throws KnowledgeError `unsupported_media_type`
 */
export function detectFormat(bytes: Uint8Array, fileName: string, mediaType = ''): FormatName {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // MDX statements may follow a long front matter.
  const text = buffer.toString('latin1', 0, 64 * 1024);
  const head = text.slice(0, headBytes);
  const extension = extname(fileName).toLowerCase();
  const byName = byExtension.get(extension);
  const byType = byMediaType.get(mediaType.replace(/^application\/.*\+json$/, 'application/json'));
  const bySignature = matchOf(({ signature }, name) =>
    signature?.(head, name === byName || name === byType),
  );
  if (bySignature) return bySignature;
  // Office puts a file with a password into the stream of this name (MS-OFFCRYPTO 2.3.2).
  if (head.startsWith(oleSignature) && buffer.includes('EncryptedPackage', 0, 'utf16le'))
    throw refused('The Office file is password-protected. Remove the password.');
  const other = unsupportedSignatures.find(([signature]) => head.startsWith(signature));
  if (other) throw unsupported(other[1]);
  if (!byType && isOtherType(mediaType, byName)) throw unsupported(`content of type ${mediaType}`);
  const declared = declaredFormat(byType, byName);
  const sniffed = matchOf(
    ({ sniff, dialectOf }) => (!dialectOf || dialectOf === declared) && sniff?.(text),
  );
  if (sniffed) return sniffed;
  if (declared && formats[declared].signature)
    throw unsupported(
      `not a valid ${formats[declared].label} file, despite its name or media type`,
    );
  if (!declared && extension !== '') throw unsupported(`a file of type ${extension}`);
  return declared ?? 'text';
}
