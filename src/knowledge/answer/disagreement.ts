/**
 * Passages that contradict each other: two sentences of different documents that say the same of what the question asks for, with another
 * figure. Found before a model is asked, so that the answer can show both, the newest first. Meant to be sure rather than complete:
 * a wrong alarm makes people distrust right documents.
 */
import type { Language } from '../text/languages.ts';
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
  /** What is counted → how many; lengths of time in days. */
  readonly amounts: ReadonlyMap<string, number>;
}

interface Candidate extends Claim {
  readonly words: ReadonlySet<string>;
  /** Words of the question that the sentence or what stands above it holds. */
  readonly asked: ReadonlySet<string>;
}

/** Of the shorter sentence's words so many stand in the other one. */
const minCommonShare = 0.6;
const minCommonWords = 2;
/** Least share of the question's words that a sentence has to hold, with its headings, to be about it. */
const minAskedShare = 0.5;

const inDays = new Map([
  ['second', 1 / 86_400],
  ['minute', 1 / 1_440],
  ['hour', 1 / 24],
  ['day', 1],
  ['week', 7],
  ['month', 30],
  ['year', 365],
  ['sekunde', 1 / 86_400],
  ['stunde', 1 / 24],
  ['tag', 1],
  ['woche', 7],
  ['monat', 30],
  ['jahr', 365],
  ['heure', 1 / 24],
  ['jour', 1],
  ['semaine', 7],
  ['mois', 30],
  ['an', 365],
  ['hora', 1 / 24],
  ['día', 1],
  ['semana', 7],
  ['mes', 30],
  ['año', 365],
  ['日', 1],
  ['天', 1],
  ['週', 7],
  ['周', 7],
  ['年', 365],
]);
const numberWords = new Map(
  'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, value) => [word, value + 1] as const),
);
for (const [tens, word] of ['thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'].entries())
  numberWords.set(word, tens * 10 + 30);

const amountPattern = new RegExp(
  String.raw`([$€£¥])?\s?((?<![\p{L}\p{N}.,])\d[\d.,]*|\b(?:${[...numberWords.keys()].join('|')})\b)[-\s]?(%|[\p{Script=Han}]|(?:business|working|calendar|full|consecutive)\s+\p{L}+|\p{L}+)?`,
  'giu',
);
const qualifier = /^(?:business|working|calendar|full|consecutive)\s+/i;
const singular = (word: string) => word.toLowerCase().replace(/(?<=\p{L}{2})(?:en|s)$/u, '');

function numberOf(written: string): number | undefined {
  const word = numberWords.get(written.toLowerCase());
  if (word !== undefined) return word;
  const value = Number(written.replace(/[.,]$/, '').replace(/,(?=\d{3}(?!\d))/g, ''));
  return Number.isFinite(value) ? value : undefined;
}

/** The figures of a sentence, each with what is counted; one that counts nothing (a year, a version) is none. */
export function amountsOf(text: string): Map<string, number> {
  const amounts = new Map<string, number>();
  for (const [, currency, written = '', counted = ''] of text.matchAll(amountPattern)) {
    const value = numberOf(written);
    const unit = singular(counted.replace(qualifier, ''));
    const days = inDays.get(counted.toLowerCase()) ?? inDays.get(unit);
    const kind = currency ?? (counted === '%' ? '%' : days === undefined ? unit : 'day');
    if (value === undefined || kind === '') continue;
    // Two amounts of one kind in a sentence (`10 to 14 days`) are more than can be compared.
    amounts.set(kind, amounts.has(kind) ? Number.NaN : value * (days ?? 1));
  }
  return amounts;
}

/** Words of a sentence that are neither figures nor what they count. */
function wordsOf(text: string, language: Language): Set<string> {
  return new Set(contentWords(text.replace(amountPattern, ' '), language).map(({ term }) => term));
}

function candidatesOf(passage: CheckedPassage, position: number, asked: readonly AskedWord[]): Candidate[] {
  const { plain, snippet } = passage;
  const language = snippet.document.textLanguage;
  const above = new Set(terms(placeNames(snippet).join('\n'), language));
  return [...units(plain.text)].flatMap((unit): Candidate[] => {
    if (unit.kind === 'code' || unit.kind === 'row') return [];
    const text = plain.text.slice(unit.start, unit.end);
    const amounts = amountsOf(text);
    if (amounts.size === 0) return [];
    const own = new Set(terms(text, language));
    const said = asked.filter(({ forms }) => forms.some(({ term }) => own.has(term) || above.has(term))).map(({ word }) => word);
    const bySentence = asked.some(({ forms }) => forms.some(({ term }) => own.has(term)));
    if (!bySentence || said.length < asked.length * minAskedShare) return [];
    return [{ position, unit, text, amounts, words: wordsOf(text, language), asked: new Set(said) }];
  });
}

const isEqual = (a: ReadonlySet<string>, b: ReadonlySet<string>) => a.size === b.size && a.isSubsetOf(b);

function contradict(a: Candidate, b: Candidate): boolean {
  if (!isEqual(a.asked, b.asked)) return false;
  const common = a.words.intersection(b.words).size;
  if (common < minCommonWords || common < minCommonShare * Math.min(a.words.size, b.words.size)) return false;
  const shared = [...a.amounts.keys()].filter((kind) => b.amounts.has(kind));
  return shared.length > 0 && shared.every((kind) => Math.abs((a.amounts.get(kind) ?? 0) - (b.amounts.get(kind) ?? 0)) > 1e-9);
}

const ageOf = ({ snippet }: CheckedPassage): number => {
  const at = Date.parse(snippet.asOf ?? '');
  return Number.isNaN(at) ? Number.NEGATIVE_INFINITY : at;
};

/**
 * Claims that contradict each other, newest first; none where the passages agree.
 * @param asked words of the question, as the search understood them
 */
export function findDisagreement(passages: readonly CheckedPassage[], asked: readonly AskedWord[]): readonly Claim[] {
  const own = asked.filter(({ isBackground, forms }) => !isBackground && forms.length > 0);
  if (own.length === 0) return [];
  const candidates = passages.flatMap((passage, position) => (passage.snippet.isRecord ? [] : candidatesOf(passage, position, own)));
  const documentOf = ({ position }: Claim) => passages[position]?.snippet.document.id;
  for (const [at, first] of candidates.entries()) {
    const others = candidates.slice(at + 1).filter((other) => documentOf(other) !== documentOf(first) && contradict(first, other));
    if (others.length === 0) continue;
    const oneOfEach = [first, ...others].filter((claim, order, all) => all.findIndex((one) => one.position === claim.position) === order);
    return oneOfEach.sort((a, b) => {
      const [older, newer] = [passages[a.position], passages[b.position]];
      return older && newer ? ageOf(newer) - ageOf(older) || 0 : 0;
    });
  }
  return [];
}
