/**
 * What a page's own style sheets and attributes declare for its elements: only properties that can hide text, on a screen of a desk.
 * Sheets of other files are not fetched, scripts are not run. A selector that cannot be read is passed over.
 */
import { generate, ident, parse } from 'css-tree';
import { attributeOf, elementsBelow, findAll, type HtmlElement, type HtmlNode, isElement } from './dom.ts';
import type { Page } from './shape.ts';

export type Declarations = ReadonlyMap<string, string>;
export type DeclaredOf = (element: HtmlElement) => Declarations;

const hidingProperties = new Set(
  `display visibility content-visibility opacity font font-size color -webkit-text-fill-color background background-color background-image
  background-clip -webkit-background-clip clip clip-path position left right top bottom inset text-indent width height max-width max-height
  overflow overflow-x overflow-y transform scale translate filter margin-left margin-top zoom`.split(/\s+/),
);

/** All sheets of a page together; what follows is not read. Characters. */
const maxSheetChars = 6_000_000;
/** Tests of an element against a selector; rules that follow are passed over. */
const maxMatches = 5_000_000;
/** Selectors that count siblings cost as much as there are. */
const slowSelector = /:(?:nth|first|last|only)|~/;
const slowness = 200;
/** A selector of more is no selector that a person writes. Characters. */
const maxSelectorChars = 300;
const screenWidthPx = 1280;

interface Rule {
  readonly selector: string;
  readonly weight: number;
  readonly order: number;
  readonly declarations: readonly Declaration[];
}

interface Declaration {
  readonly property: string;
  readonly value: string;
  readonly isImportant: boolean;
}

/** Lower case, without comments and escapes: `dis\70lay` and `none/**\/` are what a browser takes them for. */
const plain = (css: string) =>
  ident
    .decode(css.replace(/\/\*[\s\S]*?(?:\*\/|$)/g, ''))
    .trim()
    .toLowerCase();

type Block = ReturnType<typeof parse>;

const declarationsIn = (block: Block): Declaration[] =>
  ('children' in block && block.children ? block.children.toArray() : []).flatMap((node) => {
    if (node.type !== 'Declaration') return [];
    const property = plain(node.property);
    if (!hidingProperties.has(property) && !property.startsWith('--')) return [];
    return { property, value: plain(generate(node.value)), isImportant: node.important !== false };
  });

/** Whether a condition such as `screen and (min-width: 700px)` is met by a screen; what it does not understand is not met. */
function isOnScreen(media: string): boolean {
  return plain(media)
    .split(',')
    .some((query) => {
      const parts = query.split(/\band\b/).map((part) => part.trim());
      return parts.every((part) => {
        if (/^(?:only\s+)?(?:all|screen)$/.test(part) || part === '') return true;
        const [, bound, size, unit] = /^\(\s*(min|max)-width\s*:\s*([\d.]+)(px|em|rem)\s*\)$/.exec(part) ?? [];
        const px = Number(size) * (unit === 'px' ? 1 : 16);
        return bound === 'min' ? px <= screenWidthPx : bound === 'max' && px >= screenWidthPx;
      });
    });
}

/** https://www.w3.org/TR/selectors-4/#specificity, as one number. */
function weightOf(selector: string): number {
  const bare = selector.replace(/:where\([^)]*\)/g, '').replace(/:(?:not|is|has)\(/g, ' ');
  const count = (pattern: RegExp) => Math.min(bare.match(pattern)?.length ?? 0, 99);
  return count(/#[\w-]/g) * 10_000 + count(/\.[\w-]|\[|(?<!:):[a-z]/g) * 100 + count(/(?:^|[\s>+~(])[a-z]|::/gi);
}

/** States that a page is not in when it is opened, parts that are no elements, and what costs the whole page for each element. */
const momentary =
  /::|:(?:has|hover|focus|active|visited|target|checked|before|after|first-letter|first-line|selection|placeholder|backdrop)\b/;

function rulesIn(block: Block, rules: Rule[]): void {
  for (const node of 'children' in block && block.children ? block.children.toArray() : []) {
    if (node.type === 'Atrule' && node.block) {
      const condition = node.prelude ? generate(node.prelude) : '';
      const applies = node.name === 'media' ? isOnScreen(condition) : node.name === 'layer' || node.name === 'supports';
      if (applies) rulesIn(node.block, rules);
    } else if (node.type === 'Rule') {
      const declarations = declarationsIn(node.block);
      if (declarations.length === 0) continue;
      for (const selector of generate(node.prelude).split(/,(?![^([]*[)\]])/)) {
        const trimmed = selector.trim();
        if (trimmed === '' || trimmed.length > maxSelectorChars || momentary.test(trimmed)) continue;
        rules.push({ selector: trimmed, weight: weightOf(trimmed), order: rules.length, declarations });
      }
    }
  }
}

function readSheets(root: HtmlNode): Rule[] {
  const rules: Rule[] = [];
  let room = maxSheetChars;
  for (const style of findAll(root, (element) => element.name === 'style')) {
    const css = style.children.map((child) => ('data' in child ? child.data : '')).join('');
    const media = attributeOf(style, 'media');
    room -= css.length;
    if (room < 0 || (media !== undefined && !isOnScreen(media))) continue;
    try {
      rulesIn(parse(css, { parseValue: false, parseRulePrelude: false, parseAtrulePrelude: false }), rules);
    } catch {
      // A sheet that cannot be read hides nothing that could be told.
    }
  }
  return rules.sort((one, other) => one.weight - other.weight || one.order - other.order);
}

/** Elements that a selector could mean, by the name that its last part requires; undefined where it requires none. */
function createCandidates(root: HtmlNode) {
  const byName = new Map<string, HtmlElement[]>();
  const all: HtmlElement[] = [];
  const add = (name: string, element: HtmlElement) => {
    const known = byName.get(name);
    if (known) known.push(element);
    else byName.set(name, [element]);
  };
  for (const element of elementsBelow(root)) {
    all.push(element);
    add(element.name, element);
    if (element.attribs['id']) add(`#${element.attribs['id']}`, element);
    for (const name of new Set((element.attribs['class'] ?? '').split(/\s+/))) if (name !== '') add(`.${name}`, element);
  }
  return (selector: string): readonly HtmlElement[] => {
    const last = /[^\s>+~]*$/.exec(selector.replace(/\([^)]*\)|\[[^\]]*\]/g, ''))?.[0] ?? '';
    const names = last.match(/[.#](?:[\w-]|[^\x20-\x7f])+/g) ?? /^[a-z][\w-]*/i.exec(last.toLowerCase())?.slice(0, 1) ?? [];
    const found = names.map((name) => byName.get(name) ?? []);
    // An escaped name (`.md\:hidden`) is left to the selector itself.
    if (found.length === 0 || last.includes('\\')) return all;
    return found.reduce((fewest, elements) => (elements.length < fewest.length ? elements : fewest));
  };
}

function declareAll(declared: Map<string, string>, declarations: readonly Declaration[], important: Set<string>): void {
  for (const { property, value, isImportant } of declarations) {
    if (important.has(property) && !isImportant) continue;
    if (isImportant) important.add(property);
    declared.set(property, value);
  }
}

const none: Declarations = new Map();
const variable = /var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)/;
/** Of variables in variables. */
const maxSubstitutions = 5;

/** What a value says with its variables filled in, as the page last declares them, wherever that is. */
function substituted(value: string, variables: ReadonlyMap<string, string>): string {
  let text = value;
  for (let step = 0; step < maxSubstitutions && text.includes('var('); step++)
    text = text.replace(variable, (_, name: string, fallback: string | undefined) => variables.get(name) ?? fallback?.trim() ?? '').trim();
  return text;
}

/** Declarations for each element: attributes (`hidden`, `bgcolor`), then sheets by weight, then the element's own style. */
export function readStyles(page: Page): DeclaredOf {
  const root = page.root().get(0);
  const declared = new Map<HtmlElement, Map<string, string>>();
  const important = new Map<HtmlElement, Set<string>>();
  const variables = new Map<string, string>();
  const note = (declarations: readonly Declaration[]) => {
    for (const { property, value } of declarations) if (property.startsWith('--')) variables.set(property, value);
  };
  const declare = (element: HtmlElement, declarations: readonly Declaration[]) => {
    const known = declared.get(element) ?? new Map<string, string>();
    const settled = important.get(element) ?? new Set<string>();
    declared.set(element, known);
    important.set(element, settled);
    declareAll(known, declarations, settled);
  };
  if (root === undefined) return () => none;
  for (const element of elementsBelow(root)) {
    const attribute = (property: string, value: string | undefined) => {
      if (value !== undefined) declare(element, [{ property, value: plain(value), isImportant: false }]);
    };
    if ('hidden' in element.attribs && element.attribs['hidden'] !== 'until-found') attribute('display', 'none');
    attribute('background-color', attributeOf(element, 'bgcolor'));
    if (attributeOf(element, 'background')) attribute('background-image', 'url()');
    if (element.name === 'font') attribute('color', attributeOf(element, 'color'));
  }
  const rules = readSheets(root);
  const candidatesOf = rules.length === 0 ? () => [] : createCandidates(root);
  let matches = 0;
  for (const { declarations } of rules) note(declarations);
  for (const { selector, declarations } of rules) {
    const candidates = candidatesOf(selector);
    matches += candidates.length * (slowSelector.test(selector) ? slowness : 1);
    if (candidates.length === 0 || matches > maxMatches) continue;
    try {
      for (const element of page([...candidates])
        .filter(selector)
        .toArray())
        if (isElement(element)) declare(element, declarations);
    } catch {
      // Not every selector of a browser is known here.
    }
  }
  for (const element of elementsBelow(root)) {
    const style = element.attribs['style'];
    if (style === undefined || style.length > 10_000) continue;
    const own = declarationsIn(parse(style, { context: 'declarationList', parseValue: false }));
    note(own);
    declare(element, own);
  }
  for (const values of declared.values())
    for (const [property, value] of values) if (value.includes('var(')) values.set(property, substituted(value, variables));
  return (element) => declared.get(element) ?? none;
}
