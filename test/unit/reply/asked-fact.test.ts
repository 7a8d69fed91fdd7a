/** An answer that lost the asked fact is completed, or does not count as answered. */
import { describe, expect, it } from 'vitest';
import { contentWords } from '../../../packages/shared/src/language/tokens.ts';
import { AnswerWriter } from '../../../src/reply/answer-writer.ts';
import { isAskedMissing } from '../../../src/reply/repair.ts';
import { groundReply } from '../../support/grounded.ts';
import { passageOf } from '../../support/passages.ts';

const question = 'How long do refunds take?';
const options = {
  question,
  asked: contentWords(question).map(({ term, isName }) => ({
    word: term,
    forms: [{ term, weight: 1 }],
    idf: 1,
    isName,
  })),
};
const refund = 'Refunds are paid within 30 days of purchase.';
const desk = 'Write to the help desk for a refund of a damaged item.';
const card = 'Refunds go to the same card.';
const lost = 'The bicycle cellar takes 40 days.';

const answerTo = (reply: string, ...texts: readonly string[]) => {
  const passages = texts.map((text, number) => passageOf(text, `Document ${number}`));
  const answer = groundReply(reply, passages, options);
  return { ...answer, body: answer.text.split('\n\nSources:')[0] };
};

describe('an answer that lost the asked figure', () => {
  it('is completed by the unit that states it', () => {
    const answer = answerTo(`${lost} ${desk} [1]`, `${refund} ${desk}`);
    expect(answer).toMatchObject({
      reason: 'answered',
      dropped: 1,
      repaired: 0,
      body: `${desk} [1] ${refund} [1]`,
    });
    expect(answer.sentences.at(-1)).toEqual({ text: refund, index: 1, score: 1 });
  });

  it('ends with the closest places if no unit states it', () => {
    const answer = answerTo(`${lost} ${desk} [1]`, desk, card);
    const body = `${desk} [1]\n\nI found no answer to that. Closest in the documents:\n\n${card} [2]`;
    expect(answer).toMatchObject({ reason: 'closest', dropped: 1, body });
    expect(answer.citations.map(({ index, quote }) => [index, quote])).toEqual([
      [1, desk],
      [2, card],
    ]);
  });

  it('is streamed with the same completion as the whole answer', () => {
    const writer = new AnswerWriter({ passages: [passageOf(`${refund} ${desk}`)], ...options });
    const shown = writer.push(`${lost} ${desk} [1]`);
    const { rest, answer } = writer.end();
    expect(shown + rest).toBe(answer.text);
    expect(rest).toContain(refund);
  });
});

describe('an answer is not completed', () => {
  it.each([
    ['if nothing was dropped', `${desk} [1]`, `${desk} [1]`, 0],
    ['if the asked figure is still there', `${refund} [1] ${lost} [1]`, `${refund} [1]`, 1],
    [
      'if a repair states the asked figure',
      'Refunds are paid within 40 days of purchase. [1]',
      `${refund} [1]`,
      0,
    ],
  ])('%s', (_, reply, body, dropped) => {
    expect(answerTo(reply, `${refund} ${desk}`)).toMatchObject({
      reason: 'answered',
      dropped,
      body,
    });
  });
});

describe('isAskedMissing', () => {
  const of = (text: string, shown: string, isFirstDropped: boolean) =>
    isAskedMissing({ text, asked: [] }, { shown: [shown], dropped: [lost], isFirstDropped });

  it.each([
    ['for a question about a time', question, desk, false, true],
    ['for a question about a time', question, refund, true, false],
    [
      'for a question about a price',
      'How much does the Team plan cost?',
      'The Team plan has 25 seats.',
      false,
      true,
    ],
    [
      'for a question about a price',
      'How much does the Team plan cost?',
      'The Team plan costs $20.',
      false,
      false,
    ],
    ['for a yes/no question', 'Can I return a damaged item?', desk, true, true],
    ['for a yes/no question', 'Can I return a damaged item?', desk, false, false],
  ])(
    'decides %s: "%s", answered by "%s", first sentence dropped: %s → %s',
    (_, text, shown, isFirstDropped, isMissing) => {
      expect(of(text, shown, isFirstDropped)).toBe(isMissing);
    },
  );
});
