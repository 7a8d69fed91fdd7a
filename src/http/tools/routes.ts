/**
 * The tools and the agent as clients look them up, and tools called without an agent: by their own paths with their bare input, and by
 * `execute` with `{data}`, as `@mastra/client-js` does. An agent's tools are those that the agent itself has.
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { KnowledgeError } from '../../errors.ts';
import { note } from '../../trace.ts';
import { agentOf } from '../agents/routes.ts';
import type { AppEnv } from '../auth/caller.ts';
import { invalidRequest, json, queryParameter, serve } from '../operation.ts';
import { ingested } from './ingest.ts';
import { createHttpTools, detailsOf, type HttpTool, toolDetails, userHeader } from './tools.ts';

const executeInput = z.looseObject({
  data: z.unknown().describe('what the tool takes, see its inputSchema'),
  requestContext: z.unknown().optional().describe('accepted; widens nothing'),
  runtimeContext: z.unknown().optional().describe('an older form of requestContext'),
});

const tools = z.record(z.string(), toolDetails);

const agentOutput = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  modelId: z.string(),
  tools,
  workflows: z.object({}).describe('none'),
  agents: z.object({}).describe('none'),
});

const executed = { output: json('What the tool gives, see its outputSchema', z.unknown()), body: executeInput, parameters: [userHeader] };

async function execute(c: Context<AppEnv>, tool: HttpTool, data: unknown): Promise<Response> {
  const input = await tool.body.safeParseAsync(data);
  if (!input.success) throw invalidRequest(input.error.issues, ['data']);
  return tool.run(c, input.data);
}

export function addToolRoutes(app: Hono<AppEnv>, api: KnowledgeApi): void {
  const all: ReadonlyMap<string, HttpTool> = createHttpTools(api);
  const ofAgent = (c: Context<AppEnv>) => Object.keys(agentOf(c, api).tools);

  function toolOf(c: Context<AppEnv>, ids: Iterable<string>, where: string): HttpTool {
    const id = c.req.param('toolId') ?? '';
    const tool = [...ids].includes(id) ? all.get(id) : undefined;
    if (!tool) throw new KnowledgeError('tool_not_found', `There is no such tool; ${where} lists them.`);
    note({ tool: tool.id });
    return tool;
  }
  const anyTool = (c: Context<AppEnv>) => toolOf(c, all.keys(), 'GET /api/tools');
  const agentTool = (c: Context<AppEnv>) => toolOf(c, ofAgent(c), 'GET /api/agents/{agentId}');
  const idOf = (find: (c: Context<AppEnv>) => HttpTool) => (c: Context<AppEnv>) => find(c).id;

  for (const { operation, body, output, others, parameters, run } of all.values()) {
    if (operation) serve(app, operation, { output, body, ...(others && { others }), ...(parameters && { parameters }) }, run);
  }

  // A name that is no tool's is told as such, not that it takes another method.
  app.use('/api/tools/:toolId', (c, next) => {
    anyTool(c);
    return next();
  });
  serve(app, 'listTools', { output: tools }, (c) => c.json(Object.fromEntries([...all].map(([id, tool]) => [id, detailsOf(tool)]))));
  serve(app, 'readTool', { output: toolDetails }, (c) => c.json(detailsOf(anyTool(c))));
  const runId = queryParameter('runId', 'accepted; has no effect');
  const executedTool = { ...executed, others: ingested.others, parameters: [userHeader, runId], tool: idOf(anyTool) };
  serve(app, 'executeTool', executedTool, (c, { data }) => execute(c, anyTool(c), data));

  serve(app, 'readAgent', { output: agentOutput }, (c) => {
    const { id, name, description } = agentOf(c, api);
    const own = ofAgent(c).flatMap((toolId) => all.get(toolId) ?? []);
    const details = Object.fromEntries(own.map((tool) => [tool.id, detailsOf(tool)]));
    return c.json({ id, name, description, modelId: api.modelName, tools: details, workflows: {}, agents: {} });
  });
  serve(app, 'readAgentTool', { output: toolDetails }, (c) => c.json(detailsOf(agentTool(c))));
  serve(app, 'executeAgentTool', { ...executed, tool: idOf(agentTool) }, (c, { data }) => execute(c, agentTool(c), data));
}
