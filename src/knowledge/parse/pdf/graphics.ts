/**
 * The graphics operators of one page, followed as a viewer would without drawing (ISO 32000-1, 8): where the matrix, the clip, the layers and the
 * masks stand, and what was painted. Pictures are not decoded and leave no operator behind, only the matrix that was set for them.
 */
import { apply, boxOf, type Matrix, multiply } from './matrix.ts';
import type { Box, Rulings } from './page.ts';
import { PaintState } from './paint-state.ts';
import { looksAlike, PaintedShapes, white } from './shapes.ts';

export interface GraphicsOptions {
  readonly width: number;
  readonly height: number;
  /** User space to the page as shown. */
  readonly base: Matrix;
  readonly isLayerShown: (layer: unknown) => boolean;
}

export interface PathPaint {
  readonly fills: boolean;
  readonly strokes: boolean;
}

/** Fainter than this is not seen; stronger than the other hides what is under it. */
export const minAlpha = 0.1;
const hidingAlpha = 0.9;
/** Share of the page that a picture covers for the text under it to be the picture's. */
export const scanShare = 0.5;
const minPictureSize = 6;
const maxSubpathPoints = 64;
/** Numbers after `moveTo`, `lineTo`, a cubic and a quadratic curve, and the end of a subpath, as paths arrive. */
const pathNumbers = [2, 2, 6, 4, 0];
const unit: Box = { x0: 0, y0: 0, x1: 1, y1: 1 };
const nowhere: Box = { x0: 0, y0: 0, x1: -1, y1: -1 };

type Group = { readonly smask?: unknown } | undefined;

export class GraphicsPainter {
  readonly shapes: PaintedShapes;
  readonly #options: GraphicsOptions;
  #state: PaintState;
  readonly #saved: PaintState[] = [];
  readonly #layers: ('shown' | 'hidden' | 'artifact')[] = [];
  #isMatrixUnused = false;
  #maskDepth = 0;
  #clipsNext = false;

  constructor(options: GraphicsOptions) {
    this.#options = options;
    this.shapes = new PaintedShapes(options.width * options.height);
    this.#state = new PaintState(options.base, { x0: 0, y0: 0, x1: options.width, y1: options.height });
  }

  get state(): PaintState {
    return this.#state;
  }

  get isShown(): boolean {
    return this.#maskDepth === 0 && !this.#layers.includes('hidden');
  }

  get isArtifact(): boolean {
    return this.#layers.includes('artifact');
  }

  rulings(): Rulings {
    return this.shapes.rulings();
  }

  spots(): readonly Box[] {
    return this.shapes.spots();
  }

  save(): void {
    this.#saved.push(this.#state.copy());
  }

  restore(): void {
    this.endMatrix();
    const state = this.#saved.pop();
    if (state) this.#state = state;
  }

  transform(...matrix: number[]): void {
    this.#state.matrix = multiply(matrix, this.#state.matrix);
    this.#isMatrixUnused = true;
  }

  /** Nothing was drawn with the matrix: a picture stands there. */
  protected endMatrix(): void {
    if (!this.#isMatrixUnused) return;
    this.#isMatrixUnused = false;
    const box = this.#state.clipped(boxOf(unit, this.#state.matrix));
    if (box && box.x1 - box.x0 > minPictureSize && box.y1 - box.y0 > minPictureSize) this.shapes.picture(box);
  }

  /** Something is drawn: a matrix of a page's size that was set before it still was a picture's. */
  protected useMatrix(): void {
    if (!this.#isMatrixUnused) return;
    const { x0, y0, x1, y1 } = boxOf(unit, this.#state.matrix);
    if ((x1 - x0) * (y1 - y0) > this.#options.width * this.#options.height * scanShare) this.endMatrix();
    this.#isMatrixUnused = false;
  }

  paintFormXObjectBegin(matrix: Matrix | null, box: ArrayLike<number> | null): void {
    this.useMatrix();
    this.save();
    if (matrix) this.#state.matrix = multiply(matrix, this.#state.matrix);
    if (box) this.#clip(box);
  }

  paintFormXObjectEnd(): void {
    this.restore();
  }

  beginGroup(group: Group): void {
    this.useMatrix();
    this.save();
    if (group?.smask) this.#maskDepth++;
  }

  endGroup(group: Group): void {
    this.restore();
    if (group?.smask) this.#maskDepth--;
  }

  beginMarkedContent(tag: unknown): void {
    this.#layers.push(tag === 'Artifact' ? 'artifact' : 'shown');
  }

  beginMarkedContentProps(tag: unknown, layer: unknown): void {
    if (tag === 'OC') this.#layers.push(this.#options.isLayerShown(layer) ? 'shown' : 'hidden');
    else this.beginMarkedContent(tag);
  }

  endMarkedContent(): void {
    this.#layers.pop();
  }

  clip(): void {
    this.#clipsNext = true;
  }

  #clip(box: ArrayLike<number>): void {
    const [x0 = 0, y0 = 0, x1 = 0, y1 = 0] = Array.from(box);
    this.#state.clip = this.#state.clipped(boxOf({ x0, y0, x1, y1 }, this.#state.matrix)) ?? nowhere;
  }

  shadingFill(): void {
    this.useMatrix();
    if (this.isShown) this.shapes.fill(this.#state.clip, 'unknown', false);
  }

  /** @param data numbers of the path, each group after its kind @param bounds around them */
  path(paint: PathPaint, data: ArrayLike<number> | null, bounds: ArrayLike<number> | null): void {
    this.useMatrix();
    if (data && bounds && this.isShown && (paint.fills || paint.strokes)) this.#paint(data, paint);
    if (this.#clipsNext && bounds) this.#clip(bounds);
    this.#clipsNext = false;
  }

  #paint(data: ArrayLike<number>, paint: PathPaint): void {
    let points: (readonly [number, number])[] = [];
    let isStraight = true;
    for (let at = 0; at < data.length; ) {
      const kind = data[at] ?? 4;
      const numbers = pathNumbers[kind] ?? 0;
      if (kind === 0) {
        this.#paintSubpath(points, isStraight, paint);
        points = [];
        isStraight = true;
      } else if (kind === 2 || kind === 3) isStraight = false;
      if (numbers > 0 && points.length < maxSubpathPoints)
        points.push(apply(this.#state.matrix, data[at + numbers - 1] ?? 0, data[at + numbers] ?? 0));
      at += numbers + 1;
    }
    this.#paintSubpath(points, isStraight, paint);
  }

  #paintSubpath(points: readonly (readonly [number, number])[], isStraight: boolean, { fills, strokes }: PathPaint): void {
    if (points.length < 2) return;
    const { fillAlpha, fillColour, strokeColour, isBlended } = this.#state;
    const around = boxAround(points);
    const box = this.#state.clipped(around);
    if (!box) return;
    const isRectangle = isStraight && points.every(([x, y]) => isCorner(around, x, y));
    if (fills && fillColour !== 'none' && !isBlended && fillAlpha >= (isRectangle ? minAlpha : 0.5))
      this.shapes.fill(box, fillColour, isRectangle && fillAlpha > hidingAlpha);
    if (!strokes || fills || looksAlike(strokeColour, white)) return;
    if (isRectangle) this.shapes.frame(box);
    else if (!isStraight) this.shapes.frameRound(box);
  }
}

function boxAround(points: readonly (readonly [number, number])[]): Box {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const [x, y] of points) {
    x0 = Math.min(x0, x);
    y0 = Math.min(y0, y);
    x1 = Math.max(x1, x);
    y1 = Math.max(y1, y);
  }
  return { x0, y0, x1, y1 };
}

const isNear = (one: number, other: number) => Math.abs(one - other) < 0.5;
const isCorner = ({ x0, y0, x1, y1 }: Box, x: number, y: number) => (isNear(x, x0) || isNear(x, x1)) && (isNear(y, y0) || isNear(y, y1));
