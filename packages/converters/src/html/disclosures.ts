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
  childrenOf,
  classNamesOf,
  elementsBelow,
  elementsOf,
  findAll,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isAsking,
  isElement,
  isInside,
  isText,
  type Page,
  parentOf,
  removeNodes,
  textOf,
} from './dom.ts';

const windowNames = new RegExp(
  pattern`
      (?:^|-)(?:modal|dialog|popup|popover|tooltip|tippy|dropdown|offcanvas|off-canvas|drawer|
        menu|mega-?menu|navbar|nav|lightbox|toast|snackbar|flyout|cookie|consent|overlay)(?:-|$)
    `,
);
const windowRoles = new Set([
  'dialog',
  'alertdialog',
  'menu',
  'menubar',
  'listbox',
  'tooltip',
  'navigation',
  'search',
  'combobox',
]);
const windowOpeners = /^(?:modal|dropdown|offcanvas|popover|tooltip|dialog|drawer)$/;
const accordionNames =
  /(?:^|-)(?:accordions?|faqs?|questions?|collaps\w*|expand\w*|disclosure)(?:-|$)/;
/** Attributes by which pages name a tab's panel. */
const tabAttributes = ['data-tab', 'data-tab-target', 'data-panel', 'data-pane'];

const maxControlChars = 400;
const maxQuestionChars = 300;
const maxLabelChars = 120;
const maxTabs = 40;
/** Maximum nodes between a control and its panel: white space, rules, icons. */
const maxStepsBack = 20;
const maxNodesBeside = 60;
const maxClimb = 3;

const isNamed = (element: HtmlElement, pattern: RegExp) =>
  classNamesOf(element).some((name) => pattern.test(name));
const hasAnyAttribute = (element: HtmlElement, names: readonly string[]) =>
  names.some((name) => name in element.attribs);
const nearAncestorsOf = (element: HtmlElement, count: number) =>
  [...ancestorsOf(element)].slice(0, count);

const isWindow = (element: HtmlElement): boolean =>
  element.name === 'nav' ||
  element.name === 'dialog' ||
  windowRoles.has(attributeOf(element, 'role') ?? '') ||
  isNamed(element, windowNames);

const isPressable = (element: HtmlElement): boolean =>
  element.name === 'button' ||
  element.name === 'summary' ||
  (element.name === 'label' && attributeOf(element, 'for') !== undefined) ||
  (element.name === 'a' && /^(?:#|javascript:|$)/i.test(element.attribs['href'] ?? '')) ||
  /^(?:button|tab|switch)$/.test(attributeOf(element, 'role') ?? '') ||
  hasAnyAttribute(element, [
    'aria-expanded',
    'onclick',
    'data-toggle',
    'data-bs-toggle',
    ...tabAttributes,
  ]);

const opensWindow = (control: HtmlElement): boolean => {
  const toggle =
    attributeOf(control, 'data-bs-toggle') ?? attributeOf(control, 'data-toggle') ?? '';
  return (
    (attributeOf(control, 'aria-haspopup') ?? 'false') !== 'false' || windowOpeners.test(toggle)
  );
};

/** Ids of the elements that an attribute refers to. */
function targetsIn(name: string, value: string, isControl: boolean): readonly string[] {
  if (name === 'aria-controls') return isControl ? value.split(/\s+/) : [];
  if (name !== 'href' && !name.startsWith('data-')) return [];
  if (/^#./.test(value)) return [value.slice(1)];
  return name !== 'href' && isControl ? [value] : [];
}

const maxTargetChars = 500;
const targetsOf = (element: HtmlElement): readonly string[] =>
  Object.entries(element.attribs).flatMap(([name, value]) =>
    value.length > maxTargetChars ? [] : targetsIn(name, value, isPressable(element)),
  );

function idsOf(root: HtmlNode): Map<string, HtmlElement> {
  const byId = new Map<string, HtmlElement>();
  for (const element of elementsBelow(root)) {
    const id = attributeOf(element, 'id');
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
  }
  return byId;
}

const isTabPanel = (element: HtmlElement) => attributeOf(element, 'role') === 'tabpanel';
const isLabel = (element: HtmlElement) => element.name === 'label' && 'for' in element.attribs;

/**
 * Returns the tabs of a list: by role, or labels of radio buttons. A list with much other text
 * contains panels too.
 */
function tabsOf(list: HtmlElement): HtmlElement[] {
  const byRole =
    attributeOf(list, 'role') === 'tablist'
      ? findAll(list, (element) => attributeOf(element, 'role') === 'tab')
      : [];
  const children = elementsOf(list).slice(0, maxTabs);
  const tabs =
    byRole.length === 0 && children.length > 1 && children.every(isLabel)
      ? children
      : byRole.slice(0, maxTabs);
  const chars = tabs.reduce((sum, tab) => sum + textOf(tab).length, 0);
  return tabs.length > 0 && chars >= 0.8 * textOf(list).length ? tabs : [];
}

/** Returns the preceding element with text; undefined if loose text intervenes. */
function elementBefore(element: HtmlElement): HtmlElement | undefined {
  for (
    let before = element.prev, steps = 0;
    before !== null && steps < maxStepsBack;
    before = before.prev, steps++
  ) {
    if (isText(before) && before.data.trim() !== '') return undefined;
    if (isElement(before) && (textOf(before, 40) !== '' || 'aria-label' in before.attribs))
      return before;
  }
  return undefined;
}

/** Returns the visible control that opens a closed element, if any. */
export type FindOpener = (element: HtmlElement) => HtmlElement | undefined;
type CanOpen = (control: HtmlElement | undefined, element: HtmlElement) => control is HtmlElement;

/**
 * Finds a control by id: the control refers to the element's id, or the element refers to the
 * control's id.
 */
function createNamedBy(root: HtmlNode, canOpen: CanOpen): FindOpener {
  const byId = idsOf(root);
  const byTarget = new Map<string, HtmlElement[]>();
  for (const element of elementsBelow(root))
    for (const target of new Set(targetsOf(element)))
      byTarget.set(target, [...(byTarget.get(target) ?? []).slice(0, 20), element]);
  const controlsOf = (element: HtmlElement) => {
    const labels = (attributeOf(element, 'aria-labelledby') ?? '')
      .split(/\s+/)
      .map((label) => byId.get(label));
    const pressable = labels.filter(
      (label) => label !== undefined && [label, ...elementsOf(label)].some(isPressable),
    );
    return [...(byTarget.get(attributeOf(element, 'id') ?? '') ?? []), ...pressable];
  };
  return (element) => controlsOf(element).find((control) => canOpen(control, element));
}

/** The tab list near a panel; some generators give panels no ids. */
const tabListOf = (panel: HtmlElement): HtmlElement | undefined =>
  isTabPanel(panel)
    ? nearAncestorsOf(panel, maxClimb)
        .flatMap((outer) => childrenOf(outer).slice(0, maxNodesBeside).filter(isElement))
        .find((sibling) => tabsOf(sibling).length > 1)
    : undefined;

/** Whether a line before a closed element looks like its header: a button or a question. */
function isHeaderOf(line: HtmlElement, element: HtmlElement, text: string): boolean {
  const pressable = [line, ...elementsBelow(line)].find(isPressable);
  if (
    pressable !== undefined &&
    !opensWindow(pressable) &&
    textOf(pressable).length * 2 > text.length
  )
    return true;
  const isHeading = headingLevelOf(line) !== undefined || line.name === 'dt';
  return (
    isAsking(text) &&
    (isHeading ||
      [element, ...nearAncestorsOf(element, 2)].some((near) => isNamed(near, accordionNames)))
  );
}

/** The accordion header right before an element. */
function headerOf(element: HtmlElement, canOpen: CanOpen): HtmlElement | undefined {
  const before = elementBefore(element);
  // A `details` element opens only itself.
  if (before === undefined || before.name === 'details') return undefined;
  const text = textOf(before, maxControlChars + 1);
  if (text.length > maxControlChars) return undefined;
  return canOpen(before, element) && isHeaderOf(before, element, text) ? before : undefined;
}

/** @param isShown whether a control is visible or can be opened */
export function createOpenerFinder(
  root: HtmlNode,
  isShown: (element: HtmlElement) => boolean,
): FindOpener {
  const canOpen: CanOpen = (control, element): control is HtmlElement =>
    control !== undefined &&
    !isInside(control, element) &&
    !isInside(element, control) &&
    !opensWindow(control) &&
    (textOf(control, maxControlChars) !== '' ||
      hasAnyAttribute(control, ['aria-label', 'title'])) &&
    isShown(control);
  const namedBy = createNamedBy(root, canOpen);
  return (element) => {
    if (isWindow(element)) return undefined;
    const list = tabListOf(element);
    return namedBy(element) ?? (canOpen(list, element) ? list : headerOf(element, canOpen));
  };
}

/** Returns the children of the element after a tab list, if it has one child per tab. */
function panelsBeside(list: HtmlElement, count: number): HtmlElement[] {
  const siblings = elementsOf(parentOf(list) ?? list);
  const next = siblings[siblings.indexOf(list) + 1];
  return next !== undefined && elementsOf(next).length === count ? elementsOf(next) : [];
}

function labelPanel(page: Page, panel: HtmlElement, text: string): void {
  if (text === '' || text.length > maxLabelChars) return;
  const label = page('<x-label></x-label>').text(text);
  if (panel.name === 'pre') page(panel).before(label);
  else page(panel).prepend(label);
}

function expandTabs(page: Page, root: HtmlNode, byId: ReadonlyMap<string, HtmlElement>): void {
  const written = new Set<HtmlNode>();
  const byLabel = new Map(
    [...byId.values()].map((element) => [attributeOf(element, 'aria-labelledby'), element]),
  );
  for (const list of [...elementsBelow(root)]) {
    if ([...ancestorsOf(list)].some((outer) => written.has(outer) || outer.name === 'nav'))
      continue;
    const tabs = tabsOf(list);
    if (tabs.length === 0) continue;
    const panelOf = (tab: HtmlElement) => {
      const [target] = targetsOf(tab).filter((id) => byId.has(id));
      const panel =
        target === undefined ? byLabel.get(attributeOf(tab, 'id') ?? '') : byId.get(target);
      return panel && isInside(list, panel) ? undefined : panel;
    };
    const named = tabs.map(panelOf);
    const panels = named.some((panel) => panel !== undefined)
      ? named
      : panelsBeside(list, tabs.length);
    for (const [index, tab] of tabs.entries())
      if (panels[index] !== undefined) labelPanel(page, panels[index], textOf(tab));
    if (panels.length > 0 || attributeOf(list, 'role') === 'tablist') written.add(list);
  }
  removeNodes(root, (node) => written.has(node));
}

/** Marks a header and its answer as a question, unless it is a heading. */
function askQuestion(header: HtmlElement, answer: HtmlElement | undefined): void {
  const inside = [header, ...elementsBelow(header)];
  const isHeading = [...inside, ...nearAncestorsOf(header, 2)].some(
    (element) => headingLevelOf(element) !== undefined,
  );
  for (const element of inside)
    if (element.name === 'button' || element.name === 'a') element.name = 'span';
  for (const outer of nearAncestorsOf(header, 3)) if (outer.name === 'button') outer.name = 'div';
  if (isHeading || /^(?:summary|dt|td|th|tr|li)$/.test(header.name)) return;
  header.name = 'x-question';
  if (answer !== undefined && /^(?:div|section|p)$/.test(answer.name)) answer.name = 'x-answer';
}

const isInHeading = (element: HtmlElement) =>
  nearAncestorsOf(element, 3).some(
    (outer) =>
      headingLevelOf(outer) !== undefined || outer.name === 'summary' || outer.name === 'dt',
  );

/** The element that a button declares to control. */
function answerOf(
  button: HtmlElement,
  byId: ReadonlyMap<string, HtmlElement>,
): HtmlElement | undefined {
  const answer = byId.get(attributeOf(button, 'aria-controls') ?? '');
  return answer === undefined || isWindow(answer) || isWindow(button) || opensWindow(button)
    ? undefined
    : answer;
}

/** @param openers closed elements and their controls */
export function expandPanels(page: Page, openers: ReadonlyMap<HtmlElement, HtmlElement>): void {
  const root = page.root().get(0) as HtmlNode;
  const byId = idsOf(root);
  expandTabs(page, root, byId);
  for (const [panel, header] of openers)
    if (isInside(header, root) && textOf(header, maxQuestionChars + 1).length <= maxQuestionChars)
      askQuestion(header, panel);
  for (const button of elementsBelow(root)) {
    if (button.name !== 'button') continue;
    const isOpener = 'aria-expanded' in button.attribs;
    const answer = isOpener ? answerOf(button, byId) : undefined;
    if (answer !== undefined || (isOpener && isAsking(textOf(button)))) askQuestion(button, answer);
    else if (isInHeading(button)) button.name = 'span';
  }
}
