/** Words for the tree of a page: its nodes, their text and the names that an author gave them. Knows nothing of what is content. */

import { load } from 'cheerio';
import { Parser } from 'htmlparser2';
import { adapter, type Htmlparser2TreeAdapterMap } from 'parse5-htmlparser2-tree-adapter';
import { KnowledgeError } from '../../errors.ts';
import { blockElements } from '../markdown/markup-elements.ts';

export type HtmlNode = Htmlparser2TreeAdapterMap['node'];
export type HtmlParent = Htmlparser2TreeAdapterMap['parentNode'];
export type HtmlElement = Htmlparser2TreeAdapterMap['element'];
export type HtmlText = Htmlparser2TreeAdapterMap['textNode'];

export const isElement = (node: HtmlNode | null | undefined): node is HtmlElement =>
  node?.type === 'tag' || node?.type === 'script' || node?.type === 'style';
export const isText = (node: HtmlNode | null | undefined): node is HtmlText => node?.type === 'text';

export const childrenOf = (node: HtmlNode): readonly HtmlNode[] => ('children' in node ? node.children : []);
export const elementsOf = (node: HtmlNode): HtmlElement[] => childrenOf(node).filter(isElement);
export const parentOf = (node: HtmlNode): HtmlElement | undefined => (isElement(node.parent) ? node.parent : undefined);
/** The attribute's value without white space around it; undefined where it is missing or empty. */
export const attributeOf = (element: HtmlElement, name: string): string | undefined => element.attribs[name]?.trim() || undefined;

/** The node after `node` in the order of the page, below `root`; without what is below `node` where `isLeft`. Costs no memory for wide trees. */
function nodeAfter(node: HtmlNode, root: HtmlNode, isLeft: boolean): HtmlNode | undefined {
  const first = isLeft ? undefined : childrenOf(node)[0];
  if (first !== undefined) return first;
  for (let at: HtmlNode | null = node; at !== null && at !== root; at = at.parent) if (at.next !== null) return at.next;
  return undefined;
}

/** Elements below `root` in the order of the page. The tree may change below an element until it was visited. */
export function* elementsBelow(root: HtmlNode): Generator<HtmlElement> {
  for (let node = nodeAfter(root, root, false); node !== undefined; node = nodeAfter(node, root, !isElement(node)))
    if (isElement(node)) yield node;
}

/** All elements below `root` that pass a test: what selectors do, in one pass over the tree whatever its shape. */
export const findAll = (root: HtmlNode, test: (element: HtmlElement) => boolean): HtmlElement[] =>
  elementsBelow(root).filter(test).toArray();
export const findFirst = (root: HtmlNode, test: (element: HtmlElement) => boolean): HtmlElement | undefined =>
  elementsBelow(root).find(test);

export function* ancestorsOf(node: HtmlNode): Generator<HtmlElement> {
  for (let parent = parentOf(node); parent !== undefined; parent = parentOf(parent)) yield parent;
}

export const isInside = (node: HtmlNode, outer: HtmlNode): boolean => {
  for (let at: HtmlNode | null = node; at !== null; at = at.parent) if (at === outer) return true;
  return false;
};

/** What these hold is no text of the page. */
const textless = new Set(['script', 'style', 'template', 'svg']);

/** All text below a node as it stands in the page, cut off after `maxChars`. */
export function rawTextOf(node: HtmlNode, maxChars = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  let length = 0;
  let isLeft = false;
  for (let at: HtmlNode | undefined = node; at !== undefined && length < maxChars; at = nodeAfter(at, node, isLeft)) {
    isLeft = isElement(at) && textless.has(at.name);
    if (!isText(at)) continue;
    parts.push(at.data);
    length += at.data.length;
  }
  return parts.join('');
}

/** Text with white space collapsed, cut off after about `maxChars`. */
export const textOf = (node: HtmlNode, maxChars?: number): string => rawTextOf(node, maxChars).replace(/\s+/g, ' ').trim();

/** Links children to their parent and to each other, as they now stand. */
export function setChildren(parent: HtmlParent, children: readonly HtmlNode[]): void {
  parent.children = children as typeof parent.children;
  for (const [index, child] of parent.children.entries()) {
    child.parent = parent;
    child.prev = parent.children[index - 1] ?? null;
    child.next = parent.children[index + 1] ?? null;
  }
}

/** Takes nodes out of the tree below `root`, all at once, because each one by itself would cost as much as its parent has children. */
export function sweep(root: HtmlNode, isGone: (node: HtmlNode) => boolean): void {
  const waiting: HtmlNode[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (!('children' in node)) continue;
    const kept = node.children.filter((child) => !isGone(child));
    if (kept.length < node.children.length) setChildren(node, kept);
    for (const child of kept) waiting.push(child);
  }
}

/**
 * Names that the author gave an element, in one spelling: `tocCollapsible_x1` and `toc__collapsible` begin with `toc-collapsible`.
 * Conditional utility classes (`lg:hidden`, `[&_nav]:p-0`) name nothing.
 */
export const spelled = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .toLowerCase();

const maxClassNames = 60;

export const classNamesOf = (element: HtmlElement): readonly string[] =>
  (element.attribs['class'] ?? '')
    .split(/\s+/, maxClassNames)
    .filter((name) => name !== '' && name.length < 100 && !/[:[\]]/.test(name))
    .map(spelled);

const otherBlocks = /^(?:body|html|dialog|dir|listing|plaintext|xmp|x-answer|x-label|x-question)$/;
export const isBlock = ({ name }: HtmlElement): boolean => blockElements.has(name) || otherBlocks.test(name);
export const headingLevelOf = (element: HtmlElement): number | undefined => {
  const level = /^h([1-6])$/.exec(element.name)?.[1];
  return level === undefined ? undefined : Number(level);
};

export const isAsking = (text: string): boolean => /[?？]$/.test(text);

/** https://www.w3.org/TR/html-aria/ */
const nameOfRole: Readonly<Record<string, string>> = {
  ...{ table: 'table', grid: 'table', rowgroup: 'tbody', row: 'tr', cell: 'td', gridcell: 'td', columnheader: 'th', rowheader: 'th' },
  ...{ list: 'ul', listitem: 'li', term: 'dt', definition: 'dd', paragraph: 'p', code: 'code', button: 'button' },
};
/** What says more is a card that can be pressed. */
const maxButtonChars = 60;

/** Gives elements that are something by their role alone the name that HTML has for it, so that all else knows one way. */
export function nameByRole(root: HtmlNode): void {
  for (const element of elementsBelow(root)) {
    const role = element.name === 'div' || element.name === 'span' ? (attributeOf(element, 'role') ?? '') : '';
    const level = Math.trunc(Number(attributeOf(element, 'aria-level') ?? 2)) || 6;
    if (role === 'heading') element.name = `h${Math.min(Math.max(level, 1), 6)}`;
    else if (role !== 'button' || textOf(element, maxButtonChars + 1).length <= maxButtonChars)
      element.name = nameOfRole[role] ?? element.name;
  }
}

/*
 * HTML → its tree, as browsers build it. Refuses pages that are nested or tagged beyond what a page for people is, because trees and
 * everything done to them would take minutes or gigabytes: first in one linear pass over the text, then while the tree is built, where
 * misplaced tags multiply (unclosed formatting is opened again in every paragraph: https://html.spec.whatwg.org/#reconstruct-the-active-formatting-elements).
 */

const maxDepth = 256;
const maxTags = 100_000;
/** More are read in quadratic time by the tree's builder. */
const maxAttributesOfTag = 500;
/** A builder adds what authors leave out: `tbody`, and formatting opened again. */
const maxElements = 2 * maxTags;
/** Each node that is moved costs as much as its parent has children. */
const maxMoves = 20_000;

const refusal = (what: string) => new KnowledgeError('unsupported_media_type', `The page ${what}.`);
const tooLarge = () => refusal(`has more than ${maxTags} tags or nests them deeper than ${maxDepth}`);

/** @throws KnowledgeError `unsupported_media_type` */
function checkTags(html: string): void {
  let depth = 0;
  let tags = 0;
  let attributes = 0;
  const parser = new Parser({
    onopentagname() {
      depth++;
      tags++;
      attributes = 0;
      if (depth > maxDepth || tags > maxTags) throw tooLarge();
    },
    onattribute() {
      if (++attributes > maxAttributesOfTag) throw refusal(`has a tag with more than ${maxAttributesOfTag} attributes`);
    },
    onclosetag() {
      depth--;
    },
  });
  parser.write(html);
  parser.end();
}

/** Nodes that were moved while the tree was built may lie deeper than any open tag did. */
function checkDepth(root: HtmlNode): void {
  let level: readonly HtmlNode[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > 2 * maxDepth) throw tooLarge();
    level = level.flatMap(childrenOf);
  }
}

export type Page = ReturnType<typeof load>;

/** @throws KnowledgeError `unsupported_media_type` for a page that is nested or tagged beyond reason */
export function openPage(html: string): Page {
  checkTags(html);
  let elements = 0;
  let depth = 0;
  let moves = 0;
  const counted =
    <Args extends readonly unknown[]>(move: (...args: Args) => void) =>
    (...args: Args) => {
      if (++moves > maxMoves) throw refusal('is too broken to be read: its tags do not end where they should');
      move(...args);
    };
  const page = load(html, {
    treeAdapter: {
      ...adapter,
      insertBefore: counted(adapter.insertBefore),
      insertTextBefore: counted(adapter.insertTextBefore),
      detachNode: counted(adapter.detachNode),
      createElement(name, namespace, attributes) {
        if (++elements > maxElements) throw tooLarge();
        return adapter.createElement(name, namespace, attributes);
      },
      onItemPush() {
        if (++depth > 2 * maxDepth) throw tooLarge();
      },
      onItemPop() {
        depth--;
      },
    },
  });
  checkDepth(page.root().get(0) as HtmlNode);
  return page;
}
