/**
 * Scores an answer against its expectations, and computes the figures of a run with their number of
 * questions or sentences. Failed questions count in no figure. docs/answers.md explains each
 * figure.
 */

import type { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { segments } from '../../packages/shared/src/language/segments.ts';
import type { AskResult } from '../../src/ask/ask-result.ts';
import { type ExpectedPlace, isMeant, type Question, withoutMarkers } from './questions.ts';

/**
 * Right: every pattern matches; without patterns, an expected file is cited; without files, there
 * is an answer; an unanswerable question is refused. Refused: no answer although one exists.
 */
export type ScoredVerdict = 'right' | 'wrong' | 'refused' | 'failed';

export interface Score {
  readonly key: string;
  readonly id?: string | undefined;
  readonly question: string;
  readonly namespace: string;
  readonly verdict: ScoredVerdict;
  readonly isUnanswerable: boolean;
  readonly isAnswered: boolean;
  /** Whether the text shown, answer or sections, has every pattern. */
  readonly isFactShown: boolean;
  /** Whether the question has patterns. */
  readonly hasPatterns: boolean;
  /** Patterns that did not match, as written. */
  readonly missing: readonly string[];
  /** Number of expected files. */
  readonly expected: number;
  /** Rank of the first passage from an expected file, from 1; 0 without such a passage. */
  readonly rank: number;
  /** Number of different cited files. */
  readonly cited: number;
  /** Number of cited files that are expected. */
  readonly citedExpected: number;
  /** Number of expected files that are cited. */
  readonly expectedCited: number;
  /** Sentences, list items, table rows and code blocks of the answer; 0 if it was refused. */
  readonly sentences: number;
  /** Number of the model's sentences that no passage supports. */
  readonly dropped: number;
  /** Number of the model's sentences replaced by words of a passage. */
  readonly repaired: number;
  /** Characters of the answer without markers and sources. */
  readonly chars: number;
  readonly ms: number;
  /** Error of a failed question. */
  readonly error?: { readonly code: string; readonly message: string };
  /** Search mode; undefined without a search. */
  readonly mode?: 'lexical' | 'hybrid' | undefined;
}

/** Text of the answer before `Sources:`. */
export function bodyOf(text: string): string {
  const end = text.lastIndexOf('\n\nSources:');
  return end < 0 ? text : text.slice(0, end);
}

type ScoredResult = Pick<
  AskResult,
  'answered' | 'reason' | 'text' | 'citations' | 'toolResults'
> & {
  readonly dropped?: number;
  readonly repaired?: number;
};

/** Search result for the question itself. */
export const searchOf = ({ toolResults }: Pick<AskResult, 'toolResults'>) =>
  toolResults.flatMap((call) => (call.toolName === 'docsRetriever' ? [call.result] : []))[0];

function verdictOf(
  question: Question,
  isAnswered: boolean,
  missing: readonly string[],
  expectedCited: number,
): ScoredVerdict {
  if (question.isUnanswerable) return isAnswered ? 'wrong' : 'right';
  if (!isAnswered) return 'refused';
  if (question.patterns.length > 0) return missing.length === 0 ? 'right' : 'wrong';
  return question.files.length === 0 || expectedCited > 0 ? 'right' : 'wrong';
}

/** @param ms duration of the answer in milliseconds */
export function scoreAnswer(asked: Question, result: ScoredResult, ms: number): Score {
  const { key, id, question, namespace, files, patterns, isUnanswerable } = asked;
  const shown = result.reason === 'no_context' ? '' : bodyOf(result.text);
  const body = result.answered ? shown : '';
  const plain = withoutMarkers(body);
  const found = searchOf(result);
  const cited = [
    ...new Map(result.citations.map((citation) => [citation.file, citation])).values(),
  ];
  const isExpected = (place: ExpectedPlace) => files.some((entry) => isMeant(entry, place));
  const expectedCited = files.filter((entry) =>
    cited.some((place) => isMeant(entry, place)),
  ).length;
  const missing = patterns.filter((pattern) => !pattern.isIn(body)).map(({ written }) => written);
  return {
    ...{ key, id, question, namespace, isUnanswerable, missing, expectedCited, ms },
    verdict: verdictOf(asked, result.answered, missing, expectedCited),
    isAnswered: result.answered,
    isFactShown: patterns.every((pattern) => pattern.isIn(shown)),
    hasPatterns: patterns.length > 0,
    expected: files.length,
    rank: (found?.results ?? []).findIndex(isExpected) + 1,
    cited: cited.length,
    citedExpected: cited.filter(isExpected).length,
    sentences: [...segments(plain)].length,
    dropped: result.dropped ?? 0,
    repaired: result.repaired ?? 0,
    chars: plain.length,
    mode: found?.mode,
  };
}

export const scoreFailure = (
  question: Question,
  { code, message }: KnowledgeError,
  ms: number,
): Score => ({
  ...scoreAnswer(
    { ...question, patterns: [] },
    { answered: false, reason: 'no_context', text: '', citations: [], toolResults: [] },
    ms,
  ),
  hasPatterns: question.patterns.length > 0,
  isFactShown: false,
  verdict: 'failed',
  error: { code, message },
});

export interface EvaluationFigure {
  /** Shares range from 0 to 1. */
  readonly value: number;
  /** Number of questions or sentences measured. Figures with none are omitted. */
  readonly n: number;
}

/** Maximum number of passages for a model. */
const passages = 6;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
/** Nearest-rank percentile: the smallest value that at least `part` of all values do not exceed. */
function percentile(values: readonly number[], part: number): EvaluationFigure {
  const sorted = [...values].sort((a, b) => a - b);
  return { value: sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0, n: sorted.length };
}
const when = <T>(isMeasured: boolean, value: T) => (isMeasured ? value : undefined);

type Figure = readonly [
  unit: 'share' | 'count' | 'ms',
  label: string,
  ofOne?: (score: Score) => number | boolean | undefined,
];

/**
 * Each figure: its unit (shares range from 0 to 1, more is better), its text in a report, and its
 * value for one answer, or undefined if the answer does not count. The figure is the mean of these
 * values.
 */
const figures = {
  'hit@1': [
    'share',
    'expected file in the first passage',
    ({ expected, rank }) => when(expected > 0, rank === 1),
  ],
  'hit@6': [
    'share',
    'expected file in the first 6 passages',
    ({ expected, rank }) => when(expected > 0, rank >= 1 && rank <= passages),
  ],
  mrr: [
    'share',
    '1 / rank of the first expected file',
    ({ expected, rank }) => when(expected > 0, rank && 1 / rank),
  ],
  precision: [
    'share',
    'cited files that are expected',
    (one) => when(one.expected > 0 && one.cited > 0, one.citedExpected / one.cited),
  ],
  recall: [
    'share',
    'expected files that are cited',
    ({ expected, expectedCited }) => when(expected > 0, expectedCited / expected),
  ],
  support: ['share', 'sentences that the check kept'],
  right: [
    'share',
    'answers with every pattern',
    (one) => when(one.hasPatterns && !one.isUnanswerable, one.verdict === 'right'),
  ],
  shown: [
    'share',
    'fact shown: texts, also sections, with every pattern',
    (one) => when(one.hasPatterns && !one.isUnanswerable, one.isFactShown),
  ],
  abstention: [
    'share',
    'unanswerable questions refused',
    ({ isUnanswerable, isAnswered }) => when(isUnanswerable, !isAnswered),
  ],
  answered: [
    'share',
    'answerable questions answered',
    ({ isUnanswerable, isAnswered }) => when(!isUnanswerable, isAnswered),
  ],
  sentences: ['count', 'per answer', ({ isAnswered, sentences }) => when(isAnswered, sentences)],
  chars: ['count', 'per answer', ({ isAnswered, chars }) => when(isAnswered, chars)],
  p50: ['ms', 'time, median'],
  p95: ['ms', 'time, 95th percentile'],
} satisfies Readonly<Record<string, Figure>>;
export type FigureName = keyof typeof figures;
export type Figures = Readonly<Partial<Record<FigureName, EvaluationFigure>>>;
export const figureNames = Object.keys(figures) as readonly FigureName[];
export const unitOf = (name: FigureName) => figures[name][0];
export const labelOf = (name: FigureName) => figures[name][1];
export const shareNames = figureNames.filter((name) => unitOf(name) === 'share');

export function evaluationFiguresOf(scores: readonly Score[]): Figures {
  const measured = scores.filter(({ verdict }) => verdict !== 'failed');
  const meanOf = (name: FigureName): EvaluationFigure => {
    const [, , ofOne]: Figure = figures[name];
    const values = measured.flatMap((score) => ofOne?.(score) ?? []).map(Number);
    return { value: sum(values) / values.length, n: values.length };
  };
  const kept = sum(measured.map(({ sentences, repaired }) => Math.max(0, sentences - repaired)));
  const unsupported = sum(measured.map(({ dropped, repaired }) => dropped + repaired));
  const ms = measured.map((score) => score.ms);
  const all: Figures = {
    ...Object.fromEntries(figureNames.map((name) => [name, meanOf(name)])),
    support: { value: kept / (kept + unsupported), n: kept + unsupported },
    p50: percentile(ms, 0.5),
    p95: percentile(ms, 0.95),
  };
  return Object.fromEntries(Object.entries(all).filter(([, { n }]) => n > 0));
}

/** Groups by namespace, in alphabetical order. */
export function byNamespace<Item extends { readonly namespace: string }>(
  items: readonly Item[],
): ReadonlyMap<string, readonly Item[]> {
  const groups = Map.groupBy(items, ({ namespace }) => namespace);
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}
