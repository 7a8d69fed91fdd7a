/**
 * Cleans a passage for the model and the check: removes invisible characters, comments and hidden
 * elements, look-alikes of our citations and prompt injections.
 */
import { isAddressedToModel } from '../../shared/src/language/addressed-to-model.ts';
import { hiddenMarkup, hiddenText } from '../../shared/src/language/hidden.ts';
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

function* citationMarks(text: string) {
  if (!bracket.test(text)) return;
  for (const { text: line, start, kind } of markdownLines(text)) {
    if (kind !== 'prose' || !bracket.test(line)) continue;
    const blanked = line.replace(codeSpan, (code) => ' '.repeat(code.length));
    for (const match of blanked.matchAll(citationMark))
      yield { start: start + match.index, end: start + match.index + match[0].length };
  }
}

const paragraphEnd = /\n(?=[ \t]*(?:\n|(?:[-*+]|\d{1,9}[.)])[ \t]))/g;

/** Yields spans from each sentence that addresses a model to the end of its paragraph or item. */
function* injections(text: string) {
  let until = 0;
  for (const { start, end, kind } of segments(text)) {
    if (start < until || !isAddressedToModel(text.slice(start, end))) continue;
    paragraphEnd.lastIndex = end;
    until = kind === 'code' ? end : (paragraphEnd.exec(text)?.index ?? text.length);
    yield { start, end: until };
  }
}

/** `offsets`: positions of the characters in the stored text; undefined if nothing was removed. */
type Located = Readonly<{ text: string; offsets?: Uint32Array }>;

function without(whole: Located, spans: Iterable<Span>) {
  const removed = [...spans];
  if (removed.length === 0) return whole;
  const { text, offsets = new Uint32Array(text.length).map((_, at) => at) } = whole;
  const kept: string[] = [];
  const left = new Uint32Array(offsets.length);
  let from = 0;
  let length = 0;
  for (const { start, end } of [...removed, { start: text.length, end: text.length }]) {
    kept.push(text.slice(from, start));
    left.set(offsets.subarray(from, start), length);
    length += start - from;
    from = end;
  }
  return { text: kept.join(''), offsets: left.subarray(0, length) };
}

/** Removing one mark can form another: `[[1]2]`. */
const steps = [
  invisibleSpans,
  hiddenMarkup,
  hiddenText,
  ...Array(4).fill(citationMarks),
  injections,
];

export function toPlainPassage(stored: string): PlainPassage {
  const { text, offsets } = steps.reduce(
    (plain: Located, spansOf) => without(plain, spansOf(plain.text)),
    { text: stored },
  );
  const storedAt = (at: number) => (offsets ? (offsets[at] ?? stored.length) : at);
  return {
    text,
    storedSpan: (start, end) => ({
      start: storedAt(start),
      end: end > start ? storedAt(end - 1) + 1 : storedAt(start),
    }),
  };
}
