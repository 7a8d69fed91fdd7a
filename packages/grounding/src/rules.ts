/**
 * Whether passages bear a sentence, by rules for letters, figures and words. What a sentence means,
 * a model has to judge.
 */
import { lazy } from '../../shared/src/concurrency/lazy.ts';
import {
  chineseNumbers,
  type Figure,
  figuresOf,
  isSameFigure,
  measuresOf,
  unitsOf,
} from '../../shared/src/language/figures.ts';
import {
  isJoiningWord,
  isStopWord,
  type Language,
  languageOf,
} from '../../shared/src/language/languages.ts';
import { perLanguage } from '../../shared/src/language/per-language.ts';
import { innerStops, segments } from '../../shared/src/language/segments.ts';
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
import { type ExactParts, exactPartsOf, exactTextOf, holdsExactParts } from './exact-parts.ts';
import { isOpener, isSafe, type Place, withoutYesOrNo } from './shown-sentence.ts';

export type { Place };

/**
 * Why a sentence is not supported. `empty`: it states nothing. `markup`: its text may not be shown.
 * `exact`, `figure`: letters or a figure that no cited passage holds. `score`: too few of its words.
 */
export type Reason = 'empty' | 'markup' | 'exact' | 'figure' | 'score';

/**
 * `score`: share of its words in the passages, 0 to 1; 1 for whole units of a passage only.
 * `places`: supporting ones; the closest ones if only words are missing; else empty.
 */
type Verified = Readonly<{ reason: Reason | undefined; score: number; places: readonly Place[] }>;

export type EvidenceText = Readonly<{
  text: string;
  /** Title and headings; they complete the evidence, but are not evidence on their own. */
  context: string;
  language: Language;
  section?: Readonly<{ start: number; end: number }>;
  /** Position of its passage; default: position of this text in the list. */
  passage?: number;
}>;

/** Minimum share of a sentence's content words in the passages that it cites. */
const minShare = 0.62;
/** The same for passages that it does not cite. */
const minShareElsewhere = 0.8;
/** This many content words in a row at an end of a sentence are not from nowhere. */
const maxRun = 3;
const synonymWeight = 0.5;

/** Minimum share of the words in the text of passages, below their titles and headings. */
const minShareOfText = 0.3;
/** A shorter last line may be a name. */
const minLine = 2;
const maxSentenceChars = 1_200;
const maxUnitChars = 4_000;

const address = /\S{0,300}(?::\/\/|@)\S{0,2000}/g;
/** A value alone in a code span or a cell, whose unit is elsewhere. */
const bareValue = /(?<=[`|]\s{0,9})\d{1,15}(?:\.\d{1,9})?(?=\s{0,9}[`|])/g;

function read({ text, context, language, section }: EvidenceText, passage: number) {
  const { start: from, end: to } = section ?? { start: 0, end: text.length };
  const own = text.slice(from, to);
  const units = [...segments(own)].map(({ kind, start: at, end, header }) => {
    const start = at + from;
    const said = own.slice(at, Math.min(end, at + maxUnitChars));
    const above = header ? own.slice(header.start, header.end) : '';
    const stems = new Set(terms(`${above} ${said}`, language));
    const figures = lazy(() => figuresOf(said.normalize('NFKC'), language));
    return { kind, start, end: end + from, passage, language, stems, figures };
  });
  const written = `${context}\n${own}`.normalize('NFKC');
  const figures = lazy(() => figuresOf(written, language));
  const ownStems = new Set(units.flatMap(({ stems }) => [...stems]));
  const measures = () => [
    ...unitsOf(rawWords(written), language).flat(),
    ...figures().flatMap((figure) => [...figure.units]),
  ];
  return {
    text,
    written,
    language,
    passage,
    units,
    ownStems,
    stems: new Set([...terms(context, language), ...ownStems]),
    figures,
    bareValues: lazy((): readonly string[] => own.match(bareValue) ?? []),
    /** Units, days and months, with or without a figure. */
    measures: lazy(() => new Set(measures())),
    // An address in a title proves nothing.
    exact: lazy(() => exactTextOf(`${context.replace(address, ' ')}\n${own}`)),
  };
}
type Reading = ReturnType<typeof read>;

const readings = new WeakMap<EvidenceText, Reading>();
const readingsOf = (evidence: readonly EvidenceText[]) =>
  evidence.map((one, order) => {
    const known = readings.get(one) ?? read(one, one.passage ?? order);
    readings.set(one, known);
    return known;
  });

/** A content word: its terms, the whole word first. */
type Word = readonly string[];

const figureOnly = /^[\p{N}.,:/-]+$/u;
const linkTarget = /\]\([^)]{0,2000}\)/g;
/** `every day`, `a few minutes`: people say so without a count. */
const shortTimes = new Set(['s', 'minute', 'hour', 'day']);
/** Says what kind of days or hours a figure counts; without one, it is a word as others. */
const workingTime = 'business';

/** A particle or an ending is no content word. */
const unspacedWords = (run: string) =>
  hasUnspaced(run)
    ? [...segmented(run)].filter((word) => word.length > 1 && !/^[\p{scx=Hiragana}]+$/u.test(word))
    : [run];

/** Units, days and months without a figure: `on Sundays`, `yearly`. */
function freeMeasures(text: string, figures: readonly Figure[], language: Language) {
  const named = unitsOf(rawWords(text.replace(/^\W*May\s/, '')), language).flat();
  const counted = figures.flatMap(({ units, scale }) => [...units, scale]);
  return named.filter(
    (measure) => !shortTimes.has(measure) && measure !== workingTime && !counted.includes(measure),
  );
}

/** @param said language of a sentence that does not show it */
function readStatement(sentence: string, language: Language, said = language) {
  const text = withoutYesOrNo(sentence.normalize('NFKC')).replace(linkTarget, '] ');
  const { numberOf } = measuresOf(language);
  const isContent = (word: string) =>
    !figureOnly.test(word) &&
    numberOf(word) === undefined &&
    !isStopWord(word, language) &&
    !isJoiningWord(word, language);
  const wordsOf = (line: string) =>
    [...wordMatches(line)].flatMap(([word]) => scriptRuns(word).flatMap(unspacedWords));
  const written = text.split(/\n|\.{3}/).map((line) => wordsOf(line).filter(isContent));
  const lines = written.map((line) =>
    line
      .map((word): Word => termsOf(word, language).filter((term) => term !== ''))
      .filter((stems) => stems.length > 0),
  );
  // A translation has the number words of its own language, and the marks of either.
  const own = languageOf(text, said);
  const figures = figuresOf(text, own);
  const words = lines.flat();
  return {
    /** Its content words as written. */
    said: written.flat().join(' '),
    /** Fractions and Roman numbers of one character, which have no other value than themselves. */
    signs: sentence.match(/[\p{Nl}¼-¾⅐-⅞]/gu) ?? [],
    words,
    figures,
    otherFigures: own === language ? [] : figuresOf(text, own, language),
    measures: freeMeasures(text, figures, language),
    /** Number of words behind its last line break or ellipsis. */
    lastLine: lines.length > 1 ? (lines.at(-1)?.length ?? 0) : 0,
    isEmpty: words.length === 0 && figures.every(({ units }) => units.size === 0),
  };
}
type Statement = ReturnType<typeof readStatement>;

const isStated = (figure: Figure, stated: readonly Figure[]) =>
  stated.some((one) => isSameFigure(figure, one));

/** How well stems hold a word, 0 to 1: as a whole, by its parts or by a synonym. */
function heldBy([whole = '', ...parts]: Word, stems: ReadonlySet<string>, language: Language) {
  const isHeld = (stem: string) => stems.has(stem);
  if (isHeld(whole)) return 1;
  const held = parts.filter(isHeld).length / Math.max(1, parts.length);
  return held || (lexiconSynonyms(language).of(whole).some(isHeld) ? synonymWeight : 0);
}

/** Finds the sentence as whole units of a passage: a part of a unit could omit its `not`. */
function verbatimIn({ text, passage, units }: Reading, sentence: string) {
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
function placesOf({ words, figures }: Statement, some: readonly Reading[]) {
  const units = some.flatMap((one) => one.units);
  const places: Place[] = [];
  let left = { words, figures };
  for (const least of [0, 1.5]) {
    const gains = units.map(({ stems, language, figures: stated }) => {
      const said = left.figures.filter((figure) => isStated(figure, stated()));
      return left.words.reduce((sum, word) => sum + heldBy(word, stems, language), 2 * said.length);
    });
    const most = gains.reduce((one, other) => Math.max(one, other), least);
    const best = units[gains.indexOf(most)];
    if (!best || most === least) break;
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
 * unit. For sentences in other words or another language. @param sections of one passage
 */
export function placeIn(sections: readonly EvidenceText[], sentence: string): Place | undefined {
  const some = readingsOf(sections);
  const [best] = placesOf(readStatement(sentence, some[0]?.language ?? 'en'), some);
  const [first] = some.flatMap(({ units }) => units);
  return best ?? (first && { passage: first.passage, start: first.start, end: first.end });
}

/** How well passages hold each word. */
const sharesOf = (words: readonly Word[], some: readonly Reading[], stems: 'stems' | 'ownStems') =>
  words.map((word) => Math.max(...some.map((one) => heldBy(word, one[stems], one.language))));

const meanOf = (values: readonly number[]) =>
  values.length === 0 ? 1 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whether passages have the figures of a statement, and its units, days and months. */
function holdFigures({ figures, otherFigures, measures }: Statement, some: readonly Reading[]) {
  const isHeld = (figure: Figure) =>
    some.some((one) => isStated(figure, one.figures()) || one.bareValues().includes(figure.value));
  const isNamed = (measure: string) => some.some((one) => one.measures().has(measure));
  const areHeld = figures.every((one, at) => isHeld(one) || isHeld(otherFigures[at] ?? one));
  return areHeld && measures.every(isNamed);
}

/** Whether cited passages have the letters and figures of a sentence. @param sections of them */
export function holdsLetters(
  sections: readonly EvidenceText[],
  sentence: string,
  said?: Language,
): boolean {
  const some = readingsOf(sections);
  const statement = readStatement(sentence, some[0]?.language ?? 'en', said);
  const exact = exactPartsOf(sentence);
  return holdFigures(statement, some) && some.some((one) => holdsExactParts(exact, one.exact));
}

const scriptPatterns = 'Arabic Cyrillic Devanagari Greek Han Hangul Hebrew Latin Thai'
  .split(' ')
  .map((name) => new RegExp(`\\p{Script=${name}}{2}`, 'u'));
const scriptsIn = (text: string) => scriptPatterns.filter((one) => one.test(text));

/** Whether a sentence adds words in a script that no passage has to words in one that they have. */
function addsScript(text: string, some: readonly Reading[]) {
  const own = scriptsIn(text.replace(chineseNumbers, ' '));
  if (own.length < 2) return false;
  const isKnown = (script: RegExp) => some.some(({ written }) => script.test(written));
  return own.some(isKnown) && !own.every(isKnown);
}

/** Whether an end of a sentence, or its last line, is from nowhere. @param held share of each word */
function hasNewEnd({ lastLine }: Statement, held: readonly number[]) {
  const isNew = (end: readonly number[], least: number) =>
    end.length >= least && end.every((one) => one === 0);
  if (lastLine > 0 && isNew(held.slice(-lastLine), minLine)) return true;
  return isNew(held.slice(0, maxRun), maxRun) || isNew(held.slice(-maxRun), maxRun);
}

const verdict = (reason?: Reason, score = 0, places: readonly Place[] = []) =>
  ({ reason, score, places }) satisfies Verified;

/** The verdict of the rules on a sentence that is not verbatim. */
function judge(statement: Statement, exact: ExactParts, some: readonly Reading[], least: number) {
  if (statement.isEmpty) return verdict('empty');
  const held = sharesOf(statement.words, some, 'stems');
  const score = Math.min(0.99, meanOf(held));
  if (!some.some((one) => holdsExactParts(exact, one.exact))) return verdict('exact', score);
  const hasSigns = statement.signs.every((sign) => some.some(({ text }) => text.includes(sign)));
  if (!hasSigns || !holdFigures(statement, some)) return verdict('figure', score);
  if (addsScript(statement.said, some)) return verdict('score', score);
  const inText = meanOf(sharesOf(statement.words, some, 'ownStems'));
  const isHeld = meanOf(held) >= least && inText >= minShareOfText;
  const isKept = isHeld && !hasNewEnd(statement, held);
  return verdict(isKept ? undefined : 'score', score, placesOf(statement, some));
}

/**
 * @param passages sections with the position of their passage
 * @param said language of sentences that do not show theirs; default: that of the passages
 * @returns a function; `pointed` are positions of passages that the sentence cites
 */
export function createVerifier(passages: readonly EvidenceText[], said?: Language) {
  const all = lazy(() => readingsOf(passages));
  return (sentence: string, pointed: readonly number[] = []): Verified => {
    if (sentence === '') return verdict('empty');
    if (sentence.length > maxSentenceChars || !isSafe(sentence)) return verdict('markup');
    const statementIn = perLanguage((language) => readStatement(sentence, language, said));
    const exact = exactPartsOf(sentence);
    const check = (some: readonly Reading[], least: number) => {
      // The `Yes.` of a passage answers another question.
      const own = isOpener(sentence) ? [] : some;
      const [verbatim] = own.flatMap((reading) => verbatimIn(reading, sentence) ?? []);
      if (verbatim) return verdict(undefined, 1, [verbatim]);
      if (!some[0]) return verdict('score');
      return judge(statementIn(some[0].language), exact, some, least);
    };
    const given = all().filter(({ passage }) => pointed.includes(passage));
    const cited = given.length > 0 ? check(given, minShare) : undefined;
    if (cited && cited.reason === undefined) return cited;
    const found = check(all(), cited ? minShareElsewhere : minShare);
    return found.reason === undefined || !cited ? found : cited;
  };
}
