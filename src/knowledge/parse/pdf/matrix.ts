/** Affine maps as PDF writes them: `[a b c d e f]`, x' = a x + c y + e, y' = b x + d y + f (ISO 32000-1, 8.3.4). */
import type { Box } from './page.ts';

export type Matrix = ArrayLike<number>;

/** `first`, then `second`. */
export function multiply(first: Matrix, second: Matrix): number[] {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = Array.from(first);
  const [a2 = 1, b2 = 0, c2 = 0, d2 = 1, e2 = 0, f2 = 0] = Array.from(second);
  return [a * a2 + b * c2, a * b2 + b * d2, c * a2 + d * c2, c * b2 + d * d2, e * a2 + f * c2 + e2, e * b2 + f * d2 + f2];
}

export const apply = (matrix: Matrix, x: number, y: number): [number, number] => [
  (matrix[0] ?? 1) * x + (matrix[2] ?? 0) * y + (matrix[4] ?? 0),
  (matrix[1] ?? 0) * x + (matrix[3] ?? 1) * y + (matrix[5] ?? 0),
];

/** The box around a mapped box. */
export function boxOf({ x0, y0, x1, y1 }: Box, matrix: Matrix): Box {
  const corners = [apply(matrix, x0, y0), apply(matrix, x1, y0), apply(matrix, x0, y1), apply(matrix, x1, y1)];
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}
