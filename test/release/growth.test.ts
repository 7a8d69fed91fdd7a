import { expect, it } from 'vitest';
import { expectLinear } from '../support/growth.ts';

const characters = (size: number) => 'x'.repeat(size);
/** Reads each character `times` times; returns a sum, so that the loop is not optimized away. */
function readTimes(text: string, times: number): number {
  let sum = 0;
  for (let time = 0; time < times; time++)
    for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at) ^ time;
  return sum;
}

// One measurement of so little work may be disturbed by other load.
it('expectLinear rejects quadratic work, even small work', {
  retry: 3,
}, async () => {
  await expect(
    expectLinear(characters, (text) => readTimes(text, text.length), 2_000),
  ).rejects.toThrow('1.7');
});
