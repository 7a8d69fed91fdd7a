/**
 * What stands around a page's text and says what it is, whatever the site calls it: requests to accept cookies, questions whether the page
 * helped, links to edit, share or turn the page, lists of its own headings, fields to type into. The smallest box goes that says so: a
 * sentence about cookies is content.
 */
import {
  ancestorsOf,
  attributeOf,
  childrenOf,
  elementsBelow,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isBlock,
  isElement,
  isText,
  parentOf,
  sweep,
  textOf,
} from './dom.ts';
import { createMeasure, isMostlyLinks, type MeasureOf, proseOf } from './measure.ts';
import {
  consentAnswer,
  consentWord,
  contentsLabel,
  helpfulQuestion,
  otherVersion,
  relatedLabel,
  shareLabel,
  toolAddress,
  toolText,
  toolWord,
  turnLabel,
} from './phrases.ts';

const boxNames = /^(?:div|section|aside|p|font|center|span|form|footer|header|ul|ol|li|table|td|article|fieldset|center|dl|dialog)$/;
/** What a box may stand in; it is never all of these. */
const pageNames = /^(?:html|body|main|article|details|table|tbody|tr|td|dd)$/;

/** Most characters of a box with buttons and all, and of a label. */
const maxBoxChars = 400;
const maxConsentChars = 1_500;
const maxLabelChars = 60;
/** How much longer the box around a part may be, to be no more than that part: buttons, a line of thanks. */
const buttonsChars = 60;
/** The same for a field: what it is for. */
const invitationChars = 250;
/** Beside a label, more than strokes and other labels. */
const minSentenceChars = 12;
const turnChars = 120;
const maxTrailChars = 200;
const maxTurns = 3;
/** Each is compared with all that follows it. */
const maxTurnLinks = 50;
/** No box is more of its page. */
const greatestShare = 0.3;

const isButton = (element: HtmlElement) =>
  element.name === 'button' ||
  attributeOf(element, 'role') === 'button' ||
  (element.name === 'input' && /^(?:button|submit)$/.test(element.attribs['type'] ?? ''));
/** Fields that text is typed into; boxes to tick may belong to a list of tasks. */
const isField = (element: HtmlElement) =>
  element.name === 'textarea' ||
  (element.name === 'input' && /^(?:text|email|search|tel|password|url|number|date|)$/.test(element.attribs['type'] ?? ''));
const labelOf = (element: HtmlElement) => textOf(element, 100) || (element.attribs['value'] ?? '');

/** In a sentence, a label is a word of it. */
const isInSentence = (element: HtmlElement): boolean => {
  const line = [...ancestorsOf(element)].find(isBlock);
  const beside =
    line === undefined ? [] : childrenOf(line).filter((child) => !(isElement(child) && (child.name === 'a' || isBlock(child))));
  return beside.some((child) => textOf(child, maxLabelChars).length > minSentenceChars);
};

const textNames = /^(?:pre|code|kbd|samp|p|li|td|th|dt|dd|blockquote|figcaption|caption|summary|h[1-6])$/;
/** Whether an element stands in a text: `print` is a word of code, `Edit` a cell of a table, `Share` what a sentence says to press. */
const isWithinText = (element: HtmlElement): boolean => [...ancestorsOf(element)].some((outer) => textNames.test(outer.name));
/** Code is never furniture, nor is what stands in a cell or a heading. */
const isInCodeOrCell = (element: HtmlElement): boolean =>
  [...ancestorsOf(element)].some((outer) => /^(?:pre|code|kbd|samp|td|th|h[1-6])$/.test(outer.name));

const isToolLink = (link: HtmlElement): boolean => {
  const href = link.attribs['href'] ?? '';
  const leadsNowhere = /^(?:#|javascript:|$)/i.test(href);
  const isTool = toolText.test(labelOf(link)) || toolAddress.test(href) || (leadsNowhere && toolWord.test(labelOf(link)));
  return isTool && !isInSentence(link) && !isInCodeOrCell(link);
};

const isToolBox = (box: HtmlElement): boolean =>
  !textNames.test(box.name) &&
  !isWithinText(box) &&
  !isInSentence(box) &&
  ((box.name === 'div' && toolWord.test(textOf(box))) || (!/^(?:span|font)$/.test(box.name) && toolText.test(textOf(box))));

/** Whether the links of a list lead to places of the page itself, all of them. */
function isOwnContents(element: HtmlElement, measureOf: MeasureOf): boolean {
  const { text, linkText, links } = measureOf(element);
  if (links < 2 || linkText < 0.8 * text || /^(?:p|span|font|td|li)$/.test(element.name)) return false;
  return [...elementsBelow(element)].every(
    (link) => link.name !== 'a' || !('href' in link.attribs) || /^#./.test(link.attribs['href'] ?? ''),
  );
}

/** Links with nothing but strokes between them. */
function isLinkBar(element: HtmlElement, measureOf: MeasureOf): boolean {
  const { text, linkText, links } = measureOf(element);
  const room = text - linkText;
  if (links < 3 || room < links - 1 || room > links + 4) return false;
  return /^[\s[\]|·•/–—:»>‹›]*$/.test(childTextOf(element));
}
/** `Home > Docs > This page`: begins with a link, and nothing but strokes until the last step. */
function isTrail(element: HtmlElement, measureOf: MeasureOf): boolean {
  const { text, links } = measureOf(element);
  if (links < 2 || text > maxTrailChars || !/^\s*[>›»/→⟩]/.test(childTextOf(element))) return false;
  return /^(?:[\s>›»/→⟩])+[^>›»→⟩.]{0,80}$/.test(childTextOf(element));
}
/** Text outside of links. */
const childTextOf = (node: HtmlNode): string =>
  childrenOf(node)
    .map((child) => (isText(child) ? child.data : isElement(child) && child.name !== 'a' ? childTextOf(child) : ''))
    .join('');

const elementBefore = (element: HtmlElement): HtmlElement | undefined => {
  for (let before = element.prev; before !== null; before = before.prev) {
    if (isText(before) && before.data.trim() !== '') return undefined;
    if (isElement(before) && textOf(before, 20) !== '') return before;
  }
  return undefined;
};

/** What follows a heading until the next one that is not below it. */
function sectionBelow(heading: HtmlElement): HtmlNode[] {
  const level = headingLevelOf(heading) ?? 7;
  const section: HtmlNode[] = [];
  for (let after = heading.next; after !== null; after = after.next) {
    if (isElement(after) && (headingLevelOf(after) ?? 7) <= level) break;
    if (!isText(after) || after.data.trim() !== '') section.push(after);
  }
  return section;
}

export function dropFurniture(root: HtmlNode): void {
  const measureOf = createMeasure(root);
  const most = measureOf(root).text * greatestShare;
  const gone = new Set<HtmlNode>();

  /** The box around an element that says hardly more than the element. */
  const boxAround = (element: HtmlElement, moreChars: number): HtmlElement => {
    let box = element;
    const limit = Math.min(measureOf(element).text + moreChars, Math.max(most, maxLabelChars));
    for (const outer of ancestorsOf(element)) {
      if (measureOf(outer).text > limit || measureOf(outer).hasHeadingOne || pageNames.test(outer.name)) break;
      if (boxNames.test(outer.name)) box = outer;
    }
    return box;
  };
  const isInnermost = (element: HtmlElement, pattern: RegExp) =>
    pattern.test(textOf(element)) && findFirst(element, (inner) => boxNames.test(inner.name) && pattern.test(textOf(inner))) === undefined;

  const dropConsent = (button: HtmlElement) => {
    for (const outer of ancestorsOf(button)) {
      if (measureOf(outer).text > maxConsentChars || pageNames.test(outer.name) || measureOf(outer).hasHeadingOne) return;
      if (boxNames.test(outer.name) && consentWord.test(textOf(outer))) {
        gone.add(boxAround(outer, buttonsChars));
        return;
      }
    }
  };
  /** A question with buttons, or alone: in a sentence it is told of. */
  const dropHelpful = (question: HtmlElement) => {
    const box = boxAround(question, buttonsChars);
    const hasControl = findFirst(box, (inner) => isButton(inner) || inner.name === 'a' || inner.name === 'input') !== undefined;
    if (hasControl || measureOf(question).text <= maxLabelChars) gone.add(box);
  };
  const dropContents = (list: HtmlElement) => {
    const label = elementBefore(list);
    gone.add(list);
    if (label !== undefined && contentsLabel.test(textOf(label, 80))) gone.add(label);
  };
  const dropRelated = (heading: HtmlElement) => {
    const section = sectionBelow(heading);
    const parent = parentOf(heading);
    if (section.length > 0 && section.every((node) => isElement(node) && isMostlyLinks(measureOf(node), 0.5)))
      for (const node of [heading, ...section]) gone.add(node);
    else if (section.length === 0 && parent && isMostlyLinks(measureOf(parent), 0.5)) gone.add(heading);
  };

  /** To the page before or after, below all prose. */
  let turns = 0;
  const dropTurn = (link: HtmlElement) => {
    if (++turns > maxTurnLinks) return;
    const box = boxAround(link, turnChars);
    const measure = measureOf(box);
    if (measure.links > maxTurns || !isMostlyLinks(measure, 0.5)) return;
    for (const outer of [box, ...ancestorsOf(box)])
      for (let after = outer.next; after !== null; after = after.next) if (proseOf(measureOf(after)) > turnChars) return;
    gone.add(box);
  };

  for (const element of elementsBelow(root)) {
    const { text, links } = measureOf(element);
    if (element.name === 'pre' || element.name === 'code') continue;
    if (isField(element)) gone.add(boxAround(element, invitationChars));
    else if (isButton(element)) {
      if (consentAnswer.test(labelOf(element))) dropConsent(element);
    } else if (element.name === 'a') {
      if (text <= maxLabelChars && isToolLink(element)) gone.add(element);
      else if (
        text <= turnChars &&
        (/(?:^|\s)(?:prev|next)(?:\s|$)/.test(element.attribs['rel'] ?? '') || turnLabel.test(labelOf(element)))
      )
        dropTurn(element);
    } else if (headingLevelOf(element) !== undefined) {
      if (text <= maxLabelChars && relatedLabel.test(textOf(element))) dropRelated(element);
    } else if (boxNames.test(element.name) && text > 0) {
      if (isOwnContents(element, measureOf)) dropContents(element);
      else if (isLinkBar(element, measureOf) || isTrail(element, measureOf)) gone.add(element);
      else if (text <= maxBoxChars) {
        if (isInnermost(element, helpfulQuestion)) dropHelpful(element);
        else if (links > 0 && isInnermost(element, otherVersion)) gone.add(boxAround(element, buttonsChars));
        else if (text <= maxLabelChars && isToolBox(element)) gone.add(element);
      }
    }
  }
  sweep(root, (node) => gone.has(node));
  if (gone.size > 0) dropLabels(root);
}

const isLabel = (element: HtmlElement): boolean => {
  if (headingLevelOf(element) !== undefined) return sectionBelow(element).length === 0;
  return /^(?:div|p|span|ul|section)$/.test(element.name) && !isWithinText(element) && !isInSentence(element);
};

/** Labels that introduced what was taken out (`Share:`), and nothing else. */
function dropLabels(root: HtmlNode): void {
  const left = new Set<HtmlNode>();
  for (const element of elementsBelow(root)) if (shareLabel.test(textOf(element, 60)) && isLabel(element)) left.add(element);
  sweep(root, (node) => left.has(node));
}
