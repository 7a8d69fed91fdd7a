/**
 * Text for any number of chunks: the collections' passages split to our chunk size, then new ones
 * joined from their sentences. Real text keeps adding words, repeated sentences do not; so each new
 * text gets two made-up words with Zipf's distribution. The vocabulary grows by some 40,000 words
 * at 100,000 chunks and 240,000 at 500,000. Seeded.
 */
import type { Collection, Passage, Question } from './collections.ts';
import { createRandom, type Random } from './random.ts';

const maxWords = 200;
const rareWordsPerSegment = 2;
const rareWords = 1_000_000;
const headingWords = 5;
const sentenceEnd = /(?<=[.?!])\s+/;
const syllables = [...'bdfgklmnprstvz'].flatMap((consonant) =>
  [...'aeiou'].map((vowel) => consonant + vowel),
);
const namespaceOfWords = syllables.length ** 4;
/**
 * Coprime with the number of words, so each rank gets another word; adjacent ranks differ in
 * spelling.
 */
const step = 9_999_991;

const countWords = (text: string) => text.split(/\s+/).length;

/** Made-up word of four syllables for a rank. */
function rareWord(rank: number): string {
  let rest = (rank * step) % namespaceOfWords;
  let word = '';
  for (let syllable = 0; syllable < 4; syllable++) {
    word += syllables[rest % syllables.length];
    rest = Math.floor(rest / syllables.length);
  }
  return word;
}

/**
 * Splits a passage into segments of whole sentences with at most 200 words, unless a sentence is
 * longer.
 */
function* segmentsOf({
  title,
  text,
}: Passage): Generator<{ title: string; text: string; sentences: string[] }> {
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
  /** Number of segments with real text. */
  readonly real: number;
  /** Yields real segments in random order, then endless new ones; ids are positions. */
  segments(): Generator<Passage>;
  /** Composes a new text of about so many words from sentences; two words are made up. */
  compose(words: number): string;
  /** First words of a random sentence. */
  heading(): string;
  /** A non-empty real title. */
  title(): string;
}

export function createCorpus(collections: readonly Collection[]): Corpus {
  const random = createRandom(2_026);
  const segments = shuffle(
    collections.flatMap(({ passages }) => passages.flatMap((passage) => [...segmentsOf(passage)])),
    random,
  );
  const sentences = segments.flatMap((segment) => segment.sentences);
  const titles = segments.map((segment) => segment.title).filter((title) => title !== '');

  function compose(words: number): string {
    const chosen: string[] = [];
    for (let count = rareWordsPerSegment; count < words; count += countWords(chosen.at(-1) ?? ''))
      chosen.push(random.pick(sentences));
    // Log-uniform ranks: the probability of a rank is proportional to 1 / rank.
    for (let word = 0; word < rareWordsPerSegment; word++)
      chosen.splice(
        random.below(chosen.length + 1),
        0,
        rareWord(Math.floor(rareWords ** random.next())),
      );
    return chosen.join(' ');
  }

  return {
    real: segments.length,
    *segments() {
      let number = 0;
      for (const { title, text } of segments) yield { id: String(number++), title, text };
      for (;;)
        yield {
          id: String(number++),
          title: random.pick(segments).title,
          text: compose(countWords(random.pick(segments).text)),
        };
    },
    compose,
    heading: () => random.pick(sentences).split(/\s+/, headingWords).join(' '),
    title: () => random.pick(titles),
  };
}

/** Real questions, as evenly distributed over the collections as possible. */
export function pickQuestions(collections: readonly Collection[], count: number): Question[] {
  const questions: Question[] = [];
  for (
    let at = 0;
    questions.length < count && collections.some((collection) => at < collection.questions.length);
    at++
  )
    questions.push(...collections.flatMap((collection) => collection.questions[at] ?? []));
  return questions.slice(0, count);
}
