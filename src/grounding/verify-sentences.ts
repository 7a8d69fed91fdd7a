/**
 * Sentences against passages: `knowledge-agent/grounding` for other programs, and what the agent checks a model's reply by
 * (docs/grounding.md has the checks in order, and their figures).
 */
import { once } from '../concurrency/once.ts';
import { type Language, languageOf } from '../language/languages.ts';
import { holdsActiveMarkup } from '../markdown/active-markup.ts';
import { isAddressedToModel } from './addressed-to-model.ts';
import { areAbout, judge, minScore, type Reason, scoreIn, type Verdict } from './judge.ts';
import { toPlainPassage } from './plain-passage.ts';
import { joinReadings, type PassageReading, readPassage } from './reading.ts';

/** No sentence that a person reads is longer. */
const maxSentenceChars = 1_200;
/** What a broken character is read as. */
const damaged = '\uFFFD';

/** A passage in plain form, with what stands above it. */
export interface EvidenceText {
  readonly text: string;
  /** Title and headings: what they say counts as said, but alone it is no evidence. */
  readonly context: string;
  readonly language: Language;
}

export interface Verified extends Verdict {
  /** Whether it is supported by what it points to. */
  readonly isAsPointed: boolean;
}

/** @param pointed positions of the passages that the sentence says it is from: they come first, but do not have to be right */
export type Verify = (sentence: string, pointed?: readonly number[]) => Verified;

const isSafe = (text: string): boolean =>
  text !== '' && text.length <= maxSentenceChars && !holdsActiveMarkup(text) && !text.includes(damaged) && !isAddressedToModel(text);

const isSupported = ({ reason }: Verdict) => reason === undefined;

/** @param threshold score from which a sentence that passes the vetoes is supported, 0 to 1 */
export function createVerifier(passages: readonly EvidenceText[], threshold = minScore): Verify {
  // Most passages of a request support no sentence.
  const readings = passages.map(({ text, context, language }, position) => once(() => readPassage(text, context, language, position)));
  const joined = new Map<string, PassageReading>();

  function judgePair(sentence: string, a: number, b: number, arePointed: boolean): Verdict | undefined {
    const [ofA, ofB] = [readings[a]?.(), readings[b]?.()];
    if (!ofA || !ofB || ofA.language !== ofB.language || !(arePointed || areAbout(sentence, [ofA, ofB]))) return undefined;
    const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
    const pair = joined.get(key) ?? joinReadings(ofA, ofB);
    joined.set(key, pair);
    return judge(sentence, pair, threshold);
  }

  /** The first of some passages that supports a sentence alone; else what keeps the first of all from it. */
  function findOne(sentence: string, positions: readonly number[]): Verdict | undefined {
    let first: Verdict | undefined;
    for (const position of positions) {
      const reading = readings[position]?.();
      const own = reading && judge(sentence, reading, threshold);
      if (own && isSupported(own)) return own;
      first ??= own;
    }
    return first;
  }

  /** The first of some passages together with the first other one that supports what it does not. */
  function findTwo(sentence: string, [first, ...others]: readonly number[], arePointed: boolean): Verdict | undefined {
    for (const other of first === undefined ? [] : others) {
      const both = judgePair(sentence, first as number, other, arePointed);
      if (both && isSupported(both)) return both;
    }
    return undefined;
  }

  return (sentence, pointed = []) => {
    if (!isSafe(sentence)) return { reason: 'markup', score: 0, isVerbatim: false, places: [], isAsPointed: false };
    const given = [...new Set(pointed)].filter((position) => passages[position]);
    const own = findOne(sentence, given);
    const asPointed = own && !isSupported(own) ? (findTwo(sentence, given, true) ?? own) : own;
    if (asPointed && isSupported(asPointed)) return { ...asPointed, isAsPointed: true };
    const ranked = readings
      .map((reading, position) => ({ position, score: scoreIn(sentence, reading()) }))
      .sort((a, b) => b.score - a.score)
      .map(({ position }) => position);
    const best = findOne(sentence, ranked) ?? { reason: 'score', score: 0, isVerbatim: false, places: [] };
    // One number says that one passage holds the whole.
    const both = isSupported(best) || given.length === 1 ? undefined : findTwo(sentence, ranked, false);
    return { ...(both ?? best), isAsPointed: false };
  };
}

export interface SentenceVerdict {
  readonly supported: boolean;
  /** 0 to 1: how much of the sentence the passages say; 1 for whole sentences of a passage, word for word. */
  readonly score: number;
  /** Why it is not supported. */
  readonly reason?: Reason;
  /** Positions of the passages that support it, from 0: one, or two that each hold a part; none where it is not supported. */
  readonly passages: readonly number[];
}

/**
 * Whether passages support sentences, each judged by itself; no number in a sentence is needed. Local and deterministic.
 * @param sentences in plain text or Markdown, at most 1,200 characters each, without citation marks
 * @param passages Markdown as documents hold it; a title counts as said
 * @returns a verdict for each sentence, in their order
 */
export function verifySentences(
  sentences: readonly string[],
  passages: readonly { readonly text: string; readonly title?: string }[],
): SentenceVerdict[] {
  const verify = createVerifier(
    passages.map(({ text, title = '' }) => ({ text: toPlainPassage(text).text, context: title, language: languageOf(text) })),
  );
  return sentences.map((sentence) => {
    const { reason, score, places } = verify(sentence.trim());
    const found = [...new Set(places.map(({ passage }) => passage))];
    return { supported: reason === undefined, score, ...(reason === undefined ? {} : { reason }), passages: found };
  });
}
