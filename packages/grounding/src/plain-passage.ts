/**
 * Cleans a passage for the model and the check: removes invisible characters, look-alikes of our
 * citations and prompt injections.
 */
import { isAddressedToModel } from '../../shared/src/language/addressed-to-model.ts';
import { invisibleSpans, type Span } from '../../shared/src/language/invisible.ts';
import { segments } from '../../shared/src/language/segments.ts';
import { markdownLines } from '../../shared/src/markdown/lines.ts';

export interface PlainPassage {
  readonly text: string;
  /** Maps a span of `text` to the stored passage, so that a quote stays an exact slice of it. */
  storedSpan(start: number, end: number): Span;
}

const citationMark =
  /(?<![ \t])[ \t]*(?:\[\s*\d{1,4}(?:\s*,\s*\d{1,4})*\s*\]|［\s*[\d０-９]{1,4}\s*］|【\s*[\d０-９]{1,4}[^【】\n]{0,60}】)(?!\()/g;
const bracket = /[[［【]/;
const codeSpan = /`[^`\n]{1,500}`/g;

function* citationMarks(text: string): Generator<Span> {
  if (!bracket.test(text)) return;
  for (const { text: line, start, kind } of markdownLines(text)) {
    if (kind !== 'prose' || !bracket.test(line)) continue;
    const blanked = line.replace(codeSpan, (code) => ' '.repeat(code.length));
    for (const match of blanked.matchAll(citationMark))
      yield { start: start + match.index, end: start + match.index + match[0].length };
  }
}

/** Yields spans from each sentence that addresses a model to the end of its paragraph. */
function* injections(text: string): Generator<Span> {
  let until = 0;
  for (const { start, end, kind } of segments(text)) {
    if (start < until || !isAddressedToModel(text.slice(start, end))) continue;
    const gap = kind === 'code' ? -1 : text.indexOf('\n\n', end);
    until = gap < 0 ? (kind === 'code' ? end : text.length) : gap;
    yield { start, end: until };
  }
}

interface Located {
  readonly text: string;
  /**
   * Offset of each character in the stored text, then its end; undefined if nothing was removed.
   */
  readonly offsets?: Uint32Array;
}

const inPlace = (length: number): Uint32Array => {
  const offsets = new Uint32Array(length);
  for (let at = 0; at < length; at++) offsets[at] = at;
  return offsets;
};

function without(whole: Located, spans: Iterable<Span>): Located {
  const removed = [...spans];
  if (removed.length === 0) return whole;
  const { text, offsets = inPlace(text.length) } = whole;
  const kept: string[] = [];
  const left = new Uint32Array(offsets.length);
  let [from, length] = [0, 0];
  for (const { start, end } of [...removed, { start: text.length, end: text.length }]) {
    kept.push(text.slice(from, start));
    left.set(offsets.subarray(from, start), length);
    length += start - from;
    from = end;
  }
  return { text: kept.join(''), offsets: left.subarray(0, length) };
}

/** Removing one mark can form another: `[[1]2]`. */
const maxRounds = 4;

export function toPlainPassage(stored: string): PlainPassage {
  let plain = without({ text: stored }, invisibleSpans(stored));
  for (let round = 0; round < maxRounds; round++) {
    const marks = [...citationMarks(plain.text)];
    if (marks.length === 0) break;
    plain = without(plain, marks);
  }
  const { text, offsets } = without(plain, injections(plain.text));
  const storedAt = (at: number) => (offsets ? (offsets[at] ?? stored.length) : at);
  return {
    text,
    storedSpan: (start, end) => ({
      start: storedAt(start),
      end: end > start ? storedAt(end - 1) + 1 : storedAt(start),
    }),
  };
}
