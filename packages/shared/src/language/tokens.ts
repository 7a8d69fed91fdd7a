/**
 * Text → folded stems, for documents, queries and answers. A compound (`getUserById`, `v1.2.3`,
 * `example.com`) yields itself and its parts. Korean and scripts without spaces yield
 * Intl.Segmenter words and character bigrams, so that different segmentations still match.
 */
import { detachString } from '../markdown/detach-string.ts';
import { withoutInvisible } from './invisible.ts';
import { fold, isStopWord, type Language, stem } from './languages.ts';
import { lexiconEntries } from './lexicon.ts';
import { perLanguage, perWord } from './per-language.ts';

/** Words with single inner marks stay together; they are split later. `C++` and `C#` are words. */
const wordPattern =
  /[\p{L}\p{N}\p{M}_]+(?:[.'’@/-][\p{L}\p{N}\p{M}_]+)*(?:\+\+|#(?![\p{L}\p{N}\p{M}_]))?/gu;
/** Matches like `wordPattern` in ASCII text, in half the time. */
const asciiWordPattern = /[A-Za-z0-9_]+(?:[.'@/-][A-Za-z0-9_]+)*(?:\+\+|#(?![A-Za-z0-9_]))?/g;
const notAscii = /[^\p{ASCII}]/u;
const unspacedScripts =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const unspaced = new RegExp(`([${unspacedScripts}ー々]+)`, 'u');
const unspacedPattern = new RegExp(`[${unspacedScripts}]`, 'u');
export const hasUnspaced = (word: string) => unspacedPattern.test(word);
/** Splits a word where its script changes. Parts at odd indexes are in scripts without spaces. */
export const scriptRuns = (word: string): string[] =>
  hasUnspaced(word) ? word.split(unspaced) : [word];
const camelHump = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const innerMarks = /[.'’@_/-]+/g;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Longer words are ignored: a document may have a megabyte without a space. */
const maxTermLength = 64;

export function* segmented(run: string): Generator<string> {
  for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike) yield segment;
}

const traditional = [...lexiconEntries('all', 'traditional').join('')];
const simplifiedForms = new Map(
  traditional.flatMap((one, at) => (at % 2 ? [] : [[one, traditional[at + 1] ?? one] as const])),
);
/** Characters of a text in simplified Chinese. */
export const simplified = (run: string): string[] =>
  Array.from(run, (character) => simplifiedForms.get(character) ?? character);

const particles = lexiconEntries('all', 'korean-particles');
/** A Korean noun without its particle: `주차장은`, `주차장이`. */
function withoutParticle(word: string) {
  const particle =
    /^\p{Script=Hangul}{3,}$/u.test(word) && particles.find((one) => word.endsWith(one));
  const noun = particle ? word.slice(0, -particle.length) : word;
  return noun.length > 1 ? noun : word;
}

/** Words of a run without spaces, each as its characters in simplified Chinese. */
export const unspacedWords = (run: string): string[][] =>
  Array.from(segmented(run), (word) => simplified(withoutParticle(word)));

function* unspacedTerms(run: string) {
  const characters = simplified(run);
  if (characters.length === 1) yield characters.join('');
  for (let index = 0; index + 1 < characters.length; index++)
    yield `${characters[index]}${characters[index + 1]}`;
  for (const word of unspacedWords(run)) if (word.length > 2) yield word.join('');
}

/**
 * Parts of German and Dutch compounds: `Nummer` finds `Umsatzsteuernummer`, and the reverse. Fixed
 * lists keep splits stable.
 */
const dictionaries: Readonly<Record<string, ReadonlySet<string>>> = {
  de: new Set(lexiconEntries('de', 'compound-parts')),
  nl: new Set(lexiconEntries('nl', 'compound-parts')),
};
const links: Readonly<Record<string, readonly string[]>> = {
  de: ['', 's', 'es', 'n', 'en', 'er', 'e'],
  nl: ['', 's', 'en', 'e', 'n'],
};

const minWordLength = 7;
const maxWordLength = 40;
const minPartLength = 3;

/**
 * Splits a compound into the fewest parts; empty if the dictionary cannot split it. @param word
 * lower case
 */
export function compoundParts(word: string, language: string): readonly string[] {
  const dictionary = dictionaries[language];
  if (!dictionary || word.length < minWordLength || word.length > maxWordLength) return [];
  /** By length: the fewest parts that make up a prefix of the word. */
  const best: (readonly string[])[] = [[]];
  // Extends a prefix by a part and each possible linking element. One part and an ending is not a
  // compound.
  const extend = (parts: readonly string[], end: number) => {
    for (const link of end === word.length ? [''] : (links[language] ?? [])) {
      const to = end + link.length;
      if (!word.startsWith(link, end) || (to === word.length && parts.length < 2)) continue;
      if (parts.length < (best[to]?.length ?? Number.POSITIVE_INFINITY)) best[to] = parts;
    }
  };
  for (let end = minPartLength; end <= word.length; end++) {
    for (let start = 0; start <= end - minPartLength; start++) {
      const before = best[start];
      const part = word.slice(start, end);
      if (before && part !== word && dictionary.has(part)) extend([...before, part], end);
    }
  }
  return best[word.length] ?? [];
}

/** The stem of a word, then the parts of a German or Dutch compound. */
function* wordTerms(word: string, language: Language) {
  yield stem(word, language);
  for (const part of compoundParts(word.toLowerCase(), language)) yield stem(part, language);
}

const cyrillicApostrophe = /(?<=\p{Script=Cyrillic})['’](?=\p{Script=Cyrillic})/gu;

/** Terms of words that are a telephone number, or an address of e-mail. */
export const valueTerms = { phone: '#phone', mail: '@mail' } as const;
const date = /^(?:(?:19|20)\d\d([-/])\d\d?\1\d\d?|\d\d?([-/])\d\d?\2(?:19|20)\d\d)$/;
function valueTerm(word: string) {
  if (/^[^@]+@[^@]+\.\p{L}{2,}$/u.test(word)) return valueTerms.mail;
  const digits = /^\d[\d/-]{6,20}$/.test(word) ? word.replace(/\D/g, '').length : 0;
  return digits >= 7 && digits <= 15 && !date.test(word) ? valueTerms.phone : undefined;
}

/** Yields the term of the whole word, then the terms of its parts, and that of its value. */
function* compoundTerms(raw: string, language: Language) {
  // In Cyrillic an apostrophe is a letter: `об'єкт`.
  const whole = raw.replace(cyrillicApostrophe, '').replace(/['’]s$/i, '');
  const parts = whole.split(innerMarks).flatMap((part) => part.split(camelHump));
  const kept = parts.filter((part) => part !== '' && part.length <= maxTermLength);
  const value = /[\d@]/.test(whole) ? valueTerm(whole) : undefined;
  if (kept.length < 2) {
    if (kept[0]) yield* wordTerms(kept[0], language);
    if (value) yield value;
    return;
  }
  if (whole.length <= maxTermLength) yield fold(whole.replace(/['’]/g, ''));
  // `don't` is one word; in `l'abonnement` the second part is a word.
  if (/['’]/.test(whole) && (language === 'en' || kept.length > 2)) return;
  for (const part of kept) yield stem(part, language);
  if (value) yield value;
}

/** Fast path for most words. */
const plainWord = /^[A-Za-z]?[a-z]{1,63}$/;

function* scriptTerms(word: string, language: Language) {
  if (plainWord.test(word)) return yield* wordTerms(word, language);
  const parts = scriptRuns(hasUnspaced(word) ? fold(word) : word);
  for (const [index, part] of parts.entries())
    yield* index % 2 === 1 ? unspacedTerms(part) : compoundTerms(part, language);
}

/** @param visible a text without invisible characters */
export const visibleWords = (visible: string): readonly string[] =>
  visible.match(notAscii.test(visible) ? wordPattern : asciiWordPattern) ?? [];

/** Words without invisible characters, in reading order. */
export const rawWords = (text: string): readonly string[] => visibleWords(withoutInvisible(text));

export const wordMatches = (text: string): IterableIterator<RegExpExecArray> =>
  text.matchAll(wordPattern);

/** Terms of a word, uncached. */
export const computeTerms = (word: string, language: Language): readonly string[] =>
  Array.from(scriptTerms(word, language), detachString);

const termsIn = perLanguage((language) => perWord((word) => computeTerms(word, language)));

export const termsOf = (word: string, language: Language): readonly string[] =>
  termsIn(language)(word);

/** All terms of a text in reading order, with repetitions. */
export function* terms(text: string, language: Language = 'en'): Generator<string> {
  for (const word of rawWords(text)) yield* termsOf(word, language);
}

const startsSentence = /(^|[.!?:]\s*)$/;

/**
 * Whether the word at `index` is written as a name or a figure. Ignores capitals in German, where
 * all nouns have them.
 */
export function isNameAt(text: string, index: number, word: string, language: Language) {
  if (hasUnspaced(word)) return false;
  if (/\p{N}/u.test(word)) return true;
  return (
    language !== 'de' &&
    /^\p{Lu}/u.test(word) &&
    !startsSentence.test(text.slice(Math.max(0, index - 8), index))
  );
}

/**
 * Distinct terms of a text without stop words. `isName`: written as a name (capital inside a
 * sentence) or a figure.
 */
export function contentWords(text: string, language: Language = 'en') {
  const names = new Map<string, boolean>();
  for (const { 0: word, index } of wordMatches(text)) {
    if (isStopWord(word, language)) continue;
    const isName = isNameAt(text, index, word, language);
    for (const term of termsOf(word, language))
      if (!names.has(term) && !isStopWord(term, language)) names.set(term, isName);
  }
  return Array.from(names, ([term, isName]) => ({ term, isName }));
}
