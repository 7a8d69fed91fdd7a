/**
 * Asks every question, a few at a time, and scores what comes back. A question that the provider fails on is a failed question, not a
 * failed run; a run that is interrupted gives what was done.
 */
import { KnowledgeError } from '../errors.ts';
import type { AskResult } from '../mastra/ask.ts';
import type { KnowledgeApi } from '../mastra/knowledge-api.ts';
import type { Question } from './questions.ts';
import { type Score, scoreAnswer, scoreFailure } from './score.ts';

export interface Outcome {
  readonly score: Score;
  /** Undefined where the question failed. */
  readonly result: AskResult | undefined;
}

export interface RunOptions {
  readonly questions: readonly Question[];
  readonly ask: KnowledgeApi['ask'];
  /** The message that asks the agent this question. */
  readonly toMessage: (question: string) => string;
  /** Questions at a time. */
  readonly concurrency: number;
  /** What is under way then is not waited for. */
  readonly signal: AbortSignal;
  /** In milliseconds, never going back. */
  readonly now: () => number;
  readonly onOutcome: (outcome: Outcome) => void;
}

/** @returns in the order of the questions; fewer than them where it was interrupted */
export async function runQuestions(options: RunOptions): Promise<Outcome[]> {
  const { questions, ask, toMessage, concurrency, signal, now, onOutcome } = options;
  const outcomes: (Outcome | undefined)[] = questions.map(() => undefined);
  let next = 0;

  async function askOne(question: Question): Promise<Outcome> {
    const started = now();
    try {
      const content = toMessage(question.question);
      const result = await ask({ messages: [{ role: 'user', content }], namespace: question.namespace, signal });
      return { score: scoreAnswer(question, result, now() - started), result };
    } catch (error) {
      if (!(error instanceof KnowledgeError)) throw error;
      return { score: scoreFailure(question, error, now() - started), result: undefined };
    }
  }

  async function work(): Promise<void> {
    for (let position = next++; position < questions.length; position = next++) {
      const outcome = await askOne(questions[position] as Question);
      // Ended by the interruption, not by itself.
      if (signal.aborted) return;
      outcomes[position] = outcome;
      onOutcome(outcome);
    }
  }

  await Promise.all(Array.from({ length: Math.min(concurrency, questions.length) }, work));
  return outcomes.filter((outcome) => outcome !== undefined);
}
