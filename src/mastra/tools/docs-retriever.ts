/**
 * The agent's own search. The namespace comes from the request context alone: neither a model nor a message can name another.
 */
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import type { ParseNamespace } from '../../knowledge/namespaces.ts';
import type { Retrieved, Retriever } from '../../knowledge/retriever.ts';
import { namespaceOf } from '../turn.ts';
import { searchQuality, searchResult, toSearchQuality, toSearchResult } from './search-docs.ts';

const maxResults = 6;

export const docsRetrieverCard = {
  id: 'docsRetriever',
  description: 'Finds passages in the documents of this conversation that may answer a question.',
};

/** What the search says, as the tool returns it and as an answer shows it among its tool results. */
export const docsRetrieverOutput = z.object({ ...searchQuality, results: z.array(searchResult) });

export const toRetrieverResult = ({ snippets, ...found }: Retrieved): z.infer<typeof docsRetrieverOutput> => ({
  ...toSearchQuality(found),
  results: snippets.map(toSearchResult),
});

export const createDocsRetriever = (retriever: Retriever, parseNamespace: ParseNamespace) =>
  createTool({
    ...docsRetrieverCard,
    inputSchema: z.object({ query: z.string().min(1).max(2000) }),
    outputSchema: docsRetrieverOutput,
    execute: async ({ query }, { requestContext }) =>
      toRetrieverResult(await retriever.search(parseNamespace(namespaceOf(requestContext)), query, maxResults)),
  });
