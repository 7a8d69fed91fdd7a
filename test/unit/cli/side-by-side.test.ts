import { describe, expect, it } from 'vitest';
import { sideBySide } from '../../../src/cli/side-by-side.ts';

const [was, now] = ['Refunds are paid within 30 days of purchase.', 'Refunds are paid within 14 days after purchase.'];
const plain = { width: undefined, isColoured: false };
const red = (text: string) => `\u001b[31m${text}\u001b[39m`;
const green = (text: string) => `\u001b[32m${text}\u001b[39m`;
const columnsOf = (line: string) => [...line].reduce((sum, one) => sum + (/[\u3000-\u9FFF]/.test(one) ? 2 : 1), 0);

describe('two texts', () => {
  it('stand below each other in a pipe, each on one line, without colours', () => {
    expect(sideBySide(was, now, plain)).toEqual([`  was  ${was}`, `  now  ${now}`]);
  });

  it('stand in two columns where there is room, each as wide as the other', () => {
    const lines = sideBySide(`${was} ${was}`, now, { width: 100, isColoured: false });
    expect(lines).toEqual([
      `  was${' '.repeat(44)} │ now`,
      '  Refunds are paid within 30 days of purchase.    │ Refunds are paid within 14 days after purchase.',
      '  Refunds are paid within 30 days of purchase.    │',
    ]);
  });

  it('are wrapped on a narrow terminal, words whole where they fit', () => {
    expect(sideBySide(was, now, { width: 32, isColoured: false })).toEqual([
      '  was  Refunds are paid within',
      '       30 days of purchase.',
      '  now  Refunds are paid within',
      '       14 days after purchase.',
    ]);
    for (const width of [1, 8, 20]) expect(sideBySide('x'.repeat(100), null, { width, isColoured: false }).length).toBeGreaterThan(9);
  });

  it('have the words in colour that the other has not', () => {
    const [left, right] = sideBySide(was, now, { width: undefined, isColoured: true });
    expect(left).toBe(`  was  Refunds are paid within ${red('30')} days ${red('of')} purchase.`);
    expect(right).toBe(`  now  Refunds are paid within ${green('14')} days ${green('after')} purchase.`);
    const longer = sideBySide('One day.', 'One day. Or two.', { width: undefined, isColoured: true });
    expect(longer).toEqual(['  was  One day.', `  now  One day. ${green('Or')} ${green('two.')}`]);
  });

  it('have no column that is wider than its place, whatever the letters take', () => {
    const japanese = '従業員は年間26日の有給休暇を取得できます。'.repeat(5);
    for (const line of sideBySide(japanese, japanese.replaceAll('26', '28'), { width: 100, isColoured: false }))
      expect(columnsOf(line)).toBeLessThanOrEqual(100);
  });

  it('say so where nothing stands in place of one, and do nothing but show', () => {
    expect(sideBySide('a \u001b[31m b\n c', null, plain)).toEqual(['  was  a [31m b c', '  now  nothing like it is there any more']);
  });

  it('may be long, and then have no marks', () => {
    const long = 'word '.repeat(5_000);
    const [left] = sideBySide(long, `${long} more`, { width: undefined, isColoured: true });
    expect(left).not.toContain('\u001b');
  });
});
