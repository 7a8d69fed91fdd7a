/**
 * Parses a text for the judge into clauses (content words, figures, units) and parts (stems,
 * polarity).
 */
import {
  type Figure,
  figuresOf,
  impliedFigures,
  measuresOf,
  unitsOf,
} from '../../shared/src/language/figures.ts';
import { fold, isStopWord, type Language } from '../../shared/src/language/languages.ts';
import { lexiconEntries, lexiconGroups } from '../../shared/src/language/lexicon.ts';
import { perLanguage } from '../../shared/src/language/per-language.ts';
import { hasUnspaced, isNameAt, termsOf, wordMatches } from '../../shared/src/language/tokens.ts';
import { type ExactParts, exactPartsOf } from './checks/exact-parts.ts';
import { figureKey, type Polarity, polarityOf, wordKey } from './checks/polarity.ts';

/** Content word: no stop word, discourse word, figure or unit. */
export interface ClauseWord {
  readonly term: string;
  readonly written: string;
  /** Parts of a compound; a plain word is its own part. */
  readonly parts: readonly string[];
  readonly isName: boolean;
  /** Whether it is capitalized, perhaps only because it begins a sentence. */
  readonly isCapital: boolean;
}

export interface Clause {
  readonly words: readonly ClauseWord[];
  readonly stems: ReadonlySet<string>;
  readonly figures: readonly Figure[];
  /** Units and days, with and without a figure. */
  readonly measures: ReadonlySet<string>;
}

/** Maximum joints per text at which clauses may begin; the rest is one clause. */
const maxClauses = 100;
/** Matches pairs of hiragana, which are endings and particles. */
const kanaPair = /^\p{Script=Hiragana}+$/u;
const figureOnly = /^[\p{N}.,:/-]+$/u;
/** A figure, with or without its counter, in CJK characters. */
const figureStart = /^(?:[〇一二两三四五六七八九十百千万]|\p{N}+$)/u;

/** Discourse words, and negations, which the polarity check covers. */
const ignoredWordsOf = perLanguage(
  (language) =>
    new Set([...lexiconEntries(language, 'discourse'), ...lexiconEntries(language, 'negations')]),
);
/**
 * Returns a pattern of the words that begin a clause. @param withParts includes words that begin
 * only a part of a clause
 */
function jointWords(language: Language, withParts: boolean): string {
  const own = lexiconGroups(language, 'joints');
  const groups = own.length > 0 ? own : lexiconGroups('en', 'joints');
  const words = groups.flatMap(({ name, sides }) =>
    withParts || name !== 'part' ? sides.flat() : [],
  );
  return words.sort((a, b) => b.length - a.length).join('|');
}

const jointPattern = perLanguage(
  (language) =>
    new RegExp(
      `[;()、，；：。]|[,:–—](?=\\s)|\\s-\\s|(?<=\\s)(?:${jointWords(language, false)})(?=\\s)`,
      'giu',
    ),
);
/** `June 16, 1972` is one date and `80 and 100 mph` one range. */
const isBetweenFigures = (text: string, { 0: joint, index }: RegExpExecArray): boolean =>
  /^(?:[,–—]|\p{L}+)$/u.test(joint) &&
  /\d\s?$/.test(text.slice(Math.max(0, index - 2), index)) &&
  /^\s+\d/.test(text.slice(index + joint.length, index + joint.length + 4));

type RawWord = Readonly<{
  written: string;
  index: number;
  stems: readonly string[];
  units: readonly string[];
}>;

/** `Anna Schmidt` is a name even at the start of a sentence. */
const twoCapitals = /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}/uy;
/** German capitalizes every noun, so only a title marks a name. */
const germanTitle = /\b(?:Herrn?|Frau|Dr\.|Prof\.|Familie|Firma)\s$/;
const maxTitleChars = 10;
function isNameIn(text: string, { index, written }: RawWord, language: Language): boolean {
  twoCapitals.lastIndex = index;
  const isTitled = germanTitle.test(text.slice(Math.max(0, index - maxTitleChars), index));
  return (
    isNameAt(text, index, written, language) ||
    (language === 'de' ? isTitled : twoCapitals.test(text))
  );
}

/** In a script without spaces, each pair of characters is a word. */
function toContentWords(word: RawWord, text: string, language: Language): ClauseWord[] {
  const { written, stems, units } = word;
  const [term, ...parts] = stems;
  if (hasUnspaced(written))
    return stems
      .filter((stem) => !kanaPair.test(stem) && !figureStart.test(stem))
      .map((stem) => ({
        term: stem,
        written: stem,
        parts: [stem],
        isName: false,
        isCapital: false,
      }));
  const isFigure =
    units.length > 0 ||
    figureOnly.test(written) ||
    measuresOf(language).numberOf(written) !== undefined;
  const isCapital = /^\p{Lu}/u.test(written);
  const isName = isCapital && isNameIn(text, word, language);
  if (
    term === undefined ||
    isFigure ||
    isStopWord(written, language) ||
    (!isName && ignoredWordsOf(language).has(fold(written)))
  )
    return [];
  const ownParts = parts.filter((part) => !isStopWord(part, language));
  return [{ term, written, parts: ownParts.length > 0 ? ownParts : [term], isName, isCapital }];
}

/** `second` without `per` is an ordinal more often than a time. */
const perSecond = /(?:\bper |\/ ?)s(?:ec(?:ond)?)?\b/i;

const distinct = (words: readonly ClauseWord[]) => [
  ...new Map(words.map((word) => [word.term, word])).values(),
];

/** Minimum content words and figures of a clause; a smaller clause is joined to its neighbour. */
const minContent = 2;

/** @param contentOffsets offsets of content words and figures */
function clauseStarts(
  text: string,
  contentOffsets: readonly number[],
  language: Language,
): number[] {
  const joints = [...text.matchAll(jointPattern(language))]
    .filter((joint) => !isBetweenFigures(text, joint))
    .slice(0, maxClauses);
  const isClause = (from: number, to: number) =>
    contentOffsets.filter((at) => at >= from && at < to).length >= minContent;
  const starts = [0];
  for (const [order, { index }] of joints.entries())
    if (
      isClause(starts.at(-1) ?? 0, index) &&
      isClause(index, joints[order + 1]?.index ?? text.length)
    )
      starts.push(index);
  return starts;
}

/** @param text in NFKC @param isWhole true for a table row or code, which is one clause */
export function clausesOf(text: string, language: Language, isWhole = false): Clause[] {
  const found = [...wordMatches(text)];
  const written = found.map(([word]) => word);
  const units = unitsOf(written, language);
  const words = found.map(({ 0: word, index }, at) => ({
    written: word,
    index,
    stems: termsOf(word, language),
    units: units[at] ?? [],
  }));
  const content = words.map((word) => toContentWords(word, text, language));
  const figures = [...figuresOf(text, language), ...impliedFigures(text, language)];
  const contentOffsets = [
    ...content.flatMap((some, position) => some.map(() => words[position]?.index ?? 0)),
    ...figures.map(({ at }) => at),
  ];
  const starts = isWhole ? [0] : clauseStarts(text, contentOffsets, language);
  return starts.map((start, order) => {
    const end = starts[order + 1] ?? text.length;
    const inside = text.slice(start, end);
    const isInside = (at: number) => at >= start && at < end;
    const ownWords = words.filter(({ index }) => isInside(index));
    const ownFigures = figures.filter(({ at }) => isInside(at));
    return {
      words: distinct(
        content.flatMap((some, position) => (isInside(words[position]?.index ?? -1) ? some : [])),
      ),
      stems: new Set(ownWords.flatMap(({ stems }) => stems)),
      figures: ownFigures,
      measures: new Set(
        [...ownWords, ...ownFigures]
          .flatMap(({ units }) => [...units])
          .concat(perSecond.test(inside) ? 's' : []),
      ),
    };
  });
}

/** Part of a sentence. A negation applies to all words of its part and to no other part. */
export type Part = Readonly<{ stems: ReadonlySet<string>; polarity: Polarity }>;

/** Matches the borders of parts: stops, brackets, table cells, and words that begin a part. */
const partPattern = perLanguage(
  (language) =>
    new RegExp(
      `[;:()|—、，；：。!?]|[.,–-](?=\\s)|(?<=\\s)(?=(?:${jointWords(language, true)})\\s)`,
      'giu',
    ),
);

const keyOf = (word: string, language: Language): string =>
  figureOnly.test(word) || measuresOf(language).numberOf(word) !== undefined
    ? figureKey
    : wordKey(word, language);

/** @param text in NFKC */
export function partsOf(text: string, language: Language): Part[] {
  return text
    .replace(linkTarget, '] ')
    .split(partPattern(language))
    .map((part) => {
      const words = [...wordMatches(part)].map(([word]) => word);
      return {
        stems: new Set(words.flatMap((word) => termsOf(word, language))),
        polarity: polarityOf(words.map((word) => keyOf(word, language)).join(''), part, language),
      };
    });
}

/** A sentence of an answer, parsed once for all passages. */
export interface Statement {
  readonly text: string;
  readonly clauses: readonly Clause[];
  readonly parts: readonly Part[];
  readonly words: readonly ClauseWord[];
  readonly exact: ExactParts;
}

const linkTarget = /\]\([^)]{0,2000}\)/g;
/** `Yes, …` states nothing itself. */
const opener =
  /^\W{0,3}(?:yes|no|sure|certainly|of course|absolutely|correct|right|ja|nein|oui|non|s[ií]|はい|いいえ|是的|不是)[,.!:、，。！]\s*/iu;
export const isOpener = (sentence: string): boolean => sentence.replace(opener, '') === '';
/** Matches a final `3.`, which numbers the next item. */
const nextItem = /[:.]\s+\d{1,2}\.$/;

export function readStatement(sentence: string, language: Language): Statement {
  const text = sentence.normalize('NFKC').replace(opener, '').replace(nextItem, '.');
  const clauses = clausesOf(text, language, text.includes(' | '));
  return {
    text: sentence,
    clauses,
    parts: partsOf(text, language),
    words: distinct(clauses.flatMap(({ words }) => words)),
    exact: exactPartsOf(sentence),
  };
}

export const contentWordsOf = (text: string, language: Language): readonly ClauseWord[] =>
  distinct(clausesOf(text.normalize('NFKC'), language, true).flatMap(({ words }) => words));
