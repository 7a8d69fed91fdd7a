/**
 * The product's operations as Mastra tools, for the agent, Mastra's hosts and in-process callers.
 */
import { randomUUID } from 'node:crypto';
import { createTool, type ToolExecutionContext } from '@mastra/core/tools';
import { z } from 'zod';
import {
  type CallsTools,
  type CallsUse,
  callsToolCards,
  listCallsInput,
  listCallsOutput,
  summarizeCallsInput,
  summarizeCallsOutput,
} from '../calls/user-calls.ts';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import {
  type IngestSources,
  ingestSourcesCard,
  ingestSourcesOutput,
  ingestSourcesToolInput,
} from '../ingest/ingest-sources.ts';
import { inToolSpan } from '../trace.ts';
import type { Ask } from './ask.ts';
import { addCalls, noteFailedLookup } from './call-evidence.ts';
import { actingUserOf, namespaceOf, questionOf } from './request-context.ts';
import type { Retriever } from './retriever.ts';
import {
  docsRetrieverCard,
  docsRetrieverOutput,
  maxPassages,
  type SearchDocs,
  searchDocsCard,
  searchDocsInput,
  searchDocsOutput,
  toRetrieverResult,
} from './search-docs.ts';

export const createLocalSearchTool = (searchDocs: SearchDocs) =>
  createTool({
    ...searchDocsCard,
    inputSchema: searchDocsInput,
    outputSchema: searchDocsOutput,
    execute: searchDocs,
  });

export const createIngestSourcesTool = (ingestSources: IngestSources) =>
  createTool({
    ...ingestSourcesCard,
    inputSchema: ingestSourcesToolInput,
    outputSchema: ingestSourcesOutput,
    execute: async (input, { abortSignal }) => ingestSources(input, abortSignal),
  });

/** Asks the agent without a mention, for the MCP server of Mastra Studio. */
export const createAskTool = (ask: Ask['ask'], parseNamespace: ParseNamespace) =>
  createTool({
    id: 'askKnowledge',
    description: 'Answers a question briefly from the documents only, with citations.',
    inputSchema: z.object({
      question: z.string().min(1),
      namespace: z.string().default('default'),
    }),
    execute: async ({ question, namespace }, { requestContext, abortSignal: signal }) => {
      const messages = [{ role: 'user' as const, content: question }];
      const actingUser = actingUserOf(requestContext);
      return ask({
        messages,
        namespace: parseNamespace(namespace),
        actingUser,
        addressed: true,
        ...(signal && { signal }),
      });
    },
  });

/**
 * The agent's search. The namespace comes from the request context only, so neither a model nor a
 * message can choose it.
 */
export const createDocsRetriever = (retriever: Retriever, parseNamespace: ParseNamespace) =>
  createTool({
    ...docsRetrieverCard,
    inputSchema: z.object({ query: z.string().min(1).max(2000) }),
    outputSchema: docsRetrieverOutput,
    execute: async ({ query }, { requestContext }) => {
      const namespace = parseNamespace(namespaceOf(requestContext));
      return toRetrieverResult(await retriever.search(namespace, query, maxPassages));
    },
  });

async function lookUp<Use extends CallsUse>(
  context: Pick<ToolExecutionContext, 'requestContext' | 'agent' | 'abortSignal'>,
  toolName: Use['toolName'],
  look: (actingUser: string | undefined, signal: AbortSignal | undefined) => Promise<Use>,
): Promise<Use['result']> {
  const { requestContext, agent, abortSignal } = context;
  const question = questionOf(requestContext);
  try {
    const use = await inToolSpan(toolName, () => look(actingUserOf(requestContext), abortSignal));
    if (question) addCalls(question, agent?.toolCallId ?? `call_${randomUUID()}`, use);
    return use.result;
  } catch (error) {
    if (question) noteFailedLookup(question, error);
    throw error;
  }
}

export const createCallsAgentTools = (callsTools: CallsTools) => ({
  listCalls: createTool({
    ...callsToolCards.listCalls,
    inputSchema: listCallsInput,
    outputSchema: listCallsOutput,
    execute: async (args, context) => {
      const found = await lookUp(context, 'listCalls', async (...by) => ({
        toolName: 'listCalls' as const,
        args,
        result: await callsTools.listCalls(args, ...by),
      }));
      return { ...found, data: found.data.map((call) => ({ ...call })) };
    },
  }),
  summarizeCalls: createTool({
    ...callsToolCards.summarizeCalls,
    inputSchema: summarizeCallsInput,
    outputSchema: summarizeCallsOutput,
    execute: async (args, context) =>
      lookUp(context, 'summarizeCalls', async (...by) => ({
        toolName: 'summarizeCalls' as const,
        args,
        result: await callsTools.summarizeCalls(args, ...by),
      })),
  }),
});
