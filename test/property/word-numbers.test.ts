import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withoutInvisible } from '../../src/language/invisible.ts';
import { terms, termsOf } from '../../src/language/tokens.ts';
import { Numbers } from '../../src/search/bm25/postings.ts';
import { WordNumbers } from '../../src/search/bm25/word-numbers.ts';

/** Words in the order in which they were first numbered. */
function numbered() {
  const known = new Map<string, number>();
  const numberOf = (term: string) => {
    const number = known.get(term) ?? known.size;
    known.set(term, number);
    return number;
  };
  const numbers = new WordNumbers((word) => termsOf(word, 'en').map(numberOf));
  const read = (text: string) => {
    const to = new Numbers();
    const count = numbers.append(withoutInvisible(text), to);
    const all = [...known.keys()];
    expect(count).toBe(to.length);
    return [...to.filled()].map((number) => all[number]);
  };
  return { read };
}

const parts = [
  'get',
  'User',
  'id',
  'x',
  "'",
  '’',
  '.',
  '@',
  '/',
  '-',
  '_',
  '+',
  '++',
  '#',
  ' ',
  '\n',
  'é',
  'ß',
  '日本語',
  '\u200d',
  '\u00ad',
  '42',
  '😀',
];
const text = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string({ maxLength: 3 })), { maxLength: 40 }).map((all) => all.join(''));

describe('the numbers of words', () => {
  it('are those of the terms of a text, for any text, however often its words come', () => {
    const { read } = numbered();
    fc.assert(
      fc.property(text, (one) => {
        expect(read(one)).toEqual([...terms(one)]);
      }),
    );
  });

  it('are right for words that are too many, too long or alike', () => {
    const { read } = numbered();
    const words = Array.from({ length: 140_000 }, (_, at) => `w${at}`);
    read(words.join(' '));
    const again = [words[0], words[139_999], 'a'.repeat(60), 'b'.repeat(80), 'new'].join(' ');
    expect(read(again)).toEqual([...terms(again)]);
  });
});
