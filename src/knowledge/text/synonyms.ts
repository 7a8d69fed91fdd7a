/**
 * Words and short phrases that may stand for one another, from the lexicon of each language. A group is found in a text by its
 * stems, so that any inflection of an entry is met.
 */
import { fold, isStopWord, type Language } from './languages.ts';
import { germanSynonyms } from './lexicon/synonyms-de.ts';
import { englishSynonyms } from './lexicon/synonyms-en.ts';
import { frenchSynonyms, spanishSynonyms } from './lexicon/synonyms-fr-es.ts';
import { italianSynonyms, portugueseSynonyms } from './lexicon/synonyms-it-pt.ts';
import { chineseSynonyms, japaneseSynonyms } from './lexicon/synonyms-ja-zh.ts';
import { dutchSynonyms, russianSynonyms } from './lexicon/synonyms-nl-ru.ts';
import { rawWords, termsOf } from './words.ts';

const lexicons: Partial<Record<Language, string>> = {
  de: germanSynonyms,
  en: englishSynonyms,
  es: spanishSynonyms,
  fr: frenchSynonyms,
  it: italianSynonyms,
  ja: japaneseSynonyms,
  nl: dutchSynonyms,
  pt: portugueseSynonyms,
  ru: russianSynonyms,
  zh: chineseSynonyms,
};

interface Entry {
  readonly stems: readonly string[];
  readonly group: number;
}

interface Thesaurus {
  /** First stem of an entry → entries, the longest first. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
  /** Per group: the stems of its entries of one word. */
  readonly words: readonly (readonly string[])[];
}

/** Words `from` to `to` of a text (`to` not included), and the stems that may stand for them. */
export interface SynonymMatch {
  readonly from: number;
  readonly to: number;
  readonly stems: readonly string[];
}

const thesauri = new Map<Language, Thesaurus>();

function parseLexicon(lexicon: string, language: Language): Thesaurus {
  const entries = new Map<string, Entry[]>();
  const words = lexicon.split('\n').map((line, group) => {
    const single = new Set<string>();
    for (const entry of line.split(',')) {
      const stems = rawWords(entry).map((word) => termsOf(word, language)[0] ?? word);
      const [first] = stems;
      if (first === undefined) continue;
      entries.set(first, [...(entries.get(first) ?? []), { stems, group }]);
      if (stems.length === 1 && !isStopWord(entry.trim(), language)) single.add(first);
    }
    return [...single];
  });
  for (const list of entries.values()) list.sort((a, b) => b.stems.length - a.stems.length);
  return { entries, words };
}

function thesaurusOf(language: Language): Thesaurus | undefined {
  const lexicon = lexicons[language];
  if (lexicon === undefined) return undefined;
  let thesaurus = thesauri.get(language);
  if (!thesaurus) {
    thesaurus = parseLexicon(lexicon, language);
    thesauri.set(language, thesaurus);
  }
  return thesaurus;
}

/** Groups of the lexicons of languages without spaces, whose entries are looked for as they are written. */
const written = new Map<Language, readonly (readonly string[])[]>();

function groupsOf(language: 'ja' | 'zh'): readonly (readonly string[])[] {
  let groups = written.get(language);
  if (!groups) {
    groups = (lexicons[language] ?? '').split('\n').map((line) => line.split(',').map((entry) => fold(entry.trim())));
    written.set(language, groups);
  }
  return groups;
}

/** Entries of the lexicon of a language without spaces that stand in a text, with the other entries of their groups. */
export function phrasesIn(text: string, language: Language): { readonly phrase: string; readonly others: readonly string[] }[] {
  if (language !== 'ja' && language !== 'zh') return [];
  return groupsOf(language).flatMap((entries) => {
    const [there, others] = [entries.filter((entry) => text.includes(entry)), entries.filter((entry) => !text.includes(entry))];
    return there.map((phrase) => ({ phrase, others }));
  });
}

/** Stems that may stand for a stem by itself. */
export function synonymsOf(stem: string, language: Language): string[] {
  const thesaurus = thesaurusOf(language);
  return (thesaurus?.entries.get(stem) ?? [])
    .filter((entry) => entry.stems.length === 1)
    .flatMap((entry) => thesaurus?.words[entry.group] ?? [])
    .filter((other) => other !== stem);
}

/** Every phrase of the lexicon in a text. @param words as `rawWords` gives them */
export function synonymousPhrases(words: readonly string[], language: Language): SynonymMatch[] {
  const thesaurus = thesaurusOf(language);
  if (!thesaurus) return [];
  const stems = words.map((word) => termsOf(word, language)[0] ?? word);
  return stems.flatMap((first, from) =>
    (thesaurus.entries.get(first) ?? [])
      .filter((entry) => entry.stems.length > 1 && entry.stems.every((stem, offset) => stems[from + offset] === stem))
      .map((entry) => ({ from, to: from + entry.stems.length, stems: thesaurus.words[entry.group] ?? [] })),
  );
}
