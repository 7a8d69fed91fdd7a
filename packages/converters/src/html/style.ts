/**
 * CSS declarations of the page that can hide text or set it apart, for a desktop screen. Reads style sheets in the
 * page, attributes and inline styles. Does not fetch external sheets or run scripts. Skips invalid
 * selectors.
 */

import type { Atrule, CssNode } from 'css-tree';
import generate from 'css-tree/generator';
import parse from 'css-tree/parser';
import { ident } from 'css-tree/utils';
import {
  attributeOf,
  elementsBelow,
  type HtmlElement,
  isElement,
  named,
  type Page,
  pageRoot,
} from './dom.ts';

export type Declarations = ReadonlyMap<string, string>;
export type DeclaredOf = (element: HtmlElement) => Declarations;

const readProperties = new Set(
  `display visibility content-visibility opacity font font-size color -webkit-text-fill-color background background-color background-image
  background-clip -webkit-background-clip clip clip-path position left right top bottom inset text-indent width height max-width max-height
  overflow overflow-x overflow-y transform scale translate filter margin margin-left margin-right margin-top zoom float vertical-align
  text-decoration text-decoration-line list-style list-style-type`.split(/\s+/),
);

const screenWidthPx = 1280;

type Rule = Readonly<{
  selector: string;
  weight: number;
  declarations: readonly Declaration[];
}>;

type Declaration = Readonly<ReturnType<typeof declarationsIn>[number]>;

/**
 * Normalizes like a browser: lower case, without comments and escapes (`dis\70lay`, `none/**\/`).
 */
const plain = (css: string) =>
  ident
    .decode(css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ''))
    .trim()
    .toLowerCase();

const nodesOf = (block: CssNode) =>
  'children' in block && block.children ? block.children.toArray() : [];

const declarationsIn = (block: CssNode) =>
  nodesOf(block).flatMap((node) => {
    if (node.type !== 'Declaration') return [];
    const property = plain(node.property);
    if (!readProperties.has(property) && !property.startsWith('--')) return [];
    return { property, value: plain(generate(node.value)), isImportant: node.important !== false };
  });

/** Whether a desktop screen matches a media query. Unknown conditions do not match. */
function isOnScreen(media: string) {
  return plain(media)
    .split(',')
    .some((query) => {
      const parts = query.split(/\band\b/).map((part) => part.trim());
      return parts.every((part) => {
        if (/^(?:only\s+)?(?:all|screen)$/.test(part) || part === '') return true;
        const [, bound, size, unit] =
          /^\(\s*(min|max)-width\s*:\s*([\d.]+)(px|em|rem)\s*\)$/.exec(part) ?? [];
        const px = Number(size) * (unit === 'px' ? 1 : 16);
        return bound === 'min' ? px <= screenWidthPx : bound === 'max' && px >= screenWidthPx;
      });
    });
}

/** https://www.w3.org/TR/selectors-4/#specificity, as one number. */
function weightOf(selector: string) {
  const bare = selector.replace(/:where\([^)]{0,300}\)/g, '').replace(/:(?:not|is|has)\(/g, ' ');
  const count = (pattern: RegExp) => Math.min(bare.match(pattern)?.length ?? 0, 99);
  return (
    count(/#[\w-]/g) * 10_000 +
    count(/\.[\w-]|\[|(?<!:):[a-z]/g) * 100 +
    count(/(?:^|[\s>+~(])[a-z]|::/gi)
  );
}

/** Transient states, pseudo-elements, and selectors that test the whole page for each element. */
const ignoredSelector =
  /::|:(?:has|hover|focus|active|visited|target|checked|before|after|first-letter|first-line|selection|placeholder|backdrop)\b/;

/** Whether the rules of `@media` and similar blocks apply. */
const isInForce = ({ name, prelude }: Atrule) =>
  name === 'media'
    ? isOnScreen(prelude ? generate(prelude) : '')
    : name === 'layer' || name === 'supports';

function* rulesIn(block: CssNode): Generator<Rule> {
  for (const node of nodesOf(block)) {
    if (node.type === 'Atrule' && node.block && isInForce(node)) yield* rulesIn(node.block);
    if (node.type !== 'Rule') continue;
    const declarations = declarationsIn(node.block);
    const selectors = declarations.length === 0 ? [] : selectorsIn(generate(node.prelude));
    for (const selector of selectors) yield { selector, weight: weightOf(selector), declarations };
  }
}

const selectorsIn = (list: string) =>
  list
    .split(/,(?![^([]*[)\]])/)
    .map((selector) => selector.trim())
    .filter((selector) => selector && selector.length <= 300 && !ignoredSelector.test(selector));

function readSheets(elements: readonly HtmlElement[]) {
  const rules: Rule[] = [];
  // In characters, for all sheets of a page. Later sheets are ignored.
  let charsLeft = 6_000_000;
  for (const style of elements.filter(named('style'))) {
    const css = style.children.map((child) => ('data' in child ? child.data : '')).join('');
    const media = attributeOf(style, 'media');
    charsLeft -= css.length;
    if (charsLeft < 0 || (media && !isOnScreen(media))) continue;
    try {
      const sheet = parse(css, {
        parseValue: false,
        parseRulePrelude: false,
        parseAtrulePrelude: false,
      });
      for (const rule of rulesIn(sheet)) rules.push(rule);
    } catch {
      // An invalid sheet is ignored.
    }
  }
  return rules.sort((one, other) => one.weight - other.weight);
}

/**
 * Returns elements with the name, id or class that the last part of a selector requires; all
 * elements if it requires none.
 */
function createCandidates(elements: readonly HtmlElement[]) {
  const byName = new Map<string, HtmlElement[]>();
  for (const element of elements) {
    const classes = (element.attribs['class'] ?? '').split(/\s+/).map((name) => `.${name}`);
    for (const name of new Set([element.name, `#${element.attribs['id'] ?? ''}`, ...classes])) {
      const known = byName.get(name);
      if (known) known.push(element);
      else byName.set(name, [element]);
    }
  }
  return (selector: string) => {
    const last =
      /(?<![^\s>+~])[^\s>+~]*$/.exec(selector.replace(/\([^)]*\)|\[[^\]]*\]/g, ''))?.[0] ?? '';
    const names =
      last.match(/[.#](?:[\w-]|[^\x20-\x7f])+/g) ??
      /^[a-z][\w-]*/i.exec(last.toLowerCase())?.slice(0, 1) ??
      [];
    const found = names.map((name) => byName.get(name) ?? []);
    // Escaped names (`.md\:hidden`) are not in the index.
    if (found.length === 0 || last.includes('\\')) return elements;
    return found.reduce((fewest, named) => (named.length < fewest.length ? named : fewest));
  };
}

/** Returns a function that finds the elements of a selector, until that would take too long. */
function createMatcher(page: Page, elements: readonly HtmlElement[]) {
  const candidatesOf = createCandidates(elements);
  let matches = 0;
  return (selector: string): readonly HtmlElement[] => {
    const candidates = candidatesOf(selector);
    // The cost of these grows with the number of siblings.
    matches += candidates.length * (/:(?:nth|first|last|only)|~/.test(selector) ? 200 : 1);
    // Later rules are ignored.
    if (candidates.length === 0 || matches > 5_000_000) return [];
    try {
      return page([...candidates])
        .filter(selector)
        .toArray()
        .filter(isElement);
    } catch {
      // The selector engine does not support every valid selector.
      return [];
    }
  };
}

function attributesOf(element: HtmlElement) {
  const { hidden, bgcolor, background, color } = element.attribs;
  const declared = [
    ['display', hidden === undefined || hidden === 'until-found' ? undefined : 'none'],
    ['background-color', bgcolor],
    ['background-image', background ? 'url()' : undefined],
    ['color', element.name === 'font' ? color : undefined],
  ] as const;
  return declared.flatMap(([property, value]) =>
    value ? [{ property, value: plain(value), isImportant: false }] : [],
  );
}

function ownStyleOf(element: HtmlElement) {
  const style = element.attribs['style'];
  if (!style || style.length > 10_000) return [];
  return declarationsIn(parse(style, { context: 'declarationList', parseValue: false }));
}

const none: Declarations = new Map();

/** Replaces CSS variables by their last declaration anywhere in the page. */
function substituted(value: string, variables: ReadonlyMap<string, string>) {
  let text = value;
  // Variables may nest.
  for (let step = 0; step < 5 && text.includes('var('); step++)
    text = text
      .replace(
        /var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)/,
        (_, name: string, fallback: string | undefined) =>
          variables.get(name) ?? fallback?.trim() ?? '',
      )
      .trim();
  return text;
}

/**
 * Declarations by element. Inline styles override sheets (by specificity), which override
 * attributes (`hidden`, `bgcolor`).
 */
export function readStyles(page: Page): DeclaredOf {
  const elements = [...elementsBelow(pageRoot(page))];
  const byElement = new Map<HtmlElement, Map<string, Declaration>>();
  const variables = new Map<string, string>();
  const declare = (element: HtmlElement, declarations: readonly Declaration[]) => {
    const values = byElement.get(element) ?? new Map<string, Declaration>();
    byElement.set(element, values);
    for (const declared of declarations)
      if (declared.isImportant || !values.get(declared.property)?.isImportant)
        values.set(declared.property, declared);
  };
  const apply = (declarations: readonly Declaration[], matched: readonly HtmlElement[]) => {
    for (const { property, value } of declarations)
      if (property.startsWith('--')) variables.set(property, value);
    if (declarations.length > 0) for (const element of matched) declare(element, declarations);
  };
  for (const element of elements) apply(attributesOf(element), [element]);
  const rules = readSheets(elements);
  const matching = createMatcher(page, rules.length > 0 ? elements : []);
  for (const { selector, declarations } of rules) apply(declarations, matching(selector));
  for (const element of elements) apply(ownStyleOf(element), [element]);
  const declared = new Map(
    [...byElement].map(([element, values]) => [
      element,
      new Map(
        [...values].map(([property, { value }]) => [property, substituted(value, variables)]),
      ),
    ]),
  );
  return (element) => declared.get(element) ?? none;
}
