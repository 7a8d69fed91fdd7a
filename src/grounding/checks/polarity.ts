/**
 * Whether a clause says what the passage says and not its contrary, however alike the words are: what denies it and which side of which
 * opposites it takes have to be the same as in the clause that it was made from. Entries of the lexicons are found by stems, the longest
 * first, so that `not only` denies nothing and `not more than` is a limit.
 */
import { fold, isPaired, type Language } from '../../language/languages.ts';
import { lexiconEntries, lexiconGroups } from '../../language/lexicon.ts';
import { perLanguage } from '../../language/per-language.ts';
import { rawWords, termsOf } from '../../language/tokens.ts';
import { isSameFigure } from '../figures.ts';
import type { Clause, PassageClause, PassageReading, Statement } from '../reading.ts';

interface Lexicon {
  /** Finds entries in a clause that is written in keys. */
  readonly pattern: RegExp;
  /** Sides that an entry takes, by its keys; none where it hides another: `not only`. Two sides of a pair differ in their last bit. */
  readonly marks: ReadonlyMap<string, readonly number[]>;
  /** Sides that a sentence may not take by itself. */
  readonly strict: ReadonlySet<number>;
}

/** What turns a clause. */
export interface Polarity {
  readonly denies: boolean;
  /** Of opposites. */
  readonly sides: ReadonlySet<number>;
  /** Keys of the words by which it takes them. */
  readonly sided: ReadonlySet<string>;
}

/** The side of what denies. */
const denial = -1;
const contraryOf = (side: number) => side ^ 1;

/** Any figure. */
export const figureKey = ' #=';

/** A word as entries are compared with it: by its stem, which people write without accents, and as it is written. */
export function wordKey(written: string, language: Language): string {
  const folded = fold(written);
  // The month has no side, the verb has one.
  return written === 'May' ? ' May=' : ` ${termsOf(folded, language)[0] ?? folded}=${folded}`;
}

const stemOnly = (keys: string) => keys.replace(/=\S*/g, '=');

/** `#` is any figure, `=word` only as it is written. */
function keysOf(entry: string, language: Language): string {
  if (isPaired(language)) return entry;
  const wordKeys = (word: string) => rawWords(word).map((raw) => wordKey(raw, language));
  const words = entry.split(/\s+/).map((word) => (word.startsWith('=') ? wordKeys(word).join('') : stemOnly(wordKeys(word).join(''))));
  return words.map((keys) => keys || figureKey).join('');
}

const lexiconOf = perLanguage((language): Lexicon => {
  const marks = new Map<string, number[]>();
  const add = (entries: readonly string[], ...sides: number[]) => {
    for (const keys of entries.map((entry) => keysOf(entry, language))) marks.set(keys, [...(marks.get(keys) ?? []), ...sides]);
  };
  add(lexiconEntries(language, 'negations'), denial);
  add(lexiconEntries(language, 'affirmations'));
  const opposites = lexiconGroups(language, 'opposites');
  for (const [pair, { sides }] of opposites.entries()) for (const [side, entries] of sides.entries()) add(entries, pair * 2 + side);
  const lengthOf = (keys: string) => (isPaired(language) ? keys.length : keys.split('=').length);
  const patterns = [...marks.keys()]
    .sort((a, b) => lengthOf(b) - lengthOf(a))
    .map((keys) => keys.replace(/[.*+?()[\]|/-]/g, '\\$&').replace(/=(?= |$)/g, '=\\S*'));
  return {
    pattern: patterns.length === 0 ? /(?!)/g : new RegExp(`(?:${patterns.join('|')})${isPaired(language) ? '' : '(?!\\S)'}`, 'g'),
    marks,
    strict: new Set(opposites.flatMap(({ name }, pair) => (name === '!' ? [pair * 2, pair * 2 + 1] : []))),
  };
});

/** @param keys of the clause's words in reading order @param text the clause itself: of a script without spaces entries are found as they are written */
export function polarityOf(keys: string, text: string, language: Language): Polarity {
  const { pattern, marks } = lexiconOf(language);
  const clause = isPaired(language) ? text : keys;
  const sides = new Set<number>();
  const sided = new Set<string>();
  pattern.lastIndex = 0;
  for (let match = pattern.exec(clause); match; match = pattern.exec(clause)) {
    const [found] = match;
    // A figure at its end may begin another: `more than 5 or less`.
    if (found.endsWith(figureKey)) pattern.lastIndex -= figureKey.length;
    for (const side of marks.get(found) ?? marks.get(stemOnly(found)) ?? []) {
      sides.add(side);
      if (side !== denial) for (const key of found.match(/ \S+/g) ?? []) sided.add(key);
    }
  }
  return { denies: sides.delete(denial), sides, sided };
}

const negatingPrefix = /^(?:un|in|im|ir|il|non|dis|not|nicht|no|de)(?=.{4})/;
/** Whether a word is denied by a prefix that its counterpart has not: `unavailable` where the other says `available`. */
const isFlippedByPrefix = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].some((word) => {
    const base = word.replace(negatingPrefix, '');
    return base !== word && others.has(base) && !others.has(word) && !words.has(base);
  });

/** Whether a clause says the same as another and not its contrary; `not open` is `closed`. */
function agrees(said: Clause, stated: Clause, strict: ReadonlySet<number>): boolean {
  const others = stated.polarity.sides;
  const own = said.polarity.sides;
  const isHeld = (side: number) => others.has(side) || (others.has(contraryOf(side)) && own.has(contraryOf(side)));
  const missing = [...own].filter((side) => !isHeld(side));
  const turned = missing.filter((side) => others.has(contraryOf(side)));
  if (missing.some((side) => strict.has(side) && !turned.includes(side))) return false;
  const isFlipped = turned.length > 0 || isFlippedByPrefix(said.stems, stated.stems) || isFlippedByPrefix(stated.stems, said.stems);
  return (said.polarity.denies !== stated.polarity.denies) === isFlipped;
}

/** Whether a clause takes a side of which a whole sentence takes only the other, and neither denies anything. */
function contradicts(said: Polarity, stated: readonly Clause[]): boolean {
  const takes = (side: number) => stated.some(({ polarity }) => polarity.sides.has(side));
  if (said.denies || stated.some(({ polarity }) => polarity.denies)) return false;
  return [...said.sides].some((side) => takes(contraryOf(side)) && !takes(side));
}

/** A clause that says this much less than the one that says most is not what a sentence was made from. */
const margin = 0.02;
/** Least share that it has to say to be compared. */
const minAligned = 0.6;
/** The same for a clause that denies something: a denial needs evidence of its own. */
const minDenied = 0.3;
/** What a word counts that takes a side where the other takes one: a word and its contrary speak of the same. */
const sidedShare = 0.9;

/** Share of what a clause says that another one says too, whichever side it takes. */
function alike({ words, figures, measures, polarity }: Clause, other: PassageClause, { shareOf, language }: PassageReading): number {
  const isSided = [...polarity.sides].some((side) => other.polarity.sides.has(side) || other.polarity.sides.has(contraryOf(side)));
  const least = (written: string) => (isSided && polarity.sided.has(wordKey(written, language)) ? sidedShare : 0);
  const met = words.reduce((sum, word) => sum + Math.max(shareOf([word], other), least(word.written)), 0);
  const held = figures.filter((figure) => other.figures.some((one) => isSameFigure(figure, one))).length;
  return (met + held + measures.intersection(other.measures).size) / Math.max(1, words.length + figures.length + measures.size);
}

/** Whether a clause says what the passage says where it speaks of nearly the same. @param evidence positions of units; the one that says it is added */
function isSaid(clause: Clause, reading: PassageReading, evidence: Set<number>): boolean {
  const { strict } = lexiconOf(reading.language);
  const others = reading.clauses();
  const aligned = others.map((other) => ({ other, share: alike(clause, other, reading) })).sort((a, b) => b.share - a.share);
  const most = aligned[0]?.share ?? 0;
  const { denies, sides } = clause.polarity;
  // `And it is free` is no more than two words.
  if ([...sides].some((side) => strict.has(side) && !others.some(({ polarity }) => polarity.sides.has(side)))) return false;
  if (most < (denies ? minDenied : minAligned)) return !denies;
  const found = aligned.find(
    ({ other, share }) =>
      share >= most - margin &&
      agrees(clause, other, strict) &&
      !contradicts(
        clause.polarity,
        others.filter(({ unit }) => unit === other.unit),
      ),
  );
  if (found) evidence.add(found.other.unit);
  return found !== undefined;
}

/** Whether nothing in a sentence is turned around. */
export const polarityHolds = ({ clauses }: Statement, reading: PassageReading, evidence: Set<number>): boolean =>
  clauses.every((clause) => isSaid(clause, reading, evidence));
