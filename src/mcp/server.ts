/**
 * The Model Context Protocol for one caller. The hosts `http/mcp` and `cli/mcp` provide the
 * transport and the caller.
 */
import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { KnowledgeError, withReadableNamespaces } from '../../packages/shared/src/errors.ts';
import type { AskOptions, AskResult } from '../app/ask/ask.ts';
import {
  createIngestSources,
  ingestSourcesOutput,
  ingestSourcesToolInput,
} from '../app/ingest-sources.ts';
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import { placeShape, searchDocsInput, searchDocsOutput } from '../app/search/search-docs.ts';
import {
  callsToolCards,
  listCallsInput,
  listCallsOutput,
  summarizeCallsInput,
  summarizeCallsOutput,
} from '../app/user-calls.ts';
import { packageVersion } from '../package.ts';
import { note } from '../trace.ts';
import {
  documentTemplate,
  listResources,
  type McpCapability,
  type McpHost,
  namespacesOfHost,
  RpcError,
  readResource,
  rpcCodes,
  toResource,
} from './resources.ts';

// A tool that fails returns a result with the message and code, so that the client's model can read
// it.

type McpRequest = ServerContext['mcpReq'];

type McpToolName = Exclude<McpCapability, 'resources'>;

interface McpTool {
  readonly name: McpToolName;
  /** Lazy, because generating schemas takes longer than most calls. */
  readonly card: () => Tool;
  readonly call: (given: unknown, request: McpRequest) => Promise<CallToolResult>;
}

interface ToolDefinition<Input extends z.ZodType> {
  readonly name: McpToolName;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodType;
  readonly isReadOnly?: boolean;
  readonly run: (input: z.output<Input>, request: McpRequest) => Promise<CallToolResult>;
}

/** JSON Schema draft 7, which all clients support. */
const toSchema = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { target: 'draft-7', io }) as Tool['inputSchema'];

/** @throws KnowledgeError `invalid_request`, which does not repeat the input */
function parseInput<Input extends z.ZodType>(input: Input, given: unknown): z.output<Input> {
  const { data, error } = input.safeParse(given ?? {});
  if (!error) return data as z.output<Input>;
  const [first] = error.issues;
  const where = first && first.path.length > 0 ? `${first.path.map(String).join('.')}: ` : '';
  throw new KnowledgeError(
    'invalid_request',
    `The arguments are not valid: ${where}${first?.message ?? 'wrong value'}.`,
  );
}

const toTool = <Input extends z.ZodType>({
  name,
  title,
  description,
  input,
  output,
  isReadOnly = true,
  run,
}: ToolDefinition<Input>): McpTool => ({
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
  text: z.string().describe('answer with citation marks such as [1], and its sources at the end'),
  answered: z.boolean(),
  reason: z.enum(['answered', 'not_mentioned', 'closest', 'no_context', 'small_talk']),
  namespace: z.string(),
  runId: z.string(),
  degraded: z
    .literal(true)
    .optional()
    .describe('present if no model could answer and the answer quotes the documents instead'),
  citations: z.array(
    z.object({
      index: z.int().min(1),
      ...placeShape,
      quote: z.string().describe('equals slice(start, end) of the document'),
    }),
  ),
});

/** Protocol version that introduced resource links; earlier clients reject them. */
const resourceLinksSince = '2025-06-18';

function toAnswer(
  { text, answered, reason, namespace, runId, degraded, citations }: AskResult,
  hasLinks: boolean,
): CallToolResult {
  const cited = [...new Map(citations.map((citation) => [citation.documentId, citation])).values()];
  const links = cited.map((citation) => ({
    type: 'resource_link' as const,
    ...toResource(namespace, citation),
  }));
  return {
    content: [{ type: 'text', text }, ...(hasLinks ? links : [])],
    structuredContent: {
      text,
      answered,
      reason,
      namespace,
      runId,
      ...(degraded ? { degraded } : {}),
      citations,
    },
  };
}

/** Asks the agent. Sends the text checked so far to clients with a progress token. */
async function answerWithProgress(
  api: KnowledgeApi,
  options: AskOptions,
  { _meta, notify }: McpRequest,
): Promise<AskResult> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return api.ask(options);
  let message = '';
  let result: AskResult | undefined;
  for await (const event of api.stream({ ...options, runId: randomUUID() })) {
    if (event.type === 'finished') result = event.result;
    if (event.type !== 'text') continue;
    message += event.text;
    await notify({
      method: 'notifications/progress',
      params: { progressToken, progress: message.length, message },
    });
  }
  if (!result) throw new Error('the answer has no finished event');
  return result;
}

function askTool(
  api: KnowledgeApi,
  host: McpHost,
  namespaceField: z.ZodDefault<z.ZodString>,
): McpTool {
  const input = z.object({
    question: z.string().min(1).describe('question in natural language, in any language'),
    namespace: namespaceField.describe('namespace to ask'),
    thread: chosenThread
      .optional()
      .describe('any name; questions with the same name form a conversation'),
  });
  return toTool({
    name: 'askKnowledge',
    title: 'Ask the documents',
    description:
      'Answers a question briefly from the documents only, with citations. Every sentence is checked. Says so if the documents have no answer.',
    input,
    output: askKnowledgeOutput,
    async run({ question, thread, namespace: name }, request) {
      const namespace = host.namespaceToRead(name);
      const { owner, countedAs, actingUser, addressed } = host;
      const memory =
        thread !== undefined && host.identifiesCaller
          ? { owner, namespace, thread, resource: 'mcp' }
          : undefined;
      const messages = [{ role: 'user' as const, content: question }];
      const signal = endOf(host, request);
      const options = {
        messages,
        namespace,
        signal,
        callerId: owner,
        countedAs,
        actingUser,
        addressed,
        memory,
        entryPoint: 'mcp',
      };
      return toAnswer(
        await answerWithProgress(api, options, request),
        (host.protocolVersion() ?? '') >= resourceLinksSince,
      );
    },
  });
}

/** Aborted if the client disconnects or cancels, or the server stops. */
const endOf = ({ stopping }: McpHost, { signal }: McpRequest) =>
  stopping ? AbortSignal.any([signal, stopping]) : signal;

function ingestTool({ ingestNow, parseNamespace }: KnowledgeApi, host: McpHost): McpTool {
  const ingestSources = createIngestSources(ingestNow, parseNamespace);
  return toTool({
    name: 'ingestSources',
    title: 'Ingest sources',
    description:
      'Ingests URLs, files and texts into a namespace, so that they can be searched. The report has one row per source.',
    input: ingestSourcesToolInput,
    output: ingestSourcesOutput,
    isReadOnly: false,
    async run(input, request) {
      const namespace = host.namespaceToWrite(input.namespace);
      const report = await ingestSources({ ...input, namespace }, endOf(host, request));
      return {
        ...asJson(report),
        isError: report.results.length > 0 && report.failed === report.results.length,
      };
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
      description:
        'Finds passages in the documents of a namespace, best first, with their positions.',
      input: searchDocsInput.extend({ namespace }),
      output: searchDocsOutput,
      async run(input) {
        return asJson(
          await searchDocs({ ...input, namespace: host.namespaceToRead(input.namespace) }),
        );
      },
    }),
    toTool({
      name: 'listCalls',
      title: 'List your calls',
      description: callsToolCards.listCalls.description,
      input: listCallsInput,
      output: listCallsOutput,
      run: async (input, request) =>
        asJson(await callsTools.listCalls(input, host.actingUser, endOf(host, request))),
    }),
    toTool({
      name: 'summarizeCalls',
      title: 'Count your calls',
      description: callsToolCards.summarizeCalls.description,
      input: summarizeCallsInput,
      output: summarizeCallsOutput,
      run: async (input, request) =>
        asJson(await callsTools.summarizeCalls(input, host.actingUser, endOf(host, request))),
    }),
    ...(host.offersIngest ? [ingestTool(api, host)] : []),
  ];
}

const instructions =
  "Answers from a company's documents. Ask with askKnowledge and keep its citations. searchDocs finds passages; resources are the documents.";

/**
 * Parameters are validated below, because the package's schemas would turn a wrong one into an
 * internal error.
 */
const anyParams = { params: z.looseObject({}).optional() };

async function toFailedResult(
  api: KnowledgeApi,
  host: McpHost,
  thrown: unknown,
): Promise<CallToolResult> {
  const { error, code } = host.describeFailure(
    await withReadableNamespaces(thrown, () => namespacesOfHost(api, host)),
  );
  return { content: [{ type: 'text', text: `${error} (${code})` }], isError: true };
}

/** Creates an MCP server without a transport. */
export function createMcpServer(api: KnowledgeApi, host: McpHost): Server {
  const tools = new Map<string, McpTool>(
    createMcpTools(api, host).map((tool) => [tool.name, tool]),
  );
  const implementation = {
    name: 'knowledge-agent',
    title: 'Knowledge agent',
    version: packageVersion,
  };
  const server = new Server(implementation, {
    capabilities: { tools: {}, resources: {} },
    instructions,
  });

  async function asRpcErrors<Result>(run: () => Promise<Result>): Promise<Result> {
    try {
      host.requireRightTo('resources');
      await host.whenOpen;
      return await run();
    } catch (thrown) {
      if (thrown instanceof RpcError) throw thrown;
      const { error, code } = host.describeFailure(thrown);
      throw new RpcError(code === 'internal' ? rpcCodes.internal : rpcCodes.server, error, {
        code,
      });
    }
  }

  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.values()].filter(({ name }) => host.may(name)).map(({ card }) => card()),
  }));
  server.setRequestHandler('tools/call', anyParams, async (params = {}, { mcpReq }) => {
    const tool = tools.get(String(params['name']));
    if (!tool)
      throw new RpcError(rpcCodes.invalidParams, 'Tool not found. tools/list lists the tools.', {
        code: 'not_found',
      });
    note({ tool: tool.name });
    try {
      host.requireRightTo(tool.name);
      await host.whenOpen;
      return await tool.call(params['arguments'], mcpReq);
    } catch (thrown) {
      // A client that cancelled reads no result.
      if (mcpReq.signal.aborted) return { content: [], isError: true };
      return await toFailedResult(api, host, thrown);
    }
  });
  server.setRequestHandler('resources/list', anyParams, (params) =>
    asRpcErrors(() => listResources(api, host, params?.['cursor'])),
  );
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [documentTemplate],
  }));
  server.setRequestHandler('resources/read', anyParams, (params) =>
    asRpcErrors(() => readResource(api, host, String(params?.['uri'] ?? ''))),
  );
  return server;
}
