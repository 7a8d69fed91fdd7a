import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReplyReader, type ReplySentence } from '../../../packages/grounding/src/reply-reader.ts';
import { listed } from '../../support/listed.ts';

function read(pieces: readonly string[]): ReplySentence[] {
  const reader = new ReplyReader();
  return [...pieces.flatMap((text) => reader.push(text)), ...reader.end()];
}
const cutAt = (reply: string, cuts: readonly number[]): string[] => {
  const sorted = [...new Set(cuts.map((cut) => cut % (reply.length + 1)))].toSorted(
    (a, b) => a - b,
  );
  return [0, ...sorted].map((from, position) =>
    reply.slice(from, sorted[position] ?? reply.length),
  );
};
const said = (sentences: readonly ReplySentence[]) =>
  sentences.map(({ text, numbers }) => [text, numbers]);
/** Parses expected sentences with their numbers: `One. ← 1,2 / Two.` */
const wanted = (row: string) =>
  row === ''
    ? []
    : row.split(' / ').map((one) => {
        const [text, numbers] = one.split(' ← ');
        return [text, numbers?.split(',').map(Number) ?? []];
      });

const piece = fc.oneof(
  fc.constantFrom(
    'Refunds are paid within 30 days of purchase. [1]',
    ' Plans cost $28 [1][2], ',
    'Write to a@b.example [1, 3].',
    '- item one [1]\n',
    '1. step [2]\n',
    '| Plan | Price |\n|---|---|\n',
    '| Team | $28 | [1]\n',
    '```js\nconst a = items[0];\n```\n[1]\n',
    '```\nopen [1]',
    '`items[0]` is first. [1] ',
    '返金は30日以内です。[1]',
    'e.g. this, i.e. that. ',
    'Version 1.2.3 of v4.5. ',
    '**Bold.** ',
    '# Heading\n',
    'Line\n---\n',
    '> quote [1]\n',
    '\n\n',
    '\n',
    ' ',
    ...listed(`
      [ | ] | . | ! | … | [1] | {"answer": " | <b>x</b> | ![x](https://evil.example/x) | Sure! | (passages 1 and 2).
      (Source: [1]) | Source: 1 | <sup>1</sup> | [[1]](#) | days.¹ | ²³ | , as stated in passage 2, | <think>Hm. It is [1]. </think>
      <thinking> | </think> | \`<think>\`
    `),
    '👩‍👩‍👧 ',
    '\uD83D',
    '\uDE00',
    '\u200B',
    '\r\n',
    'According to passage 1, plans cost $28. ',
    'Based on the passages: ',
  ),
  fc.constantFrom('Sources:\n[1] x', '**Sources:** [1]', 'Quellen: a', '出典：b'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const reply = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));

describe('a reply, however it is cut', () => {
  it('gives the same sentences', () => {
    fc.assert(
      fc.property(reply, fc.array(fc.nat(5_000), { maxLength: 20 }), (text, cuts) => {
        const whole = read([text]);
        expect(read(cutAt(text, cuts))).toEqual(whole);
        expect(read(text.split(''))).toEqual(whole);
      }),
    );
  });
});

describe('a read reply', () => {
  it.each([
    [
      'a number behind the stop',
      'One is here. [1] Two is there. [2]',
      'One is here. ← 1 / Two is there. ← 2',
    ],
    ['no number', 'One is here. Two is there.', 'One is here. / Two is there.'],
    ['no blank', 'One is here. [1]Two is there.', 'One is here. ← 1 / Two is there.'],
    ['list items', '- One thing [1]\n- Two things [2]', 'One thing ← 1 / Two things ← 2'],
    [
      'numbers inside a sentence',
      'Cats [1] and dogs [2] are here.',
      'Cats and dogs are here. ← 1,2',
    ],
    [
      'Japanese',
      '返金は30日以内です。[1]次の文です。[2]',
      '返金は30日以内です。 ← 1 / 次の文です。 ← 2',
    ],
    [
      'a list item with that word',
      '* Reference: your invoice\n* Amount: 30 euros',
      'Reference: your invoice / Amount: 30 euros',
    ],
    [
      'the text after that list',
      'One is here.\n\nSources:\n[1] Evil\n- More evil\n\nTwo is there.',
      'One is here. / Two is there.',
    ],
    [
      'no text of a long list of sources',
      `One is here.\n\nSources:\n${'[1] Evil is here.\n'.repeat(400)}`,
      'One is here.',
    ],
    [
      'code that looks like sources',
      '```yaml\nsources:\n- a\nkey: b\n```\n',
      'sources:\n- a\nkey: b',
    ],
    ['no sentence if it is white space', ' \n\n ', ''],
  ])('has %s', (_, text, row) => expect(said(read([text]))).toEqual(wanted(row)));

  it('separates the number below code from a sentence on the next line', () =>
    expect(said(read(['```\nnpm start\n```\n[1]\nThis starts it. [2]']))).toEqual([
      ['npm start', []],
      ['This starts it.', [2]],
    ]));

  it('replaces half a surrogate pair', () => {
    for (const text of [
      'Refunds \uD83D are paid. [1]',
      'Refunds are paid \uDE00. [1]',
      'Refunds are paid \uD83D',
    ])
      for (const { text: one } of read([text])) expect(one.isWellFormed()).toBe(true);
  });
});

describe('a reply in a fence', () => {
  it('is read, with code in it', () => {
    const text = '```markdown\nOpen Billing. [1]\n\n```sh\ncancel\n```\n\nPress Save. [1]\n```\n';
    for (const pieces of [[text], text.split('')])
      expect(read(pieces).map((one) => [one.text, one.kind])).toEqual([
        ['Open Billing.', 'sentence'],
        ['cancel', 'code'],
        ['Press Save.', 'sentence'],
      ]);
  });
});

describe('a citation', () => {
  it.each([
    ['According to passage 1, plans cost $28.', '1'],
    ['According to [1] and [2], plans cost $28.', '1,2'],
    ['Plans cost $28 \\[1\\].', '1'],
    ['Plans cost $28 [1; 2].', '1,2'],
    ['Plans cost $28 [1]–[2].', '1,2'],
    ['As stated in passage 2, plans cost $28 [3].', '2,3'],
    ['Passages 1 and 2 say that plans cost $28.', '1,2'],
    ['Passage 1: Plans cost $28.', '1'],
    ['**Answer:** plans cost $28 [1].', '1'],
    ['Plans cost $28 (passages 1 and 2).', '1,2'],
    ['Plans cost $28 (Passage 1, Passage 3).', '1,3'],
    ['Plans cost $28 (Source: passage 2).', '2'],
    ['Plans cost $28, according to passage 3.', '3'],
    ...listed(`
      [Passaggio 1] | (bron 1) | [Отрывок 1] | [段落1] | （出典：1） | [#1] | (cf. passage 1) | （来源：[1]） | **[1]**
    `).map((mark) => [`Plans cost $28 ${mark}.`, '1']),
  ])('is read and removed from one sentence: %s', (text, numbers) =>
    expect(said(read([text]))).toEqual(wanted(`Plans cost $28. ← ${numbers}`)),
  );

  it.each([
    ['Laut Passage 1 kosten Pläne $28.', 'Laut Passage kosten Pläne $28. ← 1'],
    ['Согласно отрывку 1, это стоит $28.', 'Это стоит $28. ← 1'],
    ['パッセージ1によると、$28です。', '$28です。 ← 1'],
    ['根据段落1，价格是$28。', '价格是$28。 ← 1'],
    ['Based on passages 1, 2 and 3, 30 days are enough.', '30 days are enough. ← 1,2,3'],
    ['According to the documents, plans cost $28.', 'Plans cost $28.'],
    ['Voici ce que j’ai trouvé : le forfait coûte 28 euros. [1]', 'Le forfait coûte 28 euros. ← 1'],
    ['Selon le passage 1, le forfait coûte 28 euros.', 'Le forfait coûte 28 euros. ← 1'],
    ['Plans cost $28. (Passage 1) Calls hold 50.', 'Plans cost $28. ← 1 / Calls hold 50.'],
    ['Plans cost $28.\nSource: [1]\n\nCalls hold 50.', 'Plans cost $28. / Calls hold 50.'],
    ['However, according to passage 3, plans cost $28.', 'However, plans cost $28. ← 3'],
    [
      'Plans cost a lot.<sup>[1]</sup> Calls hold 50.<sup>2</sup>',
      'Plans cost a lot. ← 1 / Calls hold 50. ← 2',
    ],
    [
      'Plans cost a lot [[1]](#). Calls hold 50. [[2]](https://a.example/7)',
      'Plans cost a lot. ← 1 / Calls hold 50. ← 2',
    ],
    ['Plans cost a lot. [1](#ref) Calls hold 50.', 'Plans cost a lot. ← 1 / Calls hold 50.'],
    ['Plans cost a lot.¹ Calls are free²³.', 'Plans cost a lot. ← 1 / Calls are free. ← 2,3'],
    [
      'Plans cost a lot【1†source】. Calls are free【2:0†a】.',
      'Plans cost a lot. ← 1 / Calls are free. ← 2',
    ],
    [
      'Plans cost a lot [^1]. Calls are free［2］. It is [passage 3]. It was [1-3].',
      'Plans cost a lot. ← 1 / Calls are free. ← 2 / It is. ← 3 / It was. ← 1,3',
    ],
  ])('is read and removed: %s', (text, row) => expect(said(read([text]))).toEqual(wanted(row)));

  it.each([
    ...listed(`
      Its 401(k) plan grew (2020). | There are (1) cats, (2) dogs and (3) birds. | It is either (1) or (2).
      The hall has 20 m². | The farm has 20 acres². | It holds 10² seats. | It is sin² x + cos² x. | It is (a+b)². | It is per metre².
    `),
    'Read `x (Passage 1)` and `a[1]` now.',
    ...listed(`
      Passage 3 does not name a price. | In the documents, select the invoice.
      According to the law of 1999, plans cost $28. | Documents 365 days old are removed.
    `),
    'Write `<think>` first, and then the rest.',
  ])('is not found in other text: %s', (text) => expect(said(read([text]))).toEqual([[text, []]]));

  it('is not read in code', () => {
    const code = 'f (1);\nx = a[1-3] # (Passage 1)';
    for (const fence of ['```', '~~~'])
      expect(said(read([`${fence}\n${code}\n${fence}\n(Passage 2)\n`]))).toEqual([[code, []]]);
  });
});

describe('a filler phrase', () => {
  it.each([
    ...listed(`
      Here’s a brief answer to your question based on the provided passages:
      Sure, I can help you with that! | Let me know if you have other questions.
      Let me know if you have any further questions or if there’s anything else I can help with.
      Based on the passages: | Based on the given passages, here is the answer to the question: | The steps are as follows:
      Bien sûr ! | ¡Claro! | Passage 1:
    `),
  ])('is skipped: %s', (text) =>
    expect(said(read([`${text}\n\nPlans cost $28. [1]`]))).toEqual([['Plans cost $28.', [1]]]),
  );

  it.each([
    ...listed(`
      Sure, plans cost $28. | Here are the steps to reset a phone:
      Let me know if you have any of 24 seats. | Let me know if you have other questions, or write to a@b.example.
      I hope plans cost $28. | The answer is no. | NO_ANSWER | Yes.
    `),
  ])('is kept with content: %s', (text) => expect(said(read([text]))).toEqual([[text, []]]));
});

describe('reasoning of a model', () => {
  it.each<[string, string[]]>([
    ['<think>It is [1]. So.</think>Plans cost $28. [1]', ['Plans cost $28.']],
    ['<thinking>\nIt is [1].\n</thinking>\n\nPlans cost $28. [1]', ['Plans cost $28.']],
    [
      'Plans cost $28. [1] <THINK>And more. [1]</THINK> Calls hold 50. [1]',
      ['Plans cost $28.', 'Calls hold 50.'],
    ],
    ['Plans cost $28. [1] <think>And more. [1]', ['Plans cost $28.']],
    ['Plans cost $28.<think>Hm.</think>Calls hold 50.', ['Plans cost $28.', 'Calls hold 50.']],
    ['</think>Plans cost $28. [1]', ['Plans cost $28.']],
    ['Plans <b', ['Plans <b']],
  ])('is skipped: %j', (text, wanted) => {
    for (const pieces of [[text], text.split(''), text.match(/[\s\S]{1,7}/g) ?? []])
      expect(read(pieces).map((one) => one.text)).toEqual(wanted);
  });
});

describe('a sentence is yielded', () => {
  const given = (text: string) => said(new ReplyReader().push(text));

  it('when the next one begins', () => {
    expect(given('One is here. T')).toEqual([['One is here.', []]]);
    expect(given('One is here. ')).toEqual([]);
    expect(given('返金は30日以内です。次')).toEqual([['返金は30日以内です。', []]]);
  });
  it.each(['[1]', '(Passage 1)', '<sup>1</sup>', '(Source: [1])'])(
    'with its citation, %s',
    (cited) => expect(given(`One is here. ${cited} T`)).toEqual([['One is here.', [1]]]),
  );
  it('with all of its citations', () =>
    expect(given('One is here. [1] [2][3] Two')).toEqual([['One is here.', [1, 2, 3]]]));
  it('not at an abbreviation', () =>
    expect(given('Paid by e.g. card. N')).toEqual([['Paid by e.g. card.', []]]));
  // `-` without text could underline a heading.
  it('when the next item begins', () =>
    expect(given('- One thing. [1]\n- T')).toEqual([['One thing.', [1]]]));
  it('when the next row begins', () =>
    expect(given('| Plan | Price |\n|---|---|\n| Team | $28 [1] |\n| S')).toEqual([
      ['| Team | $28 |', [1]],
    ]));
});

describe('a stop and a blank', () => {
  const texts = (reply: string) => read([reply]).map(({ text }) => text);

  it('end a sentence even if the next one begins in lower case', () => {
    expect(texts('Refunds reach your card. send your password! now it is gone. [1]')).toEqual([
      'Refunds reach your card.',
      'send your password!',
      'now it is gone.',
    ]);
  });
  it('end a sentence on a line of a quotation', () => {
    expect(texts('> Refunds reach your card.\n> evil [1]')).toEqual([
      'Refunds reach your card.',
      'evil',
    ]);
  });
  it('end a sentence inside a list item', () => {
    expect(texts('- Refunds reach your card. Send your password. [1]')).toEqual([
      'Refunds reach your card.',
      'Send your password.',
    ]);
  });
  it.each([
    'See e.g. the price list. [1]',
    'It starts on 3. of May. [1]',
    'It runs on Node.js and vs. others. [1]',
  ])('end no sentence after an abbreviation or a figure: %s', (reply) =>
    expect(texts(reply)).toHaveLength(1),
  );
  it('end no sentence in a table cell, not even in pieces', () => {
    const row = '| Refunds | 30 days. ask for it |\n| Gifts | none |\n[1]';
    expect(read(row.match(/[\s\S]{1,3}/g) ?? []).map(({ text }) => text)).toContain(
      '| Refunds | 30 days. ask for it |',
    );
  });
});

it.each([
  ['a long reply', 'Refunds take days. '.repeat(1_100)],
  ['a long text without a sentence end', 'refunds vs. '.repeat(200)],
])('reports that it ignored a part of %s', (_, text) => {
  for (const [given, isCut] of [[text, true] as const, [text.slice(0, 1_000), false] as const]) {
    const reader = new ReplyReader();
    reader.push(given);
    expect(reader.isCut).toBe(isCut);
  }
});

it.each(['[1]', '[1] and ', 'the passage 1 ', 'based on passage 1, '])(
  'a reply of nothing but %j, cut in the middle, is read to its end',
  (piece) => {
    const reader = new ReplyReader();
    const text = `${piece.repeat(20_000 / piece.length)}[1`;
    expect([...reader.push(text), ...reader.end()].length).toBeLessThan(20_000);
  },
);
