/**
 * A query → planned terms: for each word worth searching for, the terms of the index that may stand for it. A word that no document
 * holds may be said differently there (synonyms), or be a slip of the keyboard: then it stands for the words one slip away.
 * What the documents hold is asked of the engine twice at most: for what the words and their synonyms come to, then for the
 * spellings of words that are still unknown.
 */
import { withoutInvisible } from '../language/invisible.ts';
import { fold, isStopWord, type Language, stem, stopWordShares } from '../language/languages.ts';
import { type QueryWord, queryWords } from '../language/query-words.ts';
import { type LanguageSynonyms, lexiconSynonyms, type SynonymMatch, type Thesaurus } from '../language/synonyms.ts';
import { rawWords, termsOf } from '../language/tokens.ts';
import { isEnglishWord } from '../language/word-frequency.ts';
import { backgroundWeight, idfOf, nearCertainty, nearWeight, synonymCertainty, synonymWeight } from './scoring.ts';
import type { EngineStatistics, TermStatistics } from './search-engine.ts';

/** A term that may stand for a word. */
interface Alternative {
  readonly term: string;
  /** How surely the term says what the word says, 0 to 1; 1 is the word itself. */
  readonly weight: number;
  /** How surely a chunk that holds the term speaks of the word, 0 to 1: a word of a phrase is worth a part of it, and tells all of it. */
  readonly certainty: number;
}

export interface Expansion extends Alternative {
  /** What one occurrence is worth: idf times weight. */
  readonly impact: number;
}

export interface PlannedTerm {
  readonly word: QueryWord;
  /** Worth most first; empty where no document holds anything like it. */
  readonly alternatives: readonly Expansion[];
  /** What the whole word is worth. */
  readonly idf: number;
  /** Carried over from the conversation. */
  readonly isBackground?: boolean;
}

export interface PlanOptions {
  readonly index: TermStatistics;
  /** Used beside the lexicon's. */
  readonly synonyms?: Thesaurus | undefined;
}

/** A longer query is searched by its first words; far more than any question holds. */
const maxQueryWords = 128;
/** A longer query is read with the slips of its first unknown words: more are no slips, and each costs hundreds of looks. */
const maxRespelled = 16;
/** Terms that may stand for one word, those that are worth most: each costs a walk through its chunks. */
const maxAlternatives = 6;
/** Of the words one slip away, those that most chunks hold. */
const maxNearWords = 4;
/** Letters. A shorter word is one slip from too many: `SAML` is not `same`. */
const minPlainLength = 6;

/** Languages in which a query may be asked, among those of the documents: those with the most stop words in it. */
function askedIn(query: string, languages: readonly Language[]): readonly Language[] {
  const shares = [...stopWordShares(query)].filter(([language]) => languages.includes(language));
  const most = Math.max(0, ...shares.map(([, share]) => share));
  return most === 0 ? languages : shares.filter(([, share]) => share === most).map(([language]) => language);
}

/** In a short word only letters that changed places tell that it was a stop word. */
const isPlainSlip = (word: string, spelling: string): boolean =>
  spelling.length >= minPlainLength || (word.length === spelling.length && [...word].sort().join('') === [...spelling].sort().join(''));

interface ReadWord {
  readonly word: QueryWord;
  /** Term → what it counts of a synonym, 0 to 1. */
  readonly synonyms: ReadonlyMap<string, number>;
}

/** One more thing that is asked, because a phrase of the query may be said so. */
interface ReadPhrase {
  readonly phrase: string;
  /** What the phrase may be said by: the whole as one term, where the documents hold that, or the terms that it comes to. */
  readonly forms: readonly { readonly whole: string; readonly terms: readonly string[] }[];
}

/** Words of a query that a match stands over. */
const membersOf = ({ from, to }: SynonymMatch, words: readonly QueryWord[]): QueryWord[] =>
  words.filter(({ position, isWhole }) => position >= from && position < to && !isWhole);

/** Term → what it counts of a synonym of the word, 0 to 1. */
function wordSynonyms(
  word: QueryWord,
  words: readonly QueryWord[],
  matches: readonly SynonymMatch[],
  thesauri: readonly LanguageSynonyms[],
) {
  const counted = (terms: readonly string[], share: number) => terms.map((term) => ({ term, share }));
  const alone = word.terms.flatMap((term) => thesauri.flatMap((synonyms) => counted(synonyms.of(term), 1)));
  const inPhrases = matches.flatMap((match) => {
    const members = membersOf(match, words);
    const at = members.indexOf(word);
    if (at < 0) return [];
    // A phrase for a phrase: word for word.
    return [...counted(match.stems, 1 / members.length), ...match.phrases.flatMap((phrase) => counted(phrase.slice(at, at + 1), 1))];
  });
  // Of a term that comes twice the larger share stays.
  const rising = [...alone, ...inPhrases].sort((a, c) => a.share - c.share);
  return new Map(rising.map(({ term, share }) => [term, share]));
}

/** Words of phrases beyond those of what they stand for: each has to be found by itself. */
function moreWords(words: readonly QueryWord[], matches: readonly SynonymMatch[]): ReadPhrase[] {
  return matches.flatMap((match) => {
    const members = membersOf(match, words).length;
    if (members === 0) return [];
    return match.phrases.flatMap((phrase) =>
      phrase.slice(members).map((term) => ({ phrase: phrase.join(' '), forms: [{ whole: term, terms: [term] }] })),
    );
  });
}

/** A query, before it is known which terms the documents hold. */
function read(query: string, languages: readonly Language[], own: Thesaurus | undefined) {
  const visible = withoutInvisible(query);
  const asked = askedIn(visible, languages);
  const words = queryWords(visible, languages, asked).slice(0, maxQueryWords);
  const raw = rawWords(visible);
  const folded = fold(visible);
  const thesauri = asked.flatMap((language) => [...(own ? [own.in(language)] : []), lexiconSynonyms(language)]);
  const matches = thesauri.flatMap((synonyms) => synonyms.phrasesIn(raw));
  const written: ReadPhrase[] = thesauri.flatMap((synonyms) => synonyms.writtenIn(folded));
  return {
    words: words.map((word): ReadWord => ({ word, synonyms: wordSynonyms(word, words, matches, thesauri) })),
    phrases: [...written, ...moreWords(words, matches)],
    asked,
    languages,
  };
}

type Reading = ReturnType<typeof read>;

/** A query, and what the documents hold of it. */
interface Known extends Reading {
  readonly chunks: number;
  /** In how many of them terms stand, as far as that was asked; terms that stand in none are not there. */
  readonly holders: ReadonlyMap<string, number>;
}

const termsAsked = ({ words, phrases }: Reading): string[] => [
  ...words.flatMap(({ word, synonyms }) => [...word.terms, ...synonyms.keys()]),
  ...phrases.flatMap(({ forms }) => forms.flatMap(({ terms }) => terms)),
];

const latin = 'abcdefghijklmnopqrstuvwxyz';
const alphabets: Readonly<Partial<Record<Language, string>>> = {
  de: `${latin}äöüß`,
  en: latin,
  es: `${latin}áéíóúñ`,
  fr: `${latin}éèêàçôîûù`,
  it: `${latin}àèéìòù`,
  nl: `${latin}ëé`,
  pt: `${latin}áâãçéêíóôõú`,
  ru: 'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
};

/** In a shorter word a slip leaves too little to tell what was meant. */
const mayBeMistyped = /^[\p{Script=Latin}\p{Script=Cyrillic}]{4,24}$/u;

/** A German word with its umlauts, where it is written without the keys for them: `Kuendigung`, `Gebuehr`. */
const withUmlauts = (word: string): string => word.replace(/([ao]|(?<![aeq])u)e/g, '$1\u0308').normalize('NFC');

/** `gekündigt`, `heruntergeladen`: the stemmer leaves the `ge` of a participle where it stands. */
const participle = /^(\p{L}{2,8}?)?ge(\p{L}{3,}?)(?:en|e?t)$/u;

/** Other forms of a German word under which it may be known: with umlauts, and the infinitive of a participle. */
export function germanForms(word: string): readonly string[] {
  const spelled = withUmlauts(word);
  const infinitives = [...new Set([word, spelled])].flatMap((form) => {
    const [, prefix = '', root] = participle.exec(form) ?? [];
    return root === undefined ? [] : [`${prefix}${root}en`];
  });
  return [...(spelled === word ? [] : [spelled]), ...infinitives];
}

/**
 * Every spelling at one slip from a word: two neighbouring letters swapped, one left out, one too many, one for another
 * (Damerau 1964: four in five misspellings are one of these). What is looked up are the stems of these spellings, so that a slip in an
 * ending is found as well as one in the stem. Some come more than once.
 * @param word lower case, letters only
 */
function* correctionsOf(word: string, language: Language): Generator<string> {
  for (let at = 0; at + 1 < word.length; at++) {
    if (word[at] !== word[at + 1]) yield `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  }
  for (let at = 0; at < word.length; at++) yield word.slice(0, at) + word.slice(at + 1);
  for (let at = 0; at <= word.length; at++) {
    for (const letter of alphabets[language] ?? latin) {
      yield word.slice(0, at) + letter + word.slice(at);
      if (at < word.length && word[at] !== letter) yield word.slice(0, at) + letter + word.slice(at + 1);
    }
  }
}

/** A word that no document holds as it was typed, read in other ways: terms of other forms of a German word, and words one slip away. */
function respell(word: string, { asked, languages }: Reading) {
  const forms = languages.includes('de') ? germanForms(word).flatMap((form) => termsOf(form, 'de')) : [];
  const isMeant = !mayBeMistyped.test(word) || (asked.includes('en') && isEnglishWord(word));
  const corrections = (isMeant ? [] : languages).flatMap((language) =>
    Array.from(correctionsOf(word, language), (spelling) => ({ spelling, language, term: stem(spelling, language) })),
  );
  return { forms, corrections };
}

type Respelling = ReturnType<typeof respell>;

/** What a mistyped word was meant for. @returns undefined where the slip is in a word that only says how something is asked */
function meantBy(word: string, { corrections }: Respelling, { asked, holders }: Known): string[] | undefined {
  const found = new Set<string>();
  for (const { spelling, language, term } of corrections) if (holders.has(term) && !isStopWord(spelling, language)) found.add(term);
  // What the documents hold is meant before what only asks.
  const isStop = ({ spelling, language }: Respelling['corrections'][number]) =>
    asked.includes(language) && isStopWord(spelling, language) && isPlainSlip(word, spelling);
  if (found.size === 0 && corrections.some(isStop)) return undefined;
  const count = (term: string) => holders.get(term) ?? 0;
  return [...found].sort((a, c) => count(c) - count(a) || (a < c ? -1 : 1)).slice(0, maxNearWords);
}

/** @param telling terms that say how much the word is worth: the most frequent of them does */
function planned(word: QueryWord, alternatives: readonly Alternative[], telling: readonly string[], known: Known): PlannedTerm {
  const idfOfAny = (terms: readonly string[]) => idfOf(Math.max(0, ...terms.map((term) => known.holders.get(term) ?? 0)), known.chunks);
  const wholeIdf = idfOfAny(telling);
  const idf = wholeIdf * word.share;
  const weighed = alternatives.map((one): Expansion => {
    const own = one.weight === 1 ? idf : word.share * Math.min(wholeIdf, idfOfAny([one.term]));
    return { ...one, impact: one.weight * own };
  });
  weighed.sort((a, c) => c.impact - a.impact || (a.term < c.term ? -1 : 1));
  return { word, alternatives: weighed.slice(0, maxAlternatives), idf };
}

/** @param respelling where no document holds the word as it was typed */
function planWord({ word, synonyms }: ReadWord, respelling: Respelling | undefined, known: Known): PlannedTerm[] {
  const isKnown = (term: string) => known.holders.has(term);
  const own = word.terms.filter(isKnown);
  const exact = own.length > 0 ? own : (respelling?.forms ?? []).filter(isKnown);
  const meant = exact.length > 0 || !respelling ? [] : meantBy(word.word, respelling, known);
  if (!meant) return [];
  const alike = [...synonyms].filter(([term]) => isKnown(term) && !exact.includes(term));
  const alternatives: Alternative[] = [
    ...exact.map((term) => ({ term, weight: 1, certainty: 1 })),
    ...alike.map(([term, share]) => ({ term, weight: synonymWeight * share, certainty: synonymCertainty })),
    ...meant.map((term) => ({ term, weight: nearWeight, certainty: nearCertainty })),
  ];
  return [planned(word, alternatives, exact.length > 0 ? exact : alternatives.map(({ term }) => term), known)];
}

function planPhrase({ phrase, forms }: ReadPhrase, known: Known): PlannedTerm[] {
  const alternatives = forms.flatMap(({ whole, terms }): Alternative[] => {
    const held = terms.filter((term) => known.holders.has(term));
    const said = held.includes(whole) ? [whole] : held;
    return said.map((term) => ({ term, weight: synonymWeight / said.length, certainty: synonymCertainty }));
  });
  if (alternatives.length === 0) return [];
  const word = { word: phrase, terms: [], isName: false, isStop: false, isWhole: true, share: 1, position: 0 };
  return [
    planned(
      word,
      alternatives,
      alternatives.map(({ term }) => term),
      known,
    ),
  ];
}

async function planQuery(query: string, { chunks, languages }: EngineStatistics, { index, synonyms }: PlanOptions): Promise<PlannedTerm[]> {
  const reading = read(query, languages, synonyms);
  const holders = new Map(await index.documentFrequencies(new Set(termsAsked(reading))));
  const unknown = reading.words.filter(({ word }) => !word.terms.some((term) => holders.has(term)));
  const respellings = new Map(unknown.slice(0, maxRespelled).map(({ word }) => [word, respell(word.word, reading)]));
  const spellings = [...respellings.values()].flatMap(({ forms, corrections }) => [...forms, ...corrections.map(({ term }) => term)]);
  if (spellings.length > 0) for (const [term, count] of await index.documentFrequencies(new Set(spellings))) holders.set(term, count);
  const known = { ...reading, chunks, holders };
  return [
    ...reading.words.flatMap((word) => planWord(word, respellings.get(word.word), known)),
    ...reading.phrases.flatMap((phrase) => planPhrase(phrase, known)),
  ];
}

/**
 * What a query asks for, and what the conversation was about. Of a query that only points back ("how long does it take?") nothing else
 * is left.
 */
export async function planConversation(query: string, background: string, options: PlanOptions): Promise<readonly PlannedTerm[]> {
  const statistics = await options.index.statistics();
  const own = await planQuery(query, statistics, options);
  const hasContent = own.some(({ word }) => !word.isStop);
  // Words that only ask are searched where there are no others, but cover nothing.
  if (background === '') return hasContent ? own : own.map((term) => ({ ...term, isBackground: true }));
  const kept = hasContent ? own : [];
  const terms = new Set(kept.flatMap(({ alternatives }) => alternatives.map(({ term }) => term)));
  const carried = (await planQuery(background, statistics, options))
    .filter(({ alternatives }) => !alternatives.some(({ term }) => terms.has(term)))
    .map(
      (term): PlannedTerm => ({
        ...term,
        idf: term.idf * backgroundWeight,
        alternatives: term.alternatives.map((one) => ({ ...one, impact: one.impact * backgroundWeight })),
        isBackground: kept.length > 0,
      }),
    );
  return [...kept, ...carried];
}
