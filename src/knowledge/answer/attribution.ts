/**
 * Whether what a sentence says of a name or by a figure is said of that name and by that figure: `Pro has 10 GB and Team 50 GB` turned
 * around holds every word and figure of the truth.
 */
import { withoutAcronyms } from './acronyms.ts';
import { type Alignment, weightOf } from './alignment.ts';
import { type Figure, isRival, isSameFigure } from './figures.ts';
import type { PassageReading, Spoken } from './passage-reading.ts';
import type { Clause, Word } from './statement.ts';

/** A clause of another thing has to say this much more of the rest to be what it was taken from. */
const rivalMargin = 0.15;
/** Least share of what is said of a name that has to be said of another to count. */
const minRivalShare = 0.97;
/** Least share of the words beside a figure that the unit which states it has to hold. */
const minFigureShare = 0.3;
const minTelling = 1.2;
const nothing: ReadonlySet<string> = new Set();
/** A longer run of names is a list of them, or the name of an office, which may stand in two clauses. */
const maxTogether = 2;

const holds = (stems: ReadonlySet<string>, name: Word): boolean =>
  stems.has(name.term) || (name.parts.length > 0 && name.parts.every((part) => stems.has(part)));

/** Names that stand together, as those of a person or of an office do: `Department of Health`. */
function runsOf(names: readonly Word[]): Word[][] {
  const runs: Word[][] = [];
  for (const name of names) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && name.position - last.position <= 2) run.push(name);
    else runs.push([name]);
  }
  return runs;
}

export interface Attribution {
  /** Names stand in the passage, those of one person together, and what is said of them is not said of another. */
  holdsNames(clause: Clause): boolean;
  /** The units that state a clause's figures, of the same and not of another thing; undefined where one is not stated so. */
  statedIn(clause: Clause, before: Clause | undefined): readonly number[] | undefined;
  /** Units of time, days and currencies that stand by themselves are in the evidence. */
  holdsMeasures(clause: Clause, evidence: ReadonlySet<number>): boolean;
}

export function createAttribution(reading: PassageReading, { shareOf }: Alignment): Attribution {
  const { pieces, given, meets } = reading;

  /** Begins with a name that is none of these. */
  const isOfAnother = (clause: Spoken, said: Clause): boolean =>
    clause.words
      .slice(0, 2)
      .some(
        (word) =>
          (word.isName || (word.isCapital && !reading.lowered().has(word.term))) && !said.words.some(({ term }) => term === word.term),
      );

  /** A clause that carries on also speaks of the version, step or room that the one before it names. */
  const states = (clause: Spoken, figure: Figure): boolean =>
    clause.figures.some((one) => isSameFigure(figure, one)) ||
    (figure.units.size === 0 && clause.last !== undefined && clause.last.figures.some((one) => isSameFigure(figure, one)));

  return {
    holdsNames(clause) {
      const capitals = clause.words.filter(({ isCapital }) => isCapital);
      if (capitals.length === 0) return true;
      const names = capitals.filter(({ isName, term }) => isName || reading.names().has(term));
      const asked = names.filter((name) => !holds(given, name));
      if (asked.length === 0) return true;
      const all = reading.clauses();
      const isThere = (name: Word) => pieces.some(({ terms }) => holds(terms, name));
      for (const whole of runsOf(asked)) {
        const run = whole.every(isThere) ? whole : withoutAcronyms(whole, reading.acronyms());
        if (!run.every(isThere)) return false;
        const isTogether = run.every((name, order) => {
          const next = run[order + 1];
          return (
            !next ||
            whole.length > maxTogether ||
            run.length < whole.length ||
            all.some(({ terms }) => holds(terms, name) && holds(terms, next))
          );
        });
        if (!isTogether) return false;
      }
      const rest = clause.words.filter((word) => !names.includes(word));
      if (weightOf(rest) < minTelling) return true;
      let [stated, rival] = [0, 0];
      for (const other of all) {
        const share = shareOf(rest, other);
        if (asked.some((name) => holds(other.terms, name) || (other.continues && holds(other.before, name))))
          stated = Math.max(stated, share);
        else if (share > rival && share >= minRivalShare && isOfAnother(other, clause)) rival = share;
      }
      return rival <= stated + rivalMargin;
    },

    statedIn(clause, before) {
      const words = clause.words.length > 0 ? clause.words : (before?.words ?? []);
      const found: number[] = [];
      for (const figure of clause.figures) {
        const all = reading.clauses();
        let best: { readonly clause: Spoken; readonly share: number } | undefined;
        let rival = 0;
        for (const other of all) {
          const isStated = states(other, figure);
          if (!isStated && !other.figures.some((one) => isRival(figure, one))) continue;
          const share = shareOf(words, other);
          if (!isStated) rival = Math.max(rival, share);
          else if (!best || share > best.share) best = { clause: other, share };
        }
        const piece = best && pieces[best.clause.piece];
        const led = best?.clause.continues ? best.clause.before : nothing;
        if (!best || !piece || rival > best.share + rivalMargin) return undefined;
        const said = words.reduce(
          (sum, word) => sum + word.weight * Math.max(meets(word, piece.terms), meets(word, given), meets(word, led)),
          0,
        );
        if (said < weightOf(words) * minFigureShare) return undefined;
        found.push(best.clause.piece);
      }
      return found;
    },

    holdsMeasures(clause, evidence) {
      if (clause.measures.size === 0) return true;
      const attached = new Set(clause.figures.flatMap(({ units }) => [...units]));
      return [...clause.measures].every(
        (measure) =>
          attached.has(measure) ||
          [...evidence].some((position) => pieces[position]?.clauses().some(({ measures }) => measures.has(measure))) ||
          reading.givenMeasures().has(measure),
      );
    },
  };
}
