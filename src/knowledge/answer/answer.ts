/** The answer that a caller reads, and what stands in for one where the documents hold none. */
import type { Snippet } from '../types.ts';

/** A span of a stored document that supports a sentence: `quote` is `slice(start, end)` of the stored file. */
export interface Citation {
  /** From 1, in the order of the answer's text; one for each passage. */
  readonly index: number;
  readonly snippet: Snippet;
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

export type AnswerReason = 'answered' | 'not_mentioned' | 'no_context';

/** A sentence that was shown, and how much of it its passage says. */
export interface CheckedSentence {
  readonly text: string;
  /** Of the citation. */
  readonly index: number;
  /** Share of its content words that the passage holds, 0 to 1; 1 for whole sentences of the passage. */
  readonly score: number;
}

export interface Answer {
  readonly reason: AnswerReason;
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly sentences: readonly CheckedSentence[];
  /** Sentences of the model that no passage supports. */
  readonly dropped: number;
}

const unanswered = (reason: AnswerReason, text: string, dropped = 0): Answer => ({ reason, text, citations: [], sentences: [], dropped });

export const silence: Answer = unanswered('not_mentioned', '');

/** @param dropped sentences of a model that are not shown */
export const refusal = (namespace: string, dropped = 0): Answer =>
  unanswered(
    'no_context',
    `The documents in "${namespace}" do not say anything about that. If there is a page or file that does, ingest it into "${namespace}" and ask again.\n\nSources: none`,
    dropped,
  );

/** What is said to a greeting or thanks: there was nothing to look up. */
export const courtesy = (namespace: string): Answer =>
  unanswered(
    'no_context',
    `Happy to help. Ask a question about the documents in "${namespace}", and the answer comes from them.\n\nSources: none`,
  );
