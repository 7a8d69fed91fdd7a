/**
 * Passages that contradict each other: two sentences of different documents that say the same of what the question asks for, with another
 * figure. One of them, which may be the shorter, has to be what the other's passage supports once it has the other's figure, and only then.
 * So that an answer can show both, the newest first. Meant to be sure rather than complete: a wrong alarm makes people distrust right
 * documents.
 */

import { createVerifier } from '../grounding/verify-sentences.ts';
import { type Figure, figuresOf, inDays } from '../language/figures.ts';
import { isStopWord, type Language } from '../language/languages.ts';
import { segments, type TextSegment } from '../language/segments.ts';
import { contentWords, terms } from '../language/tokens.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import type { CheckedPassage } from './checked-passage.ts';
import { placeNames } from './sources.ts';

/** One sentence that states a figure. */
export interface Claim {
  /** Of the passage, from 0. */
  readonly position: number;
  readonly unit: TextSegment;
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
  /** Words of the question that the sentence or what stands above it holds, and their idf together. */
  readonly asked: ReadonlySet<string>;
  readonly weight: number;
  /** Its words without figures, in their order, and those of them that tell something. */
  readonly words: readonly string[];
  readonly telling: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** Its words with those of title and headings. */
  readonly held: ReadonlySet<string>;
}

/** Least share of what the question's words tell that a sentence has to hold, with its headings, to be about it. */
const minAskedShare = 0.5;
/** And of what the sentence holds that holds most of it: one without the product that is asked about is about another. */
const minShareOfBest = 0.95;
/** Score of a sentence with the figure of another: half of its words are too few to tell that both speak of the same. */
const minExchanged = 0.5;
/** A year is twelve months and 365 days. */
const tolerance = 0.03;
/** Characters behind a figure in which it is said what it counts, and before it in which it is said that it only numbers. */
const maxCountedChars = 60;
const maxNumberingChars = 12;
/** A claim with an address would bring it into an answer that had no use for it, and one with a mark a citation that is none. */
const addressed = /\S@\S|:\/\/|\bwww\.|\[\s*\d+\s*\]/i;

const multiples = new Map(Object.entries({ thousand: 1e3, million: 1e6, billion: 1e9 }));

/** What a figure counts, right behind it. */
const countedPattern = /^(\s(?:thousand|million|billion)\b)?[-\s]?((?:business|working|calendar|full|consecutive)\s+)?(%|\p{L}+)?/iu;
/** Behind these words a number names something, and counts nothing. */
const numbering =
  /\b(?:type|class|stage|grade|step|page|chapter|section|version|day|week|phase|level|tier|no|nr|number|port|line|room|figure|table)\s*$/i;
/** Of what a date or a time of day is made. */
const calendar =
  /^(?:am|pm|uhr|business|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|november|december)$/;
const singular = (word: string) => word.toLowerCase().replace(/(?<=\p{L}{2})(?:en|s)$/u, '');

/** Undefined for what counts nothing. */
function amountOf({ value, at, end, units }: Figure, text: string, language: Language): Amount | undefined {
  const behind = text.slice(end, end + maxCountedChars);
  const [whole = '', multiple = '', , counted = ''] = countedPattern.exec(behind) ?? [];
  // The 1970s are no seconds.
  const isDecade = /^\d{3}0$/.test(value) && /^s\b/.test(behind);
  const isNothing = calendar.test(counted.toLowerCase()) || isStopWord(counted, language);
  const kind = [...units].find((unit) => !multiples.has(unit) && !calendar.test(unit)) ?? (isNothing ? '' : singular(counted));
  const days = inDays.get(kind);
  // A point may mark thousands in any language: `€1.000` is no other amount than `€1,000`.
  const digits = /\d[\d.,]*/.exec(text.slice(at, end))?.[0].replace(/[.,](?=\d{3}(?!\d))/g, '');
  const amount = Number(digits ?? value) * (multiples.get(multiple.trim().toLowerCase()) ?? 1) * (days ?? 1);
  if (isDecade || kind === '' || !Number.isFinite(amount) || numbering.test(text.slice(Math.max(0, at - maxNumberingChars), at)))
    return undefined;
  // What a price is for stands behind it, and stays there.
  const isPrice = /^[$€£¥]/.test(text.slice(at, end));
  return { kind: days === undefined ? kind : 'day', value: amount, start: at, end: end + (isPrice ? multiple : whole).length };
}

/** The figures of a sentence that count something, each kind at most once: of `10 to 14 days` neither can be compared. */
export function amountsOf(text: string, language: Language = 'en'): Amount[] {
  const found = figuresOf(text, language).flatMap((figure) => amountOf(figure, text, language) ?? []);
  return found.filter(({ kind }) => found.filter((other) => other.kind === kind).length === 1);
}

const weigh = (words: readonly QueryTerm[]) => words.reduce((sum, { idf }) => sum + idf, 0);

/** The sentences of a passage that state a figure and are about what is asked. */
function candidatesOf({ plain, passage }: CheckedPassage, position: number, asked: readonly QueryTerm[]): Candidate[] {
  const language = passage.document.textLanguage;
  const above = new Set(terms(placeNames(passage).join('\n'), language));
  return [...segments(plain.text)].flatMap((unit) => {
    const text = plain.text.slice(unit.start, unit.end);
    if (unit.kind === 'code' || unit.kind === 'row' || addressed.test(text)) return [];
    const own = new Set(terms(text, language));
    const held = own.union(above);
    const saidBy = (some: ReadonlySet<string>) => asked.filter(({ forms }) => forms.some(({ term }) => some.has(term)));
    const weight = weigh(saidBy(held));
    if (saidBy(own).length === 0 || weight < weigh(asked) * minAskedShare) return [];
    const amounts = amountsOf(text, language);
    if (amounts.length === 0) return [];
    const unmeasured = amounts.reduceRight((left, { start, end }) => `${left.slice(0, start)} ${left.slice(end)}`, text);
    const content = contentWords(unmeasured, language).filter(({ term }) => !/\d/.test(term));
    return {
      position,
      unit,
      text,
      amounts,
      asked: new Set(saidBy(held).map(({ word }) => word)),
      weight,
      words: [...terms(unmeasured, language)].filter((term) => !/\d/.test(term)),
      telling: new Set(content.map(({ term }) => term)),
      names: new Set(content.filter(({ isName }) => isName).map(({ term }) => term)),
      held,
    };
  });
}

const isNear = (a: number, b: number) => Math.abs(a - b) <= tolerance * Math.max(Math.abs(a), Math.abs(b));

/**
 * `Video calls` in one and `audio calls` in the other, `are requested` and `are paid`: telling words that only one of them has, beside the
 * same word.
 */
function isContrast(a: Candidate, b: Candidate): boolean {
  const neighbours = ({ words, telling }: Candidate, other: Candidate) => {
    const others = new Set(other.words);
    const own = [...words.keys()].filter((at) => telling.has(words[at] ?? '') && !others.has(words[at] ?? ''));
    return own.flatMap((at) => [words[at - 1] && `${words[at - 1]}<`, words[at + 1] && `>${words[at + 1]}`]).filter(Boolean);
  };
  const ofB = new Set(neighbours(b, a));
  return neighbours(a, b).some((neighbour) => ofB.has(neighbour));
}

/** A name that only one of them has, with its title and headings, is a subject of its own. */
const isOfAnother = (a: Candidate, b: Candidate) => !a.names.isSubsetOf(b.held) || !b.names.isSubsetOf(a.held);

/** A time within which something happens is told against one that it takes. */
const within = /(?<=\s)within\s+$/i;

/** One sentence with the figure of another in place of its own. */
const exchanged = (into: Claim, own: Amount, from: Claim, other: Amount) =>
  `${into.text.slice(0, own.start).replace(within, '')}${from.text.slice(other.start, other.end)}${into.text.slice(own.end)}`;

/** Reads a claim's sentence without the rest of its passage, where another figure may seem to fit better. */
function verifyUnit({ position, unit }: Claim, passages: readonly CheckedPassage[]) {
  const section = passages[position]?.sections.find((one) => (one.section?.end ?? one.text.length) >= unit.end);
  return createVerifier(section ? [{ ...section, section: unit }] : []);
}

function contradict(a: Candidate, b: Candidate, passages: readonly CheckedPassage[]): boolean {
  const pairs = a.amounts.flatMap((one) => b.amounts.filter(({ kind }) => kind === one.kind).map((other) => [one, other] as const));
  const [pair] = pairs;
  if (!pair || pairs.some(([one, other]) => isNear(one.value, other.value))) return false;
  if (a.asked.symmetricDifference(b.asked).size > 0 || isContrast(a, b) || isOfAnother(a, b)) return false;
  const [one, other] = pair;
  const verify = ({ position }: Claim, text: string) => passages[position]?.verify(text);
  const isSupported = (by: Claim, text: string) => verify(by, text)?.reason === undefined;
  /** By the figure of its own unit, perhaps with the words that stand about it. */
  const says = (by: Claim, text: string) =>
    (verify(by, text)?.score ?? 0) >= minExchanged && !['exact', 'name', 'figure'].includes(verifyUnit(by, passages)(text).reason ?? '');
  if (isSupported(b, a.text) || isSupported(a, b.text)) return false;
  return says(b, exchanged(a, one, b, other)) || says(a, exchanged(b, other, a, one));
}

export interface Conflict {
  /** Each of another figure, newest first; at least two, or none. */
  readonly claims: readonly Claim[];
  /** All that say one of them. */
  readonly all: readonly Claim[];
}

const none: Conflict = { claims: [], all: [] };

const sameFigure = (a: Claim, b: Claim) =>
  a.position === b.position || a.amounts.every(({ kind, value }) => b.amounts.some((one) => one.kind === kind && isNear(one.value, value)));

/** @param asked words of the question, as the search understood them */
export function findConflict(passages: readonly CheckedPassage[], asked: readonly QueryTerm[]): Conflict {
  const own = asked.filter(({ isBackground, forms }) => !isBackground && forms.length > 0);
  // One document is not taken to contradict itself.
  const documents = new Set(passages.flatMap(({ passage }) => (passage.isRecord ? [] : [passage.document.id])));
  if (own.length === 0 || documents.size < 2) return none;
  const found = passages.flatMap((checked, position) => (checked.passage.isRecord ? [] : candidatesOf(checked, position, own)));
  const best = Math.max(0, ...found.map(({ weight }) => weight));
  const candidates = found.filter(({ weight }) => weight >= best * minShareOfBest);
  const documentOf = ({ position }: Claim) => passages[position]?.passage.document.id;
  const ageOf = ({ position }: Claim) => Date.parse(passages[position]?.passage.asOf ?? '') || Number.NEGATIVE_INFINITY;
  for (const [at, first] of candidates.entries()) {
    const others = candidates
      .slice(at + 1)
      .filter((other) => documentOf(other) !== documentOf(first) && contradict(first, other, passages));
    if (others.length === 0) continue;
    const newestFirst = [first, ...others].sort((a, b) => ageOf(b) - ageOf(a) || 0);
    const claims = newestFirst.filter((claim, order) => newestFirst.findIndex((earlier) => sameFigure(claim, earlier)) === order);
    const all = candidates.filter((candidate) => newestFirst.some((claim) => candidate === claim || sameFigure(candidate, claim)));
    return { claims, all };
  }
  return none;
}
