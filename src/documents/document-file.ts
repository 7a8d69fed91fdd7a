/**
 * Stored form of a document: Markdown with front matter that names its source. The `revision` in
 * the front matter hashes the parsed content and detects changes of the source. The `revision` of
 * the document hashes the whole file and validates citations.
 */
import { slug as githubSlug } from 'github-slugger';
import type { ParsedSource, SourceKind } from '../../packages/converters/src/source.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { languageOf } from '../../packages/shared/src/language/languages.ts';
import {
  readFrontMatter,
  writeFrontMatter,
} from '../../packages/shared/src/markdown/front-matter.ts';
import {
  decodeReferences,
  encodeReferences,
  firstHeading,
  headingsOf,
} from '../../packages/shared/src/markdown/headings.ts';
import type { Document } from './document.ts';
import { revisionInThread, type StoredFile, sha256 } from './document-store.ts';

const singleLine = (text: string) => text.replace(/\s+/g, ' ').trim();
const maxTitleLength = 300;
export const maxAuthorLength = 200;
const dayOf = (time: Date) => time.toISOString().slice(0, 'yyyy-mm-dd'.length);
/** Whether the text is a valid date such as `2027-05-01`. */
export const isCalendarDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  dayOf(new Date(text)) === text;
/** Maximum characters at the top of a document that are searched for a title. */
const maxTopChars = 20_000;

export type StoredSource = ParsedSource &
  Readonly<{
    title: string;
    kind: SourceKind;
    origin: string;
    author?: string | undefined;
    reviewBy?: string | undefined;
    /** Question of a reviewed answer. */
    question?: string | undefined;
    replaces?: string | undefined;
  }>;

const authorOf = (written: string | undefined) =>
  singleLine(withoutInvisible(written ?? ''))
    .slice(0, maxAuthorLength)
    .trimEnd() || undefined;

/** Hash of the parsed content; independent of the time of the fetch. */
const contentRevision = ({ title, origin, kind, markdown }: StoredSource) =>
  revisionInThread(
    Buffer.from([title, origin, kind, markdown].map((part) => `${part.length}\0${part}`).join('')),
  );

/**
 * Normalizes a source as it will be read back: single-line title, origin and author without
 * invisible characters. The parser has normalized its text.
 */
export const toStored = (source: StoredSource): StoredSource => ({
  ...source,
  title: singleLine(withoutInvisible(source.title)).slice(0, maxTitleLength),
  // In a path or URL, invisible characters are significant.
  origin: singleLine(source.kind === 'text' ? withoutInvisible(source.origin) : source.origin),
  author: authorOf(source.author),
});

/** @param source result of `toStored` */
export async function renderDocumentFile(source: StoredSource, fetchedAt: Date) {
  const { author, reviewBy } = source;
  const frontMatter = writeFrontMatter({
    title: encodeReferences(source.title),
    source: source.origin,
    kind: source.kind,
    canonical: source.canonicalUrl,
    language: source.language,
    lastModified: source.lastModified,
    author,
    reviewedAt: author === undefined && reviewBy === undefined ? undefined : dayOf(fetchedAt),
    reviewBy,
    question: source.question,
    replaces: source.replaces,
    fetchedAt: fetchedAt.toISOString(),
    revision: await contentRevision(source),
  });
  return `${frontMatter}${source.markdown}\n`;
}

const isKind = (value: unknown): value is SourceKind =>
  value === 'url' || value === 'file' || value === 'text';
const lineOf = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number'
    ? singleLine(String(value)) || undefined
    : undefined;
const text = (value: unknown) => lineOf(value)?.slice(0, maxTitleLength);
/** Returns a date of the front matter; undefined if it is invalid, because people edit the file. */
const dayIn = (value: unknown) => {
  const written = text(value) ?? '';
  return isCalendarDay(written) ? written : undefined;
};

const ingestedName = /-[0-9a-f]{12}\.md$/;

/** `getting-started_v2.md` → `getting started v2`. */
const titleFromFile = (file: string) =>
  singleLine((file.split('/').at(-1) ?? file).replace(/\.\w{1,5}$/, '').replace(/[-_]+/g, ' '));

/** Returns the decoded path of a URL; unchanged if its percent-encoding is invalid. */
export function readablePath({ pathname }: URL) {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/**
 * Returns the path of the document's source without common file names such as `index` and `readme`.
 */
function placeOf({ kind, source, file }: Pick<Document, 'kind' | 'source' | 'file'>) {
  const path =
    kind === 'url'
      ? readablePath(new URL(source))
      : kind === 'file'
        ? source
        : file.replace(ingestedName, '');
  return path
    .replace(/(?:\/(?:index|readme|overview)(?:\.\w{1,5})?)?\/*$/i, '')
    .replace(/^[./]+/, '');
}

/**
 * Returns the distinct alternative titles, best first: title, next heading, name and path of the
 * source.
 */
function titlesOf(title: string, body: string, place: string) {
  const key = title.toLowerCase();
  const next = headingsOf(body.slice(0, maxTopChars)).find(
    (heading) => heading.text.toLowerCase() !== key,
  );
  const named = [title, next?.text, titleFromFile(place), place].flatMap((one) => text(one) ?? []);
  const known = new Set<string>();
  return named.filter((one) => !known.has(one.toLowerCase()) && known.add(one.toLowerCase()));
}

/** Returns the id of a document; it depends only on namespace and path. */
export const documentIdOf = (namespace: string, file: string) =>
  sha256(`${namespace}\0${file}`).slice(0, 20);

/** Front matter keys that are indexed with the document. */
const aboutKeys = ['keywords', 'aliases', 'tags', 'description'] as const;
const maxAboutChars = 2_000;

/** Values may be texts or lists of texts; the result has one per line. */
const aboutOf = (attributes: Readonly<Record<string, unknown>>) =>
  aboutKeys
    .flatMap((key) => attributes[key])
    .flatMap((value) => text(value) ?? [])
    .join('\n')
    .slice(0, maxAboutChars);

/** Parses a stored file. A file without front matter is its own source. */
export function readDocumentFile(
  namespace: string,
  file: string,
  { text: content, bytes, revision }: Pick<StoredFile, 'text' | 'bytes' | 'revision'>,
): { document: Document; bodyStart: number; titles: readonly string[]; about: string } {
  const { attributes, bodyStart: afterFrontMatter } = readFrontMatter(content);
  // Passages must not include the byte order mark.
  const bodyStart = afterFrontMatter === 0 && content.startsWith('\uFEFF') ? 1 : afterFrontMatter;
  const language = text(attributes['language']);
  const isWeb = (one: string) => /^https?:\/\//i.test(one) && URL.canParse(one);
  const [stated, url] = ['source', 'url'].map((name) => {
    const value = attributes[name];
    return typeof value === 'string' ? singleLine(value) : '';
  }) as [string, string];
  const named = stated || (isWeb(url) ? url : file);
  const claimed = isKind(attributes['kind']) ? attributes['kind'] : 'file';
  // The source is shown as a link, so only HTTP addresses count as URLs.
  const isAddress = /^[a-z][a-z0-9+.-]*:/i.test(named);
  const isUrl = isWeb(named);
  const body = content.slice(bodyStart);
  const titled = attributes['title'];
  const title =
    text(typeof titled === 'string' ? decodeReferences(titled) : titled) ??
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
      canonicalUrl: lineOf(attributes['canonical']),
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

/** Cuts between characters, within the length that every file system allows. */
const cut = (name: string) =>
  new TextDecoder()
    .decode(Buffer.from(name).subarray(0, maxSlugBytes))
    .replace(/\uFFFD$/, '')
    .replace(/(?<!-)-+$/, '');

/**
 * Returns a readable name that is unique per source and stable: the source's name, then the hash of
 * its identity.
 */
export function fileNameFor(kind: SourceKind, identity: string, readable: string) {
  const name = cut(slug(readable)) || 'document';
  return `${name}-${sha256(`${kind}\0${identity}`).slice(0, 12)}.md`;
}

/**
 * An upload is identified by its file name. Paths never begin with the prefix, so uploads and
 * server files do not share documents.
 */
export const identifyUpload = (name: string) => ({
  identity: `upload:${name}`,
  origin: name,
  fallbackTitle: (name.split('/').at(-1) ?? name).replace(/\.[^.]+$/, ''),
});

function isUploaded({ kind, file, source }: Document) {
  const { identity, fallbackTitle } = identifyUpload(source);
  return kind === 'file' && file === fileNameFor(kind, identity, fallbackTitle);
}

/** Whether the source can be read again; not for texts, uploads and files written by hand. */
export const isRefreshable = (document: Document) => {
  const { kind, file, source } = document;
  return (
    kind !== 'text' &&
    source !== file &&
    !file.includes('/') &&
    ingestedName.test(file) &&
    !isUploaded(document)
  );
};
