/**
 * The figures of a run, each with how many questions (or sentences) it rests on. Questions that failed are in none of them. What each one
 * means to its reader stands in docs/evaluation.md.
 */
import type { Score } from './score.ts';

export interface Figure {
  /** Shares from 0 to 1. */
  readonly value: number;
  /** What it was measured on; a figure that was measured on nothing is left out. */
  readonly n: number;
}

export const figureNames = [
  'hit@1',
  'hit@6',
  'mrr',
  'precision',
  'recall',
  'support',
  'right',
  'abstention',
  'answered',
  'sentences',
  'chars',
  'p50',
  'p95',
] as const;
export type FigureName = (typeof figureNames)[number];
export type Figures = Readonly<Partial<Record<FigureName, Figure>>>;

const unitless = ['sentences', 'chars'] as const;
const milliseconds = ['p50', 'p95'] as const;
export type Unit = 'share' | 'count' | 'ms';
const isOneOf = (names: readonly FigureName[], name: FigureName) => names.includes(name);
export const unitOf = (name: FigureName): Unit => (isOneOf(unitless, name) ? 'count' : isOneOf(milliseconds, name) ? 'ms' : 'share');
/** Figures of which more is better, from 0 to 1. */
export const shareNames: readonly FigureName[] = figureNames.filter((name) => unitOf(name) === 'share');

/** Passages that a model is given at most. */
const passages = 6;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): Figure => ({ value: sum(values) / values.length, n: values.length });
const share = (values: readonly boolean[]): Figure => mean(values.map(Number));
/** Nearest rank: the smallest value that `part` of all values do not exceed. */
function percentile(values: readonly number[], part: number): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  return { value: sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0, n: sorted.length };
}

export function figuresOf(scores: readonly Score[]): Figures {
  const measured = scores.filter(({ verdict }) => verdict !== 'failed');
  const answerable = measured.filter(({ isUnanswerable }) => !isUnanswerable);
  const withFiles = measured.filter(({ expected }) => expected > 0);
  const answered = measured.filter(({ isAnswered }) => isAnswered);
  const ms = measured.map((score) => score.ms);
  const kept = sum(measured.map(({ sentences }) => sentences));
  const written = kept + sum(measured.map(({ dropped }) => dropped));
  const all: Record<FigureName, Figure> = {
    'hit@1': share(withFiles.map(({ rank }) => rank === 1)),
    'hit@6': share(withFiles.map(({ rank }) => rank >= 1 && rank <= passages)),
    mrr: mean(withFiles.map(({ rank }) => (rank === 0 ? 0 : 1 / rank))),
    precision: mean(withFiles.filter(({ cited }) => cited > 0).map(({ cited, citedExpected }) => citedExpected / cited)),
    recall: mean(withFiles.map(({ expected, expectedCited }) => expectedCited / expected)),
    support: { value: kept / written, n: written },
    right: share(answerable.filter(({ hasPatterns }) => hasPatterns).map(({ verdict }) => verdict === 'right')),
    abstention: share(measured.filter(({ isUnanswerable }) => isUnanswerable).map(({ isAnswered }) => !isAnswered)),
    answered: share(answerable.map(({ isAnswered }) => isAnswered)),
    sentences: mean(answered.map(({ sentences }) => sentences)),
    chars: mean(answered.map(({ chars }) => chars)),
    p50: percentile(ms, 0.5),
    p95: percentile(ms, 0.95),
  };
  return Object.fromEntries(Object.entries(all).filter(([, { n }]) => n > 0));
}

/** Scores by namespace, in alphabetical order. */
export function byNamespace(scores: readonly Score[]): ReadonlyMap<string, readonly Score[]> {
  const groups = Map.groupBy(scores, ({ namespace }) => namespace);
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}
