import { expect, it } from 'vitest';
import { scanDelay } from '../../../src/documents/namespaces.ts';

it('scans the folder for at most a tenth of the time', () => {
  expect([scanDelay(true, 5), scanDelay(false, 5)]).toEqual([60_000, 1_000]);
  expect([scanDelay(true, 20_000), scanDelay(false, 20_000)]).toEqual([200_000, 200_000]);
});
