/**
 * Where a page's content stands: the container that its generator marks, else `main`, else as far down as nothing but lines without
 * sentences is left beside. The page's first heading and what introduces it belong to it, also where they stand above that container.
 */
import {
  ancestorsOf,
  attributeOf,
  childrenOf,
  classNamesOf,
  elementsBelow,
  elementsOf,
  findAll,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isElement,
  isInside,
  parentOf,
  sweep,
  textOf,
} from './dom.ts';
import { createMeasure, isMostlyLinks, type MeasureOf, proseOf } from './measure.ts';
import type { Titles } from './title.ts';

const isMain = (element: HtmlElement) => element.name === 'main' || attributeOf(element, 'role') === 'main';
const isCalled = (names: string) => {
  const known = new Set(names.split(/\s+/));
  return (element: HtmlElement) => (element.attribs['class'] ?? '').split(/\s+/, 60).some((name) => known.has(name));
};

/** How generators of documentation, help centres and sites call what holds the text alone; then what HTML calls so. */
const marked: readonly ((element: HtmlElement) => boolean)[] = [
  isCalled('theme-doc-markdown mdx-content vp-doc md-content__inner sl-markdown-content nextra-content rspress-doc theme-default-content'),
  isCalled('article-body article__body article_body kb-article-content hc-article-body intercom-interblocks-article'),
  isCalled('markdown-body rm-Markdown entry-content post-content article-content wiki-content notion-page-content mw-parser-output'),
  isCalled('rte shopify-policy__body prose'),
  (element) => attributeOf(element, 'itemprop') === 'articleBody',
  (element) => element.name === 'article' && [...ancestorsOf(element)].some(isMain),
  isMain,
  (element) => element.name === 'article',
];

/** Of the prose that the best container holds; one that holds less is a teaser or a part. */
const leastShare = 0.6;
const sentenceChars = 80;
const half = 0.5;
/** A page of less prose may be a list of links. */
const leastProseChars = 300;
const leastLinks = 3;

const outermost = (elements: readonly HtmlElement[]) => {
  const all = new Set(elements);
  return elements.filter((element) => ![...ancestorsOf(element)].some((outer) => all.has(outer)));
};

const commonParent = (elements: readonly HtmlElement[]): HtmlElement | undefined => {
  const [first, ...others] = elements;
  if (first === undefined) return undefined;
  return [first, ...ancestorsOf(first)].find((outer) => others.every((element) => isInside(element, outer)));
};

/** The one element of several that is nearly all of them, or the one around all. */
function ofMatches(found: readonly HtmlElement[], measureOf: MeasureOf): HtmlElement | undefined {
  const parts = outermost(found).filter((element) => measureOf(element).text > 0);
  const whole = parts.reduce((sum, element) => sum + measureOf(element).text, 0);
  return (
    parts.find((element) => measureOf(element).text >= 0.9 * whole) ??
    commonParent(parts.filter((element) => !isMostlyLinks(measureOf(element))))
  );
}

/** Whether an element is no part of the content: no sentence, or links with little beside them. */
const isBeside = (element: HtmlElement, measureOf: MeasureOf): boolean => {
  const measure = measureOf(element);
  if (measure.hasHeadingOne || headingLevelOf(element) !== undefined) return false;
  if (measure.text > half * measureOf(parentOf(element) ?? element).text) return false;
  if (measure.text === 0 || (isMostlyLinks(measure, half) && proseOf(measure) < 4 * sentenceChars)) return true;
  const isLine = findFirst(element, (inner) => textNames.test(inner.name)) === undefined || /©|copyright/i.test(textOf(element, 200));
  return isLine && proseOf(measure) < sentenceChars;
};

/** What authors write text into. */
const textNames = /^(?:p|li|dd|pre|blockquote)$/;
const flowNames = /^(?:body|div|section|center|table|tbody|tr|td|form|font|span|article|main)$/;

/** Down to where the prose branches. */
function descend(from: HtmlElement, measureOf: MeasureOf): HtmlElement {
  let at = from;
  for (;;) {
    const inner = elementsOf(at).filter((child) => !isBeside(child, measureOf));
    const [only] = inner;
    const hasOwnText = childrenOf(at).some((child) => !isElement(child) && textOf(child) !== '');
    if (inner.length !== 1 || only === undefined || hasOwnText || !flowNames.test(only.name)) return at;
    at = only;
  }
}

/** Of a page that marks no content: lines at its edges that are no sentences. */
function trim(container: HtmlElement, measureOf: MeasureOf): HtmlElement {
  const gone = new Set<HtmlNode>();
  const isEdge = (element: HtmlElement) =>
    isBeside(element, measureOf) && findFirst(element, (inner) => inner.name === 'table') === undefined;
  const hasHeading = (element: HtmlElement) => findFirst(element, (inner) => headingLevelOf(inner) !== undefined) !== undefined;
  const says = (element: HtmlElement) => isMostlyLinks(measureOf(element), half) || /©|copyright/i.test(textOf(element, 200));
  const children = elementsOf(container);
  // A line before anything else may be the title, unless that comes as a heading.
  for (const child of children) {
    if (!isEdge(child) || hasHeading(child) || !(measureOf(container).hasHeadingOne || says(child))) break;
    gone.add(child);
  }
  for (const child of children.toReversed()) {
    if (!isEdge(child) || !says(child)) break;
    gone.add(child);
  }
  if (children.some((child) => !gone.has(child))) sweep(container, (node) => gone.has(node));
  return container;
}

/** Boxes of links beside the box with the prose; among paragraphs and headings they are part of the text. */
function dropColumns(container: HtmlElement, measureOf: MeasureOf): HtmlElement {
  const prose = proseOf(measureOf(container));
  if (prose < leastProseChars) return container;
  const gone = new Set<HtmlNode>();
  for (const element of elementsBelow(container)) {
    const parent = parentOf(element);
    const measure = measureOf(element);
    if (!/^(?:td|div|ul)$/.test(element.name) || parent === undefined || measure.links < leastLinks || measure.hasHeadingOne) continue;
    if (!isMostlyLinks(measure, half) || proseOf(measure) > 4 * sentenceChars) continue;
    const beside = elementsOf(parent).filter((other) => other !== element);
    const isAmongText = beside.some((other) => textNames.test(other.name) || headingLevelOf(other) !== undefined);
    if (!isAmongText && beside.some((other) => proseOf(measureOf(other)) > half * prose)) gone.add(element);
  }
  sweep(container, (node) => gone.has(node));
  return container;
}

function pickContainer(root: HtmlNode, measureOf: MeasureOf): HtmlElement | undefined {
  const body = findFirst(root, (element) => element.name === 'body');
  if (body === undefined) return undefined;
  const framed = ofMatches(findAll(root, isMain), measureOf);
  const fallback = framed ?? descend(body, measureOf);
  const wanted = proseOf(measureOf(fallback)) * leastShare;
  for (const isMarked of marked) {
    const found = ofMatches(findAll(root, isMarked), measureOf);
    if (found !== undefined && measureOf(found).text > 0 && proseOf(measureOf(found)) >= wanted) return dropColumns(found, measureOf);
  }
  return dropColumns(framed ?? trim(fallback, measureOf), measureOf);
}

const bylineNames = /(?:^|-)(?:author|byline|meta|metadata|date|avatar|published|timestamp|reading-time)(?:-|$)/;
const isByline = (element: HtmlElement) =>
  element.name === 'time' ||
  classNamesOf(element).some((name) => bylineNames.test(name)) ||
  attributeOf(element, 'rel') === 'author' ||
  [...elementsBelow(element)].some((inner) => inner.name === 'time');
/** Longer text between the heading and the container is not its introduction. */
const maxIntroductionChars = 600;

/** Leaves of the common parent the heading, the container, and lines between them that introduce it. */
function joinHeading(heading: HtmlElement, container: HtmlElement, measureOf: MeasureOf): HtmlElement | undefined {
  const outer = commonParent([heading, container]);
  if (outer === undefined) return undefined;
  const path = new Set<HtmlNode>([heading, container, ...ancestorsOf(heading), ...ancestorsOf(container)]);
  const gone = new Set<HtmlNode>();
  let place: 'before' | 'between' | 'after' = 'before';
  let room = maxIntroductionChars;
  const look = (node: HtmlNode): void => {
    for (const child of childrenOf(node)) {
      if (child === heading) place = 'between';
      else if (child === container) place = 'after';
      else if (path.has(child)) look(child);
      else {
        const measure = measureOf(child);
        const introduces =
          place === 'between' && isElement(child) && !isByline(child) && !isMostlyLinks(measure, 0.4) && measure.text <= room;
        if (introduces) room -= measure.text;
        else gone.add(child);
      }
    }
  };
  look(outer);
  sweep(outer, (node) => gone.has(node));
  return outer;
}

/** Help centres give titles of articles a lower level than their own name. */
const maxTitleLevel = 3;

/** The page's own heading, where it stands above the container: in the same frame, or the one that the page's title names. */
function headingAbove(root: HtmlNode, container: HtmlElement, titles: Titles): HtmlElement | undefined {
  const isNamed = (heading: HtmlElement) => [titles.head, titles.shared].some((title) => title.startsWith(textOf(heading, 300)));
  const headings = findAll(root, (element) => (headingLevelOf(element) ?? 7) <= maxTitleLevel && textOf(element, 300) !== '');
  if (headings.some((heading) => isInside(heading, container) && (heading.name === 'h1' || isNamed(heading)))) return undefined;
  const order = new Map([...elementsBelow(root)].map((element, index) => [element, index]));
  const before = headings.filter((heading) => (order.get(heading) ?? 0) < (order.get(container) ?? 0));
  const frame = [...ancestorsOf(container)].find((outer) => /^(?:main|article)$/.test(outer.name) || attributeOf(outer, 'role') === 'main');
  return before.findLast((heading) => isNamed(heading) || (heading.name === 'h1' && frame !== undefined && isInside(heading, frame)));
}

/** The element whose children are the content; undefined for a page without any. The tree around it is cut where a heading joins. */
export function contentOf(root: HtmlNode, titles: Titles): HtmlElement | undefined {
  const measureOf = createMeasure(root);
  const container = pickContainer(root, measureOf);
  if (container === undefined) return undefined;
  const heading = headingAbove(root, container, titles);
  return heading === undefined ? container : (joinHeading(heading, container, measureOf) ?? container);
}
