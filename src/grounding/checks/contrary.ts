/**
 * Whether a clause says what the passage says and not its contrary, however alike the words are: what denies it and which sides it takes
 * have to be the same as in the clause that it was made from. Only clauses that speak of nearly the same are compared.
 */
import { isSameFigure } from '../figures.ts';
import type { Clause, PassageClause, PassageReading, Statement } from '../reading.ts';
import { contraryOf, type Polarity, strictSides, wordKey } from './polarity.ts';

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
  const strict = strictSides(reading.language);
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
