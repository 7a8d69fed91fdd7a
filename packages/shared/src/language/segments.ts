/**
 * Splits Markdown into quotable segments: sentences, list items, table rows, code blocks. Headings,
 * labels, rules, table frames, markup and template tags are not segments. Offsets are UTF-16 units;
 * `text.slice(start, end)` excludes list markers and quote marks.
 */
import { type MarkdownLine, markdownLines } from '../markdown/lines.ts';
import { templateLinesEnd } from '../markdown/template-tags.ts';
import { continuesAfterDot } from './abbreviations.ts';

export type TextSegment = Readonly<{
  start: number;
  end: number;
  kind: 'sentence' | 'item' | 'row' | 'code';
  marker?: string;
  header?: Readonly<{ start: number; end: number }>;
}>;

/**
 * Longer list items are split into sentences. Citation markers, perhaps with an incomplete one at
 * the end, do not count.
 */
export const maxItemChars = 300;
const maxMarkerChars = 40;
const markers = /(?<!\s)\s?\[[\d\s,]{0,20}(?:\]|$)/g;
const isShort = (item: string) =>
  item.length <= maxItemChars ||
  (item.length <= maxItemChars + maxMarkerChars &&
    item.replace(markers, '').length <= maxItemChars);

/** In characters: markup lines that people write are shorter. Longer lines are prose. */
const maxMarkupLine = 2_000;
/** In characters, for table rows: editors pad cells to the width of their column. */
const maxRowLine = 20_000;
const examined = (line: string) =>
  (/^\s{0,9}\|/.test(line)
    ? line.slice(0, maxRowLine).replace(/ {3,}/g, '  ').replace(/-{4,}/g, '---')
    : line
  ).slice(0, maxMarkupLine);

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const heading = /^ {0,3}#{1,6}(\s|$)/;
const setextUnderline = /^ {0,3}(=+|-+)\s*$/;
const rule = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
/** The box of an open task stays: without it, the task would read as done. */
const listItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[xX]\]\s+)?/;
const quoteMark = /^\s*(?:>\s?)+/;
const tableFrame = /^\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;
const tableRow = /^\s*\|.*\|\s*$/;
const markupOnly =
  /^\s*(?:<[^>]*>\s*)+$|^\s*\{[/#*:].*\}\s*$|^\s*:::|^\s*(?:!!!|\?\?\?\+?)\s|^\s*\[![A-Za-z]{1,20}\]\s*$/;
/** `[name]: https://…` */
const linkDefinition = /^ {0,3}\[(?!\^)[^\]]{1,200}\]:[ \t]*\S+(?:[ \t]+["'(].*)?$/;

const closingMark = /^(?:\*\*|__|\*|_)(?=\s|$)/;
/** A bold line is a question or a label above the answer, unless it is a sentence. */
const boldLine = /^\s*(\*\*|__)(?!\s)(.{1,300})\1\s*$/;
const isLabel = (line: string) => {
  const inner = boldLine.exec(line)?.[2];
  return inner !== undefined && !inner.includes('**') && !/[.!。！]["'”’)]?$/.test(inner.trim());
};

const continues = (segment: string, following: string) =>
  // A stop without a space does not end a sentence (`.NET`, `list?page=2`), except in scripts
  // without spaces.
  (!/[\s。！？…]$/u.test(segment) && !/[*_"”’)\]]/.test(following)) ||
  // Nor does a single dot before a name.
  /(?:^|\s)[.]\s*$/.test(segment);
/** A stop before a space, perhaps at the end of a quoted line, except after a figure. */
const anyStop = /(?<![\p{N}\s])[.!?…]["”’')*_]*(?=\s[\s>]*["“‘'(*_]*[\p{L}\p{N}])/gu;

/**
 * Ends of sentences inside a segment. The segmenter merges sentences if the second begins with
 * lower case or markup.
 */
export const innerStops = (unit: string): number[] =>
  [...unit.matchAll(anyStop)]
    .map((stop) => stop.index + stop[0].length)
    .filter((end) => !continuesAfterDot(unit, end));

/**
 * Sentences of one paragraph. Replaces line breaks and image marks, which do not end a sentence;
 * offsets stay valid.
 */
function* sentencesOf(text: string, start: number, end: number): Generator<TextSegment> {
  const flat = text
    .slice(start, end)
    .replace(/[\r\n]/g, ' ')
    .replace(/!\[/g, ' [');
  let from = -1;
  let to = 0;
  for (const { segment, index } of sentences.segment(flat)) {
    if (from < 0) from = Math.max(index, to);
    to = index + segment.length;
    const isLast = to === flat.length;
    if (!isLast && (continues(segment, flat.charAt(to)) || continuesAfterDot(flat, to))) continue;
    // The mark that ends bold or italic text after the full stop belongs to it.
    const closing = closingMark.exec(flat.slice(to, to + 3))?.[0];
    if (closing !== undefined && flat.slice(from, to).split(closing).length % 2 === 0)
      to += closing.length;
    yield* trimmed(text, start + from, start + to, 'sentence');
    from = -1;
  }
  if (from >= 0) yield* trimmed(text, start + from, start + to, 'sentence');
}

function* trimmed(
  text: string,
  start: number,
  end: number,
  kind: TextSegment['kind'],
): Generator<TextSegment> {
  const written = text.slice(start, end);
  const from = start + written.length - written.trimStart().length;
  const own = written.trim();
  if (/[\p{L}\p{N}]/u.test(own)) yield { start: from, end: from + own.length, kind };
}

const isBoundary = (line: string) =>
  line.trim() === '' ||
  [heading, linkDefinition, rule, markupOnly].some((pattern) => pattern.test(line)) ||
  isLabel(line);

/**
 * Current block: a paragraph or list item, a code block, a table row, or markup, which is not a
 * segment.
 */
type OpenBlock = Readonly<{
  kind: 'prose' | 'code' | 'row' | 'markup';
  start: number;
  end: number;
  marker?: string | undefined;
  isQuote?: boolean;
  header?: TextSegment['header'];
}>;

function* segmentsOf(
  text: string,
  { kind, start, end, marker, header }: OpenBlock,
): Generator<TextSegment> {
  if (kind === 'markup') return;
  if (kind === 'prose' && (marker === undefined || !isShort(text.slice(start, end))))
    yield* sentencesOf(text, start, end);
  else {
    const more = { ...(marker !== undefined && { marker }), ...(header && { header }) };
    for (const segment of trimmed(text, start, end, kind === 'prose' ? 'item' : kind))
      yield { ...segment, ...more };
  }
}

/** Returns the block of a table row. The frame and the header above it are markup. */
function rowAt(
  text: string,
  line: string,
  start: number,
  end: number,
  open: OpenBlock | undefined,
): OpenBlock {
  const lineEnd = text.indexOf('\n', end);
  const following = examined(
    text.slice(end, lineEnd < 0 ? text.length : lineEnd).replace(quoteMark, ''),
  );
  if (tableRow.test(following) && tableFrame.test(following))
    return {
      kind: 'markup',
      start,
      end,
      header: { start, end: start + text.slice(start, end).trimEnd().length },
    };
  return { kind: tableFrame.test(line) ? 'markup' : 'row', start, end, header: open?.header };
}

/** Whether a line is the middle of a sentence, such as `3. Mai` below `am`, and no list item. */
const isWrapped = (text: string, line: string, { marker, start, end }: OpenBlock) =>
  marker === undefined &&
  /^\s*(?!1[.)])\d/.test(line) &&
  /[\p{Ll},]\s*$/u.test(text.slice(Math.max(start, end - 20), end));

/**
 * Returns the block that a line continues (same start as `open`) or begins; undefined if the line
 * only ends a block.
 */
function blockAt(
  text: string,
  { text: whole, start, next: end, kind }: MarkdownLine,
  open: OpenBlock | undefined,
): OpenBlock | undefined {
  if (kind === 'code') return { kind, start: open?.start ?? start, end };
  const quoted = quoteMark.exec(whole.slice(0, maxMarkupLine))?.[0].length ?? 0;
  const line = examined(whole.slice(quoted));
  if (kind === 'prose' && open?.kind === 'prose' && setextUnderline.test(line))
    return { ...open, kind: 'markup' };
  if (kind === 'fence' || isBoundary(line)) return undefined;
  if (tableRow.test(line)) return rowAt(text, line, start + quoted, end, open);
  const item = listItem.exec(line);
  // A quotation interrupts a paragraph; a line without a mark continues the quotation.
  const isOpen = open?.kind === 'prose' && (quoted === 0 || open.isQuote);
  if (isOpen && (!item || isWrapped(text, line, open))) return { ...open, end };
  return {
    kind: 'prose',
    start: start + quoted + (item?.[0].length ?? 0),
    end,
    marker: item?.[0].trim(),
    isQuote: quoted > 0,
  };
}

/** Segments in reading order, in linear time. */
export function* segments(text: string): Generator<TextSegment> {
  let open: OpenBlock | undefined;
  let tagsEnd = 0;
  for (const line of markdownLines(text)) {
    if (line.kind === 'prose' && line.start >= tagsEnd)
      tagsEnd = templateLinesEnd(text, line.start) ?? tagsEnd;
    const next =
      line.kind === 'prose' && line.start < tagsEnd ? undefined : blockAt(text, line, open);
    if (open && next?.start !== open.start) yield* segmentsOf(text, open);
    open = next;
  }
  if (open) yield* segmentsOf(text, open);
}
