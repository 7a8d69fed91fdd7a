/** Whether the names of a sentence stand in the passage. */
import type { PassageReading, Statement } from '../reading.ts';

export const namesHold = ({ words }: Statement, { stems }: PassageReading): boolean =>
  words.every(({ isName, term, parts }) => !isName || stems.has(term) || parts.every((part) => stems.has(part)));
