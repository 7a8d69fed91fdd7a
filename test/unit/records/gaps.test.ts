import { describe, expect, it } from 'vitest';
import { type GapRow, groupGaps, topicOf } from '../../../src/records/gaps.ts';
import { listed } from '../../support/listed.ts';

const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
const row = (question: string, more: Partial<GapRow> = {}): GapRow => ({
  namespace: 'docs',
  topic: topicOf(question),
  question,
  count: 1,
  firstAskedAt: at(1),
  lastAskedAt: at(1),
  coverage: 0.1,
  closest: '[]',
  ...more,
});
/** Sizes of the groups of these questions, largest first. */
const sizes = async (questions: readonly string[]) =>
  groupGaps(questions.map((question) => row(question))).map(({ count }) => count);

describe('grouping of questions', () => {
  it.each([
    [
      'other words around the same content words',
      ['How do I reset my password?', 'how can we reset the password', 'Password reset?'],
    ],
    [
      'other word endings',
      ['cancelling subscriptions', 'cancel my subscription', 'can a subscription be cancelled?'],
    ],
    ['Japanese', ['返金の期間はどれくらいですか', '返金の期間はどれくらい?']],
  ])('joins wordings: %s', async (_, questions) => {
    expect(await sizes(questions)).toEqual([questions.length]);
  });

  it.each([
    [
      'different figures',
      ['what does error code 404 mean in the api?', 'what does error code 500 mean in the api?'],
    ],
    [
      'a question contained in another',
      ['parental leave length', 'what is the length of parental leave in Portugal?'],
    ],
    ['ordinals', ['who feeds the first zebra?', 'who feeds the second zebra?']],
    ['words one letter apart', ['what is the contact number?', 'what is the contract number?']],
    ['different questions of stop words', ['who are you?', 'what does it?', 'does it?']],
  ])('separates %s', async (_, questions) => {
    expect(await sizes(questions)).toEqual(questions.map(() => 1));
  });
});

describe('a group', () => {
  it('has the most frequent wording, five others, the sum, the times and the closest documents', async () => {
    const close = (name: string) => ({
      documentId: name,
      file: `${name}.md`,
      title: name,
      source: `https://example.com/${name}`,
    });
    const questions = listed(`
      pay refund window | the refund window to pay | window of refund pay | refund pay window? | paying refund windows
      to pay: refund window | pay, refund, window
    `);
    const rows = questions.map((question, number) =>
      row(question, {
        count: number + 1,
        firstAskedAt: at(10 - number),
        lastAskedAt: at(10 + number),
        coverage: number === 2 ? 0.3 : 0.2,
        closest: JSON.stringify([close(`c${number}`)]),
      }),
    );
    expect(groupGaps(rows)).toEqual([
      {
        ...{ id: '', state: 'open', ways: [], drafts: [] },
        namespace: 'docs',
        question: 'pay, refund, window',
        variants: [
          'to pay: refund window',
          'paying refund windows',
          'refund pay window?',
          'window of refund pay',
          'the refund window to pay',
        ],
        count: 28,
        firstAskedAt: at(4),
        lastAskedAt: at(16),
        coverage: 0.3,
        closest: [close('c2')],
      },
    ]);
  });
});
