/**
 * Whether what a sentence says by a figure is said of the same thing by that figure: `Pro has 10 GB and Team 50 GB` turned around holds
 * every word and figure of the truth. Units and days that stand by themselves have to be in the evidence.
 */
import { type Figure, inDays, isRival, isSameFigure } from '../../language/figures.ts';
import type { Clause, Statement, TellingWord } from '../clauses.ts';
import type { PassageReading } from '../reading.ts';

/** Least share of the words beside a figure that the clause which states it has to hold; .45 kept less (bench/README.md). */
const minFigureShare = 0.3;
/** What a word counts that stands in another clause of the unit, or in what the unit is said under. */
const contextShare = 0.5;
/** A clause with another figure has to say this much more of the words beside it to be what a sentence was taken from. */
const rivalMargin = 0.1;

/** Units and days that no figure of a clause has: `on Saturdays`, `annually`. */
const freeMeasures = ({ figures, measures }: Clause): ReadonlySet<string> =>
  measures.difference(new Set(figures.flatMap(({ units }) => [...units])));

/** `once a year` is `annually`. */
const isStatedBy = (figure: Figure, clause: Clause): boolean =>
  clause.figures.some((one) => isSameFigure(figure, one)) ||
  (figure.value === '1' && figure.units.size > 0 && figure.units.isSubsetOf(freeMeasures(clause)));

/** The unit that states a figure and says most of what stands beside it; undefined where a rival figure has a better claim to that. */
function statingUnit(figure: Figure, words: readonly TellingWord[], measures: ReadonlySet<string>, reading: PassageReading) {
  const claims = reading.clauses().flatMap((clause) => {
    const isStated = isStatedBy(figure, clause);
    if (!isStated && !clause.figures.some((one) => isRival(figure, one))) return [];
    const context = reading.units[clause.unit]?.context ?? clause.stems;
    const said = words.map((word) => Math.max(reading.shareOf([word], clause), contextShare * reading.meets(word, context)));
    const held = said.reduce((sum, share) => sum + share, 0) + measures.intersection(clause.measures).size;
    return { isStated, unit: clause.unit, share: held / Math.max(1, words.length + measures.size) };
  });
  claims.sort((a, b) => b.share - a.share);
  const best = claims.find(({ isStated }) => isStated);
  const rival = claims.find(({ isStated }) => !isStated);
  return best && (rival?.share ?? 0) <= best.share + rivalMargin ? best.unit : undefined;
}

/** Adds the units that state a clause's figures of the same thing to the evidence. @returns whether each is stated so */
function areStated(clause: Clause, before: Clause | undefined, reading: PassageReading, evidence: Set<number>): boolean {
  const words = clause.words.length > 0 ? clause.words : (before?.words ?? []);
  // A length of time may be the figure's own, three words behind it.
  const days = freeMeasures(clause).difference(inDays);
  return clause.figures.every((figure) => {
    const unit = statingUnit(figure, words, days, reading);
    const stems = unit === undefined ? undefined : reading.units[unit]?.context;
    if (unit === undefined || !stems) return false;
    evidence.add(unit);
    return words.filter((word) => reading.meets(word, stems) > 0).length >= words.length * minFigureShare;
  });
}

/** Whether the units and days of a clause that no figure of it has are in the evidence. */
function holdsMeasures(clause: Clause, evidence: ReadonlySet<number>, reading: PassageReading): boolean {
  const clauses = reading.clauses().filter(({ unit }) => evidence.has(unit));
  return [...freeMeasures(clause)].every((measure) => clauses.some(({ measures }) => measures.has(measure)));
}

export const figuresHold = ({ clauses }: Statement, reading: PassageReading, evidence: Set<number>): boolean =>
  clauses.every((clause, order) => areStated(clause, clauses[order - 1], reading, evidence)) &&
  clauses.every((clause) => holdsMeasures(clause, evidence, reading));
