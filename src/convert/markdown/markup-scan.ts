/**
 * Markdown or MDX → a stream of what it is made of: text, code, tags, values of expressions. Says what is markup, not what it means.
 * One pass without recursion or backtracking over what was read; code is never looked into (CommonMark 4.4, 4.5, 6.1).
 */
import { decodeAll } from './entities.ts';
import { endOfExpression, endOfStatement, literalText } from './jsx-source.ts';
import { fencedCode, isHtmlName, neverShown, optionalEnd, rawContent, voidElements } from './markup-elements.ts';

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
    }
  | { readonly kind: 'close'; readonly name: string };

const longestExpression = 50_000;
const fence = /[ \t]*(?:((?:>[ \t]?)+)[ \t]*)?(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?!`)[^`\n]*|~{3,}(?!~)[^\n]*)(?:\n|$)/y;
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

const doctype = /<!doctype\s[^<>]{0,300}>/iy;
const backticks = /`+/y;

interface Tag {
  /** Lower case for HTML, as written for a component, empty for a fragment. */
  readonly name: string;
  readonly isClosing: boolean;
  isSelfClosing: boolean;
  /** Attribute names in lower case; a value that is no plain text is missing. */
  readonly attributes: Map<string, string>;
  /** Sources of values that are objects or lists. */
  readonly values: string[];
  /** Offset after the `>`. */
  end: number;
}

/** How many characters may be looked at in vain; afterwards everything is text. Keeps the work linear in the text's length. */
interface Budget {
  left: number;
}

const longestTag = 20_000;
const tagName = /<(\/?)([A-Za-z][\w.-]{0,60}|(?=>))/y;
/** The end of a tag, an attribute with a plain value, or what stands before an expression. */
const tagPart = /(\s*)(?:(\/?>)|([^\s"'<>/={}`]{1,100})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`{}]{1,2000})|(?=\{)))?|(?=\{))/y;
const component = /^[A-Z][\w.]*$|^[a-z]\w*\.\w+$/;
/** Expressions of these are kept as written: they say whether anything is shown. */
const isMarkOfHiding = (attribute: string) => attribute === 'hidden' || attribute === 'style' || attribute === 'required';
const isObjectOrList = /^\s*[[{]/;
const blankBetween = /\n[ \t]*\n/;

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
  return fencedCode(code.replace(/^[ \t]*\n/, '').trimEnd(), language);
}

/** The tag of HTML or JSX at `index`, where a `<` stands; undefined where that is text or not well formed. */
function readTag(text: string, index: number, isMdx: boolean, budget: Budget): Tag | undefined {
  const opening = budget.left > 0 ? at(tagName, text, index) : null;
  if (opening === null) return undefined;
  const [start, slash, written = ''] = opening;
  const isComponent = isMdx && component.test(written);
  if (!isComponent && !(written === '' ? isMdx : isHtmlName(written))) return undefined;
  const name = isComponent ? written : written.toLowerCase();
  const tag: Tag = { name, isClosing: slash === '/', isSelfClosing: false, attributes: new Map(), values: [], end: index + start.length };
  const isTag = readParts(tag, text.slice(0, index + longestTag), isMdx);
  if (isTag) return tag;
  budget.left -= tag.end - index;
  return undefined;
}

/** Reads attributes from `tag.end`, which it moves, to the end of the tag; whether that is well formed. */
function readParts(tag: Tag, source: string, isMdx: boolean): boolean {
  let isTag: boolean | undefined;
  while (isTag === undefined) isTag = readPart(tag, source, isMdx);
  return isTag;
}

/** Undefined where more follows. */
function readPart(tag: Tag, source: string, isMdx: boolean): boolean | undefined {
  const part = at(tagPart, source, tag.end);
  if (part === null || (!isMdx && blankBetween.test(part[1] ?? ''))) return false;
  tag.end += part[0].length;
  tag.isSelfClosing = part[2] === '/>';
  if (part[2] !== undefined) return true;
  const isExpression = isMdx && source.charAt(tag.end) === '{';
  if (tag.isClosing || part[1] === '' || (!isExpression && part[3] === undefined)) return false;
  const end = isExpression ? endOfExpression(source, tag.end) : tag.end;
  addAttribute(tag, part, isExpression ? source.slice(tag.end + 1, end - 1) : undefined);
  tag.end = end < 0 ? source.length : end;
  return end < 0 ? false : undefined;
}

/** @param expression that is its value, or whose members are attributes */
function addAttribute(
  { attributes, values }: Pick<Tag, 'attributes' | 'values'>,
  part: RegExpExecArray,
  expression: string | undefined,
): void {
  const name = part[3]?.toLowerCase();
  if (name === undefined) return;
  const plain = expression === undefined ? (part[4] ?? part[5] ?? part[6] ?? '') : literalText(expression);
  const value = plain ?? (isMarkOfHiding(name) ? expression : undefined);
  if (value === undefined && isObjectOrList.test(expression ?? '')) values.push(expression ?? '');
  else if (value !== undefined && !attributes.has(name)) attributes.set(name, value);
}

/** A lone `<data>` is a placeholder that somebody wrote, not an element. */
function isPlaceholder({ name, attributes, isClosing, isSelfClosing }: Tag, hasEnd: boolean): boolean {
  if (isClosing || isSelfClosing || attributes.size > 0 || !/^[a-z]/.test(name)) return false;
  return voidElements.has(name) ? !/^(?:br|hr|wbr|img)$/.test(name) : !hasEnd && name !== 'p' && !neverShown.has(name);
}

/** Where the last end tag of each name stands; in MDX a component's by its own name, every other also in lower case. */
function lastEndTags(text: string, isMdx: boolean): Map<string, number> {
  const last = new Map<string, number>();
  for (const { 1: name = '', index } of text.matchAll(closingTag)) {
    if (isMdx) last.set(name, index);
    last.set(name.toLowerCase(), index);
  }
  return last;
}

class MarkupScanner {
  readonly #text: string;
  readonly #isMdx: boolean;
  readonly #special: RegExp;
  readonly #budget: Budget;
  readonly #tokens: Token[] = [];
  readonly #lastEndTags: ReadonlyMap<string, number>;
  readonly #lastCommentEnd: number;
  /** Length of a run of backticks → before this offset none of that length closes a code span. */
  readonly #unclosedUntil = new Map<number, number>();
  #openElements = 0;
  /** Where the text begins that is in no token yet. */
  #from = 0;
  #index = 0;
  #isInList = false;
  #isAfterBlank = true;

  constructor(text: string, isMdx: boolean) {
    this.#text = text;
    this.#isMdx = isMdx;
    this.#special = isMdx ? /[`<{}\\\n]/g : /[`<\\\n]/g;
    this.#budget = { left: 4 * text.length + 100_000 };
    this.#lastEndTags = lastEndTags(text, isMdx);
    this.#lastCommentEnd = text.lastIndexOf('-->');
  }

  scan(): Token[] {
    for (let isLineStart = true; this.#index < this.#text.length; )
      if (isLineStart && this.#passWholeLines()) isLineStart = this.#text.charAt(this.#index - 1) === '\n';
      else isLineStart = this.#passMark();
    this.#index = this.#text.length;
    this.#pass(this.#index);
    return this.#tokens;
  }

  /** Ends the text before `#index`; what stands from there to `end` is the token, or nothing. */
  #pass(end: number, token?: Token): true {
    if (this.#index > this.#from) this.#tokens.push({ kind: 'text', value: this.#text.slice(this.#from, this.#index) });
    if (token) this.#tokens.push(token);
    this.#from = this.#index = end;
    return true;
  }

  #passCode(end: number, isBlock: boolean): true {
    return this.#pass(end, { kind: 'code', value: this.#text.slice(this.#index, end), isBlock });
  }

  /** Code and statements that take whole lines; whether it was one. */
  #passWholeLines(): boolean {
    if (this.#passFence()) return true;
    const statementEnd = this.#isMdx ? endOfStatement(this.#text, this.#index) : -1;
    if (statementEnd > 0) return this.#pass(statementEnd);
    if (!this.#isMdx && this.#isAfterBlank && !this.#isInList && this.#openElements === 0 && at(indented, this.#text, this.#index))
      return this.#passCode(this.#endOfIndented(), true);
    const isBlank = at(blankLine, this.#text, this.#index) !== null;
    if (at(listItem, this.#text, this.#index)) this.#isInList = true;
    else if (this.#isAfterBlank && !isBlank && !/[ \t]/.test(this.#text.charAt(this.#index))) this.#isInList = false;
    this.#isAfterBlank = isBlank;
    return false;
  }

  #passFence(): boolean {
    const opening = at(fence, this.#text, this.#index);
    if (!opening) return false;
    const [line, quote = '', mark = ''] = opening;
    const end = endOfFence(this.#text, this.#index + line.length, /^(?:`+|~+)/.exec(mark)?.[0] ?? '```', quote);
    this.#isAfterBlank = false;
    return this.#passCode(Math.max(end, this.#index), true);
  }

  /** Of the indented lines from here, blank ones between them included. */
  #endOfIndented(): number {
    let end = this.#index;
    for (let next = this.#index; next < this.#text.length; next = lineEnd(this.#text, next) + 1) {
      if (at(blankLine, this.#text, next)) continue;
      if (!at(indented, this.#text, next)) break;
      end = lineEnd(this.#text, next);
    }
    return end;
  }

  /** Goes past the next character that may mean something; whether a line begins after it. */
  #passMark(): boolean {
    const mark = at(this.#special, this.#text, this.#index);
    this.#index = mark?.index ?? this.#text.length;
    if (mark?.[0] === '\\') this.#passEscape();
    else if (mark?.[0] === '`') this.#passCodeSpan();
    else if (mark?.[0] === '<') this.#passAngle();
    else if (mark?.[0] === '{') this.#passBrace();
    else this.#index++;
    return mark?.[0] === '\n';
  }

  /** `\{` is a brace in MDX; in Markdown a brace needs no mark. */
  #passEscape(): void {
    const escaped = this.#text.charAt(this.#index + 1);
    if (this.#isMdx && /[{}]/.test(escaped)) {
      this.#pass(this.#index + 1);
      this.#index++;
    } else this.#index += escaped === '\n' ? 1 : 2;
  }

  #passCodeSpan(): void {
    const length = at(backticks, this.#text, this.#index)?.[0].length ?? 1;
    const start = this.#index;
    if ((this.#unclosedUntil.get(length) ?? -1) <= start && this.#budget.left > 0) {
      const runs = /`+|\n[ \t]*\n/g;
      runs.lastIndex = start + length;
      let found = runs.exec(this.#text);
      while (found !== null && !found[0].startsWith('\n') && found[0].length !== length) found = runs.exec(this.#text);
      if (found?.[0].length === length && found[0].startsWith('`')) {
        this.#passCode(found.index + length, false);
        return;
      }
      const until = runs.lastIndex || this.#text.length;
      this.#unclosedUntil.set(length, until);
      this.#budget.left -= until - start;
    }
    this.#index = start + length;
  }

  #passAngle(): void {
    if (this.#text.startsWith('<!--', this.#index)) {
      if (this.#lastCommentEnd < this.#index + 4) this.#index += 4;
      else this.#pass(this.#text.indexOf('-->', this.#index + 4) + 3);
      return;
    }
    const declaration = at(doctype, this.#text, this.#index);
    if (declaration) {
      this.#pass(this.#index + declaration[0].length);
      return;
    }
    const tag = readTag(this.#text, this.#index, this.#isMdx, this.#budget);
    const hasEnd = tag !== undefined && this.#hasEnd(tag);
    if (tag === undefined || isPlaceholder(tag, hasEnd)) this.#index++;
    else if (tag.isClosing) {
      this.#openElements = Math.max(0, this.#openElements - 1);
      this.#pass(tag.end, { kind: 'close', name: tag.name });
    } else this.#passOpening(tag, voidElements.has(tag.name) || tag.isSelfClosing || !hasEnd);
  }

  #hasEnd({ name, end }: Tag): boolean {
    return name === '' || (optionalEnd.has(name) && name !== 'p') || (this.#lastEndTags.get(name) ?? -1) >= end;
  }

  #passOpening({ name, attributes, values, end }: Tag, isEmpty: boolean): void {
    if (!isEmpty && (rawContent.has(name) || name === 'pre')) {
      const close = new RegExp(`</${name}\\s*>`, 'gi');
      const found = at(close, this.#text, end);
      const value = name === 'pre' ? fenceOf(attributes, this.#text.slice(end, found?.index)) : undefined;
      this.#pass(found ? close.lastIndex : this.#text.length, value === undefined ? undefined : { kind: 'code', value, isBlock: true });
      return;
    }
    if (!isEmpty) this.#openElements++;
    this.#pass(end, { kind: 'open', name, attributes, values, isEmpty });
  }

  #passBrace(): void {
    const anchor = at(headingAnchor, this.#text, this.#index);
    if (anchor || this.#budget.left <= 0) {
      this.#index += anchor?.[0].length ?? 1;
      return;
    }
    const source = this.#text.slice(this.#index, this.#index + longestExpression);
    const end = endOfExpression(source, 0);
    if (end < 0) {
      this.#budget.left -= source.length;
      this.#index++;
      return;
    }
    const value = literalText(source.slice(1, end - 1));
    this.#pass(this.#index + end, value === undefined ? undefined : { kind: 'value', value });
  }
}

export const scanMarkup = (text: string, isMdx: boolean): Token[] => new MarkupScanner(text, isMdx).scan();
