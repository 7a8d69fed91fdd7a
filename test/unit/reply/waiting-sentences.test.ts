/** Sentences that wait for a verdict of the judge model, and those after them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerWriter } from '../../../src/reply/answer-writer.ts';
import { passageOf } from '../../support/passages.ts';

const passages = [
  passageOf(
    'Refunds are paid within 30 days of purchase. Damaged goods are replaced free of charge. Gift cards are never refunded.',
    'Refunds',
  ),
  passageOf(
    'The refund desk opens at nine in the morning.\n\n- Bring the receipt.\n- Bring the card that was charged.',
    'Desk',
  ),
];
const sure = 'Refunds are paid within 30 days of purchase.';
const likely = 'Refunds are paid to customers within 30 days of purchase.';
const alsoLikely = 'Gift cards bought online in the shop are never refunded.';
const unlikely =
  'Refunds are paid by bank transfer to every satisfied customer of the branch office within 30 days of purchase.';
const atDesk = 'The refund desk in the old shop opens early for customers at nine in the morning.';
const desk = 'The refund desk opens at nine in the morning.';
const wrong = 'Refunds are paid within 40 days of purchase by bank transfer.';

const writing = (mayAsk = true, maxSentences = 5) =>
  new AnswerWriter({ passages, mayAsk, maxSentences });
const claims = (writer: AnswerWriter) => writer.waiting.map(({ text }) => text);

describe('a sentence that waits', () => {
  it('delays the sentences after it, but not those before it', () => {
    const writer = writing();
    expect(
      writer.push(`${sure} [1] ${likely} [1] Damaged goods are replaced free of charge. [1] `),
    ).toBe(`${sure} [1]`);
    expect(claims(writer)).toEqual([likely]);
    expect(writer.push(`${wrong} [1] ${atDesk} [2]`)).toBe('');
    expect(writer.close()).toBe('');
    expect(claims(writer)).toEqual([likely, atDesk]);
    // The rejected sentence is repaired. The wrong one is dropped, because its repair is already
    // shown.
    expect(writer.resolve([true, false])).toBe(
      ` ${likely} [1] Damaged goods are replaced free of charge. [1] ${desk} [2]`,
    );
    expect(writer.waiting).toEqual([]);
    const { rest, answer } = writer.end();
    expect(rest).toBe('\n\nSources:\n[1] Refunds (Refunds.md)\n[2] Desk (Desk.md)');
    expect(answer).toMatchObject({ reason: 'answered', dropped: 1, repaired: 1 });
    expect(answer.citations.map(({ quote }) => quote)).toEqual([
      'Refunds are paid within 30 days of purchase. Damaged goods are replaced free of charge.',
      desk,
    ]);
    expect(answer.sentences?.at(-1)?.repaired).toEqual({ text: atDesk, reason: 'model' });
  });

  it('has the passages that support it, as the model read them', () => {
    const writer = writing();
    writer.push(`${atDesk} [2]`);
    writer.close();
    expect(writer.waiting).toEqual([
      {
        text: atDesk,
        passages: [{ label: 'Desk', text: expect.stringContaining('Bring the receipt.') }],
      },
    ]);
  });

  it('can be decided before the reply ends', () => {
    const writer = writing();
    expect(writer.push(`${likely} [1]`)).toBe('');
    expect(writer.resolve([true])).toBe(`${likely} [1]`);
    expect(writer.push(` ${alsoLikely} [1] `) + writer.close()).toBe('');
    expect(writer.resolve([true])).toBe(` ${alsoLikely} [2]`);
    expect(writer.end().answer.sentences).toHaveLength(2);
  });

  it('is decided by its score if verdicts are missing', () => {
    for (const verdicts of [undefined, [], [undefined, undefined]]) {
      const writer = writing();
      const shown =
        writer.push(`${likely} [1] ${unlikely} [1] ${sure} [1]`) +
        (verdicts ? writer.resolve(verdicts) : '');
      const { rest, answer } = writer.end();
      expect(answer.sentences?.map(({ text }) => text)).toEqual([likely, sure]);
      expect(answer.sentences?.[1]?.repaired).toEqual({ text: unlikely, reason: 'score' });
      expect(shown + rest).toBe(answer.text);
    }
  });

  it('does not count for the limit if it is dropped', () => {
    const writer = writing(true, 2);
    // Sentences without a number are not repaired.
    writer.push(`${likely} ${sure} [1] ${alsoLikely} ${atDesk} [2]`);
    writer.close();
    writer.resolve([false, false, true]);
    expect(writer.end().answer.sentences?.map(({ text }) => text)).toEqual([sure, atDesk]);
  });

  it('does not occur without a judge model', () => {
    const writer = writing(false);
    expect(writer.push(`${likely} [1] ${unlikely} [1]`)).toBe(`${likely} [1]`);
    expect(writer.waiting).toEqual([]);
    expect(writer.end().answer).toMatchObject({ dropped: 0, repaired: 1 });
  });
});

const pool = [
  sure,
  likely,
  alsoLikely,
  unlikely,
  atDesk,
  wrong,
  'And so it is.',
  'It is paid by bank transfer.',
  '- Bring the receipt.\n',
  'NO_ANSWER',
];
const replies = fc
  .array(
    fc.tuple(
      fc.constantFrom(...pool),
      fc.constantFrom('', ' [1]', ' [2]', ' [1][2]'),
      fc.constantFrom(' ', '\n', '\n\n'),
    ),
    {
      maxLength: 9,
    },
  )
  .map((sentences) => sentences.map((parts) => parts.join('')).join(''));
const cuts = fc.array(fc.nat({ max: 900 }), { maxLength: 12 });

/** Pushes a reply in pieces; returns the shown text and the answer. */
function write(
  reply: string,
  at: readonly number[],
  decide: (claim: string) => boolean | undefined,
  mayAsk = true,
) {
  const writer = writing(mayAsk, 4);
  const ends = [...new Set([...at, reply.length])]
    .filter((end) => end <= reply.length)
    .sort((a, b) => a - b);
  let shown = ends
    .map((end, order) => writer.push(reply.slice(ends[order - 1] ?? 0, end)))
    .join('');
  shown += writer.close();
  shown += writer.resolve(claims(writer).map(decide));
  const { rest, answer } = writer.end();
  return { shown: shown + rest, answer };
}

describe('any reply', () => {
  it('gives the same answer however it is cut, and shows exactly that answer', () => {
    fc.assert(
      fc.property(
        replies,
        cuts,
        fc.dictionary(fc.constantFrom(...pool), fc.boolean()),
        (reply, at, verdicts) => {
          const whole = write(reply, [], (claim) => verdicts[claim]);
          const cut = write(reply, at, (claim) => verdicts[claim]);
          expect(cut.answer).toEqual(whole.answer);
          expect(cut.shown).toBe(cut.answer.text);
          expect(whole.shown).toBe(whole.answer.text);
        },
      ),
    );
  });

  it('gives the answer of the score if nothing is decided', () => {
    fc.assert(
      fc.property(replies, (reply) => {
        const { answer } = write(reply, [], () => undefined);
        expect(answer).toEqual(write(reply, [], () => undefined, false).answer);
      }),
    );
  });

  it('shows no rejected and no vetoed sentence', () => {
    fc.assert(
      fc.property(replies, (reply) => {
        const { answer } = write(reply, [], () => false);
        expect(
          [likely, alsoLikely, unlikely, atDesk, wrong].filter((sentence) =>
            answer.text.includes(sentence),
          ),
        ).toEqual([]);
        expect(write(reply, [], () => true).answer.text).not.toContain(wrong);
      }),
    );
  });
});
