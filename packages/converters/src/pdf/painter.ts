/**
 * Interprets the operators of a page without drawing (ISO 32000-1, 8 and 9), to find each glyph and
 * whether a reader sees it. Hidden: invisible, transparent, tiny, clipped, off-page, covered or
 * masked text, text in its background's colour or in a hidden layer. On scanned pages, invisible
 * text is OCR output and counts. The library skips pictures; only the matrices set for them remain.
 */
import {
  apply,
  boxAround,
  boxOf,
  type Colour,
  initialState,
  isCorner,
  looksAlike,
  type Matrix,
  multiply,
  overlap,
  PaintedShapes,
  type PaintFont,
  type PaintState,
  type Point,
  stateSettings,
  subpathsOf,
  white,
} from './graphics.ts';
import { type Box, type Glyph, visibleText } from './page.ts';

/**
 * A glyph of a show operator. Numbers between glyphs shift the next one, in thousandths of the font
 * size.
 */
type ShownGlyph = Readonly<{ unicode?: string; width?: number; isSpace?: boolean }>;

/** A glyph with the coordinates of the start and end of its baseline, in any direction. */
export type PaintedGlyph = Glyph &
  Readonly<{
    endY: number;
    isInvisible: boolean;
    /** Number of shapes painted before it. */
    paintedAt: number;
  }>;

type PaintOptions = Readonly<{
  width: number;
  height: number;
  /** Matrix from user space to the displayed page. */
  base: Matrix;
  isLayerShown: (layer: unknown) => boolean;
  fontOf: (name: string) => PaintFont;
  /** The library's names of operators by number. */
  operators: ReadonlyMap<number, string>;
}>;

/**
 * Opacity, 0 to 1: text below the first is invisible; a shape above the second hides the text under
 * it. Highlights have .3 to .5.
 */
const minAlpha = 0.1;
/**
 * Minimum share of a page that a picture covers on scanned pages: scans cover .9 and more, .6
 * without margins.
 */
const scanShare = 0.5;
/** In points: smaller pictures hide no words. */
const minPictureSize = 6;
const identity: Matrix = [1, 0, 0, 1, 0, 0];
const unit: Box = { x0: 0, y0: 0, x1: 1, y1: 1 };

// biome-ignore lint/suspicious/noExplicitAny: the library does not declare shapes of arguments
type Arguments = any[];

export class PagePainter {
  readonly shapes: PaintedShapes;
  state: PaintState;
  readonly options: PaintOptions;
  readonly #glyphs: PaintedGlyph[] = [];
  readonly #saved: PaintState[] = [];
  readonly #layers: ('shown' | 'hidden' | 'artifact')[] = [];
  #isMatrixUnused = false;
  #maskDepth = 0;
  #clipsNext = false;
  #textMatrix: Matrix = identity;
  #x = 0;
  #y = 0;
  #lineX = 0;
  #lineY = 0;
  #isAfterSpace = false;

  constructor(options: PaintOptions) {
    this.options = options;
    this.shapes = new PaintedShapes(options.width * options.height);
    const page = { x0: 0, y0: 0, x1: options.width, y1: options.height };
    this.state = initialState(options.base, page);
  }

  /** By the library's names; operators without effect on text are missing. */
  readonly #operators: Readonly<Record<string, (...args: Arguments) => void>> = {
    save: () => this.#saved.push({ ...this.state }),
    restore: this.#restore,
    transform: (...matrix) => {
      this.state.matrix = multiply(matrix, this.state.matrix);
      this.#isMatrixUnused = true;
    },
    clip: this.#clipNext,
    eoClip: this.#clipNext,
    constructPath: (how, data, bounds) =>
      this.#path(this.options.operators.get(how) ?? '', data?.[0], bounds),
    shadingFill: () => {
      this.#useMatrix();
      if (this.#isShown) this.shapes.fill(this.state.clip, 'unknown', false);
    },
    paintFormXObjectBegin: this.#beginForm,
    paintFormXObjectEnd: this.#restore,
    beginGroup: this.#beginGroup,
    endGroup: (group) => {
      this.#restore();
      if (group?.smask) this.#maskDepth--;
    },
    beginMarkedContent: (tag) => this.#beginMarkedContent(tag?.name ?? tag),
    beginMarkedContentProps: this.#beginMarkedContent,
    endMarkedContent: () => this.#layers.pop(),
    beginText: () => this.#setTextMatrix(identity),
    setTextMatrix: this.#setTextMatrix,
    moveText: this.#moveText,
    setLeadingMoveText: (x, y) => {
      this.state.leading = -y;
      this.#moveText(x, y);
    },
    nextLine: () => this.#moveText(0, -this.state.leading),
    showText: this.#showText,
    setFont: this.#setFont,
    setGState: this.#setGState,
  };

  /** @param code number of an operator */
  paint(code: number, args: Arguments) {
    const operator = this.options.operators.get(code) ?? '';
    const [key, read] = stateSettings[operator] ?? [];
    if (key) Object.assign(this.state, { [key]: read ? read(args[0]) : args[0] });
    else this.#operators[operator]?.apply(this, args);
  }

  get glyphCount() {
    return this.#glyphs.length;
  }

  /** Visible glyphs in paint order. */
  glyphs() {
    this.#endMatrix();
    const invisible = this.#glyphs.filter(({ isInvisible }) => isInvisible).length;
    // A scan may have a little visible text: a stamp, a page number.
    const isScan = this.shapes.pictureShare >= scanShare && this.#glyphs.length <= invisible * 1.25;
    return this.#glyphs.filter(({ isInvisible, paintedAt, x0, x1, y, endY, size }) =>
      isInvisible
        ? isScan
        : !this.shapes.isCoveredSince(paintedAt, (x0 + x1) / 2, (y + endY) / 2 - size * 0.3),
    );
  }

  #clipNext() {
    this.#clipsNext = true;
  }

  #restore() {
    this.#endMatrix();
    this.state = this.#saved.pop() ?? this.state;
  }

  /**
   * Registers a picture if nothing was drawn since the matrix was set: the library skipped a
   * picture.
   */
  #endMatrix() {
    if (!this.#isMatrixUnused) return;
    this.#isMatrixUnused = false;
    const box = overlap(boxOf(unit, this.state.matrix), this.state.clip);
    if (box && box.x1 - box.x0 > minPictureSize && box.y1 - box.y0 > minPictureSize)
      this.shapes.picture(box);
  }

  /** Called before drawing. A pending matrix of page size still belongs to a picture. */
  #useMatrix() {
    if (!this.#isMatrixUnused) return;
    const { x0, y0, x1, y1 } = boxOf(unit, this.state.matrix);
    if ((x1 - x0) * (y1 - y0) > this.options.width * this.options.height * scanShare)
      this.#endMatrix();
    this.#isMatrixUnused = false;
  }

  #beginForm(matrix: Matrix | null, box: ArrayLike<number> | null) {
    this.#beginGroup();
    if (matrix) this.state.matrix = multiply(matrix, this.state.matrix);
    if (box) this.#clip(box);
  }

  #beginGroup(group?: { readonly smask?: unknown }) {
    this.#useMatrix();
    this.#saved.push({ ...this.state });
    if (group?.smask) this.#maskDepth++;
  }

  #beginMarkedContent(tag: unknown, layer?: unknown) {
    if (tag === 'OC') this.#layers.push(this.options.isLayerShown(layer) ? 'shown' : 'hidden');
    else this.#layers.push(tag === 'Artifact' ? 'artifact' : 'shown');
  }

  get #isShown() {
    return this.#maskDepth === 0 && !this.#layers.includes('hidden');
  }

  #clip(box: ArrayLike<number>) {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = Array.from(box);
    const { matrix, clip } = this.state;
    const nowhere = { x0: 0, y0: 0, x1: -1, y1: -1 };
    this.state.clip = overlap(boxOf({ x0, y0, x1, y1 }, matrix), clip) ?? nowhere;
  }

  /**
   * @param how painting operator @param data path coordinates, each group after its command @param
   * bounds of the path
   */
  #path(how: string, data: ArrayLike<number> | undefined, bounds: ArrayLike<number> | undefined) {
    this.#useMatrix();
    const fills = /fill/i.test(how);
    const strokes = /stroke/i.test(how);
    if (data && bounds && this.#isShown && (fills || strokes))
      for (const { points, isStraight } of subpathsOf(data, this.state.matrix))
        this.#paintSubpath(points, isStraight, fills);
    if (this.#clipsNext && bounds) this.#clip(bounds);
    this.#clipsNext = false;
  }

  #paintSubpath(points: readonly Point[], isStraight: boolean, fills: boolean) {
    if (points.length < 2) return;
    const { fillAlpha, fillColour, strokeColour, isBlended } = this.state;
    const around = boxAround(points);
    const box = overlap(around, this.state.clip);
    if (!box) return;
    const isRectangle = isStraight && points.every(([x, y]) => isCorner(around, x, y));
    if (fills) {
      const isSeen =
        fillColour !== 'none' && !isBlended && fillAlpha >= (isRectangle ? minAlpha : 0.5);
      if (isSeen) this.shapes.fill(box, fillColour, isRectangle && fillAlpha > 0.9);
    } else if (isRectangle && !looksAlike(strokeColour, white)) this.shapes.frame(box);
  }

  #setFont(name: string, size: number) {
    this.state.font = this.options.fontOf(name);
    this.state.fontSize = size;
  }

  /** @param entries of a graphics state dictionary */
  #setGState(entries: readonly (readonly [string, unknown])[] | null) {
    for (const [key, value] of entries ?? []) {
      if (key === 'Font' && Array.isArray(value)) this.#setFont(String(value[0]), Number(value[1]));
      else if (key === 'ca' && typeof value === 'number') this.state.fillAlpha = value;
      else if (key === 'CA' && typeof value === 'number') this.state.strokeAlpha = value;
      else if (key === 'BM') this.state.isBlended = value !== 'source-over';
    }
  }

  #setTextMatrix(matrix: Matrix) {
    this.#textMatrix = matrix;
    this.#x = this.#lineX = 0;
    this.#y = this.#lineY = 0;
  }

  #moveText(x: number, y: number) {
    this.#x = this.#lineX += x;
    this.#y = this.#lineY += y;
  }

  #showText(glyphs: readonly (ShownGlyph | number | null)[] | null) {
    this.#useMatrix();
    const { font, fontSize } = this.state;
    if (!font) return;
    const matrix = multiply(this.#textMatrix, this.state.matrix);
    const size = Math.abs(fontSize) * font.heightUnit * Math.hypot(matrix[2] ?? 0, matrix[3] ?? 0);
    for (const glyph of glyphs ?? []) {
      if (typeof glyph === 'number') this.#advance((-glyph / 1000) * fontSize, font);
      else if (glyph) this.#showGlyph(glyph, font, matrix, size);
    }
  }

  #showGlyph(
    { unicode = '', width = 0, isSpace }: ShownGlyph,
    font: PaintFont,
    matrix: Matrix,
    size: number,
  ) {
    const { fontSize, charSpacing, wordSpacing, rise } = this.state;
    const start = apply(matrix, this.#x, this.#y + rise);
    this.#advance(width * font.widthUnit * fontSize, font);
    const end = apply(matrix, this.#x, this.#y + rise);
    const text = visibleText(unicode);
    // In points: fine print has 4, hidden text 1. Sizes above the maximum come from broken
    // matrices.
    const isPossible = this.#isShown && size >= 1.5 && size < 5_000 && text !== '';
    if (isPossible && text === ' ') this.#isAfterSpace = true;
    else if (isPossible) this.#add(text, start, end, size, font);
    this.#advance(charSpacing + (isSpace ? wordSpacing : 0), font);
  }

  #advance(by: number, { isVertical }: PaintFont) {
    if (isVertical) this.#y -= Math.abs(by);
    else this.#x += by * this.state.scale;
  }

  #add(
    text: string,
    [x0, y]: Point,
    [x1, endY]: Point,
    size: number,
    { isBold, isMono }: PaintFont,
  ) {
    const { clip, renderMode } = this.state;
    const middleX = (x0 + x1) / 2;
    const middleY = (y + endY) / 2;
    const isInside =
      middleX >= clip.x0 - 1 &&
      middleX <= clip.x1 + 1 &&
      middleY - size * 0.6 <= clip.y1 &&
      middleY + size * 0.1 >= clip.y0;
    const isInvisible = renderMode % 4 === 3;
    if (!isInside || (!isInvisible && !this.#isReadable(middleX, middleY - size * 0.3))) return;
    this.#glyphs.push({
      text,
      x0,
      y,
      x1,
      endY,
      size,
      isBold: isBold || renderMode === 2,
      isMono,
      isAfterSpace: this.#isAfterSpace,
      isArtifact: this.#layers.includes('artifact'),
      isInvisible,
      paintedAt: this.shapes.count,
    });
    this.#isAfterSpace = false;
  }

  /** Whether the text's colour differs from its background. */
  #isReadable(x: number, y: number) {
    const { renderMode, fillColour, fillAlpha, strokeColour, strokeAlpha } = this.state;
    const fills = renderMode % 4 !== 1 && fillAlpha >= minAlpha && fillColour !== 'none';
    const strokes =
      (renderMode % 4 === 1 || renderMode % 4 === 2) &&
      strokeAlpha >= minAlpha &&
      strokeColour !== 'none';
    const mayHide = (colour: Colour) =>
      looksAlike(colour, white) || this.shapes.hasColourLike(colour);
    if (fills && !mayHide(fillColour)) return true;
    const under = this.shapes.colourUnder(x, y);
    return (
      (fills && !looksAlike(fillColour, under)) || (strokes && !looksAlike(strokeColour, under))
    );
  }
}
