import fc from 'fast-check';
import { expect, it } from 'vitest';
import { QueryTerms } from '../../../src/search/query-terms.ts';

const number = fc.oneof(fc.nat(50), fc.integer({ min: 0, max: 2 ** 32 - 1 }));

it('finds exactly the numbers of the query, each with its highest impact', () =>
  fc.assert(
    fc.property(
      fc.array(fc.array(number, { maxLength: 6 }), { maxLength: 128 }),
      fc.array(number),
      (words, others) => {
        const asked = words.map((numbers, word) => ({
          idf: 1,
          alternatives: numbers.map((one, at) => ({
            term: String(one),
            impact: (one % 7) + word + 1 / (at + 1),
          })),
        }));
        const query = new QueryTerms(asked, Number);
        const worth = new Map<number, number>();
        for (const { alternatives } of asked)
          for (const { term, impact } of alternatives)
            worth.set(Number(term), Math.max(worth.get(Number(term)) ?? 0, impact));
        for (const one of [...worth.keys(), ...others]) {
          const position = query.positionOf(one);
          expect(query.numberedTerms[position]?.impact).toBe(
            position === 0 ? query.numberedTerms[0]?.impact : worth.get(one),
          );
          expect(position > 0).toBe(worth.has(one));
        }
      },
    ),
  ));

it('omits terms without a number', () => {
  const query = new QueryTerms(
    [{ idf: 2, alternatives: [{ term: 'wombat', impact: 2 }] }],
    () => undefined,
  );
  expect([query.idf, query.words, query.positionOf(0)]).toEqual([
    2,
    [{ idf: 2, alternatives: [] }],
    0,
  ]);
});
