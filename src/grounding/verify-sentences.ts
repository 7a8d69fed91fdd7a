/**
 * Sentences against passages: `knowledge-agent/grounding` for other programs, and what the agent checks a model's reply by
 * (docs/grounding.md has the checks in order, and their figures).
 */
import { once } from '../concurrency/once.ts';
import { type Language, languageOf } from '../language/languages.ts';
import { perLanguage } from '../language/per-language.ts';
import { holdsActiveMarkup } from '../markdown/active-markup.ts';
import { isAddressedToModel } from './addressed-to-model.ts';
import { areAbout, judge, minScore, type Reason, scoreIn, unsupported, type Verdict } from './judge.ts';
import { toPlainPassage } from './plain-passage.ts';
import { joinReadings, type PassageReading, readPassage, readStatement } from './reading.ts';

/** Score from which a passage supports a sentence that points to another one. */
const minScoreElsewhere = 0.75;
/** A shorter passage may have words of any language. */
const minTellingChars = 300;
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

const unsafe = (text: string): Verdict => unsupported(text === '' ? 'empty' : 'markup');

const supports = ({ reason }: Verdict) => reason === undefined;

/** The first verdict that supports a sentence; else the first of all. None is made that is not needed. */
function firstOf(verdicts: Iterable<Verdict>): Verdict | undefined {
  let first: Verdict | undefined;
  for (const verdict of verdicts) {
    if (supports(verdict)) return verdict;
    first ??= verdict;
  }
  return first;
}

/** @param threshold score from which a sentence that passes the vetoes is supported, 0 to 1 */
export function createVerifier(passages: readonly EvidenceText[], threshold = minScore): Verify {
  // Most passages of a request support no sentence.
  const readings = passages.map(({ text, context, language }, position) => once(() => readPassage(text, context, language, position)));

  return (sentence, pointed = []) => {
    if (!isSafe(sentence)) return { ...unsafe(sentence), isAsPointed: false };
    const statementIn = perLanguage((language) => readStatement(sentence, language));
    const judged = (reading: PassageReading) => judge(statementIn(reading.language), reading, threshold);
    /** By one of some passages. */
    const alone = (some: readonly PassageReading[]) => firstOf(some.values().map(judged));
    /** By the first of some passages together with another one. */
    function together([first, ...others]: readonly PassageReading[], arePointed: boolean): Verdict | undefined {
      const fitting = others.values().filter((other) => {
        if (!first || first.language !== other.language) return false;
        return arePointed || areAbout(statementIn(other.language), [first, other]);
      });
      return firstOf(fitting.map((other) => judged(joinReadings(first as PassageReading, other))));
    }
    const given = [...new Set(pointed)].flatMap((position) => readings[position]?.() ?? []);
    const own = alone(given);
    const asPointed = own && !supports(own) ? together(given, true) : own;
    if (asPointed && supports(asPointed)) return { ...asPointed, isAsPointed: true };
    const ranked = readings
      .map((reading) => ({ reading: reading(), score: scoreIn(statementIn(reading().language), reading()) }))
      .sort((a, b) => b.score - a.score)
      .map(({ reading }) => reading);
    const found = alone(ranked) ?? unsupported('score');
    const isDoubtful = given.length > 0 && supports(found) && found.score < minScoreElsewhere;
    const best = own && (isDoubtful || !supports(found)) ? own : found;
    // One number says that one passage holds the whole.
    const both = supports(best) || given.length === 1 ? undefined : together(ranked, false);
    return { ...(both && supports(both) ? both : best), isAsPointed: false };
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
  // A table or a line tells no language: what is said of it does.
  const said = sentences.join('\n');
  const languageIn = (text: string) => languageOf(text.length < minTellingChars ? `${said}\n${text}` : text, languageOf(said));
  const verify = createVerifier(
    passages.map(({ text, title = '' }) => ({ text: toPlainPassage(text).text, context: title, language: languageIn(text) })),
  );
  return sentences.map((sentence) => {
    const { reason, score, places } = verify(sentence.trim());
    const found = [...new Set(places.map(({ passage }) => passage))];
    return { supported: reason === undefined, score, ...(reason === undefined ? {} : { reason }), passages: found };
  });
}
