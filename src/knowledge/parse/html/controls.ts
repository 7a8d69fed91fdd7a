/**
 * What of a page opens a closed part of it: a tab, the header of an accordion, a button that names it. Without such a control, text that
 * is hidden stays hidden. Windows, menus and hints are opened too, but they are no part of what the page says.
 */
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
  isElement,
  isInside,
  isText,
  parentOf,
  rawTextOf,
  textOf,
} from './dom.ts';

const windowNames =
  /(?:^|-)(?:modal|dialog|popup|popover|tooltip|tippy|dropdown|offcanvas|off-canvas|drawer|menu|mega-?menu|navbar|nav|lightbox|toast|snackbar|flyout|cookie|consent|overlay)(?:-|$)/;
const windowRoles = new Set(['dialog', 'alertdialog', 'menu', 'menubar', 'listbox', 'tooltip', 'navigation', 'search', 'combobox']);
const windowOpeners = /^(?:modal|dropdown|offcanvas|popover|tooltip|dialog|drawer)$/;
const headerNames =
  /(?:^|-)(?:questions?|toggles?|toggler|trigger|expander|(?:accordions?|faqs?|collaps\w*|disclosure|expand|spoiler|qa?)-+(?:\w+-)*(?:headers?|heading|head|titles?|buttons?|control|label|summary|q))(?:-|$)/;
const accordionNames = /(?:^|-)(?:accordions?|faqs?|questions?|answers?|collaps\w*|expand\w*|spoiler|disclosure|q-a|qa)(?:-|$)/;
const tabPanelNames = /(?:^|-)(?:tab-?panels?|tab-?panes?|tab-?content|tab-?items?|tabs-?(?:panel|pane|content|item)|tabbed-block)(?:-|$)/;
const tabListNames =
  /(?:^|-)(?:tabs?|tab-?list|tabs?-(?:nav|list|header|labels?|menu|bar|toolbar|links|buttons|titles|triggers?)|nav-tabs|nav-pills|tabbed-labels)(?:-|$)/;
/** Buttons beside text that open nothing. */
const commandText = /^(?:copy|copied|share|print|download|edit|close|accept|submit|send|save|search|subscribe|menu)\b/i;
const maxControlChars = 400;
/** Nodes between a control and what it opens: white space, lines, icons. */
const maxStepsBack = 20;
const maxNodesBeside = 60;

/** By which pages of their own making say what a tab opens. */
export const tabAttributes = ['data-tab', 'data-tab-target', 'data-panel', 'data-pane'] as const;

export const isWindow = (element: HtmlElement): boolean =>
  element.name === 'nav' ||
  element.name === 'dialog' ||
  windowRoles.has(attributeOf(element, 'role') ?? '') ||
  classNamesOf(element).some((name) => windowNames.test(name));

const isPressable = (element: HtmlElement): boolean =>
  element.name === 'button' ||
  element.name === 'summary' ||
  (element.name === 'label' && attributeOf(element, 'for') !== undefined) ||
  (element.name === 'a' && /^(?:#|javascript:|$)/i.test(element.attribs['href'] ?? '')) ||
  /^(?:button|tab|switch)$/.test(attributeOf(element, 'role') ?? '') ||
  'aria-expanded' in element.attribs ||
  'onclick' in element.attribs ||
  ['data-toggle', 'data-bs-toggle', ...tabAttributes].some((name) => name in element.attribs);

const opensWindow = (control: HtmlElement): boolean => {
  const popup = attributeOf(control, 'aria-haspopup');
  const toggle = attributeOf(control, 'data-bs-toggle') ?? attributeOf(control, 'data-toggle') ?? '';
  return (popup !== undefined && popup !== 'false') || windowOpeners.test(toggle);
};

const labelOf = (control: HtmlElement): string =>
  textOf(control, maxControlChars) || (attributeOf(control, 'aria-label') ?? attributeOf(control, 'title') ?? '');

/** Ids that an element says it acts upon. */
function* targetsOf(element: HtmlElement): Generator<string> {
  for (const [name, value] of Object.entries(element.attribs)) {
    if (value.length > 500) continue;
    if (name === 'aria-controls' || name === 'aria-owns') yield* isPressable(element) ? value.split(/\s+/) : [];
    else if (name === 'href' || name.startsWith('data-')) {
      if (/^#./.test(value)) yield value.slice(1);
      else if (name !== 'href' && isPressable(element)) yield value;
    } else if (name === 'onclick') for (const [, id] of value.matchAll(/['"]#?([\w:.-]+)['"]/g)) yield id ?? '';
  }
}

/** The closed element and the boxes around its content that belong to it alone. */
function* shellsOf(element: HtmlElement): Generator<HtmlElement> {
  for (let at: HtmlElement | undefined = element, depth = 0; at !== undefined && depth < 4; depth++) {
    yield at;
    const inner: HtmlElement[] = elementsOf(at);
    at = inner.length === 1 ? inner[0] : undefined;
  }
}

/** The element that stands directly before, with some text; undefined where text of no element does. */
function elementBefore(element: HtmlElement): HtmlElement | undefined {
  let at: HtmlElement | undefined = element;
  for (let climbed = 0; at !== undefined && climbed < 3; climbed++) {
    for (let before = at.prev, steps = 0; before !== null && steps < maxStepsBack; before = before.prev, steps++) {
      if (isText(before) && before.data.trim() !== '') return undefined;
      if (isElement(before) && (textOf(before, 40) !== '' || 'aria-label' in before.attribs)) return before;
    }
    at = parentOf(at);
  }
  return undefined;
}

export interface Controls {
  /** The control that opens a closed element, if the page has one that can be seen. */
  openerOf(element: HtmlElement): HtmlElement | undefined;
}

/** @param isShown whether a control can itself be seen or opened */
export function createControls(root: HtmlNode, isShown: (element: HtmlElement) => boolean): Controls {
  const byTarget = new Map<string, HtmlElement[]>();
  const byId = new Map<string, HtmlElement>();
  for (const element of elementsBelow(root)) {
    const id = attributeOf(element, 'id');
    if (id !== undefined && !byId.has(id)) byId.set(id, element);
    for (const target of new Set(targetsOf(element))) {
      const known = byTarget.get(target);
      if (known) known.push(element);
      else if (target !== '') byTarget.set(target, [element]);
    }
  }

  const canOpen = (control: HtmlElement | undefined, element: HtmlElement): control is HtmlElement =>
    control !== undefined &&
    !isInside(control, element) &&
    !isInside(element, control) &&
    !opensWindow(control) &&
    labelOf(control) !== '' &&
    isShown(control);

  function byName(element: HtmlElement): HtmlElement | undefined {
    for (const shell of shellsOf(element)) {
      const id = attributeOf(shell, 'id');
      const named = id === undefined ? [] : (byTarget.get(id) ?? []);
      const labels = (attributeOf(shell, 'aria-labelledby') ?? '').split(/\s+/).map((label) => byId.get(label));
      const pressable = labels.filter((label) => label !== undefined && (isPressable(label) || elementsOf(label).some(isPressable)));
      for (const control of [...named.slice(0, 20), ...pressable]) if (canOpen(control, element)) return control;
    }
    return undefined;
  }

  const lists = new Map<HtmlElement, boolean>();
  const isTabList = (element: HtmlElement): boolean => {
    const known = lists.get(element);
    if (known !== undefined) return known;
    const isNamed = attributeOf(element, 'role') === 'tablist' || classNamesOf(element).some((name) => tabListNames.test(name));
    const isList = isNamed && findAll(element, isPressable).length > 1;
    lists.set(element, isList);
    return isList;
  };

  /** A list of tabs beside a panel: tab panels of some generators have no ids. */
  function tabListOf(element: HtmlElement): HtmlElement | undefined {
    const isPanel = attributeOf(element, 'role') === 'tabpanel' || classNamesOf(element).some((name) => tabPanelNames.test(name));
    if (!isPanel) return pairedListOf(element);
    let climbed = 0;
    for (const outer of ancestorsOf(element)) {
      if (++climbed > 3) break;
      const beside = childrenOf(outer).slice(0, maxNodesBeside).filter(isElement);
      for (const inner of beside.flatMap((child) => [child, ...childrenOf(child).slice(0, maxNodesBeside).filter(isElement)])) {
        if (!isInside(element, inner) && isTabList(inner) && canOpen(inner, element)) return inner;
      }
    }
    return undefined;
  }

  /** A list of as many tabs as the box beside it has parts. */
  function pairedListOf(element: HtmlElement): HtmlElement | undefined {
    const box = parentOf(element);
    const list = box && elementBefore(box);
    if (box === undefined || list === undefined || !isTabList(list) || !canOpen(list, element)) return undefined;
    return findAll(list, isPressable).length === elementsOf(box).length ? list : undefined;
  }

  /** The header of an accordion's part: a button, or a question that the page treats as one. */
  function headerOf(element: HtmlElement): HtmlElement | undefined {
    const before = elementBefore(element);
    // What opens itself opens nothing beside it.
    if (before === undefined || before.name === 'details') return undefined;
    const text = textOf(before, maxControlChars + 1);
    if (text.length > maxControlChars || commandText.test(text) || !canOpen(before, element)) return undefined;
    const pressable = isPressable(before) ? before : [...elementsBelow(before)].find(isPressable);
    if (pressable !== undefined && !opensWindow(pressable) && rawTextOf(pressable).trim().length * 2 > text.length) return before;
    const isNamed = (near: HtmlElement, pattern: RegExp) => classNamesOf(near).some((name) => pattern.test(name));
    if (isNamed(before, headerNames)) return before;
    const isHeading = headingLevelOf(before) !== undefined || before.name === 'dt';
    const isAccordion = [element, ...[...ancestorsOf(element)].slice(0, 2)].some((near) => isNamed(near, accordionNames));
    const isAsked = /[?？]$/.test(text);
    return (isHeading && isAsked) || (isAccordion && (isHeading || isAsked)) ? before : undefined;
  }

  return { openerOf: (element) => (isWindow(element) ? undefined : (byName(element) ?? tabListOf(element) ?? headerOf(element))) };
}
