/**
 * Graphics of a page (ISO 32000-1, 8): matrices, colours, graphics state, paths and painted shapes.
 * The number of shapes is limited, because maps have hundreds of thousands. Beyond the limit, only
 * large shapes are stored: only these can hide text.
 */
import { type Box, type FontStyle, holds, type Ruling } from './page.ts';

// Affine transformations `[a b c d e f]`: x' = a x + c y + e, y' = b x + d y + f (ISO 32000-1,
// 8.3.4).

export type Matrix = ArrayLike<number>;

/** Combines transformations: `first`, then `second`. */
export function multiply(first: Matrix, second: Matrix): number[] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = Array.from(first);
  const [a2 = 1, b2 = 0, c2 = 0, d2 = 1, e2 = 0, f2 = 0] = Array.from(second);
  return [
    a * a2 + b * c2,
    a * b2 + b * d2,
    c * a2 + d * c2,
    c * b2 + d * d2,
    e * a2 + f * c2 + e2,
    e * b2 + f * d2 + f2,
  ];
}

export const apply = (matrix: Matrix, x: number, y: number): Point => [
  (matrix[0] ?? 1) * x + (matrix[2] ?? 0) * y + (matrix[4] ?? 0),
  (matrix[1] ?? 0) * x + (matrix[3] ?? 1) * y + (matrix[5] ?? 0),
];

export function boxAround(points: readonly Point[]): Box {
  const xs = points.map(([x]) => x);
  const ys = points.map(([, y]) => y);
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

/** Bounding box of a transformed box. */
export const boxOf = ({ x0, y0, x1, y1 }: Box, matrix: Matrix): Box =>
  boxAround([x0, x1].flatMap((x) => [apply(matrix, x, y0), apply(matrix, x, y1)]));

export type Point = readonly [x: number, y: number];

/** 0xRRGGBB, or `unknown` for patterns, shadings and pictures. */
export type Colour = number | 'unknown' | 'none';

export const white = 0xffffff;

export function looksAlike(one: Colour, other: Colour): boolean {
  if (typeof one === 'string' || typeof other === 'string') return false;
  // #e3e3e3 on white is barely visible, #f7f7f7 is not.
  return [16, 8, 0].every(
    (shift) => Math.abs(((one >> shift) & 255) - ((other >> shift) & 255)) < 28,
  );
}

export type PaintFont = FontStyle &
  Readonly<{
    /** Glyph space to text space, horizontally. */
    widthUnit: number;
    /** Line height in font sizes; differs from 1 only in Type 3 fonts. */
    heightUnit: number;
    isVertical: boolean;
  }>;

/** The library converts all colour spaces to `#rrggbb`. */
const colourFrom = (value: unknown) =>
  typeof value === 'string' && /^#[0-9a-f]{6}$/i.test(value)
    ? Number.parseInt(value.slice(1), 16)
    : 'unknown';

export type PaintState = ReturnType<typeof initialState>;

export const initialState = (matrix: Matrix, clip: Box) => ({
  matrix,
  clip,
  font: undefined as PaintFont | undefined,
  fontSize: 0,
  charSpacing: 0,
  wordSpacing: 0,
  /** Horizontal scaling: 1 for Tz 100. */
  scale: 1,
  leading: 0,
  rise: 0,
  renderMode: 0,
  fillColour: 0 as Colour,
  strokeColour: 0 as Colour,
  fillAlpha: 1,
  strokeAlpha: 1,
  isBlended: false,
});

/** The part of a box inside another, if any. */
export function overlap(one: Box, other: Box): Box | undefined {
  const box = {
    x0: Math.max(one.x0, other.x0),
    y0: Math.max(one.y0, other.y0),
    x1: Math.min(one.x1, other.x1),
    y1: Math.min(one.y1, other.y1),
  };
  return box.x1 >= box.x0 && box.y1 >= box.y0 ? box : undefined;
}

/** Each glyph is compared with the shapes; the limit prevents maps from taking minutes. */
const maxShapes = 4_000;
/** In points: thinner boxes are lines. Borders in office documents are at most 2.25. */
const maxLineWidth = 2.6;
/** In points: shorter lines are dashes or strokes of drawn letters. */
const minRulingLength = 4;

export class PaintedShapes {
  /** A solid shape covers its whole box opaquely. */
  readonly #shapes: (Box & Readonly<{ colour: Colour; isSolid: boolean }>)[] = [];
  readonly #colours = new Set<Colour>();
  readonly #pageArea: number;
  readonly rulings = { horizontal: [] as Ruling[], vertical: [] as Ruling[] };
  /** Share of the page that its pictures cover: a scan may consist of strips. */
  pictureShare = 0;

  constructor(pageArea: number) {
    this.#pageArea = Math.max(1, pageArea);
  }

  /** Number of shapes so far; serves as paint time. */
  get count() {
    return this.#shapes.length;
  }

  /** @param isSolid an opaque rectangle */
  fill(box: Box, colour: Colour, isSolid: boolean) {
    const width = box.x1 - box.x0;
    const height = box.y1 - box.y0;
    if (Math.min(width, height) <= maxLineWidth) {
      if (colour !== white) this.#line(box);
      return;
    }
    if (isSolid && colour !== white && width > 12 && height > 6) this.frame(box);
    if (this.#shapes.length >= maxShapes && width * height < this.#pageArea / 100) return;
    this.#shapes.push({ ...box, colour, isSolid });
    this.#colours.add(colour);
  }

  picture(box: Box) {
    const area = (box.x1 - box.x0) * (box.y1 - box.y0);
    this.pictureShare = Math.min(1, this.pictureShare + area / this.#pageArea);
    if (this.#shapes.length < maxShapes)
      this.#shapes.push({ ...box, colour: 'unknown', isSolid: false });
  }

  #line({ x0, y0, x1, y1 }: Box) {
    const { horizontal, vertical } = this.rulings;
    // Tables have far fewer lines.
    if (horizontal.length + vertical.length >= 20_000) return;
    if (y1 - y0 <= maxLineWidth && x1 - x0 >= minRulingLength)
      horizontal.push({ at: (y0 + y1) / 2, from: x0, to: x1 });
    else if (x1 - x0 <= maxLineWidth && y1 - y0 >= minRulingLength)
      vertical.push({ at: (x0 + x1) / 2, from: y0, to: y1 });
  }

  /** Adds the edges of a box as lines; a thin box is one line. */
  frame(box: Box) {
    const { x0, y0, x1, y1 } = box;
    if (Math.min(x1 - x0, y1 - y0) <= maxLineWidth) this.#line(box);
    else
      for (const edge of [{ y1: y0 }, { y0: y1 }, { x1: x0 }, { x0: x1 }])
        this.#line({ ...box, ...edge });
  }

  /** Whether text of this colour would be invisible on some shape. */
  hasColourLike(colour: Colour) {
    return this.#colours.values().some((painted) => looksAlike(painted, colour));
  }

  colourUnder(x: number, y: number) {
    return this.#shapes.findLast((shape) => holds(shape, x, y))?.colour ?? white;
  }

  isCoveredSince(count: number, x: number, y: number) {
    return (
      this.#shapes.findLastIndex(
        (shape, index) => index < count || (shape.isSolid && holds(shape, x, y)),
      ) >= count
    );
  }
}

/** Coordinates per path command: move, line, cubic curve, quadratic curve, close. */
const pathNumbers = [2, 2, 6, 4, 0];

export function* subpathsOf(data: ArrayLike<number>, matrix: Matrix) {
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
    // Longer outlines are not boxes; the bounding box of the first points suffices.
    if (numbers > 0 && points.length < 64)
      points.push(apply(matrix, data[at + numbers - 1] ?? 0, data[at + numbers] ?? 0));
    at += numbers + 1;
  }
  yield { points, isStraight };
}

const isNear = (one: number, other: number) => Math.abs(one - other) < 0.5;
export const isCorner = ({ x0, y0, x1, y1 }: Box, x: number, y: number) =>
  (isNear(x, x0) || isNear(x, x1)) && (isNear(y, y0) || isNear(y, y1));

/** Operators that set one value of the graphics state, with its conversion, if any. */
export const stateSettings: Readonly<
  Record<string, readonly [keyof PaintState, ((value: number) => unknown)?]>
> = {
  setCharSpacing: ['charSpacing'],
  setWordSpacing: ['wordSpacing'],
  setHScale: ['scale', (percent) => percent / 100],
  setLeading: ['leading'],
  setTextRise: ['rise'],
  setTextRenderingMode: ['renderMode'],
  setFillRGBColor: ['fillColour', colourFrom],
  setStrokeRGBColor: ['strokeColour', colourFrom],
  setFillColorN: ['fillColour', () => 'unknown'],
  setStrokeColorN: ['strokeColour', () => 'unknown'],
  setFillTransparent: ['fillColour', () => 'none'],
  setStrokeTransparent: ['strokeColour', () => 'none'],
};
