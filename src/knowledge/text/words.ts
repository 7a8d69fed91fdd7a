/**
 * Text → terms, the same way for documents, queries and answers: words of any script, case and accents folded, English words
 * stemmed (Porter2). A compound (`getUserById`, `ERR_CALL_BUSY`, `v1.2.3`, `example.com`) gives itself and its parts. Scripts that
 * write no spaces give the words of Intl.Segmenter and every pair of neighbouring characters, so that a query cut
 * differently still meets the document.
 */
import { stemmer } from '@orama/stemmers/english';
import { stopWords } from './stop-words.ts';

/** Words joined by single inner marks stay together; the parts are taken from it afterwards. */
const wordPattern = /[\p{L}\p{N}\p{M}_]+(?:[.'’@-][\p{L}\p{N}\p{M}_]+)*/gu;
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;
const hasUnspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const notAscii = /[^\p{ASCII}]/u;
/** Accents are a combining mark after compatibility decomposition; marks of other scripts (a dakuten, a matra) carry meaning and stay. */
const accents = /[\u0300-\u036f]/g;
const camelHump = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Nobody types a longer word; a document may hold a megabyte without a space. */
const maxTermLength = 64;

const stems = new Map<string, string>();
const maxRememberedStems = 100_000;

const fold = (word: string): string => {
  const lower = word.toLowerCase();
  return notAscii.test(lower) ? lower.normalize('NFKD').replace(accents, '').normalize('NFC') : lower;
};

/** Porter2 over words of plain Latin letters; figures and identifiers stay as they are. */
function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let found = stems.get(word);
  if (found === undefined) {
    found = stemmer(word);
    if (stems.size < maxRememberedStems) stems.set(word, found);
  }
  return found;
}

function* unspacedTerms(run: string): Generator<string> {
  const characters = [...run];
  if (characters.length === 1) yield run;
  for (let index = 0; index + 1 < characters.length; index++) yield `${characters[index]}${characters[index + 1]}`;
  for (const { segment, isWordLike } of segmenter.segment(run)) if (isWordLike && [...segment].length > 2) yield segment;
}

function* compoundTerms(raw: string): Generator<string> {
  const whole = raw.replace(/['’]s$/i, '');
  const parts = whole.split(/[.'’@_-]+/).flatMap((part) => part.split(camelHump));
  const kept = parts.filter((part) => part !== '' && part.length <= maxTermLength);
  if (kept.length < 2) {
    if (kept[0]) yield stem(fold(kept[0]));
    return;
  }
  if (whole.length <= maxTermLength) yield fold(whole.replace(/['’]/g, ''));
  if (/['’]/.test(whole)) return;
  for (const part of kept) yield stem(fold(part));
}

/** All terms of a text in reading order, repeated as often as they occur. */
export function* terms(text: string): Generator<string> {
  for (const [word] of text.matchAll(wordPattern)) {
    if (!hasUnspaced.test(word)) {
      yield* compoundTerms(word);
      continue;
    }
    const folded = fold(word);
    let end = 0;
    for (const run of folded.matchAll(unspaced)) {
      if (run.index > end) yield* compoundTerms(folded.slice(end, run.index));
      yield* unspacedTerms(run[0]);
      end = run.index + run[0].length;
    }
    if (end < folded.length) yield* compoundTerms(folded.slice(end));
  }
}

/** One word of a text that carries meaning: its term, and whether it is written as a name (capital inside a sentence) or figure. */
export interface ContentWord {
  readonly term: string;
  readonly isName: boolean;
}

const isStopWord = (word: string) => stopWords.has(word.toLowerCase().replace(/['’]/g, ''));

/** Words of a text without its stop words, each term once. */
export function contentWords(text: string): ContentWord[] {
  const words: ContentWord[] = [];
  const seen = new Set<string>();
  for (const match of text.matchAll(wordPattern)) {
    const [word] = match;
    const startsSentence = /(^|[.!?:]\s*)$/.test(text.slice(Math.max(0, match.index - 8), match.index));
    const isName = !hasUnspaced.test(word) && (/\p{N}/u.test(word) || (/^\p{Lu}/u.test(word) && !startsSentence));
    for (const term of terms(word)) {
      if (seen.has(term) || isStopWord(word) || stopWords.has(term)) continue;
      seen.add(term);
      words.push({ term, isName });
    }
  }
  return words;
}

/** Terms of a query that are worth searching for, each once; all of them where it holds stop words only ("who?" may be a band). */
export function queryTerms(query: string): string[] {
  const meaningful = contentWords(query).map((word) => word.term);
  return meaningful.length > 0 ? meaningful : [...new Set(terms(query))];
}
