import type { TestService } from './workspace.ts';

/** Operations of the OpenAPI document, whose paths are templates. */
export async function operationsOf({ get }: Pick<TestService, 'get'>, headers = {}) {
  const { paths } = (await get('/api/openapi.json', headers)).body;
  return Object.entries<Record<string, any>>(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([name, operation]) => ({
      template,
      method: name.toUpperCase(),
      operation,
    })),
  );
}

/** Path of an operation. @param values of its parameters, which else have examples */
export function pathOf(template: string, values: Readonly<Record<string, string>> = {}): string {
  const examples: Readonly<Record<string, string>> = {
    namespace: 'docs',
    agentId: 'knowledge',
    toolId: template.includes('agentId') ? 'docsRetriever' : 'searchDocs',
    model: 'knowledge/docs',
  };
  return template.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => values[name] ?? examples[name] ?? 'none',
  );
}

/**
 * Valid request bodies by operation id, for tests that cover all operations. Other operations take
 * no body.
 */
export const bodiesFor = (namespace: string): Readonly<Record<string, unknown>> => ({
  ingestSources: { namespace, sources: ['Refunds are paid.'], wait: false },
  searchDocs: { namespace, query: 'refunds' },
  createChatCompletion: {
    model: `knowledge/${namespace}`,
    messages: [{ role: 'user', content: 'refunds?' }],
  },
  createResponse: { model: `knowledge/${namespace}`, input: 'refunds?' },
  chat: { messages: [{ role: 'user', content: 'refunds?' }], namespace },
  runAgent: {
    threadId: 't',
    runId: 'r',
    messages: [{ role: 'user', content: 'refunds?' }],
    forwardedProps: { namespace },
  },
  ...Object.fromEntries(
    ['generate', 'stream', 'generateVnext', 'streamVnext', 'generateLegacy', 'streamLegacy'].map(
      (id) => [id, { messages: '@agent refunds?', toolParams: { namespace } }],
    ),
  ),
  executeTool: { data: { query: 'refunds', namespace } },
  executeAgentTool: { data: { query: 'refunds', namespace } },
  deleteMessages: { messageIds: ['none'] },
  mcp: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  verifyAnswer: {
    namespace,
    citations: [{ index: 1, documentId: 'x', quote: 'x', start: 0, end: 1, revision: 'x' }],
  },
  giveFeedback: { rating: 'up' },
  draftAnswer: { text: 'Refunds take 30 days.' },
  ...Object.fromEntries(['approveAnswer', 'dismissGap', 'reopenGap'].map((id) => [id, {}])),
  mergeGaps: { into: 'none' },
  splitGap: { questions: ['refunds?'] },
  refreshNamespace: { documents: ['no-such-document'] },
  listMyCalls: {},
  summarizeCalls: {},
  receiveChatMessage: { text: '@agent refunds?', conversation: 'c', user: 'ann', namespace },
});

/** JSON-RPC request that calls a tool over MCP. */
export const mcpCall = (name: string, args: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name, arguments: args },
});
