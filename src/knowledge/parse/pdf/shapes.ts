/**
 * Painted shapes of one page: what is under a text, what was painted over it, and the lines that make a table. Sizes are bounded: a map or
 * a drawing has hundred thousands of shapes, of which only the large ones can hide text.
 */
import type { Box, Rulings } from './page.ts';

/** A colour as 0xRRGGBB; `unknown` for patterns, shadings and pictures, which may be anything. */
export type Colour = number | 'unknown' | 'none';

interface Shape extends Box {
  readonly colour: Colour;
  /** Covers all of its box, so that nothing under it is seen. */
  readonly isSolid: boolean;
}

const maxShapes = 4_000;
const maxRulings = 20_000;
/** Lines are thinner, boxes are wider than this, in points. */
const maxLineWidth = 2.6;
/** Round or square marks before list items. */
const minSpotSize = 1.4;
const maxSpotSize = 7;
const minRulingLength = 4;
/** Largest difference of a colour channel (0 to 255) that a reader does not see. */
const unseenDifference = 28;

const channels = (colour: number) => [colour >> 16, (colour >> 8) & 255, colour & 255] as const;
export const white = 0xffffff;

export function looksAlike(one: Colour, other: Colour): boolean {
  if (typeof one === 'string' || typeof other === 'string') return false;
  const [red, green, blue] = channels(one);
  const [red2, green2, blue2] = channels(other);
  return Math.max(Math.abs(red - red2), Math.abs(green - green2), Math.abs(blue - blue2)) < unseenDifference;
}

const holds = (box: Box, x: number, y: number) => x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1;

export class PaintedShapes {
  readonly #shapes: Shape[] = [];
  readonly #spots: Box[] = [];
  readonly #colours = new Set<Colour>();
  readonly #pageArea: number;
  readonly #horizontal: { y: number; x0: number; x1: number }[] = [];
  readonly #vertical: { x: number; y0: number; y1: number }[] = [];
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
    if (this.#isSpot(width, height)) {
      if (!looksAlike(colour, white) && this.#spots.length < maxShapes) this.#spots.push(box);
      return;
    }
    if (Math.min(width, height) <= maxLineWidth) {
      if (colour !== white) this.line(box);
      return;
    }
    if (isSolid && colour !== white && width > 12 && height > 6) this.#outline(box);
    if (this.#shapes.length >= maxShapes && width * height < this.#pageArea / 100) return;
    this.#shapes.push({ ...box, colour, isSolid });
    this.#colours.add(colour);
  }

  #isSpot(width: number, height: number): boolean {
    return Math.max(width, height) <= maxSpotSize && Math.min(width, height) >= minSpotSize && Math.abs(width - height) < maxSpotSize / 5;
  }

  picture(box: Box): void {
    const area = (box.x1 - box.x0) * (box.y1 - box.y0);
    this.pictureShare = Math.max(this.pictureShare, Math.min(1, area / this.#pageArea));
    if (this.#shapes.length < maxShapes) this.#shapes.push({ ...box, colour: 'unknown', isSolid: false });
  }

  line({ x0, y0, x1, y1 }: Box): void {
    if (this.#horizontal.length + this.#vertical.length >= maxRulings) return;
    if (y1 - y0 <= maxLineWidth && x1 - x0 >= minRulingLength) this.#horizontal.push({ y: (y0 + y1) / 2, x0, x1 });
    else if (x1 - x0 <= maxLineWidth && y1 - y0 >= minRulingLength) this.#vertical.push({ x: (x0 + x1) / 2, y0, y1 });
  }

  /** Edges of a box are lines to the eye. */
  #outline({ x0, y0, x1, y1 }: Box): void {
    this.line({ x0, x1, y0, y1: y0 });
    this.line({ x0, x1, y0: y1, y1 });
    this.line({ x0, x1: x0, y0, y1 });
    this.line({ x0: x1, x1, y0, y1 });
  }

  /** A drawn circle or other outline. */
  frameRound(box: Box): void {
    if (this.#isSpot(box.x1 - box.x0, box.y1 - box.y0) && this.#spots.length < maxShapes) this.#spots.push(box);
  }

  frame(box: Box): void {
    if (Math.min(box.x1 - box.x0, box.y1 - box.y0) <= maxLineWidth) this.line(box);
    else this.#outline(box);
  }

  /** Whether a shape was painted in which a text of this colour would not be seen. */
  hasColourLike(colour: Colour): boolean {
    for (const painted of this.#colours) if (looksAlike(painted, colour)) return true;
    return false;
  }

  colourUnder(x: number, y: number): Colour {
    for (let index = this.#shapes.length - 1; index >= 0; index--) {
      const shape = this.#shapes[index];
      if (shape && holds(shape, x, y)) return shape.colour;
    }
    return white;
  }

  isCoveredSince(count: number, x: number, y: number): boolean {
    for (let index = count; index < this.#shapes.length; index++) {
      const shape = this.#shapes[index];
      if (shape?.isSolid && holds(shape, x, y)) return true;
    }
    return false;
  }

  spots(): readonly Box[] {
    return this.#spots;
  }

  rulings(): Rulings {
    return { horizontal: this.#horizontal, vertical: this.#vertical };
  }
}
