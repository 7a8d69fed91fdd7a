/** Running text of a page → one line or paragraph of Markdown: pieces of text with their marks first, marks written where they work last. */

import { codeOf } from './code.ts';
import {
  attributeOf,
  childrenOf,
  classNamesOf,
  findFirst,
  type HtmlElement,
  type HtmlNode,
  isBlock,
  isElement,
  isText,
  rawTextOf,
  textOf,
} from './dom.ts';
import type { Resolve } from './metadata.ts';
import { canMark, collapse, escapeText, inlineCode } from './text.ts';

export interface Link {
  readonly href: string;
  /** A link around several paragraphs is written once. */
  isSpent: boolean;
}

export interface Marks {
  readonly link?: Link | undefined;
  readonly strong?: true;
  readonly emphasis?: true;
  readonly strike?: true;
}

interface Run extends Marks {
  readonly kind: 'text' | 'code' | 'break';
  readonly text: string;
}

const skipped = new Set(
  'svg button input select textarea img picture script style template object iframe video audio canvas rp rt wbr hr'.split(' '),
);
const backLink = /^(?:[\s↩↵⏎↑^⤴¶#§]|🔗|\p{Variation_Selector})*$/u;
const superscripts = '⁰¹²³⁴⁵⁶⁷⁸⁹';

const marksAt = (element: HtmlElement, marks: Marks, resolve: Resolve): Marks => {
  switch (element.name) {
    case 'strong':
    case 'b':
      return { ...marks, strong: true };
    case 'em':
    case 'i':
    case 'cite':
      return { ...marks, emphasis: true };
    case 'del':
    case 's':
    case 'strike':
      return { ...marks, strike: true };
    case 'a': {
      const href = resolve(attributeOf(element, 'href') ?? 'none:')?.href;
      return href === undefined ? marks : { ...marks, link: { href, isSpent: false } };
    }
    default:
      return marks;
  }
};

/** Pieces of running text, in order; blocks in it are set apart by a space. */
export interface Runs {
  add(node: HtmlNode, marks: Marks): void;
  /** Adds the children alone. */
  addInside(node: HtmlNode, marks: Marks): void;
  /** Paragraphs of Markdown, and none of the pieces any more. Two breaks end a paragraph. */
  take(): string[];
  /** As one line. */
  takeLine(): string;
}

/** @param isBare leaves out marks and links, but not code */
export function createRuns(resolve: Resolve, isBare = false): Runs {
  let runs: Run[] = [];
  const marksOf = (element: HtmlElement, marks: Marks) => (isBare ? marks : marksAt(element, marks, resolve));

  function addElement(element: HtmlElement, marks: Marks): void {
    const { name } = element;
    if (name === 'br') runs.push({ kind: 'break', text: '\n' });
    else if (name === 'img' && classNamesOf(element).some((known) => /(?:^|-)emoji(?:-|$)/.test(known)))
      addText(attributeOf(element, 'alt') ?? '', marks);
    else if (skipped.has(name)) return;
    else if (name === 'code' || name === 'tt' || name === 'samp') runs.push({ ...marks, kind: 'code', text: collapse(codeOf(element)) });
    else if (name === 'math') runs.push({ ...marks, kind: 'code', text: formulaOf(element) });
    else if (name === 'sup') addSuperscript(element, marks);
    else if (name === 'q') {
      addText('“', marks);
      addInside(element, marks);
      addText('”', marks);
    } else if (name === 'a') {
      if (backLink.test(textOf(element, 40))) return;
      // Links that only a style sets apart.
      const last = runs.at(-1);
      if (last?.link !== undefined && !/\s$/.test(last.text)) addText(' ', {});
      addInside(element, marksOf(element, marks));
    } else if (isBlock(element)) {
      if (element.name === 'li' && hasItemBefore(element)) endItem();
      addText(' ', marks);
      addInside(element, marks);
      addText(' ', marks);
    } else addInside(element, marksOf(element, marks));
  }
  /** Items of a list in one line are told apart. */
  function endItem(): void {
    while (runs.at(-1)?.text.trim() === '') runs.pop();
    const last = runs.pop();
    if (last !== undefined) runs.push({ ...last, text: last.text.trimEnd() }, { kind: 'text', text: ';' });
  }
  function addSuperscript(element: HtmlElement, marks: Marks): void {
    const number = /^\[?(\d{1,3})\]?$/.exec(textOf(element, 20))?.[1];
    if (number === undefined) addInside(element, marks);
    else addText([...number].map((digit) => superscripts[Number(digit)]).join(''), marks);
  }
  const addText = (text: string, marks: Marks) => {
    if (text !== '') runs.push({ ...marks, kind: 'text', text: collapse(text) });
  };
  const add = (node: HtmlNode, marks: Marks) => {
    if (isText(node)) addText(node.data, marks);
    else if (isElement(node)) addElement(node, marks);
  };
  const addInside = (node: HtmlNode, marks: Marks) => {
    for (const child of childrenOf(node)) add(child, marks);
  };

  return {
    add,
    addInside,
    take() {
      const paragraphs = paragraphsOf(runs).map((paragraph) => writeRuns(paragraph));
      runs = [];
      return paragraphs.filter((paragraph) => paragraph !== '');
    },
    takeLine() {
      const line = writeRuns(runs.map((run) => (run.kind === 'break' ? { ...run, kind: 'text', text: ' ' } : run)));
      runs = [];
      return line;
    },
  };
}

/** A formula as its author wrote it, where the page says how. */
const formulaOf = (math: HtmlElement): string => {
  const source = findFirst(math, (inner) => inner.name === 'annotation' && /tex/i.test(inner.attribs['encoding'] ?? ''));
  return collapse(rawTextOf(source ?? math)).trim();
};

const hasItemBefore = (item: HtmlElement): boolean => {
  for (let before = item.prev; before !== null; before = before.prev) if (isElement(before)) return before.name === 'li';
  return false;
};

function paragraphsOf(runs: readonly Run[]): Run[][] {
  const paragraphs: Run[][] = [[]];
  let breaks = 0;
  for (const run of runs) {
    if (run.kind === 'break') breaks++;
    else if (run.kind === 'code' || run.text.trim() !== '') breaks = 0;
    if (breaks > 1) {
      paragraphs.push([]);
      breaks = 0;
    } else paragraphs.at(-1)?.push(run);
  }
  return paragraphs;
}

const bare = (address: string) => address.replace(/^(?:https?:\/\/|mailto:)/, '').replace(/\/$/, '');

function writeLink(link: Link, text: string): string {
  if (link.isSpent) return text;
  link.isSpent = true;
  if (bare(text) === bare(link.href)) return text;
  return `[${text.replaceAll('\n', ' ')}](${link.href.replace(/[()]/g, encodeURIComponent).replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

type Mark = 'link' | 'strong' | 'emphasis' | 'strike';
const order: readonly Mark[] = ['link', 'strong', 'emphasis', 'strike'];
const signs = { strong: '**', emphasis: '*', strike: '~~' } as const;

const leaf = ({ kind, text }: Run) => (kind === 'break' ? '\n' : kind === 'code' ? inlineCode(text) : escapeText(text));

/** Writes pieces; those with the same mark are written under one, and a mark that would not work here is left out. */
function writeLevel(runs: readonly Run[], level: number, before: string | undefined, after: string | undefined): string {
  const mark = order[level];
  if (mark === undefined) return runs.map(leaf).join('');
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

/** White space stands outside of marks. */
function writeMarked(inner: string, mark: Mark, value: Link | true, left: string | undefined, right: string | undefined): string {
  const core = inner.trim();
  if (core === '') return inner;
  const lead = inner.slice(0, inner.length - inner.trimStart().length);
  const trail = inner.slice(inner.trimEnd().length);
  if (typeof value === 'object') return lead + writeLink(value, core) + trail;
  const sign = mark !== 'link' && canMark(lead === '' ? left : ' ', core, trail === '' ? right : ' ') ? signs[mark] : '';
  return lead + sign + core + sign + trail;
}

/** Spaces that meet at the bounds of pieces are one, so that emphasis is told from its neighbours by what is left. */
function joined(runs: readonly Run[]): Run[] {
  const kept: Run[] = [];
  let isAfterSpace = true;
  for (const run of runs) {
    const text: string = run.kind === 'text' && isAfterSpace ? run.text.replace(/^ /, '') : run.text;
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
