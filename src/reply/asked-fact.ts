/**
 * Whether an answer still holds what was asked after sentences of it were left out or replaced, and the unit of the passages that says it
 * where the answer does not: the same ranking by which answers without a model are found.
 */
import type { Place } from '../grounding/judge.ts';
import { terms } from '../language/tokens.ts';
import type { CheckedPassage } from './checked-passage.ts';
import { textsOf } from './closest.ts';
import { holdsKind, kindOf } from './question-kind.ts';
import { type AskedQuestion, isQuotable, shareOf, type Unit, unitsFor } from './rank-units.ts';

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
const minShare = 0.5;
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
      shareOf(unit.said, known) >= minShare &&
      !isShown(placeOf(unit)),
  );
  const [best] = fitting.map((unit) => ({ unit, score: unit.score + droppedWeight * heldOf(unit) })).toSorted((a, b) => b.score - a.score);
  return best && { unit: best.unit, place: placeOf(best.unit) };
}
