/**
 * Passages that contradict each other: two sentences of different documents that say the same of what the question asks for, with another
 * figure. Each has to be what the other's passage supports, once the figures are exchanged, and only then. So that an answer can show both,
 * the newest first. Meant to be sure rather than complete: a wrong alarm makes people distrust right documents.
 */
import { isStopWord, type Language } from '../text/languages.ts';
import { type Unit, units } from '../text/units.ts';
import { contentWords, terms } from '../text/words.ts';
import type { AskedWord } from '../types.ts';
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
/** A claim with an address would bring it into an answer that had no use for it. */
const addressed = /\S@\S|:\/\/|\bwww\./i;

const inDays = new Map([
  ['second', 1 / 86_400],
  ['minute', 1 / 1_440],
  ['hour', 1 / 24],
  ['day', 1],
  ['week', 7],
  ['month', 30.44],
  ['year', 365.25],
  ['sekunde', 1 / 86_400],
  ['stunde', 1 / 24],
  ['tag', 1],
  ['woche', 7],
  ['monat', 30.44],
  ['jahr', 365.25],
  ['heure', 1 / 24],
  ['jour', 1],
  ['semaine', 7],
  ['mois', 30.44],
  ['an', 365.25],
  ['hora', 1 / 24],
  ['día', 1],
  ['semana', 7],
  ['mes', 30.44],
  ['año', 365.25],
  ['日', 1],
  ['天', 1],
  ['週', 7],
  ['周', 7],
  ['年', 365.25],
]);
const numberWords = new Map(
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, value) => [word, value + 1] as const),
);
for (const [tens, word] of ['thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'].entries())
  numberWords.set(word, tens * 10 + 30);

const amountPattern = new RegExp(
  String.raw`([$€£¥])?\s?((?<![\p{L}\p{N}.,])\d[\d.,]*|\b(?:${[...numberWords.keys()].join('|')})\b)(\s(?:thousand|million|billion))?[-\s]?(%|[\p{Script=Han}]|(?:business|working|calendar|full|consecutive)\s+\p{L}+|\p{L}+)?`,
  'giu',
);
const multiples = new Map([
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
]);
const qualifier = /^(?:business|working|calendar|full|consecutive)\s+/i;
/** Behind these words a number names something, and counts nothing; so does one before a month or a time of day. */
const numbering = /\b(?:step|page|chapter|section|version|day|week|phase|level|tier|no|nr|number|port|line|room|figure|table)\s*$/i;
const noUnit =
  /^(?:am|pm|uhr|jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|januar|februar|märz|mai|juni|juli|oktober|dezember)$/i;
const singular = (word: string) => word.toLowerCase().replace(/(?<=\p{L}{2})(?:en|s)$/u, '');

function numberOf(written: string, multiple: string | undefined): number | undefined {
  const word = numberWords.get(written.toLowerCase());
  const plain = written.replace(/[.,]$/, '').replace(/[.,](?=\d{3}(?!\d))/g, '');
  const value = word ?? Number(plain);
  return Number.isFinite(value) ? value * (multiples.get((multiple ?? '').trim().toLowerCase()) ?? 1) : undefined;
}

/** The figures of a sentence that count something, each kind at most once: of `10 to 14 days` neither can be compared. */
export function amountsOf(text: string, language: Language = 'en'): Amount[] {
  const found: Amount[] = [];
  for (const match of text.matchAll(amountPattern)) {
    const [whole, currency, written = '', multiple, counted = ''] = match;
    const value = numberOf(written, multiple);
    const unit = singular(counted.replace(qualifier, ''));
    const days = inDays.get(counted.toLowerCase()) ?? inDays.get(unit);
    const isUnit = counted !== '' && !isStopWord(counted, language) && !noUnit.test(counted);
    const kind = currency ?? (days === undefined ? (isUnit ? unit : '') : 'day');
    if (value === undefined || kind === '' || numbering.test(text.slice(Math.max(0, match.index - 12), match.index))) continue;
    const start = match.index + whole.length - whole.trimStart().length;
    // What a price is for stands behind it, and stays there.
    const end = currency === undefined ? match.index + whole.length : match.index + whole.length - counted.length;
    found.push({ kind, value: value * (days ?? 1), start, end });
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
    const words = contentWords(unmeasured, language).map(({ term }) => term);
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
  const plain = (words: readonly string[]) => words.filter((word) => !/\d/.test(word) && !numberWords.has(word));
  if (isContrast(plain(a.words), plain(b.words))) return false;
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
