/**
 * The graphics of a page (ISO 32000-1, 8): matrices, colours, the state that operators set, paths, and the shapes that were painted so far.
 * Shapes are bounded: a map or a drawing has hundred thousands of them, of which only the large ones can hide text.
 */
import type { Box, FontLook, Ruling } from './page.ts';

/* Affine maps as PDF writes them: `[a b c d e f]`, x' = a x + c y + e, y' = b x + d y + f (ISO 32000-1, 8.3.4). */

export type Matrix = ArrayLike<number>;

/** `first`, then `second`. */
export function multiply(first: Matrix, second: Matrix): number[] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = Array.from(first);
  const [a2 = 1, b2 = 0, c2 = 0, d2 = 1, e2 = 0, f2 = 0] = Array.from(second);
  return [a * a2 + b * c2, a * b2 + b * d2, c * a2 + d * c2, c * b2 + d * d2, e * a2 + f * c2 + e2, e * b2 + f * d2 + f2];
}

export const apply = (matrix: Matrix, x: number, y: number): Point => [
  (matrix[0] ?? 1) * x + (matrix[2] ?? 0) * y + (matrix[4] ?? 0),
  (matrix[1] ?? 0) * x + (matrix[3] ?? 1) * y + (matrix[5] ?? 0),
];

export function boxAround(points: readonly Point[]): Box {
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

/** The box around a mapped box. */
export const boxOf = ({ x0, y0, x1, y1 }: Box, matrix: Matrix): Box =>
  boxAround([apply(matrix, x0, y0), apply(matrix, x1, y0), apply(matrix, x0, y1), apply(matrix, x1, y1)]);

export type Point = readonly [x: number, y: number];

/** A colour as 0xRRGGBB; `unknown` for patterns, shadings and pictures, which may be anything. */
export type Colour = number | 'unknown' | 'none';

/** Largest difference of a colour channel (0 to 255) that a reader does not see: #e3e3e3 on white is read with effort, #f7f7f7 is not. */
const unseenDifference = 28;

const channels = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255] as const;
export const white = 0xffffff;

export function looksAlike(one: Colour, other: Colour): boolean {
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

export class PaintState {
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

export class PaintedShapes {
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

/** Beyond so many points an outline is no box; the box around the first ones is enough. */
const maxSubpathPoints = 64;
/** Numbers after `moveTo`, `lineTo`, a cubic and a quadratic curve, and the end of a subpath, as paths arrive. */
const pathNumbers = [2, 2, 6, 4, 0];

export function* subpathsOf(data: ArrayLike<number>, matrix: Matrix): Generator<{ points: readonly Point[]; isStraight: boolean }> {
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
export const isCorner = ({ x0, y0, x1, y1 }: Box, x: number, y: number) =>
  (isNear(x, x0) || isNear(x, x1)) && (isNear(y, y0) || isNear(y, y1));

/** Operators that set one value of the graphics state, and how it is made of theirs. */
export const stateSettings: Readonly<Record<string, readonly [keyof PaintState, (value: number) => unknown]>> = {
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
