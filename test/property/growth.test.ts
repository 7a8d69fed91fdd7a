import { expect, it } from 'vitest';
import { expectLinear, expectLinearIn } from '../support/growth.ts';

const characters = (size: number) => 'x'.repeat(size);
/** Reads each character `times` times. Returns a result, so that the work is not optimized away. */
function look(text: string, times: number): number {
  let sum = 0;
  for (let time = 0; time < times; time++) for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at) ^ time;
  return sum;
}

it('expectLinear accepts linear work of any amount', async () => {
  await expectLinear(characters, (text) => look(text, 100), 100_000);
  // No growing result: on a busy machine, allocating it takes nonlinear time.
  await expectLinearIn(['x', 'yz'], (text) => /[ab]c/.test(text), 100_000);
});

it('expectLinear rejects quadratic work, even if short or in a regular expression', async () => {
  await expect(expectLinear(characters, (text) => look(text, text.length), 2_000)).rejects.toThrow('1.7');
  await expect(expectLinearIn([' '], (text) => /\s+$/.test(`${text}x`), 2_000)).rejects.toThrow('1.7');
});
