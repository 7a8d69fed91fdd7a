/**
 * What the stages of PDF reading hand to each other. Lengths are points, x from the left and y from the top edge of the page as it is
 * shown; a `y` alone is a baseline.
 */
import { isInvisible, withoutInvisible } from '../../language/invisible.ts';

export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

export interface FontLook {
  readonly isBold: boolean;
  readonly isMono: boolean;
}

/** One shown character, or several where a glyph stands for them. */
export interface Glyph extends FontLook {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly size: number;
  /** A space was shown before it. */
  readonly isAfterSpace: boolean;
  /** Marked as no part of the text by the producer: headers, footers, watermarks. */
  readonly isArtifact: boolean;
}

/** What a reader sees of a page. */
export interface PageView {
  readonly width: number;
  readonly height: number;
  readonly glyphs: readonly Glyph[];
  readonly rulings: Rulings;
  /** Small drawn spots: list marks of producers that draw them. */
  readonly spots: readonly Box[];
}

/** A drawn line, or the edge of a filled box: `at` across its direction, `from` and `to` along it. */
export interface Ruling {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Rulings {
  readonly horizontal: readonly Ruling[];
  readonly vertical: readonly Ruling[];
}

/** A piece of one line: words with no wide gap between them. */
export interface PdfSegment extends FontLook {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly size: number;
  /** Where the text after a list mark begins. */
  readonly textX0: number;
  /** Between a list mark and its text; 0 without a mark. */
  readonly markGap: number;
  readonly isArtifact: boolean;
  /** A running header or footer: found only when all pages are known. */
  isRunning: boolean;
}

/** Segments on one baseline, from the left. */
export type Row = readonly PdfSegment[];

/** A piece of a page in reading order. Cells hold rows. */
export type PdfBlock =
  | { readonly kind: 'lines'; readonly rows: readonly Row[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Row[])[])[]; readonly columnX0: readonly number[] };

export interface PageLayout {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly blocks: readonly PdfBlock[];
  /** Rows from the top and from the bottom, as many as may be running headers and footers. */
  readonly edges: readonly EdgeRow[];
}

export interface EdgeRow {
  readonly row: Row;
  /** Distance of the baseline from the page's top edge, or negative from its bottom edge. */
  readonly at: number;
  /** 0 for the outermost row of its edge. */
  readonly depth: number;
}

/** Letters by their look. @param sizeStep in points: sizes that differ by less are one */
export function countLetters(pieces: Iterable<FontLook & Pick<Glyph, 'text' | 'size'>>, sizeStep: number) {
  const bySize = new Map<number, number>();
  let [all, bold, mono] = [0, 0, 0];
  for (const { text, size, isBold, isMono } of pieces) {
    const rounded = Math.round(size / sizeStep) * sizeStep;
    bySize.set(rounded, (bySize.get(rounded) ?? 0) + text.length);
    all += text.length;
    if (isBold) bold += text.length;
    if (isMono) mono += text.length;
  }
  return { all, bold, mono, bySize };
}

/** What most of a document's text looks like; headings, notes and code are found by how they differ from it. */
export interface BodyStyle {
  readonly size: number;
  /** Distance of two lines of one paragraph. */
  readonly pitch: number;
  readonly isBold: boolean;
  readonly isMono: boolean;
}

/** In sizes of type: closer lines overlap, and further ones are paragraphs. In a document of few lines all distances may be of paragraphs. */
const minPitch = 0.9;
const usualPitch = 1.35;
const maxPitch = 2.6;
const fewDistances = 10;
/** Share of the distances, from the least, at which those of lines in a paragraph lie: notes and captions are set closer. */
const pitchShare = 0.35;
/** In points: half a point is what producers round to. */
const sizeStep = 0.5;

/** Distances of neighbouring rows of one size, in sizes of type, ascending. */
function distancesOf(rows: readonly Row[]): number[] {
  return rows.flatMap((row, index) => {
    const [above, first] = [rows[index - 1]?.[0], row[0]];
    if (!above || !first || Math.abs(above.size - first.size) > 0.3 || first.y <= above.y) return [];
    return [Math.round(((first.y - above.y) / first.size) * 50) / 50];
  });
}

export function bodyStyle(pages: readonly PageLayout[]): BodyStyle {
  const blocks = pages.flatMap((page) => page.blocks);
  const rows = blocks.flatMap((block): readonly Row[] => (block.kind === 'lines' ? block.rows : block.rows.flat(2)));
  const { all, bold, mono, bySize } = countLetters(rows.flat(), sizeStep);
  const size = [...bySize].reduce((best, next) => (next[1] > best[1] ? next : best), [10, 0])[0];
  const distances = blocks.flatMap((block) => (block.kind === 'lines' ? distancesOf(block.rows) : [])).sort((one, other) => one - other);
  const pitch = distances[Math.min(distances.length - 1, Math.floor(distances.length * pitchShare))] ?? 1.2;
  const most = distances.length < fewDistances ? usualPitch : maxPitch;
  return { size, pitch: Math.min(most, Math.max(minPitch, pitch)) * size, isBold: bold * 2 > all, isMono: mono * 2 > all };
}

/*
 * What a glyph's Unicode value becomes in a document: ligatures and presentation forms are spelled out, characters that show nothing
 * (controls, direction marks, tags) are gone, so that no text can hide in them. Joiners stay between letters, where scripts need them.
 */

/** Whether these are needed is seen beside other glyphs, by `settledText`; the first divides a word at the end of a line. */
const undecided = '\u00ad\u200c\u200d\ufe0e\ufe0f';
/** What stands for something that is no text. */
const replacement = /[\ufffc\ufffd]/g;
const presentationForms = /[\ufb00-\ufdff\ufe70-\ufefc\uff01-\uff5e\u2f00-\u2fd5]/g;
const spaces = /[\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g;
/** Marks of the symbol fonts that office programs use for lists. */
const symbolBullets = /[\uf02d\uf06c-\uf06f\uf071-\uf077\uf09e-\uf0a8\uf0b7\uf0d8\uf0e0\uf0fc]/g;
const privateUse = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;

const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Marks stand before their letter in the order of the eye, so characters are turned around one by one. */
const reversed = (text: string): string => [...text].reverse().join('');

/** What of a glyph's text can be seen, in the order of the eye from left to right; spaces become one space. */
export function shownText(unicode: string): string {
  // Nearly every glyph is one character of ASCII.
  if (unicode.length === 1 && unicode > ' ' && unicode < '\x7f') return unicode;
  const text = unicode
    .replace(spaces, ' ')
    .replace(presentationForms, (form) => form.normalize('NFKC'))
    .replace(symbolBullets, '•')
    .replace(privateUse, '')
    .replace(/[\u2010\u2011]/g, '-')
    .replace(replacement, '')
    .replace(/[^ -~]/gu, (character) => (isInvisible(character) && !undecided.includes(character) ? '' : character));
  return text.length > 1 && rightToLeft.test(text) ? reversed(text) : text;
}

/** A whole text without joiners that join nothing and without soft hyphens that break nothing. */
export const settledText = (text: string): string => withoutInvisible(text).normalize('NFC') + (text.endsWith('\u00ad') ? '\u00ad' : '');

const leftToRightRun = /[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}.,:/%@+_-]*[\p{L}\p{N}%])?/gu;
const mirrored: Readonly<Record<string, string>> = { '(': ')', ')': '(', '[': ']', ']': '[', '{': '}', '}': '{', '«': '»', '»': '«' };

function isRightToLeft(text: string): boolean {
  if (!rightToLeft.test(text)) return false;
  const letters = [...text].filter((character) => /\p{L}/u.test(character));
  return letters.filter((letter) => rightToLeft.test(letter)).length * 2 >= letters.length;
}

/** Text in the order of the eye → the order of reading, where most of it is written from right to left. */
export function readingOrder(text: string): string {
  if (!isRightToLeft(text)) return text;
  return reversed(text)
    .replace(/[()[\]{}«»]/g, (bracket) => mirrored[bracket] ?? bracket)
    .replace(leftToRightRun, (run) => (rightToLeft.test(run) ? run : reversed(run)));
}

/** Pieces of one line, given from the left, in the order of reading. */
export const inReadingOrder = (texts: readonly string[]): readonly string[] => (isRightToLeft(texts.join('')) ? texts.toReversed() : texts);
