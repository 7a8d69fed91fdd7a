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

  it('ends with another section if no unit states it', () => {
    const answer = answerTo(`${lost} ${desk} [1]`, desk, card);
    const body = `${desk} [1]\n\nThis may answer it:\n\n**Document 1**\n\n${card} [2]`;
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

describe('the asked fact is missing', () => {
  it.each([
    ['if only a sentence with a figure was dropped', desk, lost, false, true],
    ['not if a figure is still there', refund, lost, false, false],
    ['if the first sentence was dropped', refund, card, true, true],
    ['not if a later sentence without a figure was dropped', desk, card, false, false],
  ])('%s', (_, shown, dropped, isFirstDropped, isMissing) => {
    expect(isAskedMissing({ shown: [shown], dropped: [dropped], isFirstDropped })).toBe(isMissing);
  });
  it('not if nothing was dropped', () => {
    expect(isAskedMissing({ shown: [desk], dropped: [], isFirstDropped: true })).toBe(false);
  });
});
