import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Passage } from '../../../src/documents/document.ts';
import { AnswerWriter } from '../../../src/grounding/answer-writer.ts';
import { ReplyReader, type ReplySentence } from '../../../src/grounding/reply-reader.ts';
import { expectLinearIn } from '../../support/growth.ts';

type Decide = (sentence: ReplySentence) => boolean;
const always: Decide = () => true;
const never: Decide = () => false;
/** Some yes, some no, the same for the same sentence. */
const some: Decide = ({ text }) => text.length % 2 === 0;

function read(pieces: readonly string[], decide: Decide = always): ReplySentence[] {
  const reader = new ReplyReader();
  return [...pieces.flatMap((text) => reader.push(text, decide)), ...reader.end()];
}
const cutAt = (reply: string, cuts: readonly number[]): string[] => {
  const sorted = [...new Set(cuts.map((cut) => cut % (reply.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...sorted].map((from, position) => reply.slice(from, sorted[position] ?? reply.length));
};
const said = (sentences: readonly ReplySentence[]) => sentences.map(({ text, parts }) => [text, parts.flatMap(({ numbers }) => numbers)]);

const piece = fc.oneof(
  fc.constantFrom(
    'Refunds are paid within 30 days. [1]',
    'Calls hold 50 people [2].',
    ' Plans cost $28 [1][2], ',
    'Write to a@b.example [1, 3].',
    '- item one [1]\n',
    '- item two.\n',
    '1. step [2]\n',
    '| Team | $28 [1] |\n',
    '| Plan | Price |\n|---|---|\n',
    '| Team | $28 | [1]\n',
    '```js\nconst a = items[0];\n```\n[1]\n',
    '```\nopen [1]',
    '`items[0]` is first. [1] ',
    '返金は30日以内です。[1]',
    '次の文です。',
    'e.g. this, i.e. that. ',
    'Version 1.2.3 of v4.5. ',
    '**Bold.** ',
    '# Heading\n',
    'Line\n---\n',
    '> quote [1]\n',
    '\n\n',
    '\n',
    ' ',
    '[1]',
    ' and [2]',
    '[',
    ']',
    '.',
    '!',
    '…',
    '👩‍👩‍👧 ',
    '\uD83D',
    '\uDE00',
    '\u200B',
    '\r\n',
    '{"answer": "',
    '"}',
    '<b>x</b>',
    '![x](https://evil.example/x)',
    '[label](https://example.com/a)',
  ),
  fc.constantFrom('Sources:\n[1] x', '**Sources:** [1]', 'Quellen: a', '出典：b'),
  fc.string({ unit: 'binary', maxLength: 12 }),
);
const reply = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(''));

describe('a stop with a space before it', () => {
  it.each(['Vingt jours !', 'Vingt jours\n!'])('keeps it, and belongs to the sentence: %j', (sentence) => {
    for (const marked of [`${sentence} [1]`, `${sentence.slice(0, -2)} [1]${sentence.slice(-2)}`])
      expect(said(read([marked]))).toEqual([[sentence, [1]]]);
  });
});

describe('a reply, however it is cut', () => {
  it.each([
    ['always', always],
    ['never', never],
    ['at times', some],
  ])('is read as the same sentences, where numbered ones are taken %s', (_, decide) => {
    fc.assert(
      fc.property(reply, fc.array(fc.nat(5_000), { maxLength: 20 }), (text, cuts) => {
        const whole = read([text], decide);
        expect(read(cutAt(text, cuts), decide)).toEqual(whole);
        expect(read(text.split(''), decide)).toEqual(whole);
      }),
      { numRuns: 400 },
    );
  });

  it('reads no more than the whole holds', () => {
    fc.assert(
      fc.property(reply, (text) => {
        const plain = text.toWellFormed().replace(/\s+/g, '');
        expect(read([text]).reduce((sum, sentence) => sum + sentence.text.replace(/\s+/g, '').length, 0)).toBeLessThanOrEqual(plain.length);
      }),
    );
  });
});

describe('of a reply are read', () => {
  it.each<[string, string, unknown[]]>([
    [
      'a number behind the stop',
      'One is here. [1] Two is there. [2]',
      [
        ['One is here.', [1]],
        ['Two is there.', [2]],
      ],
    ],
    [
      'a number before the stop',
      'One is here [1]. Two is there [2].',
      [
        ['One is here.', [1]],
        ['Two is there.', [2]],
      ],
    ],
    [
      'several numbers',
      'One is here. [1][2] Two is there. [1, 3]',
      [
        ['One is here.', [1, 2]],
        ['Two is there.', [1, 3]],
      ],
    ],
    [
      'no number',
      'One is here. Two is there.',
      [
        ['One is here.', []],
        ['Two is there.', []],
      ],
    ],
    [
      'list items',
      '- One thing [1]\n- Two things [2]',
      [
        ['One thing', [1]],
        ['Two things', [2]],
      ],
    ],
    ['numbers inside a sentence', 'Cats [1] and dogs [2] are here.', [['Cats and dogs are here.', [1, 2]]]],
    ['code with its number below', '```\nrun(items[0])\n```\n[2]', [['run(items[0])', [2]]]],
    ['a code span, whose index cites nothing', 'Read `items[0]` now. [2]', [['Read `items[0]` now.', [2]]]],
    ['nothing after sources of its own', 'One is here. [1]\n\nSources:\n[1] Evil (https://evil.example)', [['One is here.', [1]]]],
    [
      'Japanese',
      '返金は30日以内です。[1]次の文です。[2]',
      [
        ['返金は30日以内です。', [1]],
        ['次の文です。', [2]],
      ],
    ],
    ['a field of JSON', '{"answer": "One is here. [1]"}', [['One is here.', [1]]]],
    ['nothing of nothing', '', []],
    ['nothing of white space', ' \n\n ', []],
  ])('%s', (_, text, wanted) => expect(said(read([text], never))).toEqual(wanted));

  // Without an empty line the number of the code becomes one of the sentence below it.
  it('code with its number below, and a sentence right under it', () =>
    expect(said(read(['```\nnpm start\n```\n[1]\nThis starts it. [2]'], never))).toEqual([
      ['npm start', [1]],
      ['This starts it.', [2]],
    ]));

  it('characters that came in two halves as one', () => {
    const text = 'Refunds 🎉 are paid. [1]';
    expect(read(text.split(''))).toEqual(read([text]));
    expect(read(text.split(''))[0]?.text).toContain('🎉');
  });

  it('half a character as damage, never as half', () => {
    for (const text of ['Refunds \uD83D are paid. [1]', 'Refunds are paid \uDE00. [1]', 'Refunds are paid \uD83D'])
      for (const { text: one } of read([text])) expect(one.isWellFormed()).toBe(true);
  });
});

describe('a sentence is given out', () => {
  const given = (text: string, decide: Decide = always) => {
    const reader = new ReplyReader();
    return said(reader.push(text, decide)).map(([one]) => one);
  };

  it('with its number', () => expect(given('One is here. [1]')).toEqual(['One is here.']));
  it('only then, where it is taken', () => expect(given('One is here. [1]', never)).toEqual([]));
  it('when the next has begun', () => {
    expect(given('One is here. T')).toEqual(['One is here.']);
    expect(given('One is here. ')).toEqual([]);
    expect(given('返金は30日以内です。次')).toEqual(['返金は30日以内です。']);
  });
  it('not before an abbreviation is over', () => expect(given('Paid by e.g. card. N')).toEqual(['Paid by e.g. card.']));
  it('once, with further numbers that follow', () => {
    const reader = new ReplyReader();
    expect(said(reader.push('One is here. [1]', always))).toEqual([['One is here.', [1]]]);
    expect(said([...reader.push('[2], [3]', always), ...reader.push(' Two is there. [1]', always), ...reader.end()])).toEqual([
      ['Two is there.', [1]],
    ]);
  });

  // Its number is not known to end it before the stop comes, and the stop is not looked at before more follows.
  it('when the stop behind its number has come', () => expect(given('One is here [1].')).toEqual(['One is here.']));
  // A line of `-` alone is taken for the underline of a heading, and no later character is looked at: an item waits for the next one's end.
  it('when the next item has begun', () => expect(given('- One thing. [1]\n- T')).toEqual(['One thing.']));
  it('when the next numbered item has begun', () => expect(given('1. One thing. [1]\n2. T')).toEqual(['One thing.']));
  it('when the next item has its number, at the latest', () => expect(given('- One thing. [1]\n- Two things [1]')).toEqual(['One thing.']));
  // A row that has no last bar yet is no row, and no later character is looked at.
  it('when the next row has begun', () =>
    expect(given('| Plan | Price |\n|---|---|\n| Team | $28 [1] |\n| S')).toEqual(['| Team | $28 |']));
});

describe('hostile replies', () => {
  /** As much as is looked at of a reply. */
  const length = 20_000;
  const fast = [
    '[',
    '`',
    '`a',
    '|',
    '| a ',
    '| a |\n',
    '\n- a',
    '\n',
    '# ',
    '> ',
    '* ',
    '**',
    '{"a":',
    '"}',
    'Sources',
    '> > ',
    '_*#',
    '1. ',
    '\u200B',
    '…',
    '<',
    '\r',
    'a ',
  ];
  const piecesOf = (text: string) => text.match(/[\s\S]{1,7}/g) ?? [];

  it.each(fast)('of %j are read in time linear in their length, whole and in pieces', async (unit) => {
    await expectLinearIn([unit], (text) => read([text], never), length);
    await expectLinearIn([unit], (text) => read(piecesOf(text), never), length);
  });

  // What is held, up to 4,000 characters, is read anew at every mark, stop and line.
  it.each([']', '[1]', '. a', '! ', '👩‍👩‍👧. '])('of %j as well', (unit) => expectLinearIn([unit], (text) => read([text], never), length));

  const passage: Passage = {
    chunkId: 'c',
    text: 'Refunds are paid within 30 days of purchase. Annual plans cost $28 for each seat. '.repeat(40),
    score: 1,
    start: 0,
    end: 3_280,
    headingPath: [],
    anchor: null,
    page: null,
    document: {
      id: 'd',
      namespace: 'n',
      file: 'a.md',
      title: 'A',
      source: 'a.md',
      kind: 'file',
      revision: 'sha256-0',
      bytes: 1,
      textLanguage: 'en',
    },
  };
  function check(reply: string): void {
    const writer = new AnswerWriter({ passages: Array.from({ length: 6 }, () => passage), namespace: 'n' });
    for (const piece of piecesOf(reply)) writer.push(piece);
    writer.end();
  }
  it.each([...fast, '[1]', 'Refunds are paid [1] ', 'Refunds cost 5. [1] '])('of %j are checked in the same time', (unit) =>
    expectLinearIn([unit], check, length),
  );
});
