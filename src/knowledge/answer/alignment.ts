/**
 * Which clause of a passage a part of a sentence was made from, and whether it says the same: a denial, a limit or an opposite on one
 * side only makes it the contrary, however alike the words are.
 */
import type { Language } from '../text/languages.ts';
import { isSameFigure } from './figures.ts';
import type { PassageReading, Spoken } from './passage-reading.ts';
import type { Clause, Word } from './statement.ts';
import { addsLimit, agrees, contradicts } from './turns.ts';

/** What the words of the clause before count for a clause that carries on with its subject, and for any other. */
const continuedShare = 0.85;
const inheritedShare = 0.5;
/** What a word counts that takes a side, and its contrary: both speak of the same. */
const sidedShare = 0.9;
/** What a figure or a day counts. */
const exactWeight = 0.6;
/** A clause that says this much less than the one that says most is not what a sentence was made from. */
const margin = 0.06;
/** Least share that it has to say to be compared. */
const minAligned = 0.6;
/** The same for a part that denies something. */
const minDenied = 0.3;
/** Least weight of what is said besides for the denial of a contrary to be the same. */
const minContraryWeight = 0.8;
/** And most weight of a part that is so said: in a long one something else is denied. */
const maxContraryWeight = 4;
const minWeight = 0.3;

export interface Alignment {
  /** Share of what words tell that a clause says, with what it carries on. */
  shareOf(words: readonly Word[], clause: Spoken): number;
  /** The unit that says most alike; `contrary` where it says the opposite; undefined where none says much of it. */
  find(part: Clause): number | 'contrary' | undefined;
}

export const weightOf = (words: readonly Word[]): number => words.reduce((sum, { weight }) => sum + weight, 0);

export function createAlignment({ pieces, clauses, meets }: PassageReading, language: Language): Alignment {
  function metBy(word: Word, clause: Spoken): number {
    const own = meets(word, clause.terms);
    return own === 1 ? 1 : Math.max(own, meets(word, clause.before) * (clause.continues ? continuedShare : inheritedShare));
  }

  /** How much of a part of a sentence a clause speaks of, whichever side it takes. */
  function alike(part: Clause, clause: Spoken): number {
    let [held, all] = [0, 0];
    for (const word of part.words) {
      all += word.weight;
      if (word.pairs.length === 0) held += word.weight * metBy(word, clause);
      else held += word.weight * sidedShare * (word.pairs.some((pair) => clause.turns.sides.has(pair)) ? 1 : metBy(word, clause));
    }
    // `If you don't have the time` tells nothing, but it denies.
    if (all < minWeight && part.figures.length + part.measures.size === 0)
      return [...part.terms].filter((term) => clause.terms.has(term)).length / Math.max(1, part.terms.size);
    const heldBy = (states: (one: Clause) => boolean) => (states(clause) ? 1 : clause.last && states(clause.last) ? continuedShare : 0);
    for (const figure of part.figures) held += exactWeight * heldBy(({ figures }) => figures.some((one) => isSameFigure(figure, one)));
    for (const measure of part.measures) held += exactWeight * heldBy(({ measures }) => measures.has(measure));
    return held / Math.max(minWeight, all + (part.figures.length + part.measures.size) * exactWeight);
  }

  function isSaid(part: Clause, clause: Spoken): boolean {
    const besides = weightOf(part.words.filter(({ pairs }) => pairs.length === 0)) + part.measures.size * exactWeight;
    const stated = { turns: clause.turns, terms: clause.last ? new Set([...clause.terms, ...clause.before]) : clause.terms };
    const whole = pieces[clause.piece]?.turns();
    return (
      agrees(part, stated, clause.inherited, besides >= minContraryWeight && weightOf(part.words) <= maxContraryWeight, language) &&
      !(whole && contradicts(part.turns, whole))
    );
  }

  return {
    shareOf(words, clause) {
      let [sum, all] = [0, 0];
      for (const word of words) {
        all += word.weight;
        sum += word.weight * metBy(word, clause);
      }
      return all === 0 ? 0 : sum / all;
    },
    find(part) {
      const near = clauses();
      if (addsLimit(part.turns, near, language)) return 'contrary';
      const aligned = near.map((clause) => ({ clause, share: alike(part, clause) })).sort((a, b) => b.share - a.share);
      const most = aligned[0]?.share ?? 0;
      if (
        part.excepts &&
        !aligned.some(({ clause, share }) => share >= minAligned && clause.turns.denies) &&
        !near.some(({ excepts }) => excepts)
      )
        return 'contrary';
      // A denial needs evidence of its own; a sentence without one is only compared where the passage speaks of much the same.
      if (most < minDenied) return part.turns.denies ? 'contrary' : undefined;
      if (most < minAligned && !part.turns.denies) {
        const whole = pieces[aligned[0]?.clause.piece ?? 0]?.turns();
        return whole && contradicts(part.turns, whole) ? 'contrary' : undefined;
      }
      const found = aligned.find(({ clause, share }) => share >= most - margin && isSaid(part, clause));
      return found ? found.clause.piece : 'contrary';
    },
  };
}
