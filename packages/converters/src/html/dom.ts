/**
 * Helpers for the DOM of a page: nodes, their text and their names. Independent of any notion of
 * content.
 */

// The main entry of cheerio would load a network client in each parser process.
import { type CheerioAPI, load } from 'cheerio/slim';
import { Parser } from 'htmlparser2';
import { parse, serialize, type TreeAdapter } from 'parse5';
import { adapter, type Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter';
import { blockElements } from '../markdown/markup-elements.ts';
import { refused } from '../source.ts';

export type HtmlNode = Htmlparser2TreeAdapterMap['node'];
export type HtmlElement = Htmlparser2TreeAdapterMap['element'];

export const isElement = (node: HtmlNode | null | undefined): node is HtmlElement =>
  node?.type === 'tag' || node?.type === 'script' || node?.type === 'style';
export const isText = (
  node: HtmlNode | null | undefined,
): node is Htmlparser2TreeAdapterMap['textNode'] => node?.type === 'text';

export const childrenOf = (node: HtmlNode): readonly HtmlNode[] =>
  'children' in node ? node.children : [];
export const elementsOf = (node: HtmlNode): HtmlElement[] => childrenOf(node).filter(isElement);
export const parentOf = (node: HtmlNode): HtmlElement | undefined =>
  isElement(node.parent) ? node.parent : undefined;
/** Trimmed value; undefined if missing or empty. */
export const attributeOf = (element: HtmlElement, name: string): string | undefined =>
  element.attribs[name]?.trim() || undefined;
export const roleOf = (element: HtmlElement): string => attributeOf(element, 'role') ?? '';

/**
 * Next node below `root` in document order, skipping the children of `node` if `skipsChildren`.
 * Needs no memory for wide trees.
 */
function nodeAfter(node: HtmlNode, root: HtmlNode, skipsChildren: boolean) {
  const first = skipsChildren ? undefined : childrenOf(node)[0];
  if (first) return first;
  for (let at: HtmlNode | null = node; at && at !== root; at = at.parent)
    if (at.next) return at.next;
  return undefined;
}

/**
 * Elements below `root` in document order. Children of an element may change until it is visited.
 */
export function* elementsBelow(root: HtmlNode): Generator<HtmlElement> {
  for (
    let node = nodeAfter(root, root, false);
    node;
    node = nodeAfter(node, root, !isElement(node))
  )
    if (isElement(node)) yield node;
}

/** A test for elements with one of these names. */
export const named =
  (...names: readonly string[]) =>
  ({ name }: HtmlElement) =>
    names.includes(name);

/** All matching elements below `root`, in one pass. */
export const findAll = (root: HtmlNode, test: (element: HtmlElement) => boolean): HtmlElement[] =>
  elementsBelow(root).filter(test).toArray();
export const findFirst = (
  root: HtmlNode,
  test: (element: HtmlElement) => boolean,
): HtmlElement | undefined => elementsBelow(root).find(test);

export function* ancestorsOf(node: HtmlNode): Generator<HtmlElement> {
  for (let parent = parentOf(node); parent; parent = parentOf(parent)) yield parent;
}

export const isInside = (node: HtmlNode, outer: HtmlNode): boolean => {
  for (let at: HtmlNode | null = node; at; at = at.parent) if (at === outer) return true;
  return false;
};

/** Elements whose content is not text of the page. */
const textless = new Set(['script', 'style', 'template', 'svg']);

/** Text below a node, unchanged, cut after `maxChars`. */
export function rawTextOf(node: HtmlNode, maxChars = Infinity): string {
  const parts: string[] = [];
  let length = 0;
  let skipsChildren = false;
  for (
    let at: HtmlNode | undefined = node;
    at && length < maxChars;
    at = nodeAfter(at, node, skipsChildren)
  ) {
    skipsChildren = isElement(at) && textless.has(at.name);
    if (!isText(at)) continue;
    parts.push(at.data);
    length += at.data.length;
  }
  return parts.join('');
}

/** Text with white space collapsed, cut after about `maxChars`. */
export const textOf = (node: HtmlNode, maxChars?: number): string =>
  rawTextOf(node, maxChars).replace(/\s+/g, ' ').trim();

/** Replaces children and updates their links. */
export function setChildren(
  parent: Htmlparser2TreeAdapterMap['parentNode'],
  children: readonly HtmlNode[],
): void {
  parent.children = children as typeof parent.children;
  for (const [index, child] of parent.children.entries()) {
    child.parent = parent;
    child.prev = parent.children[index - 1] ?? null;
    child.next = parent.children[index + 1] ?? null;
  }
}

/**
 * Removes nodes below `root` in one pass. Removing each node separately would take time
 * proportional to its siblings.
 */
export function removeNodes(root: HtmlNode, removed: ReadonlySet<HtmlNode>): void {
  if (!('children' in root)) return;
  const kept = root.children.filter((child) => !removed.has(child));
  if (kept.length < root.children.length) setChildren(root, kept);
  for (const child of kept) removeNodes(child, removed);
}

/**
 * Normalizes names to kebab case: `tocCollapsible_x1` and `toc__collapsible` begin with
 * `toc-collapsible`.
 */
export const kebabCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase();

/** Class names in kebab case, without conditional utilities (`lg:hidden`, `[&_nav]:p-0`). */
export const classNamesOf = (element: HtmlElement): readonly string[] =>
  (element.attribs['class'] ?? '')
    .split(/\s+/, 60)
    .filter((name) => name && name.length < 100 && !/[:[\]]/.test(name))
    .map(kebabCase);

const otherBlocks = /^(?:body|html|dialog|dir|listing|plaintext|xmp|x-answer|x-label|x-question)$/;
export const isBlock = ({ name }: HtmlElement): boolean =>
  blockElements.has(name) || otherBlocks.test(name);
export const isList = named('ul', 'ol', 'menu', 'dir');
export const headingLevelOf = ({ name }: HtmlElement): number | undefined =>
  Number(/^h([1-6])$/.exec(name)?.[1]) || undefined;

export const isHeading = (element: HtmlElement): boolean => headingLevelOf(element) !== undefined;

export const isAsking = (text: string): boolean => /[?？]$/.test(text);

/** https://www.w3.org/TR/html-aria/ */
const nameOfRole: Readonly<Record<string, string>> = {
  table: 'table',
  grid: 'table',
  rowgroup: 'tbody',
  row: 'tr',
  cell: 'td',
  gridcell: 'td',
  columnheader: 'th',
  rowheader: 'th',
  list: 'ul',
  listitem: 'li',
  term: 'dt',
  definition: 'dd',
  paragraph: 'p',
  code: 'code',
  button: 'button',
};
/** A longer button is a clickable card. */
const maxButtonChars = 60;

/** Renames elements that have only an ARIA role, so that later steps check names only. */
export function applyRoles(root: HtmlNode): void {
  for (const element of elementsBelow(root)) {
    const role = /^(?:div|span)$/.test(element.name) ? roleOf(element) : '';
    const level = Math.trunc(Number(attributeOf(element, 'aria-level') ?? 2)) || 6;
    if (role === 'heading') element.name = `h${Math.min(Math.max(level, 1), 6)}`;
    else if (role !== 'button' || textOf(element, maxButtonChars + 1).length <= maxButtonChars)
      element.name = nameOfRole[role] ?? element.name;
  }
}

// HTML → tree, as browsers build it. Excessive nesting and tag counts would take minutes or
// gigabytes. They are refused before and during parsing, because misplaced tags multiply elements
// (https://html.spec.whatwg.org/#reconstruct-the-active-formatting-elements).

const maxDepth = 256;
const maxTags = 100_000;
/** The time of the parser grows with the square of this number. */
const maxAttributesOfTag = 500;
/** The parser adds omitted elements: `tbody`, reopened formatting. */
const maxElements = 2 * maxTags;
/** Moving a node takes time proportional to its siblings. */
const maxMoves = 20_000;

const tooManyTags = () =>
  refused(`The page has more than ${maxTags} tags or nests them deeper than ${maxDepth} levels.`);

/** @throws KnowledgeError `unsupported_media_type` */
function checkTags(html: string) {
  let depth = 0;
  let tags = 0;
  let attributes = 0;
  new Parser({
    onopentagname() {
      depth++;
      tags++;
      attributes = 0;
      if (depth > maxDepth || tags > maxTags) throw tooManyTags();
    },
    onattribute() {
      if (++attributes > maxAttributesOfTag)
        throw refused(`The page has a tag with more than ${maxAttributesOfTag} attributes.`);
    },
    onclosetag() {
      depth--;
    },
  }).end(html);
}

/**
 * Checks the depth of the parsed tree: nodes moved while parsing may be deeper than any open tag.
 */
function checkDepth(root: HtmlNode) {
  let level: readonly HtmlNode[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > 2 * maxDepth) throw tooManyTags();
    level = level.flatMap(childrenOf);
  }
}

/** Elements of an XML file, in document order. */
export const elementsOfXml = (xml: string): HtmlElement[] =>
  elementsBelow(pageRoot(load(xml, { xml: true }))).toArray();

export type Page = CheerioAPI;
export const pageRoot = (page: Page) => page.root().get(0) as HtmlNode;

/** Reads HTML as browsers do. */
export const htmlPageOf = (
  html: string,
  treeAdapter: TreeAdapter<Htmlparser2TreeAdapterMap> = adapter,
): Page => load(parse(html, { treeAdapter }));

export const copyOf = (page: Page): Page => {
  const document = page.root().get(0) as Htmlparser2TreeAdapterMap['document'];
  return htmlPageOf(serialize(document, { treeAdapter: adapter }));
};

/** @throws KnowledgeError `unsupported_media_type` for excessive nesting or tag counts */
export function openPage(html: string): Page {
  checkTags(html);
  let elements = 0;
  let depth = 0;
  let moves = 0;
  const counted =
    <Args extends readonly unknown[]>(move: (...args: Args) => void) =>
    (...args: Args) => {
      if (++moves > maxMoves) throw refused(`The page has more than ${maxMoves} misplaced tags.`);
      move(...args);
    };
  const page = htmlPageOf(html, {
    ...adapter,
    insertBefore: counted(adapter.insertBefore),
    insertTextBefore: counted(adapter.insertTextBefore),
    detachNode: counted(adapter.detachNode),
    createElement(name, namespace, attributes) {
      if (++elements > maxElements) throw tooManyTags();
      return adapter.createElement(name, namespace, attributes);
    },
    onItemPush() {
      if (++depth > 2 * maxDepth) throw tooManyTags();
    },
    onItemPop() {
      depth--;
    },
  });
  checkDepth(pageRoot(page));
  return page;
}
