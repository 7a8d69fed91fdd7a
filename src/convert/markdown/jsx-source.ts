/**
 * JavaScript inside MDX, as far as it must be understood to be left out: where an expression or a statement ends, and which expressions
 * are plain strings. Nothing is evaluated.
 */

/** Strings, escaped quotes, comments, brackets, ends of lines. What has no end is one character; quotes of one line end on it. */
const jsMark = /(["'])(?:\\[\s\S]|(?!\1)[^\\\n])*\1|`(?:\\[\s\S]|[^`\\])*`|\\["'`]|\/\*|[{[(]|[)\]}]|\n/g;

/** The next place from `at` where brackets outside strings and comments close what is open; stops at `isEnd`, asked at marks and at the end. */
function walk(source: string, at: number, isEnd: (index: number, depth: number) => boolean): number {
  const marks = new RegExp(jsMark);
  const lastCommentEnd = source.lastIndexOf('*/');
  marks.lastIndex = at;
  let depth = 0;
  let last = -1;
  for (let found = marks.exec(source); found !== null; found = marks.exec(source)) {
    const [mark] = found;
    if (mark === '/*' && found.index + 2 <= lastCommentEnd) marks.lastIndex = source.indexOf('*/', found.index + 2) + 2;
    last = marks.lastIndex - 1;
    if (/^[{[(]$/.test(mark)) depth++;
    else if (/^[)\]}]$/.test(mark)) depth--;
    if (isEnd(last, depth)) return last + 1;
  }
  return last < source.length - 1 && isEnd(source.length - 1, depth) ? source.length : -1;
}

/** The offset after the `}` that closes the `{` at `at`; -1 without one. */
export const endOfExpression = (source: string, at: number): number =>
  walk(source, at, (index, depth) => depth <= 0 && source.charAt(index) === '}');

const quoted = /^(["'`])((?:\\[\s\S]|(?!\1)[^\\])*)\1$/;
const plainNumber = /^-?\d{1,20}(?:\.\d{1,20})?$/;

/** The text of an expression's source that is a string, a template without parts, or a number. */
export function literalText(expression: string): string | undefined {
  const source = expression.trim();
  if (plainNumber.test(source)) return source;
  const inner = quoted.exec(source)?.[2];
  if (inner === undefined || (source.startsWith('`') && inner.includes('${'))) return undefined;
  return inner.replace(/\\(u\{[0-9a-f]{1,6}\}|u[0-9a-f]{4}|[\s\S])/gi, (_, escaped: string) => {
    if (escaped === 'n') return '\n';
    if (escaped === 't') return '\t';
    if (escaped.length === 1) return escaped === '\n' ? '' : escaped;
    const code = Number.parseInt(escaped.replace(/[u{}]/gi, ''), 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  });
}

const statementStart =
  /(?:import\s*(?:["'{]|[\w$*][\w$* ,{}]{0,200}(?:\bfrom\b|\{|$))|export\s+(?:const|let|var|default|function|async|class)\b|export\s*[{*])/my;
const longestStatement = 100_000;
const continues = /(?:[=(,[{:?+\-*&|.]|=>)\s*$/;
const continuesNext = /^\s*(?:[)\]}.,:?&|+]|from\b)|^[ \t]+\S/;

/** Where the import or export statement that begins at `at` ends (after its line break); -1 where none begins. */
export function endOfStatement(text: string, at: number): number {
  statementStart.lastIndex = at;
  if (!statementStart.test(text)) return -1;
  const source = text.slice(at, at + longestStatement);
  const isLineEnd = (index: number) => source.charAt(index) === '\n' || index === source.length - 1;
  let lineStart = 0;
  const end = walk(source, 0, (index, depth) => {
    if (!isLineEnd(index)) return false;
    const line = source.slice(lineStart, index + 1);
    lineStart = index + 1;
    if (depth > 0) return false;
    const newline = source.indexOf('\n', index + 1);
    const next = source.slice(index + 1, newline < 0 ? source.length : newline).slice(0, 200);
    return line.trim() === '' || !(continues.test(line.slice(-200)) || continuesNext.test(next));
  });
  if (end > 0) return at + end;
  const blank = source.indexOf('\n\n');
  return at + (blank < 0 ? source.length : blank + 1);
}
