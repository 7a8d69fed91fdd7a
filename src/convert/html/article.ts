/**
 * Pages that say of themselves that they are an article of a magazine, a newspaper or a blog. What surrounds such an article is named as
 * each site likes, and Readability knows more of that than rules about elements do. It only judges: it sees what readers see, with closed
 * answers opened, and what it keeps is taken from our own tree.
 */
import { Readability } from '@mozilla/readability';
import JSDOMParser, { type ReadabilityDocument, type ReadabilityNode } from '@mozilla/readability/JSDOMParser.js';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import {
  attributeOf,
  childrenOf,
  findAll,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isElement,
  isText,
  parentOf,
  setChildren,
  sweep,
  textOf,
} from './dom.ts';
import { jsonNodesOf, type MetaOf, type Titles } from './metadata.ts';

const articleTypes =
  /^(?:https?:\/\/schema\.org\/)?(?:(?:News)?Article|BlogPosting|(?:Reportage|Opinion|Review|Analysis|Background)NewsArticle)$/;

/**
 * https://ogp.me/#type_article, https://schema.org/Article in JSON-LD or microdata. Some generators call each page of a documentation an
 * article: code says that it is one.
 */
export function isArticlePage(root: HtmlNode, metaOf: MetaOf): boolean {
  const isArticleType = (type: unknown) => typeof type === 'string' && articleTypes.test(type);
  const isDeclared =
    metaOf('og:type')?.toLowerCase() === 'article' ||
    findFirst(root, (element) => isArticleType(attributeOf(element, 'itemtype'))) !== undefined ||
    jsonNodesOf(root).some((node) => '@type' in node && [node['@type']].flat().some(isArticleType));
  return isDeclared && findFirst(root, (element) => element.name === 'pre') === undefined;
}

/** Numbers an element of ours on its twin; no page has the attribute. */
const numberAttribute = 'x-number';
/** Readability would judge them again. */
const hidingAttributes = new Set(['hidden', 'style', 'aria-hidden']);
const plainName = /^[a-z][\w-]*$/;

/** What is said below a picture says little without it: without captions F1 of `npm run bench:articles` is .005 higher. */
const isCaption = (element: HtmlElement) =>
  element.name === 'figcaption' && findFirst(parentOf(element) ?? element, (beside) => beside.name === 'table') === undefined;

/** An aside that is left stands in the text; Readability would take out any. */
const twinName = ({ name }: HtmlElement) => (name === 'aside' ? 'div' : plainName.test(name) ? name : 'span');

function twinOf(node: HtmlNode, twins: ReadabilityDocument, originals: HtmlElement[]): ReadabilityNode | undefined {
  if (isText(node)) return twins.createTextNode(node.data);
  if (!isElement(node) || isCaption(node)) return undefined;
  const twin = twins.createElement(twinName(node));
  for (const [name, value] of Object.entries(node.attribs))
    if (plainName.test(name) && !hidingAttributes.has(name)) twin.setAttribute(name, value);
  twin.setAttribute(numberAttribute, String(originals.push(node) - 1));
  for (const child of childrenOf(node)) {
    const inner = twinOf(child, twins, originals);
    if (inner !== undefined) twin.appendChild(inner);
  }
  return twin;
}

const textNode = 3;

/** Appends what is left of a twin, as copies of ours; boxes that Readability added are left out. */
function appendOriginals(parent: HtmlElement, twin: ReadabilityNode, originals: readonly HtmlElement[]): void {
  for (const child of twin.childNodes) {
    if (child.nodeType === textNode) {
      adapter.insertText(parent, child.textContent);
      continue;
    }
    const original = originals[Number(child.getAttribute(numberAttribute))];
    const copy = original && copyOf(original);
    if (copy !== undefined) adapter.appendChild(parent, copy);
    appendOriginals(copy ?? parent, child, originals);
  }
}

/** Without what is in it. */
function copyOf(element: HtmlElement): HtmlElement {
  const copy = adapter.createElement(element.name, adapter.getNamespaceURI(element), []);
  copy.attribs = { ...element.attribs };
  return copy;
}

/** The page's own heading, which Readability takes out. */
function titleHeading(root: HtmlNode, { head, shared }: Titles): HtmlElement | undefined {
  const headings = findAll(root, (element) => element.name === 'h1' && textOf(element, 300) !== '');
  const named = headings.find((heading) => [head, shared].some((title) => title.includes(textOf(heading, 300))));
  return named ?? (headings.length === 1 ? headings[0] : undefined);
}

/** Readability compares each element with those around it: more would take seconds. */
const maxElements = 20_000;

/** The article of a page that was cleaned of what is hidden; undefined where Readability finds none. */
export function articleOf(root: HtmlNode, titles: Titles): HtmlElement | undefined {
  const body = findFirst(root, (element) => element.name === 'body');
  if (body === undefined) return undefined;
  const twins = new JSDOMParser().parse('<html><head></head><body></body></html>');
  const originals: HtmlElement[] = [];
  twins.title = titles.head;
  for (const child of childrenOf(body)) {
    const twin = twinOf(child, twins, originals);
    if (twin !== undefined) twins.body.appendChild(twin);
  }
  if (originals.length > maxElements) return undefined;
  const found = new Readability<ReadabilityNode>(twins, { disableJSONLD: true, serializer: (node) => node }).parse()?.content;
  if (!found) return undefined;
  const article = copyOf(body);
  const heading = titleHeading(root, titles);
  appendOriginals(article, found, originals);
  if (heading !== undefined) {
    const title = textOf(heading);
    sweep(article, (node) => isElement(node) && headingLevelOf(node) !== undefined && textOf(node) === title);
    setChildren(article, [heading, ...article.children]);
  }
  return article;
}
