/**
 * Words of a clause that turn it around: what denies it, and which side of which opposites it takes. Found by stems, the longest entry
 * first, so that `not only` denies nothing and `not more than` is a limit.
 */
import { fold, type Language } from '../text/languages.ts';
import { affirmations, negations } from '../text/lexicon/negations.ts';
import { opposites } from '../text/lexicon/opposites.ts';
import { rawWords, termsOf } from '../text/words.ts';
import { isNegationPrefixed } from './word-families.ts';

/** A side of one line of opposites. */
interface Side {
  readonly pair: number;
  readonly side: number;
}

type Mark = 'denies' | 'affirms' | Side;

/** A word by its stem and as it is written, folded: the stemmers differ on accents that people leave out. */
export interface SpokenWord {
  readonly stem: string;
  readonly written: string;
}

/** Any figure. */
export const figureWord: SpokenWord = { stem: '#', written: '#' };

interface Entry {
  readonly words: readonly SpokenWord[];
  readonly marks: readonly Mark[];
}

interface Lexicon {
  /** First word, its stem and as it is written → entries, the longest first; for scripts without spaces the entries as they are written. */
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
  readonly written: readonly Entry[];
  /** Pairs that a sentence may not add by itself. */
  readonly strict: ReadonlySet<number>;
}

/** What turns a clause. */
export interface Turns {
  readonly denies: boolean;
  /** Per pair the sides that it takes, a bit each. */
  readonly sides: ReadonlyMap<number, number>;
  /** Which pairs each of its words belongs to, by their order. */
  readonly at: ReadonlyMap<number, readonly number[]>;
}

const isUnspaced = (language: Language) => language === 'ja' || language === 'zh' || language === 'ko';
const inLexicon = <T extends object>(lexicon: T, language: Language): T[keyof T] | undefined => lexicon[language as keyof T];

/** `#` is any figure. */
const wordsOf = (entry: string, language: Language): SpokenWord[] =>
  entry
    .split(/\s+/)
    .flatMap((word) =>
      word === '#'
        ? [figureWord]
        : rawWords(word).map((raw) => ({ stem: word.startsWith('=') ? '=' : (termsOf(raw, language)[0] ?? raw), written: fold(raw) })),
    );

const isSame = (a: SpokenWord, b: SpokenWord | undefined) => b !== undefined && (a.stem === b.stem || a.written === b.written);

function parse(language: Language): Lexicon {
  const marks = new Map<string, Mark[]>();
  const add = (entry: string, mark: Mark) => {
    const key = entry.trim();
    if (key !== '') marks.set(key, [...(marks.get(key) ?? []), mark]);
  };
  for (const entry of inLexicon(negations, language)?.split(',') ?? []) add(entry, 'denies');
  for (const entry of inLexicon(affirmations, language)?.split(',') ?? []) add(entry, 'affirms');
  const strict = new Set<number>();
  for (const [pair, line] of (inLexicon(opposites, language)?.trim().split('\n') ?? []).entries()) {
    if (line.startsWith('!')) strict.add(pair);
    for (const [side, entries] of line.replace(/^!/, '').split('|').entries())
      for (const entry of entries.split(',')) add(entry, { pair, side });
  }
  const byWord = new Map<string, Entry[]>();
  const written: Entry[] = [];
  for (const [entry, entryMarks] of marks) {
    if (isUnspaced(language)) {
      written.push({ words: [{ stem: entry, written: entry }], marks: entryMarks });
      continue;
    }
    const words = wordsOf(entry, language);
    const [first] = words;
    if (first === undefined) continue;
    for (const key of new Set([first.stem, first.written])) byWord.set(key, [...(byWord.get(key) ?? []), { words, marks: entryMarks }]);
  }
  for (const list of byWord.values()) list.sort((a, b) => b.words.length - a.words.length);
  written.sort((a, b) => (b.words[0]?.written.length ?? 0) - (a.words[0]?.written.length ?? 0));
  return { entries: byWord, written, strict };
}

const lexicons = new Map<Language, Lexicon>();

function lexiconOf(language: Language): Lexicon {
  let lexicon = lexicons.get(language);
  if (!lexicon) {
    lexicon = parse(language);
    lexicons.set(language, lexicon);
  }
  return lexicon;
}

/** @param words of the clause in reading order */
export function turnsOf(words: readonly SpokenWord[], text: string, language: Language): Turns {
  const lexicon = lexiconOf(language);
  const sides = new Map<number, number>();
  let denies = false;
  const take = (entry: Entry) => {
    const isPlain = !entry.marks.includes('affirms');
    for (const mark of entry.marks) {
      if (mark === 'denies') denies ||= isPlain;
      else if (mark !== 'affirms') sides.set(mark.pair, (sides.get(mark.pair) ?? 0) | (1 << mark.side));
    }
  };
  if (lexicon.written.length > 0) {
    let rest = text;
    for (const entry of lexicon.written) {
      const written = entry.words[0]?.written ?? '';
      if (!rest.includes(written)) continue;
      rest = rest.replaceAll(written, '\n');
      take(entry);
    }
    return { denies, sides, at: new Map() };
  }
  const turning = new Map<number, readonly number[]>();
  for (let at = 0; at < words.length; ) {
    const word = words[at];
    const startsHere = (key: string | undefined) =>
      lexicon.entries.get(key ?? '')?.find((one) => one.words.every((part, offset) => isSame(part, words[at + offset])));
    const [byStem, asWritten] = [startsHere(word?.stem), startsHere(word?.written)];
    const entry = (asWritten?.words.length ?? 0) > (byStem?.words.length ?? 0) ? asWritten : byStem;
    if (entry) {
      take(entry);
      const pairs = entry.marks.flatMap((mark) => (typeof mark === 'string' ? [] : [mark.pair]));
      for (let offset = 0; offset < entry.words.length; offset++) turning.set(at + offset, pairs);
    }
    // A figure at its end may begin another: `more than 5 or less`.
    at += entry ? Math.max(1, entry.words.length - (entry.words.at(-1) === figureWord ? 1 : 0)) : 1;
  }
  return { denies, sides, at: turning };
}

/** Both together. */
export function joinTurns(a: Turns, b: Turns): Turns {
  const sides = new Map(a.sides);
  for (const [pair, side] of b.sides) sides.set(pair, (sides.get(pair) ?? 0) | side);
  return { denies: a.denies || b.denies, sides, at: new Map() };
}

export const noTurns: Turns = { denies: false, sides: new Map(), at: new Map() };

/** Whether a word is denied by a prefix that its counterpart has not: `unavailable` where the other says `available`. */
const isFlippedByPrefix = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].some((word) => !others.has(word) && isNegationPrefixed(word, others, words));

interface Turned {
  readonly turns: Turns;
  readonly terms: ReadonlySet<string>;
}

/**
 * Whether a clause says the same as another and not its contrary.
 * @param mayDenyContrary whether both speak of the same besides, so that `not open` is `closed`
 * @param inherited what the clause that `stated` carries on takes: a limit may stand there
 */
export function agrees(said: Turned, stated: Turned, inherited: Turns, mayDenyContrary: boolean, language: Language): boolean {
  const { strict } = lexiconOf(language);
  let isFlipped = isFlippedByPrefix(said.terms, stated.terms) || isFlippedByPrefix(stated.terms, said.terms);
  for (const [pair, side] of said.turns.sides) {
    const other = stated.turns.sides.get(pair) ?? inherited.sides.get(pair) ?? 0;
    if ((other & side) !== 0) continue;
    if (other !== 0) isFlipped = true;
    else if (strict.has(pair)) return false;
  }
  return (said.turns.denies !== stated.turns.denies) === isFlipped && (mayDenyContrary || !isFlipped);
}

/** Whether a clause says something that may not be added which none of the others says. */
export function addsLimit(said: Turns, stated: readonly { readonly turns: Turns }[], language: Language): boolean {
  const { strict } = lexiconOf(language);
  return [...said.sides].some(
    ([pair, side]) => strict.has(pair) && !stated.some(({ turns }) => ((turns.sides.get(pair) ?? 0) & side) !== 0),
  );
}

/** Whether a clause takes a side of which a whole sentence takes only the other, and neither denies anything. */
export const contradicts = (said: Turns, stated: Turns): boolean =>
  !said.denies &&
  !stated.denies &&
  [...said.sides].some(([pair, side]) => {
    const other = stated.sides.get(pair) ?? 0;
    return other !== 0 && (other & side) === 0;
  });
