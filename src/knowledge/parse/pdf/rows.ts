/**
 * Glyphs → words → rows of segments. Words are told by the spaces that are shown and by gaps, since many producers position every glyph
 * and show no space; raised and lowered figures join the line that they belong to; text painted twice for a bold look counts once.
 */
import type { Box, Glyph, Rulings, Segment, Word } from './page.ts';
import { readingOrder, settledText } from './shown-text.ts';
import { minWordGap, type Piece, piecesOf } from './words.ts';

/** All in units of the font size. */
export const minSegmentGap = 0.72;
/** Justified lines may have wider gaps, but even ones. */
const maxStretchedGap = 1.3;
const evenWithin = 0.07;
const baselineTolerance = 0.25;
/** Raised and lowered text is smaller than this, and no further from the baseline, in sizes of the text beside it. */
const maxRaisedSize = 0.86;
const maxRaise = 0.6;
const maxLowering = 0.35;
const maxRaisedChars = 5;
const maxMarkGap = 4;
/** Share of a segment's letters that make its size. */
const minSizeShare = 0.3;
const doubledWithin = 0.16;

export const listMark =
  /^(?:[•◦▪▫■□●○◆◇►▸▶➢➤✓✔‣⁃∙·*–—-]|o(?=\s|$)|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)]|\d{1,2}(?:\.\d{1,2}){1,3}\.?|§\s?\d+)$/;

/** A segment with its words, as long as its page is laid out. */
export interface WordedSegment extends Segment {
  words: readonly Word[];
}

const raised: Readonly<Record<string, string>> = {
  '0': '⁰',
  '1': '¹',
  '2': '²',
  '3': '³',
  '4': '⁴',
  '5': '⁵',
  '6': '⁶',
  '7': '⁷',
  '8': '⁸',
  '9': '⁹',
};
const lowered: Readonly<Record<string, string>> = {
  '0': '₀',
  '1': '₁',
  '2': '₂',
  '3': '₃',
  '4': '₄',
  '5': '₅',
  '6': '₆',
  '7': '₇',
  '8': '₈',
  '9': '₉',
};
const inFigures = (text: string, figures: Readonly<Record<string, string>>) => text.replace(/\d/g, (figure) => figures[figure] ?? figure);

interface Baseline {
  y: number;
  size: number;
  readonly pieces: Piece[];
}

function baselinesOf(pieces: Piece[]): Baseline[] {
  pieces.sort((one, other) => one.y - other.y || one.x0 - other.x0);
  const baselines: Baseline[] = [];
  for (const piece of pieces) {
    const last = baselines.at(-1);
    if (last && piece.y - last.y <= baselineTolerance * Math.min(piece.size, last.size)) last.pieces.push(piece);
    else baselines.push({ y: piece.y, size: piece.size, pieces: [piece] });
  }
  return baselines;
}

/** Whether a piece stands right after or right before another. A note's figure may stand a little before its text. */
function isBeside(piece: Piece, { x0, x1, size }: Piece): boolean {
  const after = (piece.x0 - x1) / size;
  const before = (x0 - piece.x1) / size;
  return (after > -0.4 && after < 0.25) || (before > -0.2 && before < (/^\d+$/.test(piece.text) ? 1 : 0.2));
}

/** Whether a piece is set smaller than the text beside it, a little above or below its baseline. */
function isRaised(piece: Piece, beside: Piece): boolean {
  const shift = (piece.y - beside.y) / beside.size;
  return piece.size < beside.size * maxRaisedSize && shift > -maxRaise && shift < maxLowering && isBeside(piece, beside);
}

/** Short pieces that are raised or lowered go to the row that they belong to. */
function joinRaised(baselines: readonly Baseline[]): void {
  for (const [index, baseline] of baselines.entries()) {
    for (const piece of [...baseline.pieces]) {
      if (piece.text.length > maxRaisedChars) continue;
      const homes = [index, index - 1, index + 1, index - 2, index + 2].map((at) => baselines[at]);
      const home = homes.find((other) => other?.pieces.some((beside) => isRaised(piece, beside)));
      if (!home) continue;
      const shift = piece.y - home.y;
      const isShifted = Math.abs(shift) > piece.size * 0.12;
      if (home === baseline && !isShifted) continue;
      const text = isShifted && /^\d{1,3}$/.test(piece.text) ? inFigures(piece.text, shift < 0 ? raised : lowered) : piece.text;
      baseline.pieces.splice(baseline.pieces.indexOf(piece), 1);
      home.pieces.push({ ...piece, text, y: home.y, isAfterSpace: false });
    }
  }
}

function segmentOf(words: readonly Piece[]): WordedSegment {
  const [first] = words;
  const bySize = new Map<number, number>();
  let letters = 0;
  let bold = 0;
  let mono = 0;
  for (const { text, size, isBold, isMono } of words) {
    const rounded = Math.round(size * 4) / 4;
    bySize.set(rounded, (bySize.get(rounded) ?? 0) + text.length);
    letters += text.length;
    if (isBold) bold += text.length;
    if (isMono) mono += text.length;
  }
  // Small capitals and code inside a line do not make it a smaller line.
  const size = Math.max(...[...bySize].filter(([, count]) => count >= letters * minSizeShare).map(([key]) => key));
  const x0 = first?.x0 ?? 0;
  const isMarked = listMark.test(first?.text ?? '');
  return {
    text: settledText(readingOrder(words.map(({ text }) => text).join(' '))),
    words: words.map((word) => ({ text: word.text, x0: word.x0, x1: word.x1 })),
    x0,
    x1: Math.max(...words.map(({ x1 }) => x1)),
    y: first?.y ?? 0,
    size,
    textX0: isMarked ? (words[1]?.x0 ?? x0) : x0,
    markGap: isMarked && first && words[1] ? words[1].x0 - first.x1 : 0,
    isBold: bold * 2 > letters,
    isMono: mono * 10 > letters * 9,
    isArtifact: words.every(({ isArtifact }) => isArtifact),
    isRunning: false,
  };
}

/** A spot at the height of small letters, a little before a line, is the mark of a list item. */
function addDrawnMark(row: Piece[], spots: readonly Box[]): void {
  for (const piece of [...row]) {
    const { x0, y, size } = piece;
    const isBefore = (box: Box) => {
      const distance = x0 - box.x1;
      const middle = (box.y0 + box.y1) / 2;
      return distance > size * 0.15 && distance < size * 2.2 && middle < y && middle > y - size * 0.75 && box.y1 - box.y0 < size * 0.6;
    };
    const spot = spots.find(isBefore);
    const isFree = spot && !row.some((other) => other !== piece && other.x1 > spot.x0 && other.x0 < x0);
    if (spot && isFree) row.splice(row.indexOf(piece), 0, { ...piece, text: '•', x0: spot.x0, x1: spot.x1 });
  }
}

/** Whether the gap on the other side of a piece is as wide: the line is justified, and this is no column. */
function isEvenGap(other: Piece | undefined, piece: Piece, isBefore: boolean, gap: number, unit: number): boolean {
  if (!other) return false;
  const beside = (isBefore ? piece.x0 - other.x1 : other.x0 - piece.x1) / unit;
  return Math.abs(beside - gap) < evenWithin;
}

/** Rows from the top, each from the left. */
export function rowsOf(glyphs: readonly Glyph[], rulings: Rulings, spots: readonly Box[]): WordedSegment[][] {
  const baselines = baselinesOf(piecesOf(glyphs));
  joinRaised(baselines);
  const rows: WordedSegment[][] = [];
  for (const { pieces: row, y } of baselines) {
    if (row.length === 0) continue;
    row.sort((one, other) => one.x0 - other.x0);
    addDrawnMark(row, spots);
    const size = Math.max(...row.map((piece) => piece.size));
    const dividers = rulings.vertical.filter(({ y0, y1 }) => y0 < y - size * 0.2 && y1 > y - size * 0.4).map(({ x }) => x);
    const isDivided = (left: number, right: number) => dividers.some((x) => x > left - 1 && x < right + 1);
    const segments: Piece[][] = [];
    for (const [index, piece] of row.entries()) {
      const words = segments.at(-1);
      const last = words?.at(-1);
      if (!words || !last) {
        segments.push([{ ...piece }]);
        continue;
      }
      const unit = Math.max(piece.size, last.size);
      const gap = (piece.x0 - last.x1) / unit;
      if (piece.text === last.text && Math.abs(piece.x0 - last.x0) < doubledWithin * unit) continue;
      const isStretched =
        gap < maxStretchedGap &&
        [row[index - 2], row[index + 1]].some((other, at) => isEvenGap(other, at === 0 ? last : piece, at === 0, gap, unit));
      const isMarkBefore = words.length === 1 && listMark.test(last.text) && gap < maxMarkGap;
      if ((gap > minSegmentGap && !isMarkBefore && !isStretched) || (gap > 0 && isDivided(last.x1, piece.x0)))
        segments.push([{ ...piece }]);
      else if (gap < minWordGap && gap > -1 && !piece.isAfterSpace) {
        last.text += piece.text;
        last.x1 = Math.max(last.x1, piece.x1);
      } else words.push({ ...piece });
    }
    rows.push(segments.map(segmentOf));
  }
  return rows;
}

/** A segment cut between words where the key changes. */
export function wordGroup(
  segment: WordedSegment,
  keyOf: (word: Word) => number,
): { readonly key: number; readonly segment: WordedSegment }[] {
  const groups: { key: number; words: Word[] }[] = [];
  for (const word of segment.words) {
    const key = keyOf(word);
    const last = groups.at(-1);
    if (last?.key === key) last.words.push(word);
    else groups.push({ key, words: [word] });
  }
  return groups.map(({ key, words }) => {
    const x0 = words[0]?.x0 ?? segment.x0;
    const x1 = words.at(-1)?.x1 ?? segment.x1;
    const text = settledText(readingOrder(words.map((word) => word.text).join(' ')));
    return { key, segment: { ...segment, text, words, x0, x1, textX0: x0, markGap: 0 } };
  });
}
