/**
 * A passage as a model reads it and as its sentences are checked: without characters that nobody sees (zero-width, direction overrides,
 * tags), which can hide or turn words around, and without marks that look like citations of ours (`[2]`). Code keeps its brackets. Where
 * each character stands in the stored text is remembered, so that a quote is still an exact slice of it.
 */
import { markdownLines } from '../text/lines.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface PlainPassage {
  readonly text: string;
  /** Where a piece of `text` stands in the passage as it is stored. */
  storedSpan(start: number, end: number): Span;
}

/** U+200C and U+200D join and part letters in scripts that need them, and emoji; a dictionary word of another script holds none. */
const invisible =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]|(?![\t\n\r])\p{Cc}|(?<=[A-Za-z])[\u200C\u200D](?=[A-Za-z])/gu;
const citationMark = /[ \t]*\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\](?![(:])/g;
const codeSpan = /`[^`\n]{1,500}`/g;

/** What a person does not see, out of a text of which no offsets are needed. */
export const withoutInvisible = (text: string): string => text.replace(invisible, '');

function* citationMarks(text: string): Generator<Span> {
  for (const { text: line, start, kind } of markdownLines(text)) {
    if (kind !== 'prose' || !line.includes('[')) continue;
    const blanked = line.replace(codeSpan, (code) => ' '.repeat(code.length));
    for (const match of blanked.matchAll(citationMark)) yield { start: start + match.index, end: start + match.index + match[0].length };
  }
}

/** @param removed in order, not overlapping */
function without(text: string, removed: readonly Span[]): PlainPassage {
  if (removed.length === 0) return { text, storedSpan: (start, end) => ({ start, end }) };
  const pieces: string[] = [];
  /** Where each piece begins: in the shorter text, and in the one before. */
  const begins: { readonly plain: number; readonly stored: number }[] = [];
  let length = 0;
  let from = 0;
  for (const { start, end } of [...removed, { start: text.length, end: text.length }]) {
    begins.push({ plain: length, stored: from });
    pieces.push(text.slice(from, start));
    length += start - from;
    from = end;
  }
  function storedOffset(offset: number): number {
    let low = 0;
    let high = begins.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((begins[middle]?.plain ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return offset + (begins[low]?.stored ?? 0) - (begins[low]?.plain ?? 0);
  }
  return {
    text: pieces.join(''),
    storedSpan: (start, end) => ({ start: storedOffset(start), end: end > start ? storedOffset(end - 1) + 1 : storedOffset(start) }),
  };
}

/** Linear in the text's length. */
export function toPlainPassage(stored: string): PlainPassage {
  const visible = without(
    stored,
    [...stored.matchAll(invisible)].map(({ 0: found, index }) => ({ start: index, end: index + found.length })),
  );
  const unmarked = without(visible.text, [...citationMarks(visible.text)]);
  return {
    text: unmarked.text,
    storedSpan(start, end) {
      const span = unmarked.storedSpan(start, end);
      return visible.storedSpan(span.start, span.end);
    },
  };
}
