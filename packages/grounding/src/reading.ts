/**
 * Parses a passage for the judge: units with their words. Clauses and parts are parsed lazily,
 * because most passages are irrelevant to a sentence.
 */
import { lazy } from '../../shared/src/concurrency/lazy.ts';
import type { Language } from '../../shared/src/language/languages.ts';
import { innerStops, segments, type TextSegment } from '../../shared/src/language/segments.ts';
import { lexiconSynonyms } from '../../shared/src/language/synonyms.ts';
import { rawWords, terms, termsOf } from '../../shared/src/language/tokens.ts';
import { type ExactText, exactTextOf } from './checks/exact-parts.ts';
import { type Clause, type ClauseWord, clausesOf, type Part, partsOf } from './clauses.ts';

/** Matches a pronoun at the start of a sentence; it refers to the preceding sentence. */
const pointsBack =
  /^\W*(?:it|they|he|she|this|these|those|es|sie|er|dies|diese|ils?|elles?|ce|est[eo]s?|ellos)(?!\p{L})/iu;

export interface PassageClause extends Clause {
  readonly unit: number;
  /**
   * Stems of the preceding clause in its sentence, or of the preceding sentence if it begins with a
   * pronoun.
   */
  readonly before: ReadonlySet<string>;
}

export interface PassageUnit extends TextSegment {
  /** Stems of its words and of its table header. */
  readonly stems: ReadonlySet<string>;
  readonly written: string;
  /** Position of its passage, and offset of its section. */
  readonly passage: number;
  readonly section: number;
  /**
   * `stems`, the stems of its headings, and the stems of the sentence above its list or of the one
   * its pronoun refers to.
   */
  readonly context: ReadonlySet<string>;
  parts(): readonly Part[];
}

/** Start offsets of units and their sentences → passage, and end offsets. */
interface Edges {
  readonly starts: ReadonlyMap<number, number>;
  readonly ends: ReadonlySet<number>;
}

export interface PassageReading {
  readonly text: string;
  readonly written: string;
  readonly above: string;
  readonly units: readonly PassageUnit[];
  edges(): Edges;
  readonly headings: ReadonlySet<string>;
  /** `headings`, and the stems of all units. */
  readonly stems: ReadonlySet<string>;
  readonly language: Language;
  clauses(): readonly PassageClause[];
  exactText(units: ReadonlySet<number>): ExactText;
  /** Returns 0 to 1: how well the stems match a word, its parts or its synonyms. */
  meets(word: ClauseWord, stems: ReadonlySet<string>): number;
  /** Returns the share of the words in a clause, or in `before` with less weight. */
  shareOf(words: readonly ClauseWord[], clause: PassageClause): number;
}

const beforeWeight = 0.6;
const maxUnitChars = 4_000;

/** A sentence end inside a unit: `is red . Its roof`, `is red.Its roof`. */
const innerStop = /(?<= )[.!?] (?=["(]?\p{Lu})|(?<=\p{Ll}{2})[.!?](?=\p{Lu}\p{Ll})/gu;

/** Splits prose into sentences even if the space after a stop is missing. */
const passageUnits = (passage: string): TextSegment[] =>
  [...segments(passage)].flatMap((unit) => {
    const stops =
      unit.kind === 'sentence' ? [...passage.slice(unit.start, unit.end).matchAll(innerStop)] : [];
    const ends = stops.map(({ index }) => unit.start + index + 1);
    const starts = [
      unit.start,
      ...ends.map((end) => (passage.charAt(end) === ' ' ? end + 1 : end)),
    ];
    return starts.map((start, order) => ({ ...unit, start, end: ends[order] ?? unit.end }));
  });

const shifted = ({ header, ...unit }: TextSegment, by: number): TextSegment => ({
  ...unit,
  start: unit.start + by,
  end: unit.end + by,
  ...(header && { header: { start: header.start + by, end: header.end + by } }),
});

const synonymWeight = 0.5;

function createWordMatch(stems: ReadonlySet<string>, language: Language): PassageReading['meets'] {
  const synonyms = lexiconSynonyms(language);
  const known = new Map<string, readonly string[]>();
  const shareOf = (part: string, held: ReadonlySet<string>) => {
    if (held.has(part)) return 1;
    const met = known.get(part) ?? synonyms.of(part).filter((stem) => stems.has(stem));
    known.set(part, met);
    return met.some((stem) => held.has(stem)) ? synonymWeight : 0;
  };
  return ({ term, parts }, held) =>
    held.has(term) ? 1 : parts.reduce((sum, part) => sum + shareOf(part, held), 0) / parts.length;
}

function edgesOf({ text, units }: Pick<PassageReading, 'text' | 'units'>): Edges {
  const starts = new Map<number, number>();
  const ends = new Set<number>();
  for (const { start, end, kind, passage } of units) {
    const unit = text.slice(start, end);
    const stops = kind === 'row' || kind === 'code' ? [] : innerStops(unit);
    for (const stop of [0, ...stops])
      starts.set(start + stop + unit.slice(stop).search(/\S/), passage);
    for (const stop of [...stops, end - start]) ends.add(start + stop);
  }
  return { starts, ends };
}

type ReadParts = Pick<
  PassageReading,
  'text' | 'written' | 'above' | 'units' | 'headings' | 'language' | 'clauses'
>;

function toReading(parts: ReadParts): PassageReading {
  const stems = new Set([...parts.headings, ...parts.units.flatMap((unit) => [...unit.stems])]);
  const meets = createWordMatch(stems, parts.language);
  return {
    ...parts,
    stems,
    meets,
    edges: lazy(() => edgesOf(parts)),
    exactText: (chosen) =>
      exactTextOf(
        [
          parts.above,
          ...parts.units.flatMap((unit, at) =>
            chosen.has(at) || (unit.kind !== 'row' && (chosen.has(at - 1) || chosen.has(at + 1)))
              ? unit.written
              : [],
          ),
        ].join('\n'),
      ),
    shareOf(words, clause) {
      const held = words.map((word) =>
        Math.max(meets(word, clause.stems), beforeWeight * meets(word, clause.before)),
      );
      return held.reduce((sum, share) => sum + share, 0) / Math.max(1, words.length);
    },
  };
}

/**
 * @param text plain text, see `toPlainPassage`
 * @param context title and headings; they complete the evidence, but are not evidence on their own
 * @param section part of the text to read; default: all of it
 */
export function readPassage(
  text: string,
  context: string,
  language: Language,
  passage = 0,
  { start: from, end: to }: { readonly start: number; readonly end: number } = {
    start: 0,
    end: text.length,
  },
): PassageReading {
  const headings = new Set(terms(context, language));
  let [lead, last]: ReadonlySet<string>[] = [new Set(), new Set()];
  const found = passageUnits(text.slice(from, to)).map((unit) => shifted(unit, from));
  const units = found.map((unit): PassageUnit => {
    const own = text.slice(unit.start, Math.min(unit.end, unit.start + maxUnitChars));
    const header = unit.header ? text.slice(unit.header.start, unit.header.end) : '';
    const stems = new Set([
      ...rawWords(own).flatMap((word) => termsOf(word, language)),
      ...terms(header, language),
    ]);
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
      parts: lazy(() => partsOf(`${header} | ${own}`.normalize('NFKC'), language)),
    };
  });
  return toReading({
    text,
    written: `${context}\n${text.slice(from, to)}`,
    above: context,
    units,
    headings,
    language,
    clauses: lazy(() => passageClauses(text, units, language)),
  });
}

/** Joins two passages of one language, for a sentence that needs both. */
export const joinReadings = (a: PassageReading, b: PassageReading): PassageReading =>
  toReading({
    text: '',
    written: `${a.written}\n\n${b.written}`,
    above: `${a.above}\n${b.above}`,
    units: [...a.units, ...b.units],
    headings: a.headings.union(b.headings),
    language: a.language,
    clauses: lazy(() => [
      ...a.clauses(),
      ...b.clauses().map((clause) => ({ ...clause, unit: clause.unit + a.units.length })),
    ]),
  });

/**
 * Adds the stems and measures of the table header to a row; figures without a unit get the row's
 * measures.
 */
function clauseOfRow(
  { measures, figures }: Clause,
  stems: ReadonlySet<string>,
  above: readonly string[],
): Partial<Clause> {
  const named = measures.union(new Set(above));
  return {
    stems,
    measures: named,
    figures: figures.map((figure) =>
      figure.units.size > 0 ? figure : { ...figure, units: named },
    ),
  };
}

function passageClauses(
  passage: string,
  units: readonly PassageUnit[],
  language: Language,
): readonly PassageClause[] {
  const none: ReadonlySet<string> = new Set();
  let lastUnit = none;
  return units.flatMap(({ start, end, kind, header, stems }, unit) => {
    const text = passage.slice(start, Math.min(end, start + maxUnitChars)).normalize('NFKC');
    const clauses = clausesOf(text, language, kind === 'row' || kind === 'code');
    const carried = pointsBack.test(text) ? lastUnit : none;
    lastUnit = clauses[0]?.stems ?? none;
    const above = header
      ? clausesOf(passage.slice(header.start, header.end).normalize('NFKC'), language, true)
      : [];
    const measures = above.flatMap((clause) => [...clause.measures]);
    return clauses.map((clause, order) => ({
      ...clause,
      ...(header ? clauseOfRow(clause, stems, measures) : {}),
      unit,
      before: clauses[order - 1]?.stems ?? carried,
    }));
  });
}
