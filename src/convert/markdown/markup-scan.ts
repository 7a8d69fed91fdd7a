/**
 * Markdown or MDX → a stream of text and tags. Code, and characters that are escaped, are carried as marks in the text from here on, so that
 * nothing that works on prose can touch them (CommonMark 2.4, 4.4, 4.5, 6.1); statements and expressions of MDX are taken out. Says what is
 * markup, not what it means. Each step goes over the text once, without recursion.
 */
import { markdownLines } from '../../markdown/lines.ts';
import { decodeAll } from './entities.ts';
import { fencedCode, isHtmlName, neverShown, optionalEnd, rawContent, voidElements } from './markup-elements.ts';

export type Token =
  | { readonly kind: 'text'; readonly value: string }
  | {
      readonly kind: 'open';
      /** Lower case for HTML, as written for a component, empty for a fragment. */
      readonly name: string;
      /** Names in lower case; a value that is no plain text is missing. */
      readonly attributes: ReadonlyMap<string, string>;
      /** Sources of values that are objects or lists. */
      readonly values: readonly string[];
      /** Nothing stands between it and an end tag, or no end tag follows. */
      readonly isEmpty: boolean;
    }
  | { readonly kind: 'close'; readonly name: string };

export interface Scanned {
  readonly tokens: readonly Token[];
  /** What the marks in the text stand for, by their number: code with its own marks, its further lines as they are below its first. */
  readonly codes: string[];
}

/** Between two characters that no text holds: the number of a piece of code. */
export const codeMark = /\ufdd0(\d+)\ufdd1/g;
const mark = (codes: string[], code: string) => `\ufdd0${codes.push(code) - 1}\ufdd1`;
/** Stand around lines that are code where no element is open. */
const [indentedStart, indentedEnd] = ['\ufdd2', '\ufdd3'];
const unmarked = (text: string, codes: readonly string[]) =>
  text.replace(/\ufdd0(\d+)\ufdd1|[\ufdd2\ufdd3]/g, (_, number) => codes[Number(number)] ?? '');
/** Stands where something was taken out. */
const nothing = '<!---->';

const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const indented = /^(?: {4}| {0,3}\t)/;

/** Fences become marks; lines that may be indented code are put between theirs. */
function withoutBlocks(text: string, isMdx: boolean, codes: string[]): string {
  const lines: string[] = [];
  const fence: string[] = [];
  let lastIndented: number | undefined;
  let isInList = false;
  let isAfterBlank = true;
  const endFence = () => {
    const white = /^[ \t]*/.exec(fence[0] ?? '')?.[0] ?? '';
    const outer = new RegExp(`^(?: {1,${Math.max(1, white.replaceAll('\t', '    ').length)}}|\\t)`);
    const code = fence.splice(0).map((line) => (white === '' ? line : line.replace(outer, '')));
    if (code.length > 0) lines.push(white + mark(codes, code.join('\n').trimEnd()));
  };
  const endIndented = () => {
    if (lastIndented !== undefined) lines[lastIndented] += indentedEnd;
    lastIndented = undefined;
  };
  const readProse = (line: string) => {
    const isBlank = line.trim() === '';
    if (isBlank) lines.push(line);
    else if (indented.test(line) && (lastIndented !== undefined || (isAfterBlank && !isInList && !isMdx))) {
      lines.push(lastIndented === undefined ? indentedStart + line : line);
      lastIndented = lines.length - 1;
    } else {
      endIndented();
      isInList = listItem.test(line) || (isInList && (!isAfterBlank || /^[ \t]/.test(line)));
      lines.push(line);
    }
    isAfterBlank = isBlank;
  };
  for (const { text: line, kind } of markdownLines(text)) {
    const isOpen = fence.length > 0;
    if (kind === 'prose') {
      endFence();
      readProse(line);
      continue;
    }
    endIndented();
    isAfterBlank = false;
    fence.push(line);
    if (isOpen && kind === 'fence') endFence();
  }
  endFence();
  endIndented();
  return lines.join('\n');
}

/** Where a run of backticks begins → where the next one of its length in the paragraph ends. */
function endsOfSpans(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const following = new Map<number, number>();
  for (const { 0: run, index } of [...text.matchAll(/`+|\n[ \t]*\n|[\ufdd2\ufdd3]/g)].reverse()) {
    const next = following.get(run.length);
    if (!run.startsWith('`')) following.clear();
    else following.set(run.length, index);
    if (run.startsWith('`') && next !== undefined) ends.set(index, next + run.length);
  }
  return ends;
}

/** Code spans become marks, and what is escaped and would be markup. `\{` is a brace in MDX; in Markdown a brace needs no mark. */
function withoutSpans(text: string, isMdx: boolean, codes: string[]): string {
  const ends = endsOfSpans(text);
  const parts: string[] = [];
  let from = 0;
  const marks = /\\[\s\S]|`+/g;
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) {
    const { 0: written, index } = found;
    const end = /^\\[<`{}]/.test(written) ? marks.lastIndex : ends.get(index);
    if (end === undefined) continue;
    parts.push(text.slice(from, index), mark(codes, isMdx && /^\\[{}]/.test(written) ? written.slice(1) : text.slice(index, end)));
    from = marks.lastIndex = end;
  }
  return parts.join('') + text.slice(from);
}

/*
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
const endOfExpression = (source: string, at: number): number =>
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
const goesOn = /[=,:?+&|]\s*$/;
const continues = /^\s{0,200}[)\]}.?:&|]/;

/** Where the import or export statement that begins at `at` ends (after its line break); -1 where none begins. */
function endOfStatement(text: string, at: number): number {
  statementStart.lastIndex = at;
  if (!statementStart.test(text)) return -1;
  const source = text.slice(at, at + longestStatement);
  const end = walk(source, 0, (index, depth) => {
    const isLineEnd = source.charAt(index) === '\n' || index === source.length - 1;
    return (
      isLineEnd &&
      depth <= 0 &&
      !goesOn.test(source.slice(Math.max(0, index - 20), index)) &&
      !continues.test(source.slice(index + 1, index + 202))
    );
  });
  if (end > 0) return at + end;
  const blank = source.indexOf('\n\n');
  return at + (blank < 0 ? source.length : blank + 1);
}

const longestExpression = 50_000;
const jsx = /^(?:import|export)\b|=\s*(?:"[^"]*"|'[^']*')|\{/gm;
const headingAnchor = /^\{#[\p{L}\p{N}_.:-]{1,200}\}[ \t]*(?:\n|$)/u;

/** Statements go; expressions become their text, or the value of their attribute as a mark. */
function withoutJsx(text: string, codes: string[]): string {
  const parts: string[] = [];
  let from = 0;
  /** How many characters may be looked at in vain; afterwards everything is text. Keeps the work linear in the text's length. */
  let budget = 4 * text.length + 100_000;
  const take = (start: number, end: number, instead: string) => {
    parts.push(text.slice(from, start), instead);
    from = jsxMarks.lastIndex = end;
  };
  const takeExpression = (start: number) => {
    const source = text.slice(start, start + longestExpression);
    if (headingAnchor.test(source.slice(0, 300))) return;
    const end = endOfExpression(source, 0);
    if (end < 0) {
      budget -= source.length;
      return;
    }
    const expression = unmarked(source.slice(1, end - 1), codes);
    const isValue = /=\s*$/.test(text.slice(Math.max(0, start - 10), start));
    take(start, start + end, isValue ? mark(codes, expression) : (literalText(expression)?.replace(/\n/g, ' ') ?? nothing));
  };
  const jsxMarks = new RegExp(jsx);
  for (let found = jsxMarks.exec(text); found !== null && budget > 0; found = jsxMarks.exec(text)) {
    const end = /^[ie]/.test(found[0]) ? endOfStatement(text, found.index) : -1;
    if (end > 0) take(found.index, end, '');
    else if (found[0] === '{') takeExpression(found.index);
  }
  return parts.join('') + text.slice(from);
}

const attribute = /([^\s"'<>/={}`]{1,100})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`{}]{1,2000})))?/g;
const markup = new RegExp(
  `${indentedStart}([^${indentedEnd}]*)${indentedEnd}|${indentedEnd}|<!--|<!doctype\\s[^<>]{0,300}>|` +
    `<(/?)([a-z][\\w.-]{0,60}|(?=/?>))((?:\\s+${attribute.source.replace(/\((?=[^?])/g, '(?:')}|\\s*${nothing})*)\\s*(/?)>`,
  'gi',
);
const component = /^[A-Z][\w.]*$|^[a-z]\w*\.\w+$/;
/** Expressions of these are kept as written: they say whether anything is shown. */
const isMarkOfHiding = (name: string) => name === 'hidden' || name === 'style' || name === 'required';

function attributesIn(source: string, codes: readonly string[]): { attributes: Map<string, string>; values: string[] } {
  const attributes = new Map<string, string>();
  const values: string[] = [];
  for (const [, name = '', double, single, bare = ''] of source.matchAll(attribute)) {
    const key = name.toLowerCase();
    const written = unmarked(double ?? single ?? bare, codes);
    const isExpression = bare.startsWith('\ufdd0');
    const value = isExpression ? (literalText(written) ?? (isMarkOfHiding(key) ? written : undefined)) : written;
    if (value === undefined && /^\s*[[{]/.test(written)) values.push(written);
    else if (value !== undefined && !attributes.has(key)) attributes.set(key, value);
  }
  return { attributes, values };
}

/** Code of an element (`<pre>`) as a fence. */
function fenceOf(attributes: ReadonlyMap<string, string>, inner: string): string {
  const language = /\blanguage-([\w+#-]{1,30})/.exec(`${attributes.get('class') ?? ''} ${inner.slice(0, 300)}`)?.[1] ?? '';
  const code = decodeAll(literalText(inner.trim().replace(/^\{|\}$/g, '')) ?? inner.replace(/<\/?[a-z][^<>]{0,500}>/gi, ''));
  return fencedCode(code.replace(/^[ \t]*\n/, '').trimEnd(), language);
}

const closingTag = /<\/([A-Za-z][\w.-]{0,60})\s*>/g;

/** Where the last end tag of each name stands; in MDX a component's by its own name, every other also in lower case. */
function lastEndTags(text: string, isMdx: boolean): Map<string, number> {
  const last = new Map<string, number>();
  for (const { 1: name = '', index } of text.matchAll(closingTag)) {
    if (isMdx) last.set(name, index);
    last.set(name.toLowerCase(), index);
  }
  return last;
}

/** A lone `<data>` is a placeholder that somebody wrote, not an element. */
function isPlaceholder(name: string, attributes: ReadonlyMap<string, string>, hasEnd: boolean): boolean {
  if (attributes.size > 0 || !/^[a-z]/.test(name)) return false;
  return voidElements.has(name) ? !/^(?:br|hr|wbr|img)$/.test(name) : !hasEnd && name !== 'p' && !neverShown.has(name);
}

const holdsRaw = (name: string) => rawContent.has(name) || name === 'pre';
const maySpareEnd = (name: string) => name === '' || (optionalEnd.has(name) && name !== 'p');

/** As tokens have it; undefined for what is no element. */
function tagName(written: string, isMdx: boolean): string | undefined {
  if (isMdx && (written === '' || component.test(written))) return written;
  return isHtmlName(written) ? written.toLowerCase() : undefined;
}

function tokensOf(text: string, isMdx: boolean, codes: string[]): Token[] {
  const tokens: Token[] = [];
  const endTags = lastEndTags(text, isMdx);
  const lastCommentEnd = text.lastIndexOf('-->');
  let openElements = 0;
  /** Where the text begins that is in no token yet. */
  let from = 0;
  /** Ends the text before `start`; what stands from there to `end` is the token, or nothing. @returns where reading goes on */
  const pass = (start: number, end: number, token?: Token): number => {
    if (start > from) tokens.push({ kind: 'text', value: text.slice(from, start) });
    if (token) tokens.push(token);
    from = end;
    return end;
  };
  const passRaw = (index: number, start: number, name: string, attributes: ReadonlyMap<string, string>): number => {
    const close = new RegExp(`</${name}\\s*>`, 'gi');
    close.lastIndex = start;
    const found = close.exec(text);
    const end = found ? close.lastIndex : text.length;
    if (name !== 'pre') return pass(index, end);
    const code = mark(codes, fenceOf(attributes, unmarked(text.slice(start, found?.index), codes)));
    const isLineStart = text.slice(text.lastIndexOf('\n', index) + 1, index).trim() === '';
    return pass(index, end, { kind: 'text', value: isLineStart ? code : `\n\n${code}` });
  };
  const readTag = (index: number, end: number, [, , slash, written = '', source = '', selfClosing]: RegExpExecArray): number => {
    const name = tagName(written, isMdx);
    if (name === undefined) return index + 1;
    if (slash) {
      openElements = Math.max(0, openElements - 1);
      return pass(index, end, { kind: 'close', name });
    }
    const { attributes, values } = attributesIn(source, codes);
    const hasEnd = maySpareEnd(name) || (endTags.get(name) ?? -1) >= end;
    if (!selfClosing && isPlaceholder(name, attributes, hasEnd)) return index + 1;
    const isEmpty = voidElements.has(name) || selfClosing === '/' || !hasEnd;
    if (!isEmpty && holdsRaw(name)) return passRaw(index, end, name, attributes);
    openElements += isEmpty ? 0 : 1;
    return pass(index, end, { kind: 'open', name, attributes, values, isEmpty });
  };
  const read = (found: RegExpExecArray): number => {
    const { 0: whole, 1: code, index } = found;
    const end = index + whole.length;
    if (code !== undefined && openElements === 0) return pass(index, end, { kind: 'text', value: mark(codes, unmarked(code, codes)) });
    if (code !== undefined || whole === indentedEnd) return pass(index, index + 1);
    if (whole !== '<!--') return whole.startsWith('<!') ? pass(index, end) : readTag(index, end, found);
    return lastCommentEnd < end ? end : pass(index, text.indexOf('-->', end) + 3);
  };
  const marks = new RegExp(markup);
  for (let found = marks.exec(text); found !== null; found = marks.exec(text)) marks.lastIndex = read(found);
  pass(text.length, text.length);
  return tokens;
}

export function scanMarkup(text: string, isMdx: boolean): Scanned {
  const codes: string[] = [];
  const plain = withoutSpans(withoutBlocks(text, isMdx, codes), isMdx, codes);
  return { tokens: tokensOf(isMdx ? withoutJsx(plain, codes) : plain, isMdx, codes), codes };
}
