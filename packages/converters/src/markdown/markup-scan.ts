/**
 * Splits Markdown or MDX into text and tags, in linear time and without recursion. Masks code and
 * escaped characters, so that later steps do not change them (CommonMark 2.4, 4.4, 4.5, 6.1). Drops
 * statements and expressions of MDX, comments and hidden elements.
 */
import { markdownLines } from '../../../shared/src/markdown/lines.ts';
import {
  decodeAll,
  fencedCode,
  isHidden,
  isHtmlName,
  neverShown,
  optionalEnd,
  rawContent,
  struck,
  voidElements,
} from './markup-elements.ts';

export type Token =
  | Readonly<{ kind: 'text'; value: string }>
  | Readonly<{
      kind: 'open';
      /** Lower case for HTML, as written for a component, empty for a fragment. */
      name: string;
      /** Names in lower case; values that are not plain text are missing. */
      attributes: ReadonlyMap<string, string>;
      /** Source text of objects and lists. */
      values: readonly string[];
      /** No content, or no end tag. */
      isEmpty: boolean;
    }>
  | Readonly<{ kind: 'close'; name: string }>;

export type Scanned = ReturnType<typeof scanMarkup>;

/** A mask: the number of a code segment between two noncharacters. */
export const codeMark = /\ufdd0(\d+)\ufdd1/g;
const maskCode = (codes: string[], code: string) => `\ufdd0${codes.push(code) - 1}\ufdd1`;
const unmaskCode = (text: string, codes: readonly string[]) =>
  text.replace(codeMark, (_, number) => codes[Number(number)] ?? '');
/** Placeholder of an expression that was removed from a tag. */
const removedMark = '<!---->';

const indentOf = ([line = '']: readonly string[]) => /^[ \t]*/.exec(line)?.[0] ?? '';

function outdentedFence(fence: readonly string[]) {
  const indent = indentOf(fence);
  const outer = new RegExp(`^(?: {1,${Math.max(1, indent.replaceAll('\t', '    ').length)}}|\\t)`);
  return fence
    .map((line) => (indent ? line.replace(outer, '') : line))
    .join('\n')
    .trimEnd();
}

function maskBlocks(text: string, isMdx: boolean, codes: string[]) {
  const lines: string[] = [];
  const fence: string[] = [];
  let isInList = false;
  let isAfterBlank = true;
  const endFence = () => {
    const code = fence.splice(0);
    if (code.length > 0) lines.push(indentOf(code) + maskCode(codes, outdentedFence(code)));
  };
  const readProse = (line: string) => {
    const isBlank = line.trim() === '';
    const isCode =
      !isBlank && !isMdx && !isInList && isAfterBlank && /^(?: {4}| {0,3}\t)/.test(line);
    if (!isBlank && !isCode)
      isInList =
        /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/.test(line) ||
        (isInList && (!isAfterBlank || /^[ \t]/.test(line)));
    lines.push(isCode ? maskCode(codes, line) : line);
    isAfterBlank = isBlank || isCode;
  };
  for (const { text: line, kind } of markdownLines(text)) {
    if (kind === 'prose') {
      endFence();
      readProse(line);
      continue;
    }
    isAfterBlank = false;
    if (fence.push(line) > 1 && kind === 'fence') endFence();
  }
  endFence();
  return lines.join('\n');
}

/**
 * Maps the start of each run of backticks to the end of the next run of the same length in the
 * paragraph.
 */
function spanEnds(text: string) {
  const ends = new Map<number, number>();
  const following = new Map<number, number>();
  for (const { 0: run, index } of [...text.matchAll(/`+|\n[ \t]*\n|\ufdd0/g)].reverse()) {
    const next = following.get(run.length);
    if (!run.startsWith('`')) following.clear();
    else following.set(run.length, index);
    if (run.startsWith('`') && next !== undefined) ends.set(index, next + run.length);
  }
  return ends;
}

/** Masks code spans and escaped markup characters. In MDX, `\{` is a brace. */
function maskSpans(text: string, isMdx: boolean, codes: string[]) {
  const ends = spanEnds(text);
  const parts: string[] = [];
  let from = 0;
  const marks = /\\[\s\S]|`+/g;
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    const { 0: written, index } = found;
    const end = /^\\[<`{}]/.test(written) ? marks.lastIndex : ends.get(index);
    if (end === undefined) continue;
    parts.push(
      text.slice(from, index),
      maskCode(codes, isMdx && /^\\[{}]/.test(written) ? written.slice(1) : text.slice(index, end)),
    );
    from = marks.lastIndex = end;
  }
  return parts.join('') + text.slice(from);
}

// JavaScript in MDX is never evaluated. It is scanned only for the ends of expressions and
// statements, and for literals.

/** Strings, escaped quotes, comments, brackets, empty lines. An unclosed quote is ordinary text. */
const jsMark =
  /(["'])(?:\\[\s\S]|(?!\1)[^\\\n])*\1|`(?:\\[\s\S]|[^`\\])*`|\\["'`]|\/\*|[{[(]|[)\]}]|\n[ \t]*(?=\n)/g;
/** Maximum characters of a statement or expression; a longer one counts as text. */
const longestScript = 100_000;

/**
 * Returns the offset after an expression, or after a statement, which ends at an empty line; -1 if
 * there is no end.
 */
function endOfScript(source: string, isStatement: boolean) {
  const marks = new RegExp(jsMark);
  const lastCommentEnd = source.lastIndexOf('*/');
  const end = isStatement ? /^\n/ : /^\}$/;
  let depth = 0;
  for (let found = marks.exec(source); found; found = marks.exec(source)) {
    const [written] = found;
    if (written === '/*' && found.index + 2 <= lastCommentEnd)
      marks.lastIndex = source.indexOf('*/', found.index + 2) + 2;
    depth += /^[{[(]$/.test(written) ? 1 : /^[)\]}]$/.test(written) ? -1 : 0;
    if (depth <= 0 && end.test(written)) return marks.lastIndex;
  }
  return isStatement && depth <= 0 ? source.length : -1;
}

/** Returns the value of a string, number or template literal without expressions. */
export function literalText(expression: string): string | undefined {
  const source = expression.trim();
  if (/^-?\d{1,20}(?:\.\d{1,20})?$/.test(source)) return source;
  const inner = /^(["'`])((?:\\[\s\S]|(?!\1)[^\\])*)\1$/.exec(source)?.[2];
  if (inner === undefined || (source.startsWith('`') && inner.includes('${'))) return undefined;
  return inner.replace(
    /\\([\s\S])/g,
    (_, escaped: string) => ({ n: '\n', t: '\t', '\n': '' })[escaped] ?? escaped,
  );
}

const jsx =
  /^(?:import\s*(?:["'{*]|[\w$]+\s*(?:,|from\b))|export\s*(?:[{*]|(?:const|let|var|default|function|async|class)\b))|\{/gm;

function expressionText(written: string, isValue: boolean, codes: string[]) {
  const expression = unmaskCode(written, codes);
  return isValue
    ? maskCode(codes, expression)
    : (literalText(expression)?.replace(/\n/g, ' ') ?? removedMark);
}

/** Removes statements, replaces expressions by their text, and masks expressions of attributes. */
function removeJsx(text: string, codes: string[]) {
  const parts: string[] = [];
  let from = 0;
  /**
   * Characters that unsuccessful scans may still read; keeps the work linear. At 0, the rest of the
   * source counts as text.
   */
  let budget = 4 * text.length + longestScript;
  const marks = new RegExp(jsx);
  for (let found = marks.exec(text); found && budget > 0; found = marks.exec(text)) {
    const { index } = found;
    const isStatement = found[0] !== '{';
    const source = text.slice(index, index + longestScript);
    if (/^\{#[\p{L}\p{N}_.:-]{1,200}\}[ \t]*(?:\n|$)/u.test(source.slice(0, 300))) continue;
    const end = endOfScript(source, isStatement);
    if (end < 0) {
      budget -= source.length;
      continue;
    }
    const isValue = /=\s*$/.test(text.slice(Math.max(0, index - 10), index));
    parts.push(
      text.slice(from, index),
      isStatement ? '' : expressionText(source.slice(1, end - 1), isValue, codes),
    );
    from = marks.lastIndex = index + end;
  }
  return parts.join('') + text.slice(from);
}

const attribute =
  /([^\s"'<>/={}`]{1,100})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`{}]{1,2000})))?/g;
const markup = new RegExp(
  `<!--|<!doctype\\s[^<>]{0,300}>|` +
    `<(/?)([a-z][\\w.-]{0,60}|(?=/?>))((?:\\s+${attribute.source.replace(/\((?=[^?])/g, '(?:')}|\\s*${removedMark})*)\\s*(/?)>`,
  'gi',
);
const component = /^[A-Z][\w.]*$|^[a-z]\w*\.\w+$/;

function attributesIn(source: string, codes: readonly string[]) {
  const attributes = new Map<string, string>();
  const values: string[] = [];
  for (const [, name = '', double, single, bare = ''] of source.matchAll(attribute)) {
    const key = name.toLowerCase();
    const written = unmaskCode(double ?? single ?? bare, codes);
    const value = bare.startsWith('\ufdd0')
      ? // Expressions that may decide visibility are kept as source.
        (literalText(written) ?? (/^(?:hidden|style|required)$/.test(key) ? written : undefined))
      : written;
    if (value === undefined && /^\s*[[{]/.test(written)) values.push(written);
    else if (value !== undefined && !attributes.has(key)) attributes.set(key, value);
  }
  return { attributes, values };
}

/** Converts a `<pre>` element to a fence. */
function fenceOf(attributes: ReadonlyMap<string, string>, inner: string) {
  const language =
    /\blanguage-([\w+#-]{1,30})/.exec(
      `${attributes.get('class') ?? ''} ${inner.slice(0, 300)}`,
    )?.[1] ?? '';
  const code = decodeAll(
    literalText(inner.trim().replace(/^\{|\}$/g, '')) ??
      inner.replace(/<\/?[a-z][^<>]{0,500}>/gi, ''),
  );
  return fencedCode(code.replace(/^[ \t]*\n/, '').trimEnd(), language);
}

/**
 * Offset of the last end tag per lower-case name; in MDX also per original spelling, for
 * components.
 */
function lastEndTags(text: string, isMdx: boolean) {
  const last = new Map<string, number>();
  for (const { 1: name = '', index } of text.matchAll(/<\/([A-Za-z][\w.-]{0,60})\s*>/g)) {
    if (isMdx) last.set(name, index);
    last.set(name.toLowerCase(), index);
  }
  return last;
}

/** Returns the offset after the matching end tag, or the length of the text if it is missing. */
function endOfElement(text: string, start: number, name: string) {
  const tags = new RegExp(`<(/?)${name.replaceAll('.', '\\.')}(?=[\\s>])[^<>]*>`, 'gi');
  tags.lastIndex = start;
  let depth = 1;
  for (let found = tags.exec(text); found; found = tags.exec(text)) {
    if (found[1] !== '/') depth += rawContent.has(name) || found[0].endsWith('/>') ? 0 : 1;
    else if (--depth === 0) return tags.lastIndex;
  }
  return text.length;
}

/**
 * Whether a tag is a placeholder in prose, such as `<data>`: it has no attributes and no end tag.
 */
function isPlaceholder(name: string, attributes: ReadonlyMap<string, string>, hasEnd: boolean) {
  if (attributes.size > 0 || !/^[a-z]/.test(name)) return false;
  return voidElements.has(name)
    ? !/^(?:br|hr|wbr|img)$/.test(name)
    : !hasEnd && name !== 'p' && !neverShown.has(name);
}

const isOmitted = (name: string, isEmpty: boolean) =>
  neverShown.has(name) || (!isEmpty && struck.has(name));

/** Returns the token name; undefined if it is not an element. */
function tagName(written: string, isMdx: boolean) {
  if (isMdx && (written === '' || component.test(written))) return written;
  return isHtmlName(written) ? written.toLowerCase() : undefined;
}

function tokensOf(text: string, isMdx: boolean, codes: string[]) {
  const tokens: Token[] = [];
  const endTags = lastEndTags(text, isMdx);
  const lastCommentEnd = text.lastIndexOf('-->');
  /** End of the last token. */
  let from = 0;
  /**
   * Emits the text before `start`, then the token, if any. @returns `end`, where scanning continues
   */
  const emit = (start: number, end: number, token?: Token) => {
    if (start > from) tokens.push({ kind: 'text', value: text.slice(from, start) });
    if (token) tokens.push(token);
    from = end;
    return end;
  };
  const emitCode = (index: number, start: number, attributes: ReadonlyMap<string, string>) => {
    const end = endOfElement(text, start, 'pre');
    const inner = unmaskCode(text.slice(start, end).replace(/<\/pre\s*>$/i, ''), codes);
    const code = maskCode(codes, fenceOf(attributes, inner));
    const isLineStart = text.slice(text.lastIndexOf('\n', index) + 1, index).trim() === '';
    return emit(index, end, { kind: 'text', value: isLineStart ? code : `\n\n${code}` });
  };
  const readOpening = (
    index: number,
    end: number,
    name: string,
    source: string,
    isClosed: boolean,
  ) => {
    const { attributes, values } = attributesIn(source, codes);
    const hasEnd = name === '' || optionalEnd.has(name) || (endTags.get(name) ?? -1) >= end;
    if (!isClosed && isPlaceholder(name, attributes, hasEnd)) return index + 1;
    const isEmpty = voidElements.has(name) || isClosed || !hasEnd;
    if (isOmitted(name, isEmpty) || isHidden(attributes)) {
      const after = isEmpty ? end : endOfElement(text, end, name);
      return emit(index, after, { kind: 'close', name: 'hidden element' });
    }
    if (!isEmpty && name === 'pre') return emitCode(index, end, attributes);
    return emit(index, end, { kind: 'open', name, attributes, values, isEmpty });
  };
  const readTag = (
    index: number,
    end: number,
    [, slash, written = '', source = '', selfClosing]: RegExpExecArray,
  ) => {
    const name = tagName(written, isMdx);
    if (name === undefined) return index + 1;
    return slash
      ? emit(index, end, { kind: 'close', name })
      : readOpening(index, end, name, source, selfClosing === '/');
  };
  const marks = new RegExp(markup);
  for (let found = marks.exec(text); found; found = marks.exec(text)) {
    const { 0: whole, index } = found;
    const end = index + whole.length;
    if (whole === '<!--')
      marks.lastIndex = lastCommentEnd < end ? end : emit(index, text.indexOf('-->', end) + 3);
    else marks.lastIndex = whole.startsWith('<!') ? emit(index, end) : readTag(index, end, found);
  }
  emit(text.length, text.length);
  return tokens;
}

export function scanMarkup(text: string, isMdx: boolean) {
  /** Code by mask number. */
  const codes: string[] = [];
  const plain = maskSpans(maskBlocks(text, isMdx, codes), isMdx, codes);
  return { tokens: tokensOf(isMdx ? removeJsx(plain, codes) : plain, isMdx, codes), codes };
}
