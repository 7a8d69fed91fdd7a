/** The Model Context Protocol over the product, for one caller; its hosts (`http/mcp`, `cli/mcp`) bring the transport and say who asks. */

import { randomUUID } from 'node:crypto';
import { type CallToolResult, Server, type ServerContext, type Tool } from '@modelcontextprotocol/server';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import type { AskOptions, AskResult } from '../app/ask/ask.ts';
import { createIngestSources, ingestSourcesOutput, ingestSourcesToolInput } from '../app/ingest-sources.ts';
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import { placeShape, searchDocsInput, searchDocsOutput } from '../app/search/search-docs.ts';
import { callsToolCards, listCallsInput, listCallsOutput, summarizeCallsInput, summarizeCallsOutput } from '../app/user-calls.ts';
import { KnowledgeError } from '../errors.ts';
import { note } from '../trace.ts';
import { documentTemplate, listResources, type McpAct, type McpHost, RpcError, readResource, rpcCodes, toResource } from './resources.ts';

// The product's tools, as MCP shows them: their own schemas, the result as structured content and as text. A failure is a result too, one
// sentence and its code, so that the model of the client reads it.

/** The request of a call of a tool. */
type McpRequest = ServerContext['mcpReq'];

type McpToolName = Exclude<McpAct, 'resources'>;

interface McpTool {
  readonly name: McpToolName;
  /** Made when it is asked for: schemas take longer to write than most calls. */
  readonly card: () => Tool;
  readonly call: (given: unknown, request: McpRequest) => Promise<CallToolResult>;
}

interface ToolForm<Input extends z.ZodType> {
  readonly name: McpToolName;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodType;
  readonly isReadOnly?: boolean;
  readonly run: (input: z.output<Input>, request: McpRequest) => Promise<CallToolResult>;
}

/** Draft 7, which the validators of every client know. */
const toSchema = (schema: z.ZodType, io: 'input' | 'output') => z.toJSONSchema(schema, { target: 'draft-7', io }) as Tool['inputSchema'];

/** @throws KnowledgeError `invalid_request`, which does not say what was sent */
function parseInput<Input extends z.ZodType>(input: Input, given: unknown): z.output<Input> {
  const { data, error } = input.safeParse(given ?? {});
  if (!error) return data as z.output<Input>;
  const [first] = error.issues;
  const where = first && first.path.length > 0 ? `${first.path.map(String).join('.')}: ` : '';
  throw new KnowledgeError('invalid_request', `The arguments are not valid: ${where}${first?.message ?? 'wrong value'}.`);
}

const toTool = <Input extends z.ZodType>({
  name,
  title,
  description,
  input,
  output,
  isReadOnly = true,
  run,
}: ToolForm<Input>): McpTool => ({
  name,
  card: () => ({
    name,
    title,
    description,
    inputSchema: toSchema(input, 'input'),
    outputSchema: toSchema(output, 'output'),
    annotations: { title, readOnlyHint: isReadOnly, openWorldHint: !isReadOnly },
  }),
  call: (given, request) => run(parseInput(input, given), request),
});

const asJson = (result: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(result) }],
  structuredContent: { ...result },
});

const chosenThread = z.string().min(1).max(500);

const askKnowledgeOutput = z.object({
  text: z.string().describe('with numbers in brackets, and the list of sources at its end'),
  answered: z.boolean(),
  reason: z.enum(['answered', 'not_mentioned', 'closest', 'no_context', 'small_talk']),
  namespace: z.string(),
  runId: z.string(),
  degraded: z.literal(true).optional().describe('only where no model could answer, and sentences were picked from the documents instead'),
  citations: z.array(
    z.object({ index: z.int().min(1), ...placeShape, quote: z.string().describe('exactly slice(start, end) of the document') }),
  ),
});

/** Content of this kind, and versions before it, which would take it for an error. */
const resourceLinksSince = '2025-06-18';

function toAnswer({ text, answered, reason, namespace, runId, degraded, citations }: AskResult, hasLinks: boolean): CallToolResult {
  const cited = [...new Map(citations.map((citation) => [citation.documentId, citation])).values()];
  const links = cited.map((citation) => ({ type: 'resource_link' as const, ...toResource(namespace, citation) }));
  return {
    content: [{ type: 'text', text }, ...(hasLinks ? links : [])],
    structuredContent: { text, answered, reason, namespace, runId, ...(degraded ? { degraded } : {}), citations },
  };
}

/** The answer; who wants to know how far it is, is told the text that is checked so far. */
async function answerWithProgress(api: KnowledgeApi, options: AskOptions, { _meta, notify }: McpRequest): Promise<AskResult> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return api.ask(options);
  let message = '';
  let result: AskResult | undefined;
  for await (const event of api.stream({ ...options, runId: randomUUID() })) {
    if (event.type === 'finished') result = event.result;
    if (event.type !== 'text') continue;
    message += event.text;
    await notify({ method: 'notifications/progress', params: { progressToken, progress: message.length, message } });
  }
  if (!result) throw new Error('an answer ended without its end');
  return result;
}

function askTool(api: KnowledgeApi, host: McpHost, namespaceField: z.ZodDefault<z.ZodString>): McpTool {
  const input = z.object({
    question: z.string().min(1).describe('as a person would ask it, in any language'),
    namespace: namespaceField.describe('whose documents are asked'),
    thread: chosenThread.optional().describe('any name: questions of one thread are understood as a conversation'),
  });
  return toTool({
    name: 'askKnowledge',
    title: 'Ask the documents',
    description:
      'Answers a question from the documents alone, shortly, with citations; every sentence is checked against them. Says so where they do not hold an answer.',
    input,
    output: askKnowledgeOutput,
    async run({ question, thread, namespace: name }, request) {
      const namespace = host.namespaceToRead(name);
      const { owner, countedAs, actingUser, addressed } = host;
      const memory = thread !== undefined && host.isOneCaller ? { owner, namespace, thread, resource: 'mcp' } : undefined;
      const messages = [{ role: 'user' as const, content: question }];
      const signal = endOf(host, request);
      const options = { messages, namespace, signal, callerId: owner, countedAs, actingUser, addressed, memory };
      return toAnswer(await answerWithProgress(api, options, request), (host.protocolVersion() ?? '') >= resourceLinksSince);
    },
  });
}

/** Of a call: the client leaves or cancels it, or the server stops. */
const endOf = ({ stopping }: McpHost, { signal }: McpRequest) => (stopping ? AbortSignal.any([signal, stopping]) : signal);

function ingestTool({ ingestNow, parseNamespace }: KnowledgeApi, host: McpHost): McpTool {
  const ingestSources = createIngestSources(ingestNow, parseNamespace);
  return toTool({
    name: 'ingestSources',
    title: 'Read sources into the documents',
    description:
      'Reads URLs, files and texts into a namespace, where they are searched from then on; one row of the report for each source.',
    input: ingestSourcesToolInput,
    output: ingestSourcesOutput,
    isReadOnly: false,
    async run(input, request) {
      const namespace = host.namespaceToWrite(input.namespace);
      const report = await ingestSources({ ...input, namespace }, endOf(host, request));
      return { ...asJson(report), isError: report.results.length > 0 && report.failed === report.results.length };
    },
  });
}

function createMcpTools(api: KnowledgeApi, host: McpHost): McpTool[] {
  const { searchDocs, callsTools } = api;
  const namespace = z.string().default(host.namespace);
  return [
    askTool(api, host, namespace),
    toTool({
      name: 'searchDocs',
      title: 'Search the documents',
      description: 'Finds passages in the documents of a namespace, best first, with where each of them stands.',
      input: searchDocsInput.extend({ namespace }),
      output: searchDocsOutput,
      async run(input) {
        return asJson(await searchDocs({ ...input, namespace: host.namespaceToRead(input.namespace) }));
      },
    }),
    toTool({
      name: 'listCalls',
      title: 'List your calls',
      description: callsToolCards.listCalls.description,
      input: listCallsInput,
      output: listCallsOutput,
      run: async (input, request) => asJson(await callsTools.listCalls(input, host.actingUser, endOf(host, request))),
    }),
    toTool({
      name: 'summarizeCalls',
      title: 'Add up your calls',
      description: callsToolCards.summarizeCalls.description,
      input: summarizeCallsInput,
      output: summarizeCallsOutput,
      run: async (input, request) => asJson(await callsTools.summarizeCalls(input, host.actingUser, endOf(host, request))),
    }),
    ...(host.takesSources ? [ingestTool(api, host)] : []),
  ];
}

const instructions =
  "Answers from a company's documents. Ask with askKnowledge and keep its citations; searchDocs finds passages, and resources are the documents themselves.";

/** Parameters are read below: the schemas of the package would make a wrong one an internal error. */
const anyParams = { params: z.looseObject({}).optional() };

function toFailedResult({ tellFailure }: McpHost, thrown: unknown): CallToolResult {
  const { error, code } = tellFailure(thrown);
  return { content: [{ type: 'text', text: `${error} (${code})` }], isError: true };
}

export function createMcpServer(api: KnowledgeApi, host: McpHost): Server {
  const tools = new Map<string, McpTool>(createMcpTools(api, host).map((tool) => [tool.name, tool]));
  const { name, version } = manifest;
  const server = new Server({ name, title: 'Knowledge agent', version }, { capabilities: { tools: {}, resources: {} }, instructions });

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
