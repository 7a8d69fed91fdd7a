/**
 * A passage as a model reads it and as its sentences are checked: without characters that nobody sees (zero-width, direction overrides,
 * tags), which can hide or turn words around, without marks that look like citations of ours (`[2]`), and without paragraphs that speak to
 * the model, from the sentence that does. Code keeps its brackets. Where each character stands in the stored text is remembered, so that
 * a quote is still an exact slice of it.
 */
import { invisibleSpans, type Span } from '../language/invisible.ts';
import { segments } from '../language/segments.ts';
import { markdownLines } from '../markdown/lines.ts';
import { isAddressedToModel } from './addressed-to-model.ts';

export interface PlainPassage {
  readonly text: string;
  /** Where a piece of `text` stands in the passage as it is stored. */
  storedSpan(start: number, end: number): Span;
}

const citationMark =
  /(?<![ \t])[ \t]*(?:\[\s*\d{1,4}(?:\s*,\s*\d{1,4})*\s*\]|［\s*[\d０-９]{1,4}\s*］|【\s*[\d０-９]{1,4}[^【】\n]{0,60}】)(?!\()/g;
const codeSpan = /`[^`\n]{1,500}`/g;

function* citationMarks(text: string): Generator<Span> {
  for (const { text: line, start, kind } of markdownLines(text)) {
    if (kind !== 'prose' || !/[[［【]/.test(line)) continue;
    const blanked = line.replace(codeSpan, (code) => ' '.repeat(code.length));
    for (const match of blanked.matchAll(citationMark)) yield { start: start + match.index, end: start + match.index + match[0].length };
  }
}

/** From a sentence that speaks to a model to the end of its paragraph: what follows it there belongs to it. */
function* demands(text: string): Generator<Span> {
  let until = 0;
  for (const { start, end, kind } of segments(text)) {
    if (start < until || !isAddressedToModel(text.slice(start, end))) continue;
    const gap = kind === 'code' ? -1 : text.indexOf('\n\n', end);
    until = gap < 0 ? (kind === 'code' ? end : text.length) : gap;
    yield { start, end: until };
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

/** What was cut, and then cut again. */
const then = (first: PlainPassage, second: PlainPassage): PlainPassage => ({
  text: second.text,
  storedSpan(start, end) {
    const span = second.storedSpan(start, end);
    return first.storedSpan(span.start, span.end);
  },
});

/** Taking one mark out can put another together (`[[1]2]`). */
const maxRounds = 4;

function withoutMarks(passage: PlainPassage): PlainPassage {
  let plain = passage;
  for (let round = 0; round < maxRounds; round++) {
    const marks = [...citationMarks(plain.text)];
    if (marks.length === 0) break;
    plain = then(plain, without(plain.text, marks));
  }
  return plain;
}

/** Linear in the text's length. */
export function toPlainPassage(stored: string): PlainPassage {
  const visible = without(stored, [...invisibleSpans(stored)]);
  const unmarked = withoutMarks(visible);
  return then(unmarked, without(unmarked.text, [...demands(unmarked.text)]));
}
