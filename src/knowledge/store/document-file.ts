/**
 * The stored form of a document: Markdown under front matter that carries where it came from. Two hashes, two uses: the front
 * matter's `revision` is that of the parsed content (has the source changed since?), a document's `revision` is that of the whole
 * file (does a citation still point to these bytes?). A file cannot hold its own hash.
 */
import { createHash } from 'node:crypto';
import GithubSlugger from 'github-slugger';
import { readFrontMatter, writeFrontMatter } from '../text/front-matter.ts';
import { firstHeading } from '../text/headings.ts';
import { languageOf } from '../text/languages.ts';
import type { Document, ParsedSource, SourceKind } from '../types.ts';

export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
export const revisionOf = (content: string | Uint8Array): string => `sha256-${sha256(content)}`;

const singleLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const maxTitleLength = 300;

export interface StoredSource extends ParsedSource {
  readonly title: string;
  readonly kind: SourceKind;
  readonly origin: string;
}

/** Hash of what was parsed; equal for a source that has not changed, whenever it is fetched. */
function contentRevision({ title, origin, kind, markdown }: StoredSource): string {
  const hash = createHash('sha256');
  for (const part of [title, origin, kind, markdown]) hash.update(`${part.length}\0`).update(part);
  return `sha256-${hash.digest('hex')}`;
}

/** The form in which it is read back: a title and an origin of one line each, the text without white space around it. */
export const toStored = (source: StoredSource): StoredSource => ({
  ...source,
  title: singleLine(source.title).slice(0, maxTitleLength),
  origin: singleLine(source.origin),
  markdown: source.markdown.trim(),
});

/** @param source as `toStored` gives it */
export function renderDocumentFile(source: StoredSource, fetchedAt: Date): string {
  const frontMatter = writeFrontMatter({
    title: source.title,
    source: source.origin,
    kind: source.kind,
    ...(source.canonicalUrl === undefined ? {} : { canonical: source.canonicalUrl }),
    ...(source.language === undefined ? {} : { language: source.language }),
    ...(source.lastModified === undefined ? {} : { lastModified: source.lastModified }),
    fetchedAt: fetchedAt.toISOString(),
    revision: contentRevision(source),
  });
  return `${frontMatter}${source.markdown}\n`;
}

const isKind = (value: unknown): value is SourceKind => value === 'url' || value === 'file' || value === 'text';
const text = (value: unknown): string | undefined => {
  const line = typeof value === 'string' || typeof value === 'number' ? singleLine(String(value)) : '';
  return line === '' ? undefined : line.slice(0, maxTitleLength);
};

/** `getting-started_v2.md` → `getting started v2`. */
const titleFromFile = (file: string) => singleLine((file.split('/').at(-1) ?? file).replace(/\.(md|mdx)$/i, '').replace(/[-_]+/g, ' '));

/** Stable for a file as long as it keeps its namespace and path. */
export const documentIdOf = (namespace: string, file: string): string => sha256(`${namespace}\0${file}`).slice(0, 20);

/** What a stored file says of itself; a file that a person wrote without front matter is its own source. */
export function readDocumentFile(
  namespace: string,
  file: string,
  bytes: Uint8Array,
  content: string,
): { document: Document; bodyStart: number } {
  const { attributes, bodyStart: afterFrontMatter } = readFrontMatter(content);
  // A byte order mark belongs to no passage.
  const bodyStart = afterFrontMatter === 0 && content.startsWith('\uFEFF') ? 1 : afterFrontMatter;
  const language = text(attributes['language']);
  const named = typeof attributes['source'] === 'string' && attributes['source'] !== '' ? singleLine(attributes['source']) : file;
  const claimed = isKind(attributes['kind']) ? attributes['kind'] : 'file';
  // What a person writes there is shown and may be opened: an address of another kind is none.
  const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(named);
  const isUrl = /^https?:\/\//i.test(named) && URL.canParse(named);
  const title = text(attributes['title']) ?? text(firstHeading(content.slice(bodyStart))) ?? titleFromFile(file);
  return {
    bodyStart,
    document: {
      id: documentIdOf(namespace, file),
      namespace,
      file,
      title,
      source: isAddress && !isUrl && claimed === 'url' ? file : named,
      kind: claimed === 'url' && !isUrl ? 'file' : claimed,
      revision: revisionOf(bytes),
      bytes: bytes.byteLength,
      fetchedAt: text(attributes['fetchedAt']),
      canonicalUrl: text(attributes['canonical']),
      language,
      lastModified: text(attributes['lastModified']),
      textLanguage: languageOf(content.slice(bodyStart), language),
    },
  };
}

const maxSlugBytes = 60;
const slug = (name: string) =>
  new GithubSlugger()
    .slug(name.normalize('NFKC').replace(/[./\\:]+/g, '-'))
    .replace(/[^\p{L}\p{N}-]+/gu, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '');

/** Cuts at a whole character within the bytes that every file system allows in a name. */
const cut = (name: string) => {
  let kept = '';
  for (const character of name) {
    if (Buffer.byteLength(kept + character) > maxSlugBytes) break;
    kept += character;
  }
  return kept.replace(/-+$/, '');
};

const ingestedName = /-[0-9a-f]{12}\.md$/;

/** Whether a stored file came from a source that can be read again; a file that a person wrote, or a text that was sent, is its own. */
export const isRefreshable = ({ kind, file, source }: Document): boolean =>
  kind !== 'text' && source !== file && !file.includes('/') && ingestedName.test(file);

/**
 * Readable and never shared by two sources: what the source is called, then a hash of what it is. The same source always
 * gets the same name, whatever else is stored.
 */
export function fileNameFor(kind: SourceKind, identity: string, readable: string): string {
  const name = cut(slug(readable)) || 'document';
  return `${name}-${sha256(`${kind}\0${identity}`).slice(0, 12)}.md`;
}
