/** Whether what a sentence denies is denied in the units that bear it: scattered words prove no denial. */
import type { PassageReading, Statement } from '../reading.ts';

export function denialsHold({ parts, words }: Statement, { units }: PassageReading, evidence: ReadonlySet<number>): boolean {
  const isTold = (stems: ReadonlySet<string>) => words.some(({ term }) => stems.has(term));
  const isDenied = parts.some(({ stems, polarity: { denies, excepts } }) => denies && !excepts && isTold(stems));
  return !isDenied || units.some((unit, position) => evidence.has(position) && unit.parts().some(({ polarity }) => polarity.denies));
}
