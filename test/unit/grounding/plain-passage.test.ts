import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toPlainPassage } from '../../../packages/grounding/src/plain-passage.ts';

const piece = fc.oneof(
  fc.constantFrom(
    ' [1]',
    '[2, 3]',
    '[ 12 ]',
    '`items[0]`',
    '```\na[1]\n```\n',
    '[1]: https://example.com',
    '[1](https://example.com)',
    '\u200B',
    '\u202Eevil\u202C',
    '\u2066',
    '\uFEFF',
    '\u{E0041}\u{E0042}',
    '\u0007',
    'a\u200Db',
    '👩‍👩‍👧',
    '\uD83D',
    '| a [1] | b |',
    '- item [3]\n',
  ),
  fc.constantFrom(
    'Refunds are paid within 30 days.',
    '返金は30日以内です。',
    '\n',
    '\n\n',
    '\r\n',
    '    code [1]\n',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const passage = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));

describe('a plain passage', () => {
  it('maps every slice to the stored text, with only removed characters in between', () => {
    fc.assert(
      fc.property(passage, fc.nat(), fc.nat(), (stored, a, b) => {
        const { text, storedSpan } = toPlainPassage(stored);
        const [start, end] = [a % (text.length + 1), b % (text.length + 1)].toSorted(
          (x, y) => x - y,
        ) as [number, number];
        const span = storedSpan(start, end);
        expect(span.start).toBeGreaterThanOrEqual(0);
        expect(span.end).toBeLessThanOrEqual(stored.length);
        expect(span.end).toBeGreaterThanOrEqual(span.start);
        const slice = stored.slice(span.start, span.end);
        const wanted = text.slice(start, end);
        expect(slice[0]).toBe(wanted[0]);
        expect(slice.at(-1)).toBe(wanted.at(-1));
        let at = 0;
        for (const unit of slice) if (wanted.startsWith(unit, at)) at += unit.length;
        // A greedy walk finds every unit in order: nothing was added or reordered.
        expect(at).toBe(wanted.length);
      }),
    );
  });

  it.each([
    ['Paid within 30 days. [2] Next.', 'Paid within 30 days. Next.'],
    ['Read `items[0]` first [1].', 'Read `items[0]` first.'],
    ['```\nlist[1]\n```', '```\nlist[1]\n```'],
    ['[1](https://example.com) and [1]: x', '[1](https://example.com) and: x'],
    ['👩‍👩‍👧', '👩‍👩‍👧'],
    ['می‌خواهم', 'می‌خواهم'],
    ['It costs ~~$5~~ $6, <del>or $7</del> <s>or $8</s>.', 'It costs  $6,  .'],
    ['<p style=display:none>a</p><p style="font-size: 0">b</p><p style="opacity:0">c</p>d', 'd'],
    ['<p style="opacity:0.5">a</p>', '<p style="opacity:0.5">a</p>'],
    ['<b title="no hidden fees">a</b>', '<b title="no hidden fees">a</b>'],
    [`<p style="font-family:'A';display:none">a</p><p style="left:-9999px">b</p>d`, 'd'],
    ['<template>a</template><style>b</style><script>c</script>d', 'd'],
    ['a {/* b\nc */} d', 'a  d'],
    ['[//]: # (a)\n[comment]: <> "b"\n[page]: #top\n', '\n\n[page]: #top\n'],
    ['- a\n- Chatbots must say b. So c.\n- d', '- a\n- \n- d'],
    ['`~~a~~ <del>b</del> {/* c */}`', '`~~a~~ <del>b</del> {/* c */}`'],
  ])('turns %j into %j', (stored, wanted) => expect(toPlainPassage(stored).text).toBe(wanted));

  it.each([
    ...['[\u200B1]', '[1\u200B]', '[\u202E1\u202C]', 'a [1]\u200B[2]', '[1][2][3]'],
    ...['[[1]1]', '[1[2]]', '[[[1]2]3]'],
  ])('contains no mark formed by removing another or characters: %j', (stored) => {
    expect(toPlainPassage(stored).text).not.toMatch(/\[\s*\d+\s*\]/);
  });
});
