/**
 * Property tests use a fixed seed, so that results are reproducible. `FAST_CHECK_SEED=random npm
 * test` (or a number) tries others: add failures as examples to the test. `npm run test:deep` runs
 * ten times as many cases.
 */
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { cases } from './depth.ts';
import { endFile } from './when-done.ts';

const wanted = process.env['FAST_CHECK_SEED'] ?? '20261122';
const usual = fc.readConfigureGlobal();
fc.configureGlobal({
  ...usual,
  numRuns: cases(50),
  ...(wanted === 'random' ? {} : { seed: Number(wanted) }),
});
afterAll(endFile);
