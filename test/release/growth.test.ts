import { expect, it } from 'vitest';
import { expectLinear, expectLinearIn } from '../support/growth.ts';

const characters = (size: number) => 'x'.repeat(size);
/** Reads each character `times` times; returns a sum, so that the loop is not optimized away. */
function readTimes(text: string, times: number): number {
  let sum = 0;
  for (let time = 0; time < times; time++)
    for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at) ^ time;
  return sum;
}

it('expectLinear accepts linear work of any amount', async () => {
  await expectLinear(characters, (text) => readTimes(text, 100), 100_000);
  // The result must not grow: allocation time is not linear on a busy machine.
  await expectLinearIn(['x', 'yz'], (text) => /[ab]c/.test(text), 100_000);
});

// One measurement of so little work may be disturbed by other load.
it('expectLinear rejects quadratic work, even small work', {
  retry: 3,
}, async () => {
  await expect(
    expectLinear(characters, (text) => readTimes(text, text.length), 2_000),
  ).rejects.toThrow('1.7');
});
