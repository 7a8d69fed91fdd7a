/**
 * Whether a passage says what a sentence says, judged without a model, by rules in this order: what has to be exact is there letter by
 * letter; most of its telling words stand in a few sentences of the passage, and none of its parts stands there with nothing; its names
 * are there; nothing is turned around; its figures and units are said of the same thing.
 */
import type { Language } from '../language/languages.ts';
import { perLanguage } from '../language/per-language.ts';
import { findStated } from './checks/contrary.ts';
import { createExactCheck, exactPartsOf } from './checks/exact-parts.ts';
import { holdsMeasures, statedIn } from './checks/figures.ts';
import { createAcronymMatch, isSaidOfNames } from './checks/names.ts';
import { type PassageReading, readPassage, readStatement, type Statement, type TellingWord } from './reading.ts';

/** The part of a passage that supports a sentence, as UTF-16 offsets into the passage's text. */
export interface Judgement {
  readonly start: number;
  readonly end: number;
  /** Share of the sentence's telling words that are found there, 0 to 1; 1 for whole units of the passage, verbatim. */
  readonly score: number;
  /** Whole units of the passage, word for word. */
  readonly isVerbatim: boolean;
}

/** What a sentence has that its passage does not support. */
export type Rejection = 'statement' | 'token' | 'words' | 'part' | 'contrary' | 'name' | 'figure' | 'measure';

export type JudgeVerdict = Judgement | { readonly rejection: Rejection };

/** The best support that the passage gives a sentence, or undefined. */
export type FindSupportingPassage = (sentence: string) => Judgement | undefined;

export interface SupportLimits {
  /** Least share of a sentence's telling words that its evidence has to hold, with the headings above it. */
  readonly minShare: number;
}

/** Chosen on mtrag-un and the lies of the tests; labelled model output was looked at, and nothing is fitted to it (bench/README.md). */
export const supportLimits: SupportLimits = { minShare: 0.42 };

/** So many telling words in a row that the passage does not have are a statement of their own. */
const maxMissingRun = 4;
/** And so is a clause that tells so much and of which the passage has nothing. */
const minTellingOfPart = 2;
/** Of few words one may be the invented one. */
const shortWords = 3;
const minShortShare = 0.6;
/** Least share that the evidence has to hold by itself: a heading alone proves nothing, and is no place in the passage. */
const minOwnShare = 0.35;
/** Evidence is at most this many units, wherever they stand. */
const maxEvidenceUnits = 3;

/** Where whole units of the passage are a sentence, word for word; a part of one may leave out its `not`. */
function createVerbatimMatch(passage: string, { units }: PassageReading): (sentence: string) => Judgement | undefined {
  const starts = new Set(units.map(({ start }) => start));
  const ends = new Set(units.map(({ end }) => end));
  return (sentence) => {
    for (let start = passage.indexOf(sentence); start >= 0 && sentence !== ''; start = passage.indexOf(sentence, start + 1)) {
      const end = start + sentence.length;
      if (starts.has(start) && ends.has(end)) return { start, end, score: 1, isVerbatim: true };
    }
    return undefined;
  };
}

interface Evidence {
  /** Positions of the few units that together have most of a sentence's words. */
  readonly units: Set<number>;
  /** Per word how well those units meet it. */
  readonly met: readonly number[];
  /** Of all words, with what the headings meet. */
  readonly share: number;
}

const sum = (shares: readonly number[]): number => shares.reduce((all, share) => all + share, 0);

function evidenceFor(words: readonly TellingWord[], { units, headings, stems, meets }: PassageReading): Evidence {
  const nowhere = units.map(() => 0);
  const byWord = words.map((word) => (meets(word, stems) === 0 ? nowhere : units.map((unit) => meets(word, unit.stems))));
  const chosen = new Set<number>();
  let met: readonly number[] = words.map(() => 0);
  const gainOf = (unit: number) => sum(met.map((share, order) => Math.max(0, (byWord[order]?.[unit] ?? 0) - share)));
  while (chosen.size < maxEvidenceUnits) {
    let [gain, next] = [0, -1];
    for (const unit of units.keys()) {
      const own = gainOf(unit);
      if (own > gain) [gain, next] = [own, unit];
    }
    if (next < 0) break;
    chosen.add(next);
    met = met.map((share, order) => Math.max(share, byWord[order]?.[next] ?? 0));
  }
  return { units: chosen, met, share: sum(words.map((word, order) => Math.max(met[order] ?? 0, meets(word, headings)))) };
}

/** Whether a part of a sentence is a statement of which the passage has nothing. */
function addsStatement({ words, clauses }: Statement, { stems, meets }: PassageReading): boolean {
  let run = 0;
  const isLong = words.some((word) => {
    run = meets(word, stems) > 0 ? 0 : run + 1;
    return run >= maxMissingRun;
  });
  return (
    isLong || clauses.some((clause) => clause.words.length >= minTellingOfPart && clause.words.every((word) => meets(word, stems) === 0))
  );
}

/** Adds the units that prove its clauses to the evidence. @returns the first rule that a sentence breaks whose words are there */
function brokenRule({ clauses }: Statement, units: Set<number>, reading: PassageReading, language: Language): Rejection | undefined {
  for (const clause of clauses) {
    const found = findStated(clause, reading, language);
    if (found === 'contrary') return 'contrary';
    if (found !== undefined) units.add(found);
  }
  if (!clauses.every((clause) => isSaidOfNames(clause, reading))) return 'name';
  for (const [order, clause] of clauses.entries()) {
    const found = statedIn(clause, clauses[order - 1], reading);
    if (!found) return 'figure';
    for (const unit of found) units.add(unit);
  }
  return clauses.every((clause) => holdsMeasures(clause, units, reading)) ? undefined : 'measure';
}

/** One reply is checked at a time, sentence by sentence against all its passages. */
const maxRemembered = 32;
const rememberedOf = perLanguage(() => new Map<string, Statement>());

function statementOf(sentence: string, language: Language): Statement {
  const remembered = rememberedOf(language);
  const statement = remembered.get(sentence) ?? readStatement(sentence, language);
  if (remembered.size >= maxRemembered) remembered.clear();
  remembered.set(sentence, statement);
  return statement;
}

/** @param context title and headings of the passage: what they say counts as said, but alone it is no evidence */
export function createJudge(
  passage: string,
  context: string,
  language: Language,
  { minShare }: SupportLimits = supportLimits,
): (sentence: string) => JudgeVerdict {
  const reading = readPassage(passage, context, language);
  const { units, stems, meets } = reading;
  const holdsExact = createExactCheck(passage);
  const acronymsOf = createAcronymMatch(`${context}\n${passage}`);
  const verbatim = createVerbatimMatch(passage, reading);

  /** What a passage writes as initials, it says. */
  function withoutAcronyms({ words, clauses }: Statement): Statement {
    const spelled = acronymsOf(words);
    if (spelled.size === 0) return { words, clauses };
    const terms = new Set([...spelled].map(({ term }) => term));
    const rest = (some: readonly TellingWord[]) => some.filter(({ term }) => !terms.has(term));
    return { words: rest(words), clauses: clauses.map((clause) => ({ ...clause, words: rest(clause.words) })) };
  }

  /** The first rule that the words of a sentence break by themselves, before it is looked where they stand. */
  function brokenAtOnce({ words }: Statement, sentence: string, needed: number): Rejection | undefined {
    if (words.length === 0) return 'statement';
    // Most passages are about something else.
    if (sum(words.map((word) => meets(word, stems))) < needed) return 'words';
    return holdsExact(exactPartsOf(sentence)) ? undefined : 'token';
  }

  /** The same of where they stand. */
  function brokenBy(said: Statement, evidence: Evidence, needed: number): Rejection | undefined {
    if (evidence.share < needed || sum(evidence.met) < minOwnShare * said.words.length) return 'words';
    if (addsStatement(said, reading)) return 'part';
    const areNamed = said.words.every(({ isName, term, parts }) => !isName || stems.has(term) || parts.every((part) => stems.has(part)));
    return areNamed ? brokenRule(said, evidence.units, reading, language) : 'name';
  }

  function paraphrased(sentence: string): JudgeVerdict {
    const said = withoutAcronyms(statementOf(sentence, language));
    const { length } = said.words;
    const needed = (length > shortWords ? minShare : minShortShare) * length;
    const atOnce = brokenAtOnce(said, sentence, needed);
    if (atOnce) return { rejection: atOnce };
    const evidence = evidenceFor(said.words, reading);
    const broken = brokenBy(said, evidence, needed);
    if (broken) return { rejection: broken };
    const found = [...evidence.units].flatMap((position) => units[position] ?? []);
    const start = Math.min(...found.map((unit) => unit.start));
    const end = Math.max(...found.map((unit) => unit.end));
    return { start, end, score: Math.min(1, evidence.share / length), isVerbatim: false };
  }

  return (sentence) => verbatim(sentence) ?? paraphrased(sentence);
}

/** @param context title and headings of the passage: what they say counts as said, but alone it is no evidence */
export function createSupportFinder(passage: string, context: string, language: Language, limits?: SupportLimits): FindSupportingPassage {
  const judge = createJudge(passage, context, language, limits);
  return (sentence) => {
    const verdict = judge(sentence);
    return 'rejection' in verdict ? undefined : verdict;
  };
}
