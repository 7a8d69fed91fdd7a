/** The graphics state of a page as far as text needs it (ISO 32000-1, 8.4 and 9.3): what `q` saves and `Q` brings back. */
import type { Matrix } from './matrix.ts';
import type { Box, FontLook } from './page.ts';
import type { Colour } from './shapes.ts';

export interface PaintFont extends FontLook {
  /** Glyph space to text space, horizontally. */
  readonly widthUnit: number;
  /** Height of a line in units of the font size; 1 unless a font is defined by drawings. */
  readonly heightUnit: number;
  readonly isVertical: boolean;
}

/** `#rrggbb`, as colours of every space arrive. */
export const colourFrom = (value: unknown): Colour =>
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

  /** One entry of a graphics state dictionary. */
  set(key: string, value: unknown): void {
    if (key === 'ca' && typeof value === 'number') this.fillAlpha = value;
    else if (key === 'CA' && typeof value === 'number') this.strokeAlpha = value;
    else if (key === 'BM') this.isBlended = value !== 'source-over';
  }

  /** The part of a box inside the clip, if any. */
  clipped({ x0, y0, x1, y1 }: Box): Box | undefined {
    const { clip } = this;
    const box = { x0: Math.max(x0, clip.x0), y0: Math.max(y0, clip.y0), x1: Math.min(x1, clip.x1), y1: Math.min(y1, clip.y1) };
    return box.x1 >= box.x0 && box.y1 >= box.y0 ? box : undefined;
  }
}
