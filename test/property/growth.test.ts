import { expect, it } from 'vitest';
import { expectLinear, expectLinearIn } from '../support/growth.ts';

const characters = (size: number) => 'x'.repeat(size);
/** Looks at each of the text's characters `times` over; returns something, so that it is done. */
function look(text: string, times: number): number {
  let sum = 0;
  for (let time = 0; time < times; time++) for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at) ^ time;
  return sum;
}

it('work that is linear passes, however much it is', async () => {
  await expectLinear(characters, (text) => look(text, 100), 100_000);
  // Without a result that grows: on a busy machine the time for its memory is not linear.
  await expectLinearIn(['x', 'yz'], (text) => /[ab]c/.test(text), 100_000);
});

it('work that is quadratic is told, also where it is little, and in an expression', async () => {
  await expect(expectLinear(characters, (text) => look(text, text.length), 2_000)).rejects.toThrow('1.7');
  await expect(expectLinearIn([' '], (text) => /\s+$/.test(`${text}x`), 2_000)).rejects.toThrow('1.7');
});
