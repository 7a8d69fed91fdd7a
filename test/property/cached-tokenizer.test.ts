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

/** Two pieces for each position lead to the same state of FNV-1a, so all words have one hash. */
const colliding = ['00a5fa 003pwu', '00f2ad 004uzx', '00apcd 0035zx', '00cpad 0053zx']
  .concat('00apcd 0035zx', '00cpad 0053zx')
  .map((pair) => pair.split(' '))
  .reduce((words, pair) => words.flatMap((word) => pair.map((end) => word + end)), ['']);

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
    const worked: string[] = [];
    const numbers = new CachedTokenizer((word) => [worked.push(word)]);
    numbers.append(colliding.join(' '), new Uint32List());
    worked.length = 0;
    numbers.append(colliding.join(' '), new Uint32List());
    expect(worked.length).toBe(colliding.length - 32);
  });
});
