/**
 * Whether passages bear a sentence, by rules for letters, figures and words. What a sentence means,
 * a model has to judge.
 */
import { lazy } from '../../shared/src/concurrency/lazy.ts';
import { isAddressedToModel } from '../../shared/src/language/addressed-to-model.ts';
import {
  type Figure,
  figuresOf,
  isSameFigure,
  measuresOf,
  unitsOf,
} from '../../shared/src/language/figures.ts';
import { fold, isStopWord, type Language } from '../../shared/src/language/languages.ts';
import { perLanguage } from '../../shared/src/language/per-language.ts';
import { innerStops, segments, type TextSegment } from '../../shared/src/language/segments.ts';
import { lexiconSynonyms } from '../../shared/src/language/synonyms.ts';
import {
  hasUnspaced,
  rawWords,
  scriptRuns,
  segmented,
  terms,
  termsOf,
  wordMatches,
} from '../../shared/src/language/tokens.ts';
import { holdsActiveMarkup } from '../../shared/src/markdown/active-markup.ts';
import { type ExactText, exactPartsOf, exactTextOf, holdsExactParts } from './exact-parts.ts';

export type Place = Readonly<{ passage: number; start: number; end: number }>;

/**
 * Why a sentence is not supported. `empty`: it states nothing. `markup`: its text may not be shown.
 * `exact`, `figure`: letters or a figure that no cited passage holds. `score`: too few of its words.
 */
export type Reason = 'empty' | 'markup' | 'exact' | 'figure' | 'score';

export interface Verdict {
  readonly reason: Reason | undefined;
  /** Share of its words in the passages, 0 to 1; 1 for whole units of a passage only. */
  readonly score: number;
  readonly isVerbatim: boolean;
  /** Supporting places; the closest ones if only words are missing; else empty. */
  readonly places: readonly Place[];
}

export interface EvidenceText {
  readonly text: string;
  /** Title and headings; they complete the evidence, but are not evidence on their own. */
  readonly context: string;
  readonly language: Language;
  readonly section?: { readonly start: number; readonly end: number };
  /** Position of its passage; default: position of this text in the list. */
  readonly passage?: number;
}

export interface Verified extends Verdict {
  /** Whether the cited passages support it. */
  readonly isAsPointed: boolean;
}

/** @param pointed positions of the passages that the sentence cites; they are tried first */
export type Verify = (sentence: string, pointed?: readonly number[]) => Verified;

export interface Rules {
  /** Minimum share of a sentence's content words in the passages that it cites. */
  readonly minShare: number;
  /** The same for passages that it does not cite. */
  readonly minShareElsewhere: number;
  /** This many content words in a row at an end of a sentence are not from nowhere. */
  readonly maxRun: number;
  readonly synonymWeight: number;
  readonly exact: boolean;
  readonly figures: boolean;
  readonly units: boolean;
}

export const checkRules: Rules = {
  minShare: 0.64,
  minShareElsewhere: 0.8,
  maxRun: 3,
  synonymWeight: 0.5,
  exact: true,
  figures: true,
  units: true,
};
/** Minimum share of the words in the text of passages, below their titles and headings. */
const minShareOfText = 0.3;
/** A shorter last line may be a name. */
const minLine = 2;
const maxSentenceChars = 1_200;
const maxUnitChars = 4_000;
const replacementCharacter = '\uFFFD';

interface Unit extends TextSegment {
  readonly passage: number;
  readonly stems: ReadonlySet<string>;
  readonly figures: () => readonly Figure[];
}

export interface Reading {
  readonly text: string;
  readonly language: Language;
  readonly passage: number;
  readonly units: readonly Unit[];
  /** Stems of its headings and units. */
  readonly stems: ReadonlySet<string>;
  readonly figures: () => readonly Figure[];
  /** Values alone in a code span or a cell, whose unit is elsewhere. */
  readonly bareValues: () => ReadonlySet<string>;
  /** Units, days and months, with or without a figure. */
  readonly measures: () => ReadonlySet<string>;
  readonly exact: () => ExactText;
}

const address = /\S{0,300}(?::\/\/|@)\S{0,2000}/g;
const bareValue = /(?<=[`|]\s{0,9})\d{1,15}(?:\.\d{1,9})?(?=\s{0,9}[`|])/g;

const readings = new WeakMap<EvidenceText, Reading>();

export function readingOf(evidence: EvidenceText, passage: number): Reading {
  const known = readings.get(evidence) ?? read(evidence, passage);
  readings.set(evidence, known);
  return known;
}

function read(evidence: EvidenceText, passage: number): Reading {
  const { text, context, language } = evidence;
  const { start: from, end: to } = evidence.section ?? { start: 0, end: text.length };
  const own = text.slice(from, to);
  const units = [...segments(own)].map((unit): Unit => {
    const [start, end] = [unit.start + from, unit.end + from];
    const header = unit.header ? own.slice(unit.header.start, unit.header.end) : '';
    const said = text.slice(start, Math.min(end, start + maxUnitChars));
    const stems = new Set(rawWords(`${header} ${said}`).flatMap((word) => termsOf(word, language)));
    return {
      ...unit,
      start,
      end,
      passage,
      stems,
      figures: lazy(() => figuresOf(said.normalize('NFKC'), language)),
    };
  });
  const written = `${context}\n${own}`;
  const figures = lazy(() => figuresOf(written.normalize('NFKC'), language));
  return {
    text,
    language,
    passage,
    units,
    stems: new Set([...terms(context, language), ...units.flatMap(({ stems }) => [...stems])]),
    figures,
    bareValues: lazy(() => new Set([...own.matchAll(bareValue)].map(([value]) => value))),
    measures: lazy(
      () =>
        new Set([
          ...unitsOf(rawWords(written.normalize('NFKC')), language).flat(),
          ...figures().flatMap(({ units }) => [...units]),
        ]),
    ),
    // An address in a title proves nothing.
    exact: lazy(() => exactTextOf(`${context.replace(address, ' ')}\n${own}`)),
  };
}

/** A content word: its terms, the whole word first. */
type Word = readonly string[];

export interface Statement {
  readonly text: string;
  readonly words: readonly Word[];
  /** Number of words behind its last line break or ellipsis. */
  readonly lastLine: number;
  readonly figures: readonly Figure[];
  /** Units, days and months without a figure: `on Sundays`, `yearly`. */
  readonly measures: readonly string[];
}

/** `Yes, …` states nothing itself. */
const opener =
  /^\W{0,3}(?:yes|no|sure|certainly|of course|absolutely|correct|right|ja|nein|oui|non|s[ií]|はい|いいえ|是的|不是)[,.!:、，。！]\s*/iu;
export const isOpener = (sentence: string): boolean => sentence.replace(opener, '') === '';
const figureOnly = /^[\p{N}.,:/-]+$/u;
const linkTarget = /\]\([^)]{0,2000}\)/g;

/** `every day`, `a few minutes`: people say so without a count. */
const shortTimes = new Set(['s', 'minute', 'hour', 'day']);
const rate = /\b(?:per|pro|par|por)\s+(\p{L}+)/giu;
const lineBreak = /\n|\.{3}/;
const startsWithMay = /^\W*May\s/;

/** A particle or an ending is no content word. */
const unspacedWords = (run: string): string[] =>
  hasUnspaced(run)
    ? [...segmented(run)].filter((word) => word.length > 1 && !/^[\p{scx=Hiragana}]+$/u.test(word))
    : [run];

function wordOf(word: string, language: Language): Word {
  const own = termsOf(word, language).filter((term) => term !== '');
  return hasUnspaced(word) && own.length > 1 ? [fold(word), ...own] : own;
}

/** Units, days and months without a figure. */
function freeMeasures(text: string, figures: readonly Figure[], language: Language): string[] {
  const { of } = measuresOf(language);
  const named = new Set(unitsOf(rawWords(text.replace(startsWithMay, '')), language).flat());
  const counted = new Set(figures.flatMap(({ units }) => [...units]));
  // `second` alone is a place in an order.
  const rates = [...text.matchAll(rate)].flatMap(
    ([, word = '']) => of(word) ?? of(`${word}s`) ?? [],
  );
  const longer = [...named].filter((measure) => !shortTimes.has(measure));
  return [...new Set([...longer, ...rates]).difference(counted)];
}

const lastLineOf = (lines: readonly (readonly Word[])[]): number =>
  lines.length > 1 ? (lines.at(-1)?.length ?? 0) : 0;

export function readStatement(sentence: string, language: Language): Statement {
  const text = sentence.normalize('NFKC').replace(opener, '').replace(linkTarget, '] ');
  const { numberOf } = measuresOf(language);
  const wordsOf = (part: string): Word[] =>
    [...wordMatches(part)]
      .flatMap(([word]) => (hasUnspaced(word) ? scriptRuns(word).flatMap(unspacedWords) : word))
      .filter((word) => !figureOnly.test(word) && numberOf(word) === undefined)
      .filter((word) => !isStopWord(word, language))
      .map((word) => wordOf(word, language))
      .filter((stems) => stems.length > 0);
  const lines = text.split(lineBreak).map(wordsOf);
  const words = lines.flat();
  const figures = figuresOf(text, language);
  return {
    text: sentence,
    words,
    lastLine: lastLineOf(lines),
    figures,
    measures: freeMeasures(text, figures, language),
  };
}

const isStated = (figure: Figure, stated: readonly Figure[], { units } = checkRules) =>
  stated.some((one) => (units ? isSameFigure(figure, one) : figure.value === one.value));

/** How well stems hold a word, 0 to 1: as a whole, by its parts or by a synonym. */
function heldIn(
  [whole = '', ...parts]: Word,
  stems: ReadonlySet<string>,
  language: Language,
  { synonymWeight } = checkRules,
): number {
  if (stems.has(whole)) return 1;
  const held = parts.filter((part) => stems.has(part)).length / Math.max(1, parts.length);
  if (held > 0) return held;
  return lexiconSynonyms(language)
    .of(whole)
    .some((stem) => stems.has(stem))
    ? synonymWeight
    : 0;
}

/** Finds the sentence as whole units of a passage: a part of a unit could omit its `not`. */
function verbatimIn({ text, passage, units }: Reading, sentence: string): Place | undefined {
  for (let start = text.indexOf(sentence); start >= 0; start = text.indexOf(sentence, start + 1)) {
    const end = start + sentence.length;
    const edges = units.flatMap((unit) => {
      const own = text.slice(unit.start, unit.end);
      const stops = unit.kind === 'row' || unit.kind === 'code' ? [] : innerStops(own);
      return [0, ...stops, unit.end - unit.start].map((stop) => unit.start + stop);
    });
    const isEdge = (at: number) =>
      edges.some((edge) => text.slice(Math.min(edge, at), Math.max(edge, at)).trim() === '');
    if (isEdge(start) && isEdge(end)) return { passage, start, end };
  }
  return undefined;
}

/** The units with most of the words and figures: the best, and one that adds to it. */
function placesOf({ words, figures }: Statement, readings: readonly Reading[]): Place[] {
  const units = readings.flatMap(({ units, language }) =>
    units.map((unit) => ({ unit, language })),
  );
  const gains = (
    unit: Unit,
    language: Language,
    left: { words: readonly Word[]; figures: readonly Figure[] },
  ) =>
    left.words.reduce((sum, word) => sum + heldIn(word, unit.stems, language), 0) +
    2 * left.figures.filter((figure) => isStated(figure, unit.figures())).length;
  let left = { words, figures };
  const places: Place[] = [];
  while (places.length < 2) {
    let best: Unit | undefined;
    let most = places.length === 0 ? 0 : 1.5;
    for (const { unit, language } of units) {
      const gain = gains(unit, language, left);
      if (gain > most) [best, most] = [unit, gain];
    }
    if (!best) break;
    const { stems, passage, start, end, figures: stated } = best;
    places.push({ passage, start, end });
    left = {
      words: left.words.filter(([whole = '']) => !stems.has(whole)),
      figures: left.figures.filter((figure) => !isStated(figure, stated())),
    };
  }
  return places.toSorted((a, b) => a.passage - b.passage || a.start - b.start);
}

/**
 * Returns the unit of a passage with most of a sentence's words, names and figures, else its first
 * unit. For sentences in other words or another language.
 */
export function placeIn(passages: readonly EvidenceText[], passage: number, sentence: string) {
  const readings = passages.flatMap((one, order) =>
    (one.passage ?? order) === passage ? [readingOf(one, passage)] : [],
  );
  const language = readings[0]?.language ?? 'en';
  const [best] = placesOf(readStatement(sentence, language), readings);
  const [first] = readings.flatMap(({ units }) => units);
  return best ?? (first && { passage, start: first.start, end: first.end });
}

const maxGapChars = 40;
const maxPlaceChars = 400;

/** Whether two places can be cited as one. */
export const areOnePlace = (a: Place, b: Place): boolean =>
  a.passage === b.passage &&
  Math.max(a.start, b.start) - Math.min(a.end, b.end) <= maxGapChars &&
  Math.max(a.end, b.end) - Math.min(a.start, b.start) <= maxPlaceChars;

export const unsupported = (reason: Reason, score = 0): Verdict => ({
  reason,
  score,
  isVerbatim: false,
  places: [],
});

const isSafe = (text: string): boolean =>
  text.length <= maxSentenceChars &&
  !holdsActiveMarkup(text) &&
  !text.includes(replacementCharacter) &&
  !isAddressedToModel(text);

const isEmpty = ({ words, figures }: Statement): boolean =>
  words.length === 0 && figures.every(({ units }) => units.size === 0);

/** Whether mostly titles and headings have the words: they prove nothing. */
function isFromTitles({ words }: Statement, readings: readonly Reading[], own: Rules): boolean {
  const units = readings.flatMap(({ units, language }) =>
    units.map(({ stems }) => ({ stems, language })),
  );
  const held = words.map((word) =>
    Math.max(0, ...units.map(({ stems, language }) => heldIn(word, stems, language, own))),
  );
  return meanOf(held) < minShareOfText;
}

/** How well passages hold each word of a statement. */
const sharesIn = ({ words }: Statement, readings: readonly Reading[], own: Rules): number[] =>
  words.map((word) =>
    Math.max(0, ...readings.map((one) => heldIn(word, one.stems, one.language, own))),
  );

/** Whether passages have the figures of a statement, and its units, days and months. */
function holdFigures(
  { figures, measures }: Statement,
  readings: readonly Reading[],
  own: Rules,
): boolean {
  const isHeld = (figure: Figure) =>
    readings.some(
      (one) => isStated(figure, one.figures(), own) || one.bareValues().has(figure.value),
    );
  const isNamed = (measure: string) => readings.some((one) => one.measures().has(measure));
  return (!own.figures || figures.every(isHeld)) && (!own.units || measures.every(isNamed));
}

/**
 * Whether an end of a sentence, or its last line, is from nowhere. @param held how well each word
 * is held
 */
function hasNewEnd({ lastLine }: Statement, held: readonly number[], { maxRun }: Rules): boolean {
  const isNew = (end: readonly number[], least: number) =>
    end.length >= least && end.every((one) => one === 0);
  return (
    isNew(held.slice(0, maxRun), maxRun) ||
    isNew(held.slice(-maxRun), maxRun) ||
    (lastLine > 0 && isNew(held.slice(-lastLine), minLine))
  );
}

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * @param passages sections with the position of their passage @param own other rules, for a
 * measurement
 */
export function createVerifier(passages: readonly EvidenceText[], own = checkRules): Verify {
  const all = lazy(() => passages.map((one, order) => readingOf(one, one.passage ?? order)));
  return (sentence, pointed = []) => {
    if (sentence === '') return { ...unsupported('empty'), isAsPointed: false };
    if (!isSafe(sentence)) return { ...unsupported('markup'), isAsPointed: false };
    const statementIn = perLanguage((language) => readStatement(sentence, language));
    const exact = exactPartsOf(sentence);

    function reasonIn(
      statement: Statement,
      some: readonly Reading[],
      held: readonly number[],
      least: number,
    ): Reason | undefined {
      if (own.exact && !some.some((one) => holdsExactParts(exact, one.exact))) return 'exact';
      if (!holdFigures(statement, some, own)) return 'figure';
      const isWeak =
        meanOf(held) < least ||
        hasNewEnd(statement, held, own) ||
        isFromTitles(statement, some, own);
      return isWeak ? 'score' : undefined;
    }

    function judge(some: readonly Reading[], least: number): Verdict {
      const [verbatim] = some.flatMap((reading) => verbatimIn(reading, sentence) ?? []);
      if (verbatim) return { reason: undefined, score: 1, isVerbatim: true, places: [verbatim] };
      if (!some[0]) return unsupported('score');
      const statement = statementIn(some[0].language);
      if (isEmpty(statement)) return unsupported('empty');
      const held = sharesIn(statement, some, own);
      const score = Math.min(0.99, meanOf(held));
      const reason = reasonIn(statement, some, held, least);
      if (reason === 'exact' || reason === 'figure') return unsupported(reason, score);
      return { reason, score, isVerbatim: false, places: placesOf(statement, some) };
    }

    const given = all().filter(({ passage }) => pointed.includes(passage));
    const cited = given.length > 0 ? judge(given, own.minShare) : undefined;
    if (cited && cited.reason === undefined) return { ...cited, isAsPointed: true };
    const found = judge(all(), cited ? own.minShareElsewhere : own.minShare);
    return { ...(found.reason === undefined || !cited ? found : cited), isAsPointed: false };
  };
}
