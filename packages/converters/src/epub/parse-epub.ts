/**
 * EPUB → Markdown: chapters in reading order, each parsed with its style sheets so that hidden text
 * is dropped (EPUB 3.3, OCF and Package Document). Links between chapters become text: the stored
 * document is one page.
 */
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { elementsOfXml, textOf } from '../html/dom.ts';
import { parseHtml } from '../html/parse-html.ts';
import { voidElements } from '../markdown/markup-elements.ts';
import {
  comparableText,
  firstHeadingText,
  isoTimeOf,
  languageTag,
  overLimit,
  type ParsedSource,
  refused,
} from '../source.ts';
import { openZip, type ReadEntry } from '../zip.ts';

const longestTitle = 200;
/** A package with 1,000 chapters and pictures has about 4,000 elements. */
const maxElements = 100_000;
/**
 * Per chapter; real books have a tenth. More is an error, because ignoring a style sheet would
 * reveal the text that it hides.
 */
const maxStyleChars = 1_000_000;

type PackageElements = ReturnType<typeof elementsIn>;

/** Returns all elements in document order. */
function elementsIn(xml: string) {
  const elements = elementsOfXml(xml);
  if (elements.length > maxElements)
    throw refused(`An XML file of the EPUB has more than ${maxElements} elements.`);
  return elements.map((element) => ({
    // EPUB 2 writes `dc:Title`.
    name: element.name.replace(/^.*:/, '').toLowerCase(),
    attributes: element.attribs,
    text: withoutInvisible(textOf(element, longestTitle)).slice(0, longestTitle),
  }));
}

/** Resolves a reference to an entry name; undefined if it leads out of the book. */
function entryAt(href: string, from: string) {
  const root = 'epub://book/';
  const base = `${root}${from.split('/').map(encodeURIComponent).join('/')}`;
  const url = URL.parse(href, base);
  try {
    return url?.href.startsWith(root) ? decodeURIComponent(url.pathname.slice(1)) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a list of words, as in `properties`, holds a word. */
const holds = (list: string | undefined, word: string) =>
  list?.split(/\s+/).includes(word) ?? false;

/**
 * Entry names of the chapters in reading order. The table of contents is skipped: it repeats the
 * headings.
 */
function chaptersOf(elements: PackageElements, path: string) {
  const items = new Map(
    elements
      .filter(({ name }) => name === 'item')
      .map(({ attributes }) => [attributes['id'], attributes]),
  );
  const chapters = elements.flatMap(({ name, attributes }) => {
    const item = name === 'itemref' ? items.get(attributes['idref']) : undefined;
    const isPage = /^(?:application\/xhtml\+xml|text\/html)$/.test(item?.['media-type'] ?? '');
    if (!isPage || holds(item?.['properties'], 'nav')) return [];
    return entryAt(item?.['href'] ?? '', path) ?? [];
  });
  return [...new Set(chapters)];
}

/** Labels of chapters by entry name, from the table of contents (EPUB 3) or the NCX file (EPUB 2). */
async function readLabels(elements: PackageElements, path: string, read: ReadEntry) {
  const items = elements.filter(({ name }) => name === 'item');
  const contents =
    items.find(({ attributes }) => holds(attributes['properties'], 'nav')) ??
    items.find(({ attributes }) => attributes['media-type'] === 'application/x-dtbncx+xml');
  const file = entryAt(contents?.attributes['href'] ?? 'none:', path);
  const labels = new Map<string, string>();
  for (const { label, target } of entriesOf(elementsIn((file && (await read(file))) ?? ''))) {
    const chapter = entryAt(target, file ?? '');
    if (chapter && label && !labels.has(chapter)) labels.set(chapter, label);
  }
  return labels;
}

/** Entries of a table of contents: links, or labels that precede their target (NCX). */
function* entriesOf(elements: PackageElements) {
  let isList = true;
  let label = '';
  for (const { name, attributes, text } of elements) {
    // Lists of pages and landmarks name no chapters.
    if (name === 'nav') isList = holds(attributes['epub:type'], 'toc');
    if (name === 'text' || name === 'a') label = text;
    const target = name === 'a' ? attributes['href'] : name === 'content' && attributes['src'];
    if (isList && target) yield { label, target };
  }
}

const headings = /^#{1,6} (.+)$/gm;

/** Puts the label of a chapter above its text, unless one of its headings says the same. */
function labelled(markdown: string, label = '') {
  const name = comparableText(label);
  if (!name || !markdown) return markdown;
  const isNamed = markdown.matchAll(headings).some(([, heading = '']) => {
    const text = comparableText(heading.replace(/\s\{#[^{}]*\}$/, ''));
    return text !== '' && (name.includes(text) || text.includes(name));
  });
  if (isNamed) return markdown;
  const blocks = markdown.split('\n\n');
  if (comparableText(blocks[0] ?? '') === name) blocks.shift();
  return [`# ${label}`, ...blocks].join('\n\n');
}

/** XML allows `<a id="x"/>` and `<title/>`; HTML would read them as open elements. */
const selfClosing = /<([a-z][\w:-]{0,60})((?:\s(?:[^<>"']|"[^"<]*"|'[^'<]*')*)?)\/>/gi;
const attribute = (tag: string, name: string) =>
  new RegExp(`\\s${name}\\s*=\\s*["']([^"'<>]*)["']`, 'i').exec(tag)?.[1] ?? '';

/** Wraps a chapter and its style sheets in a page whose whole body is main content. */
async function pageOf(chapter: string, path: string, read: ReadEntry) {
  const html = chapter.replace(selfClosing, (tag, name: string, rest: string) =>
    voidElements.has(name.toLowerCase()) ? tag : `<${name}${rest}></${name}>`,
  );
  let styles = '';
  for (const [tag] of html.matchAll(/<link\s[^<>]{0,1000}>/gi)) {
    const isSheet = /\bstylesheet\b/i.test(attribute(tag, 'rel'));
    const sheet = isSheet ? entryAt(attribute(tag, 'href'), path) : undefined;
    styles += (sheet && (await read(sheet))) ?? '';
    if (styles.length > maxStyleChars)
      throw overLimit(
        `The style sheets of an EPUB chapter are longer than ${maxStyleChars} characters.`,
      );
  }
  const start = /<body(?:\s[^<>]*)?>/i.exec(html);
  const from = start ? start.index + start[0].length : 0;
  const end = html.search(/<\/body\s*>/i);
  const head = html.slice(0, from) || '<!doctype html><html><body>';
  const body = html.slice(from, end < 0 ? html.length : end);
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
  const read: ReadEntry = (name) => {
    const text = texts.get(name) ?? archive.read(name);
    texts.set(name, text);
    return text;
  };
  const stated = (property: string) =>
    elements.find(({ name, attributes }) => (attributes['property'] ?? name) === property)?.text ??
    '';
  const labels = await readLabels(elements, path, read);
  const parsed: string[] = [];
  for (const chapter of chaptersOf(elements, path)) {
    if (encrypted.has(chapter)) throw refused('The EPUB file is encrypted.');
    const text = await archive.read(chapter);
    if (!text) continue;
    const { markdown } = await parseHtml(await pageOf(text, chapter, read), undefined);
    parsed.push(labelled(markdown, labels.get(chapter)));
  }

  const markdown = parsed.filter(Boolean).join('\n\n');
  return {
    title: stated('title') || firstHeadingText(markdown),
    markdown,
    language: languageTag(stated('language')),
    lastModified: isoTimeOf(stated('dcterms:modified') || stated('date')),
  };
}
