/**
 * Judges one sentence by all passages: by the cited ones first, then by any, then by two together.
 * See docs/extend.md.
 */
import { isAddressedToModel } from '../../shared/src/language/addressed-to-model.ts';
import type { Language } from '../../shared/src/language/languages.ts';
import { perLanguage } from '../../shared/src/language/per-language.ts';
import { holdsActiveMarkup } from '../../shared/src/markdown/active-markup.ts';
import { readStatement } from './clauses.ts';
import { judge, matchRank, minScore, shareSubject, unsupported, type Verdict } from './judge.ts';
import { joinReadings, type PassageReading, readPassage } from './reading.ts';

/** Minimum score if a passage supports a sentence that cites another passage. */
const minScoreElsewhere = 0.75;
const maxSentenceChars = 1_200;
const replacementCharacter = '\uFFFD';

export interface EvidenceText {
  readonly text: string;
  /** Title and headings; they complete the evidence, but are not evidence on their own. */
  readonly context: string;
  readonly language: Language;
  readonly section?: { readonly start: number; readonly end: number };
  /** Position of its passage; default: position of this text in the list. */
  readonly passage?: number;
}

export interface Verified extends Verdict {
  /** Whether the cited passages support it. */
  readonly isAsPointed: boolean;
}

/** @param pointed positions of the passages that the sentence cites; they are tried first */
export type Verify = (sentence: string, pointed?: readonly number[]) => Verified;

const isSafe = (text: string): boolean =>
  text !== '' &&
  text.length <= maxSentenceChars &&
  !holdsActiveMarkup(text) &&
  !text.includes(replacementCharacter) &&
  !isAddressedToModel(text);

const supports = ({ reason }: Verdict) => reason === undefined;

function firstOf(verdicts: Iterable<Verdict>): Verdict | undefined {
  let first: Verdict | undefined;
  for (const verdict of verdicts) {
    if (supports(verdict)) return verdict;
    first ??= verdict;
  }
  return first;
}

/** Judges one sentence against sets of passages. */
interface Trial {
  bySingle(some: readonly PassageReading[]): Verdict | undefined;
  /**
   * Joins the first passage with each other one. @param arePointed false: both must contain the
   * subject of the sentence
   */
  byPair(some: readonly PassageReading[], arePointed: boolean): Verdict | undefined;
  ranked(some: readonly PassageReading[]): PassageReading[];
  closest(some: readonly PassageReading[]): Verdict;
}

function createTrial(sentence: string, threshold: number): Trial {
  const statementIn = perLanguage((language) => readStatement(sentence, language));
  const judged = (reading: PassageReading) =>
    judge(statementIn(reading.language), reading, threshold);
  const shareOf = (reading: PassageReading) => matchRank(statementIn(reading.language), reading);
  const ranked = (some: readonly PassageReading[]) =>
    some
      .map((reading) => ({ reading, share: shareOf(reading) }))
      .sort((a, b) => b.share - a.share)
      .map(({ reading }) => reading);
  return {
    bySingle: (some) => firstOf(some.values().map(judged)),
    byPair([first, ...others], arePointed) {
      if (!first) return undefined;
      const fitting = others.values().filter((other) => {
        if (first.language !== other.language) return false;
        return arePointed || shareSubject(statementIn(other.language), [first, other]);
      });
      return firstOf(fitting.map((other) => judged(joinReadings(first, other))));
    },
    ranked,
    closest: (some) => ranked(some).slice(0, 1).map(judged)[0] ?? unsupported('score'),
  };
}

const readings = new WeakMap<EvidenceText, PassageReading>();

export function readingOf(evidence: EvidenceText, passage: number): PassageReading {
  const { text, context, language, section } = evidence;
  const known = readings.get(evidence) ?? readPassage(text, context, language, passage, section);
  readings.set(evidence, known);
  return known;
}

/**
 * @param passages sections with the position of their passage @param threshold minimum score after
 * the vetoes, 0 to 1
 */
export function createVerifier(passages: readonly EvidenceText[], threshold = minScore): Verify {
  const read = (some: readonly EvidenceText[]) =>
    some.map((one) => readingOf(one, one.passage ?? passages.indexOf(one)));
  const at = (position: number) =>
    passages.filter((one, order) => (one.passage ?? order) === position);

  function asPointed(
    { bySingle, byPair, ranked }: Trial,
    pointed: readonly number[],
  ): Verdict | undefined {
    const given = ranked(read([...new Set(pointed)].flatMap(at)));
    const own = bySingle(given);
    return own && !supports(own) ? (byPair(given, true) ?? own) : own;
  }

  /**
   * Judges by any passage; if no single passage supports the sentence, by two, unless it cites
   * exactly one.
   */
  function anywhere(
    { bySingle, byPair, ranked }: Trial,
    pointed: readonly number[],
    least: number,
  ): Verdict | undefined {
    const all = ranked(read(passages));
    const found = bySingle(all);
    if (found && supports(found) && found.score >= least) return found;
    const both = pointed.length === 1 ? undefined : byPair(all, false);
    return both && supports(both) ? both : undefined;
  }

  return (sentence, pointed = []) => {
    if (!isSafe(sentence))
      return { ...unsupported(sentence === '' ? 'empty' : 'markup'), isAsPointed: false };
    const trial = createTrial(sentence, threshold);
    const own = asPointed(trial, pointed);
    if (own && supports(own)) return { ...own, isAsPointed: true };
    // Other passages are parsed only if the cited ones do not support the sentence.
    const found = anywhere(trial, pointed, own ? minScoreElsewhere : 0);
    return { ...(found ?? own ?? trial.closest(read(passages))), isAsPointed: false };
  };
}
