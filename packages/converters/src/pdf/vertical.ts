/** Japanese and Chinese columns whose characters are placed one by one in an upright font. */
import type { Glyph, PageView } from './page.ts';

const wide = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\u3000-\u303f\uff00-\uffef]/u;

const isBelow = (glyph: Glyph, above: Glyph | undefined) => {
  if (!above || !wide.test(glyph.text) || !wide.test(above.text)) return false;
  const step = (glyph.y - above.y) / glyph.size;
  // In font sizes, between the baselines of two characters of a column.
  return Math.abs(glyph.x0 - above.x0) < 0.3 * glyph.size && step > 0.8 && step < 1.6;
};

/** Whether most characters are in columns. @param glyphs in paint order */
export function isSetVertically(glyphs: readonly Glyph[]): boolean {
  const characters = glyphs.filter(({ text }) => wide.test(text)).length;
  if (characters < 8) return false;
  const below = glyphs.filter((glyph, index) => isBelow(glyph, glyphs[index - 1])).length;
  // Minimum share of the characters that are directly below their predecessor.
  return below >= 0.6 * characters;
}

/**
 * Turns columns, from the right, into lines, from the top. Other text stays as it is, above them.
 */
export function turned(view: PageView): PageView {
  const { glyphs, width, height } = view;
  const isInColumn = (glyph: Glyph, index: number) => {
    const below = glyphs[index + 1];
    return isBelow(glyph, glyphs[index - 1]) || (below && isBelow(below, glyph));
  };
  return {
    ...view,
    width: height,
    height: width + height,
    rulings: { horizontal: [], vertical: [] },
    glyphs: glyphs.map((glyph, index) =>
      isInColumn(glyph, index)
        ? { ...glyph, x0: glyph.y - glyph.size, x1: glyph.y, y: height + width - glyph.x0 }
        : glyph,
    ),
  };
}
