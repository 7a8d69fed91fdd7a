/**
 * Whether a passage says what a sentence says, judged without a model: everything exact in the sentence (figures, addresses, URLs,
 * code, quotations) stands in the passage, most of its content words do, and close together, and neither denies what the other
 * states. Words are compared by their stems.
 */
import { stopWords } from '../text/stop-words.ts';
import { contentWords, terms } from '../text/words.ts';
import { type Unit, units } from '../text/units.ts';

/** The part of a passage that supports a sentence, as UTF-16 offsets into the passage's text. */
export interface Support {
  readonly start: number;
  readonly end: number;
  /** Share of the sentence's content words found there, 0 to 1; 1 for a verbatim piece. */
  readonly score: number;
}

/** Least share of a sentence's content words that its evidence has to hold. */
export const minWordShare = 0.6;
/** Evidence is looked for in this many neighbouring units: a fact may span a heading's list, a row, a sentence and its next. */
const maxEvidenceUnits = 3;

const exactPatterns = [
  /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu, // e-mail
  /\b[a-z][a-z0-9+.-]*:\/\/[^\s<>()[\]"'`]+|\bwww\.[^\s<>()[\]"'`]+/gi, // URL
  /`[^`]+`/g, // code
  /[“"„«][^“”"„«»]{3,}[”"“»]/g, // quotation
];
const figure = /(?:[$€£¥]\s?)?\d+(?:[.,:/-]\d+)*(?:\s?(?:%|‰))?/g;
const numberWords = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, value) => [word, String(value)] as const),
);
const negation = /\b(?:not|no|never|none|nor|neither|without|cannot|can['’]t|won['’]t|don['’]t|doesn['’]t|isn['’]t|aren['’]t|wasn['’]t|weren['’]t|didn['’]t|shouldn['’]t|mustn['’]t|unless|except|excluded?|nicht|kein\w*|non|pas|jamais|nunca)\b/i;

const flattened = (text: string) => text.replace(/[*_`~\\]+/g, '').replace(/\s+/g, ' ').trim().toLowerCase();
const withoutTrailingMark = (text: string) => text.replace(/[.,;:!?]+$/, '');

/** Figures of a text in one spelling: `1,000` and `1000` are the same, `two` is `2`. */
function figures(text: string): Set<string> {
  const found = new Set<string>();
  for (const [match] of text.matchAll(figure)) found.add(match.replace(/\s/g, '').replace(/(?<=\d),(?=\d{3}\b)/g, ''));
  for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) {
    const value = numberWords.get(word);
    if (value !== undefined) found.add(value);
  }
  return found;
}

const exactParts = (text: string): string[] =>
  exactPatterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([match]) => withoutTrailingMark(flattened(match.replace(/^[“"„«]|[”"“»]$/g, '')))));

/** `30 days` in a sentence needs `days` in its evidence, not only `30`. */
const unitAfterFigure = /\d(?:\s?%|\s+)(\p{L}+)/gu;
const hasUnits = (sentence: string, words: ReadonlySet<string>): boolean =>
  [...sentence.matchAll(unitAfterFigure)].every(([, unit = '']) => contentWords(unit).every(({ term }) => stopWords.has(unit.toLowerCase()) || words.has(term)));

const hasFigures = (sentence: string, evidence: string): boolean => {
  const there = figures(evidence);
  // `one` may be a pronoun, so a number word that is missing only counts where the sentence writes figures.
  const wanted = new Set([...sentence.matchAll(figure)].map(([match]) => match.replace(/\s/g, '').replace(/(?<=\d),(?=\d{3}\b)/g, '')));
  return [...wanted].every((value) => there.has(value) || (!/^\D/.test(value) && [...there].some((other) => other.replace(/^\D+/, '') === value)));
};

/** The best support a passage gives a sentence, or undefined. @param context title and headings: they count as said, but are no evidence by themselves */
export function findSupport(sentence: string, passage: string, context: string): Support | undefined {
  const verbatim = passage.indexOf(sentence);
  if (verbatim >= 0) return { start: verbatim, end: verbatim + sentence.length, score: 1 };

  const everything = flattened(passage);
  if (!exactParts(sentence).every((part) => everything.includes(part))) return undefined;
  const wanted = contentWords(sentence).map((word) => word.term);
  if (wanted.length === 0) return undefined;
  const given = new Set(terms(context));
  const pieces = [...units(passage)].map((unit) => ({ unit, words: new Set(terms(passage.slice(unit.start, unit.end))) }));

  let best: Support | undefined;
  for (let from = 0; from < pieces.length; from++) {
    const words = new Set<string>();
    for (let to = from; to < Math.min(pieces.length, from + maxEvidenceUnits); to++) {
      for (const word of pieces[to]?.words ?? []) words.add(word);
      const inEvidence = wanted.filter((word) => words.has(word)).length;
      const score = wanted.filter((word) => words.has(word) || given.has(word)).length / wanted.length;
      if (inEvidence === 0 || score < minWordShare || score <= (best?.score ?? 0)) continue;
      const { start } = pieces[from]?.unit as Unit;
      const { end } = pieces[to]?.unit as Unit;
      const evidence = passage.slice(start, end);
      if (!hasFigures(sentence, `${evidence} ${context}`) || !hasUnits(sentence, words)) continue;
      if (negation.test(sentence) !== negation.test(evidence)) continue;
      best = { start, end, score };
    }
  }
  return best;
}
