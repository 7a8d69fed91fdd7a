/** Query → the words to search for, in every language of the documents, without stop words. */
import { fold, isStopWord, type Language } from './languages.ts';
import { entriesNamed, lexiconGroups } from './lexicon.ts';
import {
  hasUnspaced,
  isNameAt,
  termsOf,
  unspacedWords,
  valueTerms,
  wordMatches,
} from './tokens.ts';

export type QueryWord = Readonly<{
  word: string;
  /** Its distinct terms in the languages of the documents: any of them matches. */
  terms: readonly string[];
  isName: boolean;
  isStop: boolean;
  /**
   * Does not count for coverage: a compound, whose parts count instead, or a pair of characters
   * across two words.
   */
  isOptional: boolean;
  /** Weight, 0 to 1; below 1 for a pair of characters, which is only part of a word. */
  share: number;
  position: number;
}>;

const questionGroups = lexiconGroups('all', 'question-words');
const questionWords = new Set(
  entriesNamed(questionGroups, '').flatMap((word) => termsOf(word, 'zh')),
);
const koreanWords = entriesNamed(questionGroups, 'ko');
const isKoreanAsking = (word: string) => koreanWords.some((one) => word.startsWith(one));
/** A polite verb at the end of a question, which a document inflects otherwise. */
const koreanVerb = /^\p{Script=Hangul}{2,}[요까]$/u;
/** Hiragana alone are endings and particles. */
const grammatical = /^\p{Script=Hiragana}+$|[的了吗呢么啊吧]/u;
const isFunctionGram = (term: string) =>
  grammatical.test(term) || questionWords.has(term) || isKoreanAsking(term);

/** Weight of a pair of characters across two words: a document may be segmented differently. */
const crossingShare = 0.3;

/** Weights in a run without spaces: each word has 1, and its pairs of characters share 1. */
function sharesOf(run: string) {
  const shares = new Map<string, number>();
  for (const characters of unspacedWords(run)) {
    const word = characters.join('');
    if (isKoreanAsking(word) || koreanVerb.test(word)) continue;
    if (characters.length > 2) shares.set(word, 1);
    const share = 1 / Math.max(1, characters.length - 1);
    for (let index = 0; index + 1 < characters.length; index++) {
      const pair = `${characters[index]}${characters[index + 1]}`;
      shares.set(pair, Math.max(shares.get(pair) ?? 0, share));
    }
  }
  return shares;
}

const values: readonly string[] = Object.values(valueTerms);

/** Yields the word, or a compound and its parts, or words and pairs of characters. */
function* wordsOf(
  raw: string,
  isName: boolean,
  languages: readonly Language[],
  stops: (word: string) => boolean,
): Generator<Omit<QueryWord, 'position'>> {
  const forms = languages.map((language) =>
    termsOf(raw, language).filter((one) => !values.includes(one)),
  );
  const isStop = stops(raw);
  if (hasUnspaced(raw)) {
    const shares = sharesOf(fold(raw));
    for (const term of forms[0] ?? [])
      yield {
        word: term,
        terms: [term],
        isName: false,
        isOptional: !shares.has(term),
        isStop: isFunctionGram(term),
        share: shares.get(term) ?? crossingShare,
      };
    return;
  }
  const parts = Math.max(1, ...forms.map((terms) => terms.length));
  for (let part = 0; part < parts; part++) {
    const terms = forms.flatMap((of) => of[part] ?? []);
    yield {
      word: parts === 1 ? fold(raw) : (terms[0] ?? ''),
      terms,
      isName: isName && part === 0,
      isOptional: part === 0 && parts > 1,
      isStop: isStop || (part > 0 && terms.some(stops)),
      share: 1,
    };
  }
}

/**
 * Distinct words of a query without stop words; all of them if there are only stop words ("who?"
 * may be a band).
 */
export function queryWords(
  query: string,
  languages: readonly Language[],
  asked: readonly Language[],
): QueryWord[] {
  const all = new Map<string, QueryWord>();
  const stops = (word: string) => asked.some((language) => isStopWord(word, language));
  for (const [position, { 0: raw, index }] of [...wordMatches(query)].entries()) {
    const isName = isNameAt(query, index, raw, asked[0] ?? 'en');
    for (const word of wordsOf(raw, isName, languages, stops)) {
      const terms = [...new Set(word.terms)];
      // `I'd` is not `id`.
      const key = `${word.isStop}\n${terms.join('\n')}`;
      if (terms.length > 0 && !all.has(key)) all.set(key, { ...word, terms, position });
    }
  }
  const meaningful = [...all.values()].filter(({ isStop }) => !isStop);
  return meaningful.length > 0 ? meaningful : [...all.values()];
}
