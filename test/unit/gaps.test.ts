import { describe, expect, it } from 'vitest';
import type { GapRow } from '../../src/knowledge/answers/gap-line.ts';
import { groupGaps } from '../../src/knowledge/answers/gaps.ts';

const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
const row = (question: string, more: Partial<GapRow> = {}): GapRow => ({
  namespace: 'docs',
  question,
  count: 1,
  firstAskedAt: at(1),
  lastAskedAt: at(1),
  coverage: 0.1,
  closest: [],
  ...more,
});
/** Sizes of the groups that these questions come to, largest first. */
const sizes = (questions: readonly string[]) => groupGaps(questions.map((question) => row(question))).map(({ count }) => count);

/** Work of this process so far; what others do on the machine does not count. */
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

describe('near-duplicates', () => {
  it.each([
    ['in other words around the same matter', ['How do I reset my password?', 'how can we reset the password', 'Password reset?']],
    ['with other endings', ['cancelling subscriptions', 'cancel my subscription please', 'can a subscription be cancelled?']],
    ['one within the other', ['parental leave length', 'what is the length of parental leave in Portugal?']],
    [
      'with one slip',
      ['what is the refund window?', 'what is the refnud window?', 'what is the refund windo?', 'whats the refunnd window'],
    ],
    ['in German', ['Wie kann ich meinen Vertrag kündigen?', 'wie kündige ich den vertrag']],
    ['in French', ['Comment résilier mon abonnement ?', 'comment est-ce que je peux résilier l’abonnement']],
    ['in Japanese', ['返金の期間はどれくらいですか', '返金の期間はどれくらい?']],
    ['in Chinese', ['如何重置密码', '怎么重置密码?']],
  ])('come together: %s', (_, questions) => {
    expect(sizes(questions)).toEqual([questions.length]);
  });

  it.each([
    ['another matter', ['How do I reset my password?', 'How do I change my email address?']],
    ['another figure', ['what does error code 404 mean in the api?', 'what does error code 500 mean in the api?']],
    ['one word within many', ['refund?', 'refund for students']],
    ['two words within very many', ['refund policy', 'refund policy of enterprise customers in Portugal paying annual invoices by card']],
    [
      'another word that looks like a slip',
      ['what is the contact number?', 'what is the contract number?', 'what is the contrast number?'],
    ],
    ['two slips', ['what is the window size?', 'what is the wndowx size?']],
    ['stop words only', ['who are you?', 'what does it?', 'does it?']],
  ])('are not: %s', (_, questions) => {
    expect(sizes(questions)).toEqual(questions.map(() => 1));
  });

  it('are not of two namespaces', () => {
    expect(groupGaps([row('who feeds the cat?'), row('who feeds the cat?', { namespace: 'hr' })])).toHaveLength(2);
  });
});

describe('a group', () => {
  it('has the most asked wording, five others, the sum, the times, and what came closest', () => {
    const close = (name: string) => ({ documentId: name, file: `${name}.md`, title: name, source: `https://example.com/${name}` });
    const questions = [
      'pay refund window',
      'the refund window to pay',
      'window of refund pay',
      'refund pay window?',
      'paying refund windows',
      'to pay: refund window',
      'pay, refund, window',
    ];
    const rows = questions.map((question, number) =>
      row(question, {
        count: number + 1,
        firstAskedAt: at(10 - number),
        lastAskedAt: at(10 + number),
        coverage: number === 2 ? 0.3 : 0.2,
        closest: [close(`c${number}`)],
      }),
    );
    expect(groupGaps(rows)).toEqual([
      {
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
        closest: [{ file: 'c2.md', title: 'c2', source: 'https://example.com/c2' }],
      },
    ]);
  });

  it('stands where it was asked most, then where it was asked last', () => {
    const rows = [row('about cats', { lastAskedAt: at(2) }), row('about dogs', { lastAskedAt: at(3) }), row('about mice', { count: 2 })];
    expect(groupGaps(rows).map(({ question }) => question)).toEqual(['about mice', 'about dogs', 'about cats']);
  });

  it('grows no chain: a member need not be near another, all are near the first', () => {
    expect(sizes(['red green blue', 'green blue yellow purple', 'yellow purple orange'])).not.toEqual([3]);
  });
});

describe('ten thousand questions', () => {
  const words = Array.from(
    { length: 400 },
    (_, number) => `w${String.fromCharCode(97 + (number % 26), 97 + ((number / 26) | 0), 97 + ((number * 7) % 26))}`,
  );
  const pick = (seed: number, from: readonly string[]) => from[((seed * 2_654_435_761) % 4_294_967_296) % from.length] ?? '';
  it.each([
    ['of many words', words],
    ['of twenty words', words.slice(0, 20)],
    [
      'of real words with slips',
      ['refund', 'window', 'invoice', 'password', 'account', 'payment', 'refnud', 'pasword', 'acount', 'paymnet'],
    ],
  ])('%s are grouped in less than four seconds of work', (_, from) => {
    const rows = Array.from({ length: 10_000 }, (_, number) =>
      row(`what about ${[1, 2, 3, 4, 5, 6].map((part) => pick(number * 6 + part, from)).join(' ')} x${number % 5_000}y?`),
    );
    const started = cpuMs();
    const groups = groupGaps(rows);
    expect(cpuMs() - started).toBeLessThan(4_000);
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(10_000);
  });
});
