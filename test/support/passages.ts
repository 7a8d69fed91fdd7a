/** Search passages, each of its own document. */
import type { Document, Passage } from '../../src/documents/document.ts';

/** @param more fields to override; `end` follows from `start` and the text */
export const passageOf = (
  text: string,
  title = 'Shop',
  {
    document,
    ...more
  }: Partial<Omit<Passage, 'document'>> & { readonly document?: Partial<Document> } = {},
): Passage => ({
  chunkId: title,
  text,
  score: 1,
  start: 0,
  end: (more.start ?? 0) + text.length,
  headingPath: [],
  anchor: null,
  page: null,
  ...more,
  document: {
    id: title,
    namespace: 'n',
    file: `${title}.md`,
    title,
    source: `${title}.md`,
    kind: 'file',
    revision: 'r',
    bytes: 1,
    textLanguage: 'en',
    ...document,
  },
});
