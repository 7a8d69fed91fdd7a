/** The citations of an answer against the documents as they are on disk now. Where a citation says its file is, is not believed. */
import { setImmediate } from 'node:timers/promises';
import { KnowledgeError } from '../errors.ts';
import { type CitationStatus, type QuotedSpan, verifyCitation } from './answers/verify.ts';
import type { Documents, StoredDocument } from './documents.ts';

export interface CitedSpan extends QuotedSpan {
  readonly documentId: string;
}

/** One status for each citation, in their order; a namespace or a document that there is not has nothing, which is no error. */
export type VerifyAnswer = (namespace: string, citations: readonly CitedSpan[]) => Promise<CitationStatus[]>;

export function createVerifyAnswer(documents: Pick<Documents, 'read'>): VerifyAnswer {
  async function readIfThere(namespace: string, documentId: string): Promise<StoredDocument | undefined> {
    try {
      return await documents.read(namespace, documentId);
    } catch (error) {
      if (error instanceof KnowledgeError && ['namespace_not_found', 'document_not_found'].includes(error.code)) return undefined;
      throw error;
    }
  }

  return async (namespace, citations) => {
    const statuses = new Map<CitedSpan, CitationStatus>();
    for (const [documentId, cited] of Map.groupBy(citations, (citation) => citation.documentId)) {
      const stored = await readIfThere(namespace, documentId);
      for (const citation of cited) {
        statuses.set(citation, verifyCitation(stored?.text, stored?.entry.document.revision, citation));
        // A document may be long, and there may be fifty of these.
        await setImmediate();
      }
    }
    return citations.map((citation) => statuses.get(citation) ?? { status: 'gone' });
  };
}
