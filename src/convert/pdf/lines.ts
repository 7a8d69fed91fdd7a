/** Rows as lines of text: how two lines join, the entries of a table of contents, and the marks that list items begin with. */
import { countLetters, inReadingOrder, type PdfSegment, type Row } from './page.ts';

/** A row that is text of the body. */
export interface PdfLine extends Omit<PdfSegment, 'isArtifact' | 'isRunning'> {
  readonly segments: Row;
}

/** A row as a line of text; undefined where nothing of it is body. */
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

/** Dots that lead the eye to a page number. */
export const leaders = /\s*(?:\.\s?){4,}\s*|\s*…{2,}\s*|(?:\s\.){2,}\s*(?=\d+$)/g;

/** A line of a table of contents: a text, and at its end, led to by dots or set apart, a page's number. */
export function isContentsEntry({ text, segments, size }: PdfLine): boolean {
  if (text.search(leaders) > 0) return true;
  const [last, before] = [segments.at(-1), segments.at(-2)];
  return (
    last !== undefined &&
    before !== undefined &&
    /^(?:\d{1,4}|[ivxlc]{1,6})$/.test(last.text) &&
    /\p{L}{2}/u.test(before.text) &&
    last.x0 - before.x1 > size * 2.5
  );
}

const dividedWord = /[\p{L}]-$/u;
/** What is hyphenated by its spelling, not by the line. */
const hyphenPrefix =
  /(?:^|[\s(])(?:self|well|all|half|cross|high|low|long|short|full|part|third|first|second|one|two|three|e|non-\p{L}+)-$/iu;

/** In characters from the end of a line. */
const longestPrefix = 30;

/** A word that the line's end divided, or a compound that was broken at its hyphen. */
function joinDivided(first: string, second: string): string {
  const isCompound = !/^\p{Ll}/u.test(second) || hyphenPrefix.test(first.slice(-longestPrefix));
  return isCompound ? first + second : first.slice(0, -1) + second;
}

const unspacedEnd = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。、！？]$/u;
const unspacedStart = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}。、！？]/u;

/** Two lines as one text: words that the line's end divided without the hyphen, everything else with a space. */
export function joinPdfLines(first: string, second: string): string {
  if (first === '' || second === '') return first + second;
  if (first.endsWith('\u00ad')) return first.slice(0, -1) + second;
  const startsInLetter = /^\p{L}/u.test(second);
  if (startsInLetter && dividedWord.test(first)) return joinDivided(first, second);
  const isTied = startsInLetter ? /[^\s*][—/]$/.test(first) : /\d[-–]$/.test(first) && /^\d/.test(second);
  const isUnspaced = unspacedEnd.test(first) && unspacedStart.test(second);
  return isTied || isUnspaced ? first + second : `${first} ${second}`;
}

export interface Mark {
  /** As Markdown writes it. */
  readonly markdown: string;
  readonly rest: string;
  readonly kind: 'bullet' | 'dash' | 'number' | 'letter';
}

const bullet = /^([•◦▪▫■□●○◆◇►▸▶➢➤✓✔‣⁃∙·])\s*(?=\S)/u;
const dash = /^([-–—*o])\s+(?=\S)/;
const number = /^(?:(\d{1,3})([.)])|\((\d{1,3})\))\s+(?=\S)/;
const letter = /^(\(?(?:[a-z]|[ivx]{2,5}|[A-Z])[.)])\s+(?=\S)/;
/** A branch of a file tree: the lines that pass it by, and the one that leads to its name. */
export const treeBranch = /^((?:[│┃|]\s?)*)(?:[├└╰┣┗|`+\\][─━-]{1,4}|[├└╰┣┗])\s*(?=\S)/u;
/** In sizes of type: a gap this wide after a mark is set for hanging text, a space has .33. */
const hangingGap = 0.45;

export function markOf({ text, markGap, size }: PdfLine): Mark | undefined {
  const rest = (match: RegExpExecArray) => text.slice(match[0].length);
  const isHanging = markGap > size * hangingGap;
  const bulleted = bullet.exec(text) ?? treeBranch.exec(text);
  if (bulleted) return { markdown: '-', rest: rest(bulleted), kind: 'bullet' };
  const dashed = dash.exec(text);
  if (dashed) return dashed[1] === 'o' && !isHanging ? undefined : { markdown: '-', rest: rest(dashed), kind: 'dash' };
  const numbered = number.exec(text);
  if (numbered) return { markdown: `${Number(numbered[1] ?? numbered[3])}${numbered[2] ?? ')'}`, rest: rest(numbered), kind: 'number' };
  const lettered = letter.exec(text);
  // `A. Smith` is a name unless the text hangs.
  if (!lettered || (/^[A-Z]\./.test(text) && !isHanging)) return undefined;
  return { markdown: '-', rest: `${lettered[1]} ${rest(lettered)}`, kind: 'letter' };
}
