/**
 * Markdown → its top-level blocks with exact offsets, in reading order: headings, and everything between them. One pass over the lines,
 * linear in the text and without recursion, because documents come from anywhere: parsers that build the whole tree need minutes and
 * gigabytes for some inputs of a few megabytes. HTML is text here, so a heading right after a component's tag is a heading.
 */
import GithubSlugger from 'github-slugger';
import { explicitAnchorOf, plainHeading } from '../text/headings.ts';
import { type MarkdownLine, markdownLines } from '../text/lines.ts';

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
 * A list or paragraph that is longer is given in pieces, cut where an item or a line begins, so that whoever takes them can do other work
 * between two. Far longer than a chunk.
 */
const maxBlockChars = 65_536;
/** Only this much of a line is looked at to tell what it is. */
const maxMarkupChars = 500;
const atxHeading = /^ {0,3}(#{1,6})(?:[ \t]+(.*))?$/;
const setextUnderline = /^ {0,3}(=+|-+)[ \t]*$/;
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const tableRow = /^ {0,3}\|/;
const pageMark = /^<!-- page (\d{1,6}) -->$/;
const isIndented = (line: string) => /^(?: {2,}|\t)/.test(line);

type Kind = Block['kind'];

/** Blocks of `text` from `bodyStart`. A block reaches to where the next begins, so nothing of the body is in no block. */
export function* blocksOf(text: string, bodyStart: number): Generator<Heading | PageMark | Block> {
  const slugger = new GithubSlugger();
  const body = bodyStart === 0 ? text : text.slice(bodyStart);
  let kind: Kind | undefined;
  let start = bodyStart;
  let partStarts: number[] = [];
  let isAfterBlank = true;
  /** The line of a paragraph that an underline would make a heading, if it is the paragraph's only one. */
  let onlyLine: MarkdownLine | undefined;

  function* close(end: number): Generator<Block> {
    if (kind !== undefined && end > start) yield { kind, start, end, partStarts };
    kind = undefined;
    start = end;
    partStarts = [];
    onlyLine = undefined;
  }

  function heading(from: number, end: number, level: number, source: string): Heading {
    start = end;
    const label = plainHeading(source);
    return { kind: 'heading', start: from, end, level, text: label, anchor: explicitAnchorOf(source) ?? slugger.slug(label) };
  }

  for (const line of markdownLines(body)) {
    const at = bodyStart + line.start;
    const next = bodyStart + line.next;
    const shown = line.text.slice(0, maxMarkupChars).replace(/\r$/, '');
    const isBlank = line.kind === 'prose' && line.text.trim() === '';
    const isInList = kind === 'parts' && (isIndented(shown) || !isAfterBlank);

    if (line.kind !== 'prose') {
      // A fence stays with its list item; elsewhere it is a block of its own.
      if (!isInList && (kind !== 'whole' || (line.kind === 'fence' && !isInFence(text, start)))) {
        yield* close(at);
        kind = 'whole';
      }
    } else if (isBlank) {
      if (kind === 'prose') yield* close(next);
    } else {
      const atx = atxHeading.exec(shown);
      const mark = pageMark.exec(shown);
      const underline = onlyLine && setextUnderline.exec(shown)?.[1];
      if (mark) {
        yield* close(at);
        start = next;
        yield { kind: 'page', start: at, end: next, page: Number(mark[1]) };
      } else if (atx) {
        yield* close(at);
        yield heading(at, next, atx[1]?.length ?? 1, (atx[2] ?? '').replace(/[ \t]+#+[ \t]*$/, ''));
      } else if (underline && onlyLine) {
        const from = bodyStart + onlyLine.start;
        const source = onlyLine.text;
        kind = undefined;
        onlyLine = undefined;
        yield heading(from, next, underline.startsWith('=') ? 1 : 2, source.trim());
      } else if (listItem.test(shown)) {
        if (kind !== 'parts' || at - start > maxBlockChars) {
          yield* close(at);
          kind = 'parts';
        } else partStarts.push(at);
      } else if (!isInList) {
        const wanted: Kind = tableRow.test(shown) ? 'whole' : 'prose';
        const continues = kind === wanted && !isAfterBlank && !(wanted === 'whole' && isInFence(text, start));
        if (!continues || (wanted === 'prose' && at - start > maxBlockChars)) {
          yield* close(at);
          kind = wanted;
          onlyLine = wanted === 'prose' ? line : undefined;
        } else onlyLine = undefined;
      }
    }
    isAfterBlank = isBlank;
  }
  yield* close(text.length);
}

/** Whether the open block at `start` is a code fence, not a table. */
const isInFence = (text: string, start: number): boolean => /^[ \t]*(?:`{3}|~{3})/.test(text.slice(start, start + 20));
