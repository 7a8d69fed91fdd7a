/**
 * Markdown → the pieces that can be quoted on their own: sentences of prose, list items (a long one by its sentences), table rows, whole
 * code blocks.
 * Headings, bold labels, rules, table frames and markup lines are no segments: they hold nothing that answers. Offsets are UTF-16 units into
 * the given text, and `text.slice(start, end)` is the segment without its list marker or quote mark.
 */
import { type MarkdownLine, markdownLines } from '../markdown/lines.ts';

export interface TextSegment {
  readonly start: number;
  readonly end: number;
  readonly kind: 'sentence' | 'item' | 'row' | 'code';
  /** Of a list item: `-`, `3.` as it stands there. */
  readonly marker?: string;
  /** Of a table row: the line of the table's header. */
  readonly header?: { readonly start: number; readonly end: number };
}

/** A longer list item is read by its sentences; citations that were put to it, the last perhaps not yet whole, do not make it longer. */
const maxItemChars = 300;
const maxMarkerChars = 40;
const markers = /(?<!\s)\s?\[[\d\s,]{0,20}(?:\]|$)/g;
const isShort = (item: string): boolean =>
  item.length <= maxItemChars || (item.length <= maxItemChars + maxMarkerChars && item.replace(markers, '').length <= maxItemChars);

/** A longer line is prose, whatever it looks like: the patterns below are for lines that a person writes. */
const maxMarkupLine = 2_000;

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
const markupOnly = /^\s*(?:<[^>]*>\s*)+$|^\s*\{[/#*].*\}\s*$|^\s*:::|^\s*\[![A-Za-z]{1,20}\]\s*$/;
/** `[name]: https://…`, what a link by that name leads to. */
const linkDefinition = /^ {0,3}\[(?!\^)[^\]]{1,200}\]:[ \t]*\S+(?:[ \t]+["'(].*)?$/;

const closingMark = /^(?:\*\*|__)(?=\s|$)/;
/** A line that is bold as a whole is a question or a label above what answers, unless it is a sentence of its own. */
const boldLine = /^\s*(\*\*|__)(?!\s)(.{1,300})\1\s*$/;
const isLabel = (line: string): boolean => {
  const inner = boldLine.exec(line)?.[2];
  return inner !== undefined && !inner.includes('**') && !/[.!。！]["'”’)]?$/.test(inner.trim());
};

/** Whether a sentence goes on behind the mark that a segment ends with. */
const goesOn = (segment: string, following: string): boolean =>
  // A mark that no space follows ends no sentence (`.NET`, `list?page=2`), but for those of scripts that write none.
  (!/[\s。！？…]$/u.test(segment) && !/[*_"”’)\]]/.test(following)) ||
  // Nor does a dot that stands by itself before a name.
  /(?:^|\s)[.]\s*$/.test(segment);
const isAbbreviated = (end: string): boolean => abbreviation.test(end) || initial.test(end);
/** Characters at the end of a segment that an abbreviation may take. */
const maxAbbreviation = 12;

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

/** Lines that are no text and end a paragraph. */
const isBoundary = (line: string): boolean =>
  line.trim() === '' || [heading, linkDefinition, rule, markupOnly].some((pattern) => pattern.test(line)) || isLabel(line);

/** Line by line: the paragraph or list item, the code and the table that are being read. */
class SegmentReader {
  readonly #text: string;
  /** Below 0: none. */
  #paragraphStart = -1;
  #paragraphEnd = -1;
  #marker: string | undefined;
  #isQuote = false;
  #codeStart = -1;
  #codeEnd = -1;
  #header: TextSegment['header'];

  constructor(text: string) {
    this.#text = text;
  }

  *read({ text: whole, start, next, kind }: MarkdownLine): Generator<TextSegment> {
    if (kind === 'code') {
      if (this.#codeStart < 0) this.#codeStart = start;
      this.#codeEnd = next;
      return;
    }
    yield* this.#endCode();
    const quoted = quoteMark.exec(whole.slice(0, maxMarkupLine))?.[0].length ?? 0;
    const line = whole.slice(quoted, maxMarkupLine);
    if (kind !== 'fence' && tableRow.test(line) && !this.#isUnderline(line) && !isBoundary(line)) {
      yield* this.#endParagraph();
      yield* this.#row(line, start + quoted, start + whole.trimEnd().length, next);
      return;
    }
    this.#header = undefined;
    if (kind !== 'fence' && this.#isUnderline(line)) this.#paragraphStart = -1;
    else if (kind === 'fence' || isBoundary(line)) yield* this.#endParagraph();
    else yield* this.#prose(line, start, quoted, next);
  }

  *end(): Generator<TextSegment> {
    yield* this.#endParagraph();
    yield* this.#endCode();
  }

  /** What stands above it is a heading. */
  #isUnderline(line: string): boolean {
    return this.#paragraphStart >= 0 && setextUnderline.test(line);
  }

  *#row(line: string, start: number, end: number, next: number): Generator<TextSegment> {
    const following = (this.#text.slice(next, next + maxMarkupLine).split('\n', 1)[0] ?? '').replace(quoteMark, '');
    if (tableRow.test(following) && tableFrame.test(following)) this.#header = { start, end };
    else if (!tableFrame.test(line)) {
      const header = this.#header;
      for (const segment of trimmed(this.#text, start, next, 'row')) yield header ? { ...segment, header } : segment;
    }
  }

  *#prose(line: string, start: number, quoted: number, next: number): Generator<TextSegment> {
    const item = listItem.exec(line);
    // A quotation interrupts a paragraph; a line without its mark goes on with the quotation.
    if (item || this.#paragraphStart < 0 || (quoted > 0 && !this.#isQuote)) {
      yield* this.#endParagraph();
      this.#paragraphStart = start + quoted + (item?.[0].length ?? 0);
      this.#marker = item?.[0].trim();
      this.#isQuote = quoted > 0;
    }
    this.#paragraphEnd = next;
  }

  *#endParagraph(): Generator<TextSegment> {
    const [start, end, marker] = [this.#paragraphStart, this.#paragraphEnd, this.#marker];
    this.#paragraphStart = -1;
    if (start < 0) return;
    if (marker === undefined || !isShort(this.#text.slice(start, end))) yield* sentencesOf(this.#text, start, end);
    else for (const segment of trimmed(this.#text, start, end, 'item')) yield { ...segment, marker };
  }

  *#endCode(): Generator<TextSegment> {
    const start = this.#codeStart;
    this.#codeStart = -1;
    if (start >= 0) yield* trimmed(this.#text, start, this.#codeEnd, 'code');
  }
}

/** Segments in reading order. Linear in the text's length. */
export function* segments(text: string): Generator<TextSegment> {
  const reader = new SegmentReader(text);
  for (const line of markdownLines(text)) yield* reader.read(line);
  yield* reader.end();
}
