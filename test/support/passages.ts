/** Passages of documents of their own, as the search returns them. */
import type { Passage } from '../../src/documents/document.ts';

export const passageOf = (text: string, title = 'Shop'): Passage => ({
  chunkId: title,
  text,
  score: 1,
  start: 0,
  end: text.length,
  headingPath: [],
  anchor: null,
  page: null,
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
  },
});
