/** Whether the names of a sentence stand in the passage, and whether what is said of them is said of them there and not of another. */
import type { Clause, PassageClause, PassageReading, Statement } from '../reading.ts';
import { runsOf } from './acronyms.ts';

/** A clause of another thing that says all of the rest, and this much more of it than any of the named, is what a sentence was taken from. */
const rivalMargin = 0.15;
const minRivalShare = 0.97;
/** What the rest of a clause has to hold for another's claim on it to count. */
const minRest = 2;

/** Whether what a clause says of a name is said of it, and not of another. */
function isSaidOfNames({ words }: Clause, reading: PassageReading): boolean {
  const names = words.filter(({ isName, isCapital, term }) => isName || (isCapital && reading.names().has(term)));
  const asked = names.filter(({ term }) => !reading.headings.has(term));
  const rest = words.filter((word) => !names.includes(word));
  // Of two names that stand together each has to stand beside the other; a longer run is a list, or the name of an office.
  const pairs = runsOf(asked).filter((run) => run.length === 2 && run.every(({ term }) => reading.stems.has(term)));
  if (!pairs.every((pair) => reading.clauses().some(({ stems }) => pair.every(({ term }) => stems.has(term))))) return false;
  if (asked.length === 0 || rest.length < minRest) return true;
  const isOfAnother = (other: PassageClause) =>
    other.words.slice(0, 2).some(({ isCapital, term }) => isCapital && !words.some((word) => word.term === term));
  let [stated, rival] = [0, 0];
  for (const clause of reading.clauses()) {
    const share = reading.shareOf(rest, clause);
    const isAnother = isOfAnother(clause);
    if (asked.some(({ term }) => clause.stems.has(term) || (!isAnother && clause.before.has(term)))) stated = Math.max(stated, share);
    else if (isAnother && share >= minRivalShare) rival = Math.max(rival, share);
  }
  return rival <= stated + rivalMargin;
}

export const namesHold = ({ words, clauses }: Statement, reading: PassageReading): boolean =>
  words.every(({ isName, term, parts }) => !isName || reading.stems.has(term) || parts.every((part) => reading.stems.has(part))) &&
  clauses.every((clause) => isSaidOfNames(clause, reading));
