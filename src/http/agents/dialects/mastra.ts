/**
 * Mastra's protocol, for the chat platform and `@mastra/client-js`; messages need a mention. A
 * silent agent sends `tripwire` before `finish`. A failed answer sends `error` with a code, then
 * `finish`, because the chat platform's client waits for `finish`.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AskResult } from '../../../ask/ask-result.ts';
import { docsRetrieverOutput, placeShape } from '../../../ask/search-docs.ts';
import {
  listCallsInput,
  listCallsOutput,
  summarizeCallsInput,
  summarizeCallsOutput,
} from '../../../calls/user-calls.ts';
import {
  chatMessage,
  chatMessages,
  chosenName,
  conversationOf,
  invalidField,
  namespaceField,
  userIn,
  withRecent,
} from './conversation.ts';
import {
  askCard,
  type Dialect,
  type DialectOperation,
  type DialectQuestion,
  type DialectRun,
  type DialectWriter,
  dataOf,
  verdictOf,
} from './dialect.ts';

const messages = withRecent(
  z.union([z.string().min(1), z.array(z.string().min(1)).min(1), chatMessages, chatMessage], {
    error: 'must be a non-empty text, a message {role, content}, or a non-empty list of either',
  }),
);

const memory = z.looseObject({
  thread: z.union([chosenName, z.looseObject({ id: chosenName })]).nullish(),
  resource: chosenName.nullish(),
});

/** Unknown fields are accepted and have no effect. */
export const generateInput = z.looseObject({
  messages: messages.describe('oldest first; the last user message is the question'),
  toolParams: z.looseObject({ namespace: namespaceField }).nullish(),
  memory: memory.nullish().describe("the caller's own thread that remembers earlier turns"),
  threadId: chosenName.nullish().describe('older name of memory.thread'),
  resourceId: chosenName.nullish().describe('older name of memory.resource'),
  requestContext: z
    .unknown()
    .optional()
    .describe(
      'namespace: like toolParams.namespace; userToken, user: the acting user (docs/secure.md#users)',
    ),
  runtimeContext: z.unknown().optional().describe('older name of requestContext'),
  structuredOutput: z
    .unknown()
    .optional()
    .describe('rejected: an answer is sentences with citations'),
  addressed: z.boolean().nullish().describe('only with a key; true: the message needs no mention'),
});
export type GenerateInput = z.infer<typeof generateInput>;

const citation = z.object({
  index: z.int().min(1),
  ...placeShape,
  quote: z.string().describe('equals slice(start, end) of the stored file'),
});

const searchArgs = z.object({ query: z.string(), namespace: z.string() });
const call = { toolCallId: z.string(), toolName: z.string() };

export const checkedBy = z
  .enum(['model', 'rules', 'mixed'])
  .describe('what decided the sentences that are not quotations');

export const generateOutput = z.object({
  text: z.string(),
  answered: z.boolean(),
  reason: z.enum(['answered', 'not_mentioned', 'closest', 'no_context', 'small_talk']),
  namespace: z.string(),
  runId: z.string(),
  finishReason: z.string(),
  model: z.string().describe('model that answered'),
  degraded: z
    .literal(true)
    .optional()
    .describe('present if no model could answer, so the answer quotes the documents'),
  citations: z.array(citation),
  dropped: z.int().min(0).describe('unsupported sentences that were removed'),
  repaired: z.int().min(0).describe('1 if a section replaces what was removed, else 0'),
  rewritten: z.int().min(0).optional().describe('sentences that the model wrote again'),
  checkedBy: checkedBy.optional(),
  toolCalls: z.array(
    z.object({ ...call, args: z.union([searchArgs, listCallsInput, summarizeCallsInput]) }),
  ),
  toolResults: z.array(
    z.object({
      ...call,
      result: z.union([docsRetrieverOutput, listCallsOutput, summarizeCallsOutput]),
    }),
  ),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() }),
});

function threadOf({ memory, threadId, resourceId }: GenerateInput) {
  const named = memory?.thread ?? threadId ?? '';
  const thread = typeof named === 'string' ? named : named.id;
  const resource = memory?.resource ?? resourceId ?? '';
  return thread === '' ? undefined : { thread, resource };
}

const context = z.looseObject({ namespace: z.unknown() });

/**
 * Several fields may name the namespace. @throws KnowledgeError `invalid_request` if they differ
 */
function namespaceIn({ toolParams, requestContext, runtimeContext }: GenerateInput) {
  const named = Object.entries({ toolParams, requestContext, runtimeContext }).flatMap(
    ([field, holder]) => {
      const namespace = context.safeParse(holder).data?.namespace;
      return namespace == null ? [] : [{ path: `${field}.namespace`, namespace }];
    },
  );
  const [first] = named;
  for (const { path, namespace } of named) {
    if (typeof namespace !== 'string') throw invalidField(path, 'must be a string');
    if (namespace.toLowerCase() !== String(first?.namespace).toLowerCase())
      throw invalidField(path, `differs from ${first?.path}`);
  }
  return first && String(first.namespace);
}

export function mastraQuestion(
  input: GenerateInput,
  structured: readonly string[] = ['structuredOutput'],
): DialectQuestion {
  const field = structured.find((name) => input[name] != null);
  if (field)
    throw invalidField(field, 'is not supported: an answer is checked sentences with citations');
  return {
    messages: conversationOf(
      [input.messages]
        .flat()
        .map((one) => (typeof one === 'string' ? { role: 'user' as const, content: one } : one)),
    ),
    namespace: namespaceIn(input),
    thread: threadOf(input),
    addressed: input.addressed ?? undefined,
    user: userIn(input.requestContext, input.runtimeContext),
  };
}

const noUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

const finishPayload = (reason: string, text: string, usage: AskResult['usage']) => ({
  stepResult: { reason, warnings: [], isContinued: false },
  output: { text, usage },
  metadata: {},
  messages: { all: [], user: [], nonUser: [] },
});

export function openMastraStream({ agentId, runId }: DialectRun): DialectWriter {
  const chunk = (type: string, payload: unknown) => dataOf({ type, runId, from: 'AGENT', payload });
  const id = randomUUID();
  let sentText = '';

  return {
    start: () => [chunk('start', { id: agentId, messageId: randomUUID() })],
    beginText: () => [chunk('text-start', { id })],
    text(text) {
      sentText += text;
      return [chunk('text-delta', { id, text })];
    },
    endText: () => [chunk('text-end', { id })],
    searched: (call, result) => [
      chunk('tool-call', call),
      chunk('tool-result', { ...result, args: call.args }),
    ],
    finish: (result) => [
      ...(result.reason === 'not_mentioned'
        ? [chunk('tripwire', { reason: 'not_mentioned' })]
        : []),
      chunk('finish', {
        ...finishPayload('stop', result.text, result.usage),
        ...verdictOf(result),
      }),
    ],
    fail: (error) => [
      chunk('error', error),
      chunk('finish', {
        ...finishPayload('error', sentText, noUsage),
        answered: false,
        citations: [],
      }),
    ],
    end: () => [{ data: '[DONE]' }],
  };
}

const mastraExample = {
  messages: [{ role: 'user', content: '@agent how long do refunds take?' }],
  toolParams: { namespace: 'default' },
};

type Answering = Pick<DialectOperation<GenerateInput>, 'whole' | 'stream'>;

const whole: Answering = { whole: { output: generateOutput, write: (result) => result } };
const streamed: Answering = {
  stream: {
    description: "Server-sent events in Mastra's chunk form, then [DONE]",
    open: openMastraStream,
  },
};

export const agentOperation = (
  answering: Answering,
  id: string,
  path: string,
  summary: string,
): DialectOperation<GenerateInput> => ({
  card: askCard(id, `POST /api/agents/:agentId/${path}`, summary),
  body: generateInput,
  example: mastraExample,
  isAddressed: false,
  question: (input) => mastraQuestion(input),
  ...answering,
});

export const mastraDialect: Dialect = {
  operations: [
    {
      ...agentOperation(
        whole,
        'generate',
        'generate',
        'Ask the agent; it answers only if it is mentioned',
      ),
      example: { ...mastraExample, memory: { thread: 'try', resource: 'me' } },
    },
    agentOperation(streamed, 'stream', 'stream', 'Ask the agent and stream the checked answer'),
    agentOperation(
      whole,
      'generateVnext',
      'generate/vnext',
      'Ask the agent (path of earlier clients)',
    ),
    agentOperation(
      streamed,
      'streamVnext',
      'stream/vnext',
      'Ask the agent and stream the checked answer (path of earlier clients)',
    ),
  ],
};
