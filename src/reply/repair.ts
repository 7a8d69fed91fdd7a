/**
 * Replaces an unsupported sentence by the best unit (sentence, item, row, code) of its cited
 * passages, verbatim.
 */
import { readStatement, type Statement } from '../../packages/grounding/src/rules.ts';
import type { Place } from '../../packages/grounding/src/rules.ts';
import type { PassageReading, PassageUnit } from '../../packages/grounding/src/reading.ts';
import type { ReplySentence } from '../../packages/grounding/src/reply-reader.ts';
import { readingOf } from '../../packages/grounding/src/rules.ts';
import { isSameFigure } from '../../packages/shared/src/language/figures.ts';
import { terms } from '../../packages/shared/src/language/tokens.ts';
import type { CheckedPassage } from './checked-passage.ts';
import { textsOf } from './closest.ts';
import { holdsKind, kindOf } from './question-kind.ts';
import { type AskedQuestion, isQuotable, shareOf, type Unit, unitsFor } from './rank-units.ts';

/**
 * Minimum share of the sentence's content words in a unit with its context (`minShare`) and in the
 * unit itself.
 */
const minShare = 0.33;
const minOwnShare = 0.15;
const kindWeight = 0.1;
const figureWeight = 1;
const positionPenalty = 0.02;
const maxUnitChars = 450;

type RepairUnit = Readonly<{ text: string; place: Place; kind: PassageUnit['kind'] }>;

interface Candidate extends RepairUnit {
  readonly score: number;
}

function candidatesIn(
  reading: PassageReading,
  statement: Statement,
  { kind }: ReplySentence,
  order: number,
): Candidate[] {
  const { units, meets, text } = reading;
  const { words } = statement;
  const shareMet = (stems: ReadonlySet<string>) =>
    words.reduce((sum, word) => sum + meets(word, stems), 0) / Math.max(1, words.length);
  const wanted = statement.clauses.flatMap(({ figures }) => figures);
  const shareStated = (position: number) => {
    const stated = reading
      .clauses()
      .flatMap(({ unit, figures }) => (unit === position ? figures : []));
    return (
      wanted.filter((figure) => stated.some((one) => isSameFigure(figure, one))).length /
      Math.max(1, wanted.length)
    );
  };
  return units.flatMap((unit, position) => {
    const own = text.slice(unit.start, unit.end);
    const [share, ownShare] = [shareMet(unit.context), shareMet(unit.stems)];
    const isOtherKind = (kind === 'code') !== (unit.kind === 'code');
    const figures = wanted.length === 0 ? 0 : shareStated(position) * figureWeight;
    // A shared figure without shared words is not enough.
    if (
      isOtherKind ||
      share === 0 ||
      share + figures < minShare ||
      ownShare + figures < minOwnShare ||
      own.length > maxUnitChars ||
      !isQuotable(own, unit)
    )
      return [];
    const score =
      share + ownShare + figures + (kind === unit.kind ? kindWeight : 0) - order * positionPenalty;
    return [
      {
        text: own,
        kind: unit.kind,
        place: { passage: unit.passage, start: unit.start, end: unit.end },
        score,
      },
    ];
  });
}

/** Returns units that can replace a sentence, best first. @param positions cited passages */
export function repairsFor(
  sentence: ReplySentence,
  positions: readonly number[],
  passages: readonly CheckedPassage[],
): RepairUnit[] {
  const candidates = positions.flatMap((position, order) =>
    (passages[position]?.sections ?? []).flatMap((section) => {
      const statement = readStatement(sentence.text, section.language);
      return statement.words.length === 0
        ? []
        : candidatesIn(readingOf(section, position), statement, sentence, order);
    }),
  );
  return candidates.sort((a, b) => b.score - a.score);
}

// If a dropped sentence contained the requested fact, the best unit that states it is added. Units
// are ranked as in answers without a model.

export interface Remaining {
  readonly shown: readonly string[];
  /** Sentences of the model that were removed without replacement. */
  readonly dropped: readonly string[];
  /** Whether the first sentence was dropped, which usually answers directly. */
  readonly isFirstDropped: boolean;
}

const reliableKinds = new Set(['price', 'time', 'number']);

/** Whether the answer lacks the asked fact after sentences were dropped. */
export function isAskedMissing(
  { text }: AskedQuestion,
  { shown, dropped, isFirstDropped }: Remaining,
): boolean {
  const kind = kindOf(text);
  if (kind !== undefined && reliableKinds.has(kind))
    return !shown.some((sentence) => holdsKind(kind, text, sentence));
  return isFirstDropped && dropped.length > 0;
}

/** Minimum share of the question's words that a unit with its headings contains. */
const minAskedShare = 0.5;
const droppedWeight = 0.5;

/** Returns the best unit that states the asked fact and is not shown yet. */
export function askedUnit(
  passages: readonly CheckedPassage[],
  { text, asked }: AskedQuestion,
  { dropped }: Remaining,
  isShown: (place: Place) => boolean,
): { readonly unit: Unit; readonly place: Place } | undefined {
  const known = asked.filter(({ idf }) => idf > 0);
  if (known.length === 0) return undefined;
  const lost = new Set(dropped.flatMap((sentence) => [...terms(sentence, 'en')]));
  const lostIn = ({ text: own }: Unit) =>
    lost.size === 0 ? 0 : new Set(terms(own, 'en')).intersection(lost).size / lost.size;
  const placeOf = ({ position, segment: { start, end } }: Unit) => ({
    passage: position,
    start,
    end,
  });
  const fitting = unitsFor(textsOf(passages), { text, asked: known }).filter(
    (unit) =>
      unit.hasKind &&
      unit.isAbout &&
      isQuotable(unit.text, unit.segment) &&
      shareOf(unit.said, known) >= minAskedShare &&
      !isShown(placeOf(unit)),
  );
  const [best] = fitting
    .map((unit) => ({ unit, score: unit.score + droppedWeight * lostIn(unit) }))
    .toSorted((a, b) => b.score - a.score);
  return best && { unit: best.unit, place: placeOf(best.unit) };
}
