/** `TEST_DEPTH` multiplies random cases and kills. `npm run test:deep` sets it to 10. */
const depth = Number(process.env['TEST_DEPTH'] ?? 1);

/** @param count number of cases in `npm test` */
export const cases = (count: number): number => Math.ceil(count * depth);

/**
 * Returns a fixed, evenly spread sample; `npm run test:deep` takes more, up to all. @param count
 * sample size in `npm test`
 */
export function sampled<T>(all: readonly T[], count: number): T[] {
  const share = Math.min(1, cases(count) / all.length);
  return all.filter((_, at) => Math.floor((at + 1) * share) > Math.floor(at * share));
}
