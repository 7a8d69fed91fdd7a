/**
 * A passage as the judge reads it: the words of its units, and the clauses of each with what they carry on. Clauses are read when they
 * are first asked for: most passages say nothing of a sentence.
 */
import { once } from '../concurrency/once.ts';
import type { Language } from '../language/languages.ts';
import { segments, type TextSegment } from '../language/segments.ts';
import { lexiconSynonyms } from '../language/synonyms.ts';
import { rawWords, terms, termsOf } from '../language/tokens.ts';
import { type Clause, clausesOf, type TellingWord } from './statement.ts';

/** A clause of a passage. */
export interface PassageClause extends Clause {
  /** Position of its unit. */
  readonly unit: number;
  /** What it carries on: the clause before it in its sentence, the sentence before for a pronoun. */
  readonly last: Clause | undefined;
  /** Stems of that. */
  readonly before: ReadonlySet<string>;
}

export interface PassageUnit extends TextSegment {
  /** Stems of its words, and of those of its table's header. */
  readonly stems: ReadonlySet<string>;
}

export interface PassageReading {
  readonly units: readonly PassageUnit[];
  /** Stems of title and headings. */
  readonly headings: ReadonlySet<string>;
  /** Those and the stems of all units. */
  readonly stems: ReadonlySet<string>;
  clauses(): readonly PassageClause[];
  /** Stems of words that are names inside a sentence. */
  names(): ReadonlySet<string>;
  /** How well some stems have a word: itself, its parts, or a synonym; 0 to 1. */
  meets(word: TellingWord, stems: ReadonlySet<string>): number;
  /** Share of some words that a clause has, or what it carries on. */
  shareOf(words: readonly TellingWord[], clause: PassageClause): number;
}

/** What a word counts that stands in what a clause carries on. */
const carriedShare = 0.6;
/** What a unit holds beyond is not looked at. */
const maxUnitChars = 4_000;

/** Where a sentence ends inside a unit: `is red . Its roof`, `is red.Its roof`. */
const innerStop = /(?<= )[.!?] (?=["(]?\p{Lu})|(?<=\p{Ll}{2})[.!?](?=\p{Lu}\p{Ll})/gu;

/** Units of prose as sentences, also where nobody wrote the spaces by which they are told. */
function* unitsOf(passage: string): Generator<TextSegment> {
  for (const unit of segments(passage)) {
    let from = unit.start;
    if (unit.kind === 'sentence') {
      for (const { index } of passage.slice(unit.start, unit.end).matchAll(innerStop)) {
        const to = unit.start + index + 1;
        yield { ...unit, start: from, end: to };
        from = to + (passage.charAt(to) === ' ' ? 1 : 0);
      }
    }
    yield from === unit.start ? unit : { ...unit, start: from };
  }
}

/** What a word counts that is met by a synonym. */
const synonymShare = 0.5;

/** For each part of a word the stems of the passage that stand for it. */
function createWordMatch(stems: ReadonlySet<string>, language: Language): PassageReading['meets'] {
  const known = new Map<string, readonly string[]>();
  const shareOf = (part: string, held: ReadonlySet<string>) => {
    if (held.has(part)) return 1;
    const synonyms =
      known.get(part) ??
      lexiconSynonyms(language)
        .of(part)
        .filter((stem) => stems.has(stem));
    known.set(part, synonyms);
    return synonyms.some((stem) => held.has(stem)) ? synonymShare : 0;
  };
  return ({ term, parts }, held) => (held.has(term) ? 1 : parts.reduce((sum, part) => sum + shareOf(part, held), 0) / parts.length);
}

export function readPassage(passage: string, context: string, language: Language): PassageReading {
  const headings = new Set(terms(context, language));
  const units = [...unitsOf(passage)].map((unit): PassageUnit => {
    const words = rawWords(passage.slice(unit.start, Math.min(unit.end, unit.start + maxUnitChars)));
    const header = unit.header ? terms(passage.slice(unit.header.start, unit.header.end), language) : [];
    return { ...unit, stems: new Set([...words.flatMap((word) => termsOf(word, language)), ...header]) };
  });
  const stems = new Set([...headings, ...units.flatMap((unit) => [...unit.stems])]);
  const meets = createWordMatch(stems, language);
  const clauses = once(() => passageClauses(passage, units, language));
  return {
    units,
    headings,
    stems,
    meets,
    clauses,
    names: once(() => new Set(clauses().flatMap(({ words }) => words.filter(({ isName }) => isName).map(({ term }) => term)))),
    shareOf(words, clause) {
      const held = words.map((word) => Math.max(meets(word, clause.stems), carriedShare * meets(word, clause.before)));
      return held.reduce((sum, share) => sum + share, 0) / Math.max(1, words.length);
    },
  };
}

function passageClauses(passage: string, units: readonly PassageUnit[], language: Language): readonly PassageClause[] {
  const byUnit = units.map(({ start, end, kind }) =>
    clausesOf(passage.slice(start, Math.min(end, start + maxUnitChars)).normalize('NFKC'), language, kind === 'row' || kind === 'code'),
  );
  return byUnit.flatMap((clauses, unit) =>
    clauses.map((clause, order): PassageClause => {
      const last = clauses[order - 1] ?? (clause.pointsBack ? byUnit[unit - 1]?.[0] : undefined);
      return { ...clause, unit, last, before: last?.stems ?? new Set() };
    }),
  );
}
