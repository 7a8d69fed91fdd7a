/** The wire of the routes that are not tools: requests as they may come, responses as they are documented. */
import { z } from 'zod';
import { listCallsInput, listCallsOutput, summarizeCallsInput, summarizeCallsOutput } from '../mastra/tools/calls.ts';
import { docsRetrieverOutput } from '../mastra/tools/docs-retriever.ts';
import { reportRow, rowCounts } from '../mastra/tools/ingest-sources.ts';
import { placeShape } from '../mastra/tools/search-docs.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z
    .union([z.string(), z.array(part), z.null()])
    .describe('text, or parts of which the text counts; null in a turn that only called tools'),
});

const name = z.string().max(500);

/** Unknown fields are accepted and have no effect; see the contract on what a request cannot replace. */
export const generateInput = z.looseObject({
  messages: z
    .union([z.string().min(1), z.array(message).min(1).max(1000)], {
      error: 'must be a non-empty string or a non-empty list of {role, content}',
    })
    .describe('the conversation, oldest first; the last user message is the turn')
    .meta({ example: [{ role: 'user', content: '@agent how long do refunds take?' }] }),
  toolParams: z.looseObject({ namespace: z.string().nullish().describe('default: "default"') }).nullish(),
  memory: z
    .looseObject({
      thread: z.union([name, z.looseObject({ id: name })]).nullish(),
      resource: name.nullish(),
    })
    .nullish()
    .describe("the thread in which earlier turns are remembered; names choose among the caller's own threads in the namespace"),
  threadId: name.nullish().describe('an older form of memory.thread'),
  resourceId: name.nullish().describe('an older form of memory.resource'),
  requestContext: z.unknown().optional().describe('accepted; widens nothing'),
});

export type GenerateInput = z.infer<typeof generateInput>;

const citation = z.object({
  index: z.int().min(1),
  ...placeShape,
  quote: z.string().describe('exactly slice(start, end) of the stored file'),
});

const call = { toolCallId: z.string(), toolName: z.string() };

export const generateOutput = z.object({
  text: z.string(),
  answered: z.boolean(),
  reason: z.enum(['answered', 'not_mentioned', 'no_context']),
  namespace: z.string(),
  runId: z.string(),
  finishReason: z.string(),
  model: z.string(),
  citations: z.array(citation),
  dropped: z.int().min(0).describe('sentences of the model that no passage supports, which are not shown'),
  toolCalls: z.array(
    z.object({ ...call, args: z.union([z.object({ query: z.string(), namespace: z.string() }), listCallsInput, summarizeCallsInput]) }),
  ),
  toolResults: z.array(z.object({ ...call, result: z.union([docsRetrieverOutput, listCallsOutput, summarizeCallsOutput]) })),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() }),
});

export const agentsOutput = z.record(
  z.string(),
  z.object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    tools: z.record(z.string(), z.object({ id: z.string(), description: z.string() })),
  }),
);

const time = z.string().describe('ISO 8601');

export const jobOutput = z.object({
  id: z.string(),
  namespace: z.string(),
  status: z.enum(['queued', 'running', 'completed', 'failed', 'cancelled']).describe('failed: every source failed'),
  createdAt: time,
  startedAt: time.nullable(),
  finishedAt: time.nullable(),
  stages: z
    .object({ waiting: z.int(), loading: z.int(), parsing: z.int(), storing: z.int(), indexing: z.int(), done: z.int() })
    .describe('sources by stage; what a site or a folder holds is counted as it is found'),
  current: z.string().nullable().describe('the source that was taken up last'),
  ...rowCounts,
  results: z.array(reportRow).describe('of every finished source'),
});

export const namespacesOutput = z.object({
  namespaces: z.array(
    z.object({
      name: z.string(),
      documents: z.int(),
      chunks: z.int(),
      bytes: z.int(),
      schedules: z
        .array(z.object({ source: z.string(), refreshEvery: z.string(), nextAt: time }))
        .describe('sources that are read again by themselves'),
    }),
  ),
});

const documentShape = {
  id: z.string(),
  file: z.string().describe('path below the namespace folder'),
  title: z.string(),
  source: z.string(),
  kind: z.enum(['url', 'file', 'text']),
  bytes: z.int(),
  chunks: z.int(),
  revision: z.string(),
  fetchedAt: time.nullable(),
  language: z.string().nullable(),
  lastModified: z.string().nullable().describe('as the source says'),
  canonicalUrl: z.string().nullable(),
};

export const documentsInput = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  perPage: z.coerce.number().int().min(1).max(500).default(50),
});

export const documentsOutput = z.object({
  namespace: z.string(),
  total: z.int(),
  page: z.int(),
  perPage: z.int(),
  documents: z.array(z.object(documentShape)).describe('in the order of their files'),
});

export const documentOutput = z.object({
  namespace: z.string(),
  ...documentShape,
  markdown: z.string().describe('the stored file, front matter included: offsets of passages and citations point into it'),
  bodyStart: z.int().describe('offset of the text after the front matter'),
});

export const deletedDocumentOutput = z.object({
  namespace: z.string(),
  deleted: z.object({ id: z.string(), file: z.string(), title: z.string() }),
});
export const deletedNamespaceOutput = z.object({ namespace: z.string(), deleted: z.object({ documents: z.int() }) });

export const refreshInput = z.strictObject({
  documents: z
    .array(z.string().max(100))
    .min(1)
    .max(1000)
    .optional()
    .describe('ids; without them, every document that came from a URL or a file'),
  prune: z.boolean().default(false).describe('remove the documents of sources that are gone'),
  wait: z.boolean().default(true).describe('false: answer 202 with a job at once'),
});

export const errorOutput = z.object({
  error: z.string().describe('one sentence for a person'),
  code: z.string().describe('for a program'),
  requestId: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

export const healthOutput = z.object({ status: z.string() });
