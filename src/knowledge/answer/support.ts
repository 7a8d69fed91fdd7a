/**
 * Whether a passage says what a sentence says, judged without a model. What has to be exact is exact and said of the same thing; most of
 * what is telling stands in a few sentences of the passage, and some of each part of the sentence; nothing is turned around.
 */
import type { Language } from '../text/languages.ts';
import { rawWords } from '../text/words.ts';
import { createAlignment, weightOf } from './alignment.ts';
import { createAttribution } from './attribution.ts';
import { createExactCheck } from './exact-parts.ts';
import { readPassage } from './passage-reading.ts';
import { readSentence, type SentenceReading } from './sentence-reading.ts';
import type { Word } from './statement.ts';
import { synonymShare } from './word-match.ts';

/** The part of a passage that supports a sentence, as UTF-16 offsets into the passage's text. */
export interface Support {
  readonly start: number;
  readonly end: number;
  /** Share of what the sentence tells that is found there, 0 to 1; 1 for whole units of the passage, verbatim. */
  readonly score: number;
  /** Whole units of the passage, word for word. */
  readonly isVerbatim: boolean;
}

/** What a sentence has that its passage does not support. */
export type Lack = 'statement' | 'token' | 'words' | 'clause' | 'contrary' | 'name' | 'figure' | 'measure';

export type Verdict = Support | { readonly lack: Lack };

/** The best support that the passage gives a sentence, or undefined. */
export type FindSupport = (sentence: string) => Support | undefined;

export interface SupportLimits {
  /** Least share of what a long sentence tells that its evidence, with the headings above it, has to hold; a short one needs more. */
  readonly minShare: number;
  /** Least share for each part of a sentence: a true one does not carry an invented one. */
  readonly minPartShare: number;
}

/** Chosen on one half of mtrag-un (bench/grounding.ts) such that no lie of the handbook's passes that changes what is exact. */
export const supportLimits: SupportLimits = { minShare: 0.36, minPartShare: 0.05 };

/** Of three words one may be the invented one: what the share of a sentence rises by, over its weight in words, and up to where. */
const shortRise = 0.5;
const maxShortShare = 0.5;
/** Least share that the evidence has to hold by itself: a heading alone proves nothing. */
const minOwnShare = 0.35;
/** What a word counts that only a heading says. */
const headingShare = 0.9;
/** What three words of the trade tell. */
const shortWeight = 3;
/** Evidence is at most this many units, wherever they stand. */
const maxEvidenceUnits = 3;
/** Least share that a further unit adds. */
const minGain = 0.02;
/** A sentence that tells less states nothing. */
const minTelling = 0.3;
/** A clause of fewer words is an item of a list. */
const minClauseWords = 4;
const minClauseWeight = 0.8;
/** What a sentence begins with that says what it is good for, and states nothing. */
const aim = /^\s*(?:to|by|after|in addition|as|um|nach|pour|para)\s/i;

const sumOver = (words: readonly Word[], shareOf: (word: Word, order: number) => number): number =>
  words.reduce((sum, word, order) => sum + word.weight * shareOf(word, order), 0);

export function createJudge(
  passage: string,
  context: string,
  language: Language,
  limits: SupportLimits = supportLimits,
): (sentence: string) => Verdict {
  const reading = readPassage(passage, context, language);
  const { pieces, given, vocabulary, meets } = reading;
  const nowhere: readonly number[] = pieces.map(() => 0);
  const alignment = createAlignment(reading, language);
  const attribution = createAttribution(reading, alignment);
  const holdsExact = createExactCheck(passage);
  const starts = new Set(pieces.map(({ unit }) => unit.start));
  const ends = new Set(pieces.map(({ unit }) => unit.end));

  /** Whole units of the passage, word for word; a part of one may leave out its `not`. */
  function verbatim(sentence: string): Support | undefined {
    for (let start = passage.indexOf(sentence); start >= 0 && sentence !== ''; start = passage.indexOf(sentence, start + 1)) {
      if (starts.has(start) && ends.has(start + sentence.length))
        return { start, end: start + sentence.length, score: 1, isVerbatim: true };
    }
    return undefined;
  }

  /** Per word how well each unit meets it. */
  const metOf = ({ words, phrases }: SentenceReading): (readonly number[])[] =>
    words.map((word) => {
      const others = phrases.filter(({ from, to }) => word.position >= from && word.position < to).flatMap(({ stems }) => stems);
      if (meets(word, vocabulary) === 0 && others.length === 0) return nowhere;
      return pieces.map(({ terms }) => {
        const own = meets(word, terms);
        return own < synonymShare && others.some((stem) => terms.has(stem)) ? synonymShare : own;
      });
    });

  /** The few units that together tell most of it, and how well they meet each word. */
  function evidenceOf({ words, weight }: SentenceReading, met: readonly (readonly number[])[]) {
    const chosen = new Set<number>();
    const best = words.map(() => 0);
    while (chosen.size < maxEvidenceUnits) {
      let [gain, next] = [minGain * weight, -1];
      for (let piece = 0; piece < pieces.length; piece++) {
        let sum = 0;
        for (const [order, word] of words.entries()) sum += word.weight * Math.max(0, (met[order]?.[piece] ?? 0) - (best[order] ?? 0));
        if (sum > gain) [gain, next] = [sum, piece];
      }
      if (next < 0) break;
      chosen.add(next);
      for (const order of words.keys()) best[order] = Math.max(best[order] ?? 0, met[order]?.[next] ?? 0);
    }
    return { chosen, best };
  }

  function paraphrased(sentence: string): Verdict {
    const said = readSentence(sentence, language);
    const { clauses, parts, words, weight } = said;
    if (weight < minTelling) return { lack: 'statement' };
    const needed = Math.max(limits.minShare, Math.min(maxShortShare, limits.minShare + shortRise / weight));
    // Most passages are about something else.
    if (said.phrases.length === 0 && sumOver(words, (word) => meets(word, vocabulary)) < needed * weight) return { lack: 'words' };
    if (!holdsExact(said.exact)) return { lack: 'token' };
    const met = metOf(said);
    const { chosen: evidence, best } = evidenceOf(said, met);
    const heading = words.map((word) => meets(word, given) * headingShare);
    const score = sumOver(words, (_, order) => Math.max(best[order] ?? 0, heading[order] ?? 0)) / weight;
    if (score < needed || sumOver(words, (_, order) => best[order] ?? 0) < minOwnShare * weight) return { lack: 'words' };

    // Of a short sentence, words of the heading and words that only mean alike are about the same matter, and prove nothing.
    const added = words.map((_, order) => order).filter((order) => heading[order] === 0);
    if (weight <= shortWeight && added.length > 0 && !added.some((order) => (best[order] ?? 0) > synonymShare)) return { lack: 'words' };

    const shares = new Map(words.map(({ term }, order) => [term, Math.max(heading[order] ?? 0, ...(met[order] ?? []))]));
    const tells = (part: SentenceReading['parts'][number]) =>
      sumOver(part.words, ({ term }) => shares.get(term) ?? 0) >= weightOf(part.words) * limits.minPartShare;
    const stated = clauses.filter(
      (clause) => weightOf(clause.words) >= minClauseWeight && rawWords(clause.text).length >= minClauseWords && !aim.test(clause.text),
    );
    if (![...stated, ...parts].every(tells)) return { lack: 'clause' };
    const denying = stated.filter(({ turns }) => turns.denies);
    for (const part of new Set([...said.compared, ...denying])) {
      const found = alignment.find(part);
      if (found === 'contrary') return { lack: 'contrary' };
      if (found !== undefined) evidence.add(found);
    }
    if (!clauses.every((clause) => attribution.holdsNames(clause))) return { lack: 'name' };
    for (const [order, clause] of clauses.entries()) {
      const found = attribution.statedIn(clause, clauses[order - 1]);
      if (!found) return { lack: 'figure' };
      for (const piece of found) evidence.add(piece);
    }
    if (!clauses.every((clause) => attribution.holdsMeasures(clause, evidence))) return { lack: 'measure' };
    const positions = [...evidence];
    const start = pieces[Math.min(...positions)]?.unit.start ?? 0;
    const end = pieces[Math.max(...positions)]?.unit.end ?? passage.length;
    return { start, end, score: Math.min(1, score), isVerbatim: false };
  }

  return (sentence) => verbatim(sentence) ?? paraphrased(sentence);
}

/** @param context title and headings of the passage: what they say counts as said, but alone it is no evidence */
export function createSupportFinder(passage: string, context: string, language: Language, limits?: SupportLimits): FindSupport {
  const judge = createJudge(passage, context, language, limits);
  return (sentence) => {
    const verdict = judge(sentence);
    return 'lack' in verdict ? undefined : verdict;
  };
}
