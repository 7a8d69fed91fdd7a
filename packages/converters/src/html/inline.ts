/**
 * Inline content of a page → Markdown. Collects runs of text, drops invisible characters, escapes
 * Markdown syntax and writes marks last.
 */
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { codeSpan } from '../markdown/markup-elements.ts';
import { isPartOfWord } from '../markdown/part-of-word.ts';
import { raisedText, superOrSubscript } from '../markdown/small-text.ts';
import { apartAttribute } from './apart.ts';
import { codeOf } from './code.ts';
import {
  attributeOf,
  childrenOf,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  isBlock,
  isElement,
  isText,
  rawTextOf,
  textOf,
} from './dom.ts';
import { mathText } from './math.ts';
import type { ResolveUrl } from './metadata.ts';

/** A line break between Chinese or Japanese characters is not a space. */
const wideBreak =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}、。」）])[ \t]*\n\s*(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}「（])/gu;

const collapse = (text: string): string =>
  withoutInvisible(text)
    .replace(wideBreak, '')
    .replace(/[\s\u00a0\u2028\u2029]+/g, ' ');

const isSpace = (char: string | undefined) => char === undefined || /\s/.test(char);
const isPunctuation = (char: string | undefined) =>
  char !== undefined && /[\p{P}\p{S}]/u.test(char);

/** Whether a mark between two characters can open or close emphasis (CommonMark 6.2). */
const isEdge = (outer: string | undefined, inner: string | undefined) =>
  !isSpace(inner) && (!isPunctuation(inner) || isSpace(outer) || isPunctuation(outer));

/** Whether `**` around `inner` takes effect between these neighbours. */
const canMark = (before: string | undefined, inner: string, after: string | undefined): boolean =>
  isEdge(before, inner[0]) && isEdge(after, inner.at(-1));

/** Marks with text between them that Markdown would read as emphasis; `_` inside a word is none. */
const pairs: readonly (readonly [mark: RegExp, pair: RegExp])[] = [
  [/\*/g, /\*(?=[^\s*])[^\n]{0,2000}?[^\s*]\*/],
  [/_/g, /(?<![\p{L}\p{N}_])_+(?=[^\s_])[^\n]{0,2000}?[^\s_]_+(?![\p{L}\p{N}_])/u],
  [/~/g, /~(?=[^\s~])[^\n]{0,2000}?[^\s~]~/],
];

/** `<b>`, or `List<T>` with the word before it. */
const tagOrOpening = /((?:\b[\w:.]{1,80})?<[a-z/!?][^<>\n`]{0,200}>)|<(?=[a-z/!?])/gi;

/** Turns literal tags into code and escapes other Markdown syntax. */
function escapeText(text: string): string {
  if (!/[\\`*_~[<&]/.test(text)) return text;
  let escaped = text.replace(/\\(?=[!-/:-@[-`{-~])/g, '\\\\');
  if (escaped.indexOf('`') !== escaped.lastIndexOf('`')) escaped = escaped.replaceAll('`', '\\`');
  for (const [mark, pair] of pairs) if (pair.test(escaped)) escaped = escaped.replace(mark, '\\$&');
  return escaped
    .replace(/\[(?=[^\]]{0,200}\]\()/g, '\\[')
    .replace(/&(?=#?\w{1,31};)/g, '\\&')
    .replace(tagOrOpening, (_, tag: string | undefined) =>
      tag === undefined ? '\\<' : `\`${tag.replace(/\\(?=[*_~[&\\])/g, '')}\``,
    );
}

/**
 * Escapes a line that would start another block. Numbers and bullets are not escaped: as list items
 * they look the same.
 */
export const escapeLineStart = (line: string): string =>
  line.replace(
    /^(?=#{1,6}(?:\s|$)|>|\+\s|\||={2,}\s*$|(?:-\s*){2,}$|(?:\*\s*){3,}$|`{3}|~{3}|:::)/,
    '\\',
  );

export interface Link {
  readonly href: string;
  /** Whether the link was written. A link around several paragraphs is written only once. */
  isWritten: boolean;
}

export interface Marks {
  readonly link?: Link | undefined;
  readonly strong?: true;
  readonly emphasis?: true;
}

interface Run extends Marks {
  readonly kind: 'text' | 'code' | 'break';
  readonly text: string;
}

const hasText = (node: HtmlNode | null) => isText(node) && /\S/.test(node.data);
/** Whether a button is a word of a sentence: `Click [Save] to store it`. */
const isWord = (button: HtmlElement) =>
  hasText(button.prev) && hasText(button.next) && /\p{L}{2}/u.test(textOf(button));

/** Elements without inline text. */
export const isSkipped = (element: HtmlElement): boolean =>
  /^(?:svg|input|picture|rp|rt|wbr|hr)$/.test(element.name) ||
  (element.name === 'button' && !isWord(element));
const backLink = /^(?:[\s↩↵⏎↑^⤴¶#§]|🔗|\p{Variation_Selector})*$/u;

const strong: Marks = { strong: true };
const emphasis: Marks = { emphasis: true };
const markOf: Readonly<Record<string, Marks>> = {
  strong,
  b: strong,
  em: emphasis,
  i: emphasis,
  cite: emphasis,
};

/** Collects inline content in order. Spaces surround nested blocks. */
export class InlineRuns {
  #runs: Run[] = [];
  readonly #resolve: ResolveUrl;
  readonly #isBare: boolean;

  /** @param isBare omits marks and links, but not code */
  constructor(resolve: ResolveUrl, isBare = false) {
    this.#resolve = resolve;
    this.#isBare = isBare;
  }

  add(node: HtmlNode, marks: Marks): void {
    if (isText(node)) this.#addText(node.data, marks);
    else if (isElement(node) && !isSkipped(node)) this.#addElement(node, marks);
  }

  addInside(node: HtmlNode, marks: Marks): void {
    for (const child of childrenOf(node)) this.add(child, marks);
  }

  /** Returns and clears the collected paragraphs. Two line breaks end a paragraph. */
  takeParagraphs(): string[] {
    const paragraphs = writeRuns(this.#runs).split(/\n{2,}/);
    this.#runs = [];
    return paragraphs.filter((paragraph) => paragraph !== '');
  }

  /** Returns and clears the collected content as one line. */
  takeLine(): string {
    const line = writeRuns(
      this.#runs.map((run) => (run.kind === 'break' ? { ...run, kind: 'text', text: ' ' } : run)),
    );
    this.#runs = [];
    return line;
  }

  #addElement(element: HtmlElement, marks: Marks): void {
    this.#setApart(element);
    if (element.name === 'li' && hasItemBefore(element)) this.#endItem();
    if (element.name === 'br') this.#runs.push({ kind: 'break', text: '\n' });
    else this.#addContent(element, marks);
    this.#setApart(element);
  }

  /** Writes the space or line break that CSS puts before and after an element. */
  #setApart(element: HtmlElement): void {
    const apart = element.attribs[apartAttribute];
    if (apart === 'word') this.#addText(' ', {});
    else if (apart !== undefined && this.#runs.length > 0)
      this.#runs.push({ kind: 'break', text: '\n' });
  }

  #addContent(element: HtmlElement, marks: Marks): void {
    const { name } = element;
    if (/^(?:code|tt|samp)$/.test(name))
      this.#runs.push({ ...marks, kind: 'code', text: collapse(codeOf(element)) });
    else if (name === 'math') this.#runs.push({ ...marks, kind: 'code', text: formulaOf(element) });
    else if (name === 'sup') this.#addRaised(textOf(element), element, marks);
    else if (name === 'sub' && /[/⁄∕]$/.test(this.#before))
      this.#addText(superOrSubscript(textOf(element), 'sub'), marks);
    else if (name === 'q') this.#addBetween('“', element, '”', marks);
    else if (name === 'a') this.#addLink(element, marks);
    else if (isBlock(element)) this.#addBetween(' ', element, ' ', marks);
    else this.addInside(element, this.#isBare ? marks : { ...marks, ...markOf[name] });
  }

  #addLink(link: HtmlElement, marks: Marks): void {
    const text = textOf(link, 40);
    if (backLink.test(text)) return;
    if (/^\[?\d{1,3}\]?$/.test(text) && isNote(link, this.#before)) {
      this.#addText(raisedText(text, this.#before), marks);
      return;
    }
    const last = this.#runs.at(-1);
    // Adjacent links may be separated only by CSS.
    if (last?.link !== undefined && !/\s$/.test(last.text)) this.#addText(' ', {});
    const href = this.#isBare
      ? undefined
      : this.#resolve(attributeOf(link, 'href') ?? 'none:')?.href;
    this.addInside(
      link,
      href === undefined ? marks : { ...marks, link: { href, isWritten: false } },
    );
  }

  /** Writes raised text with its marks if it stays as it is. */
  #addRaised(text: string, element: HtmlElement, marks: Marks): void {
    const raised = raisedText(text, this.#before);
    if (raised === text) this.addInside(element, marks);
    else this.#addText(raised, marks);
  }

  get #before(): string {
    return this.#runs.at(-1)?.text ?? '';
  }

  #addBetween(before: string, element: HtmlElement, after: string, marks: Marks): void {
    this.#addText(before, marks);
    this.addInside(element, marks);
    this.#addText(after, marks);
  }

  /** Separates list items on one line with semicolons. */
  #endItem(): void {
    while (this.#runs.at(-1)?.text.trim() === '') this.#runs.pop();
    const last = this.#runs.pop();
    if (last !== undefined)
      this.#runs.push({ ...last, text: last.text.trimEnd() }, { kind: 'text', text: ';' });
  }

  #addText(text: string, marks: Marks): void {
    if (text !== '') this.#runs.push({ ...marks, kind: 'text', text: collapse(text) });
  }
}

/** Whether a link with a number refers to a note: it says so, or the number would join a word. */
const isNote = (link: HtmlElement, before: string): boolean =>
  attributeOf(link, 'role') === 'doc-noteref' ||
  /noteref/.test(attributeOf(link, 'epub:type') ?? '') ||
  (/(?:[\p{L}\p{N}.:!?)\]”"’'%€£$]|[⁰¹²³⁴-⁹][,;])$/u.test(before) &&
    (attributeOf(link, 'href') ?? '').includes('#'));

/** Returns the TeX source of a formula, else its text. */
const formulaOf = (math: HtmlElement): string => {
  const source = findFirst(
    math,
    (inner) => inner.name === 'annotation' && /tex/i.test(inner.attribs['encoding'] ?? ''),
  );
  return source ? collapse(rawTextOf(source)).trim() : mathText(math);
};

const hasItemBefore = (item: HtmlElement): boolean => {
  let before = item.prev;
  while (before !== null && !isElement(before)) before = before.prev;
  return before?.name === 'li';
};

const bare = (address: string) =>
  address.replace(/^(?:https?:\/\/|mailto:)/, '').replace(/\/$/, '');

function writeLink(link: Link, text: string): string {
  if (link.isWritten) return text;
  link.isWritten = true;
  if (bare(text) === bare(link.href)) return text;
  const href = link.href.replaceAll('(', '%28').replaceAll(')', '%29');
  return `[${text.replaceAll('\n', ' ')}](${href})`;
}

type Mark = 'link' | 'strong' | 'emphasis';
const order: readonly Mark[] = ['link', 'strong', 'emphasis'];
const signs = { strong: '**', emphasis: '*' } as const;

const writeRun = ({ kind, text }: Run) =>
  kind === 'break' ? '\n' : kind === 'code' ? codeSpan(text.trim()) : escapeText(text);

/** Writes runs, grouping neighbours with the same mark. Omits marks that would have no effect. */
function writeLevel(
  runs: readonly Run[],
  level: number,
  before: string | undefined,
  after: string | undefined,
): string {
  const mark = order[level];
  if (mark === undefined) return runs.map(writeRun).join('');
  const parts: string[] = [];
  let left = before;
  for (let from = 0; from < runs.length; ) {
    const value = runs[from]?.[mark];
    let to = from + 1;
    while (to < runs.length && runs[to]?.[mark] === value) to++;
    const right = runs[to]?.text[0] ?? after;
    const inner = writeLevel(runs.slice(from, to), level + 1, left, right);
    const written = value ? writeMarked(inner, mark, value, left, right) : inner;
    parts.push(written);
    left = written.at(-1) ?? left;
    from = to;
  }
  return parts.join('');
}

/** Keeps white space outside marks. No mark spans several paragraphs. */
function writeMarked(
  inner: string,
  mark: Mark,
  value: Link | true,
  left: string | undefined,
  right: string | undefined,
): string {
  const core = inner.trim();
  if (core === '') return inner;
  const lead = inner.slice(0, inner.length - inner.trimStart().length);
  const trail = inner.slice(inner.trimEnd().length);
  if (typeof value === 'object') return lead + writeLink(value, core) + trail;
  const before = lead === '' ? left : ' ';
  const after = trail === '' ? right : ' ';
  const isMarked =
    mark !== 'link' &&
    !core.includes('\n\n') &&
    !isPartOfWord(before, core, after) &&
    canMark(before, core, after);
  const sign = isMarked ? signs[mark] : '';
  return lead + sign + core + sign + trail;
}

/** Merges spaces at run boundaries, so that emphasis checks see the final neighbours. */
function joined(runs: readonly Run[]): Run[] {
  const kept: Run[] = [];
  let isAfterSpace = true;
  for (const run of runs) {
    const text: string =
      run.kind === 'text' && isAfterSpace ? run.text.replace(/^ /, '') : run.text;
    if (text === '') continue;
    kept.push({ ...run, text });
    isAfterSpace = run.kind === 'break' || (run.kind === 'text' && text.endsWith(' '));
  }
  return kept;
}

function writeRuns(runs: readonly Run[]): string {
  return writeLevel(joined(runs), 0, undefined, undefined)
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, ' ').trim())
    .join('\n')
    .trim();
}
