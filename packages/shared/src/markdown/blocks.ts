/**
 * Markdown → top-level blocks with exact offsets. One linear pass without recursion: parsers that
 * build a tree take minutes and gigabytes for some inputs of a few megabytes. HTML counts as text,
 * so a heading right after a component's tag is a heading.
 */
import GithubSlugger from 'github-slugger';
import { explicitAnchorOf, plainHeading } from './headings.ts';
import { type MarkdownLine, markdownLines } from './lines.ts';

export type Heading = Readonly<{
  kind: 'heading';
  start: number;
  end: number;
  level: number;
  text: string;
  /** Unique in the document: an explicit `{#id}`, else the slug that Markdown renderers use. */
  anchor: string;
}>;

/**
 * The line `<!-- page 3 -->`, which precedes page 3 of the source; `<!-- page 3 (iv) -->` if the source
 * prints another number on it.
 */
export type PageMark = Readonly<{
  kind: 'page';
  start: number;
  end: number;
  page: number;
  pageLabel?: string | undefined;
}>;

export type Block = Readonly<{
  /**
   * `whole` is never split; `parts` may be split where a part starts; `prose` between sentences.
   */
  kind: 'whole' | 'parts' | 'prose';
  start: number;
  end: number;
  /** Offsets of the list items except the first; empty unless `kind` is `parts`. */
  partStarts: readonly number[];
}>;

/**
 * Longer blocks are split at an item, a line or a word, so that the caller can yield. The limit is
 * far above the length of a chunk.
 */
const maxBlockChars = 65_536;
/** After this many lines an empty block is emitted, so that the caller can yield. */
const linesPerYield = 4_096;
/** Characters of a line inspected to classify it. */
const maxMarkupChars = 500;
const atxHeading = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s;
const setextUnderline = /^ {0,3}(=+|-+)[ \t]*$/;
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const tableRow = /^ {0,3}\|/;
const pageMark = /^<!-- page (\d{1,6})(?: \(([^()<>-]{1,20})\))? -->$/;

/** The current block; between two blocks it has no kind. */
type OpenBlock = Readonly<{
  kind?: Block['kind'];
  start: number;
  partStarts: number[];
  /** Text of a paragraph with one line, which an underline would turn into a heading. */
  onlyLine?: string;
}>;

type PlacedLine = MarkdownLine &
  Readonly<{
    /** The inspected start of the line. */
    shown: string;
    isBlank: boolean;
  }>;

/** A page, or a heading without its anchor. */
type Mark = PageMark | (Omit<Heading, 'text' | 'anchor'> & { readonly source: string });

/** Lines with offsets into the whole text. */
function* placedLines(text: string, bodyStart: number): Generator<PlacedLine> {
  for (const line of markdownLines(text.slice(bodyStart))) {
    const shown = line.text.slice(0, maxMarkupChars).replace(/\r$/, '');
    const isBlank = line.kind === 'prose' && line.text.trim() === '';
    yield { ...line, start: line.start + bodyStart, next: line.next + bodyStart, shown, isBlank };
  }
}

/** Emits the start of an open block that is too long. @returns the rest, still open */
function* splitLongBlock(text: string, open: OpenBlock, end: number): Generator<Block, OpenBlock> {
  let { start, partStarts } = open;
  while (open.kind !== undefined && end - start > 2 * maxBlockChars) {
    const cut = cutWithin(text, start, maxBlockChars, ['\n', ' ']);
    yield { kind: open.kind, start, end: cut, partStarts: partStarts.filter((part) => part < cut) };
    partStarts = partStarts.filter((part) => part > cut);
    start = cut;
  }
  return start === open.start ? open : { ...open, start, partStarts };
}

function* closeBlock(text: string, open: OpenBlock, end: number): Generator<Block> {
  const { kind, start, partStarts } = yield* splitLongBlock(text, open, end);
  if (kind !== undefined && end > start) yield { kind, start, end, partStarts };
}

/** Returns the page or heading of a line. An underline turns the previous line into a heading. */
function markOf({ shown, start, next: end }: PlacedLine, open: OpenBlock): Mark | undefined {
  const [, page, pageLabel] = pageMark.exec(shown) ?? [];
  if (page !== undefined) return { kind: 'page', start, end, page: Number(page), pageLabel };
  const [, marks, source = ''] = atxHeading.exec(shown) ?? [];
  if (marks !== undefined)
    return {
      kind: 'heading',
      start,
      end,
      level: marks.length,
      source: source.replace(/(?<![ \t])[ \t]+#+[ \t]*$/, ''),
    };
  const underline = setextUnderline.exec(shown)?.[1];
  if (open.onlyLine === undefined || underline === undefined) return undefined;
  return {
    kind: 'heading',
    start: open.start,
    end,
    level: underline.startsWith('=') ? 1 : 2,
    source: open.onlyLine.trim(),
  };
}

const isInList = ({ shown }: PlacedLine, { kind }: OpenBlock, isAfterBlank: boolean) =>
  kind === 'parts' && (/^(?: {2}|\t)/.test(shown) || !isAfterBlank);

function blockWith(
  text: string,
  line: PlacedLine,
  open: OpenBlock,
  isAfterBlank: boolean,
): OpenBlock {
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
  if (open.kind !== kind || isAfterBlank || isCut)
    return { kind, start, partStarts: [], ...(kind === 'prose' && { onlyLine: line.text }) };
  return { kind, start: open.start, partStarts: [] };
}

/** Returns the open block if the line continues it (same start), a new block, or a mark. */
function readLine(
  text: string,
  line: PlacedLine,
  open: OpenBlock,
  isAfterBlank: boolean,
): OpenBlock | Mark {
  if (line.kind !== 'prose') {
    // A fence stays with its list item; elsewhere it is a separate block.
    const isOpen = open.kind === 'whole' && (line.kind === 'code' || isInFence(text, open.start));
    return isOpen || isInList(line, open, isAfterBlank)
      ? open
      : { kind: 'whole', start: line.start, partStarts: [] };
  }
  if (line.isBlank) return open.kind === 'prose' ? { start: line.next, partStarts: [] } : open;
  return markOf(line, open) ?? blockWith(text, line, open, isAfterBlank);
}

/** No two headings share an anchor, also if one is written as the slug of another. */
function anchorOf(source: string, label: string, slugger: GithubSlugger) {
  const explicit = explicitAnchorOf(source);
  if (explicit === undefined || explicit in slugger.occurrences)
    return slugger.slug(explicit ?? label);
  slugger.occurrences[explicit] = 0;
  return explicit;
}

/**
 * Blocks of `text` from `bodyStart`. Each ends where the next one starts, so they cover the whole
 * body.
 */
export function* blocksOf(text: string, bodyStart: number): Generator<Heading | PageMark | Block> {
  const slugger = new GithubSlugger();
  let open: OpenBlock = { start: bodyStart, partStarts: [] };
  let isAfterBlank = true;
  let lines = 0;
  for (const line of placedLines(text, bodyStart)) {
    open = yield* splitLongBlock(text, open, line.start);
    if (++lines % linesPerYield === 0)
      yield { kind: 'prose', start: line.start, end: line.start, partStarts: [] };
    const next = readLine(text, line, open, isAfterBlank);
    yield* closeBlock(text, open, next.start);
    if ('source' in next) {
      const { source, ...heading } = next;
      const label = plainHeading(source);
      yield { ...heading, text: label, anchor: anchorOf(source, label, slugger) };
    } else if (next.kind === 'page') yield next;
    open = 'end' in next ? { start: next.end, partStarts: [] } : next;
    isAfterBlank = line.isBlank;
  }
  yield* closeBlock(text, open, text.length);
}

/**
 * Returns where to cut `text`: after the last of the `ends` within `maxChars`, else between two
 * characters.
 */
export function cutWithin(text: string, start: number, maxChars: number, ends: readonly string[]) {
  const hard = start + maxChars;
  const window = text.slice(start, hard);
  const soft = start + Math.max(...ends.map((end) => window.lastIndexOf(end))) + 1;
  if (soft > start) return soft;
  return /[\uDC00-\uDFFF]/.test(text.charAt(hard)) ? hard - 1 : hard;
}

const isInFence = (text: string, start: number) =>
  /^[ \t>]*(?:`{3}|~{3})/.test(text.slice(start, start + 20));
