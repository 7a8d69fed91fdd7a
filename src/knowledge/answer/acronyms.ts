/**
 * Names and their initials: a passage that writes `IRS` or `U.S.` names the Internal Revenue Service and the United States, and the
 * other way round. One letter is no acronym.
 */

const written = /(?<![\p{L}\p{N}])\p{Lu}(?:\.?\p{Lu}){1,7}(?![\p{Ll}\p{N}])/gu;
const longNames = /\p{Lu}[\p{L}'’]*(?:[ -](?:(?:of|and|for|the|in|to|&|der|des|für|und|de|et|y) (?:the )?)?\p{Lu}[\p{L}'’]*){1,7}/gu;
const capitalWord = /\p{Lu}[\p{L}'’]*/gu;

/** `U.S` → `us`; undefined for what is no acronym. */
export function lettersOf(word: string): string | undefined {
  const plain = word.replace(/['’]s$/, '').replace(/(?<=\p{Lu})s$/u, '');
  return /^\p{Lu}(?:\.?\p{Lu}){1,7}$/u.test(plain) ? plain.replaceAll('.', '').toLowerCase() : undefined;
}

export const initialsOf = (words: readonly string[]): string => words.map((word) => word.charAt(0).toLowerCase()).join('');

export interface Acronyms {
  /** Those that a text writes, as small letters. */
  readonly written: ReadonlySet<string>;
  /** The initials of its longer names. */
  readonly initials: ReadonlySet<string>;
}

export function acronymsIn(text: string): Acronyms {
  const initials = new Set<string>();
  for (const [name] of text.matchAll(longNames)) {
    const letters = initialsOf(name.match(capitalWord) ?? []);
    for (let from = 0; from < letters.length - 1; from++)
      for (let to = from + 2; to <= letters.length; to++) initials.add(letters.slice(from, to));
  }
  return { written: new Set([...text.matchAll(written)].map(([match]) => match.replaceAll('.', '').toLowerCase())), initials };
}

/** Initials of a part of a name are an acronym by chance where they are two. */
const minPartOfName = 3;

/** Those of some names that stand in a row which no acronym stands for. */
export function withoutAcronyms<T extends { readonly written: string }>(run: readonly T[], { written: acronyms, initials }: Acronyms): T[] {
  const left: T[] = [];
  for (let from = 0; from < run.length; ) {
    let to = run.length;
    const isAcronym = () =>
      (to - from === run.length || to - from >= minPartOfName) && acronyms.has(initialsOf(run.slice(from, to).map((name) => name.written)));
    while (to - from >= 2 && !isAcronym()) to--;
    const name = run[from];
    if (to - from < 2 && name) {
      const letters = lettersOf(name.written);
      if (letters === undefined || !(acronyms.has(letters) || initials.has(letters))) left.push(name);
    }
    from = Math.max(to, from + 1);
  }
  return left;
}
