/**
 * Runs: asking every question, a few at a time. A question that the provider fails on is a failed question, not a failed run; a run that
 * is interrupted gives what was done.
 */
import type { AskResult } from '../../src/app/ask/ask.ts';
import { createSemaphore } from '../../src/concurrency/queue.ts';
import { KnowledgeError } from '../../src/errors.ts';
import type { Question } from './questions.ts';
import { type Score, scoreAnswer, scoreFailure } from './score.ts';

export interface QuestionOutcome {
  readonly score: Score;
  /** Undefined where the question failed. */
  readonly result: AskResult | undefined;
}

export interface RunOptions {
  readonly questions: readonly Question[];
  readonly ask: (question: Question) => Promise<AskResult>;
  /** Questions at a time. */
  readonly concurrency: number;
  /** What is under way then is not waited for. */
  readonly signal: AbortSignal;
  readonly onOutcome: (outcome: QuestionOutcome) => void;
}

/** @returns in the order of the questions; fewer than them where it was interrupted */
export async function runQuestions(options: RunOptions): Promise<QuestionOutcome[]> {
  const { questions, ask, concurrency, signal, onOutcome } = options;
  const limit = createSemaphore(concurrency);

  async function askOne(question: Question): Promise<QuestionOutcome> {
    const started = performance.now();
    try {
      const result = await ask(question);
      return { score: scoreAnswer(question, result, performance.now() - started), result };
    } catch (error) {
      if (!(error instanceof KnowledgeError)) throw error;
      return { score: scoreFailure(question, error, performance.now() - started), result: undefined };
    }
  }

  const outcomes = questions.map((question) =>
    limit(async () => {
      const outcome = signal.aborted ? undefined : await askOne(question);
      // Ended by the interruption, not by itself.
      if (signal.aborted || !outcome) return [];
      onOutcome(outcome);
      return [outcome];
    }),
  );
  return (await Promise.all(outcomes)).flat();
}

/** What was measured. */
export interface Run {
  /** ISO 8601. */
  readonly at: string;
  readonly model: string;
  readonly scores: readonly Score[];
}
