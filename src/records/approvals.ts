/**
 * Makes documents of reviewed drafts. A review is stored before its document is written, and the
 * document's file follows from the stored question. So a start finishes what a crash interrupted,
 * and two servers write the same document.
 */
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { Documents } from '../ingest/documents.ts';
import type { IngestAndWait } from '../ingest/run.ts';
import { answerSource } from '../ingest/source.ts';
import type { GapDesk, ReviewedDraft } from './gap-desk.ts';

type AnswerDocument = Readonly<{ id: string; file: string; title: string }>;

export class Approvals {
  readonly #parts;

  constructor(
    parts: Readonly<{
      desk: GapDesk;
      documents: Pick<Documents, 'find'>;
      ingestNow: IngestAndWait;
      onWarning: (message: string, error?: unknown) => void;
    }>,
  ) {
    this.#parts = parts;
  }

  async #write({ namespace, draftId, review }: ReviewedDraft, signal?: AbortSignal) {
    const requests = [answerSource(review.question, review)];
    try {
      const [row] = await this.#parts.ingestNow({ namespace, requests, prune: false, signal });
      if (row?.document && !row.error) return row.document;
      const { code = 'ingest_failed', message = 'The answer could not be stored.' } =
        row?.error ?? {};
      throw new KnowledgeError(code as KnowledgeError['code'], message);
    } catch (error) {
      // The draft waits for a reviewer again; if this fails too, the next start tries again.
      await this.#parts.desk.cancelReview(draftId).catch(() => undefined);
      throw error;
    }
  }

  async #finish(reviewed: ReviewedDraft, signal?: AbortSignal) {
    const document = await this.#write(reviewed, signal);
    await this.#parts.desk.approve(reviewed.draftId, { ...reviewed.review, document: document.id });
    return document;
  }

  async #documentOf(namespace: string, id = '') {
    return (await this.#parts.documents.find(namespace, id))?.document;
  }

  /** Approves a draft. A repeated approval changes nothing. @throws KnowledgeError */
  async approve(reviewed: ReviewedDraft, signal: AbortSignal): Promise<AnswerDocument> {
    const { namespace } = reviewed;
    const earlier = await this.#documentOf(namespace, reviewed.review.replaces);
    // With its time, because the new version of an answer has the same file.
    const replaces = earlier && `${earlier.file}, ${earlier.fetchedAt ?? 'undated'}`;
    const wanted = { ...reviewed, review: { ...reviewed.review, replaces } };
    const { review, document } = await this.#parts.desk.beginReview(wanted);
    const stored = await this.#documentOf(namespace, document);
    return stored ?? this.#finish({ ...reviewed, review }, signal);
  }

  /** Finishes approvals that a crash interrupted. One that fails does not stop the others. */
  async open() {
    const { desk, onWarning } = this.#parts;
    const failed = (error: unknown) =>
      onWarning('finishing the approval of an answer failed', error);
    const unfinished = await desk.unfinishedReviews().catch((error: unknown) => {
      failed(error);
      return [];
    });
    for (const reviewed of unfinished) await this.#finish(reviewed).catch(failed);
  }
}
