/**
 * The text operators of one page (ISO 32000-1, 9): where every glyph stands and whether a reader sees it. Not seen is what is invisible,
 * transparent, of its background's colour, tiny, clipped away, off the page, painted over, in a hidden layer or in a mask. Invisible text
 * on a page that is a picture is the picture's recognised text and counts.
 */
import { type GraphicsOptions, GraphicsPainter, minAlpha, scanShare } from './graphics.ts';
import { apply, type Matrix, multiply } from './matrix.ts';
import type { FontLook } from './page.ts';
import type { PaintFont } from './paint-state.ts';
import { type Colour, looksAlike, white } from './shapes.ts';
import { shownText } from './shown-text.ts';

/** A glyph as it comes from a show operator; a number moves the next one, in thousandths. */
export type ShownGlyph = number | null | { readonly unicode?: string; readonly width?: number; readonly isSpace?: boolean };

export interface PaintedGlyph extends FontLook {
  readonly text: string;
  /** Where its baseline begins and ends. */
  readonly x: number;
  readonly y: number;
  readonly endX: number;
  readonly endY: number;
  readonly size: number;
  readonly isAfterSpace: boolean;
  readonly isArtifact: boolean;
}

export interface PaintOptions extends GraphicsOptions {
  readonly fontOf: (name: string) => PaintFont;
}

const minTextSize = 1.5;
const maxTextSize = 5_000;
/** Visible text beside the recognised text of a scanned page: a stamp, a page number. */
const maxVisibleShareOfScan = 0.25;
const identity: Matrix = [1, 0, 0, 1, 0, 0];

interface Candidate extends PaintedGlyph {
  readonly isInvisible: boolean;
  /** How many shapes were painted before it. */
  readonly paintedAt: number;
}

export class PagePainter extends GraphicsPainter {
  readonly #fontOf: (name: string) => PaintFont;
  readonly #candidates: Candidate[] = [];
  #textMatrix: Matrix = identity;
  #x = 0;
  #y = 0;
  #lineX = 0;
  #lineY = 0;
  #isAfterSpace = false;

  constructor(options: PaintOptions) {
    super(options);
    this.#fontOf = options.fontOf;
  }

  get glyphCount(): number {
    return this.#candidates.length;
  }

  /** Glyphs that a reader sees, in the order they were shown. */
  glyphs(): PaintedGlyph[] {
    this.endMatrix();
    const invisible = this.#candidates.reduce((count, { isInvisible }) => count + (isInvisible ? 1 : 0), 0);
    const visible = this.#candidates.length - invisible;
    const isScan = this.shapes.pictureShare >= scanShare && visible <= invisible * maxVisibleShareOfScan;
    return this.#candidates.filter(({ isInvisible, paintedAt, x, y, endX, endY, size }) =>
      isInvisible ? isScan : !this.shapes.isCoveredSince(paintedAt, (x + endX) / 2, (y + endY) / 2 - size * 0.3),
    );
  }

  setFont(name: string, size: number): void {
    this.state.font = this.#fontOf(name);
    this.state.fontSize = size;
  }

  setGState(entries: readonly (readonly [string, unknown])[]): void {
    for (const [key, value] of entries) {
      if (key === 'Font' && Array.isArray(value)) this.setFont(String(value[0]), Number(value[1]));
      else this.state.set(key, value);
    }
  }

  beginText(): void {
    this.setTextMatrix(identity);
  }

  setTextMatrix(matrix: Matrix): void {
    this.#textMatrix = matrix;
    this.#x = this.#lineX = 0;
    this.#y = this.#lineY = 0;
  }

  moveText(x: number, y: number): void {
    this.#x = this.#lineX += x;
    this.#y = this.#lineY += y;
  }

  nextLine(): void {
    this.moveText(0, -this.state.leading);
  }

  showText(glyphs: readonly ShownGlyph[]): void {
    this.useMatrix();
    const { font, fontSize, charSpacing, wordSpacing, rise } = this.state;
    if (!font) return;
    const matrix = multiply(this.#textMatrix, this.state.matrix);
    const size = Math.abs(fontSize) * font.heightUnit * Math.hypot(matrix[2] ?? 0, matrix[3] ?? 0);
    const isPossible = this.isShown && size >= minTextSize && size < maxTextSize;
    for (const glyph of glyphs) {
      if (typeof glyph === 'number') this.#advance((-glyph / 1000) * fontSize, font.isVertical);
      else if (glyph) {
        const [x, y] = apply(matrix, this.#x, this.#y + rise);
        this.#advance((glyph.width ?? 0) * font.widthUnit * fontSize, font.isVertical);
        const [endX, endY] = apply(matrix, this.#x, this.#y + rise);
        if (isPossible) this.#add(shownText(glyph.unicode ?? ''), x, y, endX, endY, size, font);
        this.#advance(charSpacing + (glyph.isSpace ? wordSpacing : 0), font.isVertical);
      }
    }
  }

  #advance(by: number, isVertical: boolean): void {
    if (isVertical) this.#y -= Math.abs(by);
    else this.#x += by * this.state.scale;
  }

  #add(text: string, x: number, y: number, endX: number, endY: number, size: number, { isBold, isMono }: PaintFont): void {
    if (text === ' ') this.#isAfterSpace = true;
    if (text === ' ' || text === '') return;
    const { clip, renderMode } = this.state;
    const middleX = (x + endX) / 2;
    const middleY = (y + endY) / 2;
    const isInside = middleX >= clip.x0 - 1 && middleX <= clip.x1 + 1 && middleY - size * 0.6 <= clip.y1 && middleY + size * 0.1 >= clip.y0;
    const isInvisible = renderMode % 4 === 3;
    if (!isInside || (!isInvisible && !this.#stands(middleX, middleY - size * 0.3))) return;
    this.#candidates.push({
      text,
      x,
      y,
      endX,
      endY,
      size,
      isBold: isBold || renderMode === 2,
      isMono,
      isAfterSpace: this.#isAfterSpace,
      isArtifact: this.isArtifact,
      isInvisible,
      paintedAt: this.shapes.count,
    });
    this.#isAfterSpace = false;
  }

  /** Whether the colour of the text differs from what is under it. */
  #stands(x: number, y: number): boolean {
    const { renderMode, fillColour, fillAlpha, strokeColour, strokeAlpha } = this.state;
    const fills = renderMode % 4 !== 1 && fillAlpha >= minAlpha && fillColour !== 'none';
    const strokes = (renderMode % 4 === 1 || renderMode % 4 === 2) && strokeAlpha >= minAlpha && strokeColour !== 'none';
    const mayHide = (colour: Colour) => looksAlike(colour, white) || this.shapes.hasColourLike(colour);
    if (fills && !mayHide(fillColour)) return true;
    const under = this.shapes.colourUnder(x, y);
    return (fills && !looksAlike(fillColour, under)) || (strokes && !looksAlike(strokeColour, under));
  }
}
