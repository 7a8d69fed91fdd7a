/**
 * The Model Context Protocol for one caller. The hosts `http/mcp` and `cli/mcp` provide the
 * transport and the caller.
 */
import { randomUUID } from 'node:crypto';
import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { KnowledgeError, withReadableNamespaces } from '../../../packages/shared/src/errors.ts';
import type { AskOptions, AskResult } from '../../ask/ask-result.ts';
import { isWebAddress, withoutNoSources } from '../../ask/reply/sources.ts';
import { searchDocsCard, searchDocsInput, searchDocsOutput } from '../../ask/search-docs.ts';
import { addressOf } from '../../ask/source-address.ts';
import {
  callsToolCards,
  listCallsInput,
  listCallsOutput,
  summarizeCallsInput,
  summarizeCallsOutput,
} from '../../calls/user-calls.ts';
import {
  createIngestSources,
  ingestSourcesCard,
  ingestSourcesOutput,
  ingestSourcesToolInput,
} from '../../ingest/ingest-sources.ts';
import { packageVersion } from '../../package.ts';
import { note } from '../../trace.ts';
import { generateOutput } from '../agents/dialects/mastra.ts';
import {
  type Caller,
  identifiesCaller,
  namespaceToRead,
  namespaceToWrite,
  readableNamespaces,
  requireRight,
} from '../auth/caller.ts';
import type { KnowledgeApi } from '../knowledge-api.ts';
import { type ToolName, toolCards } from '../operations.ts';

/** The caller, with functions that the transport provides. */
export type McpHost = Readonly<{
  caller: Caller;
  asker: Pick<AskOptions, 'countedAs' | 'actingUser' | 'addressed'> & {
    readonly callerId: string;
  };
  /** Namespace of requests without a namespace. */
  namespace: string;
  /** Public URL of the page, without a slash at its end; undefined if unknown. */
  pageUrl: string | undefined;
  stopping?: AbortSignal | undefined;
  /** Calls wait for it. */
  whenOpen?: Promise<unknown>;
  onCall?: (result: Promise<CallToolResult>) => void;
  describeFailure: (thrown: unknown) => {
    readonly error: string;
    readonly code: string;
  };
}>;

/**
 * A tool that fails returns a result with the message and code, so that the client's model can read
 * it.
 */
type McpTool<Input extends z.ZodType = z.ZodType> = Readonly<{
  id: ToolName;
  title: string;
  description: string;
  input: Input;
  output: z.ZodType;
  isReadOnly?: boolean;
  // As a method, so that tools with different inputs fit into one list.
  run(input: z.output<Input>, context: ServerContext): Promise<CallToolResult>;
}>;

/** JSON Schema draft 7, which all clients support. */
const toSchema = (schema: z.ZodType, io: 'input' | 'output') =>
  z.toJSONSchema(schema, { target: 'draft-7', io }) as Tool['inputSchema'];

const cardOf = ({ id, title, description, input, output, isReadOnly = true }: McpTool): Tool => ({
  name: id,
  title,
  description,
  inputSchema: toSchema(input, 'input'),
  outputSchema: toSchema(output, 'output'),
  annotations: { title, readOnlyHint: isReadOnly, openWorldHint: !isReadOnly },
});

/** @throws KnowledgeError `invalid_request`, which does not repeat the input */
function parseInput(input: z.ZodType, given: unknown) {
  const { data, error } = input.safeParse(given ?? {});
  if (!error) return data;
  const [first] = error.issues;
  const where = first && first.path.length > 0 ? `${first.path.map(String).join('.')}: ` : '';
  throw new KnowledgeError(
    'invalid_request',
    `The arguments are not valid: ${where}${first?.message ?? 'wrong value'}.`,
  );
}

const tool = <Input extends z.ZodType>(one: McpTool<Input>): McpTool => one;

const asJson = (result: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(result) }],
  structuredContent: { ...result },
});

const askKnowledgeOutput = generateOutput
  .pick({
    text: true,
    answered: true,
    reason: true,
    namespace: true,
    runId: true,
    degraded: true,
    citations: true,
  })
  .extend({ text: z.string().describe('answer with marks such as [1], and its sources') });

/** Protocol version that introduced resource links; earlier clients reject them. */
const resourceLinksSince = '2025-06-18';

/** The cited place on the web or, if its address is known, in the page of this server. */
function linkTo(
  citation: AskResult['citations'][number],
  namespace: string,
  pageUrl: string | undefined,
) {
  const { source, anchor } = citation;
  if (isWebAddress(source))
    return anchor === null || source.includes('#') ? source : `${source}#${anchor}`;
  return pageUrl === undefined ? undefined : addressOf(citation, namespace, pageUrl);
}

function linksOf({ citations, namespace }: AskResult, { pageUrl }: McpHost) {
  const links = citations.flatMap((citation) => {
    const uri = linkTo(citation, namespace, pageUrl);
    const { file: name, title } = citation;
    return uri === undefined ? [] : [{ type: 'resource_link' as const, uri, name, title }];
  });
  return new Map(links.map((link) => [link.uri, link])).values();
}

/** Asks the agent. Sends the text checked so far to clients with a progress token. */
async function answerWithProgress(
  api: KnowledgeApi,
  options: AskOptions,
  { _meta, notify }: ServerContext['mcpReq'],
) {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return api.ask(options);
  let message = '';
  let result: AskResult | undefined;
  for await (const event of api.stream({ ...options, runId: randomUUID() })) {
    if (event.type === 'finished') result = event.result;
    if (event.type !== 'text') continue;
    message += withoutNoSources(event.text);
    await notify({
      method: 'notifications/progress',
      params: { progressToken, progress: message.length, message },
    });
  }
  if (!result) throw new Error('the answer has no finished event');
  return result;
}

/** Aborted if the client disconnects or cancels, or the server stops. */
const endOf = ({ stopping }: McpHost, { mcpReq: { signal } }: ServerContext) =>
  stopping ? AbortSignal.any([signal, stopping]) : signal;

const instructions =
  "Answers from a company's documents. Ask with askKnowledge and keep its citations. searchDocs finds passages.";

/** Tools validate their arguments: the package's message is a list of zod's issues. */
const anyParams = { params: z.looseObject({}).optional() };

function createTools(
  api: KnowledgeApi,
  host: McpHost,
  readsLinks: (context: ServerContext) => boolean,
): McpTool[] {
  const { searchDocs, callsTools, ingestNow, parseNamespace } = api;
  const { asker, caller } = host;
  const readFrom = (name: string) => namespaceToRead(caller, name, parseNamespace);
  const ingestSources = createIngestSources(ingestNow, parseNamespace);
  const namespaceField = z.string().default(host.namespace);
  return [
    tool({
      id: 'askKnowledge',
      title: 'Ask the documents',
      description:
        'Answers a question briefly from the documents only, with citations. Every sentence is checked. Says so if the documents have no answer.',
      input: z.object({
        question: z.string().min(1).describe('question in natural language, in any language'),
        namespace: namespaceField.describe('namespace to ask'),
        thread: z
          .string()
          .min(1)
          .max(500)
          .optional()
          .describe('any name; questions with the same name form a conversation'),
      }),
      output: askKnowledgeOutput,
      async run({ question, thread, namespace: name }, context) {
        const namespace = readFrom(name);
        const options: AskOptions = {
          ...asker,
          messages: [{ role: 'user', content: question }],
          namespace,
          signal: endOf(host, context),
          memory:
            thread !== undefined && identifiesCaller(caller)
              ? { owner: asker.callerId, namespace, thread, resource: 'mcp' }
              : undefined,
          entryPoint: 'mcp',
        };
        const answer = await answerWithProgress(api, options, context.mcpReq);
        const result = { ...answer, text: withoutNoSources(answer.text) };
        return {
          content: [
            { type: 'text', text: result.text },
            ...(readsLinks(context) ? linksOf(result, host) : []),
          ],
          structuredContent: askKnowledgeOutput.parse(result),
        };
      },
    }),
    tool({
      ...searchDocsCard,
      title: 'Search the documents',
      input: searchDocsInput.extend({ namespace: namespaceField }),
      output: searchDocsOutput,
      run: async ({ namespace, ...input }) =>
        asJson(await searchDocs({ ...input, namespace: readFrom(namespace) })),
    }),
    tool({
      ...callsToolCards.listCalls,
      title: 'List your calls',
      input: listCallsInput,
      output: listCallsOutput,
      run: async (input, context) =>
        asJson(await callsTools.listCalls(input, asker.actingUser, endOf(host, context))),
    }),
    tool({
      ...callsToolCards.summarizeCalls,
      title: 'Count your calls',
      input: summarizeCallsInput,
      output: summarizeCallsOutput,
      run: async (input, context) =>
        asJson(await callsTools.summarizeCalls(input, asker.actingUser, endOf(host, context))),
    }),
    tool({
      ...ingestSourcesCard,
      title: 'Ingest sources',
      input: ingestSourcesToolInput,
      output: ingestSourcesOutput,
      isReadOnly: false,
      async run(input, context) {
        const namespace = namespaceToWrite(caller, input.namespace, parseNamespace);
        const report = await ingestSources({ ...input, namespace }, endOf(host, context));
        const { results, failed } = report;
        return { ...asJson(report), isError: results.length > 0 && failed === results.length };
      },
    }),
  ].filter(({ id }) => caller.isKey || id !== 'ingestSources');
}

/** An MCP server without a transport. */
export function createMcpServer(api: KnowledgeApi, host: McpHost): Server {
  const server = new Server(
    { name: 'knowledge-agent', title: 'Knowledge agent', version: packageVersion },
    { capabilities: { tools: {} }, instructions },
  );
  /** Over HTTP, each request of an earlier protocol has a server that has seen no `initialize`. */
  const readsLinks = ({ http }: ServerContext) => {
    const given = http?.req?.headers.get('mcp-protocol-version');
    return (server.getNegotiatedProtocolVersion() ?? given ?? '') >= resourceLinksSince;
  };
  const tools = createTools(api, host, readsLinks);
  const readable = () => readableNamespaces(host.caller, api.documents);

  async function call(
    called: McpTool,
    given: unknown,
    context: ServerContext,
  ): Promise<CallToolResult> {
    try {
      requireRight(host.caller, toolCards[called.id].right);
      await host.whenOpen;
      return await called.run(parseInput(called.input, given), context);
    } catch (thrown) {
      // A client that cancelled reads no result.
      if (context.mcpReq.signal.aborted) return { content: [], isError: true };
      const { error, code } = host.describeFailure(await withReadableNamespaces(thrown, readable));
      return { content: [{ type: 'text', text: `${error} (${code})` }], isError: true };
    }
  }

  server.setRequestHandler('tools/list', () => ({
    tools: tools.filter(({ id }) => host.caller.rights.has(toolCards[id].right)).map(cardOf),
  }));
  server.setRequestHandler('tools/call', anyParams, (params = {}, context) => {
    const called = tools.find(({ id }) => id === params['name']);
    if (!called)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        'Tool not found. tools/list lists the tools.',
        { code: 'not_found' },
      );
    note({ tool: called.id });
    const result = call(called, params['arguments'], context);
    host.onCall?.(result);
    return result;
  });
  return server;
}
