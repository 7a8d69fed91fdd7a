/**
 * Sentences and passages as the judge reads them. A sentence → its clauses with their telling words, figures and units, and its parts, each
 * denied or not; a passage → its units with their words, and the same of each when it is first asked for: most passages say nothing of a
 * sentence.
 */
import { once } from '../concurrency/once.ts';
import { type Figure, figuresOf, impliedFigures, measuresOf, unitsOf } from '../language/figures.ts';
import { fold, isStopWord, type Language } from '../language/languages.ts';
import { lexiconEntries, lexiconGroups } from '../language/lexicon.ts';
import { perLanguage } from '../language/per-language.ts';
import { innerStops, segments, type TextSegment } from '../language/segments.ts';
import { lexiconSynonyms } from '../language/synonyms.ts';
import { hasUnspaced, isNameAt, rawWords, terms, termsOf, wordMatches } from '../language/tokens.ts';
import { type ExactParts, type ExactText, exactPartsOf, exactTextOf } from './checks/exact-parts.ts';
import { figureKey, type Polarity, polarityOf, wordKey } from './checks/polarity.ts';

/** A word that tells something: no stop word, no word that only says how an answer is put, no figure, no unit. */
export interface TellingWord {
  readonly term: string;
  readonly written: string;
  /** Of a compound; any of a plain word is the word. */
  readonly parts: readonly string[];
  readonly isName: boolean;
  /** Written with a capital, which may be because a sentence begins with it. */
  readonly isCapital: boolean;
}

export interface Clause {
  readonly words: readonly TellingWord[];
  readonly stems: ReadonlySet<string>;
  readonly figures: readonly Figure[];
  /** Units and days, with a figure and without. */
  readonly measures: ReadonlySet<string>;
}

/** Of one sentence: what lies beyond in a text without a stop is not compared. */
const maxClauses = 100;
/** Pairs of characters that are endings and particles. */
const kanaPair = /^\p{Script=Hiragana}+$/u;
const figureOnly = /^[\p{N}.,:/-]+$/u;
/** A figure, or a figure and what it counts, in characters. */
const figureStart = /^(?:[〇一二两三四五六七八九十百千万]|\p{N}+$)/u;

/** Words of how an answer is put, and words that deny, which are looked at by themselves. */
const silentOf = perLanguage((language) => new Set([...lexiconEntries(language, 'discourse'), ...lexiconEntries(language, 'negations')]));
/** A sentence that begins so speaks of what the sentence before it speaks of. */
const pointsBack = /^\W*(?:it|they|he|she|this|these|those|es|sie|er|dies|diese|ils?|elles?|ce|est[eo]s?|ellos)(?!\p{L})/iu;

/** Words before which a clause begins, as a pattern. @param isPart those before which only a part of one begins too */
function jointWords(language: Language, isPart: boolean): string {
  const own = lexiconGroups(language, 'joints');
  const groups = own.length > 0 ? own : lexiconGroups('en', 'joints');
  const words = groups.flatMap(({ name, sides }) => (isPart || name !== 'part' ? sides.flat() : []));
  return words.sort((a, b) => b.length - a.length).join('|');
}

const jointPattern = perLanguage(
  (language) => new RegExp(`[;()、，；：。]|[,:–—](?=\\s)|\\s-\\s|(?<=\\s)(?:${jointWords(language, false)})(?=\\s)`, 'giu'),
);
/** `June 16, 1972` is one date and `80 and 100 mph` one range. */
const isBetweenFigures = (text: string, { 0: joint, index }: RegExpExecArray): boolean =>
  /^(?:[,–—]|\p{L}+)$/u.test(joint) &&
  /\d\s?$/.test(text.slice(Math.max(0, index - 2), index)) &&
  /^\s+\d/.test(text.slice(index + joint.length, index + joint.length + 4));

type RawWord = Readonly<{ written: string; index: number; stems: readonly string[]; units: readonly string[] }>;

/** `Anna Schmidt` is a name also where a sentence begins with it. */
const twoCapitals = /\p{Lu}\p{Ll}+ \p{Lu}\p{Ll}/uy;
/** Every German noun has a capital: a name is told by what stands before it. */
const germanTitle = /\b(?:Herrn?|Frau|Dr\.|Prof\.|Familie|Firma)\s$/;
const maxTitleChars = 10;
function isNameIn(text: string, { index, written }: RawWord, language: Language): boolean {
  twoCapitals.lastIndex = index;
  const isTitled = germanTitle.test(text.slice(Math.max(0, index - maxTitleChars), index));
  return isNameAt(text, index, written, language) || (language === 'de' ? isTitled : twoCapitals.test(text));
}

/** Of a script without spaces each pair of characters is a word. */
function tellingIn(word: RawWord, text: string, language: Language): TellingWord[] {
  const { written, stems, units } = word;
  const [term, ...parts] = stems;
  if (hasUnspaced(written))
    return stems
      .filter((stem) => !kanaPair.test(stem) && !figureStart.test(stem))
      .map((stem) => ({ term: stem, written: stem, parts: [stem], isName: false, isCapital: false }));
  const isFigure = units.length > 0 || figureOnly.test(written) || measuresOf(language).numberOf(written) !== undefined;
  const isCapital = /^\p{Lu}/u.test(written);
  const isName = isCapital && isNameIn(text, word, language);
  if (term === undefined || isFigure || isStopWord(written, language) || (!isName && silentOf(language).has(fold(written)))) return [];
  const ownParts = parts.filter((part) => !isStopWord(part, language));
  return [{ term, written, parts: ownParts.length > 0 ? ownParts : [term], isName, isCapital }];
}

/** Alone `second` is an order more often than a time. */
const perSecond = /(?:\bper |\/ ?)s(?:ec(?:ond)?)?\b/i;

const distinct = (words: readonly TellingWord[]) => [...new Map(words.map((word) => [word.term, word])).values()];

/** What a clause has to tell to be one by itself; what tells less stays with its neighbour. */
const minTelling = 2;

/** Where clauses begin. @param told where words and figures stand that tell something */
function clauseStarts(text: string, told: readonly number[], language: Language): number[] {
  const joints = [...text.matchAll(jointPattern(language))].filter((joint) => !isBetweenFigures(text, joint)).slice(0, maxClauses);
  const isTold = (from: number, to: number) => told.filter((at) => at >= from && at < to).length >= minTelling;
  const starts = [0];
  for (const [order, { index }] of joints.entries())
    if (isTold(starts.at(-1) ?? 0, index) && isTold(index, joints[order + 1]?.index ?? text.length)) starts.push(index);
  return starts;
}

/** @param text in NFKC @param isWhole a table row or code: one statement */
export function clausesOf(text: string, language: Language, isWhole = false): Clause[] {
  const found = [...wordMatches(text)];
  const written = found.map(([word]) => word);
  const units = unitsOf(written, language);
  const words = found.map(({ 0: word, index }, at) => ({ written: word, index, stems: termsOf(word, language), units: units[at] ?? [] }));
  const telling = words.map((word) => tellingIn(word, text, language));
  const figures = [...figuresOf(text, language), ...impliedFigures(text, language)];
  const told = [...telling.flatMap((some, position) => some.map(() => words[position]?.index ?? 0)), ...figures.map(({ at }) => at)];
  const starts = isWhole ? [0] : clauseStarts(text, told, language);
  return starts.map((start, order) => {
    const end = starts[order + 1] ?? text.length;
    const inside = text.slice(start, end);
    const isInside = (at: number) => at >= start && at < end;
    const ownWords = words.filter(({ index }) => isInside(index));
    const ownFigures = figures.filter(({ at }) => isInside(at));
    return {
      words: distinct(telling.flatMap((some, position) => (isInside(words[position]?.index ?? -1) ? some : []))),
      stems: new Set(ownWords.flatMap(({ stems }) => stems)),
      figures: ownFigures,
      measures: new Set([...ownWords, ...ownFigures].flatMap(({ units }) => [...units]).concat(perSecond.test(inside) ? 's' : [])),
    };
  });
}

/** A part of a sentence: what denies it denies each of its words, and no other part. */
export type Part = Readonly<{ stems: ReadonlySet<string>; polarity: Polarity }>;

/** What parts a text: stops, brackets, cells, and words that begin a part of a sentence. */
const partPattern = perLanguage(
  (language) => new RegExp(`[;:()|—、，；：。!?]|[.,–-](?=\\s)|(?<=\\s)(?=(?:${jointWords(language, true)})\\s)`, 'giu'),
);

const keyOf = (word: string, language: Language): string =>
  figureOnly.test(word) || measuresOf(language).numberOf(word) !== undefined ? figureKey : wordKey(word, language);

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

/** A sentence of an answer, read once for all the passages that it is held against. */
export interface Statement {
  readonly text: string;
  readonly clauses: readonly Clause[];
  readonly parts: readonly Part[];
  readonly words: readonly TellingWord[];
  readonly exact: ExactParts;
}

const linkTarget = /\]\([^)]{0,2000}\)/g;
/** `Yes, …` answers the question and says nothing of its own. */
const opener =
  /^\W{0,3}(?:yes|no|sure|certainly|of course|absolutely|correct|right|ja|nein|oui|non|s[ií]|はい|いいえ|是的|不是)[,.!:、，。！]\s*/iu;
/** `3.` at the end is the number of the next item. */
const nextItem = /[:.]\s+\d{1,2}\.$/;

export function readStatement(sentence: string, language: Language): Statement {
  const told = sentence.normalize('NFKC').replace(opener, '').replace(nextItem, '.');
  const clauses = clausesOf(told, language, told.includes(' | '));
  return {
    text: sentence,
    clauses,
    parts: partsOf(told, language),
    words: distinct(clauses.flatMap(({ words }) => words)),
    exact: exactPartsOf(sentence),
  };
}

export const tellingWordsOf = (text: string, language: Language): readonly TellingWord[] =>
  distinct(clausesOf(text.normalize('NFKC'), language, true).flatMap(({ words }) => words));

export interface PassageClause extends Clause {
  readonly unit: number;
  /** Stems of what it carries on: the clause before it in its sentence, the sentence before for a pronoun. */
  readonly before: ReadonlySet<string>;
}

export interface PassageUnit extends TextSegment {
  /** Stems of its words, and of those of its table's header. */
  readonly stems: ReadonlySet<string>;
  readonly written: string;
  /** Position of its passage, and where its section begins in it. */
  readonly passage: number;
  readonly section: number;
  /** Those, and the stems of what it is said under: headings, the sentence above its list, the sentence that a pronoun points to. */
  readonly context: ReadonlySet<string>;
  parts(): readonly Part[];
}

export interface PassageReading {
  readonly text: string;
  readonly written: string;
  readonly above: string;
  readonly units: readonly PassageUnit[];
  /** Where units and the sentences in them begin, each with its passage, and where they end. */
  edges(): { readonly starts: ReadonlyMap<number, number>; readonly ends: ReadonlySet<number> };
  readonly headings: ReadonlySet<string>;
  /** Those and the stems of all units. */
  readonly stems: ReadonlySet<string>;
  readonly language: Language;
  clauses(): readonly PassageClause[];
  exactText(units: ReadonlySet<number>): ExactText;
  /** How well some stems have a word: itself, its parts, or a synonym; 0 to 1. */
  meets(word: TellingWord, stems: ReadonlySet<string>): number;
  /** Share of some words that a clause has, or what it carries on. */
  shareOf(words: readonly TellingWord[], clause: PassageClause): number;
}

/** What a word counts that stands in what a clause carries on. */
const carriedShare = 0.6;
const maxUnitChars = 4_000;

/** Where a sentence ends inside a unit: `is red . Its roof`, `is red.Its roof`. */
const innerStop = /(?<= )[.!?] (?=["(]?\p{Lu})|(?<=\p{Ll}{2})[.!?](?=\p{Lu}\p{Ll})/gu;

/** Units of prose as sentences, also where nobody wrote the spaces by which they are told. */
const passageUnits = (passage: string): TextSegment[] =>
  [...segments(passage)].flatMap((unit) => {
    const stops = unit.kind === 'sentence' ? [...passage.slice(unit.start, unit.end).matchAll(innerStop)] : [];
    const ends = stops.map(({ index }) => unit.start + index + 1);
    const starts = [unit.start, ...ends.map((end) => (passage.charAt(end) === ' ' ? end + 1 : end))];
    return starts.map((start, order) => ({ ...unit, start, end: ends[order] ?? unit.end }));
  });

const shifted = ({ header, ...unit }: TextSegment, by: number): TextSegment => ({
  ...unit,
  start: unit.start + by,
  end: unit.end + by,
  ...(header && { header: { start: header.start + by, end: header.end + by } }),
});

/** What a word counts that is met by a synonym. */
const synonymShare = 0.5;

/** For each part of a word the stems of the passage that stand for it. */
function createWordMatch(stems: ReadonlySet<string>, language: Language): PassageReading['meets'] {
  const synonyms = lexiconSynonyms(language);
  const known = new Map<string, readonly string[]>();
  const shareOf = (part: string, held: ReadonlySet<string>) => {
    if (held.has(part)) return 1;
    const met = known.get(part) ?? synonyms.of(part).filter((stem) => stems.has(stem));
    known.set(part, met);
    return met.some((stem) => held.has(stem)) ? synonymShare : 0;
  };
  return ({ term, parts }, held) => (held.has(term) ? 1 : parts.reduce((sum, part) => sum + shareOf(part, held), 0) / parts.length);
}

function edgesOf({ text, units }: Pick<PassageReading, 'text' | 'units'>): ReturnType<PassageReading['edges']> {
  const starts = new Map<number, number>();
  const ends = new Set<number>();
  for (const { start, end, kind, passage } of units) {
    const unit = text.slice(start, end);
    const stops = kind === 'row' || kind === 'code' ? [] : innerStops(unit);
    for (const stop of [0, ...stops]) starts.set(start + stop + unit.slice(stop).search(/\S/), passage);
    for (const stop of [...stops, end - start]) ends.add(start + stop);
  }
  return { starts, ends };
}

type ReadParts = Pick<PassageReading, 'text' | 'written' | 'above' | 'units' | 'headings' | 'language' | 'clauses'>;

function toReading(parts: ReadParts): PassageReading {
  const stems = new Set([...parts.headings, ...parts.units.flatMap((unit) => [...unit.stems])]);
  const meets = createWordMatch(stems, parts.language);
  return {
    ...parts,
    stems,
    meets,
    edges: once(() => edgesOf(parts)),
    exactText: (chosen) =>
      exactTextOf(
        [
          parts.above,
          ...parts.units.flatMap((unit, at) =>
            chosen.has(at) || (unit.kind !== 'row' && (chosen.has(at - 1) || chosen.has(at + 1))) ? unit.written : [],
          ),
        ].join('\n'),
      ),
    shareOf(words, clause) {
      const held = words.map((word) => Math.max(meets(word, clause.stems), carriedShare * meets(word, clause.before)));
      return held.reduce((sum, share) => sum + share, 0) / Math.max(1, words.length);
    },
  };
}

/**
 * @param text in plain form
 * @param context title and headings: what they say counts as said, but alone it is no evidence
 * @param section the part of the text that is read; undefined: all of it
 */
export function readPassage(
  text: string,
  context: string,
  language: Language,
  passage = 0,
  { start: from, end: to }: { readonly start: number; readonly end: number } = { start: 0, end: text.length },
): PassageReading {
  const headings = new Set(terms(context, language));
  let [lead, last]: ReadonlySet<string>[] = [new Set(), new Set()];
  const found = passageUnits(text.slice(from, to)).map((unit) => shifted(unit, from));
  const units = found.map((unit): PassageUnit => {
    const own = text.slice(unit.start, Math.min(unit.end, unit.start + maxUnitChars));
    const header = unit.header ? text.slice(unit.header.start, unit.header.end) : '';
    const stems = new Set([...rawWords(own).flatMap((word) => termsOf(word, language)), ...terms(header, language)]);
    const above = unit.kind === 'item' ? lead : pointsBack.test(own) ? last : undefined;
    if (unit.kind !== 'item') lead = stems;
    last = stems;
    return {
      ...unit,
      written: `${header}\n${own}`,
      passage,
      section: from,
      stems,
      context: (above ? stems.union(above) : stems).union(headings),
      parts: once(() => partsOf(`${header} | ${own}`.normalize('NFKC'), language)),
    };
  });
  return toReading({
    text,
    written: `${context}\n${text.slice(from, to)}`,
    above: context,
    units,
    headings,
    language,
    clauses: once(() => passageClauses(text, units, language)),
  });
}

/** Two passages of one language as one, for a sentence that rests on both. */
export const joinReadings = (a: PassageReading, b: PassageReading): PassageReading =>
  toReading({
    text: '',
    written: `${a.written}\n\n${b.written}`,
    above: `${a.above}\n${b.above}`,
    units: [...a.units, ...b.units],
    headings: a.headings.union(b.headings),
    language: a.language,
    clauses: once(() => [...a.clauses(), ...b.clauses().map((clause) => ({ ...clause, unit: clause.unit + a.units.length }))]),
  });

/** A row says what stands over its columns; a figure alone in a cell is one of the units that its row names. */
function inRow({ measures, figures }: Clause, stems: ReadonlySet<string>, above: readonly string[]): Partial<Clause> {
  const named = measures.union(new Set(above));
  return { stems, measures: named, figures: figures.map((figure) => (figure.units.size > 0 ? figure : { ...figure, units: named })) };
}

function passageClauses(passage: string, units: readonly PassageUnit[], language: Language): readonly PassageClause[] {
  const none: ReadonlySet<string> = new Set();
  let lastUnit = none;
  return units.flatMap(({ start, end, kind, header, stems }, unit) => {
    const text = passage.slice(start, Math.min(end, start + maxUnitChars)).normalize('NFKC');
    const clauses = clausesOf(text, language, kind === 'row' || kind === 'code');
    const carried = pointsBack.test(text) ? lastUnit : none;
    lastUnit = clauses[0]?.stems ?? none;
    const above = header ? clausesOf(passage.slice(header.start, header.end).normalize('NFKC'), language, true) : [];
    const measures = above.flatMap((clause) => [...clause.measures]);
    return clauses.map((clause, order) => ({
      ...clause,
      ...(header ? inRow(clause, stems, measures) : {}),
      unit,
      before: clauses[order - 1]?.stems ?? carried,
    }));
  });
}
