/**
 * Whether the names of a sentence stand in the passage, as they are written or as an acronym: a passage that writes `IRS` or `U.S.` names
 * the Internal Revenue Service and the United States, and the other way round. One letter is no acronym.
 */
import { once } from '../../concurrency/once.ts';
import type { Clause, PassageClause, PassageReading, TellingWord } from '../reading.ts';

const writtenAcronym = /(?<![\p{L}\p{N}])\p{Lu}(?:\.?\p{Lu}){1,7}(?![\p{Ll}\p{N}])/gu;
const longName =
  /\p{Lu}[\p{L}'’]{0,60}(?:[ -](?:(?:of|and|for|the|in|to|&|der|des|für|und|de|et|y) (?:the )?)?\p{Lu}[\p{L}'’]{0,60}){1,7}/gu;
const capitalWord = /\p{Lu}[\p{L}'’]*/gu;
/** Initials of a part of a name are an acronym by chance where they are two. */
const minPartOfName = 3;
/** Letters of an acronym, the longest first: however many names stand in a row, no more of them are looked at together. */
const acronymLengths = [8, 7, 6, 5, 4, 3, 2];

const lettersOf = (acronym: string) =>
  acronym
    .replace(/['’]?s$/u, '')
    .replaceAll('.', '')
    .toLowerCase();
const initialsOf = (words: readonly string[]): string => words.map((word) => word.charAt(0).toLowerCase()).join('');

/** The initials of every run of a text's names. */
function initialsIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const [name] of text.matchAll(longName)) {
    const letters = initialsOf(name.match(capitalWord) ?? []);
    for (let from = 0; from < letters.length - 1; from++)
      for (let to = from + 2; to <= letters.length; to++) found.add(letters.slice(from, to));
  }
  return found;
}

/** Names that stand together, as those of a person or of an office do: `Department of Health`. */
function runsOf(names: readonly TellingWord[]): TellingWord[][] {
  const runs: TellingWord[][] = [];
  for (const name of names) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && name.position - last.position <= 2) run.push(name);
    else runs.push([name]);
  }
  return runs;
}

/** Of two names that stand together each has to stand beside the other; a longer run is a list, or the name of an office. */
const standTogether = (run: readonly TellingWord[], reading: PassageReading): boolean =>
  run.length !== 2 ||
  !run.every(({ term }) => reading.stems.has(term)) ||
  reading.clauses().some(({ stems }) => run.every(({ term }) => stems.has(term)));

/** A clause of another thing that says all of the rest, and this much more of it than any of the named, is what a sentence was taken from. */
const rivalMargin = 0.15;
const minRivalShare = 0.97;
/** What the rest of a clause has to hold for another's claim on it to count. */
const minRest = 2;

/** Whether what a clause says of a name is said of it, and not of another. */
export function isSaidOfNames({ words }: Clause, reading: PassageReading): boolean {
  const names = words.filter(({ isName, isCapital, term }) => isName || (isCapital && reading.names().has(term)));
  const asked = names.filter(({ term }) => !reading.headings.has(term));
  const rest = words.filter((word) => !names.includes(word));
  if (!runsOf(asked).every((run) => standTogether(run, reading))) return false;
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

/** @param text the passage with its title and headings @returns those of some words which the text writes as initials, or names by them */
export function createAcronymMatch(text: string): (words: readonly TellingWord[]) => ReadonlySet<TellingWord> {
  const acronyms = once(() => new Set([...text.matchAll(writtenAcronym)].map(([acronym]) => lettersOf(acronym))));
  const initials = once(() => initialsIn(text));
  const isAcronym = ({ written }: TellingWord) => /^\p{Lu}(?:\.?\p{Lu}){1,7}s?$/u.test(written) && initials().has(lettersOf(written));
  /** The longest part of a run from a name on, or both names of two, that is written as its initials. */
  const spelledFrom = (run: readonly TellingWord[], from: number) =>
    acronymLengths
      .map((length) => run.slice(from, from + length))
      .find(
        (some) => some.length >= (run.length === 2 ? 2 : minPartOfName) && acronyms().has(initialsOf(some.map(({ written }) => written))),
      );
  return (words) =>
    new Set(
      runsOf(words.filter(({ isName }) => isName)).flatMap((run) => [
        ...run.filter(isAcronym),
        ...run.flatMap((_, from) => spelledFrom(run, from) ?? []),
      ]),
    );
}
