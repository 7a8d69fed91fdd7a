/**
 * What stands in place of a sentence that the passages which it cites do not support: the unit of them that says what it is about, word for
 * word (a sentence, list item, table row, or short code block).
 */

import type { Place } from '../grounding/judge.ts';
import type { PassageReading, PassageUnit, Statement } from '../grounding/reading.ts';
import { readStatement } from '../grounding/reading.ts';
import { readingOf } from '../grounding/verify-sentences.ts';
import { isSameFigure } from '../language/figures.ts';
import type { CheckedPassage } from './checked-passage.ts';
import { isQuotable } from './rank-units.ts';
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

export interface RepairUnit {
  readonly text: string;
  readonly place: Place;
  readonly kind: PassageUnit['kind'];
}

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
