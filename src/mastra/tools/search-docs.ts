/** The tool `searchDocs` and the wire form of a snippet, which the agent's `docsRetriever` and the HTTP API share. */
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { ParseNamespace } from '../../knowledge/namespaces.ts';
import type { Retrieved, Retriever } from '../../knowledge/retriever.ts';
import type { Snippet } from '../../knowledge/types.ts';

/** What a passage or a citation says of where it stands. Offsets are UTF-16 units into the stored file. */
export const placeShape = {
  documentId: z.string(),
  file: z.string().describe('path below the namespace folder'),
  title: z.string(),
  source: z.string().describe('URL, path or title of the source'),
  headingPath: z.array(z.string()),
  anchor: z.string().nullable().describe('slug of the innermost heading'),
  page: z.number().int().nullable().describe('page number where the source has pages'),
  start: z.number().int().min(0),
  end: z.number().int().min(0),
  revision: z.string().describe('sha256- and the hex SHA-256 of the stored file'),
};

export const searchResult = z.object({
  text: z.string().describe('exactly slice(start, end) of the stored file'),
  score: z.number().describe('higher is better; comparable within one query only'),
  chunkId: z.string(),
  kind: z.enum(['url', 'file', 'text']),
  ...placeShape,
});

export const searchDocsInput = z.object({
  query: z
    .string()
    .min(1)
    .max(2000)
    .refine((query) => query.trim() !== '', 'must hold more than white space')
    .meta({ example: 'refund window' }),
  namespace: z.string().default('default'),
  maxResults: z.int().min(1).max(50).default(6),
});

/** How good a search was. */
export const searchQuality = {
  coverage: z.number().min(0).max(1).describe('how surely the documents speak of what is asked'),
  mode: z.enum(['lexical', 'hybrid']).describe('found by words, or by words and by meaning'),
  degraded: z.string().optional().describe('error code: why meaning was not searched though it is set up'),
};

export const toSearchQuality = ({ coverage, mode, degraded }: Omit<Retrieved, 'snippets'>) => ({
  coverage: Math.round(coverage * 1_000) / 1_000,
  mode,
  ...(degraded ? { degraded } : {}),
});

export const searchDocsOutput = z.object({
  query: z.string(),
  namespace: z.string(),
  ...searchQuality,
  sources: z.array(z.string()).describe('files of the results, best first, each once'),
  results: z.array(searchResult),
});

export type SearchDocsOutput = z.infer<typeof searchDocsOutput>;

export const placeOf = ({ document, headingPath, anchor, page }: Snippet) => ({
  documentId: document.id,
  file: document.file,
  title: document.title,
  source: document.source,
  headingPath: [...headingPath],
  anchor,
  page,
  revision: document.revision,
});

export const toSearchResult = (snippet: Snippet): z.infer<typeof searchResult> => ({
  text: snippet.text,
  score: snippet.score,
  chunkId: snippet.chunkId,
  kind: snippet.document.kind,
  ...placeOf(snippet),
  start: snippet.start,
  end: snippet.end,
});

export type SearchDocs = (input: z.infer<typeof searchDocsInput>) => Promise<SearchDocsOutput>;

export const createSearchDocs =
  (retriever: Retriever, parseNamespace: ParseNamespace): SearchDocs =>
  async ({ query, namespace: name, maxResults }) => {
    const namespace = parseNamespace(name);
    const { snippets, ...found } = await retriever.search(namespace, query, maxResults);
    return {
      query,
      namespace,
      ...toSearchQuality(found),
      sources: [...new Set(snippets.map((snippet) => snippet.document.file))],
      results: snippets.map(toSearchResult),
    };
  };

export const createSearchDocsTool = (searchDocs: SearchDocs) =>
  createTool({
    id: 'searchDocs',
    description: 'Finds the passages of the ingested documents that match a query, best first.',
    inputSchema: searchDocsInput,
    outputSchema: searchDocsOutput,
    execute: searchDocs,
  });
