/** Rows as text lines: joining, table-of-contents entries and list marks. */
import { countLetters, inReadingOrder, type PdfSegment, type Row } from './page.ts';

/** A row of body text. */
export interface PdfLine extends Omit<PdfSegment, 'isArtifact' | 'isRunning'> {
  readonly segments: Row;
}

/** Returns a row without running segments; undefined if nothing remains. */
export function lineOf(row: Row): PdfLine | undefined {
  const segments = row.filter(({ isRunning }) => !isRunning);
  const [first] = segments;
  if (!first) return undefined;
  const { all, bold } = countLetters(segments, 1);
  return {
    ...first,
    text: inReadingOrder(segments.map(({ text }) => text)).join(' '),
    x1: segments.at(-1)?.x1 ?? first.x1,
    size: segments.reduce((best, next) => (next.text.length > best.text.length ? next : best)).size,
    isBold: bold > all * 0.8,
    isMono: segments.every(({ isMono }) => isMono),
    segments,
  };
}

/** Dots before a page number. */
export const leaders = /\s*(?:\.\s?){4,}\s*|\s*…{2,}\s*|(?:\s\.){2,}\s*(?=\d+$)/g;

/** Whether a line is an entry of a table of contents: text, then dots, then a page number. */
export const isContentsEntry = ({ text }: PdfLine): boolean => text.search(leaders) > 0;

const dividedWord = /[\p{L}]-$/u;
/** Prefixes that keep their hyphen. */
const hyphenPrefix =
  /(?:^|[\s(])(?:self|well|all|half|cross|high|low|long|short|full|part|third|first|second|one|two|three|e|non-\p{L}+)-$/iu;

/** Characters at the end of a line that are searched for a prefix. */
const longestPrefix = 30;

/** Joins a divided word, or a compound that was broken at its hyphen. */
function joinDivided(first: string, second: string): string {
  const isCompound = !/^\p{Ll}/u.test(second) || hyphenPrefix.test(first.slice(-longestPrefix));
  return isCompound ? first + second : first.slice(0, -1) + second;
}

const unspacedEnd = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。、！？]$/u;
const unspacedStart = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。、！？]/u;

/** Joins two lines: divided words without the hyphen, other text with a space. */
export function joinPdfLines(first: string, second: string): string {
  if (first === '' || second === '') return first + second;
  if (first.endsWith('\u00ad')) return first.slice(0, -1) + second;
  const startsInLetter = /^\p{L}/u.test(second);
  if (startsInLetter && dividedWord.test(first)) return joinDivided(first, second);
  const isTied = startsInLetter
    ? /[^\s*][—/]$/.test(first) || (/\p{Lu}?\d[-–]$/u.test(first) && /^\p{Lu}/u.test(second))
    : /[\d\p{L}][-–]$/u.test(first) && /^\d/.test(second);
  const isUnspaced = unspacedEnd.test(first) && unspacedStart.test(second);
  return isTied || isUnspaced ? first + second : `${first} ${second}`;
}

export interface Mark {
  /** As written in Markdown. */
  readonly markdown: string;
  readonly rest: string;
  readonly kind: 'bullet' | 'dash' | 'number' | 'letter';
}

const bullet = /^([•◦▪▫■□●○◆◇►▸▶➢➤✓✔‣⁃∙·])\s*(?=\S)/u;
const dash = /^([-–—*o])\s+(?=\S)/;
const number = /^(?:(\d{1,3})([.)])|\((\d{1,3})\))\s+(?=\S)/;
const letter = /^(\(?(?:[a-z]|[ivx]{2,5}|[A-Z])[.)])\s+(?=\S)/;
/** In font sizes: a wider gap after a mark means a hanging indent; a space has .33. */
const hangingGap = 0.45;

export function markOf({ text, markGap, size }: PdfLine): Mark | undefined {
  const isHanging = markGap > size * hangingGap;
  const item = (kind: Mark['kind'], [whole]: RegExpExecArray, markdown = '-'): Mark => ({
    markdown,
    rest: text.slice(whole.length),
    kind,
  });
  const bulleted = bullet.exec(text);
  if (bulleted) return item('bullet', bulleted);
  const dashed = dash.exec(text);
  if (dashed) return dashed[1] === 'o' && !isHanging ? undefined : item('dash', dashed);
  const numbered = number.exec(text);
  const [, figure, end = ')', bracketed] = numbered ?? [];
  if (numbered) return item('number', numbered, `${Number(figure ?? bracketed)}${end}`);
  // `A. Smith` is a name unless the text has a hanging indent.
  const lettered = isHanging || !/^[A-Z]\./.test(text) ? letter.exec(text) : null;
  return lettered
    ? { markdown: '-', rest: text.replace(letter, '$1 '), kind: 'letter' }
    : undefined;
}
