/**
 * Synonyms: words and short phrases from the lexicon of a language and from the operator of a
 * namespace. Entries match by stem, so in any inflection; entries in scripts without spaces match
 * literally.
 */
import { fold, isStopWord, type Language } from './languages.ts';
import { entriesNamed, lexiconGroups } from './lexicon.ts';
import { perLanguage } from './per-language.ts';
import { hasUnspaced, rawWords, simplified, termsOf, valueTerms } from './tokens.ts';

/** Every entry of `to` is a synonym of every entry of `from`. */
export type SynonymRule = Readonly<{ from: readonly string[]; to: readonly string[] }>;

interface Targets {
  readonly stems: readonly string[];
  /** Stems of each phrase of several words. */
  readonly phrases: readonly (readonly string[])[];
}

/** Words `from` to `to` of a text (`to` excluded), and their synonyms. */
export type SynonymMatch = Targets &
  Readonly<{
    from: number;
    to: number;
  }>;

/** Words of a name that is written as one or two: `website`, `ISO27001`. */
const joinable = /^[\p{Script=Latin}\p{N}]{2,16}$/u;

type Entry = Readonly<{ stems: readonly string[]; targets: Targets }>;

const simplifiedFold = (text: string) => simplified(fold(text)).join('');

const stemsOf = (words: readonly string[], language: Language) =>
  words.map((word) => termsOf(word, language)[0] ?? word);

function targetsOf(entries: readonly string[], language: Language) {
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
  readonly #entries;
  readonly #written;
  readonly #language;

  constructor(rules: readonly SynonymRule[], language: Language) {
    this.#language = language;
    const entries = rules.flatMap(({ from, to }) => {
      const targets = targetsOf(to, language);
      return from.map((entry): Entry => ({ stems: stemsOf(rawWords(entry), language), targets }));
    });
    this.#entries = Map.groupBy(entries, ({ stems }) => stems[0]);
    this.#written = rules
      .filter(({ from }) => from.some(hasUnspaced))
      .map(({ from, to }) => ({
        from: from.filter(hasUnspaced).map(simplifiedFold),
        to: to.map(simplifiedFold),
      }));
  }

  /** Returns the synonyms of a stem, as stems. */
  of(stem: string): string[] {
    return (this.#entries.get(stem) ?? [])
      .flatMap(({ stems, targets }) => (stems.length === 1 ? targets.stems : []))
      .filter((other) => other !== stem);
  }

  /**
   * Phrases in a text that have synonyms, and words that have phrases as synonyms. @param words
   * from `rawWords`
   */
  phrasesIn(words: readonly string[]): SynonymMatch[] {
    const stems = stemsOf(words, this.#language);
    return stems.flatMap((first, from) =>
      (this.#entries.get(first) ?? [])
        .filter((entry) => entry.stems.every((stem, offset) => stems[from + offset] === stem))
        .map(({ stems: { length }, targets }) => ({
          ...targets,
          stems: length > 1 ? targets.stems : [],
          from,
          to: from + length,
        }))
        .filter((match) => match.stems.length + match.phrases.length > 0),
    );
  }

  /**
   * Entries in scripts without spaces that occur in a text, with their synonyms (`forms`), each as
   * written (`whole`) and as terms.
   */
  writtenIn(folded: string) {
    const text = simplified(folded).join('');
    return this.#written.flatMap(({ from, to }) => {
      const others = to.filter((entry) => !text.includes(entry));
      const forms = others.map((whole) => ({ whole, terms: termsOf(whole, this.#language) }));
      return from.filter((entry) => text.includes(entry)).map((phrase) => ({ phrase, forms }));
    });
  }
}

export class Thesaurus {
  readonly size;
  readonly in;

  constructor(rules: readonly SynonymRule[]) {
    this.size = rules.length;
    this.in = perLanguage((language) => new LanguageSynonyms(rules, language));
  }
}

/**
 * Synonyms of a language. Phrases have synonyms but are not synonyms themselves, because the index
 * has only words.
 */
export const lexiconSynonyms = perLanguage((language) => {
  const groups = lexiconGroups(language, 'synonyms').map(({ sides }) => sides.flat());
  const rules = groups.map((from) => ({
    from,
    to: from.filter((entry) => rawWords(entry).length === 1),
  }));
  return new LanguageSynonyms(rules, language);
});

const contactGroups = lexiconGroups('all', 'contact-words');
const contacts = (['phone', 'mail'] as const).map((kind) => {
  const named = new Set(entriesNamed(contactGroups, kind).map(fold));
  const beside = new Set(entriesNamed(contactGroups, `${kind}?`).map(fold));
  return { value: valueTerms[kind], named, beside };
});

/** `KX-4410` and `KX 4410` as `kx4410`, `log in` as `login`. */
function joinedWords(folded: readonly string[]) {
  return folded.flatMap((word, from) => {
    const next = folded[from + 1] ?? '';
    const own = /[-/]/.test(word) ? [{ from, to: from + 1, term: word.replace(/[-/]/g, '') }] : [];
    const isPair = joinable.test(word) && joinable.test(next) && /\p{L}/u.test(word);
    const [term = ''] = isPair ? termsOf(word + next, 'en') : [];
    return term === '' ? own : [...own, { from, to: from + 2, term }];
  });
}

/**
 * Words that a document may write otherwise: as one, or as the telephone number or address that they
 * ask for. `term` stands for the words `from` to `to` (`to` excluded). @param words from `rawWords`
 */
export function rewritings(words: readonly string[]) {
  const folded = words.map(fold);
  const names = (of: ReadonlySet<string>, word: string) =>
    of.has(word) || word.split('-').some((part) => of.has(part));
  const asked = contacts.flatMap(({ value: term, named, beside }) =>
    folded.some((word) => names(named, word))
      ? folded.flatMap((word, from) =>
          names(named, word) || beside.has(word) ? [{ from, to: from + 1, term }] : [],
        )
      : [],
  );
  return [...joinedWords(folded), ...asked];
}
