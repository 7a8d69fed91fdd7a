/**
 * What the stages of PDF reading hand to each other. Lengths are points, x from the left and y from the top edge of the page as it is
 * shown; a `y` alone is a baseline.
 */

export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

export interface FontLook {
  readonly isBold: boolean;
  readonly isMono: boolean;
}

/** One shown character, or several where a glyph stands for them. */
export interface Glyph extends FontLook {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly size: number;
  /** A space was shown before it. */
  readonly isAfterSpace: boolean;
  /** Marked as no part of the text by the producer: headers, footers, watermarks. */
  readonly isArtifact: boolean;
}

/** Text that does not run from left to right, in the order it was shown. */
export interface TurnedText extends Box {
  readonly text: string;
  readonly size: number;
}

/** What a reader sees of a page. */
export interface PageView {
  readonly width: number;
  readonly height: number;
  readonly glyphs: readonly Glyph[];
  readonly turned: readonly TurnedText[];
  readonly rulings: Rulings;
  /** Small drawn spots: list marks of producers that draw them. */
  readonly spots: readonly Box[];
}

/** Drawn lines, and the edges of filled boxes. */
export interface Rulings {
  readonly horizontal: readonly { readonly y: number; readonly x0: number; readonly x1: number }[];
  readonly vertical: readonly { readonly x: number; readonly y0: number; readonly y1: number }[];
}

export interface Word {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
}

/** A piece of one line: words with no wide gap between them. */
export interface Segment extends FontLook {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly size: number;
  /** Where the text after a list mark begins. */
  readonly textX0: number;
  /** Between a list mark and its text; 0 without a mark. */
  readonly markGap: number;
  readonly isArtifact: boolean;
  /** A running header or footer: found only when all pages are known. */
  isRunning: boolean;
}

/** Segments on one baseline, from the left. */
export type Row = readonly Segment[];

/** A piece of a page in reading order. Cells hold rows. */
export type Block =
  | { readonly kind: 'lines'; readonly rows: readonly Row[]; readonly rulesAbove: readonly boolean[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly (readonly Row[])[])[]; readonly columnX0: readonly number[] };

export interface PageLayout {
  readonly number: number;
  readonly width: number;
  readonly height: number;
  readonly blocks: readonly Block[];
  /** Rows from the top and from the bottom, as many as may be running headers and footers. */
  readonly edges: readonly EdgeRow[];
}

export interface EdgeRow {
  readonly row: Row;
  /** Distance of the baseline from the page's top edge, or negative from its bottom edge. */
  readonly at: number;
  /** 0 for the outermost row of its edge. */
  readonly depth: number;
}
