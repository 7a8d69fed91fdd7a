/**
 * The Model Context Protocol over the product: tools, and documents as resources, for one caller. Knows nothing of how messages travel;
 * its hosts (`http/mcp`, `cli/mcp`) bring the transport, and say who is asking.
 */
import { type CallToolResult, Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import { note } from '../trace.ts';
import { type McpHost, RpcError, rpcCodes } from './host.ts';
import { documentTemplate, listResources, readResource } from './resources.ts';
import { createMcpTools, type McpTool } from './tools.ts';

const instructions =
  "Answers from a company's documents. Ask with askKnowledge and keep its citations; searchDocs finds passages, and resources are the documents themselves.";

/** Parameters are read below: the schemas of the package would make a wrong one an internal error. */
const anyParams = { params: z.looseObject({}).optional() };

/** A failed tool is a result, which the model of the client reads. */
function toFailedResult({ tellFailure }: McpHost, thrown: unknown): CallToolResult {
  const { error, code } = tellFailure(thrown);
  return { content: [{ type: 'text', text: `${error} (${code})` }], isError: true };
}

export function createMcpServer(api: KnowledgeApi, host: McpHost): Server {
  const tools = new Map<string, McpTool>(createMcpTools(api, host).map((tool) => [tool.name, tool]));
  const { name, version } = manifest;
  const server = new Server({ name, title: 'Knowledge agent', version }, { capabilities: { tools: {}, resources: {} }, instructions });

  /** What fails is told as its host tells it, and nothing else of it. */
  async function orTold<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      host.requireRightTo('resources');
      await host.whenOpen;
      return await run();
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      const { error, code } = host.tellFailure(thrown);
      throw new RpcError(code === 'internal' ? rpcCodes.internal : rpcCodes.server, error, { code });
    }
  }

  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.values()].filter(({ name }) => host.may(name)).map(({ card }) => card()),
  }));
  server.setRequestHandler('tools/call', anyParams, async (params = {}, { mcpReq }) => {
    const tool = tools.get(String(params['name']));
    if (!tool) throw new RpcError(rpcCodes.invalidParams, 'There is no such tool; tools/list names them.', { code: 'not_found' });
    note({ tool: tool.name });
    try {
      host.requireRightTo(tool.name);
      await host.whenOpen;
      return await tool.call(params['arguments'], mcpReq);
    } catch (thrown) {
      // Whoever cancelled it reads nothing of it.
      if (mcpReq.signal.aborted) return { content: [], isError: true };
      return toFailedResult(host, thrown);
    }
  });
  server.setRequestHandler('resources/list', anyParams, (params) => orTold(() => listResources(api, host, params?.['cursor'])));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [documentTemplate] }));
  server.setRequestHandler('resources/read', anyParams, (params) => orTold(() => readResource(api, host, String(params?.['uri'] ?? ''))));
  return server;
}
