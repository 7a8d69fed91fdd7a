/**
 * Words of a clause that turn it around: what denies it, and which side of which opposites it takes. Found by stems, the longest entry
 * first, so that `not only` denies nothing and `not more than` is a limit.
 */
import { fold, isPaired, type Language } from '../../language/languages.ts';
import { lexiconEntries, lexiconGroups } from '../../language/lexicon.ts';
import { perLanguage } from '../../language/per-language.ts';
import { rawWords, termsOf } from '../../language/tokens.ts';

/** Denies, affirms, or takes a side (from 0) of one line of opposites. */
type Mark = 'denies' | 'affirms' | { readonly pair: number; readonly side: number };

interface Lexicon {
  /** Finds entries in a clause that is written in keys. */
  readonly pattern: RegExp;
  /** What an entry marks, by its keys. */
  readonly marks: ReadonlyMap<string, readonly Mark[]>;
  /** Pairs that a sentence may not add by itself. */
  readonly strict: ReadonlySet<number>;
}

/** What turns a clause. */
export interface Polarity {
  readonly denies: boolean;
  /** Per pair the sides that it takes, a bit each. */
  readonly sides: ReadonlyMap<number, number>;
  /** Keys of the words by which it takes them. */
  readonly sided: ReadonlySet<string>;
}

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
  return entry
    .split(/\s+/)
    .flatMap((word) => {
      if (word === '#') return [figureKey];
      const keys = rawWords(word).map((raw) => wordKey(raw, language));
      return word.startsWith('=') ? keys : keys.map(stemOnly);
    })
    .join('');
}

function readLexicon(language: Language): Lexicon {
  const marks = new Map<string, Mark[]>();
  const add = (entry: string, mark: Mark) => {
    const keys = keysOf(entry, language);
    marks.set(keys, [...(marks.get(keys) ?? []), mark]);
  };
  for (const entry of lexiconEntries(language, 'negations')) add(entry, 'denies');
  for (const entry of lexiconEntries(language, 'affirmations')) add(entry, 'affirms');
  const strict = new Set<number>();
  for (const [pair, { name, sides }] of lexiconGroups(language, 'opposites').entries()) {
    if (name === '!') strict.add(pair);
    for (const [side, entries] of sides.entries()) for (const entry of entries) add(entry, { pair, side });
  }
  const wordsIn = (keys: string) => (isPaired(language) ? keys.length : keys.split('=').length);
  const longestFirst = [...marks.keys()].sort((a, b) => wordsIn(b) - wordsIn(a));
  const patterns = longestFirst.map((keys) => keys.replace(/[.*+?()[\]|/-]/g, '\\$&').replace(/=(?= |$)/g, '=\\S*'));
  return {
    pattern: new RegExp(patterns.length === 0 ? '(?!)' : `(?:${patterns.join('|')})${isPaired(language) ? '' : '(?!\\S)'}`, 'g'),
    marks,
    strict,
  };
}

const lexiconOf = perLanguage(readLexicon);

/** @param keys of the clause's words in reading order @param text the clause itself: of a script without spaces entries are found as they are written */
export function polarityOf(keys: string, text: string, language: Language): Polarity {
  const { pattern, marks } = lexiconOf(language);
  const clause = isPaired(language) ? text : keys;
  const sides = new Map<number, number>();
  const sided = new Set<string>();
  let denies = false;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(clause); match; match = pattern.exec(clause)) {
    const [found] = match;
    // A figure at its end may begin another: `more than 5 or less`.
    if (found.endsWith(figureKey)) pattern.lastIndex -= figureKey.length;
    const taken = marks.get(found) ?? marks.get(stemOnly(found)) ?? [];
    denies ||= taken.includes('denies') && !taken.includes('affirms');
    for (const { pair, side } of taken.filter((mark) => typeof mark !== 'string')) {
      sides.set(pair, (sides.get(pair) ?? 0) | (1 << side));
      for (const key of found.match(/ \S+/g) ?? []) sided.add(key);
    }
  }
  return { denies, sides, sided };
}

const negatingPrefixes = ['un', 'in', 'im', 'ir', 'il', 'non', 'dis', 'not', 'nicht', 'no', 'de'];
/** Letters that a word has to have behind such a prefix. */
const minBaseLength = 4;
/** Whether a word is denied by a prefix that its counterpart has not: `unavailable` where the other says `available`. */
const isFlippedByPrefix = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].some(
    (word) =>
      !others.has(word) &&
      negatingPrefixes.some((prefix) => {
        const base = word.slice(prefix.length);
        return word.startsWith(prefix) && base.length >= minBaseLength && others.has(base) && !words.has(base);
      }),
  );

interface Turned {
  readonly polarity: Polarity;
  readonly stems: ReadonlySet<string>;
}

/**
 * Whether a clause says the same as another and not its contrary; `not open` is `closed`.
 */
export function agrees(said: Turned, stated: Turned, language: Language): boolean {
  const { strict } = lexiconOf(language);
  let isFlipped = isFlippedByPrefix(said.stems, stated.stems) || isFlippedByPrefix(stated.stems, said.stems);
  for (const [pair, side] of said.polarity.sides) {
    const other = stated.polarity.sides.get(pair) ?? 0;
    if ((other & side) !== 0) continue;
    if (other !== 0) isFlipped = true;
    else if (strict.has(pair)) return false;
  }
  return (said.polarity.denies !== stated.polarity.denies) === isFlipped;
}

/** Whether a clause takes a side of which a whole sentence takes only the other, and neither denies anything. */
export function contradicts(said: Polarity, stated: readonly { readonly polarity: Polarity }[]): boolean {
  if (said.denies || stated.some(({ polarity }) => polarity.denies)) return false;
  return [...said.sides].some(([pair, side]) => {
    const others = stated.reduce((all, { polarity }) => all | (polarity.sides.get(pair) ?? 0), 0);
    return others !== 0 && (others & side) === 0;
  });
}

/** Whether a clause says something that may not be added which none of the others says. */
export function addsLimit(said: Polarity, stated: readonly { readonly polarity: Polarity }[], language: Language): boolean {
  const { strict } = lexiconOf(language);
  return [...said.sides].some(
    ([pair, side]) => strict.has(pair) && !stated.some(({ polarity }) => ((polarity.sides.get(pair) ?? 0) & side) !== 0),
  );
}
