/**
 * Plans a query: finds the index terms that match each word. These are the word itself, its
 * synonyms and, for unknown words, corrections of one typing error. Queries the engine at most
 * twice: for words and synonyms, then for spellings of unknown words.
 */
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import {
  fold,
  isStopWord,
  type Language,
  stem,
  stopWordShares,
} from '../../packages/shared/src/language/languages.ts';
import { type QueryWord, queryWords } from '../../packages/shared/src/language/query-words.ts';
import {
  type LanguageSynonyms,
  lexiconSynonyms,
  rewritings,
  type SynonymMatch,
  type Thesaurus,
} from '../../packages/shared/src/language/synonyms.ts';
import { rawWords, termsOf } from '../../packages/shared/src/language/tokens.ts';
import {
  backgroundWeight,
  idfOf,
  nearCertainty,
  nearWeight,
  synonymCertainty,
  synonymWeight,
} from './scoring.ts';
import type { TermStatistics } from './search-engine.ts';
import { isEnglishWord } from './word-frequency.ts';

type Alternative = Readonly<{
  term: string;
  /** Share of the word's score, 0 to 1; 1 for the word itself. */
  weight: number;
  /**
   * Confidence that a chunk with the term means the word, 0 to 1. Unlike the weight, it is not
   * divided among the words of a phrase.
   */
  certainty: number;
  /** Whether it covers each of several words. */
  isShared?: boolean;
}>;

interface Expansion extends Alternative {
  /** idf times weight. */
  readonly impact: number;
}

export type PlannedTerm = Readonly<{
  word: QueryWord;
  /** Highest impact first; empty if no document has the word or an alternative. */
  alternatives: readonly Expansion[];
  idf: number;
  /**
   * Whether coverage ignores the term: it comes from the conversation, or the query has only stop
   * words.
   */
  isBackground?: boolean;
}>;

const maxQueryWords = 128;
/** Maximum unknown words that are corrected; each costs hundreds of lookups. */
const maxRespelled = 16;
/** Maximum alternatives of one word; each costs a scan of its postings. */
const maxAlternatives = 6;
/** Maximum corrections of one word; the most frequent ones win. */
const maxNearWords = 4;
/**
 * Minimum letters of a stop word for errors other than transpositions. Shorter ones have too many
 * neighbours: `SAML` is not `same`.
 */
const minPlainLength = 6;

/**
 * Probable languages of a query, among those of the documents: those with the most stop words in
 * it.
 */
function askedIn(query: string, languages: readonly Language[]) {
  const shares = [...stopWordShares(query)].filter(([language]) => languages.includes(language));
  const most = Math.max(0, ...shares.map(([, share]) => share));
  return most === 0
    ? languages
    : shares.filter(([, share]) => share === most).map(([language]) => language);
}

/** A short word is a mistyped stop word only if letters are transposed. */
const isLikelyTypo = (word: string, spelling: string) =>
  spelling.length >= minPlainLength ||
  (word.length === spelling.length && [...word].sort().join('') === [...spelling].sort().join(''));

/** A synonym phrase that the query implies. */
interface ReadPhrase {
  readonly phrase: string;
  /** Each form is found as one term if the documents have it, else by its terms. */
  readonly forms: readonly Readonly<{ whole: string; terms: readonly string[] }>[];
}

const membersOf = ({ from, to }: SynonymMatch, words: readonly QueryWord[]) =>
  words.filter(({ position, isOptional }) => position >= from && position < to && !isOptional);

/** Term → share of a synonym's weight, 0 to 1. */
function wordSynonyms(
  word: QueryWord,
  words: readonly QueryWord[],
  matches: readonly SynonymMatch[],
  thesauri: readonly LanguageSynonyms[],
) {
  const counted = (terms: readonly string[], share: number) =>
    terms.map((term) => ({ term, share }));
  const alone = word.terms.flatMap((term) =>
    thesauri.flatMap((synonyms) => counted(synonyms.of(term), 1)),
  );
  const inPhrases = matches.flatMap((match) => {
    const members = membersOf(match, words);
    const at = members.indexOf(word);
    if (at < 0) return [];
    // Phrases are replaced word by word.
    return [
      ...counted(match.stems, 1 / members.length),
      ...match.phrases.flatMap((phrase) => counted(phrase.slice(at, at + 1), 1)),
    ];
  });
  // Sorted, so that the largest share of a repeated term wins.
  const rising = [...alone, ...inPhrases].sort((a, c) => a.share - c.share);
  return new Map(rising.map(({ term, share }) => [term, share]));
}

/**
 * Returns the extra words of synonym phrases that are longer than the phrase they replace. Each is
 * searched separately.
 */
function moreWords(words: readonly QueryWord[], matches: readonly SynonymMatch[]) {
  return matches.flatMap((match) => {
    const members = membersOf(match, words).length;
    if (members === 0) return [];
    return match.phrases.flatMap((phrase) =>
      phrase
        .slice(members)
        .map((term) => ({ phrase: phrase.join(' '), forms: [{ whole: term, terms: [term] }] })),
    );
  });
}

/**
 * Reads a query before its terms are looked up. @param languages of the documents
 * @returns `asked`: probable languages of the query; `rewritten`: terms that stand for a word and
 * its neighbours
 */
function read(query: string, languages: readonly Language[], own: Thesaurus | undefined) {
  const visible = withoutInvisible(query);
  const asked = askedIn(visible, languages);
  const words = queryWords(visible, languages, asked).slice(0, maxQueryWords);
  const raw = rawWords(visible);
  const folded = fold(visible);
  const thesauri = asked.flatMap((language) => [
    ...(own ? [own.in(language)] : []),
    lexiconSynonyms(language),
  ]);
  const matches = thesauri.flatMap((synonyms) => synonyms.phrasesIn(raw));
  const rewritten = rewritings(raw);
  const written: ReadPhrase[] = thesauri.flatMap((synonyms) => synonyms.writtenIn(folded));
  return {
    words: words.map((word) => ({
      word,
      synonyms: wordSynonyms(word, words, matches, thesauri),
      rewritten: rewritten
        .filter(({ from, to }) => word.position >= from && word.position < to)
        .map(({ term }) => term),
    })),
    phrases: [...written, ...moreWords(words, matches)],
    asked,
    languages,
  };
}

type ReadQuery = ReturnType<typeof read>;
type ReadWord = ReadQuery['words'][number];

type CountedQuery = ReadQuery &
  Readonly<{
    chunks: number;
    /** Term → number of chunks with it, for terms that were looked up and occur. */
    holders: ReadonlyMap<string, number>;
  }>;

const termsAsked = ({ words, phrases }: ReadQuery) => [
  ...words.flatMap(({ word, synonyms, rewritten }) => [
    ...word.terms,
    ...synonyms.keys(),
    ...rewritten,
  ]),
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

/** Shorter words have too many neighbours. */
const mayBeMistyped = /^[\p{Script=Latin}\p{Script=Cyrillic}]{4,24}$/u;

/** Restores umlauts: `Kuendigung`, `Gebuehr`. */
const withUmlauts = (word: string) =>
  word.replace(/([ao]|(?<![aeq])u)e/g, '$1\u0308').normalize('NFC');

/** `gekündigt`, `heruntergeladen`: the stemmer keeps the `ge` of a participle. */
const participle = /^(\p{L}{2,8}?)?ge(\p{L}{3,}?)(?:en|e?t)$/u;

/** Other forms of a German word: with umlauts, and the infinitive of a participle. */
export function germanForms(word: string): readonly string[] {
  const spelled = withUmlauts(word);
  const infinitives = [...new Set([word, spelled])].flatMap((form) => {
    const [, prefix = '', root] = participle.exec(form) ?? [];
    return root === undefined ? [] : [`${prefix}${root}en`];
  });
  return [...(spelled === word ? [] : [spelled]), ...infinitives];
}

/**
 * Yields all spellings at Damerau–Levenshtein distance 1, with repetitions; they cover four in five
 * misspellings (Damerau 1964). The caller looks up their stems, so that errors in endings are found
 * too.
 * @param word lower case, letters only
 */
function* correctionsOf(word: string, language: Language) {
  for (let at = 0; at + 1 < word.length; at++) {
    if (word[at] !== word[at + 1])
      yield `${word.slice(0, at)}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
  }
  for (let at = 0; at < word.length; at++) yield word.slice(0, at) + word.slice(at + 1);
  for (let at = 0; at <= word.length; at++) {
    for (const letter of alphabets[language] ?? latin) {
      yield word.slice(0, at) + letter + word.slice(at);
      if (at < word.length && word[at] !== letter)
        yield word.slice(0, at) + letter + word.slice(at + 1);
    }
  }
}

/** A part of a word, and its terms. */
type Part = Readonly<{ word: string; terms: readonly string[]; isStop: boolean }>;

/** `time sheet`, `log in`, but not `to day`, or a part of a name. */
const maxSplit = 24;
const minSplit = 3;
const particle = /^(?:in|on|up|off|out)$/;

function wordSplits({ word, isName }: QueryWord) {
  if (isName || !/^[a-z]+$/.test(word) || word.length > maxSplit) return [];
  return Array.from({ length: word.length }, (_, at) => [word.slice(0, at), word.slice(at)]).filter(
    ([first = '', last = '']) =>
      first.length >= minSplit &&
      (last.length >= minSplit || particle.test(last)) &&
      isEnglishWord(first) &&
      isEnglishWord(last),
  );
}

/** Ways to write a word apart: in English as two words, or a code at its figures: `KX 4410`. */
function splitsOf(word: QueryWord, { asked, languages }: ReadQuery) {
  const borders = word.word.split(/(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/u);
  const isCode = borders.length > 1 && borders.length < 5;
  const splits = isCode ? [borders] : asked.includes('en') ? wordSplits(word) : [];
  return splits.map((parts) =>
    parts.map((part) => ({
      word: part,
      terms: languages.flatMap((language) => termsOf(part, language)),
      isStop: particle.test(part),
    })),
  );
}

/**
 * Alternative spellings of a word that no document contains. `forms`: terms of other forms of a
 * German word.
 */
function respell(asWritten: QueryWord, query: ReadQuery) {
  const { word } = asWritten;
  const { asked, languages } = query;
  const forms = languages.includes('de')
    ? germanForms(word).flatMap((form) => termsOf(form, 'de'))
    : [];
  const isCorrect = !mayBeMistyped.test(word) || (asked.includes('en') && isEnglishWord(word));
  const corrections = (isCorrect ? [] : languages).flatMap((language) =>
    Array.from(correctionsOf(word, language), (spelling) => ({
      spelling,
      language,
      term: stem(spelling, language),
    })),
  );
  return { forms, corrections, splits: splitsOf(asWritten, query) };
}

type Respelling = ReturnType<typeof respell>;

/** Terms that a mistyped word may mean. @returns undefined for a mistyped stop word */
function correctedTerms(
  word: string,
  { corrections }: Respelling,
  { asked, holders }: CountedQuery,
) {
  const found = new Set<string>();
  for (const { spelling, language, term } of corrections)
    if (holders.has(term) && !isStopWord(spelling, language)) found.add(term);
  // Words of the documents have priority over stop words.
  const isStop = ({ spelling, language }: Respelling['corrections'][number]) =>
    asked.includes(language) && isStopWord(spelling, language) && isLikelyTypo(word, spelling);
  if (found.size === 0 && corrections.some(isStop)) return undefined;
  const count = (term: string) => holders.get(term) ?? 0;
  return [...found].sort((a, c) => count(c) - count(a) || (a < c ? -1 : 1)).slice(0, maxNearWords);
}

/** @param weighing the most frequent of these terms determines the idf */
function planned(
  word: QueryWord,
  alternatives: readonly Alternative[],
  weighing: readonly string[],
  known: CountedQuery,
) {
  const idfOfAny = (terms: readonly string[]) =>
    idfOf(Math.max(0, ...terms.map((term) => known.holders.get(term) ?? 0)), known.chunks);
  const wholeIdf = idfOfAny(weighing);
  const idf = wholeIdf * word.share;
  const weighed = alternatives.map((one) => {
    const own = one.weight === 1 ? idf : word.share * Math.min(wholeIdf, idfOfAny([one.term]));
    return { ...one, impact: one.weight * own };
  });
  weighed.sort((a, c) => c.impact - a.impact || (a.term < c.term ? -1 : 1));
  return { word, alternatives: weighed.slice(0, maxAlternatives), idf };
}

/** Parts of a word that the documents have all, without stop words; the most frequent split. */
function splitInto(splits: Respelling['splits'], { holders }: CountedQuery) {
  const count = ({ terms }: Part) => Math.max(0, ...terms.map((term) => holders.get(term) ?? 0));
  const [best] = splits
    .map((parts) => parts.filter(({ isStop }) => !isStop))
    .map((parts) => ({ parts, least: parts.length > 0 ? Math.min(...parts.map(count)) : 0 }))
    .filter(({ least }) => least > 0)
    .sort((a, c) => c.parts.length - a.parts.length || c.least - a.least);
  return best?.parts ?? [];
}

/** @param respelling undefined if documents have the word as typed */
function planWord(
  { word, synonyms, rewritten }: ReadWord,
  respelling: Respelling | undefined,
  known: CountedQuery,
): PlannedTerm[] {
  const isKnown = (term: string) => known.holders.has(term);
  const own = word.terms.filter(isKnown);
  const exact = own.length > 0 ? own : (respelling?.forms ?? []).filter(isKnown);
  const corrected =
    exact.length > 0 || !respelling ? [] : correctedTerms(word.word, respelling, known);
  if (!corrected) return [];
  const parts =
    exact.length + corrected.length > 0 ? [] : splitInto(respelling?.splits ?? [], known);
  if (parts.length > 0)
    return parts.flatMap((part) =>
      planWord({ word: { ...word, ...part }, synonyms: new Map(), rewritten }, undefined, known),
    );
  const alike = [...synonyms].filter(([term]) => isKnown(term) && !exact.includes(term));
  const alternatives: Alternative[] = [
    ...exact.map((term) => ({ term, weight: 1, certainty: 1 })),
    ...alike.map(([term, share]) => ({
      term,
      weight: synonymWeight * share,
      certainty: synonymCertainty,
    })),
    ...corrected.map((term) => ({ term, weight: nearWeight, certainty: nearCertainty })),
    ...rewritten
      .filter((term) => isKnown(term) && !exact.includes(term))
      .map((term) => ({
        term,
        weight: nearWeight,
        certainty: nearCertainty,
        isShared: true,
      })),
  ];
  return [
    planned(
      word,
      alternatives,
      exact.length > 0 ? exact : alternatives.map(({ term }) => term),
      known,
    ),
  ];
}

function planPhrase({ phrase, forms }: ReadPhrase, known: CountedQuery) {
  const alternatives = forms.flatMap(({ whole, terms }): Alternative[] => {
    const held = terms.filter((term) => known.holders.has(term));
    const said = held.includes(whole) ? [whole] : held;
    return said.map((term) => ({
      term,
      weight: synonymWeight / said.length,
      certainty: synonymCertainty,
    }));
  });
  if (alternatives.length === 0) return [];
  const word = {
    word: phrase,
    terms: [],
    isName: false,
    isStop: false,
    isOptional: true,
    share: 1,
    position: 0,
  };
  return [
    planned(
      word,
      alternatives,
      alternatives.map(({ term }) => term),
      known,
    ),
  ];
}

async function planQuery(
  query: string,
  { chunks, languages }: Awaited<ReturnType<TermStatistics['statistics']>>,
  index: TermStatistics,
  synonyms: Thesaurus | undefined,
) {
  const reading = read(query, languages, synonyms);
  const holders = new Map(await index.documentFrequencies(new Set(termsAsked(reading))));
  const unknown = reading.words.filter(({ word }) => !word.terms.some((term) => holders.has(term)));
  const respellings = new Map(
    unknown.slice(0, maxRespelled).map(({ word }) => [word, respell(word, reading)]),
  );
  const spellings = [...respellings.values()].flatMap(({ forms, corrections, splits }) => [
    ...forms,
    ...splits.flatMap((parts) => parts.flatMap(({ terms }) => terms)),
    ...corrections.map(({ term }) => term),
  ]);
  if (spellings.length > 0)
    for (const [term, count] of await index.documentFrequencies(new Set(spellings)))
      holders.set(term, count);
  const known = { ...reading, chunks, holders };
  return [
    ...reading.words.flatMap((word) => planWord(word, respellings.get(word.word), known)),
    ...reading.phrases.flatMap((phrase) => planPhrase(phrase, known)),
  ];
}

/**
 * Plans a query and the topic of its conversation. A query without content words ("how long does it
 * take?") uses only the topic.
 * @param synonyms those of the operator, used in addition to the lexicon
 */
export async function planConversation(
  query: string,
  background: string,
  index: TermStatistics,
  synonyms?: Thesaurus,
): Promise<readonly PlannedTerm[]> {
  const statistics = await index.statistics();
  const own = await planQuery(query, statistics, index, synonyms);
  const hasContent = own.some(({ word }) => !word.isStop);
  // If the query has only stop words, they are searched but do not count for coverage.
  if (background === '')
    return hasContent ? own : own.map((term) => ({ ...term, isBackground: true }));
  const kept = hasContent ? own : [];
  const terms = new Set(kept.flatMap(({ alternatives }) => alternatives.map(({ term }) => term)));
  const carried = (await planQuery(background, statistics, index, synonyms))
    .filter(({ alternatives }) => !alternatives.some(({ term }) => terms.has(term)))
    .map(
      (term): PlannedTerm => ({
        ...term,
        idf: term.idf * backgroundWeight,
        alternatives: term.alternatives.map((one) => ({
          ...one,
          impact: one.impact * backgroundWeight,
        })),
        isBackground: kept.length > 0,
      }),
    );
  return [...kept, ...carried];
}
