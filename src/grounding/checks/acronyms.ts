/**
 * Names as they are written and by their initials: a passage that writes `IRS` or `U.S.` names the Internal Revenue Service and the United
 * States, and the other way round. One letter is no acronym.
 */

const writtenAcronym = /(?<![\p{L}\p{N}])\p{Lu}(?:\.?\p{Lu}){1,7}(?![\p{Ll}\p{N}])/gu;
const wholeAcronym = /^\p{Lu}(?:\.?\p{Lu}){1,7}s?$/u;
const longName =
  /\p{Lu}[\p{L}'’]{0,60}(?:[ -](?:(?:of|and|for|the|in|to|&|der|des|für|und|de|et|y) (?:the )?)?\p{Lu}[\p{L}'’]{0,60}){1,7}/gu;
const capital = /(?<![\p{L}'’])\p{Lu}/gu;
/** Initials of a part of a name are an acronym by chance where they are two. */
const minPartOfName = 3;

const lettersOf = (acronym: string) => acronym.replace(/s$|\./g, '').toLowerCase();

/** A word of a sentence that may be a name. */
interface WrittenWord {
  readonly term: string;
  readonly written: string;
  readonly isName: boolean;
  /** Among the words of its sentence. */
  readonly position: number;
}

export interface ShortForms {
  /** Acronyms that a text writes. */
  readonly acronyms: ReadonlySet<string>;
  /** Of each of its names the initials, one name a line. */
  readonly initials: string;
}

export const shortFormsIn = (text: string): ShortForms => ({
  acronyms: new Set([...text.matchAll(writtenAcronym)].map(([acronym]) => lettersOf(acronym))),
  initials: [...text.matchAll(longName)].map(([name]) => lettersOf((name.match(capital) ?? []).join(''))).join('\n'),
});

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
  const runs = runsOf(words.filter(({ isName }) => isName));
  const written = runs.flat().filter((word) => wholeAcronym.test(word.written) && initials.includes(lettersOf(word.written)));
  const spelled = runs.flatMap((run) => {
    const letters = run.map((word) => word.written.charAt(0).toLowerCase()).join('');
    const least = run.length === 2 ? 2 : minPartOfName;
    return [...acronyms].flatMap((acronym) => {
      const from = acronym.length < least ? -1 : letters.indexOf(acronym);
      return from < 0 ? [] : run.slice(from, from + acronym.length);
    });
  });
  return new Set([...written, ...spelled].map(({ term }) => term));
}
