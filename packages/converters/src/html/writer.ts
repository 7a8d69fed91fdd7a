/**
 * Content of a page → Markdown for passages. General converters escape too much and do not handle
 * spans, tabs, questions and anchors.
 */
import { plainHeading } from '../../../shared/src/markdown/headings.ts';
import { isLettered, listLabel } from '../list-label.ts';
import { anchorSuffix, fencedCode } from '../markdown/markup-elements.ts';
import { anchorAttribute } from './anchors.ts';
import { codeInTable, codeLanguageOf, codeOf } from './code.ts';
import {
  ancestorsOf,
  attributeOf,
  childrenOf,
  elementsOf,
  findAll,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isAsking,
  isBlock,
  isElement,
  isList,
  textOf,
} from './dom.ts';
import { escapeLineStart, InlineRuns, isSkipped, type Marks } from './inline.ts';
import type { ResolveUrl } from './metadata.ts';
import { isLayoutTable, writeHtmlTable } from './table.ts';

interface HtmlBlock {
  /** `answer-end` follows the answer to the previous question. */
  readonly kind: 'text' | 'list' | 'heading' | 'question' | 'answer-end';
  readonly text: string;
  /** Heading level from 1. */
  readonly level?: number;
  readonly anchor?: string | undefined;
}

/** Only blocks outside of lists, quotes and tables may be headings and questions. */
interface WriteContext {
  readonly marks: Marks;
  readonly nesting: number;
  readonly resolve: ResolveUrl;
  /** Cache of `hasBlocks`. */
  readonly holdsBlocks: WeakMap<HtmlElement, boolean>;
}

/** Deeper lists and quotes are written at this depth. */
const maxNesting = 8;
const nested = (context: WriteContext): WriteContext => ({
  ...context,
  nesting: context.nesting + 1,
});

const indented = (text: string, width: number): string =>
  text.replace(/\n(?!\n|$)/g, `\n${' '.repeat(width)}`);
const quoted = (text: string): string => text.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>');

/**
 * Makes a question a heading if a heading or the end follows its answer; otherwise bold, because a
 * heading would include later text.
 */
function resolveQuestions(blocks: readonly HtmlBlock[]): HtmlBlock[] {
  const settled: HtmlBlock[] = [];
  /** Whether only headings or the end follow. */
  let isClosed = true;
  const answers: boolean[] = [];
  for (const block of blocks.toReversed()) {
    if (block.kind === 'answer-end') answers.push(isClosed);
    else if (block.kind === 'question') {
      isClosed = (answers.pop() ?? isClosed) && isAsking(block.text);
      settled.push(
        isClosed ? { ...block, kind: 'heading' } : { kind: 'text', text: `**${block.text}**` },
      );
    } else {
      isClosed = block.kind === 'heading';
      settled.push(block);
    }
  }
  let level = 1;
  return settled.toReversed().map((block) => {
    if (block.kind !== 'heading') return block;
    if (block.level === undefined) return { ...block, level: Math.min(level + 1, 6) };
    level = block.level;
    return block;
  });
}

/** @param isTight omits the blank line between text and a nested list */
function renderBlocks(blocks: readonly HtmlBlock[], isTight = false): string {
  let text = '';
  let before: HtmlBlock['kind'] | undefined;
  for (const { kind, text: content, level = 1, anchor } of resolveQuestions(blocks)) {
    const line =
      kind === 'heading'
        ? `${'#'.repeat(level)} ${content}${anchorSuffix(plainHeading(content), anchor)}`
        : content;
    if (line.trim() === '') continue;
    if (before !== undefined)
      text += isTight && before === 'text' && kind === 'list' ? '\n' : '\n\n';
    text += line;
    before = kind;
  }
  return text;
}

const isCodeBlock = ({ name }: HtmlElement) => /^(?:pre|xmp|listing|plaintext)$/.test(name);

/** Symbols that mark a question as expandable. */
const openingMark = /^(?:\\?[+−–×▸▾▼►▶⌄]\s*)+|(?<![\s+−–×▸▾▼►▶⌄])(?:\s*[+−–×▸▾▼►▶⌄])+$/g;
/** A paragraph of emoji without text is omitted. */
const isIcon = /^(?:\p{Extended_Pictographic}|\ufe0f|\s)+$/u;
/** Converts typed bullets. */
const asLine = (line: string) => escapeLineStart(line.replace(/^[•‣◦▪●]\s*/, '- '));

function startsWithHeading(item: HtmlElement): boolean {
  const first = childrenOf(item).find((child) => textOf(child, 20) !== '');
  if (!isElement(first)) return false;
  return (
    headingLevelOf(first) !== undefined ||
    (/^(?:div|section|header)$/.test(first.name) && startsWithHeading(first))
  );
}

function taskMark(item: HtmlElement): string {
  const near = [...elementsOf(item), ...elementsOf(item).slice(0, 2).flatMap(elementsOf)];
  const box = near.find((child) => child.name === 'input' && child.attribs['type'] === 'checkbox');
  return box === undefined ? '' : 'checked' in box.attribs ? '[x] ' : '[ ] ';
}

const isWholeNumber = (number: number) => Number.isInteger(number) && number >= 0;

const startsBlock = (element: HtmlElement) => isBlock(element) || isCodeBlock(element);

function hasBlocks(element: HtmlElement, context: WriteContext): boolean {
  const found =
    context.holdsBlocks.get(element) ??
    elementsOf(element).some((child) => startsBlock(child) || hasBlocks(child, context));
  context.holdsBlocks.set(element, found);
  return found;
}

/** Text of an element on one line. @param isBare omits marks and links */
function lineOf(
  element: HtmlElement,
  { resolve }: WriteContext,
  marks: Marks = {},
  isBare = false,
): string {
  const runs = new InlineRuns(resolve, isBare);
  runs.addInside(element, marks);
  return runs.takeLine();
}

function flow(nodes: readonly HtmlNode[], context: WriteContext): HtmlBlock[] {
  const out: HtmlBlock[] = [];
  const runs = new InlineRuns(context.resolve);
  const flush = () => {
    const paragraphs = runs.takeParagraphs().filter((paragraph) => !isIcon.test(paragraph));
    out.push(
      ...paragraphs.map((paragraph) => textBlock(paragraph.split('\n').map(asLine).join('\n'))),
    );
  };
  for (const node of nodes) {
    if (!isElement(node)) runs.add(node, context.marks);
    else if (isSkipped(node) && node.name !== 'hr') continue;
    else if (startsBlock(node) || hasBlocks(node, context)) {
      flush();
      for (const block of blocksOf(node, context)) out.push(block);
    } else runs.add(node, context.marks);
  }
  flush();
  return out;
}

function marksAround(element: HtmlElement, { marks, resolve }: WriteContext): Marks {
  const href =
    element.name === 'a' ? resolve(attributeOf(element, 'href') ?? 'none:')?.href : undefined;
  return href === undefined ? marks : { ...marks, link: { href, isWritten: false } };
}

const textBlock = (text: string): HtmlBlock => ({ kind: 'text', text });
const answerEnd: HtmlBlock = { kind: 'answer-end', text: '' };

function blocksOf(element: HtmlElement, context: WriteContext): HtmlBlock[] {
  const level = headingLevelOf(element);
  if (level !== undefined) return heading(element, level, context);
  if (isCodeBlock(element)) return code(element);
  if (isList(element)) return list(element, context);
  if (element.name === 'li') return [itemsOf([element], undefined, context)];
  if (element.name === 'table') return table(element, context);
  if (element.name === 'dl') return definitions(element, context);
  if (element.name === 'blockquote') return [quote(element, context)];
  if (element.name === 'details') return details(element, context);
  if (element.name === 'x-question' || element.name === 'summary')
    return question(element, undefined, context);
  if (element.name === 'x-label') return [label(element, context)];
  if (element.name === 'x-answer') return [...flow(element.children, context), answerEnd];
  return flow(element.children, { ...context, marks: marksAround(element, context) });
}

const label = (element: HtmlElement, context: WriteContext) =>
  textBlock(lineOf(element, context, { strong: true }));

function heading(element: HtmlElement, level: number, context: WriteContext): HtmlBlock[] {
  if (context.nesting > 0) return [label(element, context)];
  const text = lineOf(element, context, {}, true);
  return text === ''
    ? []
    : [{ kind: 'heading', text, level, anchor: element.attribs[anchorAttribute] }];
}

function question(
  element: HtmlElement,
  anchor: string | undefined,
  context: WriteContext,
): HtmlBlock[] {
  if (findFirst(element, (inner) => headingLevelOf(inner) !== undefined))
    return flow(element.children, context);
  if (context.nesting > 0) return [label(element, context)];
  const text = lineOf(element, context, {}, true).replace(openingMark, '');
  return text === '' ? [] : [{ kind: 'question', text, anchor }];
}

function details(element: HtmlElement, context: WriteContext): HtmlBlock[] {
  const summary = elementsOf(element).find((child) => child.name === 'summary');
  const asked = summary === undefined ? [] : question(summary, attributeOf(element, 'id'), context);
  const answer = element.children.filter((child) => child !== summary);
  return [...asked, ...flow(answer, context), answerEnd];
}

function code(element: HtmlElement): HtmlBlock[] {
  const text = codeOf(element);
  return text === '' ? [] : [textBlock(fencedCode(text, codeLanguageOf(element)))];
}

function quote(element: HtmlElement, context: WriteContext): HtmlBlock {
  const text = renderBlocks(flow(element.children, nested(context)));
  return textBlock(text !== '' && context.nesting < maxNesting ? quoted(text) : text);
}

function table(element: HtmlElement, context: WriteContext): HtmlBlock[] {
  const onlyCode = codeInTable(element);
  if (onlyCode !== undefined) {
    const heads = findAll(element, ({ name }) => name === 'th').map((head) => label(head, context));
    return [...heads, ...code(onlyCode)];
  }
  if (!isLayoutTable(element)) {
    const { caption, rows } = writeHtmlTable(element, (cell) => lineOf(cell, context));
    return [textBlock(caption), textBlock(rows)];
  }
  const cells = findAll(element, ({ name }) => /^(?:td|th|caption)$/.test(name));
  const isOwn = (cell: HtmlElement) =>
    ancestorsOf(cell).find(({ name }) => name === 'table') === element;
  return cells.filter(isOwn).flatMap((cell) => flow(cell.children, context));
}

function list(element: HtmlElement, context: WriteContext): HtmlBlock[] {
  const children = elementsOf(element).filter(
    (child) => child.name === 'li' || textOf(child, 20) !== '',
  );
  const steps = children.filter(startsWithHeading).length;
  if (context.nesting === 0 && steps > 0 && steps * 2 >= children.length)
    return children.flatMap((child) => flow(child.children, context));
  return [
    itemsOf(children, element.name === 'ol' ? numberingOf(element, children) : undefined, context),
  ];
}

interface Numbering {
  readonly start: number;
  readonly step: 1 | -1;
  /** As in HTML or CSS: `A`, `upper-roman`. */
  readonly format: string;
}

function numberingOf(list: HtmlElement, items: readonly HtmlElement[]): Numbering {
  const isReversed = 'reversed' in list.attribs;
  const start = Number(attributeOf(list, 'start') ?? (isReversed ? items.length : 1));
  return {
    start: isWholeNumber(start) ? start : 1,
    step: isReversed ? -1 : 1,
    format: attributeOf(list, 'type') ?? '',
  };
}

/** @param numbering undefined for bullets */
function itemsOf(
  elements: readonly HtmlElement[],
  numbering: Numbering | undefined,
  context: WriteContext,
): HtmlBlock {
  const written: string[] = [];
  const { start = 0, step = 1, format = '' } = numbering ?? {};
  // Markdown has numbers that count up, and no other.
  const isPlain = numbering && step === 1 && !isLettered(format);
  let number = start;
  for (const element of elements) {
    const value = Number(attributeOf(element, 'value') ?? Number.NaN);
    if (isWholeNumber(value)) number = value;
    const label = numbering && !isPlain ? `${listLabel(number, format)}. ` : '';
    const text = item(element, isPlain ? `${number}. ` : '- ', label, context);
    if (text === '') continue;
    written.push(text);
    number += step;
  }
  return joinItems(written);
}

function item(element: HtmlElement, bullet: string, label: string, context: WriteContext): string {
  const text = renderBlocks(flow(element.children, nested(context)), true);
  if (text === '') return '';
  const marked = taskMark(element) + label + text;
  return context.nesting < maxNesting ? bullet + indented(marked, bullet.length) : marked;
}

const joinItems = (written: readonly string[]): HtmlBlock => ({
  kind: 'list',
  text: written.join(written.some((item) => item.includes('\n\n')) ? '\n\n' : '\n'),
});

interface Entry {
  readonly terms: HtmlElement[];
  definition?: HtmlBlock[];
}

/** Each definition is an entry with its terms, so that it can be read on its own. */
function entriesOf(parts: readonly HtmlElement[], context: WriteContext): Entry[] {
  const entries: Entry[] = [];
  for (const part of parts) {
    const last = entries.at(-1);
    if (part.name === 'dd') {
      const definition = flow(part.children, nested(context));
      if (!last || last.definition) entries.push({ terms: last?.terms ?? [], definition });
      else last.definition = definition;
    } else if (textOf(part, 20) !== '') {
      if (last && !last.definition) last.terms.push(part);
      else entries.push({ terms: [part] });
    }
  }
  return entries;
}

/**
 * Writes terms with their definitions as list items. Terms that end with a question mark become
 * questions.
 */
function definitions(element: HtmlElement, context: WriteContext): HtmlBlock[] {
  const parts = elementsOf(element).flatMap((child) =>
    child.name === 'div' ? elementsOf(child) : [child],
  );
  if (parts.every((part) => part.name !== 'dt' || isAsking(textOf(part))))
    return parts.flatMap((part) => {
      if (part.name === 'dt') return question(part, attributeOf(part, 'id'), context);
      return part.name === 'dd' ? [...flow([part], context), answerEnd] : flow([part], context);
    });
  const written = entriesOf(parts, context)
    .map(({ terms, definition = [] }) => renderBlocks(describe(terms, definition, context)))
    .filter((text) => text !== '');
  return [
    joinItems(
      context.nesting < maxNesting ? written.map((text) => `- ${indented(text, 2)}`) : written,
    ),
  ];
}

/** Writes terms. A definition that starts with text follows on the same line. */
function describe(
  terms: readonly HtmlElement[],
  descriptions: readonly HtmlBlock[],
  context: WriteContext,
): HtmlBlock[] {
  const isCode = (term: HtmlElement) =>
    findFirst(term, (inner) => inner.name === 'code') !== undefined;
  const lines = terms.map((term) =>
    lineOf(term, context, isCode(term) ? {} : { strong: true }, true),
  );
  const [first, ...others] = descriptions;
  const term = lines.filter((line) => line !== '').join(', ');
  if (term === '') return [...descriptions];
  if (first?.kind !== 'text' || /^(?:`{3}|\||>)/.test(first.text))
    return [textBlock(term), ...descriptions];
  const isEnded = terms.some((part) => /[?？:：.]$/.test(textOf(part)));
  return [textBlock(`${term}${isEnded ? '' : ':'} ${first.text}`), ...others];
}

/** @param resolve makes link addresses absolute */
export function writeHtmlMarkdown(content: HtmlNode, resolve: ResolveUrl): string {
  const context: WriteContext = {
    marks: {},
    nesting: 0,
    resolve,
    holdsBlocks: new WeakMap(),
  };
  return renderBlocks(
    flow(isElement(content) && content.name === 'table' ? [content] : childrenOf(content), context),
  );
}
