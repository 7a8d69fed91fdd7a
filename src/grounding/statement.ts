/**
 * A sentence → its clauses with what each one says: telling words, figures, units, names, and what turns it around. The same for a
 * sentence of an answer and for the sentences of a passage.
 */
import { fold, isStopWord, type Language } from '../language/languages.ts';
import { lexiconEntries } from '../language/lexicon.ts';
import { perLanguage } from '../language/per-language.ts';
import { hasUnspaced, isNameAt, termsOf, wordMatches } from '../language/tokens.ts';
import { figureKey, type Polarity, polarityOf, wordKey } from './checks/polarity.ts';
import { type Figure, figuresOf, impliedFigures, measureAtStart, measuresOf } from './figures.ts';

/** A word that tells something: no stop word, no word that only says how an answer is put, no figure, no unit. */
export interface TellingWord {
  readonly term: string;
  readonly written: string;
  /** Of a compound; any of a plain word is the word. */
  readonly parts: readonly string[];
  readonly isName: boolean;
  /** Written with a capital, which may be because a sentence begins with it. */
  readonly isCapital: boolean;
  /** Among the words of its sentence. */
  readonly position: number;
}

export interface Clause {
  readonly text: string;
  /** Telling words, each once. */
  readonly words: readonly TellingWord[];
  /** Of all its words, telling or not. */
  readonly stems: ReadonlySet<string>;
  readonly figures: readonly Figure[];
  /** Units and days, with a figure and without. */
  readonly measures: ReadonlySet<string>;
  readonly polarity: Polarity;
  /** Begins with a pronoun: speaks of what the sentence before speaks of. */
  readonly pointsBack: boolean;
}

/** Of one sentence: what lies beyond in a text without a stop is not compared. */
const maxClauses = 400;
/** Pairs of characters that are endings and particles. */
const kanaPair = /^\p{Script=Hiragana}+$/u;
const figureOnly = /^[\p{N}.,:/-]+$/u;
/** Tell which days only before a unit: `business days`, but not `your business`. */
const daysOfWork = /^(?:business|working)$/i;

/** Words of how an answer is put, and words that deny, which are looked at by themselves. */
const silentOf = perLanguage((language) => new Set([...lexiconEntries(language, 'discourse'), ...lexiconEntries(language, 'negations')]));
/** A sentence that begins so speaks of what the sentence before it speaks of. */
const pronouns = new Set('it they he she this these those es sie er dies diese il elle ils elles ce esto estos este ellos'.split(' '));
const jointPattern = perLanguage((language) => {
  const own = lexiconEntries(language, 'joints');
  const words = (own.length > 0 ? own : lexiconEntries('en', 'joints')).sort((a, b) => b.length - a.length);
  return new RegExp(`[;()、，；：。]|[,:–—](?=\\s)|\\s-\\s|(?<=\\s)(?:${words.join('|')})(?=\\s)`, 'giu');
});
/** `June 16, 1972` is one date and `80 and 100 mph` one range. */
const isBetweenFigures = (text: string, { 0: joint, index }: RegExpExecArray): boolean =>
  /^(?:[,–—]|\p{L}+)$/u.test(joint) &&
  /\d\s?$/.test(text.slice(Math.max(0, index - 2), index)) &&
  /^\s+\d/.test(text.slice(index + joint.length, index + joint.length + 4));

interface RawWord {
  readonly written: string;
  readonly index: number;
  readonly stems: readonly string[];
  readonly unit: string | undefined;
}

const readWord = (written: string, index: number, language: Language): RawWord => ({
  written,
  index,
  stems: termsOf(written, language),
  unit: measuresOf(language).of(written),
});

/** `Anna Schmidt` is a name also where a sentence begins with it. */
const twoCapitals = /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}/uy;
function isNameIn(text: string, { index, written }: RawWord, language: Language): boolean {
  twoCapitals.lastIndex = index;
  return isNameAt(text, index, written, language) || (language !== 'de' && twoCapitals.test(text));
}

/** Of a script without spaces each pair of characters is a word. */
function tellingIn(word: RawWord, next: RawWord | undefined, position: number, text: string, language: Language): TellingWord[] {
  const { written, stems, unit } = word;
  const [term, ...parts] = stems;
  if (hasUnspaced(written))
    return stems
      .filter((stem) => !kanaPair.test(stem) && !/^\p{N}+$/u.test(stem))
      .map((stem) => ({ term: stem, written: stem, parts: [stem], isName: false, isCapital: false, position }));
  const isMeasure = unit !== undefined && (!daysOfWork.test(written) || next?.unit !== undefined);
  const isSilent =
    isMeasure || isStopWord(written, language) || figureOnly.test(written) || measuresOf(language).numberOf(written) !== undefined;
  const isCapital = /^\p{Lu}/u.test(written);
  const isName = isCapital && isNameIn(text, word, language);
  if (term === undefined || isSilent || (!isName && silentOf(language).has(fold(written)))) return [];
  const ownParts = parts.filter((part) => !isStopWord(part, language));
  return [
    {
      term,
      written,
      parts: ownParts.length > 0 ? ownParts : [term],
      isName,
      isCapital,
      position,
    },
  ];
}

const calendarWords = /[月火水木金土日]曜|周[一二三四五六日末]|星期[一二三四五六日]|週末|平日|[每毎][日天周週月年]|[月年]額/gu;

/** Alone `second` is an order more often than a time. */
const perSecond = /\b(?:per|each|every|a)\s+second\b(?!\s+\p{L}*(?:time|chance|user|person|account|seat))|\/\s?s(?:ec)?\b/iu;

function unitsOf({ written, unit }: RawWord, next: RawWord | undefined, language: Language): (string | undefined)[] {
  if (hasUnspaced(written)) return [...written.matchAll(calendarWords)].map(([word]) => measureAtStart(word.replace(/^[每毎]|額$/u, '')));
  if (daysOfWork.test(written)) return next?.unit === undefined ? [] : [unit];
  return /[-/]/.test(written) ? written.split(/[-/]/).map(measuresOf(language).of) : [unit];
}

function measuresIn(text: string, words: readonly RawWord[], figures: readonly Figure[], language: Language): Set<string> {
  const named = words.flatMap((word, order) => unitsOf(word, words[order + 1], language)).filter((unit) => unit !== undefined);
  return new Set([...(perSecond.test(text) ? ['s'] : []), ...named, ...figures.flatMap(({ units }) => [...units])]);
}

/** A word as it may turn a clause. */
const keyIn = ({ written, index }: RawWord, figures: readonly Figure[], language: Language): string =>
  figures.some(({ at }) => at >= index - 1 && at < index + written.length) ? figureKey : wordKey(written, language);

const distinct = (words: readonly TellingWord[]) => [...new Map(words.map((word) => [word.term, word])).values()];

interface Cut {
  readonly start: number;
  readonly end: number;
}

/** @param isWhole a table row or code: one statement */
function cutsOf(text: string, language: Language, isWhole: boolean): Cut[] {
  const found = isWhole ? [] : [...text.matchAll(jointPattern(language))].filter((joint) => !isBetweenFigures(text, joint));
  const starts = [0, ...found.slice(0, maxClauses).map(({ index }) => index)];
  return starts.map((start, order) => ({ start, end: starts[order + 1] ?? text.length }));
}

/** What a clause has to tell to be one by itself. */
const minTelling = 2;

interface Piece extends Cut {
  readonly words: readonly RawWord[];
  readonly telling: readonly TellingWord[];
  readonly figures: readonly Figure[];
}

const isSmall = ({ telling, figures }: Piece) => telling.length + figures.length < minTelling;

/** What stands between two joints; what tells little stays with its neighbour. */
function piecesOf(text: string, language: Language, isWhole: boolean): Piece[] {
  const words = [...wordMatches(text)].map(({ 0: written, index }) => readWord(written, index, language));
  const figures = [...figuresOf(text, language), ...impliedFigures(text, language)];
  const pieces: Piece[] = [];
  let from = 0;
  for (const cut of cutsOf(text, language, isWhole)) {
    let to = from;
    while (to < words.length && (words[to]?.index ?? cut.end) < cut.end) to++;
    const own = words.slice(from, to);
    const telling = distinct(own.flatMap((word, offset) => tellingIn(word, own[offset + 1], from + offset, text, language)));
    const piece = { ...cut, words: own, telling, figures: figures.filter(({ at }) => at >= cut.start && at < cut.end) };
    from = to;
    const last = pieces.at(-1);
    if (last && (isSmall(last) || isSmall(piece))) pieces[pieces.length - 1] = joined(last, piece);
    else pieces.push(piece);
  }
  return pieces;
}

const joined = (a: Piece, b: Piece): Piece => ({
  ...a,
  end: b.end,
  words: [...a.words, ...b.words],
  telling: distinct([...a.telling, ...b.telling]),
  figures: [...a.figures, ...b.figures],
});

/** @param text in NFKC @param isWhole a table row or code: one statement */
export function clausesOf(text: string, language: Language, isWhole = false): Clause[] {
  return piecesOf(text, language, isWhole).map(({ start, end, words, telling, figures }) => {
    const inside = text.slice(start, end);
    return {
      text: inside,
      words: telling,
      stems: new Set(words.flatMap(({ stems }) => stems)),
      figures,
      measures: measuresIn(inside, words, figures, language),
      polarity: polarityOf(words.map((word) => keyIn(word, figures, language)).join(''), inside, language),
      pointsBack: start === 0 && pronouns.has(words[0]?.written.toLowerCase() ?? ''),
    };
  });
}

/** A sentence of an answer, read once for all the passages that it is held against. */
export interface Statement {
  readonly clauses: readonly Clause[];
  /** Telling words, each once. */
  readonly words: readonly TellingWord[];
}

/** `Yes, …` answers the question and says nothing of its own. */
const opener =
  /^\W{0,3}(?:yes|no|sure|certainly|of course|absolutely|correct|right|ja|nein|oui|non|s[ií]|はい|いいえ|是的|不是)[,.!:、，。！]\s*/iu;
/** `3.` at the end is the number of the next item. */
const nextItem = /[:.]\s+\d{1,2}\.$/;

export function readStatement(sentence: string, language: Language): Statement {
  const clauses = clausesOf(sentence.normalize('NFKC').replace(opener, '').replace(nextItem, '.'), language);
  return { clauses, words: distinct(clauses.flatMap(({ words }) => words)) };
}
