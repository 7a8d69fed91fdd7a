/**
 * The stored form of a document: Markdown under front matter that carries where it came from. Two hashes, two uses: the front
 * matter's `revision` is that of the parsed content (has the source changed since?), a document's `revision` is that of the whole
 * file (does a citation still point to these bytes?). A file cannot hold its own hash.
 */
import { slug as githubSlug } from 'github-slugger';
import type { ParsedSource, SourceKind } from '../convert/source.ts';
import { withoutInvisible } from '../language/invisible.ts';
import { languageOf } from '../language/languages.ts';
import { readFrontMatter, writeFrontMatter } from '../markdown/front-matter.ts';
import { decodeReferences, encodeReferences, firstHeading, headingsOf } from '../markdown/headings.ts';
import type { Document } from './document.ts';
import { revisionAside, type StoredFile, sha256 } from './document-store.ts';

const singleLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const maxTitleLength = 300;
export const maxAuthorLength = 200;
const dayOf = (time: Date) => time.toISOString().slice(0, 'yyyy-mm-dd'.length);
/** Whether it is a day of the calendar: `2027-05-01`. */
export const isCalendarDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(new Date(text)) === text;
/** Of a document, what is looked through for what it may be called: it stands at the top. */
const maxTopChars = 20_000;

export interface StoredSource extends ParsedSource {
  readonly title: string;
  readonly kind: SourceKind;
  readonly origin: string;
  readonly author?: string | undefined;
  readonly reviewBy?: string | undefined;
}

const authorOf = (written: string | undefined): string | undefined =>
  singleLine(withoutInvisible(written ?? ''))
    .slice(0, maxAuthorLength)
    .trimEnd() || undefined;

/** Hash of what was parsed; equal for a source that has not changed, whenever it is fetched. */
const contentRevision = ({ title, origin, kind, markdown }: StoredSource): Promise<string> =>
  revisionAside(Buffer.from([title, origin, kind, markdown].map((part) => `${part.length}\0${part}`).join('')));

/** The form in which it is read back: title, origin and author of one line each, the text without white space around it, nothing in them unseen. */
export const toStored = (source: StoredSource): StoredSource => ({
  ...source,
  title: singleLine(withoutInvisible(source.title)).slice(0, maxTitleLength),
  // A path or URL is an address: what nobody sees in it is part of it.
  origin: singleLine(source.kind === 'text' ? withoutInvisible(source.origin) : source.origin),
  author: authorOf(source.author),
  markdown: withoutInvisible(source.markdown).trim(),
});

/** @param source as `toStored` gives it */
export async function renderDocumentFile(source: StoredSource, fetchedAt: Date): Promise<string> {
  const { title, origin, kind, canonicalUrl: canonical, language, lastModified, author, reviewBy } = source;
  const reviewedAt = author === undefined && reviewBy === undefined ? undefined : dayOf(fetchedAt);
  const revision = await contentRevision(source);
  const says = { title: encodeReferences(title), source: origin, kind, canonical, language, lastModified, author, reviewedAt, reviewBy };
  const frontMatter = writeFrontMatter({ ...says, fetchedAt: fetchedAt.toISOString(), revision });
  return `${frontMatter}${source.markdown}\n`;
}

const isKind = (value: unknown): value is SourceKind => value === 'url' || value === 'file' || value === 'text';
const text = (value: unknown): string | undefined => {
  const line = typeof value === 'string' || typeof value === 'number' ? singleLine(String(value)) : '';
  return line === '' ? undefined : line.slice(0, maxTitleLength);
};
/** What a person writes there may be no day. */
const dayIn = (value: unknown): string | undefined => {
  const written = text(value) ?? '';
  return isCalendarDay(written) ? written : undefined;
};

const ingestedName = /-[0-9a-f]{12}\.md$/;

/** `getting-started_v2.md` → `getting started v2`. */
const titleFromFile = (file: string) => singleLine((file.split('/').at(-1) ?? file).replace(/\.\w{1,5}$/, '').replace(/[-_]+/g, ' '));

/** The path of a URL as people read it; as it stands where a percent sign in it encodes nothing. */
export function readablePath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Where a document's source is among others: its path, without the names that every folder has one of. */
function placeOf({ kind, source, file }: Pick<Document, 'kind' | 'source' | 'file'>): string {
  const path = kind === 'url' ? readablePath(new URL(source)) : kind === 'file' ? source : file.replace(ingestedName, '');
  return path.replace(/(?:\/(?:index|readme|overview)(?:\.\w{1,5})?)?\/*$/i, '').replace(/^[./]+/, '');
}

/**
 * What a document may be called, best first, where others of its namespace are called the same: its title, the heading after it, the name
 * of its source, and where that is.
 */
function titlesOf(title: string, body: string, place: string): readonly string[] {
  const key = title.toLowerCase();
  const next = headingsOf(body.slice(0, maxTopChars)).find((heading) => heading.text.toLowerCase() !== key);
  const named = [title, next?.text, titleFromFile(place), place].flatMap((one) => text(one) ?? []);
  const known = new Set<string>();
  return named.filter((one) => !known.has(one.toLowerCase()) && known.add(one.toLowerCase()));
}

/** Stable for a file as long as it keeps its namespace and path. */
export const documentIdOf = (namespace: string, file: string): string => sha256(`${namespace}\0${file}`).slice(0, 20);

/** Front matter whose words say what a document is about. */
const aboutKeys = ['keywords', 'aliases', 'tags', 'description'] as const;
const maxAboutChars = 2_000;

/** On one line each: a text, or a list of texts. */
const aboutOf = (attributes: Readonly<Record<string, unknown>>): string =>
  aboutKeys
    .flatMap((key) => attributes[key])
    .flatMap((value) => text(value) ?? [])
    .join('\n')
    .slice(0, maxAboutChars);

/** What a stored file says of itself; a file that a person wrote without front matter is its own source. */
export function readDocumentFile(
  namespace: string,
  file: string,
  { text: content, bytes, revision }: Pick<StoredFile, 'text' | 'bytes' | 'revision'>,
): { document: Document; bodyStart: number; titles: readonly string[]; about: string } {
  const { attributes, bodyStart: afterFrontMatter } = readFrontMatter(content);
  // A byte order mark belongs to no passage.
  const bodyStart = afterFrontMatter === 0 && content.startsWith('\uFEFF') ? 1 : afterFrontMatter;
  const language = text(attributes['language']);
  const named = typeof attributes['source'] === 'string' && attributes['source'] !== '' ? singleLine(attributes['source']) : file;
  const claimed = isKind(attributes['kind']) ? attributes['kind'] : 'file';
  // What a person writes there is shown and may be opened: an address of another kind is none.
  const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(named);
  const isUrl = /^https?:\/\//i.test(named) && URL.canParse(named);
  const body = content.slice(bodyStart);
  const stated = attributes['title'];
  const title =
    text(typeof stated === 'string' ? decodeReferences(stated) : stated) ??
    text(firstHeading(body.slice(0, maxTopChars))) ??
    titleFromFile(file);
  const source = isAddress && !isUrl && claimed === 'url' ? file : named;
  const kind = claimed === 'url' && !isUrl ? 'file' : claimed;
  return {
    bodyStart,
    titles: titlesOf(title, body, placeOf({ kind, source, file })),
    about: aboutOf(attributes),
    document: {
      id: documentIdOf(namespace, file),
      namespace,
      file,
      title,
      source,
      kind,
      revision,
      bytes,
      fetchedAt: text(attributes['fetchedAt']),
      canonicalUrl: text(attributes['canonical']),
      language,
      lastModified: text(attributes['lastModified']),
      author: authorOf(text(attributes['author'])),
      reviewedAt: dayIn(attributes['reviewedAt']),
      reviewBy: dayIn(attributes['reviewBy']),
      textLanguage: languageOf(body, language),
    },
  };
}

const maxSlugBytes = 60;
const slug = (name: string) =>
  githubSlug(
    withoutInvisible(name)
      .normalize('NFKC')
      .replace(/[./\\:]+/g, '-'),
  )
    .replace(/[^\p{L}\p{N}-]+/gu, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '');

/** Cuts at a whole character within the bytes that every file system allows in a name. */
const cut = (name: string) =>
  new TextDecoder()
    .decode(Buffer.from(name).subarray(0, maxSlugBytes))
    .replace(/\uFFFD$/, '')
    .replace(/(?<!-)-+$/, '');

/**
 * Readable and never shared by two sources: what the source is called, then a hash of what it is. The same source always
 * gets the same name, whatever else is stored.
 */
export function fileNameFor(kind: SourceKind, identity: string, readable: string): string {
  const name = cut(slug(readable)) || 'document';
  return `${name}-${sha256(`${kind}\0${identity}`).slice(0, 12)}.md`;
}

/** What an uploaded file is: the name under which it was sent. No path begins like this, so an upload and a file of the server never share a document. */
export const identifyUpload = (name: string) => ({
  identity: `upload:${name}`,
  origin: name,
  fallbackTitle: (name.split('/').at(-1) ?? name).replace(/\.[^.]+$/, ''),
});

function isUploaded({ kind, file, source }: Document): boolean {
  const { identity, fallbackTitle } = identifyUpload(source);
  return kind === 'file' && file === fileNameFor(kind, identity, fallbackTitle);
}

/** Whether a stored file came from a source that can be read again; a file that a person wrote, or a text or file that was sent, is its own. */
export const isRefreshable = (document: Document): boolean => {
  const { kind, file, source } = document;
  return kind !== 'text' && source !== file && !file.includes('/') && ingestedName.test(file) && !isUploaded(document);
};
