/** Whether what a sentence denies is denied in the units that bear it, or they say the opposite: scattered words prove no denial. */
import type { Part, PassageReading, Statement } from '../reading.ts';
import { contraryOf } from './polarity.ts';

export function denialsHold({ parts, words }: Statement, { units }: PassageReading, evidence: ReadonlySet<number>): boolean {
  const isTold = (stems: ReadonlySet<string>) => words.some(({ term }) => stems.has(term));
  const denied = parts.filter(({ stems, polarity: { denies, excepts } }) => denies && !excepts && isTold(stems));
  if (denied.length === 0) return true;
  const stated = units.flatMap((unit, position): readonly Part[] => (evidence.has(position) ? unit.parts() : []));
  // `Not open` is `closed`.
  const opposites = new Set(denied.flatMap(({ polarity }) => [...polarity.sides].map(contraryOf)));
  return stated.some(({ polarity: { denies, sides } }) => denies || !sides.isDisjointFrom(opposites));
}
