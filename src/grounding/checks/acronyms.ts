/**
 * Names as they are written and by their initials: a passage that writes `IRS` or `U.S.` names the Internal Revenue Service and the United
 * States, and the other way round. One letter is no acronym.
 */

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

/** A word of a sentence that may be a name. */
interface WrittenWord {
  readonly term: string;
  readonly written: string;
  readonly isName: boolean;
  /** Among the words of its sentence. */
  readonly position: number;
}

/** Acronyms that a text writes, and the initials of every run of its names. */
export interface ShortForms {
  readonly acronyms: ReadonlySet<string>;
  readonly initials: ReadonlySet<string>;
}

export function shortFormsIn(text: string): ShortForms {
  const initials = new Set<string>();
  for (const [name] of text.matchAll(longName)) {
    const letters = initialsOf(name.match(capitalWord) ?? []);
    for (let from = 0; from < letters.length - 1; from++)
      for (let to = from + 2; to <= letters.length; to++) initials.add(letters.slice(from, to));
  }
  return { acronyms: new Set([...text.matchAll(writtenAcronym)].map(([acronym]) => lettersOf(acronym))), initials };
}

/** Names that stand together, as those of a person or of an office do: `Department of Health`. */
export function runsOf<Word extends WrittenWord>(names: readonly Word[]): Word[][] {
  const runs: Word[][] = [];
  for (const name of names) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && name.position - last.position <= 2) run.push(name);
    else runs.push([name]);
  }
  return runs;
}

/** Terms of those names which a passage writes as initials, or names by them. */
export function spelledOut(words: readonly WrittenWord[], { acronyms, initials }: ShortForms): ReadonlySet<string> {
  const isAcronym = ({ written }: WrittenWord) => /^\p{Lu}(?:\.?\p{Lu}){1,7}s?$/u.test(written) && initials.has(lettersOf(written));
  /** The longest part of a run from a name on, or both names of two, that is written as its initials. */
  const spelledFrom = (run: readonly WrittenWord[], from: number) =>
    acronymLengths
      .map((length) => run.slice(from, from + length))
      .find(
        (some) => some.length >= (run.length === 2 ? 2 : minPartOfName) && acronyms.has(initialsOf(some.map(({ written }) => written))),
      );
  const found = runsOf(words.filter(({ isName }) => isName)).flatMap((run) => [
    ...run.filter(isAcronym),
    ...run.flatMap((_, from) => spelledFrom(run, from) ?? []),
  ]);
  return new Set(found.map(({ term }) => term));
}
