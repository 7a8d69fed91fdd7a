/**
 * The product's tools as HTTP calls them, each once: what it takes, what it gives, and who may. Its own path and `execute` are two ways to
 * the same `run`.
 */
import type { Context } from 'hono';
import { z } from 'zod';
import { ingestSourcesCard, ingestSourcesInput, requestsOf } from '../../app/ingest-sources.ts';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import {
  docsRetrieverCard,
  docsRetrieverOutput,
  maxPassages,
  searchDocsCard,
  searchDocsInput,
  searchDocsOutput,
} from '../../app/search/search-docs.ts';
import { callsToolCards, listCallsInput, listCallsOutput, summarizeCallsInput, summarizeCallsOutput } from '../../app/user-calls.ts';
import { type AppEnv, callerActingUser, namespaceToRead, namespaceToWrite } from '../auth/caller.ts';
import { header } from '../calls/routes.ts';
import { signalOf, type Wire } from '../operation.ts';
import type { OperationId, ToolName } from '../operations.ts';
import { ingest, ingested } from './ingest.ts';

export interface HttpTool<Input extends z.ZodType = z.ZodType> extends Pick<Wire<Input>, 'others' | 'parameters'> {
  readonly id: ToolName;
  readonly description: string;
  readonly body: Input;
  readonly output: z.ZodType;
  readonly operation?: OperationId;
  run(c: Context<AppEnv>, input: z.output<Input>): Promise<Response>;
}

const tool = <Input extends z.ZodType>(one: HttpTool<Input>): HttpTool => one;

export const userHeader = header(
  'onBehalfOf',
  'uid of the user who asks; only a key of CALLS_TRUSTED_KEYS may set it, a token speaks for its subject',
);

export function createHttpTools({ searchDocs, callsTools, parseNamespace, ...api }: KnowledgeApi): ReadonlyMap<string, HttpTool> {
  const readFrom = (c: Context<AppEnv>, name: string) => namespaceToRead(c.get('caller'), name, parseNamespace);

  const tools = [
    tool({
      ...ingestSourcesCard,
      operation: 'ingestSources',
      body: ingestSourcesInput,
      ...ingested,
      run: async (c, input) => {
        const namespace = namespaceToWrite(c.get('caller'), input.namespace, parseNamespace);
        return ingest(c, api, input.wait, { namespace, requests: requestsOf(input), prune: input.prune });
      },
    }),
    tool({
      ...searchDocsCard,
      operation: 'searchDocs',
      body: searchDocsInput,
      output: searchDocsOutput,
      run: async (c, input) => c.json(await searchDocs({ ...input, namespace: readFrom(c, input.namespace) })),
    }),
    tool({
      ...docsRetrieverCard,
      body: searchDocsInput.omit({ maxResults: true, explain: true }),
      output: docsRetrieverOutput,
      run: async (c, { query, namespace }) => {
        const found = await searchDocs({ query, namespace: readFrom(c, namespace), maxResults: maxPassages });
        return c.json(docsRetrieverOutput.parse(found));
      },
    }),
    tool({
      ...callsToolCards.listCalls,
      operation: 'listMyCalls',
      body: listCallsInput,
      output: listCallsOutput,
      parameters: [userHeader],
      run: async (c, input) => c.json(await callsTools.listCalls(input, callerActingUser(c), signalOf(c))),
    }),
    tool({
      ...callsToolCards.summarizeCalls,
      operation: 'summarizeCalls',
      body: summarizeCallsInput,
      output: summarizeCallsOutput,
      parameters: [userHeader],
      run: async (c, input) => c.json(await callsTools.summarizeCalls(input, callerActingUser(c), signalOf(c))),
    }),
  ];
  return new Map(tools.map((one) => [one.id, one]));
}

/** As Mastra's own server writes a schema: superjson of its JSON Schema. */
const schemaText = (schema: z.ZodType, io: 'input' | 'output') =>
  JSON.stringify({ json: z.toJSONSchema(schema, { io, unrepresentable: 'any' }) });

export const toolDetails = z.object({
  id: z.string(),
  description: z.string(),
  inputSchema: z.string().describe('{"json": JSON Schema}, as Mastra writes schemas'),
  outputSchema: z.string(),
});

export const detailsOf = ({ id, description, body, output }: HttpTool): z.infer<typeof toolDetails> => ({
  id,
  description,
  inputSchema: schemaText(body, 'input'),
  outputSchema: schemaText(output, 'output'),
});
