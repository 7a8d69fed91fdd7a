/**
 * Markdown → its top-level blocks with exact offsets, in reading order: headings, and everything between them. One pass over the lines,
 * linear in the text and without recursion, because documents come from anywhere: parsers that build the whole tree need minutes and
 * gigabytes for some inputs of a few megabytes. HTML is text here, so a heading right after a component's tag is a heading.
 */
import GithubSlugger from 'github-slugger';
import { explicitAnchorOf, plainHeading } from './headings.ts';
import { type MarkdownLine, markdownLines } from './lines.ts';

export interface Heading {
  readonly kind: 'heading';
  readonly start: number;
  readonly end: number;
  readonly level: number;
  readonly text: string;
  /** Unique in the document: an explicit `{#id}`, else the slug that Markdown renderers give. */
  readonly anchor: string;
}

/** The line `<!-- page 3 -->`: what follows stands on that page of the source. */
export interface PageMark {
  readonly kind: 'page';
  readonly start: number;
  readonly end: number;
  readonly page: number;
}

export interface Block {
  /** `whole` is never split; `parts` may be cut where one of its parts begins; `prose` anywhere between sentences. */
  readonly kind: 'whole' | 'parts' | 'prose';
  readonly start: number;
  readonly end: number;
  /** Offsets at which an item of a list begins, without the first; empty unless `kind` is `parts`. */
  readonly partStarts: readonly number[];
}

/**
 * What is longer is given in pieces, cut where an item, a line or a word begins if it can be, so that whoever takes them can do other work
 * between two. Far longer than a chunk.
 */
const maxBlockChars = 65_536;
/** After so many lines an empty block is given, for the same reason. */
const linesAtATime = 4_096;
/** Only this much of a line is looked at to tell what it is. */
const maxMarkupChars = 500;
const atxHeading = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/s;
const setextUnderline = /^ {0,3}(=+|-+)[ \t]*$/;
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const tableRow = /^ {0,3}\|/;
const pageMark = /^<!-- page (\d{1,6}) -->$/;
const isIndented = (line: string) => /^(?: {2,}|\t)/.test(line);

type Kind = Block['kind'];

/** The block that is open while lines are read, and what each line does to it. */
class BlockReader {
  readonly #text: string;
  readonly #bodyStart: number;
  readonly #slugger = new GithubSlugger();
  #kind: Kind | undefined;
  #start: number;
  #partStarts: number[] = [];
  #isAfterBlank = true;
  /** The line of a paragraph that an underline would make a heading, if it is the paragraph's only one. */
  #onlyLine: MarkdownLine | undefined;

  constructor(text: string, bodyStart: number) {
    this.#text = text;
    this.#bodyStart = bodyStart;
    this.#start = bodyStart;
  }

  /** Gives what is too long of the open block in pieces; it stays open. */
  *shed(end: number): Generator<Block> {
    while (this.#kind !== undefined && end - this.#start > 2 * maxBlockChars) {
      const cut = cutIn(this.#text, this.#start);
      yield { kind: this.#kind, start: this.#start, end: cut, partStarts: this.#partStarts.filter((part) => part < cut) };
      this.#partStarts = this.#partStarts.filter((part) => part > cut);
      this.#start = cut;
    }
  }

  *close(end: number): Generator<Block> {
    yield* this.shed(end);
    if (this.#kind !== undefined && end > this.#start) yield { kind: this.#kind, start: this.#start, end, partStarts: this.#partStarts };
    this.#kind = undefined;
    this.#start = end;
    this.#partStarts = [];
    this.#onlyLine = undefined;
  }

  *read(line: MarkdownLine): Generator<Heading | PageMark | Block> {
    const at = this.#bodyStart + line.start;
    const shown = line.text.slice(0, maxMarkupChars).replace(/\r$/, '');
    const isBlank = line.kind === 'prose' && line.text.trim() === '';
    const isInList = this.#kind === 'parts' && (isIndented(shown) || !this.#isAfterBlank);
    if (line.kind !== 'prose') yield* this.#readFence(line, at, isInList);
    else if (!isBlank) yield* this.#readText(line, at, shown, isInList);
    else if (this.#kind === 'prose') yield* this.close(this.#bodyStart + line.next);
    this.#isAfterBlank = isBlank;
  }

  /** A fence stays with its list item; elsewhere it is a block of its own. */
  *#readFence({ kind }: MarkdownLine, at: number, isInList: boolean): Generator<Block> {
    const isOpen = this.#kind === 'whole' && !(kind === 'fence' && !isInFence(this.#text, this.#start));
    if (isInList || isOpen) return;
    yield* this.close(at);
    this.#kind = 'whole';
  }

  *#readText(line: MarkdownLine, at: number, shown: string, isInList: boolean): Generator<Heading | PageMark | Block> {
    const next = this.#bodyStart + line.next;
    const mark = pageMark.exec(shown);
    const atx = atxHeading.exec(shown);
    if (mark) {
      yield* this.close(at);
      this.#start = next;
      yield { kind: 'page', start: at, end: next, page: Number(mark[1]) };
    } else if (atx) {
      yield* this.close(at);
      yield this.#heading(at, next, atx[1]?.length ?? 1, (atx[2] ?? '').replace(/(?<![ \t])[ \t]+#+[ \t]*$/, ''));
    } else {
      const underlined = this.#underlined(shown, next);
      if (underlined) yield underlined;
      else if (listItem.test(shown)) yield* this.#readItem(at);
      else if (!isInList) yield* this.#readLine(line, at, tableRow.test(shown) ? 'whole' : 'prose');
    }
  }

  /** The heading that an underline makes of the line above it. */
  #underlined(shown: string, next: number): Heading | undefined {
    const line = this.#onlyLine;
    const underline = line && setextUnderline.exec(shown)?.[1];
    if (!line || !underline) return undefined;
    this.#kind = undefined;
    this.#onlyLine = undefined;
    return this.#heading(this.#bodyStart + line.start, next, underline.startsWith('=') ? 1 : 2, line.text.trim());
  }

  *#readItem(at: number): Generator<Block> {
    if (this.#kind === 'parts' && at - this.#start <= maxBlockChars) {
      this.#partStarts.push(at);
      return;
    }
    yield* this.close(at);
    this.#kind = 'parts';
  }

  *#readLine(line: MarkdownLine, at: number, wanted: Kind): Generator<Block> {
    const continues = this.#kind === wanted && !this.#isAfterBlank && !(wanted === 'whole' && isInFence(this.#text, this.#start));
    if (continues && (wanted !== 'prose' || at - this.#start <= maxBlockChars)) {
      this.#onlyLine = undefined;
      return;
    }
    yield* this.close(at);
    this.#kind = wanted;
    this.#onlyLine = wanted === 'prose' ? line : undefined;
  }

  #heading(from: number, end: number, level: number, source: string): Heading {
    this.#start = end;
    const anchor = explicitAnchorOf(source);
    const label = plainHeading(source);
    return { kind: 'heading', start: from, end, level, text: label, anchor: anchor ?? this.#slugger.slug(label) };
  }
}

/** Blocks of `text` from `bodyStart`. A block reaches to where the next begins, so nothing of the body is in no block. */
export function* blocksOf(text: string, bodyStart: number): Generator<Heading | PageMark | Block> {
  const reader = new BlockReader(text, bodyStart);
  let lines = 0;
  for (const line of markdownLines(bodyStart === 0 ? text : text.slice(bodyStart))) {
    const at = bodyStart + line.start;
    yield* reader.shed(at);
    if (++lines % linesAtATime === 0) yield { kind: 'prose', start: at, end: at, partStarts: [] };
    yield* reader.read(line);
  }
  yield* reader.close(text.length);
}

/** Where a piece of a long block that begins at `start` ends: at a line's or a word's end, else between two characters. */
function cutIn(text: string, start: number): number {
  const hard = start + maxBlockChars;
  const window = text.slice(start, hard);
  const soft = start + Math.max(window.lastIndexOf('\n'), window.lastIndexOf(' ')) + 1;
  if (soft > start) return soft;
  return /[\uDC00-\uDFFF]/.test(text.charAt(hard)) ? hard - 1 : hard;
}

/** Whether the open block at `start` is a code fence, not a table. */
const isInFence = (text: string, start: number): boolean => /^[ \t>]*(?:`{3}|~{3})/.test(text.slice(start, start + 20));
