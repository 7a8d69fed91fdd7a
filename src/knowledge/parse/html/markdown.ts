/**
 * The tree of a page's content → Markdown for passages: headings, paragraphs, lists, tables and code, each as plain as it can be. Written
 * here instead of by a general converter because those escape what needs no escape and know no spans, tabs, questions and anchors.
 */
import { anchorAttribute } from './anchors.ts';
import { type Block, quoted, renderBlocks } from './blocks.ts';
import { codeInTable, codeOf, isNameOfLanguage, languageOf } from './code.ts';
import {
  attributeOf,
  childrenOf,
  classNamesOf,
  elementsBelow,
  elementsOf,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isBlock,
  isElement,
  rawTextOf,
  textOf,
} from './dom.ts';
import { createRuns, type Marks } from './inline.ts';
import { inside, maxNesting, type Place, page, type Writing, writeDefinitions, writeItems, writeList } from './lists.ts';
import type { Resolve } from './metadata.ts';
import { isLayoutTable, writeTable } from './table.ts';
import { escapeLineStart, fencedCode } from './text.ts';

const skipped = new Set(
  'button input select textarea svg img picture iframe object embed video audio canvas hr style script template datalist'.split(' '),
);
const titleNames =
  /(?:^|-)(?:admonition|custom-block|custom-container|aside|alert|callout|hint|panel|note|rspress-directive|container|infobox)-+(?:title|heading|header|label)(?:-|$)/;

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
  const lineOf: Writing['lineOf'] = (element, { marks = {}, isBare = false } = {}) => {
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
    else if (isList(element)) writeList(element, place, out, writing);
    else if (element.name === 'li') writeItems([element], undefined, place, out, writing);
    else if (element.name === 'table') table(element, place, out);
    else if (element.name === 'dl') writeDefinitions(element, place, out, writing);
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
    const text = lineOf(element, { marks: { strong: true } });
    if (text !== '') out.push({ kind: 'text', text });
  }

  function heading(element: HtmlElement, level: number, place: Place, out: Block[]): void {
    const text = place.isInside ? '' : lineOf(element, { isBare: true });
    if (place.isInside) label(element, out);
    else if (text !== '') out.push({ kind: 'heading', text, level, anchor: element.attribs[anchorAttribute] });
  }

  function question(element: HtmlElement, anchor: string | undefined, place: Place, out: Block[]): void {
    const text = lineOf(element, { isBare: true }).replace(openingMark, '');
    if (findFirst(element, (inner) => headingLevelOf(inner) !== undefined)) flow(element.children, place, out);
    else if (place.isInside) label(element, out);
    else if (text !== '') out.push({ kind: 'question', text, anchor });
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
    if (text === '') return;
    const language = languageOf(element);
    if (isNameOfLanguage(out.at(-1)?.text ?? '', language)) out.pop();
    out.push({ kind: 'text', text: fencedCode(text, language) });
  }

  function quote(element: HtmlElement, place: Place, out: Block[]): void {
    const blocks: Block[] = [];
    flow(element.children, inside(place), blocks);
    const text = renderBlocks(blocks);
    if (text !== '') out.push({ kind: 'text', text: place.nesting < maxNesting ? quoted(text) : text });
  }

  function table(element: HtmlElement, place: Place, out: Block[]): void {
    const onlyCode = codeInTable(element);
    if (onlyCode !== undefined) {
      for (const head of elementsBelow(element)) if (head.name === 'th') label(head, out);
      code(onlyCode, out);
    } else if (!isLayoutTable(element)) {
      const written = writeTable(element, (cell) => lineOf(cell));
      if (written.caption !== '') out.push({ kind: 'text', text: written.caption });
      if (written.rows !== '') out.push({ kind: 'text', text: written.rows });
    } else {
      for (const child of elementsBelow(element)) {
        const isCell = /^(?:td|th|caption)$/.test(child.name);
        if (isCell && closest(child, 'table') === element) flow(child.children, place, out);
      }
    }
  }

  const writing: Writing = { flow, lineOf, question };
  return (content) => {
    const out: Block[] = [];
    flow(isElement(content) && content.name === 'table' ? [content] : childrenOf(content), page, out);
    return renderBlocks(out);
  };
}

const closest = (element: HtmlElement, name: string): HtmlElement | undefined => {
  for (let at = element.parent; at !== null; at = at.parent) if (isElement(at) && at.name === name) return at;
  return undefined;
};

/** Drawn beside a question to show that it can be opened. */
const openingMark = /^(?:\\?[+−–×▸▾▼►▶⌄]\s*)+|(?:\s*[+−–×▸▾▼►▶⌄])+$/g;

/** A picture that stands alone says nothing. */
const isIcon = /^(?:\p{Extended_Pictographic}|\ufe0f|\s)+$/u;

/** Bullets that were typed are bullets. */
const asLine = (line: string) => escapeLineStart(line.replace(/^[•‣◦▪●]\s*/, '- '));
