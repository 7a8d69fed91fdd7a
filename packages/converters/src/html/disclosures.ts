/**
 * Tabs and accordions. Finds the control that opens a closed element: a tab, an accordion header, a
 * button. Hidden text without a control is not content, nor are windows, menus and tooltips. Then
 * labels tab panels and turns accordion headers into questions. `x-label`, `x-question` and
 * `x-answer` are internal element names for the writer.
 */

import { pattern } from '../../../shared/src/language/pattern.ts';
import {
  ancestorsOf,
  attributeOf,
  classNamesOf,
  elementsBelow,
  elementsOf,
  findAll,
  type HtmlElement,
  type HtmlNode,
  isAsking,
  isElement,
  isHeading,
  isInside,
  isText,
  named,
  type Page,
  pageRoot,
  parentOf,
  removeNodes,
  roleOf,
  textOf,
} from './dom.ts';

const windowNames = new RegExp(
  pattern`
      (?:^|-)(?:modal|dialog|popup|popover|tooltip|tippy|dropdown|offcanvas|off-canvas|drawer|
        menu|mega-?menu|navbar|nav|lightbox|toast|snackbar|flyout|cookie|consent|overlay)(?:-|$)
    `,
);
const titleNames = /(?:^|-)(?:title|head(?:er|ing)?|question|toggle|trigger)(?:-|$)/;

const maxControlChars = 400;
const maxQuestionChars = 300;

const isNamed = (element: HtmlElement, names: RegExp) =>
  classNamesOf(element).some((name) => names.test(name));
const nearAncestorsOf = (element: HtmlElement, count: number) =>
  ancestorsOf(element).take(count).toArray();

const windowRoles =
  /^(?:(?:alert)?dialog|menu(?:bar)?|listbox|tooltip|navigation|search|combobox)$/;

const isWindow = (element: HtmlElement) =>
  element.name === 'nav' ||
  element.name === 'dialog' ||
  windowRoles.test(roleOf(element)) ||
  isNamed(element, windowNames);

const pressed = 'aria-expanded onclick data-toggle data-bs-toggle data-tab data-target'.split(' ');
const isPressable = (element: HtmlElement) =>
  /^(?:button|summary|label)$/.test(element.name) ||
  (element.name === 'a' && /^(?:#|javascript:|$)/i.test(element.attribs['href'] ?? '')) ||
  /^(?:button|tab|switch)$/.test(roleOf(element)) ||
  pressed.some((name) => name in element.attribs);

const opensWindow = (control: HtmlElement) =>
  (attributeOf(control, 'aria-haspopup') ?? 'false') !== 'false' ||
  ['data-bs-toggle', 'data-toggle'].some((name) =>
    /^(?:modal|dropdown|offcanvas|popover|tooltip|dialog|drawer)$/.test(
      attributeOf(control, name) ?? '',
    ),
  );

/** Ids of the elements that a control refers to. */
const targetsOf = (element: HtmlElement) =>
  Object.entries(element.attribs).flatMap(([name, value]) => {
    if (value.length > 500) return [];
    if (name === 'aria-controls') return value.split(/\s+/);
    if (name !== 'href' && !name.startsWith('data-')) return [];
    return /^#./.test(value) ? value.slice(1) : name === 'href' ? [] : value;
  });

const isLabel = (element: HtmlElement) => element.name === 'label' && 'for' in element.attribs;

/** Returns the tabs of a list: by role, or labels of radio buttons. */
function tabsOf(list: HtmlElement) {
  const byRole =
    roleOf(list) === 'tablist' ? findAll(list, (element) => roleOf(element) === 'tab') : [];
  const children = elementsOf(list);
  const tabs = byRole.length === 0 && children.every(isLabel) ? children : byRole;
  const chars = tabs.reduce((sum, tab) => sum + textOf(tab).length, 0);
  // A list with much other text contains panels too.
  return tabs.length > 1 && chars >= 0.8 * textOf(list).length ? tabs : [];
}

/** Returns the preceding element with text; undefined if loose text intervenes. */
function elementBefore(element: HtmlElement) {
  let before = element.prev;
  // White space, rules, icons.
  for (let steps = 0; before && steps < 20; steps++) {
    if (isText(before) && before.data.trim() !== '') return undefined;
    if (isElement(before) && textOf(before, 40) !== '') return before;
    before = before.prev;
  }
  return undefined;
}

/**
 * The line right before an element, if it looks like its header: a button, a question, or a title in
 * an accordion.
 */
function headerOf(element: HtmlElement) {
  const before = elementBefore(element);
  // A `details` element opens only itself.
  if (!before || before.name === 'details') return undefined;
  const text = textOf(before, maxControlChars + 1);
  const pressable = [before, ...elementsBelow(before)].find(isPressable);
  const isButton = pressable && textOf(pressable).length * 2 > text.length;
  const isTitle = isHeading(before) || before.name === 'dt';
  const isInAccordion = [element, ...nearAncestorsOf(element, 2)].some((near) =>
    isNamed(near, /(?:^|-)(?:accordions?|faqs?|questions?|collaps\w*|expand\w*|disclosure)(?:-|$)/),
  );
  const isQuestion = isInAccordion
    ? isAsking(text) || isTitle || isNamed(before, titleNames)
    : isAsking(text) && isTitle;
  const isHeader = (isButton && !opensWindow(pressable)) || isQuestion;
  return isHeader && text.length <= maxControlChars ? before : undefined;
}

/**
 * Returns a function that finds the visible control that opens a closed element, if any.
 * @param isShown whether a control is visible or can be opened
 */
export function createOpenerFinder(root: HtmlNode, isShown: (element: HtmlElement) => boolean) {
  const byTarget = new Map<string, HtmlElement[]>();
  for (const control of findAll(root, isPressable))
    for (const target of new Set(targetsOf(control)))
      byTarget.set(target, [...(byTarget.get(target) ?? []).slice(0, 20), control]);
  const lists = findAll(root, (element) => roleOf(element) === 'tablist');

  function* controlsOf(element: HtmlElement) {
    yield* byTarget.get(attributeOf(element, 'id') ?? '') ?? [];
    // Some generators give panels no ids.
    if (roleOf(element) === 'tabpanel')
      yield lists.find((list) =>
        nearAncestorsOf(element, 3).some((outer) => outer === parentOf(list)),
      );
    yield headerOf(element);
  }
  const canOpen = (control: HtmlElement | undefined, element: HtmlElement) =>
    control &&
    !isInside(control, element) &&
    !isInside(element, control) &&
    !opensWindow(control) &&
    textOf(control, 1) + (attributeOf(control, 'aria-label') ?? '') !== '' &&
    isShown(control);
  return (element: HtmlElement) =>
    isWindow(element)
      ? undefined
      : controlsOf(element).find((control) => canOpen(control, element));
}

function labelPanel(page: Page, panel: HtmlElement | undefined, text: string) {
  if (panel && text !== '' && text.length <= 120)
    page(panel).prepend(page('<x-label></x-label>').text(text));
}

function expandTabs(page: Page, root: HtmlNode, byId: ReadonlyMap<string, HtmlElement>) {
  const written = new Set<HtmlNode>();
  const byLabel = new Map(
    [...byId.values()].map((element) => [attributeOf(element, 'aria-labelledby'), element]),
  );
  for (const list of [...elementsBelow(root)]) {
    const tabs = tabsOf(list);
    if (tabs.length === 0 || ancestorsOf(list).some(named('nav'))) continue;
    const panelOf = (tab: HtmlElement) => {
      const target = targetsOf(tab).find((id) => byId.has(id));
      return byId.get(target ?? '') ?? byLabel.get(attributeOf(tab, 'id') ?? '');
    };
    const siblings = elementsOf(parentOf(list) ?? list);
    const next = siblings[siblings.indexOf(list) + 1];
    const beside = next && elementsOf(next).length === tabs.length ? elementsOf(next) : [];
    const stated = tabs.map(panelOf);
    const panels = stated.some(Boolean) ? stated : beside;
    for (const [index, tab] of tabs.entries()) labelPanel(page, panels[index], textOf(tab));
    if (panels.length > 0 || roleOf(list) === 'tablist') written.add(list);
  }
  removeNodes(root, written);
}

/** Marks a header and its answer as a question, unless it is a heading. */
function askQuestion(header: HtmlElement, answer: HtmlElement | undefined) {
  const inside = [header, ...elementsBelow(header)];
  const isInHeading = [...inside, ...nearAncestorsOf(header, 2)].some(isHeading);
  for (const element of inside) if (/^(?:button|a)$/.test(element.name)) element.name = 'span';
  if (isInHeading || /^(?:summary|dt|td|th|tr|li)$/.test(header.name)) return;
  header.name = 'x-question';
  if (answer && /^(?:div|section|p)$/.test(answer.name)) answer.name = 'x-answer';
}

const isInTitle = (element: HtmlElement) =>
  nearAncestorsOf(element, 3).some((outer) => /^(?:h[1-6]|summary|dt)$/.test(outer.name));

/** The element that a button opens in the page, if any. */
function answerOf(button: HtmlElement, byId: ReadonlyMap<string, HtmlElement>) {
  const answer = byId.get(attributeOf(button, 'aria-controls') ?? '');
  return answer && isWindow(answer) ? undefined : answer;
}

/** @param openers closed elements and their controls */
export function expandPanels(page: Page, openers: ReadonlyMap<HtmlElement, HtmlElement>): void {
  const root = pageRoot(page);
  const byId = new Map(
    findAll(root, ({ attribs }) => Boolean(attribs['id']))
      .reverse()
      .map((element) => [element.attribs['id'] ?? '', element]),
  );
  expandTabs(page, root, byId);
  for (const [panel, header] of openers)
    if (isInside(header, root) && textOf(header, maxQuestionChars + 1).length <= maxQuestionChars)
      askQuestion(header, panel);
  for (const button of findAll(root, named('button'))) {
    const isOpener = 'aria-expanded' in button.attribs && !isWindow(button) && !opensWindow(button);
    const answer = isOpener ? answerOf(button, byId) : undefined;
    if (answer || (isOpener && isAsking(textOf(button)))) askQuestion(button, answer);
    else if (isInTitle(button)) button.name = 'span';
  }
}
