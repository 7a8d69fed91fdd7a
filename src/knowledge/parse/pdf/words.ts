/**
 * Glyphs → words, by the spaces that are shown and by gaps, since many producers position every glyph and show no space. Letters that are set
 * apart for their look are one word.
 */
import type { Glyph } from './page.ts';

/** In units of the font size. */
export const minWordGap = 0.13;
const maxRunGap = 0.7;
const maxOverlap = 0.35;
/** With so many gaps between letters it can be told what is usual between them. */
const isLetter = /^[\p{L}\p{N}]/u;
const minGapsForTracking = 4;
const usualGapShare = 0.4;

export interface Piece {
  text: string;
  readonly x0: number;
  x1: number;
  readonly y: number;
  readonly size: number;
  readonly isBold: boolean;
  readonly isMono: boolean;
  /** A space was shown before it. */
  readonly isAfterSpace: boolean;
  readonly isArtifact: boolean;
}

/** Glyphs that follow each other on one baseline → words. */
function* wordsOf(run: readonly Glyph[]): Generator<Piece> {
  const gaps: number[] = [];
  for (let index = 1; index < run.length; index++) {
    const [last, next] = [run[index - 1], run[index]];
    if (!last || !next) continue;
    if (!next.isAfterSpace && isLetter.test(last.text) && isLetter.test(next.text)) gaps.push((next.x0 - last.x1) / next.size);
  }
  gaps.sort((one, other) => one - other);
  // Letters set apart: what most letters keep between them is no space.
  const tracking = gaps.length >= minGapsForTracking ? Math.max(0, gaps[Math.floor(gaps.length * usualGapShare)] ?? 0) : 0;
  const minGap = tracking + minWordGap;
  let piece: Piece | undefined;
  let last: Glyph | undefined;
  for (const glyph of run) {
    const isNew = !piece || !last || glyph.isAfterSpace || (glyph.x0 - last.x1) / glyph.size > minGap;
    if (isNew || !piece) {
      if (piece) yield piece;
      const { text, x0, x1, y, size, isBold, isMono, isAfterSpace, isArtifact } = glyph;
      piece = { text, x0, x1, y, size, isBold, isMono, isAfterSpace, isArtifact };
    } else {
      piece.text += glyph.text;
      piece.x1 = Math.max(piece.x1, glyph.x1);
    }
    last = glyph;
  }
  if (piece) yield piece;
}

function* runsOf(glyphs: readonly Glyph[]): Generator<Glyph[]> {
  let run: Glyph[] = [];
  for (const glyph of glyphs) {
    const last = run.at(-1);
    if (last) {
      const gap = (glyph.x0 - last.x1) / glyph.size;
      const isSame = Math.abs(glyph.y - last.y) < 0.1 * glyph.size && Math.abs(glyph.size - last.size) < 0.05 * glyph.size;
      if (!isSame || gap > maxRunGap || gap < -maxOverlap || glyph.isBold !== last.isBold || glyph.isMono !== last.isMono) {
        yield run;
        run = [];
      }
    }
    run.push(glyph);
  }
  if (run.length > 0) yield run;
}

export function piecesOf(glyphs: readonly Glyph[]): Piece[] {
  const pieces: Piece[] = [];
  for (const run of runsOf(glyphs)) pieces.push(...wordsOf(run));
  return pieces;
}
