/**
 * Whether what a sentence says by a figure is said of the same thing by that figure: `Pro has 10 GB and Team 50 GB` turned around holds
 * every word and figure of the truth. Units and days that stand by themselves have to be in the evidence.
 */
import { type Figure, isRival, isSameFigure } from '../figures.ts';
import type { Clause, PassageReading, Statement, TellingWord } from '../reading.ts';

/** Least share of the words beside a figure that the clause which states it has to hold; .45 kept less (bench/README.md). */
const minFigureShare = 0.3;
/** A clause with another figure has to say this much more of the words beside it to be what a sentence was taken from. */
const rivalMargin = 0.1;

/** The unit that states a figure and says most of the words beside it; undefined where a rival figure has a better claim to them. */
function statingUnit(figure: Figure, words: readonly TellingWord[], reading: PassageReading): number | undefined {
  let best: { readonly unit: number; readonly share: number } | undefined;
  let rival = 0;
  for (const clause of reading.clauses()) {
    const isStated = clause.figures.some((one) => isSameFigure(figure, one));
    if (!isStated && !clause.figures.some((one) => isRival(figure, one))) continue;
    const share = reading.shareOf(words, clause);
    if (!isStated) rival = Math.max(rival, share);
    else if (!best || share > best.share) best = { unit: clause.unit, share };
  }
  return best && rival <= best.share + rivalMargin ? best.unit : undefined;
}

/** Adds the units that state a clause's figures of the same thing to the evidence. @returns whether each is stated so */
function areStated(clause: Clause, before: Clause | undefined, reading: PassageReading, evidence: Set<number>): boolean {
  const words = clause.words.length > 0 ? clause.words : (before?.words ?? []);
  return clause.figures.every((figure) => {
    const unit = statingUnit(figure, words, reading);
    const stems = reading.units[unit ?? -1]?.stems;
    if (unit === undefined || !stems) return false;
    evidence.add(unit);
    const held = words.filter((word) => reading.meets(word, stems) > 0 || reading.meets(word, reading.headings) > 0);
    return held.length >= words.length * minFigureShare;
  });
}

/** Whether the units and days of a clause that no figure of it has are in the evidence. */
function holdsMeasures({ figures, measures }: Clause, evidence: ReadonlySet<number>, reading: PassageReading): boolean {
  const attached = new Set(figures.flatMap(({ units }) => [...units]));
  const isSaid = (measure: string) => reading.clauses().some((clause) => evidence.has(clause.unit) && clause.measures.has(measure));
  return [...measures].every((measure) => attached.has(measure) || isSaid(measure));
}

/** @param evidence positions of units; those that state the figures are added */
export const figuresHold = ({ clauses }: Statement, reading: PassageReading, evidence: Set<number>): boolean =>
  clauses.every((clause, order) => areStated(clause, clauses[order - 1], reading, evidence)) &&
  clauses.every((clause) => holdsMeasures(clause, evidence, reading));
