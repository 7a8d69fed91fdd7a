/**
 * Words and short phrases that may stand for one another: the lexicon's of each language, and an operator's own of a namespace. A rule
 * is found in a text by its stems, so that any inflection of an entry is met; entries in scripts without spaces as they are written.
 */
import { fold, isStopWord, type Language } from './languages.ts';
import { lexiconGroups } from './lexicon.ts';
import { perLanguage } from './per-language.ts';
import { hasUnspaced, rawWords, termsOf } from './tokens.ts';

/** Any of `from` may be said by any of `to`. */
export type SynonymRule = Readonly<{ from: readonly string[]; to: readonly string[] }>;

interface Targets {
  readonly stems: readonly string[];
  /** Phrases of several words, as their stems. */
  readonly phrases: readonly (readonly string[])[];
}

/** Words `from` to `to` of a text (`to` not included), and what may stand for them. */
export interface SynonymMatch extends Targets {
  readonly from: number;
  readonly to: number;
}

type Entry = Readonly<{ stems: readonly string[]; targets: Targets }>;

const stemsOf = (words: readonly string[], language: Language): string[] => words.map((word) => termsOf(word, language)[0] ?? word);

function targetsOf(entries: readonly string[], language: Language): Targets {
  const phrases = entries.map((entry) =>
    stemsOf(
      rawWords(entry).filter((word) => !isStopWord(word, language)),
      language,
    ),
  );
  const stems = new Set(phrases.flatMap((phrase) => (phrase.length === 1 ? phrase : [])));
  return { stems: [...stems], phrases: phrases.filter(({ length }) => length > 1) };
}

export class LanguageSynonyms {
  readonly #entries: ReadonlyMap<string | undefined, readonly Entry[]>;
  readonly #written: readonly SynonymRule[];
  readonly #language: Language;

  constructor(rules: readonly SynonymRule[], language: Language) {
    this.#language = language;
    const entries = rules.flatMap(({ from, to }) => {
      const targets = targetsOf(to, language);
      return from.map((entry): Entry => ({ stems: stemsOf(rawWords(entry), language), targets }));
    });
    this.#entries = Map.groupBy(entries, ({ stems }) => stems[0]);
    this.#written = rules
      .filter(({ from }) => from.some(hasUnspaced))
      .map(({ from, to }) => ({ from: from.filter(hasUnspaced).map(fold), to: to.map(fold) }));
  }

  /** Stems that may stand for a stem by itself. */
  of(stem: string): string[] {
    return (this.#entries.get(stem) ?? [])
      .flatMap(({ stems, targets }) => (stems.length === 1 ? targets.stems : []))
      .filter((other) => other !== stem);
  }

  /** Every phrase in a text, and every word that a phrase may stand for. @param words as `rawWords` gives them */
  phrasesIn(words: readonly string[]): SynonymMatch[] {
    const stems = stemsOf(words, this.#language);
    return stems.flatMap((first, from) =>
      (this.#entries.get(first) ?? [])
        .filter((entry) => entry.stems.every((stem, offset) => stems[from + offset] === stem))
        .map(({ stems: { length }, targets }) => ({ ...targets, stems: length > 1 ? targets.stems : [], from, to: from + length }))
        .filter((match) => match.stems.length + match.phrases.length > 0),
    );
  }

  /** Entries in scripts without spaces that stand in a text, and what each may be said by. @param text folded */
  writtenIn(text: string) {
    return this.#written.flatMap(({ from, to }) => {
      const others = to.filter((entry) => !text.includes(entry));
      const forms = others.map((whole) => ({ whole, terms: termsOf(whole, this.#language) }));
      return from.filter((entry) => text.includes(entry)).map((phrase) => ({ phrase, forms }));
    });
  }
}

export class Thesaurus {
  readonly size: number;
  readonly in: (language: Language) => LanguageSynonyms;

  constructor(rules: readonly SynonymRule[]) {
    this.size = rules.length;
    this.in = perLanguage((language) => new LanguageSynonyms(rules, language));
  }
}

/** The lexicon's of a language. A phrase is looked for there, and stands for nothing: what is indexed of it are words. */
export const lexiconSynonyms = perLanguage((language) => {
  const groups = lexiconGroups(language, 'synonyms').map(({ sides }) => sides.flat());
  const rules = groups.map((from) => ({ from, to: from.filter((entry) => rawWords(entry).length === 1) }));
  return new LanguageSynonyms(rules, language);
});
