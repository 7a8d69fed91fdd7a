import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyCitation } from '../../src/documents/verify-citation.ts';

/** Few letters, so that quotes repeat exactly or nearly. */
const text = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const edit = fc.record({ at: fc.nat({ max: 60 }), removed: fc.nat({ max: 6 }), added: text });

/** Offsets of all occurrences of a quote. */
const places = (stored: string, quote: string) =>
  Array.from({ length: stored.length + 1 }, (_, start) => start).filter((start) =>
    stored.startsWith(quote, start),
  );

describe('a citation of an edited document', () => {
  it('gets the nearest offsets of its quote and is gone only if the quote is', () => {
    fc.assert(
      fc.property(
        text,
        fc.nat(),
        fc.nat(),
        fc.array(edit, { maxLength: 4 }),
        (stored, from, length, edits) => {
          fc.pre(stored.length > 0);
          const start = from % stored.length;
          const quote = stored.slice(start, start + 1 + (length % 8));
          const now = edits.reduce(
            (current, { at, removed, added }) =>
              current.slice(0, at) + added + current.slice(at + removed),
            stored,
          );
          const found = verifyCitation(now, now === stored ? 'same' : 'other', {
            quote,
            start,
            end: start + quote.length,
            revision: 'same',
          });
          const occurrences = places(now, quote);
          if (found.status === 'gone') {
            expect(occurrences).toEqual([]);
            return;
          }
          expect(now.slice(found.start, found.end)).toBe(quote);
          expect(Math.abs(found.start - start)).toBe(
            Math.min(...occurrences.map((place) => Math.abs(place - start))),
          );
          expect(found.status).toBe(now === stored ? 'holds' : 'moved');
        },
      ),
    );
  });
});
