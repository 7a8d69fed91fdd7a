/** How thoroughly tests look: `TEST_DEPTH` multiplies drawn cases and kills. `npm run test:deep` sets it to 10. */
const depth = Number(process.env['TEST_DEPTH'] ?? 1);

/** @param count of cases in `npm test` */
export const cases = (count: number): number => Math.ceil(count * depth);

/** Some of a long list, evenly spread and always the same ones; `npm run test:deep` takes more, up to all. @param count of them in `npm test` */
export function sampled<T>(all: readonly T[], count: number): T[] {
  const share = Math.min(1, cases(count) / all.length);
  return all.filter((_, at) => Math.floor((at + 1) * share) > Math.floor(at * share));
}
