/** Answer log entries as the agent stores them. */
import type { AnswerEntry } from '../../src/records/answer-log.ts';

export const closestTo = (documentId: string) => ({
  documentId,
  file: `${documentId}.md`,
  title: `Title of ${documentId}`,
  source: `https://example.com/${documentId}`,
});

export const answered = (runId: string, more: Partial<AnswerEntry> = {}): AnswerEntry => ({
  runId,
  namespace: 'docs',
  question: 'how long do refunds take?',
  callerId: 'address:127.0.0.1',
  answer: {
    reason: 'answered',
    text: `Within 30 days. [1] (${runId})`,
    citations: [{ index: 1, documentId: 'refunds' }],
  },
  check: {
    kept: [{ text: 'Within 30 days.', index: 1, score: 0.9 }],
    dropped: 1,
    repaired: 0,
    droppedSentences: [{ text: 'Or later.', reason: 'score' }],
  },
  coverage: 0.8,
  closest: [closestTo('refunds')],
  isGap: false,
  ...more,
});

export const unanswered = (
  runId: string,
  question: string,
  more: Partial<AnswerEntry> = {},
): AnswerEntry => ({
  ...answered(runId),
  question,
  answer: { reason: 'no_context', text: 'The documents do not say that.', citations: [] },
  check: { kept: [], dropped: 0, repaired: 0, droppedSentences: [] },
  coverage: 0.2,
  isGap: true,
  ...more,
});
