/** Parts of Markdown that a reader does not see: comments, hidden elements and struck text. */

import { markdownLines } from '../markdown/lines.ts';
import { type Span, spanOf } from './invisible.ts';

const codeSpan = /`[^`\n]{1,500}`/g;
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
export function* hiddenMarkup(stored: string): Generator<Span> {
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

/** Yields what Markdown itself hides or strikes. */
export function* hiddenText(stored: string): Generator<Span> {
  if (stored.search(hiddenMarks) < 0) return;
  yield* withoutCode(stored).matchAll(hiddenMarks).map(spanOf);
}
