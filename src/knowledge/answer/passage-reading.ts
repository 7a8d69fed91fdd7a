/**
 * A passage as the judge of support reads it: its units, the clauses of each with what they carry on from the clause before, and the
 * names that it holds. Clauses are read when they are first asked for: most passages say nothing of a sentence.
 */
import type { Language } from '../text/languages.ts';
import { synonymousPhrases } from '../text/synonyms.ts';
import { type Unit, units } from '../text/units.ts';
import { rawWords, terms, termsOf } from '../text/words.ts';
import { type Acronyms, acronymsIn } from './acronyms.ts';
import { type Clause, clausesOf } from './statement.ts';
import { joinTurns, noTurns, type Turns } from './turns.ts';
import { createWordMatch, type Meets } from './word-match.ts';

/** A clause of a passage. */
export interface Spoken extends Clause {
  /** Which unit of the passage it is of. */
  readonly piece: number;
  /** Stems of the clause before, or of the table's header: what it may carry on. */
  readonly before: ReadonlySet<string>;
  /** The clause that it does carry on, and what turns that. */
  readonly last: Clause | undefined;
  readonly inherited: Turns;
}

/** A unit of a passage. */
export interface Piece {
  readonly unit: Unit;
  /** Stems of its words and of what may stand for its phrases. */
  readonly terms: ReadonlySet<string>;
  clauses(): readonly Spoken[];
  /** What turns any of its clauses. */
  turns(): Turns;
}

export interface PassageReading {
  readonly pieces: readonly Piece[];
  /** Stems of title and headings. */
  readonly given: ReadonlySet<string>;
  /** Those and the stems of all its units. */
  readonly vocabulary: ReadonlySet<string>;
  readonly meets: Meets;
  clauses(): readonly Spoken[];
  /** Stems of words that are names inside a sentence. */
  names(): ReadonlySet<string>;
  /** Stems of words that also stand there without a capital. */
  lowered(): ReadonlySet<string>;
  /** What it writes in capitals, and the initials of its names. */
  acronyms(): Acronyms;
  /** Units and days that title and headings name. */
  givenMeasures(): ReadonlySet<string>;
}

/** What a unit holds beyond is not looked at. */
const maxUnitChars = 4_000;
const maxListItems = 40;

/** A part that is worked out once, when it is first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Where a sentence ends inside a unit: `is red . Its roof`, `is red.Its roof`. */
const innerStop = /(?<= )[.!?] (?=["(]?\p{Lu})|(?<=\p{Ll}{2})[.!?](?=\p{Lu}\p{Ll})/gu;

/** Units of prose as sentences, also where nobody wrote the spaces by which they are told. */
function* statementsOf(passage: string): Generator<Unit> {
  for (const unit of units(passage)) {
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

export function readPassage(passage: string, context: string, language: Language): PassageReading {
  const vocabulary = new Set<string>();
  const given = new Set(terms(context, language));
  for (const stem of given) vocabulary.add(stem);

  const pieces: readonly Piece[] = [...statementsOf(passage)].map((unit, position) => {
    const text = passage.slice(unit.start, Math.min(unit.end, unit.start + maxUnitChars));
    const words = rawWords(text);
    const own = new Set<string>();
    for (const word of words) for (const stem of termsOf(word, language)) own.add(stem);
    for (const { stems } of synonymousPhrases(words, language)) for (const stem of stems) own.add(stem);
    for (const stem of own) vocabulary.add(stem);
    const clauses = once(() => spokenOf(unit, position, text));
    return { unit, terms: own, clauses, turns: once(() => clauses().reduce((all, { turns }) => joinTurns(all, turns), noTurns)) };
  });

  function spokenOf(unit: Unit, position: number, text: string): readonly Spoken[] {
    const clauses = clausesOf(text.normalize('NFKC'), language, unit.kind !== 'row' && unit.kind !== 'code');
    const header = new Set(unit.header ? terms(passage.slice(unit.header.start, unit.header.end), language) : []);
    for (const stem of header) vocabulary.add(stem);
    return clauses.map((clause, order) => {
      const lead = order === 0 ? leadOf(position) : undefined;
      const before = clauses[order - 1] ?? lead ?? (clause.continues ? pieces[position - 1]?.clauses()[0] : undefined);
      const last = clause.continues || lead ? before : undefined;
      return {
        ...clause,
        turns: lead?.turns.denies ? { ...clause.turns, denies: true } : clause.turns,
        continues: last !== undefined,
        piece: position,
        before: before?.terms ?? header,
        last,
        inherited: last?.turns ?? noTurns,
      };
    });
  }

  /** What stands above a list, and is said of each of its items. */
  function leadOf(position: number): Clause | undefined {
    for (let above = position - 1; above >= 0 && position - above < maxListItems; above--) {
      const unit = pieces[above]?.unit;
      if (unit && /[:：]$/.test(passage.slice(unit.end - 1, unit.end))) return pieces[above]?.clauses().at(-1);
      if (unit?.kind !== 'item') return undefined;
    }
    return undefined;
  }

  const clauses = once(() => pieces.flatMap((piece) => piece.clauses()));
  const stemsWhere = (holds: (word: Clause['words'][number]) => boolean) =>
    once(() => new Set(clauses().flatMap(({ words }) => words.filter(holds).map(({ term }) => term))));
  return {
    pieces,
    given,
    vocabulary,
    meets: createWordMatch(vocabulary, language),
    clauses,
    names: stemsWhere(({ isName }) => isName),
    lowered: stemsWhere(({ isCapital }) => !isCapital),
    acronyms: once(() => acronymsIn(`${context}\n${passage}`)),
    givenMeasures: once(() => new Set(clausesOf(context.normalize('NFKC'), language).flatMap(({ measures }) => [...measures]))),
  };
}
