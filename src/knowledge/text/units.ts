/**
 * Markdown → the pieces that can be quoted on their own: sentences of prose, list items (a long one by its sentences), table rows, whole
 * code blocks.
 * Headings, bold labels, rules, table frames and markup lines are no units: they hold nothing that answers. Offsets are UTF-16 units into
 * the given text, and `text.slice(start, end)` is the unit without its list marker or quote mark.
 */
import { markdownLines } from './lines.ts';

export interface Unit {
  readonly start: number;
  readonly end: number;
  readonly kind: 'sentence' | 'item' | 'row' | 'code';
  /** Of a list item: `-`, `3.` as it stands there. */
  readonly marker?: string;
  /** Of a table row: the line of the table's header. */
  readonly header?: { readonly start: number; readonly end: number };
}

/** A longer list item is read by its sentences; the marker of a citation that was put to it does not make it longer. */
const maxItemChars = 300;
const maxMarkerChars = 40;
const markers = /\s*\[\d{1,3}\]/g;
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
const tableFrame = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;
const tableRow = /^\s*\|.*\|\s*$/;
const markupOnly = /^\s*(?:<[^>]*>\s*)+$|^\s*\{[/#*].*\}\s*$|^\s*:::/;

const closingMark = /^(?:\*\*|__)(?=\s|$)/;
/** A line that is bold as a whole is a question or a label above what answers, unless it is a sentence of its own. */
const boldLine = /^\s*(\*\*|__)(?!\s)(.{1,300})\1\s*$/;
const isLabel = (line: string): boolean => {
  const inner = boldLine.exec(line)?.[2];
  return inner !== undefined && !inner.includes('**') && !/[.!。！]["'”’)]?$/.test(inner.trim());
};

/** Sentences of one paragraph. Neither a line break inside it nor the mark of an image ends a sentence; lengths stay the same. */
function* sentencesOf(text: string, start: number, end: number): Generator<Unit> {
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
    // A mark that no space follows ends no sentence (`.NET`, `list?page=2`), but for those of scripts that write none.
    if (!isLast && !/[\s。！？…]$/u.test(segment) && !/[*_"”’)\]]/.test(flat.charAt(to))) continue;
    // Nor does a dot that stands by itself before a name.
    if (!isLast && /(?:^|\s)[.]\s*$/.test(segment)) continue;
    if (abbreviation.test(segment.slice(-12)) || initial.test(segment.slice(-12))) continue;
    // The mark that ends bold text stands after the full stop, and belongs to what it made bold.
    const closing = closingMark.exec(flat.slice(to, to + 3))?.[0];
    if (closing !== undefined && flat.slice(from, to).split(closing).length % 2 === 0) to += closing.length;
    yield* trimmed(text, start + from, start + to, 'sentence');
    from = -1;
  }
  if (from >= 0) yield* trimmed(text, start + from, start + to, 'sentence');
}

function* trimmed(text: string, start: number, end: number, kind: Unit['kind']): Generator<Unit> {
  let from = start;
  let to = end;
  while (from < to && /\s/.test(text.charAt(from))) from++;
  while (to > from && /\s/.test(text.charAt(to - 1))) to--;
  if (/[\p{L}\p{N}]/u.test(text.slice(from, to))) yield { start: from, end: to, kind };
}

/** Units in reading order. Linear in the text's length. */
export function* units(text: string): Generator<Unit> {
  let paragraphStart = -1;
  let paragraphEnd = -1;
  let marker: string | undefined;
  let codeStart = -1;
  let codeEnd = -1;
  let header: { start: number; end: number } | undefined;
  const paragraph = function* (): Generator<Unit> {
    if (paragraphStart >= 0) {
      if (marker !== undefined && isShort(text.slice(paragraphStart, paragraphEnd))) {
        for (const unit of trimmed(text, paragraphStart, paragraphEnd, 'item')) yield { ...unit, marker };
      } else yield* sentencesOf(text, paragraphStart, paragraphEnd);
    }
    paragraphStart = -1;
  };
  const code = function* (): Generator<Unit> {
    if (codeStart >= 0) yield* trimmed(text, codeStart, codeEnd, 'code');
    codeStart = -1;
  };

  for (const { text: whole, start, next, kind } of markdownLines(text)) {
    const line = whole.slice(0, maxMarkupLine);
    if (kind === 'code') {
      if (codeStart < 0) codeStart = start;
      codeEnd = next;
      continue;
    }
    if (kind === 'fence') {
      yield* paragraph();
      yield* code();
    } else if (setextUnderline.test(line) && paragraphStart >= 0) {
      paragraphStart = -1;
    } else if (line.trim() === '' || heading.test(line) || rule.test(line) || markupOnly.test(line) || isLabel(line)) {
      yield* paragraph();
    } else if (tableRow.test(line)) {
      yield* paragraph();
      const following = text.slice(next, next + maxMarkupLine).split('\n', 1)[0] ?? '';
      const isHeader = tableRow.test(following) && tableFrame.test(following);
      if (isHeader) header = { start, end: start + whole.trimEnd().length };
      else if (!tableFrame.test(line)) {
        for (const unit of trimmed(text, start, next, 'row')) yield header ? { ...unit, header } : unit;
      }
      continue;
    } else {
      const item = listItem.exec(line);
      const quoted = quoteMark.exec(line);
      if (item || paragraphStart < 0) {
        yield* paragraph();
        paragraphStart = start + ((item ?? quoted)?.[0].length ?? 0);
        marker = item?.[0].trim();
      }
      paragraphEnd = next;
    }
    header = undefined;
  }
  yield* paragraph();
  yield* code();
}
