/**
 * Words of a clause that turn it around: what denies it, and which side of which opposites it takes. Found by stems, the longest entry
 * first, so that `not only` denies nothing and `not more than` is a limit.
 */
import { fold, type Language } from '../../language/languages.ts';
import { lexiconEntries, lexiconGroups } from '../../language/lexicon.ts';
import { perLanguage } from '../../language/per-language.ts';
import { rawWords, termsOf } from '../../language/tokens.ts';

/** A side of one line of opposites. */
interface Side {
  readonly pair: number;
  readonly side: number;
}

type Mark = 'denies' | 'affirms' | Side;

/** A word by its stem and as it is written, folded: the stemmers differ on accents that people leave out. */
export interface PolarWord {
  readonly stem: string;
  readonly written: string;
}

/** Any figure. */
export const figureWord: PolarWord = { stem: '#', written: '#' };

interface Entry {
  readonly words: readonly PolarWord[];
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
export interface Polarity {
  readonly denies: boolean;
  /** Per pair the sides that it takes, a bit each. */
  readonly sides: ReadonlyMap<number, number>;
  /** Stems of the words by which it takes them. */
  readonly sided: ReadonlySet<string>;
}

const isUnspaced = (language: Language) => language === 'ja' || language === 'zh' || language === 'ko';

/** `#` is any figure. */
const wordsOf = (entry: string, language: Language): PolarWord[] =>
  entry
    .split(/\s+/)
    .flatMap((word) =>
      word === '#'
        ? [figureWord]
        : rawWords(word).map((raw) => ({ stem: word.startsWith('=') ? '=' : (termsOf(raw, language)[0] ?? raw), written: fold(raw) })),
    );

const isSame = (a: PolarWord, b: PolarWord | undefined) => b !== undefined && (a.stem === b.stem || a.written === b.written);

/** Entries of the lists, each with all that it marks. */
function marksOf(language: Language): { readonly marks: ReadonlyMap<string, readonly Mark[]>; readonly strict: ReadonlySet<number> } {
  const marks = new Map<string, Mark[]>();
  const add = (entry: string, mark: Mark) => marks.set(entry, [...(marks.get(entry) ?? []), mark]);
  for (const entry of lexiconEntries(language, 'negations')) add(entry, 'denies');
  for (const entry of lexiconEntries(language, 'affirmations')) add(entry, 'affirms');
  const strict = new Set<number>();
  for (const [pair, { name, sides }] of lexiconGroups(language, 'opposites').entries()) {
    if (name === '!') strict.add(pair);
    for (const [side, entries] of sides.entries()) for (const entry of entries) add(entry, { pair, side });
  }
  return { marks, strict };
}

function readLexicon(language: Language): Lexicon {
  const { marks, strict } = marksOf(language);
  if (isUnspaced(language)) {
    const written = [...marks].map(([entry, ofEntry]) => ({ words: [{ stem: entry, written: entry }], marks: ofEntry }));
    written.sort((a, b) => (b.words[0]?.written.length ?? 0) - (a.words[0]?.written.length ?? 0));
    return { entries: new Map(), written, strict };
  }
  const entries = new Map<string, Entry[]>();
  for (const [entry, ofEntry] of marks) {
    const words = wordsOf(entry, language);
    const [first] = words;
    for (const key of new Set(first && [first.stem, first.written]))
      entries.set(key, [...(entries.get(key) ?? []), { words, marks: ofEntry }]);
  }
  for (const list of entries.values()) list.sort((a, b) => b.words.length - a.words.length);
  return { entries, written: [], strict };
}

const lexiconOf = perLanguage(readLexicon);

const isSide = (mark: Mark) => typeof mark !== 'string';

/** What some entries that stand in a clause make of it. */
function taken(entries: readonly Entry[], sided: ReadonlySet<string>): Polarity {
  const sides = new Map<number, number>();
  for (const { pair, side } of entries.flatMap(({ marks }) => marks.filter(isSide))) sides.set(pair, (sides.get(pair) ?? 0) | (1 << side));
  const denies = entries.some(({ marks }) => marks.includes('denies') && !marks.includes('affirms'));
  return { denies, sides, sided };
}

/** Of a script without spaces: each entry as it is written, the longest first, and what it covers no second time. */
function writtenIn(text: string, { written }: Lexicon): Entry[] {
  let rest = text;
  return written.filter(({ words: [entry] }) => {
    if (!entry || !rest.includes(entry.written)) return false;
    rest = rest.replaceAll(entry.written, '\n');
    return true;
  });
}

/** The longest entry that begins with a word, by its stem or as it is written. */
function entryAt(words: readonly PolarWord[], at: number, { entries }: Lexicon): Entry | undefined {
  const startsHere = (key: string | undefined) =>
    entries.get(key ?? '')?.find((entry) => entry.words.every((part, offset) => isSame(part, words[at + offset])));
  const [byStem, asWritten] = [startsHere(words[at]?.stem), startsHere(words[at]?.written)];
  return (asWritten?.words.length ?? 0) > (byStem?.words.length ?? 0) ? asWritten : byStem;
}

/** @param words of the clause in reading order */
export function polarityOf(words: readonly PolarWord[], text: string, language: Language): Polarity {
  const lexicon = lexiconOf(language);
  if (lexicon.written.length > 0) return taken(writtenIn(text, lexicon), new Set());
  const found: Entry[] = [];
  const sided = new Set<string>();
  for (let position = 0; position < words.length; ) {
    const entry = entryAt(words, position, lexicon);
    const length = entry?.words.length ?? 1;
    if (entry) found.push(entry);
    if (entry?.marks.some(isSide)) for (const { stem } of words.slice(position, position + length)) sided.add(stem);
    // A figure at its end may begin another: `more than 5 or less`.
    position += Math.max(1, entry?.words.at(-1) === figureWord ? length - 1 : length);
  }
  return taken(found, sided);
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
