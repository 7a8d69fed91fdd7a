/**
 * Finds the anchor of each heading: its permalink target, its own id, the id of an anchor in or
 * right before it, or the id of its section. Stores the anchor on the heading for the writer.
 * Removes permalink marks from the text.
 */

import { pattern } from '../../../shared/src/language/pattern.ts';
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
  isText,
  kebabCase,
  parentOf,
  removeNodes,
  textOf,
} from './dom.ts';

/** Internal attribute for the writer. */
export const anchorAttribute = 'x-anchor';

const markOnly = /^[\s#¶§🔗⚓\p{Variation_Selector}\p{Cf}\p{Co}]*$/u;
const markLabel = /^(?:direct link to|link to|permalink|permanent link|anchor|copy link)\b/i;
/** Ids that change with each build or visit. */
const generatedId = new RegExp(
  pattern`
      ^(?:_?top$|(?:main|page|skip|site)?-?(?:content|main|body|wrapper|container|root|app)$|
        radix|headlessui|react-aria|mui|:r|«r|__next|ember|yui|docs-internal-guid)|
      :r[\da-z]+:
    `,
  'i',
);
const validId = /^[\p{L}\p{N}_.:-]{1,200}$/u;

const isPermalink = (link: HtmlElement): boolean => {
  if (link.name !== 'a') return false;
  const text = textOf(link, 300);
  return markOnly.test(text) || (markLabel.test(text) && /^#/.test(link.attribs['href'] ?? ''));
};

function fragmentOf(link: HtmlElement): string | undefined {
  const fragment = /#(.+)$/.exec(attributeOf(link, 'href') ?? '')?.[1];
  try {
    return fragment === undefined ? undefined : decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

const idOf = (element: HtmlElement): string | undefined =>
  attributeOf(element, 'id') ?? (element.name === 'a' ? attributeOf(element, 'name') : undefined);
const isBlank = (node: HtmlNode) =>
  isText(node) ? node.data.trim() === '' : textOf(node, 50) === '';

/** Ids of empty anchors right before the heading. */
function* idsBefore(heading: HtmlElement): Generator<string | undefined> {
  for (
    let before = heading.prev, steps = 0;
    before !== null && isBlank(before) && steps < 6;
    before = before.prev, steps++
  )
    if (before.type === 'tag')
      yield idOf(before) ??
        elementsOf(before)
          .map(idOf)
          .find((id) => id !== undefined);
}

/** Layout elements have ids too; only those of sections identify the heading. */
const isSection = (outer: HtmlElement, heading: HtmlElement) =>
  /^(?:section|dt)$/.test(outer.name) ||
  classNamesOf(outer).includes('section') ||
  kebabCase(textOf(heading, 200)) === kebabCase(idOf(outer) ?? '');

/** Ids of sections that start with the heading. */
function* idsAround(heading: HtmlElement): Generator<string | undefined> {
  let inner: HtmlElement = heading;
  for (const outer of [...ancestorsOf(heading)].slice(0, 3)) {
    const first = childrenOf(outer).find((child) => !isBlank(child));
    if (first !== inner || /^(?:body|main|html|td|li|details)$/.test(outer.name)) return;
    if (isSection(outer, heading)) yield idOf(outer);
    inner = outer;
  }
}

function* idsOf(
  heading: HtmlElement,
  permalinks: readonly HtmlElement[],
): Generator<string | undefined> {
  for (const link of permalinks) yield fragmentOf(link);
  yield idOf(heading);
  for (const inner of elementsBelow(heading))
    if (inner.name === 'a' || inner.name === 'span') yield idOf(inner);
  for (const link of permalinks) yield idOf(link);
  yield* idsBefore(heading);
  // Some headings link to their own section.
  const parts = new Set([...ancestorsOf(heading)].slice(0, 3).map(idOf));
  for (const inner of elementsBelow(heading))
    if (inner.name === 'a' && parts.has(fragmentOf(inner))) yield fragmentOf(inner);
  yield* idsAround(heading);
}

export function recordAnchors(root: HtmlNode): void {
  const removed = new Set<HtmlNode>();
  for (const heading of elementsBelow(root)) {
    if (headingLevelOf(heading) === undefined) continue;
    const parent = parentOf(heading);
    const inside = [...elementsBelow(heading)].filter(isPermalink);
    // A permalink may be a sibling of its heading. In a parent with many children it may belong to
    // another heading.
    const outside =
      parent === undefined || parent.children.length > 8
        ? []
        : elementsOf(parent).filter(
            (element) => element !== heading && isPermalink(element) && fragmentOf(element),
          );
    const permalinks = [...inside, ...outside];
    const anchor = idsOf(heading, permalinks).find(
      (id) => id !== undefined && validId.test(id) && !generatedId.test(id),
    );
    if (anchor !== undefined) heading.attribs[anchorAttribute] = anchor;
    for (const link of permalinks) removed.add(link);
  }
  removeNodes(root, (node) => removed.has(node));
}
