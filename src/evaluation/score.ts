/** One answer beside what was expected of it. Counts, not shares: the figures of many questions are made of them (figures.ts). */
import type { ErrorCode, KnowledgeError } from '../errors.ts';
import { units } from '../knowledge/text/units.ts';
import type { AskResult } from '../mastra/ask.ts';
import { isMeant } from './expected-files.ts';
import type { Question } from './questions.ts';

/**
 * As far as the questions file can tell. Right: every pattern is in the answer; without patterns, an expected file is cited; without
 * files either, there is an answer; an unanswerable question is refused. Refused: there is no answer though there should be one.
 */
export type Verdict = 'right' | 'wrong' | 'refused' | 'failed';

export interface Score {
  readonly key: string;
  readonly id: string | undefined;
  readonly question: string;
  readonly namespace: string;
  readonly verdict: Verdict;
  readonly isUnanswerable: boolean;
  readonly isAnswered: boolean;
  /** Whether the file says what the answer has to say. */
  readonly hasPatterns: boolean;
  /** Patterns that are not in the answer, as they are written. */
  readonly missing: readonly string[];
  /** Files that were expected. */
  readonly expected: number;
  /** Of the first passage that is of an expected file, from 1; 0 where none is. */
  readonly rank: number;
  /** Different files that the answer cites. */
  readonly cited: number;
  /** How many of them were expected. */
  readonly citedExpected: number;
  /** How many of the expected ones are cited. */
  readonly expectedCited: number;
  /** Sentences of the answer, list items, table rows and code blocks among them; 0 where it was refused. */
  readonly sentences: number;
  /** Sentences of the model that no passage supports. */
  readonly dropped: number;
  /** Of the answer's text without its markers and sources. */
  readonly chars: number;
  readonly ms: number;
  /** Why there is neither an answer nor a refusal. */
  readonly error: { readonly code: ErrorCode; readonly message: string } | undefined;
  /** How it was searched; undefined where nothing was. */
  readonly mode: 'lexical' | 'hybrid' | undefined;
}

const markers = /[ \t]*\[\d{1,3}\]/g;

/** The answer's text, before `Sources:`. */
export function bodyOf(text: string): string {
  const end = text.lastIndexOf('\n\nSources:');
  return end < 0 ? text : text.slice(0, end);
}

/** Read tolerantly: where nothing was counted, nothing was dropped. */
const droppedOf = (result: AskResult): number => ('dropped' in result && typeof result.dropped === 'number' ? result.dropped : 0);

function verdictOf(question: Question, isAnswered: boolean, missing: readonly string[], expectedCited: number): Verdict {
  if (question.isUnanswerable) return isAnswered ? 'wrong' : 'right';
  if (!isAnswered) return 'refused';
  if (question.patterns.length > 0) return missing.length === 0 ? 'right' : 'wrong';
  return question.files.length === 0 || expectedCited > 0 ? 'right' : 'wrong';
}

const identityOf = ({ key, id, question, namespace, isUnanswerable, patterns, files }: Question) => ({
  key,
  id,
  question,
  namespace,
  isUnanswerable,
  hasPatterns: patterns.length > 0,
  expected: files.length,
});

/** @param ms how long the answer took */
export function scoreAnswer(question: Question, result: AskResult, ms: number): Score {
  const body = result.answered ? bodyOf(result.text) : '';
  const plain = body.replace(markers, '');
  const found = searchOf(result);
  const cited = [...new Map(result.citations.map((citation) => [citation.file, citation])).values()];
  const expectedCited = question.files.filter((entry) => cited.some((place) => isMeant(entry, place))).length;
  const missing = question.patterns.filter((pattern) => !pattern.isIn(body)).map(({ written }) => written);
  return {
    ...identityOf(question),
    verdict: verdictOf(question, result.answered, missing, expectedCited),
    isAnswered: result.answered,
    missing,
    rank: (found?.results ?? []).findIndex((place) => question.files.some((entry) => isMeant(entry, place))) + 1,
    cited: cited.length,
    citedExpected: cited.filter((place) => question.files.some((entry) => isMeant(entry, place))).length,
    expectedCited,
    sentences: [...units(plain)].length,
    dropped: droppedOf(result),
    chars: plain.length,
    ms,
    error: undefined,
    mode: found?.mode,
  };
}

/** The search for the question itself. */
export const searchOf = ({ toolResults }: Pick<AskResult, 'toolResults'>) =>
  toolResults.flatMap((call) => (call.toolName === 'docsRetriever' ? [call.result] : []))[0];

export const scoreFailure = (question: Question, error: KnowledgeError, ms: number): Score => ({
  ...identityOf(question),
  verdict: 'failed',
  isAnswered: false,
  missing: [],
  rank: 0,
  cited: 0,
  citedExpected: 0,
  expectedCited: 0,
  sentences: 0,
  dropped: 0,
  chars: 0,
  ms,
  error: { code: error.code, message: error.message },
  mode: undefined,
});
