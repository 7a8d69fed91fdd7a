import { describe, expect, it } from 'vitest';
import { stopWords } from '../../src/knowledge/text/lexicon/stop-words.ts';
import { germanSynonyms } from '../../src/knowledge/text/lexicon/synonyms-de.ts';
import { englishSynonyms } from '../../src/knowledge/text/lexicon/synonyms-en.ts';
import { frenchSynonyms, spanishSynonyms } from '../../src/knowledge/text/lexicon/synonyms-fr-es.ts';
import { italianSynonyms, portugueseSynonyms } from '../../src/knowledge/text/lexicon/synonyms-it-pt.ts';
import { chineseSynonyms, japaneseSynonyms } from '../../src/knowledge/text/lexicon/synonyms-ja-zh.ts';
import { dutchSynonyms, russianSynonyms } from '../../src/knowledge/text/lexicon/synonyms-nl-ru.ts';

const lists = {
  en: englishSynonyms,
  de: germanSynonyms,
  fr: frenchSynonyms,
  es: spanishSynonyms,
  it: italianSynonyms,
  pt: portugueseSynonyms,
  nl: dutchSynonyms,
  ru: russianSynonyms,
  ja: japaneseSynonyms,
  zh: chineseSynonyms,
};

describe.each(Object.entries(lists))('near-synonyms: %s', (language, list) => {
  const groups = list.split('\n').map((line) => line.split(','));
  const entries = groups.flat().map((entry) => entry.trim());

  it('hold groups of two to ten entries, each once', () => {
    const odd = groups.filter(
      (group) => group.length < 2 || group.length > 10 || new Set(group.map((entry) => entry.trim())).size < group.length,
    );
    expect(odd).toEqual([]);
  });
  it('hold words and short phrases in lower case', () => {
    expect(entries.filter((entry) => entry === '' || entry !== entry.toLowerCase() || entry.split(' ').length > 4)).toEqual([]);
  });
  it('hold no group twice', () => {
    const sorted = groups.map((group) =>
      group
        .map((entry) => entry.trim())
        .sort()
        .join(),
    );
    expect(sorted.filter((group, index) => sorted.indexOf(group) !== index)).toEqual([]);
  });
  it('hold no function word by itself', () => {
    const own = Object.entries(stopWords).find(([key]) => key === language)?.[1] ?? new Set();
    // The English list has `id` for "I'd".
    expect(entries.filter((entry) => own.has(entry) && entry !== 'id')).toEqual([]);
  });
});

describe('stop words', () => {
  it('are lower case and hold no apostrophe', () => {
    const all = Object.values(stopWords).flatMap((words) => [...words]);
    expect(all.filter((word) => word === '' || word !== word.toLowerCase() || /['’\s]/.test(word))).toEqual([]);
  });
});
