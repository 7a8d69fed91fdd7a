/**
 * What questions are about: their content words, brought to their stems. Of questions that many people type, some have slips; a word
 * that is no English word and one slip from one that others typed is taken for that (Damerau 1964).
 */
import { fold, isStopWord, type Language, languageOf } from '../text/languages.ts';
import { queryWords } from '../text/query-words.ts';
import { isEnglishWord } from '../text/real-words.ts';
import { rawWords, termsOf } from '../text/words.ts';

/** In a shorter word a slip leaves too little to tell what was meant. */
const minLetters = 5;
const maxLetters = 24;
const lettersOnly = /^[a-z]+$/;
const mayBeMistyped = (word: string) => word.length >= minLetters && word.length <= maxLetters && lettersOnly.test(word);

/** Whether one letter is left out, too many, another, or swapped with its neighbour. */
function isOneSlip(a: string, b: string): boolean {
  let from = 0;
  while (from < a.length && a[from] === b[from]) from++;
  let left = a.length;
  let right = b.length;
  while (left > from && right > from && a[left - 1] === b[right - 1]) {
    left--;
    right--;
  }
  const [one, other] = [a.slice(from, left), b.slice(from, right)];
  if (one.length <= 1 && other.length <= 1) return one !== other;
  return one.length === 2 && other.length === 2 && one[0] === other[1] && one[1] === other[0];
}

/** A word and what it leaves when a letter is left out: two words at one slip have one of these in common. */
function* shortened(word: string): Generator<string> {
  yield word;
  for (let at = 0; at < word.length; at++) yield word.slice(0, at) + word.slice(at + 1);
}

/** Mistyped word → the word that was meant, among these words; both folded. */
function slipsAmong(words: ReadonlySet<string>): ReadonlyMap<string, string> {
  const candidates = [...words].filter(mayBeMistyped);
  const unknown = candidates.filter((word) => !isEnglishWord(word));
  if (unknown.length === 0) return new Map();
  const known = new Map<string, string[]>();
  for (const word of candidates) {
    if (!isEnglishWord(word)) continue;
    for (const form of shortened(word)) {
      const sharing = known.get(form);
      if (sharing) sharing.push(word);
      else known.set(form, [word]);
    }
  }
  const slips = new Map<string, string>();
  for (const word of unknown) {
    for (const form of shortened(word)) {
      const meant = known.get(form)?.find((candidate) => isOneSlip(word, candidate));
      if (meant === undefined) continue;
      slips.set(word, meant);
      break;
    }
  }
  return slips;
}

/** In a script without spaces, the words and pairs that a search would look for. */
const unspacedWords = (question: string, language: Language): readonly string[] =>
  queryWords(question, [language], [language])
    .filter(({ isStop, isWhole }) => !isStop && !isWhole)
    .flatMap(({ terms }) => terms);

/** Of each question, its content words; none where it has stop words only. */
export function askedWords(questions: readonly string[]): ReadonlySet<string>[] {
  const read = questions.map((question) => ({ question, words: rawWords(question), language: languageOf(question) }));
  const english = read.flatMap(({ words, language }) => (language === 'en' ? words.map(fold) : []));
  const slips = slipsAmong(new Set(english));
  return read.map(({ question, words, language }) => {
    if (language === 'zh' || language === 'ja' || language === 'ko') return new Set(unspacedWords(question, language));
    const terms = new Set<string>();
    for (const word of words) {
      if (isStopWord(word, language)) continue;
      const meant = language === 'en' ? (slips.get(fold(word)) ?? word) : word;
      for (const term of termsOf(meant, language)) if (!isStopWord(term, language)) terms.add(term);
    }
    return terms;
  });
}
