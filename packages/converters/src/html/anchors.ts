/**
 * Finds the anchor of each heading: its permalink target, its own id, the id of an anchor in or
 * right before it, or the id of its section. Stores the anchor on the heading for the writer.
 * Removes permalink marks from the text.
 */

import { pattern } from '../../../shared/src/language/pattern.ts';
import {
  attributeOf,
  classNamesOf,
  elementsBelow,
  elementsOf,
  findAll,
  type HtmlElement,
  type HtmlNode,
  isElement,
  isHeading,
  isText,
  kebabCase,
  parentOf,
  removeNodes,
  textOf,
} from './dom.ts';

/** Internal attribute for the writer. */
export const anchorAttribute = 'x-anchor';

/** Ids that change with each build or visit. */
const generatedId = new RegExp(
  pattern`
      ^(?:_?top$|(?:main|page|skip|site)?-?(?:content|main|body|wrapper|container|root|app)$|
        radix|headlessui|react-aria|mui|:r|«r|__next|ember|yui|docs-internal-guid)|
      :r[\da-z]+:
    `,
  'i',
);

const isPermalink = (link: HtmlElement) =>
  link.name === 'a' && /^[\s#¶§🔗⚓\p{Variation_Selector}\p{Cf}\p{Co}]*$/u.test(textOf(link, 300));

function fragmentOf(link: HtmlElement) {
  const fragment = /#(.+)$/.exec(attributeOf(link, 'href') ?? '')?.[1];
  try {
    return fragment === undefined ? undefined : decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

const idOf = (element: HtmlElement) =>
  attributeOf(element, 'id') ?? (element.name === 'a' ? attributeOf(element, 'name') : undefined);

/** The node before a heading, without white space. */
function contentBefore(heading: HtmlElement) {
  let before = heading.prev;
  while (isText(before) && before.data.trim() === '') before = before.prev;
  return before;
}

/** Layout elements have ids too; only those of sections identify the heading. */
const isSectionOf = (outer: HtmlElement, heading: HtmlElement) =>
  !contentBefore(heading) &&
  (/^(?:section|dt)$/.test(outer.name) ||
    classNamesOf(outer).includes('section') ||
    kebabCase(textOf(heading, 200)) === kebabCase(idOf(outer) ?? ''));

function* idsOf(heading: HtmlElement, permalinks: readonly HtmlElement[]) {
  const parent = parentOf(heading);
  for (const link of permalinks) yield fragmentOf(link);
  yield idOf(heading);
  for (const inner of elementsBelow(heading))
    if (/^(?:a|span)$/.test(inner.name)) yield idOf(inner);
  const before = contentBefore(heading);
  if (isElement(before) && textOf(before, 50) === '') yield idOf(before);
  if (parent && isSectionOf(parent, heading)) yield idOf(parent);
}

export function recordAnchors(root: HtmlNode): void {
  const removed = new Set<HtmlNode>();
  for (const heading of findAll(root, isHeading)) {
    const parent = parentOf(heading);
    // A permalink may be a sibling of its heading. In a parent with many children it may belong to
    // another heading.
    const beside = parent && parent.children.length <= 8 ? elementsOf(parent) : [];
    const permalinks = [
      ...findAll(heading, isPermalink),
      ...beside.filter((element) => isPermalink(element) && fragmentOf(element)),
    ];
    const anchor = idsOf(heading, permalinks).find(
      (id) => id && /^[\p{L}\p{N}_.:-]{1,200}$/u.test(id) && !generatedId.test(id),
    );
    if (anchor) heading.attribs[anchorAttribute] = anchor;
    for (const link of permalinks) removed.add(link);
  }
  removeNodes(root, removed);
}
