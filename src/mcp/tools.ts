/**
 * The product's tools, as MCP shows them: their own schemas, the result as structured content and as text. A failure is a result too, one
 * sentence and its code, so that the model of the client reads it.
 */
import { randomUUID } from 'node:crypto';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest, Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { AskOptions, AskResult } from '../app/ask/ask.ts';
import { createIngestSources, ingestSourcesOutput, ingestSourcesToolInput } from '../app/ingest-sources.ts';
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import { placeShape, searchDocsInput, searchDocsOutput } from '../app/search/search-docs.ts';
import { callsToolCards, listCallsInput, listCallsOutput, summarizeCallsInput, summarizeCallsOutput } from '../app/user-calls.ts';
import { KnowledgeError } from '../errors.ts';
import type { McpAct, McpHost } from './host.ts';
import { toResource } from './resources.ts';

export type McpExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

type McpToolName = Exclude<McpAct, 'resources'>;

export interface McpTool {
  readonly name: McpToolName;
  /** Made when it is asked for: schemas take longer to write than most calls. */
  readonly card: () => Tool;
  readonly call: (given: unknown, extra: McpExtra) => Promise<CallToolResult>;
}

interface ToolForm<Input extends z.ZodType> {
  readonly name: McpToolName;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodType;
  readonly isReadOnly?: boolean;
  readonly run: (input: z.output<Input>, extra: McpExtra) => Promise<CallToolResult>;
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
  call: (given, extra) => run(parseInput(input, given), extra),
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
async function answerWithProgress(api: KnowledgeApi, options: AskOptions, { _meta, sendNotification }: McpExtra): Promise<AskResult> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return api.ask(options);
  let message = '';
  let result: AskResult | undefined;
  for await (const event of api.stream({ ...options, runId: randomUUID() })) {
    if (event.type === 'finished') result = event.result;
    if (event.type !== 'text') continue;
    message += event.text;
    await sendNotification({ method: 'notifications/progress', params: { progressToken, progress: message.length, message } });
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
    async run({ question, thread, namespace: name }, extra) {
      const namespace = host.namespaceToRead(name);
      const { owner, countedAs, actingUser, addressed } = host;
      const memory = thread !== undefined && host.isOneCaller ? { owner, namespace, thread, resource: 'mcp' } : undefined;
      const messages = [{ role: 'user' as const, content: question }];
      const signal = endOf(host, extra);
      const options = { messages, namespace, signal, callerId: owner, countedAs, actingUser, addressed, memory };
      return toAnswer(await answerWithProgress(api, options, extra), (host.protocolVersion() ?? '') >= resourceLinksSince);
    },
  });
}

/** Of a call: the client leaves or cancels it, or the server stops. */
const endOf = ({ stopping }: McpHost, { signal }: McpExtra) => (stopping ? AbortSignal.any([signal, stopping]) : signal);

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
    async run(input, extra) {
      const namespace = host.namespaceToWrite(input.namespace);
      const report = await ingestSources({ ...input, namespace }, endOf(host, extra));
      return { ...asJson(report), isError: report.results.length > 0 && report.failed === report.results.length };
    },
  });
}

export function createMcpTools(api: KnowledgeApi, host: McpHost): McpTool[] {
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
      run: async (input, extra) => asJson(await callsTools.listCalls(input, host.actingUser, endOf(host, extra))),
    }),
    toTool({
      name: 'summarizeCalls',
      title: 'Add up your calls',
      description: callsToolCards.summarizeCalls.description,
      input: summarizeCallsInput,
      output: summarizeCallsOutput,
      run: async (input, extra) => asJson(await callsTools.summarizeCalls(input, host.actingUser, endOf(host, extra))),
    }),
    ...(host.takesSources ? [ingestTool(api, host)] : []),
  ];
}
