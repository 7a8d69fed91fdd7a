/**
 * The tree of a page's content → Markdown for passages: headings, paragraphs, lists, tables and code, each as plain as it can be. Written
 * here instead of by a general converter because those escape what needs no escape and know no spans, tabs, questions and anchors.
 */
import { anchorAttribute } from './anchors.ts';
import { type Block, indented, quoted, renderBlocks } from './blocks.ts';
import { codeInTable, codeOf, languageOf } from './code.ts';
import {
  attributeOf,
  childrenOf,
  classNamesOf,
  elementsBelow,
  elementsOf,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isBlock,
  isElement,
  rawTextOf,
  textOf,
} from './dom.ts';
import { createRuns, type Marks } from './inline.ts';
import type { Resolve } from './metadata.ts';
import { isLayoutTable, writeTable } from './table.ts';
import { escapeLineStart, fencedCode } from './text.ts';

/** Headings and questions are written without marks and links: they are names. */
const isBare = true;
/** Lists and quotes that lie deeper are written at this depth. */
const maxNesting = 8;
const skipped = new Set(
  'button input select textarea svg img picture iframe object embed video audio canvas hr style script template datalist'.split(' '),
);
const titleNames =
  /(?:^|-)(?:admonition|custom-block|custom-container|aside|alert|callout|hint|panel|note|rspress-directive|container|infobox)-+(?:title|heading|header|label)(?:-|$)/;

/** Where blocks stand: only those of the page itself may be headings and questions. */
interface Place {
  readonly marks: Marks;
  readonly isInside: boolean;
  readonly nesting: number;
}

const isList = ({ name }: HtmlElement) => /^(?:ul|ol|menu|dir)$/.test(name);
/** Code that a style alone makes a block. */
const isCodeBlock = (element: HtmlElement) =>
  /^(?:pre|xmp|listing|plaintext)$/.test(element.name) ||
  (element.name === 'code' && /\n\s*\S/.test(rawTextOf(element, 2_000).trim()) && elementsOf(element.parent ?? element).length === 1);

export function createMarkdownWriter(resolve: Resolve): (content: HtmlNode) => string {
  const holdsBlocks = new WeakMap<HtmlElement, boolean>();
  const hasBlocks = (element: HtmlElement): boolean => {
    const known = holdsBlocks.get(element);
    if (known !== undefined) return known;
    const found = elementsOf(element).some(
      (child) => isBlock(child) || isCodeBlock(child) || headingLevelOf(child) !== undefined || hasBlocks(child),
    );
    holdsBlocks.set(element, found);
    return found;
  };
  const lineOf = (element: HtmlElement, marks: Marks = {}, isBare = false): string => {
    const runs = createRuns(resolve, isBare);
    runs.addInside(element, marks);
    return runs.takeLine();
  };

  function flow(nodes: readonly HtmlNode[], place: Place, out: Block[]): void {
    const runs = createRuns(resolve);
    const flush = () => {
      for (const paragraph of runs.take())
        if (!isIcon.test(paragraph)) out.push({ kind: 'text', text: paragraph.split('\n').map(asLine).join('\n') });
    };
    for (const node of nodes) {
      if (!isElement(node)) runs.add(node, place.marks);
      else if (skipped.has(node.name) && node.name !== 'img') {
        if (node.name === 'hr') flush();
      } else if (isBlock(node) || isCodeBlock(node) || headingLevelOf(node) !== undefined) {
        flush();
        block(node, place, out);
      } else if (hasBlocks(node)) {
        flush();
        flow(node.children, { ...place, marks: marksAround(node, place.marks) }, out);
      } else runs.add(node, place.marks);
    }
    flush();
  }

  function marksAround(element: HtmlElement, marks: Marks): Marks {
    const href = element.name === 'a' ? resolve(attributeOf(element, 'href') ?? 'none:')?.href : undefined;
    return href === undefined ? marks : { ...marks, link: { href, isSpent: false } };
  }

  function block(element: HtmlElement, place: Place, out: Block[]): void {
    const level = headingLevelOf(element);
    if (level !== undefined) heading(element, level, place, out);
    else if (isCodeBlock(element)) code(element, out);
    else if (isList(element)) list(element, place, out);
    else if (element.name === 'li') items([element], undefined, place, out);
    else if (element.name === 'table') table(element, place, out);
    else if (element.name === 'dl') definitions(element, place, out);
    else if (element.name === 'blockquote') quote(element, place, out);
    else if (element.name === 'details') details(element, place, out);
    else if (element.name === 'x-question' || element.name === 'summary') question(element, undefined, place, out);
    else if (element.name === 'x-label' || isTitle(element)) label(element, out);
    else {
      flow(element.children, place, out);
      if (element.name === 'x-answer') out.push({ kind: 'answer-end', text: '' });
    }
  }

  const isTitle = (element: HtmlElement) =>
    !hasBlocks(element) && classNamesOf(element).some((name) => titleNames.test(name)) && textOf(element, 201).length < 200;

  function label(element: HtmlElement, out: Block[]): void {
    const text = lineOf(element, { strong: true });
    if (text !== '') out.push({ kind: 'text', text });
  }

  function heading(element: HtmlElement, level: number, place: Place, out: Block[]): void {
    if (place.isInside) {
      label(element, out);
      return;
    }
    const text = lineOf(element, {}, isBare);
    if (text !== '') out.push({ kind: 'heading', text, level, anchor: element.attribs[anchorAttribute] });
  }

  function question(element: HtmlElement, anchor: string | undefined, place: Place, out: Block[]): void {
    const inner = [...elementsBelow(element)].find((child) => headingLevelOf(child) !== undefined);
    if (inner !== undefined) {
      flow(element.children, place, out);
      return;
    }
    if (place.isInside) {
      label(element, out);
      return;
    }
    const text = lineOf(element, {}, isBare);
    if (text !== '') out.push({ kind: 'question', text, anchor });
  }

  function details(element: HtmlElement, place: Place, out: Block[]): void {
    const summary = elementsOf(element).find((child) => child.name === 'summary');
    if (summary !== undefined) question(summary, attributeOf(element, 'id'), place, out);
    flow(
      element.children.filter((child) => child !== summary),
      place,
      out,
    );
    out.push({ kind: 'answer-end', text: '' });
  }

  function code(element: HtmlElement, out: Block[]): void {
    const variants = elementsOf(element).filter((child) => child.name === 'code' && textOf(child, 20) !== '');
    if (element.name === 'pre' && variants.length > 1 && variants.every((variant) => rawTextOf(variant).includes('\n'))) {
      for (const variant of variants) code(variant, out);
      return;
    }
    const text = codeOf(element);
    if (text !== '') out.push({ kind: 'text', text: fencedCode(text, languageOf(element)) });
  }

  const inner = (place: Place): Place => ({ marks: place.marks, isInside: true, nesting: place.nesting + 1 });
  const blocksOf = (element: HtmlElement, place: Place): Block[] => {
    const blocks: Block[] = [];
    flow(element.children, place, blocks);
    return blocks;
  };

  function quote(element: HtmlElement, place: Place, out: Block[]): void {
    const text = renderBlocks(blocksOf(element, inner(place)));
    if (text !== '') out.push({ kind: 'text', text: place.nesting < maxNesting ? quoted(text) : text });
  }

  function list(element: HtmlElement, place: Place, out: Block[]): void {
    const isOrdered = element.name === 'ol';
    const children = elementsOf(element).filter((child) => child.name === 'li' || textOf(child, 20) !== '');
    const steps = children.filter((child) => startsWithHeading(child));
    if (!place.isInside && steps.length > 0 && steps.length * 2 >= children.length) {
      // Steps under headings of their own are sections.
      for (const child of children) flow(child.children, place, out);
      return;
    }
    const start = Number(attributeOf(element, 'start') ?? 1);
    items(children, isOrdered ? (Number.isInteger(start) && start >= 0 ? start : 1) : undefined, place, out);
  }

  const startsWithHeading = (item: HtmlElement): boolean => {
    const first = childrenOf(item).find((child) => textOf(child, 20) !== '');
    return (
      isElement(first) && (headingLevelOf(first) !== undefined || (/^(?:div|section|header)$/.test(first.name) && startsWithHeading(first)))
    );
  };

  /** @param start number of the first item; undefined for bullets */
  function items(elements: readonly HtmlElement[], start: number | undefined, place: Place, out: Block[]): void {
    const written: string[] = [];
    let number = start ?? 0;
    for (const item of elements) {
      const value = Number(attributeOf(item, 'value') ?? Number.NaN);
      if (Number.isInteger(value) && value >= 0) number = value;
      const blocks = blocksOf(item, inner(place));
      // Numbers of steps that are drawn by the page are numbers of items.
      const drawn = start === undefined && blocks.length > 1 ? /^(\d{1,2})\.?$/.exec(blocks[0]?.text ?? '')?.[1] : undefined;
      const text = renderBlocks(drawn === undefined ? blocks : blocks.slice(1), true);
      if (text === '') continue;
      const marker = `${drawn === undefined ? (start === undefined ? '-' : `${number}.`) : `${drawn}.`} `;
      written.push(place.nesting < maxNesting ? marker + indented(taskMark(item) + text, marker.length) : taskMark(item) + text);
      number++;
    }
    const isLoose = written.some((item) => item.includes('\n\n'));
    if (written.length > 0) out.push({ kind: 'list', text: written.join(isLoose ? '\n\n' : '\n') });
  }

  function taskMark(item: HtmlElement): string {
    const box = [...elementsOf(item), ...elementsOf(item).flatMap(elementsOf)].find(
      (child) => child.name === 'input' && child.attribs['type'] === 'checkbox',
    );
    return box === undefined ? '' : 'checked' in box.attribs ? '[x] ' : '[ ] ';
  }

  /** Each term with what is said of it, as one item. */
  function definitions(element: HtmlElement, place: Place, out: Block[]): void {
    const parts = elementsOf(element).flatMap((child) => (child.name === 'div' ? elementsOf(child) : [child]));
    if (parts.every((part) => part.name !== 'dt' || /[?？]$/.test(textOf(part)))) {
      for (const part of parts) {
        if (part.name === 'dt') question(part, attributeOf(part, 'id'), place, out);
        else flow([part], place, out);
        if (part.name === 'dd') out.push({ kind: 'answer-end', text: '' });
      }
      return;
    }
    const written: string[] = [];
    let terms: HtmlElement[] = [];
    const write = (descriptions: readonly Block[]) => {
      const isAsked = terms.some((term) => /[?？:：.]$/.test(textOf(term)));
      const term = terms
        .map((part) => lineOf(part, [...elementsBelow(part)].some((child) => child.name === 'code') ? {} : { strong: true }, isBare))
        .filter(Boolean)
        .join(', ');
      const [first, ...others] = descriptions;
      const isShort = first?.kind === 'text' && !/^(?:`{3}|\||>)/.test(first.text);
      const head = term === '' || !isShort ? term : `${term}${isAsked ? '' : ':'} ${first.text}`;
      const text = renderBlocks([{ kind: 'text', text: head || (isShort ? first.text : '') }, ...(isShort ? others : descriptions)]);
      if (text !== '') written.push(place.nesting < maxNesting ? `- ${indented(text, 2)}` : text);
      terms = [];
    };
    let isDescribed = true;
    for (const part of parts) {
      if (part.name === 'dd') {
        write(blocksOf(part, inner(place)));
        isDescribed = true;
      } else if (textOf(part, 20) !== '') {
        if (isDescribed) terms = [];
        terms.push(part);
        isDescribed = false;
      }
    }
    if (terms.length > 0) write([]);
    const isLoose = written.some((item) => item.includes('\n\n'));
    if (written.length > 0) out.push({ kind: 'list', text: written.join(isLoose ? '\n\n' : '\n') });
  }

  function table(element: HtmlElement, place: Place, out: Block[]): void {
    const onlyCode = codeInTable(element);
    if (onlyCode !== undefined) {
      for (const head of elementsBelow(element)) if (head.name === 'th') label(head, out);
      code(onlyCode, out);
      return;
    }
    if (!isLayoutTable(element)) {
      const written = writeTable(element, lineOf);
      if (written.caption !== '') out.push({ kind: 'text', text: written.caption });
      if (written.rows !== '') out.push({ kind: 'text', text: written.rows });
      return;
    }
    for (const child of elementsBelow(element)) {
      const isCell = /^(?:td|th|caption)$/.test(child.name);
      const isOwn = isCell && closest(child, 'table') === element;
      if (isOwn) flow(child.children, place, out);
    }
  }

  return (content) => {
    const out: Block[] = [];
    flow(isElement(content) && content.name === 'table' ? [content] : childrenOf(content), { marks: {}, isInside: false, nesting: 0 }, out);
    return renderBlocks(out);
  };
}

const closest = (element: HtmlElement, name: string): HtmlElement | undefined => {
  for (let at = element.parent; at !== null; at = at.parent) if (isElement(at) && at.name === name) return at;
  return undefined;
};

/** A picture or a number that stands alone says nothing. */
const isIcon = /^\d{1,4}$|^(?:\p{Extended_Pictographic}|\ufe0f|\s)+$/u;

/** Bullets that were typed are bullets. */
const asLine = (line: string) => escapeLineStart(line.replace(/^[•‣◦▪●]\s*/, '- '));
