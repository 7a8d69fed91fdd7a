/** Whether the names of a sentence stand in the passage, and two that stand together do so there. */
import { termsOf } from '../../language/tokens.ts';
import type { PassageReading, Statement } from '../reading.ts';

/** `Anna Schmidt`; a longer run is a list, or the name of an office. */
const pair = /(?<!\p{Lu}\p{Ll}{1,40} )(?<![\p{L}\p{N}])(\p{Lu}\p{Ll}+) (\p{Lu}\p{Ll}+)(?![\p{L}\p{N}])(?! \p{Lu})/gu;

/** Whether two names that the passage knows stand in one clause of it. */
const isPaired = (names: readonly string[], { clauses, stems, headings, language }: PassageReading): boolean => {
  const terms = names.map((name) => termsOf(name, language)[0] ?? '');
  const isKnown = terms.every((term) => stems.has(term) && !headings.has(term));
  return !isKnown || clauses().some((clause) => terms.every((term) => clause.stems.has(term)));
};

export const namesHold = ({ text, words }: Statement, reading: PassageReading): boolean =>
  words.every(({ isName, term, parts }) => !isName || reading.stems.has(term) || parts.every((part) => reading.stems.has(part))) &&
  [...text.matchAll(pair)].every(([, first = '', second = '']) => isPaired([first, second], reading));
