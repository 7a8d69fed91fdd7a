/**
 * Passages that contradict each other: two sentences of different documents that say the same of what the question asks for, with another
 * figure. Each has to be what the other's passage supports, once the figures are exchanged, and only then. So that an answer can show both,
 * the newest first. Meant to be sure rather than complete: a wrong alarm makes people distrust right documents.
 */
import { isStopWord, type Language } from '../text/languages.ts';
import { type Unit, units } from '../text/units.ts';
import { contentWords, terms } from '../text/words.ts';
import type { AskedWord } from '../types.ts';
import { measureAtStart, measuresOf } from './measures.ts';
import type { CheckedPassage } from './sentence-check.ts';
import { placeNames } from './sources.ts';

/** One sentence that states a figure. */
export interface Claim {
  /** Of the passage, from 0. */
  readonly position: number;
  readonly unit: Unit;
  readonly text: string;
  readonly amounts: readonly Amount[];
}

export interface Amount {
  /** What is counted: `day` for any length of time, a currency, `participant`. */
  readonly kind: string;
  /** Lengths of time in days. */
  readonly value: number;
  /** Where it stands in its sentence, with what it counts. */
  readonly start: number;
  readonly end: number;
}

interface Candidate extends Claim {
  /** Words of the question that the sentence or what stands above it holds, and what they tell together (their idf). */
  readonly asked: ReadonlySet<string>;
  readonly told: number;
  /** Its telling words, in their order. */
  readonly words: readonly string[];
}

/** Least share of what the question's words tell that a sentence has to hold, with its headings, to be about it. */
const minAskedShare = 0.5;
/** And of what the sentence holds that holds most of it: one without the product that is asked about is about another. */
const minShareOfBest = 0.95;
/** A year is twelve months and 365 days. */
const tolerance = 0.03;
const maxCountedChars = 60;
/** A claim with an address would bring it into an answer that had no use for it. */
const addressed = /\S@\S|:\/\/|\bwww\./i;

/** Lengths of time, by the names that units have in all languages. */
const inDays = new Map([
  ['ms', 1 / 86_400_000],
  ['s', 1 / 86_400],
  ['minute', 1 / 1_440],
  ['hour', 1 / 24],
  ['day', 1],
  ['week', 7],
  ['month', 30.44],
  ['quarter', 91.31],
  ['year', 365.25],
]);
const multiples = new Map([
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);

/** A figure in digits, or a word that may be one. */
const figurePattern = /([$€£¥])?\s?(?<![\p{L}\p{N}.,])(\d[\d.,]*|\p{L}+)/gu;
/** What a figure counts, right behind it. */
const countedPattern = /^(\s(?:thousand|million|billion)\b)?[-\s]?((?:business|working|calendar|full|consecutive)\s+)?(%|\p{L}+)?/iu;
/** Behind these words a number names something, and counts nothing. */
const numbering = /\b(?:step|page|chapter|section|version|day|week|phase|level|tier|no|nr|number|port|line|room|figure|table)\s*$/i;
/** Of what a date or a time of day is made. */
const calendar =
  /^(?:am|pm|uhr|business|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december)$/;
const singular = (word: string) => word.toLowerCase().replace(/(?<=\p{L}{2})(?:en|s)$/u, '');

function valueIn(written: string, language: Language): number | undefined {
  const digits = /^\d/.test(written)
    ? written.replace(/[.,]$/, '').replace(/[.,](?=\d{3}(?!\d))/g, '')
    : measuresOf(language).numberOf(written.toLowerCase());
  const value = Number(digits ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

/** What is counted, by the name of its unit where it is one; empty where nothing is. */
function kindOf(counted: string, language: Language): string {
  if (counted === '' || counted === '%') return counted;
  const { afterFigure } = measuresOf(language);
  const unit = afterFigure(counted) ?? measureAtStart(counted);
  if (calendar.test(unit ?? counted.toLowerCase()) || (unit === undefined && isStopWord(counted, language))) return '';
  return unit ?? singular(counted);
}

/** The figures of a sentence that count something, each kind at most once: of `10 to 14 days` neither can be compared. */
export function amountsOf(text: string, language: Language = 'en'): Amount[] {
  const found: Amount[] = [];
  for (const { 0: whole, 1: currency, 2: written = '', index } of text.matchAll(figurePattern)) {
    const value = valueIn(written, language);
    if (value === undefined || numbering.test(text.slice(Math.max(0, index - 12), index))) continue;
    const figureEnd = index + whole.length;
    const [behind = '', multiple = '', , counted = ''] = countedPattern.exec(text.slice(figureEnd, figureEnd + maxCountedChars)) ?? [];
    const kind = currency ?? kindOf(counted, language);
    const days = inDays.get(kind);
    // `one` is an article more often than a figure.
    if (kind === '' || (value === 1 && days === undefined && !/^\d/.test(written))) continue;
    found.push({
      kind: days === undefined ? kind : 'day',
      value: value * (multiples.get(multiple.trim().toLowerCase()) ?? 1) * (days ?? 1),
      start: figureEnd - whole.trimStart().length,
      // What a price is for stands behind it, and stays there.
      end: figureEnd + (currency === undefined ? behind.length : multiple.length),
    });
  }
  return found.filter(({ kind }) => found.filter((other) => other.kind === kind).length === 1);
}

const weigh = (words: readonly AskedWord[]) => words.reduce((sum, { idf }) => sum + idf, 0);

function candidatesOf(passage: CheckedPassage, position: number, asked: readonly AskedWord[]): Candidate[] {
  const { plain, snippet } = passage;
  const language = snippet.document.textLanguage;
  const above = new Set(terms(placeNames(snippet).join('\n'), language));
  return [...units(plain.text)].flatMap((unit): Candidate[] => {
    if (unit.kind === 'code' || unit.kind === 'row') return [];
    const text = plain.text.slice(unit.start, unit.end);
    if (addressed.test(text)) return [];
    const amounts = amountsOf(text, language);
    if (amounts.length === 0) return [];
    const own = new Set(terms(text, language));
    const said = asked.filter(({ forms }) => forms.some(({ term }) => own.has(term) || above.has(term)));
    const bySentence = asked.some(({ forms }) => forms.some(({ term }) => own.has(term)));
    const told = weigh(said);
    if (!bySentence || told < weigh(asked) * minAskedShare) return [];
    const unmeasured = amounts.reduceRight((left, { start, end }) => `${left.slice(0, start)} ${left.slice(end)}`, text);
    const words = contentWords(unmeasured, language)
      .map(({ term }) => term)
      .filter((term) => !/\d/.test(term));
    return [{ position, unit, text, amounts, words, asked: new Set(said.map(({ word }) => word)), told }];
  });
}

const isEqual = (a: ReadonlySet<string>, b: ReadonlySet<string>) => a.size === b.size && a.isSubsetOf(b);
const isNear = (a: number, b: number) => Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));

/** `Video calls` in one and `audio calls` in the other: words that only one of them has, at the same neighbour. */
function isContrast(a: readonly string[], b: readonly string[]): boolean {
  const [inA, inB] = [new Set(a), new Set(b)];
  const neighbours = (words: readonly string[], other: ReadonlySet<string>) =>
    words
      .flatMap((word, at) => (other.has(word) ? [] : [`${words[at - 1] ?? ''}<`, `>${words[at + 1] ?? ''}`]))
      .filter((one) => one.length > 1);
  const ofB = new Set(neighbours(b, inA));
  return neighbours(a, inB).some((neighbour) => ofB.has(neighbour));
}

/** One sentence with the figure of another in place of its own. */
const exchanged = (into: Claim, own: Amount, from: Claim, other: Amount) =>
  `${into.text.slice(0, own.start)}${from.text.slice(other.start, other.end)}${into.text.slice(own.end)}`;

function contradict(a: Candidate, b: Candidate, passages: readonly CheckedPassage[]): boolean {
  const [ofA, ofB] = [passages[a.position], passages[b.position]];
  if (!ofA || !ofB || !isEqual(a.asked, b.asked)) return false;
  const pairs = a.amounts.flatMap((one) => b.amounts.filter(({ kind }) => kind === one.kind).map((other) => [one, other] as const));
  const differing = pairs.filter(([one, other]) => !isNear(one.value, other.value));
  const [pair] = differing;
  if (!pair || differing.length !== pairs.length) return false;
  if (isContrast(a.words, b.words)) return false;
  const [one, other] = pair;
  return (
    !ofB.findSupport(a.text) &&
    !ofA.findSupport(b.text) &&
    ofB.findSupport(exchanged(a, one, b, other)) !== undefined &&
    ofA.findSupport(exchanged(b, other, a, one)) !== undefined
  );
}

const ageOf = ({ snippet }: CheckedPassage): number => {
  const at = Date.parse(snippet.asOf ?? '');
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at;
};

export interface Disagreement {
  /** Each of another figure, newest first; at least two, or none. */
  readonly claims: readonly Claim[];
  /** All that say one of them. */
  readonly all: readonly Claim[];
}

const none: Disagreement = { claims: [], all: [] };

/** @param asked words of the question, as the search understood them */
export function findDisagreement(passages: readonly CheckedPassage[], asked: readonly AskedWord[]): Disagreement {
  const own = asked.filter(({ isBackground, forms }) => !isBackground && forms.length > 0);
  if (own.length === 0) return none;
  const found = passages.flatMap((passage, position) => (passage.snippet.isRecord ? [] : candidatesOf(passage, position, own)));
  const best = Math.max(0, ...found.map(({ told }) => told));
  const candidates = found.filter(({ told }) => told >= best * minShareOfBest);
  const documentOf = ({ position }: Claim) => passages[position]?.snippet.document.id;
  for (const [at, first] of candidates.entries()) {
    const others = candidates
      .slice(at + 1)
      .filter((other) => documentOf(other) !== documentOf(first) && contradict(first, other, passages));
    if (others.length === 0) continue;
    const newestFirst = [first, ...others].sort((a, b) => {
      const [older, newer] = [passages[a.position], passages[b.position]];
      return older && newer ? ageOf(newer) - ageOf(older) || 0 : 0;
    });
    const sameAs = (a: Claim, b: Claim) =>
      a.position === b.position ||
      a.amounts.every(({ kind, value }) => b.amounts.some((one) => one.kind === kind && isNear(one.value, value)));
    const claims = newestFirst.filter((claim, order) => newestFirst.findIndex((earlier) => sameAs(claim, earlier)) === order);
    const all = candidates.filter((candidate) => newestFirst.some((claim) => candidate === claim || sameAs(candidate, claim)));
    return { claims, all };
  }
  return none;
}
