/** Sentences against passages (`knowledge-agent/grounding`), also the check of a model's reply; docs/extend.md has its parts and figures. */
import { isAddressedToModel } from '../language/addressed-to-model.ts';
import { type Language, languageOf } from '../language/languages.ts';
import { perLanguage } from '../language/per-language.ts';
import { holdsActiveMarkup } from '../markdown/active-markup.ts';
import { readStatement } from './clauses.ts';
import { areAbout, judge, minScore, type Reason, scoreIn, unsupported, type Verdict } from './judge.ts';
import { toPlainPassage } from './plain-passage.ts';
import { joinReadings, type PassageReading, readPassage } from './reading.ts';

/** Score from which a passage supports a sentence that points to another one. */
const minScoreElsewhere = 0.75;
/** A shorter passage may have words of any language. */
const minTellingChars = 300;
/** No sentence that a person reads is longer. */
const maxSentenceChars = 1_200;
/** What a broken character is read as. */
const damaged = '\uFFFD';

export interface EvidenceText {
  readonly text: string;
  /** Title and headings: what they say counts as said, but alone it is no evidence. */
  readonly context: string;
  readonly language: Language;
  readonly section?: { readonly start: number; readonly end: number };
  /** Position of the passage that it is of; undefined: its own among the others. */
  readonly passage?: number;
}

export interface Verified extends Verdict {
  readonly isAsPointed: boolean;
}

/** @param pointed positions of the passages that the sentence says it is from: they come first, but do not have to be right */
export type Verify = (sentence: string, pointed?: readonly number[]) => Verified;

const isSafe = (text: string): boolean =>
  text !== '' && text.length <= maxSentenceChars && !holdsActiveMarkup(text) && !text.includes(damaged) && !isAddressedToModel(text);

const supports = ({ reason }: Verdict) => reason === undefined;

function firstOf(verdicts: Iterable<Verdict>): Verdict | undefined {
  let first: Verdict | undefined;
  for (const verdict of verdicts) {
    if (supports(verdict)) return verdict;
    first ??= verdict;
  }
  return first;
}

function createTrial(sentence: string, threshold: number) {
  const statementIn = perLanguage((language) => readStatement(sentence, language));
  const judged = (reading: PassageReading) => judge(statementIn(reading.language), reading, threshold);
  const shareOf = (reading: PassageReading) => scoreIn(statementIn(reading.language), reading);
  const ranked = (some: readonly PassageReading[]) =>
    some
      .map((reading) => ({ reading, share: shareOf(reading) }))
      .sort((a, b) => b.share - a.share)
      .map(({ reading }) => reading);
  return {
    alone: (some: readonly PassageReading[]) => firstOf(some.values().map(judged)),
    /** By the first of some readings together with another one. @param arePointed else both have to speak of what the sentence is about */
    together([first, ...others]: readonly PassageReading[], arePointed: boolean): Verdict | undefined {
      if (!first) return undefined;
      const fitting = others.values().filter((other) => {
        if (first.language !== other.language) return false;
        return arePointed || areAbout(statementIn(other.language), [first, other]);
      });
      return firstOf(fitting.map((other) => judged(joinReadings(first, other))));
    },
    ranked,
    closest: (some: readonly PassageReading[]) => ranked(some).slice(0, 1).map(judged)[0] ?? unsupported('score'),
  };
}

type Trial = ReturnType<typeof createTrial>;

/** Sections that are read for several sentences, or several checks of one. */
const readings = new WeakMap<EvidenceText, PassageReading>();

export function readingOf(evidence: EvidenceText, passage: number): PassageReading {
  const { text, context, language, section } = evidence;
  const known = readings.get(evidence) ?? readPassage(text, context, language, passage, section);
  readings.set(evidence, known);
  return known;
}

/** @param passages sections, those of one passage with its position @param threshold least score, 0 to 1, after the vetoes */
export function createVerifier(passages: readonly EvidenceText[], threshold = minScore): Verify {
  const read = (some: readonly EvidenceText[]) => some.map((one) => readingOf(one, one.passage ?? passages.indexOf(one)));
  const at = (position: number) => passages.filter((one, order) => (one.passage ?? order) === position);

  /** By what a sentence points to, of whatever passage each part is. */
  function asPointed({ alone, together, ranked }: Trial, pointed: readonly number[]): Verdict | undefined {
    const given = ranked(read([...new Set(pointed)].flatMap(at)));
    const own = alone(given);
    return own && !supports(own) ? (together(given, true) ?? own) : own;
  }

  /** By any passage; by two of them unless it points to one, which says that this holds the whole. */
  function anywhere({ alone, together, ranked }: Trial, pointed: readonly number[], least: number): Verdict | undefined {
    const all = ranked(read(passages));
    const found = alone(all);
    if (found && supports(found) && found.score >= least) return found;
    const both = pointed.length === 1 ? undefined : together(all, false);
    return both && supports(both) ? both : undefined;
  }

  return (sentence, pointed = []) => {
    if (!isSafe(sentence)) return { ...unsupported(sentence === '' ? 'empty' : 'markup'), isAsPointed: false };
    const trial = createTrial(sentence, threshold);
    const own = asPointed(trial, pointed);
    if (own && supports(own)) return { ...own, isAsPointed: true };
    // Most passages of a request support no sentence: they are read only if those that it points to do not.
    const found = anywhere(trial, pointed, own ? minScoreElsewhere : 0);
    return { ...(found ?? own ?? trial.closest(read(passages))), isAsPointed: false };
  };
}

export interface SentenceVerdict {
  readonly supported: boolean;
  /** 0 to 1: how much of the sentence the passages say; 1 for whole sentences of a passage, word for word. */
  readonly score: number;
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
    const found = reason === undefined ? [...new Set(places.map(({ passage }) => passage))] : [];
    return { supported: reason === undefined, score, ...(reason === undefined ? {} : { reason }), passages: found };
  });
}
