/**
 * The figures of a text with their units, in one spelling: `$1,000.00` is 1000 and dollars, `thirty-day` is 30 and days. What a sentence
 * says has to be stated with the same amount and the same unit.
 */
import type { Language } from '../text/languages.ts';
import { chineseFigure, measureAtStart, measuresOf, symbolMeasure } from './measures.ts';

export interface Figure {
  readonly value: string;
  /** Where it stands, UTF-16 units into the text in NFKC. */
  readonly at: number;
  /** Units right at it: what a sentence says of its figure. */
  readonly units: ReadonlySet<string>;
  /** Units near it: where a sentence may have got them from. */
  readonly nearUnits: ReadonlySet<string>;
  /** The next words that are no unit, as they are written: what is counted. */
  readonly counted: readonly string[];
}

/** A minus stands right before its figure; `plans - 30 days` has a dash. */
const digits = /(?:(?<![\p{L}\p{N}])[-−](?=[$€£¥₹\d]))?([$€£¥₹]\s?)?(\d+(?:[.,:/]\d+)*)/gu;
const chineseRun = /[〇一二两三四五六七八九十百千万]{1,9}(?=\s?(?:か月|ヶ月|个月|個月|[日月年時分秒週周天小名人回次件円元个個倍点営工]))/gu;
const words = /[\p{L}\p{M}\p{N}]+(?:\.[a-z]\b)?|[%‰$€£¥₹°]/gu;
const wordsAfter = 5;
const unitsWithin = 2;
const reach = 80;
/** Words that stand between a figure and what is a unit of it only by a rate. */
const articles = new Set(['one', 'a', 'an', 'once']);
const takesArticle = /\b(?:within|in|after|for|takes?|lasts?|about|up to|at least|at most|than|over|under|every|by)\s+$/i;
const ones = new Set(['1', '0']);

/** Thousands are marked by commas, or by dots where the comma marks decimals; `.00` says nothing. */
function normalised(value: string, language: Language): string {
  const plain = /^(?:de|es|fr|it|nl|pt)$/.test(language)
    ? value.replace(/[.](?=\d{3}(?!\d))/g, '').replace(/,(?=\d{1,2}$)/, '.')
    : value.replace(/,(?=\d{3}(?!\d))/g, '');
  return plain.replace(/^0+(?=\d)/, '').replace(/\.0+$/, '');
}

/** But `2x3` are two, and scripts without spaces write a figure right behind a word. */
const partOfName = /(?<!\dx)(?<![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])(?<=[\p{L}_]|\p{Script=Latin}-)$/u;

interface Found {
  readonly value: string;
  readonly start: number;
  readonly end: number;
  readonly symbol: string | undefined;
  readonly isWord: boolean;
}

function digitsOf(text: string, language: Language): Found[] {
  const found: Found[] = [];
  for (const { 0: whole, 1: symbol, 2: amount = '', index } of text.matchAll(digits)) {
    // A figure that a letter stands right before is a part of a name: S3, v2, eth0.
    if (partOfName.test(text.slice(Math.max(0, index - 2), index))) continue;
    const sign = /^[-−]/.test(whole) ? '-' : '';
    const value = /[:/]/.test(amount) ? amount.replace(/^0?(\d{1,2}):00$/, '$1') : normalised(amount, language);
    found.push({ value: `${sign}${value}`, start: index, end: index + whole.length, symbol: symbol?.trim(), isWord: false });
  }
  return found;
}

/** Figures that are words: `twenty-four` is one of them, `two hundred` as well. */
function wordsOf(text: string, language: Language): Found[] {
  const { numberOf } = measuresOf(language);
  const found: Found[] = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    const value = word.length > 20 ? undefined : numberOf(word);
    if (value === undefined) continue;
    const end = index + word.length;
    const last = found.at(-1);
    const between = last ? text.slice(last.end, index) : '';
    const joins = last !== undefined && /^[\s-]$/.test(between);
    if (last && joins && Number(last.value) >= 20 && Number(last.value) < 100 && Number(value) < 10 && Number(value) >= 1)
      found[found.length - 1] = { ...last, value: String(Number(last.value) + Number(value)), end };
    else if (last && joins && Number(value) >= 100 && Number(last.value) >= 1)
      found[found.length - 1] = { ...last, value: String(Number(last.value) * Number(value)), end };
    else found.push({ value, start: index, end, symbol: undefined, isWord: true });
  }
  for (const { 0: run, index } of text.matchAll(chineseRun)) {
    const value = chineseFigure(run);
    if (value !== undefined) found.push({ value: String(value), start: index, end: index + run.length, symbol: undefined, isWord: false });
  }
  return found;
}

const fastCheck = /\p{N}/u;

/** Every figure of a text, in reading order. @param text in NFKC */
export function figuresOf(text: string, language: Language): Figure[] {
  const { afterFigure } = measuresOf(language);
  const found = [...(fastCheck.test(text) ? digitsOf(text, language) : []), ...wordsOf(text, language)].sort((a, b) => a.start - b.start);
  return found.flatMap((one, order): Figure[] => {
    const until = Math.min(one.end + reach, found[order + 1]?.start ?? text.length);
    const next = text.slice(one.end, until);
    const symbol =
      one.symbol === undefined
        ? text.slice(Math.max(0, one.start - 5), one.start).match(/\b(USD|EUR|GBP|JPY|CHF|US\$)\s$/)?.[1]
        : one.symbol;
    const units: string[] = [];
    const nearUnits: string[] = [];
    const counted: string[] = [];
    const currency = symbol === undefined ? undefined : symbolMeasure(symbol);
    if (currency !== undefined) units.push(currency);
    const joined = measureAtStart(next.trimStart());
    if (joined !== undefined) units.push(joined);
    let order_ = 0;
    // `8:30 p.m., Mondays` is no figure of Mondays.
    const pause = next.search(/[,;](?:\s|$)/);
    for (const { 0: word, index } of next.matchAll(words)) {
      if (order_ === wordsAfter) break;
      const unit = afterFigure(word);
      if (unit === undefined) counted.push(word);
      else (order_ < unitsWithin && (pause < 0 || index < pause) ? units : nearUnits).push(unit);
      order_++;
    }
    // `one` and `once` are figures only beside a unit, and so is an article.
    if (one.isWord && ones.has(one.value) && units.length === 0) return [];
    return [{ value: one.value, at: one.start, units: new Set(units), nearUnits: new Set([...units, ...nearUnits]), counted }];
  });
}

/** `within a day` says one day. */
export function impliedFigures(text: string, language: Language): Figure[] {
  if (language !== 'en') return [];
  const { of } = measuresOf(language);
  return [...text.matchAll(/\b(a|an)\s+(?!quarter of\b)(\p{L}+)/giu)].flatMap(({ 1: article = '', 2: word = '', index }) => {
    const unit = of(word);
    if (unit === undefined || !articles.has(article.toLowerCase()) || !takesArticle.test(text.slice(Math.max(0, index - 12), index)))
      return [];
    return [{ value: '1', at: index, units: new Set([unit]), nearUnits: new Set([unit]), counted: [] }];
  });
}

const asShare = (value: string, units: ReadonlySet<string>) => (value === '0.5' ? '50' : units.has('%') ? value : undefined);

/** Whether one statement of a figure is what a sentence says. */
export function isSameFigure(said: Figure, stated: Figure): boolean {
  const isHalf = said.value !== stated.value && asShare(said.value, said.units) === '50' && asShare(stated.value, stated.units) === '50';
  if (said.value !== stated.value && !isHalf) return false;
  return isHalf || [...said.units].every((unit) => stated.nearUnits.has(unit));
}

/** Units that answer the same question: how long, how big, how much. */
const kinds: readonly (readonly string[])[] = [
  ['ms', 's', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'decade'],
  ['byte', 'kb', 'mb', 'gb', 'tb', 'pb', 'kib', 'mib', 'gib', 'tib'],
  ['$', '€', '£', '¥', '₹', 'chf'],
];
const kindOf = new Map(kinds.flatMap((names, kind) => names.map((name) => [name, String(kind)] as const)));
const kindsOf = (names: ReadonlySet<string>) => [...names].map((name) => kindOf.get(name) ?? name);

/** Whether two figures are of a kind, so that one might be taken for the other. */
export function isRival(said: Figure, other: Figure): boolean {
  if (said.units.size === 0) return other.units.size === 0;
  const others = new Set(kindsOf(other.units));
  return kindsOf(said.units).some((kind) => others.has(kind));
}
