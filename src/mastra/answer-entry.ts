/** An answer as the answer log keeps it: what the caller got, and what is known of how it came about. */
import type { AnswerEntry } from '../knowledge/answers/answer-line.ts';
import type { Asked } from './ask.ts';

/** Documents that came closest, of a question that was not answered. */
const maxClosest = 3;

export function toAnswerEntry({ question, callerId, result, sentences, isSmallTalk, search }: Asked): AnswerEntry {
  const { runId, namespace, dropped, reason } = result;
  const seen = new Set<string>();
  const closest = (search?.snippets ?? [])
    .filter(({ document }) => !seen.has(document.id) && seen.add(document.id))
    .slice(0, maxClosest)
    .map(({ document, score }) => ({
      documentId: document.id,
      file: document.file,
      title: document.title,
      source: document.source,
      score,
    }));
  return {
    runId,
    namespace,
    question,
    callerId,
    answer: result,
    check: { kept: sentences, dropped },
    coverage: search?.coverage ?? 0,
    closest,
    isGap: reason === 'no_context' && !isSmallTalk,
    isPersonal: result.toolCalls.some(({ toolName }) => toolName !== 'docsRetriever'),
  };
}
