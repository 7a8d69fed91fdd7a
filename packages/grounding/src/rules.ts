/**
 * Whether passages bear a sentence, by rules for letters, figures and words. What a sentence means,
 * a model has to judge.
 */
import { lazy } from '../../shared/src/concurrency/lazy.ts';
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
import { type ExactText, exactPartsOf, exactTextOf, holdsExactParts } from './exact-parts.ts';
import { isShowable, type Place, withoutYesOrNo } from './shown-sentence.ts';

export type { Place };

/**
 * Why a sentence is not supported. `empty`: it states nothing. `markup`: its text may not be shown.
 * `exact`, `figure`: letters or a figure that no cited passage holds. `score`: too few of its words.
 */
export type Reason = 'empty' | 'markup' | 'exact' | 'figure' | 'score';

export interface Verified {
  readonly reason: Reason | undefined;
  /** Share of its words in the passages, 0 to 1; 1 for whole units of a passage only. */
  readonly score: number;
  readonly isVerbatim: boolean;
  /** Supporting places; the closest ones if only words are missing; else empty. */
  readonly places: readonly Place[];
  /** Whether the cited passages support it. */
  readonly isAsPointed: boolean;
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

/** @param pointed positions of the passages that the sentence cites; they are tried first */
export type Verify = (sentence: string, pointed?: readonly number[]) => Verified;

/** The rules; a measurement may change them. */
export const checkRules = {
  /** Minimum share of a sentence's content words in the passages that it cites. */
  minShare: 0.64,
  /** The same for passages that it does not cite. */
  minShareElsewhere: 0.8,
  /** This many content words in a row at an end of a sentence are not from nowhere. */
  maxRun: 3,
  synonymWeight: 0.5,
  exact: true,
  figures: true,
  units: true,
};
export type Rules = typeof checkRules;

/** Minimum share of the words in the text of passages, below their titles and headings. */
const minShareOfText = 0.3;
/** A shorter last line may be a name. */
const minLine = 2;
const maxSentenceChars = 1_200;
const maxUnitChars = 4_000;

interface Held {
  readonly passage: number;
  readonly language: Language;
  readonly stems: ReadonlySet<string>;
  readonly figures: () => readonly Figure[];
}
type Unit = Held & TextSegment;

/** `stems`: of its headings and units. */
interface Reading extends Held {
  readonly text: string;
  readonly units: readonly Unit[];
  readonly ownStems: ReadonlySet<string>;
  /** Values alone in a code span or a cell, whose unit is elsewhere. */
  readonly bareValues: () => ReadonlySet<string>;
  /** Units, days and months, with or without a figure. */
  readonly measures: () => ReadonlySet<string>;
  readonly exact: () => ExactText;
}

const address = /\S{0,300}(?::\/\/|@)\S{0,2000}/g;
const bareValue = /(?<=[`|]\s{0,9})\d{1,15}(?:\.\d{1,9})?(?=\s{0,9}[`|])/g;

const readings = new WeakMap<EvidenceText, Reading>();

function readingOf(evidence: EvidenceText, passage: number): Reading {
  const known = readings.get(evidence) ?? read(evidence, passage);
  readings.set(evidence, known);
  return known;
}

function read({ text, context, language, section }: EvidenceText, passage: number): Reading {
  const { start: from, end: to } = section ?? { start: 0, end: text.length };
  const own = text.slice(from, to);
  const units = [...segments(own)].map((unit): Unit => {
    const [start, end] = [unit.start + from, unit.end + from];
    const header = unit.header ? own.slice(unit.header.start, unit.header.end) : '';
    const said = text.slice(start, Math.min(end, start + maxUnitChars));
    const stems = new Set(terms(`${header} ${said}`, language));
    const figures = lazy(() => figuresOf(said.normalize('NFKC'), language));
    return { ...unit, start, end, passage, language, stems, figures };
  });
  const written = `${context}\n${own}`.normalize('NFKC');
  const figures = lazy(() => figuresOf(written, language));
  const ownStems = new Set(units.flatMap(({ stems }) => [...stems]));
  const counted = () => figures().flatMap((figure) => [...figure.units]);
  return {
    text,
    language,
    passage,
    units,
    ownStems,
    stems: new Set([...terms(context, language), ...ownStems]),
    figures,
    bareValues: lazy(() => new Set([...own.matchAll(bareValue)].map(([value]) => value))),
    measures: lazy(() => new Set([...unitsOf(rawWords(written), language).flat(), ...counted()])),
    // An address in a title proves nothing.
    exact: lazy(() => exactTextOf(`${context.replace(address, ' ')}\n${own}`)),
  };
}

/** A content word: its terms, the whole word first. */
type Word = readonly string[];

interface Statement {
  readonly words: readonly Word[];
  /** Number of words behind its last line break or ellipsis. */
  readonly lastLine: number;
  readonly figures: readonly Figure[];
  /** Units, days and months without a figure: `on Sundays`, `yearly`. */
  readonly measures: readonly string[];
}

const figureOnly = /^[\p{N}.,:/-]+$/u;
const linkTarget = /\]\([^)]{0,2000}\)/g;
/** `every day`, `a few minutes`: people say so without a count. */
const shortTimes = new Set(['s', 'minute', 'hour', 'day']);
const rate = /\b(?:per|pro|par|por)\s+(\p{L}+)/giu;

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
  const named = unitsOf(rawWords(text.replace(/^\W*May\s/, '')), language).flat();
  // `second` alone is a place in an order.
  const rates = [...text.matchAll(rate)].flatMap(
    ([, word = '']) => of(word) ?? of(`${word}s`) ?? [],
  );
  const longer = named.filter((measure) => !shortTimes.has(measure));
  const counted = new Set(figures.flatMap(({ units }) => [...units]));
  return [...new Set([...longer, ...rates]).difference(counted)];
}

function readStatement(sentence: string, language: Language): Statement {
  const text = withoutYesOrNo(sentence.normalize('NFKC')).replace(linkTarget, '] ');
  const { numberOf } = measuresOf(language);
  const lines = text.split(/\n|\.{3}/).map((line) =>
    [...wordMatches(line)]
      .flatMap(([word]) => (hasUnspaced(word) ? scriptRuns(word).flatMap(unspacedWords) : word))
      .filter((word) => !figureOnly.test(word) && numberOf(word) === undefined)
      .filter((word) => !isStopWord(word, language))
      .map((word) => wordOf(word, language))
      .filter((stems) => stems.length > 0),
  );
  const figures = figuresOf(text, language);
  return {
    words: lines.flat(),
    lastLine: lines.length > 1 ? (lines.at(-1)?.length ?? 0) : 0,
    figures,
    measures: freeMeasures(text, figures, language),
  };
}

const isStated = (figure: Figure, stated: readonly Figure[], { units } = checkRules) =>
  stated.some((one) => (units ? isSameFigure(figure, one) : figure.value === one.value));

/** How well stems hold a word, 0 to 1: as a whole, by its parts or by a synonym. */
function heldBy(
  [whole = '', ...parts]: Word,
  stems: ReadonlySet<string>,
  language: Language,
  { synonymWeight } = checkRules,
): number {
  if (stems.has(whole)) return 1;
  const held = parts.filter((part) => stems.has(part)).length / Math.max(1, parts.length);
  if (held > 0) return held;
  const synonyms = lexiconSynonyms(language).of(whole);
  return synonyms.some((stem) => stems.has(stem)) ? synonymWeight : 0;
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
  const units = readings.flatMap((one) => one.units);
  const places: Place[] = [];
  let left = { words, figures };
  for (const least of [0, 1.5]) {
    let best: Unit | undefined;
    let most = least;
    for (const unit of units) {
      const held = left.words.map((word) => heldBy(word, unit.stems, unit.language));
      const stated = left.figures.filter((figure) => isStated(figure, unit.figures()));
      const gain = held.reduce((sum, one) => sum + one, 2 * stated.length);
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

const isEmpty = ({ words, figures }: Statement): boolean =>
  words.length === 0 && figures.every(({ units }) => units.size === 0);

/** How well passages hold each word of a statement. */
const sharesOf = (
  { words }: Statement,
  readings: readonly Reading[],
  stems: 'stems' | 'ownStems',
  own: Rules,
): number[] =>
  words.map((word) =>
    Math.max(...readings.map((one) => heldBy(word, one[stems], one.language, own))),
  );

export const unsupported = (reason: Reason | undefined, score = 0): Verified => ({
  reason,
  score,
  isVerbatim: false,
  places: [],
  isAsPointed: false,
});

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
    if (sentence === '') return unsupported('empty');
    if (sentence.length > maxSentenceChars || !isShowable(sentence)) return unsupported('markup');
    const statementIn = perLanguage((language) => readStatement(sentence, language));
    const exact = exactPartsOf(sentence);

    function reasonIn(statement: Statement, some: readonly Reading[], least: number) {
      if (own.exact && !some.some((one) => holdsExactParts(exact, one.exact))) return 'exact';
      if (!holdFigures(statement, some, own)) return 'figure';
      const held = sharesOf(statement, some, 'stems', own);
      const inText = meanOf(sharesOf(statement, some, 'ownStems', own));
      const isWeak = meanOf(held) < least || hasNewEnd(statement, held, own);
      return isWeak || inText < minShareOfText ? 'score' : undefined;
    }

    function judge(some: readonly Reading[], least: number): Verified {
      const [verbatim] = some.flatMap((reading) => verbatimIn(reading, sentence) ?? []);
      if (verbatim) return { ...unsupported(undefined, 1), isVerbatim: true, places: [verbatim] };
      if (!some[0]) return unsupported('score');
      const statement = statementIn(some[0].language);
      if (isEmpty(statement)) return unsupported('empty');
      const score = Math.min(0.99, meanOf(sharesOf(statement, some, 'stems', own)));
      const reason = reasonIn(statement, some, least);
      const isPlaced = reason === undefined || reason === 'score';
      return { ...unsupported(reason, score), places: isPlaced ? placesOf(statement, some) : [] };
    }

    const given = all().filter(({ passage }) => pointed.includes(passage));
    const cited = given.length > 0 ? judge(given, own.minShare) : undefined;
    if (cited && cited.reason === undefined) return { ...cited, isAsPointed: true };
    const found = judge(all(), cited ? own.minShareElsewhere : own.minShare);
    return found.reason === undefined || !cited ? found : cited;
  };
}
