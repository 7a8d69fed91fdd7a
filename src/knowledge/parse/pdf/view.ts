/**
 * The direction of a page's text. A page whose text mostly runs in another direction (a table laid sideways, Japanese columns) is turned;
 * other turned text is set aside, and large slanted text, a watermark, is dropped.
 */
import type { Glyph, PageView, TurnedText } from './page.ts';
import type { PagePainter, PaintedGlyph } from './painter.ts';

/** Steeper than this is no line that a scanner took askew: about three degrees. */
const maxSlope = 0.06;
/** Slanted text larger than this, or so many times larger than the page's text, is a watermark. */
const minWatermarkSize = 24;
const watermarkRatio = 1.6;
const largeAsideRatio = 2.5;

/** Quarter turns clockwise from left-to-right; undefined for a slant or no direction. */
function turnOf({ x, y, endX, endY }: PaintedGlyph): number | undefined {
  const dx = endX - x;
  const dy = endY - y;
  if (Math.abs(dy) <= Math.abs(dx) * maxSlope) return dx >= 0 ? 0 : 2;
  if (Math.abs(dx) <= Math.abs(dy) * maxSlope) return dy > 0 ? 1 : 3;
  return undefined;
}

/** @param painterOf the page painted so that text of that turn runs from left to right */
export function viewOf(
  painted: readonly PaintedGlyph[],
  painterOf: (turn: number) => PagePainter,
  width: number,
  height: number,
): PageView {
  const counts = [0, 0, 0, 0];
  for (const glyph of painted) {
    const turn = turnOf(glyph);
    if (turn !== undefined) counts[turn] = (counts[turn] ?? 0) + 1;
  }
  const turn = counts.indexOf(Math.max(...counts));
  const painter = painterOf(turn);
  const upright = turn === 0 ? painted : painter.glyphs();
  const glyphs: Glyph[] = [];
  const others: PaintedGlyph[] = [];
  for (const glyph of upright) {
    if (turnOf(glyph) === 0) {
      const { text, x, endX, y, size, isBold, isMono, isAfterSpace, isArtifact } = glyph;
      glyphs.push({ text, x0: x, x1: endX, y, size, isBold, isMono, isAfterSpace, isArtifact });
    } else others.push(glyph);
  }
  const isSideways = turn % 2 === 1;
  return {
    width: isSideways ? height : width,
    height: isSideways ? width : height,
    glyphs,
    turned: turnedTexts(others, medianSize(glyphs)),
    rulings: painter.rulings(),
    spots: painter.spots(),
  };
}

function medianSize(glyphs: readonly Glyph[]): number {
  const sizes = glyphs.map(({ size }) => size).sort((one, other) => one - other);
  return sizes[sizes.length >> 1] ?? 10;
}

/** Consecutive glyphs of one direction, without watermarks. */
function turnedTexts(glyphs: readonly PaintedGlyph[], usualSize: number): TurnedText[] {
  const runs: PaintedGlyph[][] = [];
  let last: PaintedGlyph | undefined;
  for (const glyph of glyphs) {
    const continues =
      last !== undefined &&
      Math.abs(last.size - glyph.size) < 0.5 &&
      turnOf(last) === turnOf(glyph) &&
      Math.hypot(glyph.x - last.endX, glyph.y - last.endY) < glyph.size * 0.9;
    if (continues) runs.at(-1)?.push(glyph);
    else runs.push([glyph]);
    last = glyph;
  }
  const texts: TurnedText[] = [];
  for (const run of runs) {
    const [first] = run;
    if (!first) continue;
    const { size } = first;
    const isSlanted = turnOf(first) === undefined;
    if (isSlanted && (size >= minWatermarkSize || size > usualSize * watermarkRatio)) continue;
    if (size > Math.max(minWatermarkSize, usualSize * largeAsideRatio)) continue;
    const xs = run.flatMap(({ x, endX }) => [x, endX]);
    const ys = run.flatMap(({ y, endY }) => [y, endY]);
    if (!run.some((glyph) => /\p{L}/u.test(glyph.text))) continue;
    const text = run.map((glyph, index) => (index > 0 && (glyph.isAfterSpace || isApart(run[index - 1], glyph)) ? ' ' : '') + glyph.text);
    texts.push({ text: text.join(''), size, x0: Math.min(...xs), x1: Math.max(...xs), y0: Math.min(...ys), y1: Math.max(...ys) });
  }
  return texts;
}

const isApart = (last: PaintedGlyph | undefined, next: PaintedGlyph) =>
  last !== undefined && Math.hypot(next.x - last.endX, next.y - last.endY) > next.size * 0.15;
