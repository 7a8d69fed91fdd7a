/** Markdown documents in our index, chunked and read as the service does it: title, language, headings; their ids are their files. */
import { createChunker } from '../../src/knowledge/chunk/chunk.ts';
import { createLexicalIndex } from '../../src/knowledge/index/lexical-index.ts';
import type { SearchIndex } from '../../src/knowledge/index/search-index.ts';
import { readDocumentFile } from '../../src/knowledge/store/document-file.ts';
import { splitProse } from '../../src/mastra/split-prose.ts';

const chunkDocument = createChunker(splitProse);

export async function indexMarkdown(documents: Iterable<{ readonly file: string; readonly content: string }>): Promise<SearchIndex> {
  const index = await createLexicalIndex();
  for (const { file, content } of documents) {
    const { document, bodyStart } = readDocumentFile('bench', file, Buffer.from(content), content);
    const chunks = (await chunkDocument(content, bodyStart)).map(({ start, end, headingPath }) => ({
      text: content.slice(start, end),
      headingPath,
    }));
    await index.replaceDocument({ id: file, title: document.title, language: document.textLanguage, chunks });
  }
  return index;
}
