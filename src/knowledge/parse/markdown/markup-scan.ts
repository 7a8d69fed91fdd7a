/**
 * Markdown or MDX → a stream of what it is made of: text, code, tags, values of expressions. Says what is markup, not what it means.
 * One pass without recursion or backtracking over what was read; code is never looked into (CommonMark 4.4, 4.5, 6.1).
 */
import { decodeAll } from './entities.ts';
import { neverShown, optionalEnd, rawContent, voidElements } from './html-names.ts';
import { endOfExpression, endOfStatement, literalText } from './jsx-source.ts';
import { type Budget, readTag } from './markup-tags.ts';

export type Token =
  | { readonly kind: 'text' | 'value'; readonly value: string }
  /** With its marks. `isBlock`: whole lines, with their indentation, without the last line break. */
  | { readonly kind: 'code'; readonly value: string; readonly isBlock: boolean }
  | {
      readonly kind: 'open';
      readonly name: string;
      readonly attributes: ReadonlyMap<string, string>;
      readonly values: readonly string[];
      /** Nothing stands between it and an end tag, or no end tag follows. */
      readonly isEmpty: boolean;
      /** What follows on the line. */
      readonly restOfLine: string;
    }
  | { readonly kind: 'close'; readonly name: string; readonly restOfLine: string };

const longestExpression = 50_000;
const fence = /[ \t]*((?:>[ \t]?)*)[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?!`)[^`\n]*|~{3,}(?!~)[^\n]*)(?:\n|$)/y;
const listItem = / {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/my;
const indented = /(?: {4}| {0,3}\t)[ \t]*[^\s]/y;
const blankLine = /[ \t]*(?:\n|$)/y;
const headingAnchor = /\{#[\p{L}\p{N}_.:-]{1,200}\}[ \t]*(?=\n|$)/uy;
const closingTag = /<\/([A-Za-z][\w.-]{0,60})\s*>/g;

const at = (pattern: RegExp, text: string, index: number): RegExpExecArray | null => {
  pattern.lastIndex = index;
  return pattern.exec(text);
};

const lineEnd = (text: string, from: number) => {
  const newline = text.indexOf('\n', from);
  return newline < 0 ? text.length : newline;
};

/** Where the fence that opens with `opening` ends: before the line break of its last line. */
function endOfFence(text: string, from: number, mark: string, quote: string): number {
  const wanted = new RegExp(`^[ \\t]*${quote === '' ? '' : '(?:>[ \\t]?)+[ \\t]*'}${mark.charAt(0)}{${mark.length},}[ \\t]*$`);
  for (let index = from; index < text.length; ) {
    const end = lineEnd(text, index);
    const line = text.slice(index, end);
    if (quote !== '' && !/^[ \t]*>/.test(line)) return index - 1;
    if (wanted.test(line)) return end;
    index = end + 1;
  }
  // Without an end it reaches to that of the text, blank lines aside.
  let end = text.length;
  while (/\s/.test(text.charAt(end - 1))) end--;
  return end;
}

/** Code of an element (`<pre>`) as a fence. */
function fenceOf(attributes: ReadonlyMap<string, string>, inner: string): string {
  const language = /\blanguage-([\w+#-]{1,30})/.exec(`${attributes.get('class') ?? ''} ${inner.slice(0, 300)}`)?.[1] ?? '';
  const code = decodeAll(literalText(inner.trim().replace(/^\{|\}$/g, '')) ?? inner.replace(/<\/?[a-z][^<>]{0,500}>/gi, ''));
  const mark = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${mark}${language}\n${code.replace(/^[ \t]*\n/, '').trimEnd()}\n${mark}`;
}

export function* scanMarkup(text: string, isMdx: boolean): Generator<Token> {
  const budget: Budget = { left: 4 * text.length + 100_000 };
  const special = isMdx ? /[`<{}\\\n]/g : /[`<\\\n]/g;
  const lastClose = new Map<string, number>();
  for (const { 1: name = '', index } of text.matchAll(closingTag)) lastClose.set(isMdx ? name : name.toLowerCase(), index);
  if (isMdx)
    for (const [name, index] of [...lastClose]) lastClose.set(name.toLowerCase(), Math.max(index, lastClose.get(name.toLowerCase()) ?? 0));
  const lastCommentEnd = text.lastIndexOf('-->');
  /** No run of that many backticks before this offset closes a code span. */
  const unclosedUntil = new Map<number, number>();
  let openElements = 0;
  let from = 0;
  let index = 0;
  let isInList = false;
  let isAfterBlank = true;
  let restEnd = -1;

  const textUntil = function* (end: number): Generator<Token> {
    if (end > from) yield { kind: 'text', value: text.slice(from, end) };
  };
  const restOfLine = (position: number): string => {
    if (restEnd < position) restEnd = lineEnd(text, position);
    return text.slice(position, Math.min(restEnd, position + 300));
  };

  /** Code and statements that take whole lines; true where it was one. */
  function* wholeLines(): Generator<Token, boolean> {
    const opening = at(fence, text, index);
    if (opening) {
      const [line, quote = '', mark = ''] = opening;
      const end = endOfFence(text, index + line.length, /^(?:`+|~+)/.exec(mark)?.[0] ?? '```', quote);
      yield* textUntil(index);
      yield { kind: 'code', value: text.slice(index, Math.max(end, index)), isBlock: true };
      from = index = end;
      isAfterBlank = false;
      return true;
    }
    const statementEnd = isMdx ? endOfStatement(text, index) : -1;
    if (statementEnd > 0) {
      yield* textUntil(index);
      from = index = statementEnd;
      return true;
    }
    const isBlank = at(blankLine, text, index) !== null;
    if (!isMdx && isAfterBlank && !isInList && openElements === 0 && at(indented, text, index)) {
      let end = index;
      for (let next = index; next < text.length && (at(indented, text, next) || at(blankLine, text, next)); next = lineEnd(text, next) + 1)
        if (!at(blankLine, text, next)) end = lineEnd(text, next);
      yield* textUntil(index);
      yield { kind: 'code', value: text.slice(index, end), isBlock: true };
      from = index = end;
      return true;
    }
    if (at(listItem, text, index)) isInList = true;
    else if (isAfterBlank && !isBlank && !/[ \t]/.test(text.charAt(index))) isInList = false;
    isAfterBlank = isBlank;
    return false;
  }

  function* codeSpan(): Generator<Token> {
    const marks = /`+/y;
    marks.lastIndex = index;
    const run = marks.exec(text)?.[0].length ?? 1;
    const start = index;
    index += run;
    if ((unclosedUntil.get(run) ?? -1) > start || budget.left <= 0) return;
    const runs = /`+|\n[ \t]*\n/g;
    runs.lastIndex = index;
    for (let found = runs.exec(text); found !== null; found = runs.exec(text)) {
      if (found[0].startsWith('\n')) break;
      if (found[0].length !== run) continue;
      yield* textUntil(start);
      from = index = found.index + run;
      yield { kind: 'code', value: text.slice(start, index), isBlock: false };
      return;
    }
    const until = runs.lastIndex || text.length;
    unclosedUntil.set(run, until);
    budget.left -= until - start;
  }

  function* angle(): Generator<Token> {
    if (text.startsWith('<!--', index)) {
      if (lastCommentEnd < index + 4) index += 4;
      else {
        yield* textUntil(index);
        from = index = text.indexOf('-->', index + 4) + 3;
      }
      return;
    }
    if (/^<!doctype\s[^<>]{0,300}>/i.test(text.slice(index, index + 320))) {
      yield* textUntil(index);
      from = index = text.indexOf('>', index) + 1;
      return;
    }
    const tag = readTag(text, index, isMdx, budget);
    if (tag === undefined) {
      index++;
      return;
    }
    const { name, attributes, end } = tag;
    const hasEnd = name === '' || (optionalEnd.has(name) && name !== 'p') || (lastClose.get(name) ?? -1) >= end;
    const isVoid = voidElements.has(name);
    // A lone `<data>` is a placeholder that somebody wrote, not an element.
    const isBare = attributes.size === 0 && !tag.isSelfClosing && /^[a-z]/.test(name);
    if (!tag.isClosing && isBare && (isVoid ? !/^(?:br|hr|wbr|img)$/.test(name) : !hasEnd && name !== 'p' && !neverShown.has(name))) {
      index++;
      return;
    }
    yield* textUntil(index);
    from = index = end;
    if (tag.isClosing) {
      if (openElements > 0) openElements--;
      yield { kind: 'close', name, restOfLine: restOfLine(end) };
      return;
    }
    const isEmpty = isVoid || tag.isSelfClosing || !hasEnd;
    if (!isEmpty && (rawContent.has(name) || name === 'pre')) {
      const close = new RegExp(`</${name}\\s*>`, 'gi');
      close.lastIndex = end;
      const found = close.exec(text);
      from = index = found ? close.lastIndex : text.length;
      if (name === 'pre') yield { kind: 'code', value: fenceOf(attributes, text.slice(end, found?.index)), isBlock: true };
      return;
    }
    if (!isEmpty) openElements++;
    yield { kind: 'open', name, attributes, values: tag.values, isEmpty, restOfLine: restOfLine(end) };
  }

  function* brace(): Generator<Token> {
    const anchor = at(headingAnchor, text, index);
    if (anchor || budget.left <= 0) {
      index += anchor?.[0].length ?? 1;
      return;
    }
    const source = text.slice(index, index + longestExpression);
    const end = endOfExpression(source, 0);
    if (end < 0) {
      budget.left -= source.length;
      index++;
      return;
    }
    yield* textUntil(index);
    const value = literalText(source.slice(1, end - 1));
    if (value !== undefined) yield { kind: 'value', value };
    from = index += end;
  }

  let isLineStart = true;
  while (index < text.length) {
    if (isLineStart) {
      isLineStart = false;
      if (yield* wholeLines()) {
        isLineStart = text.charAt(index - 1) === '\n';
        continue;
      }
    }
    special.lastIndex = index;
    const found = special.exec(text);
    if (found === null) break;
    index = found.index;
    if (found[0] === '\n') {
      index++;
      isLineStart = true;
    } else if (found[0] === '\\') {
      // `\{` is a brace in MDX; in Markdown a brace needs no mark.
      if (isMdx && /[{}]/.test(text.charAt(index + 1))) {
        yield* textUntil(index);
        from = index + 1;
      }
      index += text.charAt(index + 1) === '\n' ? 1 : 2;
    } else if (found[0] === '`') yield* codeSpan();
    else if (found[0] === '<') yield* angle();
    else if (found[0] === '{') yield* brace();
    else index++;
  }
  yield* textUntil(text.length);
}
