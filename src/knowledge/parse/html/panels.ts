/**
 * Tabs and accordions, written out: the label of a tab stands before its panel, the header of an accordion becomes the question that its
 * panel answers. `x-label`, `x-question` and `x-answer` are names for the writer; no page has them.
 */

import { isWindow, tabAttributes } from './controls.ts';
import {
  ancestorsOf,
  attributeOf,
  childrenOf,
  classNamesOf,
  elementsBelow,
  elementsOf,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isElement,
  isInside,
  isOneLine,
  isText,
  parentOf,
  setChildren,
  sweep,
  textOf,
} from './dom.ts';
import type { Page } from './shape.ts';

const tabListNames =
  /(?:^|-)(?:tabs?|tab-?list|tabs?-(?:nav|list|header|labels?|menu|bar|toolbar|links|buttons|titles|triggers?)|nav-tabs|nav-pills|tabbed-labels|code-tabs-toolbar|code-?tabs?-(?:toolbar|header|nav))(?:-|$)/;
const questionNames =
  /(?:^|-)(?:(?:accordion|faq|collaps(?:e|ible)|toggle|disclosure|expander)-+(?:\w+-)*(?:header|title|button|trigger|question|summary|heading|label|q)|(?:faq-)?question|question-title)(?:-|$)/;
const maxTabs = 40;
const maxLabelChars = 120;
const maxQuestionChars = 300;
const maxClimb = 3;
const maxStepsAfter = 4;

const isTab = (element: HtmlElement) =>
  attributeOf(element, 'role') === 'tab' ||
  element.name === 'button' ||
  (element.name === 'label' && attributeOf(element, 'for') !== undefined) ||
  (element.name === 'a' && /^(?:#|javascript:|$)/i.test(element.attribs['href'] ?? '')) ||
  tabAttributes.some((name) => name in element.attribs);

/** The tabs of a list; none where the element is no list of tabs. */
function tabsOf(list: HtmlElement): HtmlElement[] {
  const isNamed = classNamesOf(list).some((name) => tabListNames.test(name));
  if (attributeOf(list, 'role') !== 'tablist' && !isNamed) return [];
  const inside = [...elementsBelow(list)];
  const byRole = inside.filter((element) => attributeOf(element, 'role') === 'tab');
  const tabs = byRole.length > 0 ? byRole : inside.filter((element) => isTab(element) && textOf(element) !== '');
  const own = tabs
    .map((tab) => textOf(tab))
    .join('')
    .replace(/\s+/g, '').length;
  // What says more than its tabs holds the panels as well.
  return tabs.length <= maxTabs && own >= textOf(list).replace(/\s+/g, '').length * 0.9 ? tabs : [];
}

const targetOf = (tab: HtmlElement): string | undefined =>
  attributeOf(tab, 'aria-controls') ??
  attributeOf(tab, 'data-bs-target')?.replace(/^#/, '') ??
  attributeOf(tab, 'data-target')?.replace(/^#/, '') ??
  tabAttributes.map((name) => attributeOf(tab, name)?.replace(/^#/, '')).find((id) => id !== undefined) ??
  (attributeOf(tab, 'href')?.startsWith('#') ? attributeOf(tab, 'href')?.slice(1) : undefined);

const withText = (elements: readonly HtmlElement[]) =>
  elements.filter((element) => element.name !== 'input' && element.name !== 'button' && textOf(element, 20) !== '');

/** As many elements as there are tabs, beside the list or in the box that follows it. */
function panelsBeside(list: HtmlElement, count: number): HtmlElement[] {
  let at: HtmlElement | undefined = list;
  for (let climbed = 0; at !== undefined && climbed < maxClimb; climbed++, at = parentOf(at)) {
    const parent = parentOf(at);
    if (parent === undefined) break;
    const index = childrenOf(parent).indexOf(at);
    const after = withText(elementsOf({ ...parent, children: parent.children.slice(index + 1) } as HtmlElement).slice(0, maxTabs));
    const panels = after
      .flatMap((element) => [element, ...elementsBelow(element)])
      .filter((element) => attributeOf(element, 'role') === 'tabpanel');
    if (panels.length === count) return panels;
    const [next] = after;
    if (next !== undefined && withText(elementsOf(next)).length === count) return withText(elementsOf(next));
    if (after.length === count && climbed === 0) return after;
  }
  return [];
}

function label(page: Page, panel: HtmlElement, text: string): void {
  if (text === '' || text.length > maxLabelChars) return;
  const mark = page('<p></p>').text(text).get(0);
  if (!isElement(mark)) return;
  mark.name = 'x-label';
  // Before a code block, not in it.
  const parent = parentOf(panel);
  if (panel.name === 'pre' && parent !== undefined)
    setChildren(
      parent,
      parent.children.flatMap((child) => (child === panel ? [mark, child] : [child])),
    );
  else setChildren(panel, [mark, ...panel.children]);
}

function writeOutTabs(page: Page, root: HtmlNode, byId: ReadonlyMap<string, HtmlElement>): void {
  const gone = new Set<HtmlNode>();
  for (const list of [...elementsBelow(root)]) {
    if ([...ancestorsOf(list)].some((outer) => gone.has(outer) || outer.name === 'nav')) continue;
    const tabs = tabsOf(list);
    if (tabs.length === 0) continue;
    const labelled = new Map(
      [...byId.values()].flatMap((element) =>
        attributeOf(element, 'aria-labelledby') ? [[attributeOf(element, 'aria-labelledby') ?? '', element] as const] : [],
      ),
    );
    const named = tabs.map((tab) => byId.get(targetOf(tab) ?? '') ?? labelled.get(attributeOf(tab, 'id') ?? ''));
    const beside = named.some((panel) => panel !== undefined) ? [] : panelsBeside(list, tabs.length);
    let isLabelled = false;
    for (const [index, tab] of tabs.entries()) {
      const panel = named[index] ?? beside[index];
      if (panel === undefined || isInside(list, panel)) continue;
      label(page, panel, textOf(tab));
      isLabelled = true;
    }
    if (isLabelled || attributeOf(list, 'role') === 'tablist') gone.add(list);
  }
  sweep(root, (node) => gone.has(node));
}

const isAfter = (element: HtmlElement, other: HtmlElement): boolean => {
  for (let after = other.next, steps = 0; after !== null && steps < maxStepsAfter; after = after.next, steps++)
    if (isInside(element, after)) return true;
  return false;
};

/** Headers that are headings stay headings; others become questions. */
function askQuestion(header: HtmlElement, answer: HtmlElement | undefined): void {
  // What stands after its part asks for more of it.
  if (answer !== undefined && isAfter(header, answer)) {
    header.name = 'button';
    return;
  }
  const inside = [header, ...elementsBelow(header)];
  const isHeading =
    inside.some((element) => headingLevelOf(element) !== undefined) ||
    [...ancestorsOf(header)].slice(0, 2).some((outer) => headingLevelOf(outer) !== undefined);
  for (const element of inside) if (element.name === 'button' || element.name === 'a') element.name = 'span';
  for (const outer of [...ancestorsOf(header)].slice(0, 3)) if (outer.name === 'button') outer.name = 'div';
  if (isHeading || /^(?:summary|dt|td|th|tr|li)$/.test(header.name)) {
    if (header.name === 'button') header.name = 'div';
    return;
  }
  header.name = 'x-question';
  if (answer !== undefined && /^(?:div|section|p)$/.test(answer.name)) answer.name = 'x-answer';
}

/**
 * @param openers closed parts with the control that opens each
 */
export function writeOutPanels(page: Page, openers: ReadonlyMap<HtmlElement, HtmlElement>): void {
  const root = page.root().get(0) as HtmlNode;
  const byId = new Map<string, HtmlElement>();
  for (const element of elementsBelow(root)) {
    const id = attributeOf(element, 'id');
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
  }
  writeOutTabs(page, root, byId);
  for (const [panel, header] of openers)
    if (isInside(header, root) && textOf(header, maxQuestionChars + 1).length <= maxQuestionChars) askQuestion(header, panel);
  for (const element of elementsBelow(root)) {
    if (element.name === 'x-question' || isWindow(element)) continue;
    const opens =
      element.name === 'button' && 'aria-expanded' in element.attribs && (attributeOf(element, 'aria-haspopup') ?? 'false') === 'false';
    const answer = opens ? (byId.get(attributeOf(element, 'aria-controls') ?? '') ?? answerAfter(element)) : undefined;
    if (answer !== undefined && !isWindow(answer)) askQuestion(element, answer);
    else if (/^(?:div|p|span|button|a|label)$/.test(element.name) && classNamesOf(element).some((name) => questionNames.test(name))) {
      const text = textOf(element, maxQuestionChars + 1);
      const isInner = elementsOf(element).some((inner) => classNamesOf(inner).some((name) => questionNames.test(name)));
      if (text.length <= maxQuestionChars && isOneLine(element) && !isInner && !isInsideHeading(element)) askQuestion(element, undefined);
    } else if (element.name === 'button' && isInsideHeading(element)) element.name = 'span';
  }
}

/** What follows a question that names no answer. */
const answerAfter = (question: HtmlElement): HtmlElement | undefined => {
  const next = question.next && isText(question.next) ? question.next.next : question.next;
  return isElement(next) && /[?？]$/.test(textOf(question)) && textOf(next, 20) !== '' ? next : undefined;
};

const isInsideHeading = (element: HtmlElement) =>
  [...ancestorsOf(element)]
    .slice(0, 3)
    .some((outer) => headingLevelOf(outer) !== undefined || outer.name === 'summary' || outer.name === 'dt');
