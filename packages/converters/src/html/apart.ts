/**
 * What a browser shows but the order of elements does not tell: parts of shadow trees, words that
 * CSS sets apart, raised figures, names of icons, letters of lists.
 */
import {
  attributeOf,
  childrenOf,
  classNamesOf,
  elementsBelow,
  elementsOf,
  findAll,
  type HtmlElement,
  type HtmlNode,
  isBlock,
  isElement,
  isList,
  isText,
  named,
  parentOf,
  rawTextOf,
  setChildren,
  textOf,
} from './dom.ts';
import type { Declarations, DeclaredOf } from './style.ts';
import { displayByUtility } from './visibility.ts';

/** `word` or `line`: what separates an inline element from its neighbours. */
export const apartAttribute = 'x-apart';

/** Class names of numbers in the margin: of lines, verses, paragraphs. */
export const marginNumber =
  /(?:^|-)(?:line-?no|line-?nos|line-?nums?|line-?numbers?|ln|lnt|lnos?|gutter|hljs-ln-n|verse-?(?:no|num|number)?|v-?num|par(?:a|agraph)?-?num(?:ber)?)(?:-|$)/;

/** Shows the content of declarative shadow roots, with the light children in their slots. */
export function openShadowRoots(root: HtmlNode): void {
  for (let depth = 0; depth < 8; depth++) {
    const templates = findAll(
      root,
      ({ name, attribs }) => name === 'template' && 'shadowrootmode' in attribs,
    );
    if (templates.length === 0) return;
    for (const template of templates) openShadowRoot(template);
  }
}

function openShadowRoot(template: HtmlElement) {
  const host = parentOf(template);
  if (!host) return;
  const light = childrenOf(host).filter((child) => child !== template);
  setChildren(
    host,
    childrenOf(template).flatMap((child) => (child.type === 'root' ? childrenOf(child) : [child])),
  );
  for (const slot of findAll(host, named('slot'))) {
    const assigned = light.filter(
      (child) =>
        (isElement(child) ? attributeOf(child, 'slot') : undefined) === attributeOf(slot, 'name'),
    );
    if (assigned.length > 0) setChildren(slot, assigned);
  }
}

/** Level of an item, of a list beside it, or of a list in Google Docs; NaN for other nodes. */
function levelOf(node: HtmlNode) {
  if (!isElement(node)) return Number.NaN;
  const parent = parentOf(node);
  if (parent && isList(parent)) return node.name === 'li' ? 0 : isList(node) ? 1 : Number.NaN;
  return Number(/(?:^|\s)lst-kix_\w+-(\d)/.exec(node.attribs['class'] ?? '')?.[1]);
}

/**
 * Puts lists into the items that they belong to. In Word they are siblings of the item, in Google
 * Docs siblings of its list.
 */
export function nestLists(root: HtmlNode): void {
  const hosts = new Set<HtmlElement>();
  for (const parent of new Set(findAll(root, isList).map(parentOf))) {
    if (!parent) continue;
    let open: { element: HtmlElement; level: number }[] = [];
    const kept = childrenOf(parent).filter((child) => {
      if (isText(child) && child.data.trim() === '') return true;
      const level = levelOf(child);
      open = open.filter((outer) => outer.level < level);
      const outer = open.at(-1)?.element;
      if (!isElement(child) || Number.isNaN(level)) return true;
      open.push({ element: child, level });
      if (!outer) return true;
      const host = outer.name === 'li' ? outer : (outer.children.findLast(isElement) ?? outer);
      hosts.add(host);
      host.children.push(child);
      return false;
    });
    setChildren(parent, kept);
  }
  for (const host of hosts) setChildren(host, host.children);
}

/** Titles of drawings become their labels. */
export function nameIcons(root: HtmlNode): void {
  for (const svg of findAll(root, named('svg'))) {
    const title = elementsOf(svg).find(named('title'));
    const text = title && rawTextOf(title.children[0] ?? title).trim();
    if (!text) continue;
    svg.attribs['aria-label'] ??= text;
    delete svg.attribs['aria-hidden'];
  }
}

const hasMargin = (style: Declarations) => {
  const [top, right = top, , left = right] = (style.get('margin') ?? '').split(/\s+/);
  return [right, left, style.get('margin-left'), style.get('margin-right')].some(
    (side = '') => Number.parseFloat(side) * (/em$/.test(side) ? 16 : 1) >= 3,
  );
};

function apartOf(
  element: HtmlElement,
  displayOf: (element: HtmlElement) => string,
  style: Declarations,
) {
  const display = displayOf(element);
  const parent = parentOf(element);
  const isInRow = parent && /^(?:inline-)?(?:flex|grid)$/.test(displayOf(parent));
  if (/^(?:block|flex|grid|table|list-item|flow-root|table-row)$/.test(display) && !isInRow)
    return 'line';
  // A single letter may be an initial.
  if (/^\p{L}$/u.test(textOf(element, 4))) return undefined;
  const isApart =
    isInRow ||
    display === 'table-cell' ||
    /left|right/.test(style.get('float') ?? '') ||
    /absolute|fixed/.test(style.get('position') ?? '') ||
    (element.name !== 'code' && hasMargin(style)) ||
    (/^\s*\d{1,5}[a-z]?\s*$/.test(textOf(element, 8)) &&
      classNamesOf(element).some((name) => marginNumber.test(name)));
  return isApart ? 'word' : undefined;
}

function styleList(list: HtmlElement, style: Declarations) {
  const written = style.get('list-style-type') ?? style.get('list-style') ?? '';
  const type = /(?:^|\s)((?:lower|upper)-\w+|decimal)(?:\s|$)/.exec(written)?.[1];
  if (type) list.attribs['type'] = type;
}

/** Marks what CSS sets apart or raises, and writes the letters of lists as attributes. */
export function applyStyles(root: HtmlNode, declaredOf: DeclaredOf): void {
  const displayOf = (element: HtmlElement) =>
    declaredOf(element).get('display') ?? displayByUtility(element) ?? '';
  for (const element of elementsBelow(root)) {
    const style = declaredOf(element);
    if (element.name === 'ol') styleList(element, style);
    if (isBlock(element)) continue;
    if (/super/.test(style.get('vertical-align') ?? '')) element.name = 'sup';
    const apart = apartOf(element, displayOf, style);
    if (apart) element.attribs[apartAttribute] = apart;
  }
}
