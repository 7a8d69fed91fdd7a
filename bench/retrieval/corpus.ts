/**
 * Text for as many chunks as wanted: the collections' own passages in pieces of the size of our chunks, then new ones, joined from sentences of
 * them. Real text never stops bringing new words, sentences used again do; so every new piece gets two made-up words, drawn as
 * Zipf's law has it: the vocabulary grows by some 40,000 words at 100,000 chunks and 240,000 at 500,000. Seeded.
 */
import type { Collection, Passage, Question } from './collections.ts';
import { createRandom, type Random } from './random.ts';

const maxWords = 200;
const rareWordsPerPiece = 2;
const rareWords = 1_000_000;
const headingWords = 5;
const sentenceEnd = /(?<=[.?!])\s+/;
const syllables = [...'bdfgklmnprstvz'].flatMap((consonant) => [...'aeiou'].map((vowel) => consonant + vowel));
const namespaceOfWords = syllables.length ** 4;
/** Without a common factor with the number of words, so that each gets another; neighbours in rank are none in spelling. */
const step = 9_999_991;

const countWords = (text: string) => text.split(/\s+/).length;

/** The made-up word of a rank: four syllables. */
function rareWord(rank: number): string {
  let rest = (rank * step) % namespaceOfWords;
  let word = '';
  for (let syllable = 0; syllable < 4; syllable++) {
    word += syllables[rest % syllables.length];
    rest = Math.floor(rest / syllables.length);
  }
  return word;
}

/** A passage in pieces of whole sentences, at most 200 words each unless a sentence is longer. */
function* piecesOf({ title, text }: Passage): Generator<{ title: string; text: string; sentences: string[] }> {
  let sentences: string[] = [];
  let words = 0;
  for (const sentence of text.split(sentenceEnd)) {
    const count = countWords(sentence);
    if (sentences.length > 0 && words + count > maxWords) {
      yield { title, text: sentences.join(' '), sentences };
      sentences = [];
      words = 0;
    }
    sentences.push(sentence);
    words += count;
  }
  yield { title, text: sentences.join(' '), sentences };
}

function shuffle<T>(values: T[], random: Random): T[] {
  for (let end = values.length - 1; end > 0; end--) {
    const other = random.below(end + 1);
    [values[end], values[other]] = [values[other]!, values[end]!];
  }
  return values;
}

export interface Corpus {
  /** Number of pieces that are real text. */
  readonly real: number;
  /** Real pieces in random order, then new ones without end; ids are positions. */
  pieces(): Generator<Passage>;
  /** A new text of about so many words, sentence by sentence; two of them are made up. */
  compose(words: number): string;
  /** The first words of some sentence. */
  heading(): string;
  /** A real title that is not empty. */
  title(): string;
}

export function createCorpus(collections: readonly Collection[]): Corpus {
  const random = createRandom(2_026);
  const pieces = shuffle(
    collections.flatMap(({ passages }) => passages.flatMap((passage) => [...piecesOf(passage)])),
    random,
  );
  const sentences = pieces.flatMap((piece) => piece.sentences);
  const titles = pieces.map((piece) => piece.title).filter((title) => title !== '');

  function compose(words: number): string {
    const chosen: string[] = [];
    for (let count = rareWordsPerPiece; count < words; count += countWords(chosen.at(-1) ?? '')) chosen.push(random.pick(sentences));
    // Log-uniform ranks: the chance of a rank is as one to the rank.
    for (let word = 0; word < rareWordsPerPiece; word++)
      chosen.splice(random.below(chosen.length + 1), 0, rareWord(Math.floor(rareWords ** random.next())));
    return chosen.join(' ');
  }

  return {
    real: pieces.length,
    *pieces() {
      let number = 0;
      for (const { title, text } of pieces) yield { id: String(number++), title, text };
      for (;;) yield { id: String(number++), title: random.pick(pieces).title, text: compose(countWords(random.pick(pieces).text)) };
    },
    compose,
    heading: () => random.pick(sentences).split(/\s+/, headingWords).join(' '),
    title: () => random.pick(titles),
  };
}

/** Real questions, as even over the collections as these allow. */
export function pickQuestions(collections: readonly Collection[], count: number): Question[] {
  const questions: Question[] = [];
  for (let at = 0; questions.length < count && collections.some((collection) => at < collection.questions.length); at++)
    questions.push(...collections.flatMap((collection) => collection.questions[at] ?? []));
  return questions.slice(0, count);
}
