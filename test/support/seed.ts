/**
 * Property tests draw the same cases on every machine, so that what passed here passes there; `FAST_CHECK_SEED=random npm test` (or a
 * number) looks elsewhere, and what it finds becomes an example of the test. `npm run test:deep` draws ten times as many.
 */
import fc from 'fast-check';
import { afterAll } from 'vitest';
import { cases } from './depth.ts';
import { endFile } from './when-done.ts';

const wanted = process.env['FAST_CHECK_SEED'] ?? '20261122';
const usual = fc.readConfigureGlobal();
fc.configureGlobal({ ...usual, numRuns: cases(100), ...(wanted === 'random' ? {} : { seed: Number(wanted) }) });
afterAll(endFile);
