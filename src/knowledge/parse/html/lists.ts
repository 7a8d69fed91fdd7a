/** Lists of a page → Markdown: bullets, numbers as the page counts, boxes to tick, terms with what is said of them, steps that are sections. */
import { type Block, indented, renderBlocks } from './blocks.ts';
import {
  attributeOf,
  childrenOf,
  elementsOf,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isElement,
  textOf,
} from './dom.ts';
import type { Marks } from './inline.ts';

/** Where blocks stand: only those of the page itself may be headings and questions. */
export interface Place {
  readonly marks: Marks;
  readonly isInside: boolean;
  readonly nesting: number;
}

/** What lists need of the writer that they belong to. */
export interface Writing {
  flow(nodes: readonly HtmlNode[], place: Place, out: Block[]): void;
  /** Text of an element as one line; `isBare` without marks and links. */
  lineOf(element: HtmlElement, options?: { readonly marks?: Marks; readonly isBare?: boolean }): string;
  question(element: HtmlElement, anchor: string | undefined, place: Place, out: Block[]): void;
}

/** Lists and quotes that lie deeper are written at this depth. */
export const maxNesting = 8;
export const page: Place = { marks: {}, isInside: false, nesting: 0 };
export const inside = (place: Place): Place => ({ marks: place.marks, isInside: true, nesting: place.nesting + 1 });

const blocksInside = (element: HtmlElement, place: Place, writing: Writing): Block[] => {
  const blocks: Block[] = [];
  writing.flow(element.children, inside(place), blocks);
  return blocks;
};

const joinItems = (items: readonly string[], out: Block[]): void => {
  const isLoose = items.some((item) => item.includes('\n\n'));
  if (items.length > 0) out.push({ kind: 'list', text: items.join(isLoose ? '\n\n' : '\n') });
};

function startsWithHeading(item: HtmlElement): boolean {
  const first = childrenOf(item).find((child) => textOf(child, 20) !== '');
  if (!isElement(first)) return false;
  return headingLevelOf(first) !== undefined || (/^(?:div|section|header)$/.test(first.name) && startsWithHeading(first));
}

export function writeList(element: HtmlElement, place: Place, out: Block[], writing: Writing): void {
  const children = elementsOf(element).filter((child) => child.name === 'li' || textOf(child, 20) !== '');
  const steps = children.filter(startsWithHeading).length;
  if (!place.isInside && steps > 0 && steps * 2 >= children.length) {
    for (const child of children) writing.flow(child.children, place, out);
    return;
  }
  const start = Number(attributeOf(element, 'start') ?? 1);
  writeItems(children, element.name === 'ol' ? (Number.isInteger(start) && start >= 0 ? start : 1) : undefined, place, out, writing);
}

/** @param start number of the first item; undefined for bullets */
export function writeItems(
  elements: readonly HtmlElement[],
  start: number | undefined,
  place: Place,
  out: Block[],
  writing: Writing,
): void {
  const written: string[] = [];
  let number = start ?? 0;
  for (const item of elements) {
    const value = Number(attributeOf(item, 'value') ?? Number.NaN);
    if (Number.isInteger(value) && value >= 0) number = value;
    const blocks = blocksInside(item, place, writing);
    // Numbers of steps that are drawn by the page are numbers of items.
    const drawn = start === undefined && blocks.length > 1 ? /^(\d{1,2})\.?$/.exec(blocks[0]?.text ?? '')?.[1] : undefined;
    const text = renderBlocks(drawn === undefined ? blocks : blocks.slice(1), true);
    if (text === '') continue;
    const marker = drawn !== undefined ? `${drawn}. ` : start === undefined ? '- ' : `${number}. `;
    written.push(place.nesting < maxNesting ? marker + indented(taskMark(item) + text, marker.length) : taskMark(item) + text);
    number++;
  }
  joinItems(written, out);
}

function taskMark(item: HtmlElement): string {
  const near = [...elementsOf(item), ...elementsOf(item).slice(0, 2).flatMap(elementsOf)];
  const box = near.find((child) => child.name === 'input' && child.attribs['type'] === 'checkbox');
  return box === undefined ? '' : 'checked' in box.attribs ? '[x] ' : '[ ] ';
}

/** Each term with what is said of it, as one item; terms that ask are questions. */
export function writeDefinitions(list: HtmlElement, place: Place, out: Block[], writing: Writing): void {
  const parts = elementsOf(list).flatMap((child) => (child.name === 'div' ? elementsOf(child) : [child]));
  if (parts.every((part) => part.name !== 'dt' || /[?？]$/.test(textOf(part)))) {
    for (const part of parts) {
      if (part.name === 'dt') writing.question(part, attributeOf(part, 'id'), place, out);
      else writing.flow([part], place, out);
      if (part.name === 'dd') out.push({ kind: 'answer-end', text: '' });
    }
    return;
  }
  const written: string[] = [];
  let terms: HtmlElement[] = [];
  let isDescribed = true;
  const write = (descriptions: readonly Block[]) => {
    const text = renderBlocks(describe(terms, descriptions, writing));
    if (text !== '') written.push(place.nesting < maxNesting ? `- ${indented(text, 2)}` : text);
    terms = [];
  };
  for (const part of parts) {
    if (part.name === 'dd') {
      write(blocksInside(part, place, writing));
      isDescribed = true;
    } else if (textOf(part, 20) !== '') {
      if (isDescribed) terms = [];
      terms.push(part);
      isDescribed = false;
    }
  }
  if (terms.length > 0) write([]);
  joinItems(written, out);
}

/** The terms, and on their line what is said of them where that begins with a sentence. */
function describe(terms: readonly HtmlElement[], descriptions: readonly Block[], { lineOf }: Writing): Block[] {
  const isCode = (term: HtmlElement) => findFirst(term, (inner) => inner.name === 'code') !== undefined;
  const line = terms
    .map((term) => lineOf(term, { isBare: true, marks: isCode(term) ? {} : { strong: true } }))
    .filter((term) => term !== '');
  const [first, ...others] = descriptions;
  const term = line.join(', ');
  if (term === '') return [...descriptions];
  if (first?.kind !== 'text' || /^(?:`{3}|\||>)/.test(first.text)) return [{ kind: 'text', text: term }, ...descriptions];
  const isEnded = terms.some((part) => /[?？:：.]$/.test(textOf(part)));
  return [{ kind: 'text', text: `${term}${isEnded ? '' : ':'} ${first.text}` }, ...others];
}
