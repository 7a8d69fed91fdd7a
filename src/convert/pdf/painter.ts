/**
 * The operators of one page, followed as a viewer would without drawing (ISO 32000-1, 8 and 9): where every glyph stands and whether a reader
 * sees it. Not seen is what is invisible, transparent, of its background's colour, tiny, clipped away, off the page, painted over, in a hidden
 * layer or in a mask. Invisible text on a page that is a picture is the picture's recognised text and counts. Pictures are not decoded and
 * leave no operator behind, only the matrix that was set for them. Shapes are bounded: a map or a drawing has hundred thousands of them, of
 * which only the large ones can hide text.
 */
import { type Box, type FontLook, type Glyph, type Ruling, shownText } from './page.ts';

/* Affine maps as PDF writes them: `[a b c d e f]`, x' = a x + c y + e, y' = b x + d y + f (ISO 32000-1, 8.3.4). */

type Matrix = ArrayLike<number>;

/** `first`, then `second`. */
function multiply(first: Matrix, second: Matrix): number[] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = Array.from(first);
  const [a2 = 1, b2 = 0, c2 = 0, d2 = 1, e2 = 0, f2 = 0] = Array.from(second);
  return [a * a2 + b * c2, a * b2 + b * d2, c * a2 + d * c2, c * b2 + d * d2, e * a2 + f * c2 + e2, e * b2 + f * d2 + f2];
}

const apply = (matrix: Matrix, x: number, y: number): [number, number] => [
  (matrix[0] ?? 1) * x + (matrix[2] ?? 0) * y + (matrix[4] ?? 0),
  (matrix[1] ?? 0) * x + (matrix[3] ?? 1) * y + (matrix[5] ?? 0),
];

function boxAround(points: readonly (readonly [x: number, y: number])[]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

/** The box around a mapped box. */
const boxOf = ({ x0, y0, x1, y1 }: Box, matrix: Matrix): Box =>
  boxAround([apply(matrix, x0, y0), apply(matrix, x1, y0), apply(matrix, x0, y1), apply(matrix, x1, y1)]);

/** A colour as 0xRRGGBB; `unknown` for patterns, shadings and pictures, which may be anything. */
type Colour = number | 'unknown' | 'none';

/** Largest difference of a colour channel (0 to 255) that a reader does not see: #e3e3e3 on white is read with effort, #f7f7f7 is not. */
const unseenDifference = 28;

const channels = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255] as const;
const white = 0xffffff;

function looksAlike(one: Colour, other: Colour): boolean {
  if (typeof one === 'string' || typeof other === 'string') return false;
  const [red, green, blue] = channels(one);
  const [red2, green2, blue2] = channels(other);
  return Math.max(Math.abs(red - red2), Math.abs(green - green2), Math.abs(blue - blue2)) < unseenDifference;
}

export interface PaintFont extends FontLook {
  /** Glyph space to text space, horizontally. */
  readonly widthUnit: number;
  /** Height of a line in units of the font size; 1 unless a font is defined by drawings. */
  readonly heightUnit: number;
  readonly isVertical: boolean;
}

/** `#rrggbb`, as colours of every space arrive. */
const colourFrom = (value: unknown): Colour =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value) ? Number.parseInt(value.slice(1), 16) : 'unknown';

class PaintState {
  matrix: Matrix;
  clip: Box;
  font: PaintFont | undefined;
  fontSize = 0;
  charSpacing = 0;
  wordSpacing = 0;
  /** 1 for Tz 100. */
  scale = 1;
  leading = 0;
  rise = 0;
  renderMode = 0;
  fillColour: Colour = 0;
  strokeColour: Colour = 0;
  fillAlpha = 1;
  strokeAlpha = 1;
  isBlended = false;

  constructor(matrix: Matrix, clip: Box) {
    this.matrix = matrix;
    this.clip = clip;
  }

  copy(): PaintState {
    return Object.assign(new PaintState(this.matrix, this.clip), this);
  }

  /** The part of a box inside the clip, if any. */
  clipped({ x0, y0, x1, y1 }: Box): Box | undefined {
    const { clip } = this;
    const box = { x0: Math.max(x0, clip.x0), y0: Math.max(y0, clip.y0), x1: Math.min(x1, clip.x1), y1: Math.min(y1, clip.y1) };
    return box.x1 >= box.x0 && box.y1 >= box.y0 ? box : undefined;
  }
}

interface Shape extends Box {
  readonly colour: Colour;
  /** Covers all of its box, so that nothing under it is seen. */
  readonly isSolid: boolean;
}

/** Every glyph is looked up among the shapes: the bound keeps a map of hundred thousands from taking minutes. */
const maxShapes = 4_000;
/** Far more than tables have: those of more than a few thousand lines are not compared. */
const maxRulings = 20_000;
/** In points: lines are thinner, boxes are wider. The borders of office programs have up to 2.25. */
const maxLineWidth = 2.6;
/** In points: round or square marks before list items are a fifth to a half of the type's size, 7 to 14. */
const minSpotSize = 1.4;
const maxSpotSize = 7;
/** In points: shorter ones are dashes of a dashed line or strokes of a drawn letter. */
const minRulingLength = 4;
const isSpot = ({ x0, y0, x1, y1 }: Box) => {
  const [least, most] = [Math.min(x1 - x0, y1 - y0), Math.max(x1 - x0, y1 - y0)];
  return most <= maxSpotSize && least >= minSpotSize && most - least < maxSpotSize / 5;
};
const holds = (box: Box, x: number, y: number) => x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1;

class PaintedShapes {
  readonly #shapes: Shape[] = [];
  readonly #colours = new Set<Colour>();
  readonly #pageArea: number;
  /** Small drawn spots. */
  readonly spots: Box[] = [];
  readonly rulings = { horizontal: [] as Ruling[], vertical: [] as Ruling[] };
  /** Share of the page under its largest picture. */
  pictureShare = 0;

  constructor(pageArea: number) {
    this.#pageArea = Math.max(1, pageArea);
  }

  /** How many were painted so far: the time at which something is painted. */
  get count(): number {
    return this.#shapes.length;
  }

  /** @param isSolid a rectangle, opaque */
  fill(box: Box, colour: Colour, isSolid: boolean): void {
    const width = box.x1 - box.x0;
    const height = box.y1 - box.y0;
    if (isSpot(box)) {
      if (!looksAlike(colour, white)) this.spot(box);
      return;
    }
    if (Math.min(width, height) <= maxLineWidth) {
      if (colour !== white) this.#line(box);
      return;
    }
    if (isSolid && colour !== white && width > 12 && height > 6) this.frame(box);
    if (this.#shapes.length >= maxShapes && width * height < this.#pageArea / 100) return;
    this.#shapes.push({ ...box, colour, isSolid });
    this.#colours.add(colour);
  }

  spot(box: Box): void {
    if (isSpot(box) && this.spots.length < maxShapes) this.spots.push(box);
  }

  picture(box: Box): void {
    const area = (box.x1 - box.x0) * (box.y1 - box.y0);
    this.pictureShare = Math.max(this.pictureShare, Math.min(1, area / this.#pageArea));
    if (this.#shapes.length < maxShapes) this.#shapes.push({ ...box, colour: 'unknown', isSolid: false });
  }

  #line({ x0, y0, x1, y1 }: Box): void {
    const { horizontal, vertical } = this.rulings;
    if (horizontal.length + vertical.length >= maxRulings) return;
    if (y1 - y0 <= maxLineWidth && x1 - x0 >= minRulingLength) horizontal.push({ at: (y0 + y1) / 2, from: x0, to: x1 });
    else if (x1 - x0 <= maxLineWidth && y1 - y0 >= minRulingLength) vertical.push({ at: (x0 + x1) / 2, from: y0, to: y1 });
  }

  /** Edges of a box are lines to the eye; a thin one is one line. */
  frame(box: Box): void {
    const { x0, y0, x1, y1 } = box;
    if (Math.min(x1 - x0, y1 - y0) <= maxLineWidth) this.#line(box);
    else for (const edge of [{ y1: y0 }, { y0: y1 }, { x1: x0 }, { x0: x1 }]) this.#line({ ...box, ...edge });
  }

  /** Whether a shape was painted in which a text of this colour would not be seen. */
  hasColourLike(colour: Colour): boolean {
    return this.#colours.values().some((painted) => looksAlike(painted, colour));
  }

  colourUnder(x: number, y: number): Colour {
    return this.#shapes.findLast((shape) => holds(shape, x, y))?.colour ?? white;
  }

  isCoveredSince(count: number, x: number, y: number): boolean {
    return this.#shapes.findLastIndex((shape, index) => index < count || (shape.isSolid && holds(shape, x, y))) >= count;
  }
}

/* The painter of a page. */

/** A glyph as it comes from a show operator; a number moves the next one, in thousandths. */
type ShownGlyph = { readonly unicode?: string; readonly width?: number; readonly isSpace?: boolean };

/** From where its baseline begins to where it ends, in whatever direction. */
export interface PaintedGlyph extends Glyph {
  readonly endY: number;
  readonly isInvisible: boolean;
  /** How many shapes were painted before it. */
  readonly paintedAt: number;
}

interface PaintOptions {
  readonly width: number;
  readonly height: number;
  /** User space to the page as shown. */
  readonly base: Matrix;
  readonly isLayerShown: (layer: unknown) => boolean;
  readonly fontOf: (name: string) => PaintFont;
}

/** Opacity, 0 to 1: fainter is not seen, stronger than the other hides what is under it; marker pens have .3 to .5. */
const minAlpha = 0.1;
const hidingAlpha = 0.9;
/** Share of the page that a picture covers for the invisible text on it to be its recognised text: scans cover .9 and more, without margins .6. */
const scanShare = 0.5;
/** Share of a scanned page's recognised text that may be visible beside it: a stamp, a page number. */
const maxVisibleShareOfScan = 0.25;
/** In points: a smaller picture hides no word. */
const minPictureSize = 6;
/** In points: the smallest print of contracts has 4, and what hides text has 1; larger is a matrix gone wrong. */
const minTextSize = 1.5;
const maxTextSize = 5_000;
/** Beyond so many points an outline is no box; the box around the first ones is enough. */
const maxSubpathPoints = 64;
/** Numbers after `moveTo`, `lineTo`, a cubic and a quadratic curve, and the end of a subpath, as paths arrive. */
const pathNumbers = [2, 2, 6, 4, 0];
const identity: Matrix = [1, 0, 0, 1, 0, 0];
const unit: Box = { x0: 0, y0: 0, x1: 1, y1: 1 };
const nowhere: Box = { x0: 0, y0: 0, x1: -1, y1: -1 };

type Group = { readonly smask?: unknown } | undefined;
type Point = readonly [x: number, y: number];
// biome-ignore lint/suspicious/noExplicitAny: arguments of operators, whose shapes the library does not declare
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
    this.state = new PaintState(options.base, { x0: 0, y0: 0, x1: options.width, y1: options.height });
  }

  /** By the names that the PDF library gives them; what says nothing about text is not here. */
  readonly #operators: Readonly<Record<string, (...args: Arguments) => void>> = {
    save: () => this.#save(),
    restore: () => this.#restore(),
    transform: (...matrix) => {
      this.state.matrix = multiply(matrix, this.state.matrix);
      this.#isMatrixUnused = true;
    },
    clip: () => {
      this.#clipsNext = true;
    },
    eoClip: () => {
      this.#clipsNext = true;
    },
    shadingFill: () => {
      this.#useMatrix();
      if (this.#isShown) this.shapes.fill(this.state.clip, 'unknown', false);
    },
    paintFormXObjectBegin: (matrix, box) => this.#beginForm(matrix, box),
    paintFormXObjectEnd: () => this.#restore(),
    beginGroup: (group) => this.#beginGroup(group),
    endGroup: (group) => {
      this.#restore();
      if (group?.smask) this.#maskDepth--;
    },
    beginMarkedContent: (tag) => this.#beginMarkedContent(tag?.name ?? tag),
    beginMarkedContentProps: (tag, properties) => this.#beginMarkedContent(tag, properties),
    endMarkedContent: () => this.#layers.pop(),
    beginText: () => this.#setTextMatrix(identity),
    setTextMatrix: (matrix) => this.#setTextMatrix(matrix),
    moveText: (x, y) => this.#moveText(x, y),
    setLeadingMoveText: (x, y) => {
      this.state.leading = -y;
      this.#moveText(x, y);
    },
    nextLine: () => this.#moveText(0, -this.state.leading),
    showText: (glyphs) => this.#showText(glyphs ?? []),
    setFont: (name, size) => this.#setFont(name, size),
    setGState: (entries) => this.#setGState(entries ?? []),
  };

  paint(operator: string, args: Arguments): void {
    const [key, read] = settings[operator] ?? [];
    if (key && read) Object.assign(this.state, { [key]: read(args[0]) });
    else this.#operators[operator]?.(...args);
  }

  get glyphCount(): number {
    return this.#glyphs.length;
  }

  /** Glyphs that a reader sees, in the order they were shown. */
  glyphs(): PaintedGlyph[] {
    this.#endMatrix();
    const invisible = this.#glyphs.reduce((count, { isInvisible }) => count + (isInvisible ? 1 : 0), 0);
    const visible = this.#glyphs.length - invisible;
    const isScan = this.shapes.pictureShare >= scanShare && visible <= invisible * maxVisibleShareOfScan;
    return this.#glyphs.filter(({ isInvisible, paintedAt, x0, x1, y, endY, size }) =>
      isInvisible ? isScan : !this.shapes.isCoveredSince(paintedAt, (x0 + x1) / 2, (y + endY) / 2 - size * 0.3),
    );
  }

  #save(): void {
    this.#saved.push(this.state.copy());
  }

  #restore(): void {
    this.#endMatrix();
    this.state = this.#saved.pop() ?? this.state;
  }

  /** Nothing was drawn with the matrix: a picture stands there. */
  #endMatrix(): void {
    if (!this.#isMatrixUnused) return;
    this.#isMatrixUnused = false;
    const box = this.state.clipped(boxOf(unit, this.state.matrix));
    if (box && box.x1 - box.x0 > minPictureSize && box.y1 - box.y0 > minPictureSize) this.shapes.picture(box);
  }

  /** Something is drawn: a matrix of a page's size that was set before it still was a picture's. */
  #useMatrix(): void {
    if (!this.#isMatrixUnused) return;
    const { x0, y0, x1, y1 } = boxOf(unit, this.state.matrix);
    if ((x1 - x0) * (y1 - y0) > this.options.width * this.options.height * scanShare) this.#endMatrix();
    this.#isMatrixUnused = false;
  }

  #beginForm(matrix: Matrix | null, box: ArrayLike<number> | null): void {
    this.#beginGroup(undefined);
    if (matrix) this.state.matrix = multiply(matrix, this.state.matrix);
    if (box) this.#clip(box);
  }

  #beginGroup(group: Group): void {
    this.#useMatrix();
    this.#save();
    if (group?.smask) this.#maskDepth++;
  }

  #beginMarkedContent(tag: unknown, layer?: unknown): void {
    if (tag === 'OC') this.#layers.push(this.options.isLayerShown(layer) ? 'shown' : 'hidden');
    else this.#layers.push(tag === 'Artifact' ? 'artifact' : 'shown');
  }

  get #isShown(): boolean {
    return this.#maskDepth === 0 && !this.#layers.includes('hidden');
  }

  #clip(box: ArrayLike<number>): void {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = Array.from(box);
    this.state.clip = this.state.clipped(boxOf({ x0, y0, x1, y1 }, this.state.matrix)) ?? nowhere;
  }

  /** @param how name of the operator that paints it @param data numbers of the path, each group after its kind @param bounds around them */
  path(how: string, data: ArrayLike<number> | undefined, bounds: ArrayLike<number> | undefined): void {
    this.#useMatrix();
    const [fills, strokes] = [/fill/i.test(how), /stroke/i.test(how)];
    if (data && bounds && this.#isShown && (fills || strokes))
      for (const { points, isStraight } of subpathsOf(data, this.state.matrix)) this.#paintSubpath(points, isStraight, fills);
    if (this.#clipsNext && bounds) this.#clip(bounds);
    this.#clipsNext = false;
  }

  #paintSubpath(points: readonly Point[], isStraight: boolean, fills: boolean): void {
    if (points.length < 2) return;
    const { fillAlpha, fillColour, strokeColour, isBlended } = this.state;
    const around = boxAround(points);
    const box = this.state.clipped(around);
    if (!box) return;
    const isRectangle = isStraight && points.every(([x, y]) => isCorner(around, x, y));
    if (fills) {
      const isSeen = fillColour !== 'none' && !isBlended && fillAlpha >= (isRectangle ? minAlpha : 0.5);
      if (isSeen) this.shapes.fill(box, fillColour, isRectangle && fillAlpha > hidingAlpha);
    } else if (!looksAlike(strokeColour, white)) {
      if (isRectangle) this.shapes.frame(box);
      else if (!isStraight) this.shapes.spot(box);
    }
  }

  #setFont(name: string, size: number): void {
    this.state.font = this.options.fontOf(name);
    this.state.fontSize = size;
  }

  /** @param entries of a graphics state dictionary */
  #setGState(entries: readonly (readonly [string, unknown])[]): void {
    for (const [key, value] of entries) {
      if (key === 'Font' && Array.isArray(value)) this.#setFont(String(value[0]), Number(value[1]));
      else if (key === 'ca' && typeof value === 'number') this.state.fillAlpha = value;
      else if (key === 'CA' && typeof value === 'number') this.state.strokeAlpha = value;
      else if (key === 'BM') this.state.isBlended = value !== 'source-over';
    }
  }

  #setTextMatrix(matrix: Matrix): void {
    this.#textMatrix = matrix;
    this.#x = this.#lineX = 0;
    this.#y = this.#lineY = 0;
  }

  #moveText(x: number, y: number): void {
    this.#x = this.#lineX += x;
    this.#y = this.#lineY += y;
  }

  #showText(glyphs: readonly (ShownGlyph | number | null)[]): void {
    this.#useMatrix();
    const { font, fontSize } = this.state;
    if (!font) return;
    const matrix = multiply(this.#textMatrix, this.state.matrix);
    const size = Math.abs(fontSize) * font.heightUnit * Math.hypot(matrix[2] ?? 0, matrix[3] ?? 0);
    for (const glyph of glyphs) {
      if (typeof glyph === 'number') this.#advance((-glyph / 1000) * fontSize, font);
      else if (glyph) this.#showGlyph(glyph, font, matrix, size);
    }
  }

  #showGlyph({ unicode = '', width = 0, isSpace }: ShownGlyph, font: PaintFont, matrix: Matrix, size: number): void {
    const { fontSize, charSpacing, wordSpacing, rise } = this.state;
    const start = apply(matrix, this.#x, this.#y + rise);
    this.#advance(width * font.widthUnit * fontSize, font);
    const end = apply(matrix, this.#x, this.#y + rise);
    const text = shownText(unicode);
    const isPossible = this.#isShown && size >= minTextSize && size < maxTextSize && text !== '';
    if (isPossible && text === ' ') this.#isAfterSpace = true;
    else if (isPossible) this.#add(text, start, end, size, font);
    this.#advance(charSpacing + (isSpace ? wordSpacing : 0), font);
  }

  #advance(by: number, { isVertical }: PaintFont): void {
    if (isVertical) this.#y -= Math.abs(by);
    else this.#x += by * this.state.scale;
  }

  #add(text: string, [x0, y]: Point, [x1, endY]: Point, size: number, { isBold, isMono }: PaintFont): void {
    const { clip, renderMode } = this.state;
    const middleX = (x0 + x1) / 2;
    const middleY = (y + endY) / 2;
    const isInside = middleX >= clip.x0 - 1 && middleX <= clip.x1 + 1 && middleY - size * 0.6 <= clip.y1 && middleY + size * 0.1 >= clip.y0;
    const isInvisible = renderMode % 4 === 3;
    if (!isInside || (!isInvisible && !this.#stands(middleX, middleY - size * 0.3))) return;
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

function* subpathsOf(data: ArrayLike<number>, matrix: Matrix): Generator<{ points: readonly Point[]; isStraight: boolean }> {
  let points: Point[] = [];
  let isStraight = true;
  for (let at = 0; at < data.length; ) {
    const kind = data[at] ?? 4;
    const numbers = pathNumbers[kind] ?? 0;
    if (kind === 0) {
      yield { points, isStraight };
      points = [];
      isStraight = true;
    } else if (kind === 2 || kind === 3) isStraight = false;
    if (numbers > 0 && points.length < maxSubpathPoints) points.push(apply(matrix, data[at + numbers - 1] ?? 0, data[at + numbers] ?? 0));
    at += numbers + 1;
  }
  yield { points, isStraight };
}

const isNear = (one: number, other: number) => Math.abs(one - other) < 0.5;
const isCorner = ({ x0, y0, x1, y1 }: Box, x: number, y: number) => (isNear(x, x0) || isNear(x, x1)) && (isNear(y, y0) || isNear(y, y1));

/** Operators that set one value of the graphics state, and how it is made of theirs. */
const settings: Readonly<Record<string, readonly [keyof PaintState, (value: number) => unknown]>> = {
  setCharSpacing: ['charSpacing', (spacing) => spacing],
  setWordSpacing: ['wordSpacing', (spacing) => spacing],
  setHScale: ['scale', (percent) => percent / 100],
  setLeading: ['leading', (leading) => leading],
  setTextRise: ['rise', (rise) => rise],
  setTextRenderingMode: ['renderMode', (mode) => mode],
  setFillRGBColor: ['fillColour', colourFrom],
  setStrokeRGBColor: ['strokeColour', colourFrom],
  setFillColorN: ['fillColour', () => 'unknown'],
  setStrokeColorN: ['strokeColour', () => 'unknown'],
  setFillTransparent: ['fillColour', () => 'none'],
  setStrokeTransparent: ['strokeColour', () => 'none'],
};

export type PaintPage = (painter: PagePainter, code: number, args: Arguments) => void;

/** @param codes numbers of the operators by name */
export function createPaintPage(codes: Readonly<Record<string, number>>): PaintPage {
  const names = new Map(Object.entries(codes).map(([name, code]) => [code, name]));
  return (painter, code, args) => {
    const name = names.get(code) ?? '';
    if (name === 'constructPath') painter.path(names.get(args[0]) ?? '', args[1]?.[0], args[2]);
    else painter.paint(name, args);
  };
}
