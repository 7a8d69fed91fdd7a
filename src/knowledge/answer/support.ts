/**
 * Whether a passage says what a sentence says, judged without a model: everything exact in the sentence (figures with their units,
 * addresses, URLs, code, quotations) stands in the passage, most of its content words do, and close together, and neither denies
 * what the other states. Words are compared by their stems.
 */
import { stopWords } from '../text/stop-words.ts';
import { type Unit, units } from '../text/units.ts';
import { contentWords, terms } from '../text/words.ts';

/** The part of a passage that supports a sentence, as UTF-16 offsets into the passage's text. */
export interface Support {
  readonly start: number;
  readonly end: number;
  /** Share of the sentence's content words found there, 0 to 1; 1 for a verbatim piece. */
  readonly score: number;
}

/** The best support that the passage gives a sentence, or undefined. */
export type FindSupport = (sentence: string) => Support | undefined;

/** Least share of a sentence's content words that its evidence has to hold. */
const minWordShare = 0.6;
/** Evidence is at most this many neighbouring units: a fact may take a sentence and its next, or a list's lead and its item. */
const maxEvidenceUnits = 3;

const exactPatterns = [
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu, // e-mail
  /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s<>()[\]"'`]+|\bwww\.[^\s<>()[\]"'`]+/gi, // URL
  /`[^`\n]{1,300}`/g, // code
  /[“"„«][^“”"„«»\n]{3,300}[”"“»]/g, // quotation
];
const quotationMarks = /^[“"„«]|[”"“»]$/g;
const figure = /(?:[$€£¥]\s?)?\d+(?:[.,:/-]\d+)*(?:\s?[%‰])?/g;
const thousandsMark = /(?<=\d),(?=\d{3}(?!\d))/g;
/** `30 days` in a sentence needs `days` in its evidence, not only `30`. */
const unitAfterFigure = /\d(?:\s?%|\s+)(\p{L}+)/gu;
const numberWords = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, value) => [word, String(value)] as const),
);
const negation =
  /\b(?:not|no|never|none|nor|neither|without|cannot|(?:ca|wo|do|does|is|are|was|were|did|should|must|could|would|has|have)n['’]t|unless|except|excluded?|nicht|kein\w*|non|pas|jamais|nunca)\b/i;

const clauseEnd = /[,;:()]|\s(?:and|but|or|while|whereas|und|aber|et|mais|y|pero)\s/i;

const flattened = (text: string) =>
  text
    .replace(/[*_`~\\]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/** Figures as written, in one spelling: `1,000` and `1000` are the same. */
const writtenFigures = (text: string): Set<string> =>
  new Set([...text.matchAll(figure)].map(([match]) => match.replace(/\s/g, '').replace(thousandsMark, '')));

/** Figures that a text states: those written, number words (`two` is `2`), and amounts also without their currency. */
function statedFigures(text: string): Set<string> {
  const found = writtenFigures(text);
  for (const value of [...found]) found.add(value.replace(/^\D+/, ''));
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) {
    const value = numberWords.get(word);
    if (value !== undefined) found.add(value);
  }
  return found;
}

const exactParts = (text: string): string[] =>
  exactPatterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([match]) => flattened(match.replace(quotationMarks, '')).replace(/[.,;:!?]+$/, '')),
  );

const unitTerms = (sentence: string): string[] =>
  [...sentence.matchAll(unitAfterFigure)].flatMap(([, unit = '']) => (stopWords.has(unit.toLowerCase()) ? [] : [...terms(unit)]));

interface Piece {
  readonly unit: Unit;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

const held = (wanted: readonly string[], words: ReadonlySet<string>) => wanted.filter((word) => words.has(word)).length;

/** Of neighbouring units the one that speaks most of the same. */
const closestTo = (wanted: readonly string[], pieces: readonly Piece[]): string =>
  pieces.reduce((best, piece) => (held(wanted, piece.words) > held(wanted, best.words) ? piece : best)).text;

/** Whether a clause with a negation speaks of what is wanted: `plans cost $28 and are not refunded` denies nothing of the price. */
const deniesAnyOf = (wanted: readonly string[], text: string): boolean =>
  text.split(clauseEnd).some((clause) => negation.test(clause) && held(wanted, new Set(terms(clause))) > 0);

/** @param context title and headings of the passage: what they say counts as said, but alone it is no evidence */
export function createSupportFinder(passage: string, context: string): FindSupport {
  const everything = flattened(passage);
  const given = new Set(terms(context));
  const pieces = [...units(passage)].map((unit): Piece => {
    const text = passage.slice(unit.start, unit.end);
    return { unit, text, words: new Set(terms(text)) };
  });

  return (sentence) => {
    const verbatim = sentence === '' ? -1 : passage.indexOf(sentence);
    if (verbatim >= 0) return { start: verbatim, end: verbatim + sentence.length, score: 1 };

    const wanted = contentWords(sentence).map((word) => word.term);
    if (wanted.length === 0 || !exactParts(sentence).every((part) => everything.includes(part))) return undefined;
    const figures = writtenFigures(sentence);
    const unitsOfFigures = unitTerms(sentence);
    const denies = negation.test(sentence);

    let best: Support | undefined;
    for (const [from, first] of pieces.entries()) {
      const words = new Set<string>();
      for (const piece of pieces.slice(from, from + maxEvidenceUnits)) {
        for (const word of piece.words) words.add(word);
        const score = wanted.filter((word) => words.has(word) || given.has(word)).length / wanted.length;
        if (score < minWordShare || score <= (best?.score ?? 0) || !wanted.some((word) => words.has(word))) continue;
        const start = first.unit.start;
        const end = piece.unit.end;
        const evidence = passage.slice(start, end);
        const stated = statedFigures(`${evidence}\n${context}`);
        if (![...figures].every((value) => stated.has(value)) || !unitsOfFigures.every((unit) => words.has(unit) || given.has(unit)))
          continue;
        if (denies !== deniesAnyOf(wanted, closestTo(wanted, pieces.slice(from, pieces.indexOf(piece) + 1)))) continue;
        best = { start, end, score };
      }
    }
    return best;
  };
}
