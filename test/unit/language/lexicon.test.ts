import { describe, expect, it } from 'vitest';
import type { Language } from '../../../packages/shared/src/language/languages.ts';
import { lexiconEntries, lexiconGroups } from '../../../packages/shared/src/language/lexicon.ts';

const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'ru', 'ja', 'zh'] as const;
const lists = languages.map((language) => [language, lexiconGroups(language, 'synonyms').map(({ sides }) => sides.flat())] as const);
const stopWordsOf = (language: Language) => new Set(lexiconEntries(language, 'stop-words'));

describe.each(lists)('near-synonyms: %s', (language, groups) => {
  const entries = groups.flat();

  it('have groups of two to ten distinct entries', () => {
    const odd = groups.filter((group) => group.length < 2 || group.length > 10 || new Set(group).size < group.length);
    expect(odd).toEqual([]);
  });
  it('have words and short phrases in lower case', () => {
    expect(entries.filter((entry) => entry === '' || entry !== entry.toLowerCase() || entry.split(' ').length > 4)).toEqual([]);
  });
  it('have no duplicate groups', () => {
    const sorted = groups.map((group) => group.toSorted().join());
    expect(sorted.filter((group, index) => sorted.indexOf(group) !== index)).toEqual([]);
  });
  it('have no stop word as an entry', () => {
    const own = stopWordsOf(language);
    // The English list has `id` for "I'd".
    expect(entries.filter((entry) => own.has(entry) && entry !== 'id')).toEqual([]);
  });
});

describe('stop words', () => {
  it('are lower case, without apostrophes', () => {
    const all = languages.flatMap((language) => [...stopWordsOf(language)]);
    expect(all.length).toBeGreaterThan(2_000);
    expect(all.filter((word) => word === '' || word !== word.toLowerCase() || /['’\s]/.test(word))).toEqual([]);
  });
});
