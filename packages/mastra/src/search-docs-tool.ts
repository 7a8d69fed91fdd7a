/**
 * Tool `searchDocs`: asks a running server for passages over HTTP. The model chooses only the
 * query.
 */
import { createTool } from '@mastra/core/tools';
import { createKnowledgeClient, type KnowledgeClientOptions } from '../../client/src/index.ts';

/** `maxResults`: 1 to 50; default 6. */
export type SearchDocsToolOptions = Pick<
  KnowledgeClientOptions,
  'url' | 'apiKey' | 'namespace' | 'fetch'
> & {
  readonly maxResults?: number;
};

/**
 * Its errors are sentences, which the model reads. @throws KnowledgeClientError `invalid_option`
 */
export function createSearchDocsTool({ maxResults = 6, ...server }: SearchDocsToolOptions) {
  const client = createKnowledgeClient({ ...server, retry: { maxAttempts: 2 } });
  return createTool({
    id: 'searchDocs',
    description: 'Finds the passages of the documents that match a query, best first.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', minLength: 1, maxLength: 2_000 } },
      required: ['query'],
    } as const,
    execute: (input, { abortSignal }) => {
      const signal = AbortSignal.any([
        AbortSignal.timeout(10_000),
        ...(abortSignal ? [abortSignal] : []),
      ]);
      return client.search((input as { query: string }).query, { maxResults, signal });
    },
  });
}
