/**
 * Finds the main content of a page. Removes navigation, site headers and footers and side boxes by
 * their HTML or ARIA roles, and tables of contents. Class names are ignored: they did not help on
 * unseen pages (bench/README.md). Then picks the container: marked by the site generator, else
 * `main`, else the deepest element whose siblings have no sentences.
 */
import { Readability } from '@mozilla/readability';
import JSDOMParser from '@mozilla/readability/JSDOMParser.js';
import {
  ancestorsOf,
  attributeOf,
  childrenOf,
  copyOf,
  elementsBelow,
  elementsOf,
  findAll,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  htmlPageOf,
  isElement,
  isHeading,
  isText,
  named,
  type Page,
  pageRoot,
  parentOf,
  removeNodes,
  roleOf,
  setChildren,
  textOf,
} from './dom.ts';
import { jsonNodesOf, type MetaOf, type Titles } from './metadata.ts';

// Magazines, newspapers and blogs mark article text with site-specific class names. Readability
// knows these names better than rules here.

const articleTypes =
  /^(?:https?:\/\/schema\.org\/)?(?:(?:News)?Article|BlogPosting|(?:Reportage|Opinion|Review|Analysis|Background)NewsArticle)$/;

/**
 * Whether a page declares itself an article (https://ogp.me/#type_article,
 * https://schema.org/Article in JSON-LD or microdata). Some documentation generators also declare
 * articles. A page with a code block is therefore not an article.
 */
export function isArticlePage(page: Page, metaOf: MetaOf): boolean {
  const isArticleType = (type: unknown) => typeof type === 'string' && articleTypes.test(type);
  const isDeclared =
    metaOf('og:type')?.toLowerCase() === 'article' ||
    [...page('[itemtype]')].some((element) => isArticleType(attributeOf(element, 'itemtype'))) ||
    jsonNodesOf(page).some((node) => '@type' in node && [node['@type']].flat().some(isArticleType));
  return isDeclared && page('pre').length === 0;
}

/**
 * Captions mean little without their picture; dropping them raises F1 of `npm run bench:articles`
 * by .005.
 */
const isCaption = (element: HtmlElement) =>
  element.name === 'figcaption' && !findFirst(parentOf(element) ?? element, named('table'));

/** Prepares a copy for Readability, which would re-evaluate visibility and remove every `aside`. */
function readableOf(page: Page) {
  const copy = copyOf(page);
  const root = pageRoot(copy);
  for (const element of elementsBelow(root)) {
    for (const name of ['hidden', 'style', 'aria-hidden']) delete element.attribs[name];
    if (element.name === 'aside') element.name = 'div';
  }
  removeNodes(root, new Set(findAll(root, isCaption)));
  return copy.xml();
}

/** The page's main heading, which Readability removes. */
function titleHeading(root: HtmlNode, { head, shared }: Titles) {
  const headings = findAll(root, (element) => element.name === 'h1' && textOf(element, 300) !== '');
  const titled = headings.find((heading) =>
    [head, shared].some((title) => title.includes(textOf(heading, 300))),
  );
  return titled ?? (headings.length === 1 ? headings[0] : undefined);
}

/**
 * Returns the article of a page; undefined if Readability finds none. @param page without hidden
 * elements
 */
export function articleOf(page: Page, titles: Titles): HtmlElement | undefined {
  const root = pageRoot(page);
  // Readability compares neighbouring elements; larger pages would take seconds.
  if (elementsBelow(root).toArray().length > 20_000) return undefined;
  const document = new JSDOMParser().parse(readableOf(page));
  document.title = titles.head;
  const found = new Readability(document, { disableJSONLD: true, keepClasses: true }).parse()
    ?.content;
  const article = found ? findFirst(pageRoot(htmlPageOf(found)), named('body')) : undefined;
  const heading = titleHeading(root, titles);
  if (!article || !heading) return article;
  const title = textOf(heading);
  const isTitle = (element: HtmlElement) => isHeading(element) && textOf(element) === title;
  removeNodes(article, new Set(findAll(article, isTitle)));
  setChildren(article, [heading, ...article.children]);
  return article;
}

/** Amounts of text and link text, which distinguish prose from link lists. */
type Measure = Readonly<typeof emptyMeasure>;
type MeasureOf = ReturnType<typeof createMeasure>;

/** Text in characters without white space. */
const emptyMeasure = { text: 0, linkText: 0, links: 0, hasHeadingOne: false };

/** Measures the tree as it is now. Nodes removed later still count. */
function createMeasure(root: HtmlNode) {
  const measures = new Map<HtmlNode, Measure>();
  const visit = (node: HtmlNode): Measure => {
    let { text, linkText, links, hasHeadingOne } = emptyMeasure;
    if (isText(node)) text = node.data.replace(/\s+/g, '').length;
    for (const child of childrenOf(node)) {
      const inner = visit(child);
      text += inner.text;
      linkText += inner.linkText;
      links += inner.links;
      hasHeadingOne ||= inner.hasHeadingOne;
    }
    if (isElement(node)) {
      if (node.name === 'a' && 'href' in node.attribs) {
        links++;
        linkText = text;
      }
      hasHeadingOne ||= node.name === 'h1';
    }
    const measure = { text, linkText, links, hasHeadingOne };
    if (!isText(node)) measures.set(node, measure);
    return measure;
  };
  visit(root);
  return (node: HtmlNode) => measures.get(node) ?? emptyMeasure;
}

const proseOf = (measure: Measure) => measure.text - measure.linkText;
const isMostlyLinks = ({ text, linkText, links }: Measure) => links > 0 && linkText >= half * text;

const isMain = (element: HtmlElement) => element.name === 'main' || roleOf(element) === 'main';
const isInText = (element: HtmlElement) =>
  ancestorsOf(element).some((outer) => isMain(outer) || outer.name === 'article');

const frameRoles =
  /^(?:navigation|banner|contentinfo|search|(?:alert)?dialog|menu(?:bar)?|toolbar|tooltip|listbox|doc-toc|doc-pagelist|status|progressbar)$/;
/**
 * An element with a larger share of the page's prose is content, whatever its role. Pages with
 * little prose are not checked.
 */
const half = 0.5;

/** Whether an `aside` belongs to the site instead of the text. */
function isAsideOfSite(element: HtmlElement, measure: Measure) {
  if (/^(?:note|alert|doc-tip|doc-notice)$/.test(roleOf(element))) return false;
  const isAmongText = elementsOf(parentOf(element) ?? element).some(
    (sibling) => sibling.name === 'p' || isHeading(sibling),
  );
  return isMostlyLinks(measure) || !(isInText(element) || isAmongText);
}

function isLandmark(element: HtmlElement, measure: Measure) {
  const role = roleOf(element);
  if (frameRoles.test(role)) return true;
  if (element.name === 'aside' || role === 'complementary') return isAsideOfSite(element, measure);
  if (element.name === 'footer')
    return !/^(?:blockquote|figure)$/.test(parentOf(element)?.name ?? '');
  if (element.name === 'header') return !isInText(element);
  return /^(?:nav|search|menu)$/.test(element.name);
}

/** Whether an element is a table of contents: links within the page and little other text. */
const isOwnContents = (element: HtmlElement, { text, linkText, links, hasHeadingOne }: Measure) =>
  links > 1 &&
  !hasHeadingOne &&
  // `On this page` in any language.
  text - linkText <= Math.max(30, 0.2 * text) &&
  element.name !== 'p' &&
  !findFirst(
    element,
    ({ name, attribs }) => name === 'a' && !/^#./.test(attribs['href'] ?? '#own'),
  );

export function dropLandmarks(root: HtmlNode): void {
  const measureOf = createMeasure(root);
  const whole = measureOf(root);
  const removed = new Set<HtmlNode>();
  const isDropped = (element: HtmlElement) => {
    if (/^(?:html|body|main|h[1-6])$/.test(element.name)) return false;
    const measure = measureOf(element);
    const isContent =
      (proseOf(whole) > 200 && proseOf(measure) > half * proseOf(whole)) ||
      (measure.hasHeadingOne && element.name !== 'nav');
    return (
      !isContent &&
      (isLandmark(element, measure) ||
        (/^(?:div|section|ul|ol|dl|p|table|center|font)$/.test(element.name) &&
          isOwnContents(element, measure)))
    );
  };
  const visit = (parent: HtmlNode) => {
    for (const element of elementsOf(parent)) {
      if (element.name === 'pre' || element.name === 'code') continue;
      if (isDropped(element)) removed.add(element);
      else visit(element);
    }
  };
  visit(root);
  removeNodes(root, removed);
}

/** Elements that mark main content, most specific first. */
const contentMarkers = [
  (element: HtmlElement) => attributeOf(element, 'itemprop') === 'articleBody',
  (element: HtmlElement) => element.name === 'article' && ancestorsOf(element).some(isMain),
  isMain,
  named('article'),
];

const sentenceChars = 80;

/** Returns the match with nearly all text of the matches. */
function bestMatch(found: readonly HtmlElement[], measureOf: MeasureOf) {
  const all = new Set(found);
  const parts = found.filter((element) => !ancestorsOf(element).some((outer) => all.has(outer)));
  const whole = parts.reduce((sum, element) => sum + measureOf(element).text, 0);
  return parts.find((element) => measureOf(element).text >= 0.9 * whole);
}

/** Whether an element is not content: it has no sentences, or mostly links. */
const isNotContent = (element: HtmlElement, measureOf: MeasureOf) => {
  const measure = measureOf(element);
  if (measure.hasHeadingOne || isHeading(element)) return false;
  if (measure.text > half * measureOf(parentOf(element) ?? element).text) return false;
  if (measure.text === 0 || (isMostlyLinks(measure) && proseOf(measure) < 4 * sentenceChars))
    return true;
  const isLine =
    !findFirst(element, (inner) => textNames.test(inner.name)) ||
    /©|copyright/i.test(textOf(element, 200));
  return isLine && proseOf(measure) < sentenceChars;
};

/** Elements for running text. */
const textNames = /^(?:p|li|dd|pre|blockquote)$/;
const flowNames = /^(?:body|div|section|center|table|tbody|tr|td|form|font|span|article|main)$/;

/** Descends while only one child has content. */
function narrowToProse(from: HtmlElement, measureOf: MeasureOf) {
  let at = from;
  for (;;) {
    const inner = elementsOf(at).filter((child) => !isNotContent(child, measureOf));
    const [only] = inner;
    const hasOwnText = childrenOf(at).some((child) => !isElement(child) && textOf(child) !== '');
    if (inner.length !== 1 || !only || hasOwnText || !flowNames.test(only.name)) return at;
    at = only;
  }
}

/** Removes link boxes next to the main text. Link lists among paragraphs and headings stay. */
function dropColumns(container: HtmlElement, measureOf: MeasureOf) {
  const prose = proseOf(measureOf(container));
  // Pages with less prose may be link lists.
  if (prose < 300) return container;
  const removed = new Set<HtmlNode>();
  for (const element of elementsBelow(container)) {
    const parent = parentOf(element);
    const measure = measureOf(element);
    if (
      !/^(?:td|div|ul)$/.test(element.name) ||
      !parent ||
      measure.links < 3 ||
      measure.hasHeadingOne ||
      !isMostlyLinks(measure) ||
      proseOf(measure) > 4 * sentenceChars
    )
      continue;
    const siblings = elementsOf(parent).filter((other) => other !== element);
    const isAmongText = siblings.some((other) => textNames.test(other.name) || isHeading(other));
    if (!isAmongText && siblings.some((other) => proseOf(measureOf(other)) > half * prose))
      removed.add(element);
  }
  removeNodes(container, removed);
  return container;
}

/** Returns the element whose children are the content; undefined for an empty page. */
export function mainContentOf(root: HtmlNode): HtmlElement | undefined {
  const measureOf = createMeasure(root);
  const body = findFirst(root, named('body'));
  if (!body) return undefined;
  const framed = bestMatch(findAll(root, isMain), measureOf);
  const fallback = framed ?? narrowToProse(body, measureOf);
  // A marked element with less prose is a teaser or a part.
  const wanted = proseOf(measureOf(fallback)) * 0.6;
  const marked = contentMarkers
    .values()
    .map((isMarked) => bestMatch(findAll(root, isMarked), measureOf))
    .find((found) => found && measureOf(found).text > 0 && proseOf(measureOf(found)) >= wanted);
  return dropColumns(marked ?? fallback, measureOf);
}
