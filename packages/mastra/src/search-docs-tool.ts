/** Tool `searchDocs`: asks a running server for passages over HTTP. The model chooses the query only. The key goes to no other origin. */
import { createTool } from '@mastra/core/tools';
import type { FoundPassages } from './found-passages.ts';

const timeoutMs = 10_000;
const maxQueryChars = 2_000;
const maxErrorChars = 500;

export interface SearchDocsToolOptions {
  /** Address of the server, http(s), with its path prefix if it has one. */
  readonly url: string;
  /** Undefined: the server needs none. */
  readonly apiKey?: string | undefined;
  /** Default: `default`. */
  readonly namespace?: string;
  /** 1 to 50; default 6. */
  readonly maxResults?: number;
  readonly fetch?: typeof globalThis.fetch;
}

/** @throws TypeError if the address is not an http(s) URL, or contains a user, query or fragment */
function searchAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TypeError('The url of the search must be an http:// or https:// address without user, query and fragment.');
  return new URL(`${url.href.replace(/\/+$/, '')}/api/tools/searchDocs`);
}

const failed = (sentence: string) => new Error(`The search failed: ${sentence}`);

function sentenceFor({ status, type }: Response, body: unknown): string {
  if (type === 'opaqueredirect' || (status >= 300 && status < 400))
    return 'the server redirects to another address. Set url to that address.';
  const message = (body as { error?: unknown } | undefined)?.error;
  return typeof message === 'string' ? message.slice(0, maxErrorChars) : `the server responded with status ${status}.`;
}

const isFound = (body: unknown): body is FoundPassages => {
  const results = (body as Partial<FoundPassages> | undefined)?.results;
  return Array.isArray(results) && results.every((one) => typeof one?.text === 'string');
};

/** Errors are sentences, which the model reads. @throws TypeError for an invalid address or key */
export function createSearchDocsTool({
  url,
  apiKey,
  namespace = 'default',
  maxResults = 6,
  fetch = globalThis.fetch,
}: SearchDocsToolOptions) {
  const address = searchAddress(url);
  // `fetch` would quote an invalid key in its error.
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('The apiKey of the search must be visible ASCII without spaces.');
  const headers = { 'content-type': 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) };
  return createTool({
    id: 'searchDocs',
    description: 'Finds the passages of the documents that match a query, best first.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', minLength: 1, maxLength: maxQueryChars } },
      required: ['query'],
    } as const,
    execute: async (input, { abortSignal }): Promise<FoundPassages> => {
      const { query } = input as { query: string };
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(abortSignal ? [abortSignal] : [])]);
      const body = JSON.stringify({ query, namespace, maxResults });
      // A redirect is not followed, because it may lead to another origin.
      const response = await fetch(address, { method: 'POST', headers, body, signal, redirect: 'manual' }).catch((error: Error) => {
        throw failed(error.name === 'TimeoutError' ? 'the server did not answer in time.' : 'the server cannot be reached.');
      });
      const found: unknown = await response.json().catch(() => undefined);
      if (!response.ok) throw failed(sentenceFor(response, found));
      if (!isFound(found)) throw failed('the answer of the server has no results. Check url.');
      return found;
    },
  });
}
