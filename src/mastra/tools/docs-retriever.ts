/**
 * The agent's own search. The namespace comes from the request context alone: neither a model nor a message can name another.
 */
import { randomUUID } from 'node:crypto';
import { createTool } from '@mastra/core/tools';
import { z } from 'zod';
import { KnowledgeError } from '../../errors.ts';
import type { ParseNamespace } from '../../knowledge/namespaces.ts';
import type { Retrieved, Retriever } from '../../knowledge/retriever.ts';
import { namespaceOf } from '../request-context.ts';
import { addSearch, maySearchAgain, readTurn } from '../turn.ts';
import { searchQuality, searchResult, toSearchQuality, toSearchResult } from './search-docs.ts';

/** Of one search. */
export const maxPassages = 6;

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
    execute: async ({ query }, { requestContext, agent }) => {
      const namespace = parseNamespace(namespaceOf(requestContext));
      const turn = readTurn(requestContext);
      if (!turn) return toRetrieverResult(await retriever.search(namespace, query, maxPassages));
      if (!maySearchAgain(turn)) throw new KnowledgeError('invalid_request', 'There is one search for a question.');
      const found = await retriever.search(namespace, query, maxPassages);
      return toRetrieverResult(addSearch(turn, agent?.toolCallId ?? `call_${randomUUID()}`, query, found));
    },
  });
