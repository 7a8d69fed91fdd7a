/**
 * Content of a page → Markdown for passages. General converters escape too much and do not handle
 * spans, tabs, questions and anchors. Inline content is collected as runs of text: invisible
 * characters are dropped, Markdown syntax is escaped and marks are written last.
 */
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { plainHeading } from '../../../shared/src/markdown/headings.ts';
import { isLettered, listLabel } from '../list-label.ts';
import {
  anchorSuffix,
  codeSpan,
  fencedCode,
  isPartOfWord,
  listItem,
} from '../markdown/markup-elements.ts';
import { raisedText, superOrSubscript } from '../markdown/small-text.ts';
import { anchorAttribute } from './anchors.ts';
import { apartAttribute } from './apart.ts';
import { codeInTable, codeLanguageOf, codeOf } from './code.ts';
import {
  ancestorsOf,
  attributeOf,
  childrenOf,
  elementsOf,
  findAll,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  headingLevelOf,
  isAsking,
  isBlock,
  isElement,
  isHeading,
  isList,
  isText,
  named,
  rawTextOf,
  roleOf,
  textOf,
} from './dom.ts';
import { mathText } from './math.ts';
import type { ResolveUrl } from './metadata.ts';
import { isLayoutTable, writeHtmlTable } from './table.ts';

/** A line break between Chinese or Japanese characters is not a space. */
const wideBreak =
  /(?<=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}、。」）])[ \t]*\n\s*(?=[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}「（])/gu;

const collapse = (text: string) =>
  withoutInvisible(text)
    .replace(wideBreak, '')
    .replace(/[\s\u00a0\u2028\u2029]+/g, ' ');

const isSpace = (char = ' ') => /\s/.test(char);
const isPunctuation = (char = ' ') => /[\p{P}\p{S}]/u.test(char);

/** Whether a mark between two characters can open or close emphasis of `inner` (CommonMark 6.2). */
const isEdge = (outer?: string, inner?: string) =>
  !isSpace(inner) && (!isPunctuation(inner) || isSpace(outer) || isPunctuation(outer));

/** Marks with text between them that Markdown would read as emphasis; `_` inside a word is none. */
const pairs = [
  [/\*/g, /\*(?=[^\s*])[^\n]{0,2000}?[^\s*]\*/],
  [/_/g, /(?<![\p{L}\p{N}_])_+(?=[^\s_])[^\n]{0,2000}?[^\s_]_+(?![\p{L}\p{N}_])/u],
  [/~/g, /~(?=[^\s~])[^\n]{0,2000}?[^\s~]~/],
] as const;

/** `<b>`, or `List<T>` with the word before it. */
const tagOrOpening = /((?:\b[\w:.]{1,80})?<[a-z/!?][^<>\n`]{0,200}>)|<(?=[a-z/!?])/gi;

/** Turns literal tags into code and escapes other Markdown syntax. */
function escapeText(text: string) {
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
const escapeLineStart = (line: string) =>
  line.replace(
    /^(?=#{1,6}(?:\s|$)|>|\+\s|\||={2,}\s*$|(?:-\s*){2,}$|(?:\*\s*){3,}$|`{3}|~{3}|:::)/,
    '\\',
  );

interface Link {
  readonly href: string;
  /** Whether the link was written. A link around several paragraphs is written only once. */
  isWritten: boolean;
}

type Marks = Readonly<{
  link?: Link | undefined;
  strong?: true;
  emphasis?: true;
}>;

type Run = Marks &
  Readonly<{
    kind: 'text' | 'code' | 'break';
    text: string;
  }>;

const hasText = (node: HtmlNode | null) => isText(node) && /\S/.test(node.data);
/** Whether a button is a word of a sentence: `Click [Save] to store it`. */
const isWord = (button: HtmlElement) =>
  hasText(button.prev) && hasText(button.next) && /\p{L}{2}/u.test(textOf(button));

/** Elements without inline text. */
const isSkipped = (element: HtmlElement) =>
  /^(?:svg|input|picture|rp|rt|wbr|hr)$/.test(element.name) ||
  (element.name === 'button' && !isWord(element));

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
class InlineRuns {
  #runs: Run[] = [];
  readonly #resolve: ResolveUrl | undefined;

  /** @param resolve without it, marks and links are omitted, but not code */
  constructor(resolve: ResolveUrl | undefined) {
    this.#resolve = resolve;
  }

  add(node: HtmlNode, marks: Marks) {
    if (isText(node)) this.#addText(node.data, marks);
    else if (isElement(node) && !isSkipped(node)) this.#addElement(node, marks);
  }

  addInside(node: HtmlNode, marks: Marks) {
    for (const child of childrenOf(node)) this.add(child, marks);
  }

  /** Returns and clears the collected paragraphs. Two line breaks end a paragraph. */
  takeParagraphs() {
    const paragraphs = writeRuns(this.#runs).split(/\n{2,}/);
    this.#runs = [];
    return paragraphs.filter(Boolean);
  }

  /** Returns the collected content as one line. */
  takeLine() {
    return writeRuns(
      this.#runs.map((run) => (run.kind === 'break' ? { ...run, kind: 'text', text: ' ' } : run)),
    );
  }

  #addElement(element: HtmlElement, marks: Marks) {
    this.#setApart(element);
    if (element.name === 'li' && hasItemBefore(element)) this.#endItem();
    if (element.name === 'br') this.#runs.push({ kind: 'break', text: '\n' });
    else this.#addContent(element, marks);
    this.#setApart(element);
  }

  /** Writes the space or line break that CSS puts before and after an element. */
  #setApart(element: HtmlElement) {
    const apart = element.attribs[apartAttribute];
    if (apart === 'word') this.#addText(' ', {});
    else if (apart && this.#runs.length > 0) this.#runs.push({ kind: 'break', text: '\n' });
  }

  #addContent(element: HtmlElement, marks: Marks) {
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
    else this.addInside(element, this.#resolve ? { ...marks, ...markOf[name] } : marks);
  }

  #addLink(link: HtmlElement, marks: Marks) {
    const text = textOf(link, 40);
    if (/^(?:[\s↩↵⏎↑^⤴¶#§]|🔗|\p{Variation_Selector})*$/u.test(text)) return;
    if (/^\[?\d{1,3}\]?$/.test(text) && isNote(link, this.#before))
      return this.#addText(raisedText(text, this.#before), marks);
    const last = this.#runs.at(-1);
    // Adjacent links may be separated only by CSS.
    if (last?.link && !/\s$/.test(last.text)) this.#addText(' ', {});
    this.addInside(link, linked(link, marks, this.#resolve));
  }

  /** Writes raised text with its marks if it stays as it is. */
  #addRaised(text: string, element: HtmlElement, marks: Marks) {
    const raised = raisedText(text, this.#before);
    if (raised === text) this.addInside(element, marks);
    else this.#addText(raised, marks);
  }

  get #before() {
    return this.#runs.at(-1)?.text ?? '';
  }

  #addBetween(before: string, element: HtmlElement, after: string, marks: Marks) {
    this.#addText(before, marks);
    this.addInside(element, marks);
    this.#addText(after, marks);
  }

  /** Separates list items on one line with semicolons. */
  #endItem() {
    while (this.#runs.at(-1)?.text.trim() === '') this.#runs.pop();
    const last = this.#runs.pop();
    if (last) this.#runs.push({ ...last, text: last.text.trimEnd() }, { kind: 'text', text: ';' });
  }

  #addText(text: string, marks: Marks) {
    if (text) this.#runs.push({ ...marks, kind: 'text', text: collapse(text) });
  }
}

/** Marks inside a link: its address, if it has one. */
function linked(link: HtmlElement, marks: Marks, resolve: ResolveUrl | undefined) {
  const href = resolve?.(attributeOf(link, 'href') ?? 'none:')?.href;
  return href ? { ...marks, link: { href, isWritten: false } } : marks;
}

/** Whether a link with a number refers to a note: it says so, or the number would join a word. */
const isNote = (link: HtmlElement, before: string) =>
  roleOf(link) === 'doc-noteref' ||
  /noteref/.test(attributeOf(link, 'epub:type') ?? '') ||
  (/(?:[\p{L}\p{N}.:!?)\]”"’'%€£$]|[⁰¹²³⁴-⁹][,;])$/u.test(before) &&
    (attributeOf(link, 'href') ?? '').includes('#'));

/** Returns the TeX source of a formula, else its text. */
const formulaOf = (math: HtmlElement) => {
  const source = findFirst(
    math,
    (inner) => inner.name === 'annotation' && /tex/i.test(inner.attribs['encoding'] ?? ''),
  );
  return source ? collapse(rawTextOf(source)).trim() : mathText(math);
};

const hasItemBefore = (item: HtmlElement) => {
  let before = item.prev;
  while (before && !isElement(before)) before = before.prev;
  return before?.name === 'li';
};

const bare = (address: string) =>
  address.replace(/^(?:https?:\/\/|mailto:)/, '').replace(/\/$/, '');

function writeLink(link: Link, text: string) {
  if (link.isWritten) return text;
  link.isWritten = true;
  if (bare(text) === bare(link.href)) return text;
  const href = link.href.replaceAll('(', '%28').replaceAll(')', '%29');
  return `[${text.replaceAll('\n', ' ')}](${href})`;
}

type Mark = keyof Marks;
const order: readonly Mark[] = ['link', 'strong', 'emphasis'];
const signs = { strong: '**', emphasis: '*' };

const writeRun = ({ kind, text }: Run) =>
  kind === 'break' ? '\n' : kind === 'code' ? codeSpan(text.trim()) : escapeText(text);

/** Writes runs, grouping neighbours with the same mark. Omits marks that would have no effect. */
function writeLevel(
  runs: readonly Run[],
  level: number,
  before: string | undefined,
  after: string | undefined,
) {
  const mark = order[level];
  if (!mark) return runs.map(writeRun).join('');
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
) {
  const core = inner.trim();
  if (!core) return inner;
  const lead = inner.slice(0, inner.length - inner.trimStart().length);
  const trail = inner.slice(inner.trimEnd().length);
  if (typeof value === 'object') return lead + writeLink(value, core) + trail;
  const before = lead ? ' ' : left;
  const after = trail ? ' ' : right;
  const isMarked =
    mark !== 'link' &&
    !core.includes('\n\n') &&
    !isPartOfWord(before, core, after) &&
    isEdge(before, core[0]) &&
    isEdge(after, core.at(-1));
  const sign = isMarked ? signs[mark] : '';
  return lead + sign + core + sign + trail;
}

/** Merges spaces at run boundaries, so that emphasis checks see the final neighbours. */
function joined(runs: readonly Run[]) {
  const kept: Run[] = [];
  let isAfterSpace = true;
  for (const run of runs) {
    const text: string =
      run.kind === 'text' && isAfterSpace ? run.text.replace(/^ /, '') : run.text;
    if (!text) continue;
    kept.push({ ...run, text });
    isAfterSpace = run.kind === 'break' || (run.kind === 'text' && text.endsWith(' '));
  }
  return kept;
}

function writeRuns(runs: readonly Run[]) {
  return writeLevel(joined(runs), 0, undefined, undefined)
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, ' ').trim())
    .join('\n')
    .trim();
}

type HtmlBlock = Readonly<{
  /** `answer-end` follows the answer to the previous question. */
  kind: 'text' | 'list' | 'heading' | 'question' | 'answer-end';
  text: string;
  /** Heading level from 1. */
  level?: number;
  anchor?: string | undefined;
}>;

/** Only blocks outside of lists, quotes and tables may be headings and questions. */
type WriteContext = Readonly<{
  marks: Marks;
  nesting: number;
  resolve: ResolveUrl;
}>;

/** Deeper lists and quotes are written at this depth. */
const maxNesting = 8;
const nested = (context: WriteContext) => ({
  ...context,
  nesting: context.nesting + 1,
});

const quoted = (text: string) => text.replace(/^(?=.)/gm, '> ').replace(/^$/gm, '>');

/**
 * Makes a question a heading if a heading or the end follows its answer; otherwise bold, because a
 * heading would include later text.
 */
function resolveQuestions(blocks: readonly HtmlBlock[]) {
  const settled: HtmlBlock[] = [];
  /** Whether only headings or the end follow. */
  let isClosed = true;
  const answers: boolean[] = [];
  for (const block of blocks.toReversed()) {
    if (block.kind === 'answer-end') answers.push(isClosed);
    else if (block.kind === 'question') {
      isClosed = (answers.pop() ?? isClosed) && isAsking(block.text);
      settled.push(
        isClosed ? { ...block, kind: 'heading' } : { kind: 'text', text: `**${block.text}**` },
      );
    } else {
      isClosed = block.kind === 'heading';
      settled.push(block);
    }
  }
  let level = 1;
  return settled.toReversed().map((block) => {
    if (block.kind !== 'heading') return block;
    if (block.level === undefined) return { ...block, level: Math.min(level + 1, 6) };
    level = block.level;
    return block;
  });
}

/** @param isTight omits the blank line between text and a nested list */
function renderBlocks(blocks: readonly HtmlBlock[], isTight = false) {
  let text = '';
  let before: HtmlBlock['kind'] | undefined;
  for (const { kind, text: content, level = 1, anchor } of resolveQuestions(blocks)) {
    const line =
      kind === 'heading'
        ? `${'#'.repeat(level)} ${content}${anchorSuffix(plainHeading(content), anchor)}`
        : content;
    if (!line.trim()) continue;
    if (before) text += isTight && before === 'text' && kind === 'list' ? '\n' : '\n\n';
    text += line;
    before = kind;
  }
  return text;
}

const isCodeBlock = named('pre', 'xmp', 'listing', 'plaintext');

/** Symbols that mark a question as expandable. */
const openingMark = /^(?:\\?[+−–×▸▾▼►▶⌄]\s*)+|(?<![\s+−–×▸▾▼►▶⌄])(?:\s*[+−–×▸▾▼►▶⌄])+$/g;
/** A paragraph of emoji without text is omitted. */
const isIcon = /^(?:\p{Extended_Pictographic}|\ufe0f|\s)+$/u;
/** Converts typed bullets. */
const asLine = (line: string) => escapeLineStart(line.replace(/^[•‣◦▪●]\s*/, '- '));

function startsWithHeading(item: HtmlElement): boolean {
  const first = childrenOf(item).find((child) => textOf(child, 20));
  if (!isElement(first)) return false;
  return (
    isHeading(first) || (/^(?:div|section|header)$/.test(first.name) && startsWithHeading(first))
  );
}

function taskMark(item: HtmlElement) {
  const near = [...elementsOf(item), ...elementsOf(item).slice(0, 2).flatMap(elementsOf)];
  const box = near.find((child) => child.name === 'input' && child.attribs['type'] === 'checkbox');
  return box === undefined ? '' : 'checked' in box.attribs ? '[x] ' : '[ ] ';
}

const isWholeNumber = (number: number) => Number.isInteger(number) && number >= 0;

const startsBlock = (element: HtmlElement) => isBlock(element) || isCodeBlock(element);

/** Cache of `hasBlocks`. */
const holdsBlocks = new WeakMap<HtmlElement, boolean>();

function hasBlocks(element: HtmlElement): boolean {
  const found =
    holdsBlocks.get(element) ??
    elementsOf(element).some((child) => startsBlock(child) || hasBlocks(child));
  holdsBlocks.set(element, found);
  return found;
}

/** Text of an element on one line. @param resolve without it, marks and links are omitted */
function lineOf(element: HtmlElement, resolve?: ResolveUrl, marks: Marks = {}) {
  const runs = new InlineRuns(resolve);
  runs.addInside(element, marks);
  return runs.takeLine();
}

function flow(nodes: readonly HtmlNode[], context: WriteContext) {
  const out: HtmlBlock[] = [];
  const runs = new InlineRuns(context.resolve);
  const flush = () => {
    const paragraphs = runs.takeParagraphs().filter((paragraph) => !isIcon.test(paragraph));
    out.push(
      ...paragraphs.map((paragraph) => textBlock(paragraph.split('\n').map(asLine).join('\n'))),
    );
  };
  for (const node of nodes) {
    if (!isElement(node)) runs.add(node, context.marks);
    else if (isSkipped(node) && node.name !== 'hr') continue;
    else if (startsBlock(node) || hasBlocks(node)) {
      flush();
      for (const block of blocksOf(node, context)) out.push(block);
    } else runs.add(node, context.marks);
  }
  flush();
  return out;
}

const textBlock = (text: string): HtmlBlock => ({ kind: 'text', text });
const answerEnd: HtmlBlock = { kind: 'answer-end', text: '' };

function blocksOf(element: HtmlElement, context: WriteContext): HtmlBlock[] {
  const level = headingLevelOf(element);
  if (level !== undefined) return heading(element, level, context);
  if (isCodeBlock(element)) return code(element);
  if (isList(element)) return list(element, context);
  const { marks, resolve } = context;
  const inside = element.name === 'a' ? linked(element, marks, resolve) : marks;
  return (
    writers.get(element.name)?.(element, context) ??
    flow(element.children, { ...context, marks: inside })
  );
}

const label = (element: HtmlElement, { resolve }: WriteContext) => [
  textBlock(lineOf(element, resolve, strong)),
];

const writers = new Map<string, (element: HtmlElement, context: WriteContext) => HtmlBlock[]>([
  ['li', (element, context) => [itemsOf([element], undefined, context)]],
  ['table', table],
  ['dl', definitions],
  ['blockquote', quote],
  ['details', details],
  ['summary', question],
  ['x-question', question],
  ['x-label', label],
  ['x-answer', ({ children }, context) => [...flow(children, context), answerEnd]],
]);

function heading(element: HtmlElement, level: number, context: WriteContext): HtmlBlock[] {
  if (context.nesting > 0) return label(element, context);
  const text = lineOf(element);
  return text ? [{ kind: 'heading', text, level, anchor: element.attribs[anchorAttribute] }] : [];
}

function question(element: HtmlElement, context: WriteContext, anchor?: string): HtmlBlock[] {
  if (findFirst(element, isHeading)) return flow(element.children, context);
  if (context.nesting > 0) return label(element, context);
  const text = lineOf(element).replace(openingMark, '');
  return text ? [{ kind: 'question', text, anchor }] : [];
}

function details(element: HtmlElement, context: WriteContext) {
  const summary = elementsOf(element).find(named('summary'));
  const asked = summary ? question(summary, context, attributeOf(element, 'id')) : [];
  const answer = element.children.filter((child) => child !== summary);
  return [...asked, ...flow(answer, context), answerEnd];
}

function code(element: HtmlElement) {
  const text = codeOf(element);
  return text ? [textBlock(fencedCode(text, codeLanguageOf(element)))] : [];
}

function quote(element: HtmlElement, context: WriteContext) {
  const text = renderBlocks(flow(element.children, nested(context)));
  return [textBlock(text && context.nesting < maxNesting ? quoted(text) : text)];
}

function table(element: HtmlElement, context: WriteContext) {
  const onlyCode = codeInTable(element);
  if (onlyCode) {
    const heads = findAll(element, named('th'));
    return [...heads.flatMap((head) => label(head, context)), ...code(onlyCode)];
  }
  if (!isLayoutTable(element)) {
    const { caption, rows } = writeHtmlTable(element, (cell) => lineOf(cell, context.resolve));
    return [textBlock(caption), textBlock(rows)];
  }
  const cells = findAll(element, named('td', 'th', 'caption'));
  const isOwn = (cell: HtmlElement) => ancestorsOf(cell).find(named('table')) === element;
  return cells.filter(isOwn).flatMap((cell) => flow(cell.children, context));
}

function list(element: HtmlElement, context: WriteContext) {
  const children = elementsOf(element).filter(
    (child) => child.name === 'li' || textOf(child, 20) !== '',
  );
  const steps = children.filter(startsWithHeading).length;
  if (context.nesting === 0 && steps > 0 && steps * 2 >= children.length)
    return children.flatMap((child) => flow(child.children, context));
  return [
    itemsOf(children, element.name === 'ol' ? numberingOf(element, children) : undefined, context),
  ];
}

function numberingOf(list: HtmlElement, items: readonly HtmlElement[]) {
  const isReversed = 'reversed' in list.attribs;
  const start = Number(attributeOf(list, 'start') ?? (isReversed ? items.length : 1));
  return {
    start: isWholeNumber(start) ? start : 1,
    step: isReversed ? -1 : 1,
    // As in HTML or CSS: `A`, `upper-roman`.
    format: attributeOf(list, 'type') ?? '',
  };
}

/** @param numbering undefined for bullets */
function itemsOf(
  elements: readonly HtmlElement[],
  numbering: ReturnType<typeof numberingOf> | undefined,
  context: WriteContext,
) {
  const written: string[] = [];
  const { start = 0, step = 1, format = '' } = numbering ?? {};
  // Markdown has numbers that count up, and no other.
  const isPlain = numbering && step === 1 && !isLettered(format);
  let number = start;
  for (const element of elements) {
    const value = Number(attributeOf(element, 'value') ?? Number.NaN);
    if (isWholeNumber(value)) number = value;
    const label = numbering && !isPlain ? `${listLabel(number, format)}. ` : '';
    const text = item(element, isPlain ? `${number}.` : '-', label, context);
    if (!text) continue;
    written.push(text);
    number += step;
  }
  return joinItems(written);
}

function item(element: HtmlElement, bullet: string, label: string, context: WriteContext) {
  const text = renderBlocks(flow(element.children, nested(context)), true);
  if (!text) return '';
  const marked = taskMark(element) + label + text;
  return context.nesting < maxNesting ? listItem(bullet, marked) : marked;
}

const joinItems = (written: readonly string[]): HtmlBlock => ({
  kind: 'list',
  text: written.join(written.some((item) => item.includes('\n\n')) ? '\n\n' : '\n'),
});

/**
 * Writes terms with their definitions as list items. Terms that end with a question mark become
 * questions.
 */
function definitions(element: HtmlElement, context: WriteContext) {
  const parts = elementsOf(element).flatMap((child) =>
    child.name === 'div' ? elementsOf(child) : [child],
  );
  if (parts.every((part) => part.name !== 'dt' || isAsking(textOf(part))))
    return parts.flatMap((part) => {
      if (part.name === 'dt') return question(part, context, attributeOf(part, 'id'));
      return part.name === 'dd' ? [...flow([part], context), answerEnd] : flow([part], context);
    });
  // Each definition is an entry with its terms, so that it can be read on its own.
  const written: string[] = [];
  let terms: HtmlElement[] = [];
  let isDefined = true;
  const writeEntry = (definition: readonly HtmlBlock[]) => {
    const text = renderBlocks(describe(terms, definition));
    if (text) written.push(context.nesting < maxNesting ? listItem('-', text) : text);
    isDefined = true;
  };
  for (const part of parts) {
    if (part.name === 'dd') writeEntry(flow(part.children, nested(context)));
    else if (textOf(part, 20) !== '') {
      terms = isDefined ? [part] : [...terms, part];
      isDefined = false;
    }
  }
  if (!isDefined) writeEntry([]);
  return [joinItems(written)];
}

/** Writes terms. A definition that starts with text follows on the same line. */
function describe(terms: readonly HtmlElement[], descriptions: readonly HtmlBlock[]) {
  const lines = terms.map((term) =>
    lineOf(term, undefined, findFirst(term, named('code')) ? {} : strong),
  );
  const [first, ...others] = descriptions;
  const term = lines.filter(Boolean).join(', ');
  if (!term) return [...descriptions];
  if (first?.kind !== 'text' || /^(?:`{3}|\||>)/.test(first.text))
    return [textBlock(term), ...descriptions];
  const isEnded = terms.some((part) => /[?？:：.]$/.test(textOf(part)));
  return [textBlock(`${term}${isEnded ? '' : ':'} ${first.text}`), ...others];
}

/** @param resolve makes link addresses absolute */
export function writeHtmlMarkdown(content: HtmlNode, resolve: ResolveUrl): string {
  const nodes = isElement(content) && content.name === 'table' ? [content] : childrenOf(content);
  return renderBlocks(flow(nodes, { marks: {}, nesting: 0, resolve }));
}
