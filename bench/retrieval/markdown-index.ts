/**
 * Indexes Markdown documents like the service does (chunks, title, language, headings); document
 * ids are file names.
 */

import { chunkDocument } from '../../src/documents/chunk.ts';
import { readDocumentFile } from '../../src/documents/document-file.ts';
import { splitProse } from '../../src/documents/split-prose.ts';
import { Bm25Engine } from '../../src/search/bm25/bm25-engine.ts';
import { SearchIndex } from '../../src/search/search-index.ts';

const chunksOf = chunkDocument.bind(undefined, splitProse);

export async function indexMarkdown(
  documents: Iterable<{ readonly file: string; readonly content: string }>,
): Promise<SearchIndex> {
  const index = await new Bm25Engine().open('bench');
  for (const { file, content } of documents) {
    const { document, bodyStart } = readDocumentFile('bench', file, {
      text: content,
      bytes: Buffer.byteLength(content),
      revision: '',
    });
    const chunks = (await chunksOf(content, bodyStart)).map(({ start, end, headingPath }) => ({
      text: content.slice(start, end),
      headingPath,
    }));
    await index.upsert({
      id: file,
      version: '',
      title: document.title,
      language: document.textLanguage,
      chunks,
    });
  }
  return new SearchIndex(index);
}
