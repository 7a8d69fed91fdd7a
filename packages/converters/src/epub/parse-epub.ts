/**
 * EPUB → Markdown: chapters in reading order, each parsed with its style sheets so that hidden text
 * is dropped (EPUB 3.3, OCF and Package Document). Links between chapters become text: the stored
 * document is one page.
 */
import { Parser } from 'htmlparser2';
import { KnowledgeError } from '../../../shared/src/errors.ts';
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { parseHtml } from '../html/parse-html.ts';
import { firstHeadingText, isoTimeOf, languageTag, type ParsedSource } from '../source.ts';
import { openZip } from '../zip.ts';

const longestTitle = 200;
/** A package with 1,000 chapters and pictures has about 4,000 elements. */
const maxElements = 100_000;
/**
 * Per chapter; real books have a tenth. More is an error, because ignoring a style sheet would
 * reveal the text that it hides.
 */
const maxStyleChars = 1_000_000;

const refused = (message: string) => new KnowledgeError('unsupported_media_type', message);

interface PackageElement {
  /** Without prefix, in lower case: EPUB 2 writes `dc:Title`. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Direct text, without that of children. */
  text: string;
}

/** Returns all elements in document order. */
function elementsIn(xml: string): PackageElement[] {
  const found: PackageElement[] = [];
  const open: typeof found = [];
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (found.length >= maxElements)
          throw refused(`An XML file of the EPUB has more than ${maxElements} elements.`);
        const element = { name: name.replace(/^.*:/, '').toLowerCase(), attributes, text: '' };
        found.push(element);
        open.push(element);
      },
      ontext(text) {
        const element = open.at(-1);
        if (element) element.text += text;
      },
      onclosetag() {
        open.pop();
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.write(xml);
  parser.end();
  return found;
}

/** Resolves a reference to an entry name; undefined if it leads out of the book. */
function entryAt(href: string, from: string): string | undefined {
  const root = 'epub://book/';
  const base = `${root}${from.split('/').map(encodeURIComponent).join('/')}`;
  if (!URL.canParse(href, base)) return undefined;
  const url = new URL(href, base);
  try {
    return url.href.startsWith(root) ? decodeURIComponent(url.pathname.slice(1)) : undefined;
  } catch {
    return undefined;
  }
}

const isPage = (mediaType: string | undefined) =>
  mediaType === 'application/xhtml+xml' || mediaType === 'text/html';

/**
 * Entry names of the chapters in reading order. The table of contents is skipped: it repeats the
 * headings.
 */
function chaptersOf(elements: readonly PackageElement[], path: string): string[] {
  const items = new Map(
    elements
      .filter(({ name }) => name === 'item')
      .map(({ attributes }) => [attributes['id'], attributes]),
  );
  const chapters = elements.flatMap(({ name, attributes }) => {
    const item = name === 'itemref' ? items.get(attributes['idref']) : undefined;
    const isContents = /(?:^|\s)nav(?:\s|$)/.test(item?.['properties'] ?? '');
    const chapter =
      item && isPage(item['media-type']) && !isContents
        ? entryAt(item['href'] ?? '', path)
        : undefined;
    return chapter === undefined ? [] : [chapter];
  });
  return [...new Set(chapters)];
}

/** XML allows `<a id="x"/>` and `<title/>`; HTML would read them as open elements. */
const selfClosing = /<([a-z][\w:-]{0,60})((?:\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*)?)\/>/gi;
const isVoid = /^(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/i;
const styleSheet = /<link\s[^<>]{0,1000}>/gi;
const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}\\s*=\\s*["']([^"'<>]*)["']`, 'i').exec(tag)?.[1] ?? '';

type ReadEntry = (name: string) => Promise<string | undefined>;

/** Wraps a chapter and its style sheets in a page whose whole body is main content. */
async function pageOf(chapter: string, path: string, read: ReadEntry): Promise<string> {
  const html = chapter.replace(selfClosing, (tag, name: string, rest: string) =>
    isVoid.test(name) ? tag : `<${name}${rest}></${name}>`,
  );
  let styles = '';
  for (const [tag] of html.matchAll(styleSheet)) {
    const sheet = /\bstylesheet\b/i.test(attribute(tag, 'rel'))
      ? entryAt(attribute(tag, 'href'), path)
      : undefined;
    styles += (sheet === undefined ? undefined : await read(sheet)) ?? '';
    if (styles.length > maxStyleChars)
      throw new KnowledgeError(
        'payload_too_large',
        `The style sheets of an EPUB chapter are longer than ${maxStyleChars} characters.`,
      );
  }
  const start = /<body(?:\s[^<>]*)?>/i.exec(html);
  const end = html.search(/<\/body\s*>/i);
  const head = start ? html.slice(0, start.index + start[0].length) : '<!doctype html><html><body>';
  const body = html.slice(start ? start.index + start[0].length : 0, end < 0 ? html.length : end);
  return `${head}<style>${styles.replaceAll('</', '')}</style><main>${body}</main></body></html>`;
}

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
export async function parseEpub(bytes: Uint8Array): Promise<ParsedSource> {
  const archive = await openZip(bytes, 'EPUB');
  const container = await archive.read('META-INF/container.xml');
  if (container === undefined)
    throw refused(`The file is ${archive.description}, not an EPUB book.`);
  const path =
    elementsIn(container).find(({ name }) => name === 'rootfile')?.attributes['full-path'] ?? '';
  const description = await archive.read(path);
  if (description === undefined)
    throw refused('The EPUB file has no package document. Export the book again.');
  const elements = elementsIn(description);
  const encrypted = new Set(
    elementsIn((await archive.read('META-INF/encryption.xml')) ?? '').map(({ attributes }) =>
      entryAt(attributes['URI'] ?? '', ''),
    ),
  );

  // Chapters share style sheets.
  const texts = new Map<string, Promise<string | undefined>>();
  const read: ReadEntry = (name) =>
    texts.get(name) ?? texts.set(name, archive.read(name)).get(name) ?? Promise.resolve(undefined);
  const parsed: string[] = [];
  for (const chapter of chaptersOf(elements, path)) {
    if (encrypted.has(chapter)) throw refused('The EPUB file is encrypted.');
    const text = await archive.read(chapter);
    if (text !== undefined)
      parsed.push((await parseHtml(await pageOf(text, chapter, read), undefined)).markdown);
  }

  const markdown = parsed.filter((text) => text !== '').join('\n\n');
  const stated = (...names: readonly string[]) =>
    withoutInvisible(
      elements.find(({ name, attributes }) => names.includes(attributes['property'] ?? name))
        ?.text ?? '',
    )
      .replace(/\s+/g, ' ')
      .trim();
  return {
    title: stated('title').slice(0, longestTitle) || firstHeadingText(markdown),
    markdown,
    language: languageTag(stated('language')),
    lastModified: isoTimeOf(stated('dcterms:modified') || stated('date')),
  };
}
