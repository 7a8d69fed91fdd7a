import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fuse } from '../../../src/search/fusion.ts';

const chunksOf = (names: string) => [...names].map((documentId) => ({ documentId, chunk: 0 }));
const namesOf = (hits: readonly { documentId: string }[]) =>
  hits.map((hit) => hit.documentId).join('');

describe('fusion', () => {
  it('adds 1 / (60 + rank) over the lists', () => {
    expect(fuse(chunksOf('ab'), chunksOf('b'), 10).map((hit) => hit.score)).toEqual([
      1 / 62 + 1 / 61,
      1 / 61,
    ]);
  });
  it('follows the lexical list on a tie', () =>
    expect(namesOf(fuse(chunksOf('ab'), chunksOf('ba'), 10))).toBe('ab'));
  it('distinguishes chunks of one document', () => {
    const hits = fuse([{ documentId: 'a', chunk: 1 }], [{ documentId: 'a', chunk: 11 }], 10);
    expect(hits.map((hit) => hit.chunk)).toEqual([1, 11]);
  });
  it('counts only the first place of a chunk in a list', () =>
    expect(fuse(chunksOf('aab'), [], 10)[0]?.score).toBe(1 / 61));
  it('returns at most the limit', () =>
    expect(namesOf(fuse(chunksOf('abc'), chunksOf('cde'), 2))).toBe('ca'));

  const list = fc
    .uniqueArray(fc.constantFrom(...'abcdefgh'))
    .map((names) => chunksOf(names.join('')));

  it('never ranks a chunk below another that is lower in both lists', () =>
    fc.assert(
      fc.property(list, list, (lexical, semantic) => {
        const rank = (chunks: typeof lexical, name: string) => {
          const at = chunks.findIndex((chunk) => chunk.documentId === name);
          return at < 0 ? Number.POSITIVE_INFINITY : at;
        };
        const fused = namesOf(fuse(lexical, semantic, 100));
        expect([...fused].sort()).toEqual([...new Set(namesOf([...lexical, ...semantic]))].sort());
        [...fused].forEach((below, at) => {
          for (const above of fused.slice(0, at)) {
            const isBetter =
              rank(lexical, below) < rank(lexical, above) &&
              rank(semantic, below) < rank(semantic, above);
            expect(isBetter).toBe(false);
          }
        });
      }),
    ));
});
