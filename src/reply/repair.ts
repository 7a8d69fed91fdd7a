/** What stands in place of an unsupported sentence: the unit of its cited passages that says what it is about, word for word. */
import { readStatement, type Statement } from '../grounding/clauses.ts';
import type { Place } from '../grounding/judge.ts';
import type { PassageReading, PassageUnit } from '../grounding/reading.ts';
import { readingOf } from '../grounding/verify-sentences.ts';
import { isSameFigure } from '../language/figures.ts';
import { terms } from '../language/tokens.ts';
import type { CheckedPassage } from './checked-passage.ts';
import { textsOf } from './closest.ts';
import { holdsKind, kindOf } from './question-kind.ts';
import { type AskedQuestion, isQuotable, shareOf, type Unit, unitsFor } from './rank-units.ts';
import type { ReplySentence } from './reply-reader.ts';

/** Least share of the sentence's telling words that the unit holds, with what it is said under and without. */
const minShare = 0.33;
const minOwnShare = 0.15;
/** What the kind of the sentence adds, and its figures if the unit states them. */
const kindWeight = 0.1;
const figureWeight = 1;
/** What a passage's place among those that are cited takes away. */
const orderWeight = 0.02;
/** A longer unit is no short answer. */
const maxUnitChars = 450;

type RepairUnit = Readonly<{ text: string; place: Place; kind: PassageUnit['kind'] }>;

interface Candidate extends RepairUnit {
  readonly score: number;
}

function candidatesIn(reading: PassageReading, statement: Statement, { kind }: ReplySentence, order: number): Candidate[] {
  const { units, meets, text } = reading;
  const { words } = statement;
  const shareOf = (stems: ReadonlySet<string>) => words.reduce((sum, word) => sum + meets(word, stems), 0) / Math.max(1, words.length);
  const said = statement.clauses.flatMap(({ figures }) => figures);
  const statedIn = (position: number) => {
    const stated = reading.clauses().flatMap(({ unit, figures }) => (unit === position ? figures : []));
    return said.filter((figure) => stated.some((one) => isSameFigure(figure, one))).length / Math.max(1, said.length);
  };
  return units.flatMap((unit, position) => {
    const own = text.slice(unit.start, unit.end);
    const [share, ownShare] = [shareOf(unit.context), shareOf(unit.stems)];
    const isOther = (kind === 'code') !== (unit.kind === 'code');
    const figures = said.length === 0 ? 0 : statedIn(position) * figureWeight;
    // A figure tells nothing of what a sentence is about.
    if (
      isOther ||
      share === 0 ||
      share + figures < minShare ||
      ownShare + figures < minOwnShare ||
      own.length > maxUnitChars ||
      !isQuotable(own, unit)
    )
      return [];
    const score = share + ownShare + figures + (kind === unit.kind ? kindWeight : 0) - order * orderWeight;
    return [{ text: own, kind: unit.kind, place: { passage: unit.passage, start: unit.start, end: unit.end }, score }];
  });
}

export function repairsFor(sentence: ReplySentence, positions: readonly number[], passages: readonly CheckedPassage[]): RepairUnit[] {
  const candidates = positions.flatMap((position, order) =>
    (passages[position]?.sections ?? []).flatMap((section) => {
      const statement = readStatement(sentence.text, section.language);
      return statement.words.length === 0 ? [] : candidatesIn(readingOf(section, position), statement, sentence, order);
    }),
  );
  return candidates.sort((a, b) => b.score - a.score);
}

// Whether an answer still holds what was asked after sentences of it were left out or replaced, and the unit of the passages that says it
// where the answer does not: the same ranking by which answers without a model are found.

export interface Remaining {
  readonly shown: readonly string[];
  /** Sentences of the model that nothing stands for. */
  readonly dropped: readonly string[];
  /** Whether its first sentence, which answers directly, is among these. */
  readonly isFirstDropped: boolean;
}

/** Kinds that a sentence has or has not, whatever its words. */
const tellingKinds = new Set(['price', 'time', 'number']);

export function isAskedMissing({ text }: AskedQuestion, { shown, dropped, isFirstDropped }: Remaining): boolean {
  const kind = kindOf(text);
  if (kind !== undefined && tellingKinds.has(kind)) return !shown.some((sentence) => holdsKind(kind, text, sentence));
  return isFirstDropped && dropped.length > 0;
}

/** Least share of the question that a unit says with its headings. */
const minAskedShare = 0.5;
/** What the words of the sentences that were dropped add. */
const droppedWeight = 0.5;

/** The unit that says what was asked and is not shown yet. */
export function askedUnit(
  passages: readonly CheckedPassage[],
  { text, asked }: AskedQuestion,
  { dropped }: Remaining,
  isShown: (place: Place) => boolean,
): { readonly unit: Unit; readonly place: Place } | undefined {
  const known = asked.filter(({ idf }) => idf > 0);
  if (known.length === 0) return undefined;
  const lost = new Set(dropped.flatMap((sentence) => [...terms(sentence, 'en')]));
  const heldOf = ({ text: own }: Unit) => (lost.size === 0 ? 0 : new Set(terms(own, 'en')).intersection(lost).size / lost.size);
  const placeOf = ({ position, segment: { start, end } }: Unit) => ({ passage: position, start, end });
  const fitting = unitsFor(textsOf(passages), { text, asked: known }).filter(
    (unit) =>
      unit.hasKind &&
      unit.isAbout &&
      isQuotable(unit.text, unit.segment) &&
      shareOf(unit.said, known) >= minAskedShare &&
      !isShown(placeOf(unit)),
  );
  const [best] = fitting.map((unit) => ({ unit, score: unit.score + droppedWeight * heldOf(unit) })).toSorted((a, b) => b.score - a.score);
  return best && { unit: best.unit, place: placeOf(best.unit) };
}
