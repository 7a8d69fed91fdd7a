/**
 * Operations that read tools and agents, and that call tools: at their own paths, or by `execute`
 * with `{data}`.
 */
import { z } from 'zod';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import {
  docsRetrieverCard,
  docsRetrieverOutput,
  maxPassages,
  searchDocsCard,
  searchDocsInput,
  searchDocsOutput,
} from '../../ask/search-docs.ts';
import {
  callsToolCards,
  listCallsInput,
  listCallsOutput,
  summarizeCallsInput,
  summarizeCallsOutput,
} from '../../calls/user-calls.ts';
import type { ReportRow } from '../../ingest/ingest-source.ts';
import {
  ingestSourcesCard,
  ingestSourcesInput,
  ingestSourcesOutput,
  requestsOf,
  toReport,
} from '../../ingest/ingest-sources.ts';
import { jobReport } from '../../ingest/jobs/job.ts';
import type { IngestAndWait } from '../../ingest/run.ts';
import type { IngestRequest } from '../../ingest/source.ts';
import { note } from '../../trace.ts';
import { requireAgent } from '../agents/agent-routes.ts';
import {
  type App,
  type AppContext,
  callerActingUser,
  namespaceToRead,
  namespaceToWrite,
} from '../auth/caller.ts';
import { agentCard, type KnowledgeApi } from '../knowledge-api.ts';
import {
  allowSilence,
  invalidRequest,
  json,
  parameter,
  serve,
  signalOf,
  text,
  type Wire,
} from '../operation.ts';
import { type OperationId, operations, type ToolName } from '../operations.ts';

const allFailed = {
  422: json('All sources failed; the report contains the reasons', ingestSourcesOutput),
};

export const synchronousIngest = { output: ingestSourcesOutput, others: allFailed };

export const ingestResponses = {
  output: ingestSourcesOutput,
  others: { 202: json('With "wait": false: the job', jobReport), ...allFailed },
};

/**
 * @throws KnowledgeError `storage_unavailable` if all sources failed with it; a retry, or another
 * server, may succeed
 */
export function sendReport(
  c: AppContext,
  { mirrorHealth }: KnowledgeApi,
  namespace: string,
  rows: ReportRow[],
): Response {
  const report = toReport(namespace, rows);
  const [first] = rows;
  if (
    first?.error &&
    mirrorHealth() &&
    rows.every(({ error }) => error?.code === 'storage_unavailable')
  )
    throw new KnowledgeError('storage_unavailable', first.error.message, { retryAfterSeconds: 5 });
  return c.json(report, rows.length > 0 && report.failed === rows.length ? 422 : 200);
}

/** Ingests the sources and waits, or starts a job and returns it with 202. */
export async function ingest(
  c: AppContext,
  api: KnowledgeApi,
  wait: boolean,
  asked: Parameters<IngestAndWait>[0] & { readonly requests: readonly IngestRequest[] },
): Promise<Response> {
  const { namespace, requests, prune } = asked;
  if (!wait) {
    const job = await api.jobs.start(namespace, requests, prune, c.get('caller').id);
    note({ changed: { job: job.id } });
    return c.json(job, 202, { location: `/api/jobs/${job.id}` });
  }
  allowSilence(c);
  return sendReport(c, api, namespace, await api.ingestNow({ ...asked, signal: signalOf(c) }));
}

type HttpTool<Input extends z.ZodType = z.ZodType> = Pick<Wire<Input>, 'others' | 'parameters'> &
  Readonly<{
    id: ToolName;
    description: string;
    body: Input;
    output: z.ZodType;
    operation?: OperationId;
    run(c: AppContext, input: z.output<Input>): Promise<Response>;
  }>;

const tool = <Input extends z.ZodType>(one: HttpTool<Input>): HttpTool => one;

const userHeader = parameter(
  'header',
  'onBehalfOf',
  'uid of the acting user; only a key of CALLS_TRUSTED_KEYS may send it, a token acts for its subject',
);

function createHttpTools(api: KnowledgeApi) {
  const { searchDocs, callsTools, parseNamespace } = api;
  const readFrom = (c: AppContext, name: string) =>
    namespaceToRead(c.get('caller'), name, parseNamespace);

  const tools = [
    tool({
      ...ingestSourcesCard,
      operation: 'ingestSources',
      body: ingestSourcesInput,
      ...ingestResponses,
      run: async (c, input) => {
        const namespace = namespaceToWrite(c.get('caller'), input.namespace, parseNamespace);
        return ingest(c, api, input.wait, {
          namespace,
          requests: requestsOf(input),
          prune: input.prune,
        });
      },
    }),
    tool({
      ...searchDocsCard,
      operation: 'searchDocs',
      body: searchDocsInput,
      output: searchDocsOutput,
      run: async (c, input) =>
        c.json(await searchDocs({ ...input, namespace: readFrom(c, input.namespace) })),
    }),
    tool({
      ...docsRetrieverCard,
      body: searchDocsInput.omit({ maxResults: true, explain: true }),
      output: docsRetrieverOutput,
      run: async (c, { query, namespace }) => {
        const found = await searchDocs({
          query,
          namespace: readFrom(c, namespace),
          maxResults: maxPassages,
        });
        return c.json(docsRetrieverOutput.parse(found));
      },
    }),
    tool({
      ...callsToolCards.listCalls,
      operation: 'listMyCalls',
      body: listCallsInput,
      output: listCallsOutput,
      parameters: [userHeader],
      run: async (c, input) =>
        c.json(await callsTools.listCalls(input, callerActingUser(c), signalOf(c))),
    }),
    tool({
      ...callsToolCards.summarizeCalls,
      operation: 'summarizeCalls',
      body: summarizeCallsInput,
      output: summarizeCallsOutput,
      parameters: [userHeader],
      run: async (c, input) =>
        c.json(await callsTools.summarizeCalls(input, callerActingUser(c), signalOf(c))),
    }),
  ];
  return new Map<string, HttpTool>(tools.map((one) => [one.id, one]));
}

/** JSON Schema in superjson, as Mastra's own server sends it. */
const schemaText = (schema: z.ZodType, io: 'input' | 'output') =>
  JSON.stringify({ json: z.toJSONSchema(schema, { io, unrepresentable: 'any' }) });

const toolDetails = z.object({
  id: text,
  description: text,
  inputSchema: text.describe('{"json": JSON Schema}'),
  outputSchema: text,
});

const detailsOf = ({ id, description, body, output }: HttpTool) => ({
  id,
  description,
  inputSchema: schemaText(body, 'input'),
  outputSchema: schemaText(output, 'output'),
});

const toDetails = (tools: Iterable<HttpTool>) =>
  Object.fromEntries(Array.from(tools, (tool) => [tool.id, detailsOf(tool)]));

/** Other fields, such as `requestContext`, are accepted and have no effect. */
const executeInput = z.looseObject({
  data: z.unknown().describe('input of the tool, see its inputSchema'),
});

const tools = z.record(text, toolDetails);

const agentOutput = agentCard.pick({ id: true, name: true, description: true }).extend({
  modelId: text,
  tools,
  workflows: z.object({}).describe('always empty'),
  agents: z.object({}).describe('always empty'),
});

const executed = {
  output: json('Output of the tool, see its outputSchema', z.unknown()),
  body: executeInput,
  parameters: [userHeader],
};

async function execute(c: AppContext, tool: HttpTool, data: unknown) {
  const input = await tool.body.safeParseAsync(data);
  if (!input.success) throw invalidRequest(input.error.issues, ['data']);
  return tool.run(c, input.data);
}

export function addToolRoutes(app: App, api: KnowledgeApi): void {
  const all = createHttpTools(api);
  const ofAgent = (c: AppContext) => Object.keys(requireAgent(c, api).tools);

  function toolOf(c: AppContext, ids: Iterable<string>, where: string) {
    const id = c.req.param('toolId') ?? '';
    const tool = [...ids].includes(id) ? all.get(id) : undefined;
    if (!tool)
      throw new KnowledgeError('tool_not_found', `Tool not found. ${where} lists the tools.`);
    note({ tool: tool.id });
    return tool;
  }
  const anyTool = (c: AppContext) => toolOf(c, all.keys(), 'GET /api/tools');
  const agentTool = (c: AppContext) => toolOf(c, ofAgent(c), 'GET /api/agents/{agentId}');
  const idOf = (find: (c: AppContext) => HttpTool) => (c: AppContext) => find(c).id;

  for (const one of all.values()) if (one.operation) serve(app, one.operation, one, one.run);

  // An unknown tool is a 404 for every method, not a 405.
  app.use('/api/tools/:toolId', (c, next) => {
    anyTool(c);
    return next();
  });
  for (const [id, card] of Object.entries(operations)) {
    if (!('emptyList' in card)) continue;
    const { emptyList } = card;
    serve(app, { ...card, id }, { output: z.looseObject({}).meta({ example: emptyList }) }, (c) =>
      c.json(emptyList),
    );
  }
  serve(app, 'listTools', { output: tools }, (c) => c.json(toDetails(all.values())));
  serve(app, 'readTool', { output: toolDetails }, (c) => c.json(detailsOf(anyTool(c))));
  const executedTool = { ...executed, others: ingestResponses.others, tool: idOf(anyTool) };
  serve(app, 'executeTool', executedTool, (c, { data }) => execute(c, anyTool(c), data));

  serve(app, 'readAgent', { output: agentOutput }, (c) => {
    const { id, name, description } = requireAgent(c, api);
    const own = ofAgent(c).flatMap((toolId) => all.get(toolId) ?? []);
    const shown = { id, name, description, modelId: api.modelName, tools: toDetails(own) };
    return c.json({ ...shown, workflows: {}, agents: {} });
  });
  serve(app, 'executeAgentTool', { ...executed, tool: idOf(agentTool) }, (c, { data }) =>
    execute(c, agentTool(c), data),
  );
}
