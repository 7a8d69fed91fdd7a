/**
 * Glyphs → words → rows of segments. Finds words by spaces and gaps, because many producers place
 * every glyph and omit spaces. Spaced-out letters form one word, super- and subscripts join their
 * line, and text painted twice for bold counts once.
 */
import { raisedText, superOrSubscript } from '../markdown/small-text.ts';
import {
  ascending,
  countLetters,
  fromLeft,
  type Glyph,
  groupNeighbours,
  normalizedText,
  type PdfSegment,
  type Rulings,
  readingOrder,
} from './page.ts';

/**
 * Gaps in font sizes. A space is .2 to .33 wide, in justified text at least .15; kerning is at most
 * .1.
 */
const minWordGap = 0.13;
const isLetter = /^[\p{L}\p{N}]/u;
/**
 * Minimum gaps, and the quantile that is the letter spacing. In words of three letters, a third of
 * the gaps are spaces.
 */
const minGapsForTracking = 4;

/** A word or a part of one. */
type Word = Omit<Glyph, 'text' | 'x1'> & { text: string; x1: number };

/** Gaps within the words of a run, in font sizes. */
const gapsOf = (run: readonly Glyph[]) =>
  run.slice(1).flatMap((next, index) => {
    const last = run[index] as Glyph;
    const isInWord = !next.isAfterSpace && isLetter.test(last.text) && isLetter.test(next.text);
    return isInWord ? [(next.x0 - last.x1) / next.size] : [];
  });

/** Letter spacing in font sizes; 0 if unknown. */
const trackingIn = (gaps: readonly number[]) =>
  gaps.length < minGapsForTracking
    ? 0
    : Math.max(0, ascending(gaps)[Math.floor(gaps.length * 0.4)] ?? 0);

/** Splits the runs of a line into words. */
function wordsOfLine(runs: readonly (readonly Glyph[])[]) {
  const gaps = runs.map(gapsOf);
  const ofLine = runs.length > 1 ? trackingIn(gaps.flat()) : 0;
  return runs.flatMap((run, index) => {
    const own = gaps[index] ?? [];
    const isShort = own.length < minGapsForTracking;
    // A short word of a spaced line has the gaps of the whole line.
    const isAlike = own.every((gap) => Math.abs(gap - ofLine) < 0.06);
    return wordsOf(run, isShort ? (isAlike ? ofLine : 0) : trackingIn(own));
  });
}

/** Groups runs of one baseline and size that follow each other. */
const linesOf = (runs: readonly Glyph[][]) =>
  groupNeighbours(runs, ([next], _, run) => {
    const last = run.at(-1);
    return (
      next !== undefined &&
      last !== undefined &&
      Math.abs(next.y - last.y) < 0.1 &&
      Math.abs(next.size - last.size) < 0.1
    );
  });

/** Splits a run of glyphs on one baseline into words. @param tracking letter spacing in font sizes */
function wordsOf(run: readonly Glyph[], tracking: number) {
  const minGap = tracking + minWordGap;
  const words: Word[] = [];
  for (const [index, glyph] of run.entries()) {
    const last = run[index - 1];
    const word = words.at(-1);
    if (word && last && !glyph.isAfterSpace && (glyph.x0 - last.x1) / glyph.size <= minGap) {
      word.text += glyph.text;
      word.x1 = Math.max(word.x1, glyph.x1);
    } else words.push({ ...glyph });
  }
  return words;
}

/** Glyphs of one baseline and size without wide gaps. */
const runsOf = (glyphs: readonly Glyph[]) =>
  groupNeighbours(glyphs, (glyph, _, last) => {
    const gap = (glyph.x0 - last.x1) / glyph.size;
    return (
      Math.abs(glyph.y - last.y) < 0.1 * glyph.size &&
      Math.abs(glyph.size - last.size) < 0.05 * glyph.size &&
      // Wider gaps (columns) and larger overlaps end a run. Accents overlap less.
      gap <= 0.7 &&
      gap >= -0.35
    );
  });

export const listMark =
  /^(?:[•◦▪▫■□●○◆◇►▸▶➢➤✓✔‣⁃∙·*–—-]|o(?=\s|$)|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{2,5})[.)]|\d{1,2}(?:\.\d{1,2}){1,3}\.?|§\s?\d+)$/;

type Baseline = Readonly<{
  y: number;
  pieces: Word[];
}>;

const baselinesOf = (pieces: readonly Word[]) =>
  groupNeighbours(
    pieces.toSorted((one, other) => one.y - other.y || fromLeft(one, other)),
    // In font sizes: glyphs of one line vary by less; superscripts are at least .3 higher.
    (piece, first) => piece.y - first.y <= 0.25 * Math.min(piece.size, first.size),
  ).map((words) => ({ y: words[0]?.y ?? 0, pieces: words }));

/**
 * Whether one part directly follows or precedes another. Note numbers may be slightly further
 * before their text.
 */
function isAdjacent(piece: Word, { x0, x1, size }: Word) {
  const after = (piece.x0 - x1) / size;
  const before = (x0 - piece.x1) / size;
  return (
    (after > -0.4 && after < 0.25) ||
    (before > -0.2 && before < (/^\d+$/.test(piece.text) ? 1 : 0.2))
  );
}

/** Whether a part is smaller than its neighbour and slightly above or below its baseline. */
function isRaised(piece: Word, neighbour: Word) {
  const shift = (piece.y - neighbour.y) / neighbour.size;
  return (
    // Super- and subscripts are smaller and closer to the baseline than this, in sizes of the
    // neighbouring text.
    piece.size < neighbour.size * 0.86 &&
    shift > -0.6 &&
    shift < 0.35 &&
    isAdjacent(piece, neighbour)
  );
}

/**
 * Returns the line to which a super- or subscript moves, and its text there; undefined if it does
 * not move.
 */
function targetOf(piece: Word, baseline: Baseline, neighbours: readonly (Baseline | undefined)[]) {
  const target = neighbours.find((other) =>
    other?.pieces.some((neighbour) => isRaised(piece, neighbour)),
  );
  if (!target) return undefined;
  const shift = piece.y - target.y;
  // In sizes of the shifted text: a smaller shift means small text, not a super- or subscript.
  const isShifted = Math.abs(shift) > piece.size * 0.12;
  if (target === baseline && !isShifted) return undefined;
  const before = target.pieces.find(({ x1, size }) => Math.abs(piece.x0 - x1) < size * 0.4);
  const text =
    isShifted && (shift < 0 || /^\d{1,3}$/.test(piece.text))
      ? shift < 0
        ? raisedText(piece.text, before?.text.at(-1) ?? '')
        : superOrSubscript(piece.text, 'sub')
      : piece.text;
  return { target, text };
}

/** Moves super- and subscripts to their line. */
function joinRaised(baselines: readonly Baseline[]) {
  for (const [index, baseline] of baselines.entries()) {
    const neighbours = [index, index - 1, index + 1, index - 2, index + 2].map(
      (at) => baselines[at],
    );
    // Note numbers and exponents are shorter, small print is longer.
    for (const piece of baseline.pieces.filter(({ text }) => text.length <= 5)) {
      const found = targetOf(piece, baseline, neighbours);
      if (!found) continue;
      const { target, text } = found;
      baseline.pieces.splice(baseline.pieces.indexOf(piece), 1);
      target.pieces.push({ ...piece, text, y: target.y, isAfterSpace: false });
    }
  }
}

function segmentOf(words: readonly Word[]) {
  const [first, second] = words;
  // In points, for rounding sizes: scaled pages cause small differences.
  const { all: letters, bold, mono, bySize } = countLetters(words, 0.25);
  // Small capitals and inline code do not reduce the size of the line.
  const size = Math.max(
    // Minimum share of a segment's letters; the largest size with this share is the segment's size.
    ...[...bySize].filter(([, count]) => count >= letters * 0.3).map(([key]) => key),
  );
  const x0 = first?.x0 ?? 0;
  const isMarked = listMark.test(first?.text ?? '');
  return {
    text: normalizedText(readingOrder(words.map(({ text }) => text).join(' '))),
    x0,
    x1: Math.max(...words.map(({ x1 }) => x1)),
    y: first?.y ?? 0,
    size,
    textX0: isMarked ? (second?.x0 ?? x0) : x0,
    markGap: isMarked && first && second ? second.x0 - first.x1 : 0,
    isBold: bold * 2 > letters,
    isMono: mono * 10 > letters * 9,
    isArtifact: words.every(({ isArtifact }) => isArtifact),
    isRunning: false,
  };
}

/**
 * Whether a neighbouring gap is equally wide. Then the line is justified, and the gap does not
 * separate columns.
 */
function isStretched(row: readonly Word[], index: number, last: Word, piece: Word, gap: number) {
  // Badly justified lines have wider but even gaps.
  if (gap >= 1.3) return false;
  const unit = Math.max(piece.size, last.size);
  const before = row[index - 2];
  const after = row[index + 1];
  const gaps = [before && last.x0 - before.x1, after && after.x0 - piece.x1];
  return gaps.some((other) => other !== undefined && Math.abs(other / unit - gap) < 0.07);
}

/** How a part relates to the previous words of a segment. */
function relationOf(
  words: readonly Word[],
  row: readonly Word[],
  index: number,
  dividers: readonly number[],
) {
  const piece = row[index];
  const last = words.at(-1);
  if (!piece || !last) return 'segment';
  const unit = Math.max(piece.size, last.size);
  const gap = (piece.x0 - last.x1) / unit;
  // Text painted twice for bold is shifted by .02 to .1.
  if (piece.text === last.text && Math.abs(piece.x0 - last.x0) < 0.16 * unit) return 'doubled';
  const isDivided = gap > 0 && dividers.some((x) => x > last.x1 - 1 && x < piece.x0 + 1);
  const isMark = words.length === 1 && listMark.test(last.text);
  const isApart =
    // Table columns are at least .8 apart, spaces at most .6.
    gap > 0.72 &&
    // In font sizes, between list mark and text: hanging indents are at most 36 points.
    !(isMark && gap < 4) &&
    !isStretched(row, index, last, piece, gap);
  if (isDivided || isApart) return 'segment';
  return gap < minWordGap && gap > -1 && !piece.isAfterSpace ? 'letters' : 'word';
}

/** @param row from the left @param dividers x of vertical lines through the row */
function segmentsOf(row: readonly Word[], dividers: readonly number[]) {
  const segments: Word[][] = [];
  for (const [index, piece] of row.entries()) {
    const words = segments.at(-1) ?? [];
    const relation = relationOf(words, row, index, dividers);
    const last = words.at(-1);
    if (relation === 'segment') segments.push([{ ...piece }]);
    else if (relation === 'word') words.push({ ...piece });
    else if (relation === 'letters' && last) {
      last.text += piece.text;
      last.x1 = Math.max(last.x1, piece.x1);
    }
  }
  return segments.map(segmentOf);
}

/** Rows from the top, each from the left. */
export function rowsOf(glyphs: readonly Glyph[], rulings: Rulings): PdfSegment[][] {
  const baselines = baselinesOf(linesOf(runsOf(glyphs)).flatMap(wordsOfLine));
  joinRaised(baselines);
  return baselines.flatMap(({ pieces: row, y }) => {
    if (row.length === 0) return [];
    row.sort(fromLeft);
    const size = Math.max(...row.map((piece) => piece.size));
    const dividers = rulings.vertical
      .filter(({ from, to }) => from < y - size * 0.2 && to > y - size * 0.4)
      .map(({ at }) => at);
    return [segmentsOf(row, dividers)];
  });
}
