/**
 * What turns a clause around: what denies it, and which side of which opposites it takes. Entries of the lexicons are found by stems, the
 * longest first, so that `not only` denies nothing and `not more than` is a limit.
 */
import { fold, isPaired, type Language } from '../../language/languages.ts';
import { type LexiconGroup, lexiconEntries, lexiconGroups } from '../../language/lexicon.ts';
import { perLanguage } from '../../language/per-language.ts';
import { rawWords, termsOf } from '../../language/tokens.ts';

interface Lexicon {
  /** Finds entries in a clause that is written in keys. */
  readonly pattern: RegExp;
  /** Sides that an entry takes, by its keys; none where it hides another: `not only`. Two sides of a pair differ in their last bit. */
  readonly marks: ReadonlyMap<string, readonly number[]>;
  /** Sides of groups that have a name, by it. */
  readonly named: ReadonlyMap<string, ReadonlySet<number>>;
}

/** What turns a clause. */
export interface Polarity {
  readonly denies: boolean;
  /** Of opposites. */
  readonly sides: ReadonlySet<number>;
  /** Keys of the words by which it takes them. */
  readonly sided: ReadonlySet<string>;
}

/** The side of what denies. */
const denial = -1;
export const contraryOf = (side: number) => side ^ 1;

/** Any figure. */
export const figureKey = ' #=';

/** A word as entries are compared with it: by its stem, which people write without accents, and as it is written. */
export function wordKey(written: string, language: Language): string {
  const folded = fold(written);
  // The month has no side, the verb has one.
  return written === 'May' ? ' May=' : ` ${termsOf(folded, language)[0] ?? folded}=${folded}`;
}

const stemOnly = (keys: string) => keys.replace(/=\S*/g, '=');

/** `#` is any figure, `=word` only as it is written. */
function keysOf(entry: string, language: Language): string {
  if (isPaired(language)) return entry;
  const wordKeys = (word: string) => rawWords(word).map((raw) => wordKey(raw, language));
  const words = entry.split(/\s+/).map((word) => (word.startsWith('=') ? wordKeys(word).join('') : stemOnly(wordKeys(word).join(''))));
  return words.map((keys) => keys || figureKey).join('');
}

function namedSides(groups: readonly LexiconGroup[]): ReadonlyMap<string, ReadonlySet<number>> {
  const named = new Map<string, Set<number>>();
  for (const [pair, { name }] of groups.entries()) named.set(name, (named.get(name) ?? new Set()).add(pair * 2).add(pair * 2 + 1));
  return named;
}

const lexiconOf = perLanguage((language): Lexicon => {
  const marks = new Map<string, number[]>();
  const add = (entries: readonly string[], ...sides: number[]) => {
    for (const keys of entries.map((entry) => keysOf(entry, language))) marks.set(keys, [...(marks.get(keys) ?? []), ...sides]);
  };
  add(lexiconEntries(language, 'negations'), denial);
  add(lexiconEntries(language, 'affirmations'));
  const opposites = lexiconGroups(language, 'opposites');
  for (const [pair, { sides }] of opposites.entries()) for (const [side, entries] of sides.entries()) add(entries, pair * 2 + side);
  const lengthOf = (keys: string) => (isPaired(language) ? keys.length : keys.split('=').length);
  const patterns = [...marks.keys()]
    .sort((a, b) => lengthOf(b) - lengthOf(a))
    .map((keys) => keys.replace(/[.*+?()[\]|/-]/g, '\\$&').replace(/=(?= |$)/g, '=\\S*'));
  return {
    pattern: patterns.length === 0 ? /(?!)/g : new RegExp(`(?:${patterns.join('|')})${isPaired(language) ? '' : '(?!\\S)'}`, 'g'),
    marks,
    named: namedSides(opposites),
  };
});

/** @param keys of the clause's words in reading order @param text the clause itself: of a script without spaces entries are found as they are written */
export function polarityOf(keys: string, text: string, language: Language): Polarity {
  const { pattern, marks } = lexiconOf(language);
  const clause = isPaired(language) ? text : keys;
  const sides = new Set<number>();
  const sided = new Set<string>();
  pattern.lastIndex = 0;
  for (let match = pattern.exec(clause); match; match = pattern.exec(clause)) {
    const [found] = match;
    // A figure at its end may begin another: `more than 5 or less`.
    if (found.endsWith(figureKey)) pattern.lastIndex -= figureKey.length;
    for (const side of marks.get(found) ?? marks.get(stemOnly(found)) ?? []) {
      sides.add(side);
      if (side !== denial) for (const key of found.match(/ \S+/g) ?? []) sided.add(key);
    }
  }
  return { denies: sides.delete(denial), sides, sided };
}

/** @param name `!`: limits and promises, `only`, `general`: of all and any */
export const sidesNamed = (name: string, language: Language): ReadonlySet<number> => lexiconOf(language).named.get(name) ?? new Set();
