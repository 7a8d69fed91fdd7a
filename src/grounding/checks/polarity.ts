/**
 * What turns a part of a sentence around: what denies it, and which side of which opposites it takes. Entries of the lexicons are found by
 * stems, the longest first, so that `not only` denies nothing.
 */
import { fold, isPaired, type Language } from '../../language/languages.ts';
import { type LexiconGroup, lexiconEntries, lexiconGroups } from '../../language/lexicon.ts';
import { perLanguage } from '../../language/per-language.ts';
import { rawWords, termsOf } from '../../language/tokens.ts';

interface Lexicon {
  readonly pattern: RegExp;
  /** Sides that an entry takes, by its keys; none where it hides another: `not only`. Two sides of a pair differ in their last bit. */
  readonly marks: ReadonlyMap<string, readonly number[]>;
  readonly named: ReadonlyMap<string, ReadonlySet<number>>;
}

export interface Polarity {
  readonly denies: boolean;
  /** Denies by what only leaves something out: `without`, `unless`. */
  readonly excepts: boolean;
  readonly sides: ReadonlySet<number>;
}

const [denial, exception] = [-1, -2];
export const contraryOf = (side: number) => side ^ 1;

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
  const words = entry.split(/\s+/);
  const keysIn = (word: string) => (word.startsWith('=') ? wordKeys(word).join('') : stemOnly(wordKeys(word).join('')));
  return words.map((word) => (word === '#' ? figureKey : keysIn(word))).join('');
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
  for (const { name, sides } of lexiconGroups(language, 'negations')) add(sides.flat(), denial, ...(name === 'except' ? [exception] : []));
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

/** @param keys of the part's words in reading order @param text the part itself: in a script without spaces entries are found as they are written */
export function polarityOf(keys: string, text: string, language: Language): Polarity {
  const { pattern, marks } = lexiconOf(language);
  const found = (isPaired(language) ? text : keys).matchAll(pattern);
  const sides = new Set([...found].flatMap(([entry]) => marks.get(entry) ?? marks.get(stemOnly(entry)) ?? []));
  return { denies: sides.delete(denial), excepts: sides.delete(exception), sides };
}

/** Sides of a group: `only`, and `general` for all and any. */
export const sidesNamed = (name: string, language: Language): ReadonlySet<number> => lexiconOf(language).named.get(name) ?? new Set();
