import { describe, expect, it } from 'vitest';
import { onItsOwn, shownAs } from '../../../packages/grounding/src/shown-sentence.ts';
import { segments } from '../../../packages/shared/src/language/segments.ts';
import { groundReply } from '../../support/grounded.ts';
import { listed } from '../../support/listed.ts';
import { passageOf } from '../../support/passages.ts';

const refundsOf = (text: string, start = 0) =>
  passageOf(text, 'Refunds', { start, headingPath: ['Refunds'], anchor: 'refunds' });
const bodyOf = (reply: string, text: string) =>
  groundReply(reply, [refundsOf(text)]).text.split('\n\nSources:')[0];
const unitsOf = (text: string) =>
  [...segments(text)].map(({ start, end, kind }) => [kind, text.slice(start, end)]);

describe('a sentence in an answer', () => {
  it.each([
    ['line wraps', 'Refunds are\npaid within\n  30 days.', 'Refunds are paid within 30 days.'],
    ['Markdown quote marks', 'ℹ️ Note:\n> Refunds are\n> > paid.', 'ℹ️ Note: Refunds are paid.'],
    ['hard breaks', 'Refunds are\\\npaid  \nin full.', 'Refunds are paid in full.'],
    ['alert label', '[!NOTE]\n> Refunds are paid.', 'Refunds are paid.'],
    [
      'reference-style link',
      'See [the `policy`][policy] and `a[b][c]` or [x][].',
      'See [the `policy`][policy] and `a[b][c]` or x.',
    ],
    [
      'escapes of Markdown',
      'Set LOG\\_LEVEL for \\*.log, 3\\. try \\[opt\\] or \\<dir\\>.',
      'Set LOG_LEVEL for *.log, 3. try [opt] or `<dir>`.',
    ],
    ['italics', 'The *new* fee is _low_: 2*3*4, *.csv.', 'The new fee is low: 2*3*4, *.csv.'],
    ['mark of another sentence', '*Is it open?', 'Is it open?'],
    ['repeated spaces', 'Active:  npm `a  b`.', 'Active: npm `a  b`.'],
    [
      'line wraps in Chinese and Japanese',
      '返金は購入後\n30日以内に\n行われます。',
      '返金は購入後 30日以内に行われます。',
    ],
  ])('has no %s', (_, text, shown) => {
    expect(shownAs(text, 'sentence')).toBe(shown);
    expect(shownAs(text, 'item')).toBe(shown);
  });
  it('keeps escapes that stand for a citation, a link or an image', () => {
    for (const text of ['See \\[1\\] there.', 'A \\[b\\](https://a.example) c.', 'A \\![b](x) c.'])
      expect(shownAs(text, 'sentence')).toBe(text);
  });
  it('keeps the box of an open task', () => {
    const tasks = '- [ ] The vans are washed.\n- [x] The tyres are checked.';
    expect(bodyOf('The vans are washed. [1]', tasks)).toBe('- [ ] The vans are washed. [1]');
    expect(bodyOf('The tyres are checked. [1]', tasks)).toBe('The tyres are checked. [1]');
  });
  it('keeps links', () => {
    expect(shownAs('See [a][b] or\n[c](https://example.com).', 'sentence')).toBe(
      'See [a][b] or [c](https://example.com).',
    );
  });
  it('keeps the lines of code, without the marks of a quotation', () => {
    expect(shownAs('> a\n>   b', 'code')).toBe('a\n  b');
    expect(shownAs('a > b\n> c', 'code')).toBe('a > b\n> c');
  });
  it('is cited exactly as in the file', () => {
    const text = 'Other.\n\n> Refunds are paid\n> within 30 days of purchase.\n';
    const passages = [refundsOf(text, 100)];
    const answer = groundReply('Refunds are paid within 30 days of purchase. [1]', passages);
    expect(answer.text).toMatch(/^Refunds are paid within 30 days of purchase\. \[1\]\n\n/);
    expect(answer.citations[0]).toMatchObject({
      quote: 'Refunds are paid\n> within 30 days of purchase.',
      start: 110,
    });
    const copied = groundReply('> Refunds are paid\n> within 30 days of purchase. [1]', passages);
    expect([copied.text, copied.citations]).toEqual([answer.text, answer.citations]);
    expect(copied.sentences[0]?.text).toBe('Refunds are paid within 30 days of purchase.');
  });
});

describe('a joining word at the start of a sentence', () => {
  it.each([
    ['Therefore, refunds take 5 days.', 'Refunds take 5 days.'],
    ['But annual plans are not refunded.', 'Annual plans are not refunded.'],
    ['In addition, iOS 18 is needed.', 'iOS 18 is needed.'],
    ['Par conséquent, le délai est de 5 jours.', 'Le délai est de 5 jours.'],
    ['そのため、返金は5日です。', '返金は5日です。'],
  ])('is removed: %s', (text, shown) => expect(onItsOwn(text)).toBe(shown));

  it.each([
    ...listed(`
      So far, 5 plans exist.
      Our own staff answers. | Android is needed. | Daher dauert die Erstattung 5 Tage.
    `),
  ])('is kept if the sentence needs it: %s', (text) => {
    expect(onItsOwn(text)).toBe(text);
  });

  const passage =
    'Banks check every payment. Therefore, refunds take 5 days.\n\nPlans end in May. However, our annual plans end in December.\n';
  it('is kept if the previous sentence is shown', () => {
    const both = 'Banks check every payment. Therefore, refunds take 5 days. [1]';
    expect(bodyOf(both, passage)).toBe(both);
    const joined = 'Banks check every payment. However, plans end in May. [1]';
    expect(bodyOf(joined, passage)).toBe(joined);
  });
});

describe('units of a quotation', () => {
  it('are sentences, items, rows and code, but not alert labels', () => {
    const text = `Install it.
> [!NOTE]
> Plans end
> in May.
>
> \`\`\`js
> listen({ port: 1 })
> \`\`\`
> - one item
> ## Heading
> | a | b |
> | - | - |
> | c | d |

[name]: https://example.com/x "Title"
The end.`;
    expect(unitsOf(text)).toEqual([
      ['sentence', 'Install it.'],
      ['sentence', 'Plans end\n> in May.'],
      ['code', '> listen({ port: 1 })'],
      ['item', 'one item'],
      ['row', '| c | d |'],
      ['sentence', 'The end.'],
    ]);
  });
  it('end with the quotation, even code without a closing fence', () => {
    expect(unitsOf('> ```\n> code\nText continues.\n')).toEqual([
      ['code', '> code'],
      ['sentence', 'Text continues.'],
    ]);
    expect(unitsOf('```\n> ```\ncode\n```\nText.')).toEqual([
      ['code', '> ```\ncode'],
      ['sentence', 'Text.'],
    ]);
  });
});
