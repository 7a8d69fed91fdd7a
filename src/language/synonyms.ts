/**
 * Words and short phrases that may stand for one another: the lexicon's of each language, and an operator's own of a namespace. A rule
 * is found in a text by its stems, so that any inflection of an entry is met; entries in scripts without spaces as they are written.
 */
import { fold, isStopWord, type Language } from './languages.ts';
import { lexiconGroups } from './lexicon.ts';
import { hasUnspaced, rawWords, termsOf } from './tokens.ts';

/** Any of `from` may be said by any of `to`. */
export interface SynonymRule {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** Words `from` to `to` of a text (`to` not included), and what may stand for them. */
export interface SynonymMatch {
  readonly from: number;
  readonly to: number;
  /** Single words. */
  readonly stems: readonly string[];
  /** Phrases of several words, as their stems. */
  readonly phrases: readonly (readonly string[])[];
}

/** An entry in a script without spaces that stands in a text, and what may stand for it. */
export interface WrittenMatch {
  readonly phrase: string;
  readonly others: readonly string[];
}

interface Entry {
  readonly stems: readonly string[];
  readonly rule: number;
}

/** What the `to` of a rule comes to in a language. */
type Targets = Pick<SynonymMatch, 'stems' | 'phrases'>;

const stemsOf = (entry: string, language: Language): string[] => rawWords(entry).map((word) => termsOf(word, language)[0] ?? word);

function targetsOf(entries: readonly string[], language: Language): Targets {
  const stems = new Set<string>();
  const phrases: string[][] = [];
  for (const entry of entries) {
    const words = rawWords(entry).filter((word) => !isStopWord(word, language));
    const [first, ...more] = words.map((word) => termsOf(word, language)[0] ?? word);
    if (first === undefined) continue;
    if (more.length === 0) stems.add(first);
    else phrases.push([first, ...more]);
  }
  return { stems: [...stems], phrases };
}

/** Synonyms as a query in one language is read. */
export class LanguageSynonyms {
  /** First stem of an entry → entries, the longest first. */
  readonly #entries = new Map<string, Entry[]>();
  readonly #targets: readonly Targets[];
  readonly #written: readonly SynonymRule[];

  constructor(rules: readonly SynonymRule[], language: Language) {
    this.#targets = rules.map(({ to }) => targetsOf(to, language));
    this.#written = rules
      .filter(({ from }) => from.some(hasUnspaced))
      .map(({ from, to }) => ({ from: from.filter(hasUnspaced).map(fold), to: to.map(fold) }));
    for (const [rule, { from }] of rules.entries()) {
      for (const entry of from) {
        const stems = stemsOf(entry, language);
        const [first] = stems;
        if (first !== undefined) this.#entries.set(first, [...(this.#entries.get(first) ?? []), { stems, rule }]);
      }
    }
    for (const list of this.#entries.values()) list.sort((a, c) => c.stems.length - a.stems.length);
  }

  /** Stems that may stand for a stem by itself. */
  of(stem: string): string[] {
    return (this.#entries.get(stem) ?? [])
      .filter(({ stems }) => stems.length === 1)
      .flatMap(({ rule }) => this.#targets[rule]?.stems ?? [])
      .filter((other) => other !== stem);
  }

  /** Every phrase in a text, and every word that a phrase may stand for. @param words as `rawWords` gives them */
  phrasesIn(words: readonly string[], language: Language): SynonymMatch[] {
    const stems = words.map((word) => termsOf(word, language)[0] ?? word);
    return stems.flatMap((first, from) =>
      (this.#entries.get(first) ?? [])
        .filter((entry) => entry.stems.every((stem, offset) => stems[from + offset] === stem))
        .map(({ stems: found, rule }): SynonymMatch => {
          const { stems: single = [], phrases = [] } = this.#targets[rule] ?? {};
          return { from, to: from + found.length, stems: found.length > 1 ? single : [], phrases };
        })
        .filter((match) => match.stems.length + match.phrases.length > 0),
    );
  }

  /** @param text folded */
  writtenIn(text: string): WrittenMatch[] {
    return this.#written.flatMap(({ from, to }) => {
      const others = to.filter((entry) => !text.includes(entry));
      return from.filter((entry) => text.includes(entry)).map((phrase) => ({ phrase, others }));
    });
  }
}

/** Rules that hold in every language. */
export class Thesaurus {
  readonly #rules: readonly SynonymRule[];
  readonly #read = new Map<Language, LanguageSynonyms>();

  constructor(rules: readonly SynonymRule[]) {
    this.#rules = rules;
  }

  get size(): number {
    return this.#rules.length;
  }

  in(language: Language): LanguageSynonyms {
    const read = this.#read.get(language) ?? new LanguageSynonyms(this.#rules, language);
    this.#read.set(language, read);
    return read;
  }
}

const lexicons = new Map<Language, LanguageSynonyms>();

/** The lexicon's of a language. A phrase is looked for there, and stands for nothing: what is indexed of it are words. */
export function lexiconSynonyms(language: Language): LanguageSynonyms {
  let synonyms = lexicons.get(language);
  if (!synonyms) {
    const rules = lexiconGroups(language, 'synonyms').map(({ sides }): SynonymRule => {
      const from = sides.flat();
      return { from, to: from.filter((entry) => rawWords(entry).length === 1) };
    });
    synonyms = new LanguageSynonyms(rules, language);
    lexicons.set(language, synonyms);
  }
  return synonyms;
}

/** Stems that may stand for a stem by itself, by the lexicon. */
export const synonymsOf = (stem: string, language: Language): string[] => lexiconSynonyms(language).of(stem);

/** Every phrase of the lexicon in a text. @param words as `rawWords` gives them */
export const synonymousPhrases = (words: readonly string[], language: Language): SynonymMatch[] =>
  lexiconSynonyms(language).phrasesIn(words, language);
