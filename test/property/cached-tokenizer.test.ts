import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { terms, termsOf } from '../../packages/shared/src/language/tokens.ts';
import { CachedTokenizer } from '../../src/search/bm25/cached-tokenizer.ts';
import { Uint32List } from '../../src/search/bm25/postings.ts';

/** Returns a reader that maps a text to its numbered terms. */
function numbered() {
  const known = new Map<string, number>();
  const numberOf = (term: string) => {
    const number = known.get(term) ?? known.size;
    known.set(term, number);
    return number;
  };
  const numbers = new CachedTokenizer((word) => termsOf(word, 'en').map(numberOf));
  const read = (text: string) => {
    const to = new Uint32List();
    const count = numbers.append(withoutInvisible(text), to);
    const all = [...known.keys()];
    expect(count).toBe(to.length);
    return [...to.view()].map((number) => all[number]);
  };
  return { read };
}

const parts = [
  ..."get User id x ' ’ . @ / - _ + ++ # é ß 日本語 42 😀".split(' '),
  ...[' ', '\n', '\u200d', '\u00ad'],
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 })), { maxLength: 40 })
  .map((all) => all.join(''));

const fnv = (word: string, from = 0x811c9dc5) => {
  let value = from;
  for (let at = 0; at < word.length; at++)
    value = Math.imul(value ^ word.charCodeAt(at), 0x01000193);
  return value;
};

/**
 * Words with the same FNV-1a hash: each step finds two pieces that lead to the same state, which
 * doubles the words.
 */
function collidingWords(steps: number): string[] {
  let words = [''];
  let state = 0x811c9dc5;
  for (let step = 0; step < steps; step++) {
    const seen = new Map<number, string>();
    let at = 0;
    let [piece, other]: [string, string | undefined] = ['', undefined];
    while (other === undefined) {
      if (piece !== '') seen.set(fnv(piece, state), piece);
      piece = (at++).toString(36).padStart(6, '0');
      other = seen.get(fnv(piece, state));
    }
    const pair = [piece, other];
    words = words.flatMap((word) => pair.map((end) => word + end));
    state = fnv(piece, state);
  }
  return words;
}

describe('word numbers', () => {
  it('match the terms of any text, even with repeated words', () => {
    const { read } = numbered();
    fc.assert(
      fc.property(text, (one) => {
        expect(read(one)).toEqual([...terms(one)]);
      }),
    );
  });

  it('stay correct for too many, too long and new words', () => {
    const { read } = numbered();
    const words = Array.from({ length: 140_000 }, (_, at) => `w${at}`);
    read(words.join(' '));
    const again = [words[0], words[139_999], 'a'.repeat(60), 'b'.repeat(80), 'new'].join(' ');
    expect(read(again)).toEqual([...terms(again)]);
  });

  it('cache only some of the words with colliding hashes', () => {
    const words = collidingWords(6);
    expect(new Set(words.map((word) => fnv(word))).size).toBe(1);
    const worked: string[] = [];
    const numbers = new CachedTokenizer((word) => [worked.push(word)]);
    numbers.append(words.join(' '), new Uint32List());
    worked.length = 0;
    numbers.append(words.join(' '), new Uint32List());
    expect(worked.length).toBe(words.length - 32);
  });
});
