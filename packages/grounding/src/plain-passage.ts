/**
 * Cleans a passage for the model and the check: removes invisible characters, comments and hidden
 * elements, look-alikes of our citations and prompt injections.
 */
import { isAddressedToModel } from '../../shared/src/language/addressed-to-model.ts';
import { invisibleSpans, type Span, spanOf } from '../../shared/src/language/invisible.ts';
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

const openingTag = /<!--|<([a-z][a-z\d-]{0,30})((?:\s[^<>]{0,1000})?)>/gi;
const hiddenStyle =
  /(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:opacity|font-size)\s*:\s*(?:0+(?:\.0*)?|\.0+)(?![.\d])|(?:left|top|text-indent)\s*:\s*-\d{3})/i;
const quotedValue = /"[^"]*"|'[^']*'/g;
const styleValue = /\sstyle\s*=\s*("[^"]*"|'[^']*'|[^\s"']+)/i;
const hides = (attributes: string) =>
  /\shidden(?=[\s=/]|$)/i.test(attributes.replace(quotedValue, '""')) ||
  hiddenStyle.test(styleValue.exec(attributes)?.[1] ?? '');
/** Elements that a browser does not show, or shows as struck: their text no longer holds. */
const hiddenTag = /^(?:del|s|script|strike|style|template)$/i;
const voidTag = /^(?:area|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/i;

/** Same length, with spaces in place of code, where markup is text. */
function withoutCode(text: string) {
  const lines = [...markdownLines(text)].map(({ text: line, start, next, kind }) => {
    const shown = line.replace(codeSpan, (code) => ' '.repeat(code.length));
    return kind === 'prose' ? shown.padEnd(next - start, '\n') : ' '.repeat(next - start);
  });
  return lines.join('');
}

/** A longer hidden element ends with its paragraph, so that many of them take linear time. */
const maxElementChars = 20_000;

/** End of the element that begins before `from`; without its end tag, of its paragraph. */
function endOfElement(text: string, name: string, from: number) {
  const part = text.slice(from, from + maxElementChars);
  let depth = 1;
  for (const tag of part.matchAll(new RegExp(`<(/?)${name}(?=[\\s>/])[^<>]{0,1000}>`, 'gi'))) {
    depth += tag[1] === '/' ? -1 : 1;
    if (depth === 0) return from + tag.index + tag[0].length;
  }
  const gap = text.indexOf('\n\n', from);
  return gap < 0 ? text.length : gap;
}

/** Yields comments and elements that a browser does not show. */
function* hiddenMarkup(stored: string) {
  if (!stored.includes('<')) return;
  const text = withoutCode(stored);
  let until = 0;
  for (const { 0: tag, 1: name = '', 2: attributes = '', index: start } of text.matchAll(
    openingTag,
  )) {
    const isHidden = tag === '<!--' || hiddenTag.test(name) || hides(attributes);
    if (start < until || !isHidden) continue;
    until = start + tag.length;
    if (tag === '<!--') {
      const end = text.indexOf('-->', until);
      until = end < 0 ? text.length : end + 3;
    } else if (!voidTag.test(name)) until = endOfElement(text, name, until);
    yield { start, end: until };
  }
}

/** Struck text, comments of MDX, and link definitions that serve as comments. */
const hiddenMarks =
  /~~[^\s~][^~\n]{0,500}~~|\{\/\*[\s\S]{0,2000}?\*\/\}|^ {0,3}\[[^[\]\n]{1,40}\]:[ \t]{0,9}(?:#|<>)(?:[ \t].*)?$/gm;

function* hiddenInMarkdown(stored: string) {
  if (stored.search(hiddenMarks) < 0) return;
  yield* withoutCode(stored).matchAll(hiddenMarks).map(spanOf);
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
  hiddenInMarkdown,
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
