/**
 * Asks all questions, a few at a time. A provider error fails its question, not the run; an
 * interrupted run returns the finished ones.
 */

import { Semaphore } from '../../packages/shared/src/concurrency/queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { AskResult } from '../../src/ask/ask-result.ts';
import type { Question } from './questions.ts';
import { type Score, scoreAnswer, scoreFailure } from './score.ts';

export interface QuestionOutcome {
  readonly score: Score;
  /** Undefined if the question failed. */
  readonly result: AskResult | undefined;
}

export interface RunOptions {
  readonly questions: readonly Question[];
  readonly ask: (question: Question) => Promise<AskResult>;
  /** Concurrent questions. */
  readonly concurrency: number;
  /** Stops the run without waiting for running questions. */
  readonly signal: AbortSignal;
  readonly onOutcome: (outcome: QuestionOutcome) => void;
}

/** @returns outcomes in the order of the questions; fewer if the run was interrupted */
export async function runQuestions(options: RunOptions): Promise<QuestionOutcome[]> {
  const { questions, ask, concurrency, signal, onOutcome } = options;
  const limit = new Semaphore(concurrency);

  async function askOne(question: Question): Promise<QuestionOutcome> {
    const started = performance.now();
    try {
      const result = await ask(question);
      return { score: scoreAnswer(question, result, performance.now() - started), result };
    } catch (error) {
      if (!(error instanceof KnowledgeError)) throw error;
      return {
        score: scoreFailure(question, error, performance.now() - started),
        result: undefined,
      };
    }
  }

  const outcomes = questions.map((question) =>
    limit.run(async () => {
      const outcome = signal.aborted ? undefined : await askOne(question);
      // Failed because of the interruption.
      if (signal.aborted || !outcome) return [];
      onOutcome(outcome);
      return [outcome];
    }),
  );
  return (await Promise.all(outcomes)).flat();
}

/** Measurements of a run. */
export interface Run {
  /** ISO 8601. */
  readonly at: string;
  readonly model: string;
  readonly scores: readonly Score[];
}
