/**
 * Finds negations and opposites in a part of a sentence. Matches lexicon entries by stem, longest
 * first, so that `not only` negates nothing.
 */
import { fold, isPaired, type Language } from '../../../shared/src/language/languages.ts';
import {
  type LexiconGroup,
  lexiconEntries,
  lexiconGroups,
} from '../../../shared/src/language/lexicon.ts';
import { perLanguage } from '../../../shared/src/language/per-language.ts';
import { rawWords, termsOf } from '../../../shared/src/language/tokens.ts';

interface Lexicon {
  readonly pattern: RegExp;
  /**
   * Keys of an entry → its sides; empty if the entry only masks a shorter one: `not only`. The
   * sides of a pair differ in the last bit.
   */
  readonly marks: ReadonlyMap<string, readonly number[]>;
  readonly named: ReadonlyMap<string, ReadonlySet<number>>;
}

export interface Polarity {
  readonly denies: boolean;
  /** Negates only by an exception: `without`, `unless`. */
  readonly excepts: boolean;
  readonly sides: ReadonlySet<number>;
}

const [denial, exception] = [-1, -2];
export const contraryOf = (side: number) => side ^ 1;

export const figureKey = ' #=';

/** Returns a word's key: its stem without accents, then its written form. */
export function wordKey(written: string, language: Language): string {
  const folded = fold(written);
  // `May` is the month; the verb `may` has a side.
  return written === 'May' ? ' May=' : ` ${termsOf(folded, language)[0] ?? folded}=${folded}`;
}

const stemOnly = (keys: string) => keys.replace(/=\S*/g, '=');

/** `#` matches any figure, `=word` only this written form. */
function keysOf(entry: string, language: Language): string {
  if (isPaired(language)) return entry;
  const wordKeys = (word: string) => rawWords(word).map((raw) => wordKey(raw, language));
  const words = entry.split(/\s+/);
  const keysIn = (word: string) =>
    word.startsWith('=') ? wordKeys(word).join('') : stemOnly(wordKeys(word).join(''));
  return words.map((word) => (word === '#' ? figureKey : keysIn(word))).join('');
}

function namedSides(groups: readonly LexiconGroup[]): ReadonlyMap<string, ReadonlySet<number>> {
  const named = new Map<string, Set<number>>();
  for (const [pair, { name }] of groups.entries())
    named.set(name, (named.get(name) ?? new Set()).add(pair * 2).add(pair * 2 + 1));
  return named;
}

const lexiconOf = perLanguage((language): Lexicon => {
  const marks = new Map<string, number[]>();
  const add = (entries: readonly string[], ...sides: number[]) => {
    for (const keys of entries.map((entry) => keysOf(entry, language)))
      marks.set(keys, [...(marks.get(keys) ?? []), ...sides]);
  };
  for (const { name, sides } of lexiconGroups(language, 'negations'))
    add(sides.flat(), denial, ...(name === 'except' ? [exception] : []));
  add(lexiconEntries(language, 'affirmations'));
  const opposites = lexiconGroups(language, 'opposites');
  for (const [pair, { sides }] of opposites.entries())
    for (const [side, entries] of sides.entries()) add(entries, pair * 2 + side);
  const lengthOf = (keys: string) => (isPaired(language) ? keys.length : keys.split('=').length);
  const patterns = [...marks.keys()]
    .sort((a, b) => lengthOf(b) - lengthOf(a))
    .map((keys) => keys.replace(/[.*+?()[\]|/-]/g, '\\$&').replace(/=(?= |$)/g, '=\\S*'));
  return {
    pattern:
      patterns.length === 0
        ? /(?!)/g
        : new RegExp(`(?:${patterns.join('|')})${isPaired(language) ? '' : '(?!\\S)'}`, 'g'),
    marks,
    named: namedSides(opposites),
  };
});

/**
 * @param keys keys of the part's words, in order @param text the part; in scripts without spaces,
 * entries match it instead of the keys
 */
export function polarityOf(keys: string, text: string, language: Language): Polarity {
  const { pattern, marks } = lexiconOf(language);
  const found = (isPaired(language) ? text : keys).matchAll(pattern);
  const sides = new Set(
    [...found].flatMap(([entry]) => marks.get(entry) ?? marks.get(stemOnly(entry)) ?? []),
  );
  return { denies: sides.delete(denial), excepts: sides.delete(exception), sides };
}

/** @param name name of a lexicon pair: `only`, or `general` (words such as all and any) */
export const sidesNamed = (name: string, language: Language): ReadonlySet<number> =>
  lexiconOf(language).named.get(name) ?? new Set();
