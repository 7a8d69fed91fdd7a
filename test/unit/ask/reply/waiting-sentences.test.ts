/** Sentences that wait for a verdict or to be written again, and those after them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AnswerWriter } from '../../../../src/ask/reply/answer-writer.ts';
import { passageOf } from '../../../support/passages.ts';

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
const yes = { holds: true, passages: [] };
const no = { holds: false, passages: [] };

describe('a sentence that waits', () => {
  it('delays the sentences after it, but not those before it', () => {
    const writer = writing();
    expect(
      writer.push(`${sure} [1] ${likely} [1] Damaged goods are replaced free of charge. [1] `),
    ).toBe(sure);
    expect(claims(writer)).toEqual([likely]);
    expect(writer.push(`${wrong} [1] ${atDesk} [2]`)).toBe('');
    expect(writer.close()).toBe('');
    expect(claims(writer)).toEqual([likely, atDesk]);
    // The wrong figure and the denied sentence wait to be written again.
    expect(writer.resolve([yes, no])).toBe(` ${likely} Damaged goods are replaced free of charge.`);
    expect(writer.failed.map(({ text }) => text)).toEqual([wrong, atDesk]);
    const [{ n = 0 } = {}] = writer.failed.slice(1);
    expect(writer.rewrite(new Map([[n, `${desk} [2]`]]))).toBe(` [1] ${desk}`);
    expect(writer.waiting).toEqual([]);
    const { rest, answer } = writer.end();
    expect(rest).toBe(' [2]\n\nSources:\n[1] Refunds\n[2] Desk');
    expect(answer).toMatchObject({ reason: 'answered', dropped: 1, rewritten: 1 });
    expect(answer.citations.map(({ quote }) => quote)).toEqual([
      'Refunds are paid within 30 days of purchase. Damaged goods are replaced free of charge.',
      desk,
    ]);
    expect(answer.sentences.at(-1)?.rewritten).toEqual({ text: atDesk, reason: 'model' });
  });

  it('names the passages that it cites or that hold its words', () => {
    const writer = writing();
    writer.push(`${atDesk} [2]`);
    writer.close();
    expect(writer.waiting).toEqual([{ text: atDesk, passages: [2] }]);
  });

  it('can be decided before the reply ends', () => {
    const writer = writing();
    expect(writer.push(`${likely} [1] G`)).toBe('');
    expect(writer.resolve([yes])).toBe(likely);
    expect(writer.push(`${alsoLikely.slice(1)} [1] `) + writer.close()).toBe('');
    expect(writer.resolve([yes])).toBe(` ${alsoLikely}`);
    expect(writer.end().answer.sentences).toHaveLength(2);
  });

  it('needs more of its words in the passages if verdicts are missing', () => {
    for (const verdicts of [undefined, [], [undefined, undefined]]) {
      const writer = writing();
      const shown =
        writer.push(`${likely} [1] ${unlikely} [1] ${sure} [1]`) +
        (verdicts ? writer.resolve(verdicts) : '');
      const { rest, answer } = writer.end();
      expect(answer.sentences.map(({ text }) => text)).toEqual([likely, sure]);
      expect(answer.droppedSentences).toEqual([{ text: unlikely, reason: 'score' }]);
      expect(answer.checkedBy).toBe('rules');
      expect(shown + rest).toBe(answer.text);
    }
  });

  it('does not count for the limit if it is dropped', () => {
    const writer = writing(true, 0);
    writer.push(`${likely} ${sure} [1] ${alsoLikely} ${atDesk} [2]`);
    writer.close();
    writer.resolve([no, no, yes]);
    const { answer } = writer.end();
    expect(answer.sentences.map(({ text }) => text)).toEqual([sure, atDesk]);
    expect(answer.droppedSentences).toEqual(
      [likely, alsoLikely].map((text) => ({ text, reason: 'model' })),
    );
  });

  it('takes the items with it that it leads, if it is false', () => {
    const writer = writing();
    writer.push(`${sure} [1]\n\nNot part of the 3 basic plans are:\n- Bring the receipt.\n`);
    writer.close();
    expect(writer.end().answer.sentences.map(({ text }) => text)).toEqual([sure]);
  });

  it('is cited where its letters are, not where only the verdict says', () => {
    const texts = ['Write to help@acme.test for refunds.', 'Write to us for refunds by mail.'];
    const writer = new AnswerWriter({
      passages: texts.map((text) => passageOf(text, text)),
      mayAsk: true,
    });
    writer.push('You can write to help@acme.test for your refunds. [1][2]');
    writer.close();
    writer.resolve([{ holds: true, passages: [2] }]);
    expect(writer.end().answer.citations.map(({ quote }) => quote)).toEqual([texts[0]]);
  });

  it('does not occur without a model that checks', () => {
    const writer = writing(false);
    expect(writer.push(`${likely} [1] ${unlikely} [1]`)).toBe(likely);
    expect(writer.waiting).toEqual([]);
    expect(writer.end().answer).toMatchObject({ dropped: 1 });
  });

  it('is replaced by the section if nothing that is left has a word of the question', () => {
    const writer = new AnswerWriter({
      passages,
      mayAsk: true,
      question: 'What about gift cards?',
      asked: [],
    });
    writer.push(`${desk} [2] Gift cards are always paid in cash. [1]`);
    writer.close();
    writer.resolve([no]);
    const { answer } = writer.end();
    expect(answer).toMatchObject({ reason: 'answered', dropped: 1, repaired: 1 });
    expect(answer.text).toContain('Gift cards are never refunded. [2]');
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
  decide: (claim: string) => typeof yes | undefined,
) {
  const writer = writing(true, 4);
  const ends = [...at.filter((end) => end < reply.length), reply.length].sort((a, b) => a - b);
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
        fc.dictionary(fc.constantFrom(...pool), fc.constantFrom(yes, no)),
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

  it('shows no rejected and no vetoed sentence', () => {
    fc.assert(
      fc.property(replies, (reply) => {
        const { answer } = write(reply, [], () => no);
        expect(
          [likely, alsoLikely, unlikely, atDesk, wrong].filter((sentence) =>
            answer.text.includes(sentence),
          ),
        ).toEqual([]);
        expect(write(reply, [], () => yes).answer.text).not.toContain(wrong);
      }),
    );
  });
});
