/**
 * Markdown → the pieces that can be quoted on their own: sentences of prose, list items (a long one by its sentences), table rows, whole
 * code blocks.
 * Headings, bold labels, rules, table frames, markup lines and lines of template tags are no segments: they hold nothing that answers. Offsets are UTF-16 units into
 * the given text, and `text.slice(start, end)` is the segment without its list marker or quote mark.
 */
import { type MarkdownLine, markdownLines } from '../markdown/lines.ts';
import { templateLinesEnd } from '../markdown/template-tags.ts';

export interface TextSegment {
  readonly start: number;
  readonly end: number;
  readonly kind: 'sentence' | 'item' | 'row' | 'code';
  readonly marker?: string;
  readonly header?: { readonly start: number; readonly end: number };
}

/** A longer list item is read by its sentences; citations that were put to it, the last perhaps not yet whole, do not make it longer. */
export const maxItemChars = 300;
const maxMarkerChars = 40;
const markers = /(?<!\s)\s?\[[\d\s,]{0,20}(?:\]|$)/g;
const isShort = (item: string): boolean =>
  item.length <= maxItemChars || (item.length <= maxItemChars + maxMarkerChars && item.replace(markers, '').length <= maxItemChars);

/** A longer line is prose, whatever it looks like: the patterns below are for lines that a person writes. */
const maxMarkupLine = 2_000;
/** A row may be longer: an editor pads each cell to the longest of its column. */
const maxRowLine = 20_000;
const examined = (line: string): string =>
  (/^\s{0,9}\|/.test(line) ? line.slice(0, maxRowLine).replace(/ {3,}/g, '  ').replace(/-{4,}/g, '---') : line).slice(0, maxMarkupLine);

const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
/** Ends of these do not end a sentence. */
const abbreviation =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|no|nr|vol|fig|dr|mr|mrs|ms|st|inc|ltd|co|corp|dept|est|min|max|sec|art|para|pp?|al|resp|ca|bzw|usw|z\.\s?b|d\.\s?h|u\.\s?a|abs|a\.m|p\.m|u\.s)\.\s*$/i;
/** `J. Doe`, but not `item b. Next`. */
const initial = /(?:^|[\s(])\p{Lu}\.\s*$/u;

const heading = /^ {0,3}#{1,6}(\s|$)/;
const setextUnderline = /^ {0,3}(=+|-+)\s*$/;
const rule = /^ {0,3}([-*_])(\s*\1){2,}\s*$/;
const listItem = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
const quoteMark = /^\s*(?:>\s?)+/;
const tableFrame = /^\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)*(?:\|\s*)?$/;
const tableRow = /^\s*\|.*\|\s*$/;
const markupOnly = /^\s*(?:<[^>]*>\s*)+$|^\s*\{[/#*:].*\}\s*$|^\s*:::|^\s*(?:!!!|\?\?\?\+?)\s|^\s*\[![A-Za-z]{1,20}\]\s*$/;
/** `[name]: https://…`, what a link by that name leads to. */
const linkDefinition = /^ {0,3}\[(?!\^)[^\]]{1,200}\]:[ \t]*\S+(?:[ \t]+["'(].*)?$/;

const closingMark = /^(?:\*\*|__)(?=\s|$)/;
/** A line that is bold as a whole is a question or a label above what answers, unless it is a sentence of its own. */
const boldLine = /^\s*(\*\*|__)(?!\s)(.{1,300})\1\s*$/;
const isLabel = (line: string): boolean => {
  const inner = boldLine.exec(line)?.[2];
  return inner !== undefined && !inner.includes('**') && !/[.!。！]["'”’)]?$/.test(inner.trim());
};

const goesOn = (segment: string, following: string): boolean =>
  // A mark that no space follows ends no sentence (`.NET`, `list?page=2`), but for those of scripts that write none.
  (!/[\s。！？…]$/u.test(segment) && !/[*_"”’)\]]/.test(following)) ||
  // Nor does a dot that stands by itself before a name.
  /(?:^|\s)[.]\s*$/.test(segment);
const isAbbreviated = (end: string): boolean => abbreviation.test(end) || initial.test(end);
/** Characters at the end of a segment that an abbreviation may take. */
const maxAbbreviation = 12;

/** A stop and a blank, whatever the next sentence begins with; after an abbreviation or a figure they may end none. */
const anyStop = /(?<![\p{N}\s])[.!?…]["”’')*_]*(?=\s+["“‘'(*_]*[\p{L}\p{N}])/gu;

/** Where sentences end inside a unit of prose: the segmenter takes two for one if the second begins in lower case, or with markup. */
export const innerStops = (unit: string): number[] =>
  [...unit.matchAll(anyStop)]
    .map((stop) => stop.index + stop[0].length)
    .filter((end) => !isAbbreviated(unit.slice(Math.max(0, end - maxAbbreviation), end)));

/** Sentences of one paragraph. Neither a line break inside it nor the mark of an image ends a sentence; lengths stay the same. */
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
    if ((!isLast && goesOn(segment, flat.charAt(to))) || isAbbreviated(segment.slice(-maxAbbreviation))) continue;
    // The mark that ends bold text stands after the full stop, and belongs to what it made bold.
    const closing = closingMark.exec(flat.slice(to, to + 3))?.[0];
    if (closing !== undefined && flat.slice(from, to).split(closing).length % 2 === 0) to += closing.length;
    yield* trimmed(text, start + from, start + to, 'sentence');
    from = -1;
  }
  if (from >= 0) yield* trimmed(text, start + from, start + to, 'sentence');
}

function* trimmed(text: string, start: number, end: number, kind: TextSegment['kind']): Generator<TextSegment> {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text.charAt(from))) from++;
  while (to > from && /\s/.test(text.charAt(to - 1))) to--;
  if (/[\p{L}\p{N}]/u.test(text.slice(from, to))) yield { start: from, end: to, kind };
}

const isBoundary = (line: string): boolean =>
  line.trim() === '' || [heading, linkDefinition, rule, markupOnly].some((pattern) => pattern.test(line)) || isLabel(line);

/** What is being read: a paragraph or list item, the code of a block, a table's row, or markup that is no segment. */
interface OpenBlock {
  readonly kind: 'prose' | 'code' | 'row' | 'markup';
  readonly start: number;
  readonly end: number;
  readonly marker?: string | undefined;
  readonly isQuote?: boolean;
  readonly header?: TextSegment['header'];
}

function* segmentsOf(text: string, { kind, start, end, marker, header }: OpenBlock): Generator<TextSegment> {
  if (kind === 'markup') return;
  if (kind === 'prose' && (marker === undefined || !isShort(text.slice(start, end)))) yield* sentencesOf(text, start, end);
  else {
    const more = { ...(marker === undefined ? {} : { marker }), ...(header && { header }) };
    for (const segment of trimmed(text, start, end, kind === 'prose' ? 'item' : kind)) yield { ...segment, ...more };
  }
}

/** The row of a table; the frame of one, and the header above it, are no segments. */
function rowAt(text: string, line: string, start: number, end: number, open: OpenBlock | undefined): OpenBlock {
  const lineEnd = text.indexOf('\n', end);
  const following = examined(text.slice(end, lineEnd < 0 ? text.length : lineEnd).replace(quoteMark, ''));
  if (tableRow.test(following) && tableFrame.test(following))
    return { kind: 'markup', start, end, header: { start, end: start + text.slice(start, end).trimEnd().length } };
  return { kind: tableFrame.test(line) ? 'markup' : 'row', start, end, header: open?.header };
}

/** The block that a line goes on with (it begins where the open one does) or begins; undefined where it only ends one. */
function blockAt(text: string, { text: whole, start, next: end, kind }: MarkdownLine, open: OpenBlock | undefined): OpenBlock | undefined {
  if (kind === 'code') return { kind, start: open?.start ?? start, end };
  const quoted = quoteMark.exec(whole.slice(0, maxMarkupLine))?.[0].length ?? 0;
  const line = examined(whole.slice(quoted));
  // What stands above an underline is a heading.
  if (kind === 'prose' && open?.kind === 'prose' && setextUnderline.test(line)) return { ...open, kind: 'markup' };
  if (kind === 'fence' || isBoundary(line)) return undefined;
  if (tableRow.test(line)) return rowAt(text, line, start + quoted, end, open);
  const item = listItem.exec(line);
  // A quotation interrupts a paragraph; a line without its mark goes on with the quotation.
  if (open?.kind === 'prose' && !item && (quoted === 0 || open.isQuote)) return { ...open, end };
  return { kind: 'prose', start: start + quoted + (item?.[0].length ?? 0), end, marker: item?.[0].trim(), isQuote: quoted > 0 };
}

/** Segments in reading order. Linear in the text's length. */
export function* segments(text: string): Generator<TextSegment> {
  let open: OpenBlock | undefined;
  let tagsEnd = 0;
  for (const line of markdownLines(text)) {
    if (line.kind === 'prose' && line.start >= tagsEnd) tagsEnd = templateLinesEnd(text, line.start) ?? tagsEnd;
    const next = line.kind === 'prose' && line.start < tagsEnd ? undefined : blockAt(text, line, open);
    if (open && next?.start !== open.start) yield* segmentsOf(text, open);
    open = next;
  }
  if (open) yield* segmentsOf(text, open);
}
