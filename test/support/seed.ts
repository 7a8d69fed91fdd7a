/**
 * Property tests draw the same cases on every machine, so that what passed here passes there; `FAST_CHECK_SEED=random npm test` (or a
 * number) looks elsewhere, and what it finds becomes an example of the test.
 */
import fc from 'fast-check';

const wanted = process.env['FAST_CHECK_SEED'] ?? '20261122';
if (wanted !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
