/**
 * Checks that the evidence states each figure for the same subject. If a sentence swaps the figures
 * of `Pro has 10 GB and Team 50 GB`, all its words and figures still occur. Units and days without
 * a figure must appear in the evidence too.
 */
import {
  type Figure,
  inDays,
  isRival,
  isSameFigure,
} from '../../../shared/src/language/figures.ts';
import type { Clause, ClauseWord, Statement } from '../clauses.ts';
import type { PassageReading } from '../reading.ts';

/**
 * Minimum share of a clause's words in the unit that states its figure; .45 kept fewer sentences
 * (bench/README.md).
 */
const minFigureShare = 0.3;
/** Weight of a word in another clause of the unit, or in its context. */
const contextWeight = 0.5;
/**
 * A clause with a rival figure refutes the figure if its share of words is higher by at least this.
 */
const rivalMargin = 0.1;

/** Returns units and days without a figure: `on Saturdays`, `annually`. */
const freeMeasures = ({ figures, measures }: Clause): ReadonlySet<string> =>
  measures.difference(new Set(figures.flatMap(({ units }) => [...units])));

/** `once a year` is `annually`. */
const isStatedBy = (figure: Figure, clause: Clause): boolean =>
  clause.figures.some((one) => isSameFigure(figure, one)) ||
  (figure.value === '1' && figure.units.size > 0 && figure.units.isSubsetOf(freeMeasures(clause)));

/**
 * Returns the unit that states the figure with most of its words; undefined if a rival figure fits
 * them better.
 */
function statingUnit(
  figure: Figure,
  words: readonly ClauseWord[],
  measures: ReadonlySet<string>,
  reading: PassageReading,
) {
  const claims = reading.clauses().flatMap((clause) => {
    const isStated = isStatedBy(figure, clause);
    if (!isStated && !clause.figures.some((one) => isRival(figure, one))) return [];
    const context = reading.units[clause.unit]?.context ?? clause.stems;
    const shares = words.map((word) =>
      Math.max(reading.shareOf([word], clause), contextWeight * reading.meets(word, context)),
    );
    const held =
      shares.reduce((sum, share) => sum + share, 0) + measures.intersection(clause.measures).size;
    return { isStated, unit: clause.unit, share: held / Math.max(1, words.length + measures.size) };
  });
  claims.sort((a, b) => b.share - a.share);
  const best = claims.find(({ isStated }) => isStated);
  const rival = claims.find(({ isStated }) => !isStated);
  return best && (rival?.share ?? 0) <= best.share + rivalMargin ? best.unit : undefined;
}

/**
 * Adds the units that state a clause's figures to the evidence. @returns whether every figure is
 * stated for the same thing
 */
function areStated(
  clause: Clause,
  before: Clause | undefined,
  reading: PassageReading,
  evidence: Set<number>,
): boolean {
  const words = clause.words.length > 0 ? clause.words : (before?.words ?? []);
  // Excludes lengths of time, which may belong to a figure up to three words before them.
  const days = freeMeasures(clause).difference(inDays);
  return clause.figures.every((figure) => {
    const unit = statingUnit(figure, words, days, reading);
    const stems = unit === undefined ? undefined : reading.units[unit]?.context;
    if (unit === undefined || !stems) return false;
    evidence.add(unit);
    return (
      words.filter((word) => reading.meets(word, stems) > 0).length >= words.length * minFigureShare
    );
  });
}

function holdsMeasures(
  clause: Clause,
  evidence: ReadonlySet<number>,
  reading: PassageReading,
): boolean {
  const clauses = reading.clauses().filter(({ unit }) => evidence.has(unit));
  return [...freeMeasures(clause)].every((measure) =>
    clauses.some(({ measures }) => measures.has(measure)),
  );
}

export const figuresHold = (
  { clauses }: Statement,
  reading: PassageReading,
  evidence: Set<number>,
): boolean =>
  clauses.every((clause, order) => areStated(clause, clauses[order - 1], reading, evidence)) &&
  clauses.every((clause) => holdsMeasures(clause, evidence, reading));
