/**
 * Markdown → its top-level blocks with exact offsets, in reading order: headings, and everything between them. One pass over the lines,
 * linear in the text and without recursion, because documents come from anywhere: parsers that build the whole tree need minutes and
 * gigabytes for some inputs of a few megabytes. HTML is text here, so a heading right after a component's tag is a heading.
 */
import GithubSlugger from 'github-slugger';
import { explicitAnchorOf, plainHeading } from './headings.ts';
import { type MarkdownLine, markdownLines } from './lines.ts';

export interface Heading {
  readonly kind: 'heading';
  readonly start: number;
  readonly end: number;
  readonly level: number;
  readonly text: string;
  /** Unique in the document: an explicit `{#id}`, else the slug that Markdown renderers give. */
  readonly anchor: string;
}

/** The line `<!-- page 3 -->`: what follows stands on that page of the source. */
export interface PageMark {
  readonly kind: 'page';
  readonly start: number;
  readonly end: number;
  readonly page: number;
}

export interface Block {
  /** `whole` is never split; `parts` may be cut where one of its parts begins; `prose` anywhere between sentences. */
  readonly kind: 'whole' | 'parts' | 'prose';
  readonly start: number;
  readonly end: number;
  /** Offsets at which an item of a list begins, without the first; empty unless `kind` is `parts`. */
  readonly partStarts: readonly number[];
}

/**
 * What is longer is given in pieces, cut where an item, a line or a word begins if it can be, so that whoever takes them can do other work
 * between two. Far longer than a chunk.
 */
const maxBlockChars = 65_536;
/** After so many lines an empty block is given, for the same reason. */
const linesAtATime = 4_096;
/** Only this much of a line is looked at to tell what it is. */
const maxMarkupChars = 500;
const atxHeading = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s;
const setextUnderline = /^ {0,3}(=+|-+)[ \t]*$/;
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const tableRow = /^ {0,3}\|/;
const pageMark = /^<!-- page (\d{1,6}) -->$/;
const isIndented = (line: string) => /^(?: {2,}|\t)/.test(line);

/** What is being read; between two blocks it has no kind. */
interface OpenBlock {
  readonly kind?: Block['kind'];
  readonly start: number;
  readonly partStarts: number[];
  /** The line of a paragraph that an underline would make a heading, if it is the paragraph's only one. */
  readonly onlyLine?: string;
}

interface PlacedLine extends MarkdownLine {
  /** As much of it as is looked at. */
  readonly shown: string;
  readonly isBlank: boolean;
}

/** A page, or a heading before it has an anchor. */
type Mark = PageMark | (Omit<Heading, 'text' | 'anchor'> & { readonly source: string });

/** With offsets into the whole text. */
function* placedLines(text: string, bodyStart: number): Generator<PlacedLine> {
  for (const { text: line, start, next, kind } of markdownLines(bodyStart === 0 ? text : text.slice(bodyStart))) {
    const shown = line.slice(0, maxMarkupChars).replace(/\r$/, '');
    yield { text: line, start: start + bodyStart, next: next + bodyStart, kind, shown, isBlank: kind === 'prose' && line.trim() === '' };
  }
}

/** Gives what is too long of the open block in pieces. @returns the rest, which stays open */
function* shed(text: string, open: OpenBlock, end: number): Generator<Block, OpenBlock> {
  let { start, partStarts } = open;
  while (open.kind !== undefined && end - start > 2 * maxBlockChars) {
    const cut = cutWithin(text, start, maxBlockChars, ['\n', ' ']);
    yield { kind: open.kind, start, end: cut, partStarts: partStarts.filter((part) => part < cut) };
    partStarts = partStarts.filter((part) => part > cut);
    start = cut;
  }
  return start === open.start ? open : { ...open, start, partStarts };
}

function* closed(text: string, open: OpenBlock, end: number): Generator<Block> {
  const { kind, start, partStarts } = yield* shed(text, open, end);
  if (kind !== undefined && end > start) yield { kind, start, end, partStarts };
}

/** The page or heading that a line stands for; an underline makes a heading of the line above it. */
function markOf({ shown, start, next: end }: PlacedLine, open: OpenBlock): Mark | undefined {
  const page = pageMark.exec(shown)?.[1];
  if (page !== undefined) return { kind: 'page', start, end, page: Number(page) };
  const [, marks, source = ''] = atxHeading.exec(shown) ?? [];
  if (marks !== undefined)
    return { kind: 'heading', start, end, level: marks.length, source: source.replace(/(?<![ \t])[ \t]+#+[ \t]*$/, '') };
  const underline = setextUnderline.exec(shown)?.[1];
  if (open.onlyLine === undefined || underline === undefined) return undefined;
  return { kind: 'heading', start: open.start, end, level: underline.startsWith('=') ? 1 : 2, source: open.onlyLine.trim() };
}

const isInList = ({ shown }: PlacedLine, { kind }: OpenBlock, isAfterBlank: boolean) =>
  kind === 'parts' && (isIndented(shown) || !isAfterBlank);

function blockWith(text: string, line: PlacedLine, open: OpenBlock, isAfterBlank: boolean): OpenBlock {
  const { shown, start } = line;
  const isFull = start - open.start > maxBlockChars;
  if (listItem.test(shown)) {
    if (open.kind !== 'parts' || isFull) return { kind: 'parts', start, partStarts: [] };
    open.partStarts.push(start);
    return open;
  }
  if (isInList(line, open, isAfterBlank)) return open;
  const kind = tableRow.test(shown) ? 'whole' : 'prose';
  const isCut = kind === 'prose' ? isFull : isInFence(text, open.start);
  if (open.kind !== kind || isAfterBlank || isCut) return { kind, start, partStarts: [], ...(kind === 'prose' && { onlyLine: line.text }) };
  return { kind, start: open.start, partStarts: [] };
}

/** What a line goes on with (a block that begins where the open one does), what it begins, or what it stands for. */
function readLine(text: string, line: PlacedLine, open: OpenBlock, isAfterBlank: boolean): OpenBlock | Mark {
  if (line.kind !== 'prose') {
    // A fence stays with its list item; elsewhere it is a block of its own.
    const isOpen = open.kind === 'whole' && (line.kind === 'code' || isInFence(text, open.start));
    return isOpen || isInList(line, open, isAfterBlank) ? open : { kind: 'whole', start: line.start, partStarts: [] };
  }
  if (line.isBlank) return open.kind === 'prose' ? { start: line.next, partStarts: [] } : open;
  return markOf(line, open) ?? blockWith(text, line, open, isAfterBlank);
}

/** Blocks of `text` from `bodyStart`. A block reaches to where the next begins, so nothing of the body is in no block. */
export function* blocksOf(text: string, bodyStart: number): Generator<Heading | PageMark | Block> {
  const slugger = new GithubSlugger();
  let open: OpenBlock = { start: bodyStart, partStarts: [] };
  let isAfterBlank = true;
  let lines = 0;
  for (const line of placedLines(text, bodyStart)) {
    open = yield* shed(text, open, line.start);
    if (++lines % linesAtATime === 0) yield { kind: 'prose', start: line.start, end: line.start, partStarts: [] };
    const next = readLine(text, line, open, isAfterBlank);
    yield* closed(text, open, next.start);
    if ('source' in next) {
      const { source, ...heading } = next;
      const label = plainHeading(source);
      yield { ...heading, text: label, anchor: explicitAnchorOf(source) ?? slugger.slug(label) };
    } else if (next.kind === 'page') yield next;
    open = 'end' in next ? { start: next.end, partStarts: [] } : next;
    isAfterBlank = line.isBlank;
  }
  yield* closed(text, open, text.length);
}

/** Where a piece of `text` from `start` ends: behind the last of the `ends` in it, else between two characters. */
export function cutWithin(text: string, start: number, maxChars: number, ends: readonly string[]): number {
  const hard = start + maxChars;
  const window = text.slice(start, hard);
  const soft = start + Math.max(...ends.map((end) => window.lastIndexOf(end))) + 1;
  if (soft > start) return soft;
  return /[\uDC00-\uDFFF]/.test(text.charAt(hard)) ? hard - 1 : hard;
}

/** Whether the open block at `start` is a code fence, not a table. */
const isInFence = (text: string, start: number): boolean => /^[ \t>]*(?:`{3}|~{3})/.test(text.slice(start, start + 20));
