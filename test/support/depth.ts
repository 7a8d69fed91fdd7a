/** How thoroughly tests look: `TEST_DEPTH` multiplies drawn cases and kills. `npm run test:deep` sets it to 10. */
const depth = Number(process.env['TEST_DEPTH'] ?? 1);

/** @param count of cases in `npm test` */
export const cases = (count: number): number => Math.ceil(count * depth);
