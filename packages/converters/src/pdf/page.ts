/**
 * Types shared by the PDF stages. Lengths in points, from the top left corner of the page as
 * displayed. A single `y` is a baseline.
 */
import { isInvisible, withoutInvisible } from '../../../shared/src/language/invisible.ts';

export type Box = Readonly<{
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}>;

export const holds = (box: Box, x: number, y: number) =>
  x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1;

/** A point in the middle of a glyph or segment. */
export const middleOf = ({ x0, x1, y, size }: Pick<Glyph, 'x0' | 'x1' | 'y' | 'size'>) =>
  [(x0 + x1) / 2, y - size * 0.3] as const;

type Placed = Pick<Box, 'x0'>;
export const fromLeft = (one: Placed, other: Placed) => one.x0 - other.x0;

export const ascending = (values: readonly number[]) =>
  values.toSorted((one, other) => one - other);

export const median = (values: readonly number[]) => ascending(values)[values.length >> 1] ?? 0;

/** Groups neighbours of a list. @param belongs whether an item belongs to the group before it */
export function groupNeighbours<Item>(
  items: readonly Item[],
  belongs: (item: Item, first: Item, last: Item) => boolean,
): Item[][] {
  const groups: Item[][] = [];
  for (const item of items) {
    const group = groups.at(-1);
    if (group && belongs(item, group[0] as Item, group.at(-1) as Item)) group.push(item);
    else groups.push([item]);
  }
  return groups;
}

export type FontStyle = Readonly<{
  isBold: boolean;
  isMono: boolean;
}>;

/** One visible character, or several drawn as one glyph. */
export type Glyph = FontStyle &
  Readonly<{
    text: string;
    x0: number;
    x1: number;
    y: number;
    size: number;
    /** A space precedes it. */
    isAfterSpace: boolean;
    /** Marked by the producer as header, footer or watermark. */
    isArtifact: boolean;
  }>;

/** Visible content of a page. */
export type PageView = Readonly<{
  width: number;
  height: number;
  glyphs: readonly Glyph[];
  rulings: Rulings;
}>;

/** A drawn line or the edge of a box: `at` across its direction, `from` and `to` along it. */
export type Ruling = Readonly<{
  at: number;
  from: number;
  to: number;
}>;

export type Rulings = Readonly<{
  horizontal: readonly Ruling[];
  vertical: readonly Ruling[];
}>;

/** Words of one line without wide gaps. */
export interface PdfSegment extends Omit<Glyph, 'isAfterSpace'> {
  /** Start of the text after a list mark. */
  readonly textX0: number;
  /** Gap between list mark and text; 0 without a mark. */
  readonly markGap: number;
  /** Part of a running header or footer; set after all pages are read. */
  isRunning: boolean;
}

/** Segments on one baseline, from the left. */
export type Row = readonly PdfSegment[];

/** A block in reading order. Cells contain rows. */
export type PdfBlock = Readonly<{ kind: 'lines'; rows: readonly Row[] }> | PdfTable;

export type PdfTable = Readonly<{
  kind: 'table';
  rows: readonly (readonly (readonly Row[])[])[];
  columnX0: readonly number[];
}>;

export type PageLayout = Readonly<{
  number: number;
  height: number;
  blocks: readonly PdfBlock[];
  /** Rows at the top and bottom that may be running headers or footers. */
  edges: readonly EdgeRow[];
}>;

export type EdgeRow = Readonly<{
  row: Row;
  /** Distance of the baseline from the top edge, or negative from the bottom edge. */
  at: number;
  /** 0 for the outermost row. */
  depth: number;
}>;

/** Counts letters by font. @param sizeStep in points; sizes are rounded to it */
export function countLetters(
  pieces: Iterable<FontStyle & Pick<Glyph, 'text' | 'size'>>,
  sizeStep: number,
) {
  const bySize = new Map<number, number>();
  let all = 0;
  let bold = 0;
  let mono = 0;
  for (const { text, size, isBold, isMono } of pieces) {
    const rounded = Math.round(size / sizeStep) * sizeStep;
    bySize.set(rounded, (bySize.get(rounded) ?? 0) + text.length);
    all += text.length;
    if (isBold) bold += text.length;
    if (isMono) mono += text.length;
  }
  return { all, bold, mono, bySize };
}

/** The most common formatting; headings, notes and code differ from it. */
export type BodyStyle = ReturnType<typeof bodyStyle>;

/** In points: producers round to half a point. */
const sizeStep = 0.5;

/** Distances of neighbouring rows of equal size, in font sizes. */
function distancesOf(rows: readonly Row[]) {
  return rows.flatMap((row, index) => {
    const above = rows[index - 1]?.[0];
    const first = row[0];
    if (!above || !first || Math.abs(above.size - first.size) > 0.3 || first.y <= above.y)
      return [];
    return [Math.round(((first.y - above.y) / first.size) * 50) / 50];
  });
}

export function bodyStyle(pages: readonly PageLayout[]) {
  const blocks = pages.flatMap((page) => page.blocks);
  const rows = blocks.flatMap((block) =>
    block.kind === 'lines' ? block.rows : block.rows.flat(2),
  );
  const { all, bold, mono, bySize } = countLetters(rows.flat(), sizeStep);
  const size = [...bySize].reduce((best, next) => (next[1] > best[1] ? next : best), [10, 0])[0];
  const distances = ascending(
    blocks.flatMap((block) => (block.kind === 'lines' ? distancesOf(block.rows) : [])),
  );
  const pitch =
    // Quantile of the distances that is taken as pitch: notes and captions are set closer.
    distances[Math.min(distances.length - 1, Math.floor(distances.length * 0.35))] ?? 1.2;
  // In font sizes: closer lines overlap, wider distances separate paragraphs. Few distances may all
  // separate paragraphs.
  const most = distances.length < 10 ? 1.35 : 2.6;
  return {
    size,
    /** Line distance within paragraphs. */
    pitch: Math.min(most, Math.max(0.9, pitch)) * size,
    isBold: bold * 2 > all,
    isMono: mono * 2 > all,
  };
}

// Unicode values of glyphs → text. Expands ligatures and presentation forms. Drops invisible
// characters (controls, direction marks, tags), in which text could hide. Joiners stay between
// letters, where scripts need them.

/**
 * Soft hyphen, joiners and variation selectors: `normalizedText` keeps or removes them when their
 * neighbours are known.
 */
const undecided = '\u00ad\u200c\u200d\ufe0e\ufe0f';
/** Placeholders for objects and unknown characters. */
const replacement = /[\ufffc\ufffd]/g;
const presentationForms = /[\ufb00-\ufdff\ufe70-\ufefc\uff01-\uff5e\u2f00-\u2fd5]/g;
const spaces = /[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
/** Bullets in symbol fonts of office programs. */
const symbolBullets = /[\uf02d\uf06c-\uf06f\uf071-\uf077\uf09e-\uf0a8\uf0b7\uf0d8\uf0e0\uf0fc]/g;
const privateUse = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;

const rightToLeft = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/u;

/** Reverses single characters: in visual order, marks precede their letter. */
const reversed = (text: string) => [...text].reverse().join('');

/** Visible text of a glyph in visual order, left to right. White space becomes one space. */
export function visibleText(unicode: string): string {
  // Fast path: nearly all glyphs are single ASCII characters.
  if (unicode.length === 1 && unicode > ' ' && unicode < '\x7f') return unicode;
  const text = unicode
    .replace(spaces, ' ')
    .replace(presentationForms, (form) => form.normalize('NFKC'))
    .replace(symbolBullets, '•')
    .replace(privateUse, '')
    .replace(/[\u2010\u2011]/g, '-')
    .replace(replacement, '')
    .replace(/[^ -~]/gu, (character) =>
      isInvisible(character) && !undecided.includes(character) ? '' : character,
    );
  return text.length > 1 && rightToLeft.test(text) ? reversed(text) : text;
}

/** Removes joiners and soft hyphens without effect from a whole text. */
export const normalizedText = (text: string): string =>
  withoutInvisible(text).normalize('NFC') + (text.endsWith('\u00ad') ? '\u00ad' : '');

const leftToRightRun = /[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}.,:/%@+_-]*[\p{L}\p{N}%])?/gu;
/**
 * Words in a right-to-left line, reversed: several Latin words, with figures after the first, are
 * read together.
 */
const leftToRightWords =
  /(?:[\p{sc=Latin}\p{Nd}][\p{sc=Latin}\p{Nd}.,:/%@+_'&-]{0,60} ){1,20}(?=[^ ]{0,60}\p{sc=Latin})[\p{sc=Latin}\p{Nd}.,:/%@+_'&-]{1,60}(?! ?[\p{sc=Latin}])/gu;
/** Each bracket beside its mirror image. */
const brackets = '()[]{}«»';

function isRightToLeft(text: string) {
  if (!rightToLeft.test(text)) return false;
  const letters = [...text].filter((character) => /\p{L}/u.test(character));
  return letters.filter((letter) => rightToLeft.test(letter)).length * 2 >= letters.length;
}

/** Converts visual to logical order if most of the text is right-to-left. */
export function readingOrder(text: string): string {
  if (!isRightToLeft(text)) return text;
  return reversed(text)
    .replace(/[()[\]{}«»]/g, (bracket) => brackets.charAt(brackets.indexOf(bracket) ^ 1))
    .replace(leftToRightRun, (run) => (rightToLeft.test(run) ? run : reversed(run)))
    .replace(leftToRightWords, (words) => words.split(' ').reverse().join(' '));
}

/** Puts segments of a line, given from the left, into reading order. */
export const inReadingOrder = (texts: readonly string[]): readonly string[] =>
  isRightToLeft(texts.join('')) ? texts.toReversed() : texts;
