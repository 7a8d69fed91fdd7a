/** Percentiles of times and their formatting. */

/** @param share of the values at or below the result, in (0, 1] */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

export const median = (values: readonly number[]) => percentile(values, 0.5);

/** Three significant figures. */
export const figure = (value: number) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));
export const ratio = (value: number, base: number) => `${figure(value / base)}×`;
