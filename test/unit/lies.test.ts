/**
 * The judge of support against near-true lies and honest rewordings of a company's handbook. What changes a figure, a unit, an address,
 * code, a quotation or a negation never passes.
 */
import { describe, expect, it } from 'vitest';
import { createSupportFinder } from '../../src/knowledge/answer/support.ts';
import { units } from '../../src/knowledge/text/units.ts';
import { type HandbookPassage, handbook } from '../support/handbook.ts';
import { lies } from '../support/lies.ts';

const passages = Object.entries(handbook) as [keyof typeof handbook, HandbookPassage][];
const linesOf = (text: string) => text.trim().split('\n');
const isSupported = ({ text, title, language }: HandbookPassage, sentence: string) =>
  createSupportFinder(text, title, language)(sentence) !== undefined;

interface Lie {
  readonly kind: string;
  readonly text: string;
  readonly isKnownLimit: boolean;
}

const liesOf = (key: keyof typeof handbook): Lie[] =>
  linesOf(lies[key]).map((line) => {
    const [, limit, kind = '', text = ''] = /^(~?)([a-z]+): (.*)$/.exec(line) ?? [];
    return { kind, text, isKnownLimit: limit === '~' };
  });

/** Kinds of which none may pass, not even as a known limit. */
const exact = new Set(['figure', 'unit', 'email', 'url', 'code', 'quotation', 'negation', 'day']);
const leastHonest = 0.97;

describe('a near-true lie', () => {
  it.each(passages.flatMap(([key, passage]) => liesOf(key).map((lie) => [lie.kind, lie.text, passage, lie] as const)))(
    'by %s is not supported: %s',
    (_, text, passage, { isKnownLimit }) => {
      // A known limit that is not one any more belongs to the others.
      expect(isSupported(passage, text)).toBe(isKnownLimit);
    },
  );

  it('is one of more than 150, of which none is a known limit that changes what is exact', () => {
    const all = passages.flatMap(([key]) => liesOf(key));
    expect(all.length).toBeGreaterThan(150);
    expect(all.every(({ kind }) => kind !== '')).toBe(true);
    expect(all.filter(({ kind, isKnownLimit }) => isKnownLimit && exact.has(kind))).toEqual([]);
    expect(all.filter(({ isKnownLimit }) => isKnownLimit).length).toBeLessThanOrEqual(all.length * 0.02);
  });
});

describe('an honest sentence', () => {
  it('is kept, in 97 of 100', () => {
    const honest = passages.flatMap(([, passage]) => linesOf(passage.honest).map((text) => ({ text, isKept: isSupported(passage, text) })));
    expect(honest.length).toBeGreaterThan(80);
    const dropped = honest.filter(({ isKept }) => !isKept).map(({ text }) => text);
    expect(dropped.length, dropped.join('\n')).toBeLessThanOrEqual(honest.length * (1 - leastHonest));
  });

  it('is kept where it is a unit of the passage, word for word, and whole units are at once verbatim', () => {
    for (const [, { text, title, language }] of passages) {
      const find = createSupportFinder(text, title, language);
      for (const { start, end } of units(text))
        expect(find(text.slice(start, end))).toMatchObject({ start, end, score: 1, isVerbatim: true });
    }
  });

  it('has the place of its evidence', () => {
    const { text, title, language } = handbook.refunds;
    const found = createSupportFinder(text, title, language)('There is no refund for annual plans after renewal.');
    expect(found && text.slice(found.start, found.end)).toBe('Annual plans are not refunded after renewal.');
    expect(found?.isVerbatim).toBe(false);
    expect(createSupportFinder(text, title, language)('Annual plans are not refunded after renewal.')).toMatchObject({
      score: 1,
      isVerbatim: true,
    });
  });
});

describe('a sentence or a passage of any size and script', () => {
  const { text, title } = handbook.refunds;
  const odd = [
    'a-'.repeat(10_000),
    'Refunds '.repeat(2_500),
    '1,'.repeat(10_000),
    '(not '.repeat(4_000),
    'ab_'.repeat(7_000),
    '"x'.repeat(10_000),
    "'".repeat(20_000),
    '/a'.repeat(10_000),
    'x@y.'.repeat(5_000),
    '\u0301'.repeat(20_000),
    '三'.repeat(20_000),
    'Aa'.repeat(10_000),
    '\ud800'.repeat(5_000),
    'twenty '.repeat(3_000),
  ];

  it('is judged in linear time: sentences of 20,000 characters', () => {
    for (const sentence of odd) {
      const started = performance.now();
      createSupportFinder(text, title, 'en')(sentence);
      createSupportFinder(sentence, title, 'en')('Refunds are paid within 30 days of purchase.');
      expect(performance.now() - started, sentence.slice(0, 10)).toBeLessThan(1_500);
    }
  });

  it('is judged in linear time: a passage of a megabyte', () => {
    const long = `${text}\n\n`.repeat(Math.ceil(1_000_000 / text.length));
    const started = performance.now();
    expect(createSupportFinder(long, title, 'en')('There is no refund for annual plans after renewal.')).toBeDefined();
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});
