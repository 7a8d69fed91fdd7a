/**
 * Which clause of a passage a clause of a sentence was made from, and whether it says the same: a denial, a limit or an opposite on one
 * side only makes it the contrary, however alike the words are. Only clauses that speak of nearly the same are compared.
 */
import type { Language } from '../../language/languages.ts';
import { isSameFigure } from '../figures.ts';
import type { Clause, PassageClause, PassageReading, Statement } from '../reading.ts';
import { addsLimit, agrees, contradicts, wordKey } from './polarity.ts';

/** A clause that says this much less than the one that says most is not what a sentence was made from. */
const margin = 0.02;
/** Least share that it has to say to be compared. */
const minAligned = 0.6;
/** The same for a clause that denies something: a denial needs evidence of its own. */
const minDenied = 0.3;

/** What a word counts that takes a side where the other takes one: a word and its contrary speak of the same. */
const sidedShare = 0.9;

/** Share of what a clause says that another one says too, whichever side it takes. */
function alike(clause: Clause, other: PassageClause, { shareOf }: PassageReading, language: Language): number {
  const { figures, measures, polarity } = clause;
  const isSided = [...polarity.sides.keys()].some((pair) => other.polarity.sides.has(pair));
  const shares = clause.words.map((word) =>
    Math.max(shareOf([word], other), isSided && polarity.sided.has(wordKey(word.written, language)) ? sidedShare : 0),
  );
  const exact = figures.length + measures.size;
  // `If you don't have the time` tells nothing, but it denies.
  if (clause.words.length + exact === 0) return clause.stems.intersection(other.stems).size / Math.max(1, clause.stems.size);
  const held =
    figures.filter((figure) => other.figures.some((one) => isSameFigure(figure, one))).length +
    [...measures].filter((measure) => other.measures.has(measure)).length;
  return (shares.reduce((sum, share) => sum + share, 0) + held) / (clause.words.length + exact);
}

/** Whether a clause says what the passage says where it speaks of nearly the same. @param evidence positions of units; the one that says it is added */
function isSaid(clause: Clause, reading: PassageReading, language: Language, evidence: Set<number>): boolean {
  const others = reading.clauses();
  if (addsLimit(clause.polarity, others, language)) return false;
  const aligned = others.map((other) => ({ other, share: alike(clause, other, reading, language) })).sort((a, b) => b.share - a.share);
  const most = aligned[0]?.share ?? 0;
  const { denies } = clause.polarity;
  if (most < (denies ? minDenied : minAligned)) return !denies;
  const says = (other: PassageClause) =>
    agrees(clause, other, language) &&
    !contradicts(
      clause.polarity,
      others.filter(({ unit }) => unit === other.unit),
    );
  const found = aligned.find(({ other, share }) => share >= most - margin && says(other));
  if (found) evidence.add(found.other.unit);
  return found !== undefined;
}

/** Whether nothing in a sentence is turned around. */
export const polarityHolds = ({ clauses }: Statement, reading: PassageReading, evidence: Set<number>): boolean =>
  clauses.every((clause) => isSaid(clause, reading, reading.language, evidence));
