/**
 * Logistic regression over a handful of features by Newton's method: readable, and with the same
 * result on every machine.
 */

export interface Labelled {
  readonly features: readonly number[];
  readonly isTrue: boolean;
  /** Weight of the row; undefined: both classes have the same total weight. */
  readonly weight?: number;
}

const steps = 30;
/** Ridge penalty in rows of data; features range from 0 to 1. */
const ridge = 1;

/** Solves `matrix · x = vector` by elimination. */
function solve(matrix: number[][], vector: number[]): number[] {
  const rows = matrix.map((row, at) => [...row, vector[at] as number]);
  for (const [at, pivot] of rows.entries()) {
    const best = rows.findIndex(
      (row, other) =>
        other >= at &&
        Math.abs(row[at]!) >= Math.max(...rows.slice(at).map((one) => Math.abs(one[at]!))),
    );
    [rows[at], rows[best]] = [rows[best]!, pivot];
    for (const [other, row] of rows.entries()) {
      if (other === at) continue;
      const share = row[at]! / rows[at]![at]!;
      for (const column of row.keys()) row[column]! -= share * rows[at]![column]!;
    }
  }
  return rows.map((row, at) => row.at(-1)! / row[at]!);
}

/** @returns the intercept, then one weight per feature */
export function fitLogistic(rows: readonly Labelled[]): number[] {
  const size = (rows[0]?.features.length ?? 0) + 1;
  const trueRows = rows.filter(({ isTrue }) => isTrue).length;
  let weights = Array.from({ length: size }, () => 0);
  for (let step = 0; step < steps; step++) {
    const gradient = weights.map((weight, at) => (at === 0 ? 0 : -ridge * weight));
    const hessian = weights.map((_, at) =>
      weights.map((__, other) => (at === other ? (at === 0 ? 1e-9 : ridge) : 0)),
    );
    for (const { features, isTrue, weight } of rows) {
      const inputs = [1, ...features];
      const chance =
        1 / (1 + Math.exp(-inputs.reduce((sum, value, at) => sum + value * weights[at]!, 0)));
      const counts = weight ?? rows.length / 2 / (isTrue ? trueRows : rows.length - trueRows);
      for (const [at, value] of inputs.entries()) {
        gradient[at]! += counts * ((isTrue ? 1 : 0) - chance) * value;
        for (const [other, second] of inputs.entries())
          hessian[at]![other]! += counts * chance * (1 - chance) * value * second;
      }
    }
    const change = solve(hessian, gradient);
    weights = weights.map((weight, at) => weight + change[at]!);
  }
  return weights;
}

/** Probability that a true row scores above a false one (area under the ROC curve). */
export function areaUnderCurve(
  scored: readonly { readonly score: number; readonly isTrue: boolean }[],
): number {
  const ordered = [...scored].sort((a, b) => a.score - b.score);
  let [below, area, trueRows] = [0, 0, 0];
  for (let at = 0; at < ordered.length; ) {
    const tied = ordered.slice(at).findIndex(({ score }) => score !== ordered[at]!.score);
    const group = ordered.slice(at, tied < 0 ? undefined : at + tied);
    const holds = group.filter(({ isTrue }) => isTrue).length;
    area += holds * (below + (group.length - holds) / 2);
    below += group.length - holds;
    trueRows += holds;
    at += group.length;
  }
  return area / Math.max(1, trueRows * below);
}
