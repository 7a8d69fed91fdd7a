/** Asking the agent: whole answers and streams, in the forms in which agent clients send a conversation. */
import { randomUUID } from 'node:crypto';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { AskOptions } from '../../app/ask/ask.ts';
import type { ChatMessage } from '../../app/ask/turn.ts';
import { agentCards, type KnowledgeApi } from '../../app/knowledge-api.ts';
import { docsRetrieverOutput, placeShape } from '../../app/search/search-docs.ts';
import { listCallsInput, listCallsOutput, summarizeCallsInput, summarizeCallsOutput } from '../../app/user-calls.ts';
import { KnowledgeError } from '../../errors.ts';
import { type AppEnv, callerActingUser, isOneCaller, ownerOf, requireNamespace } from '../auth/caller.ts';
import { eventStream, serve, signalOf } from '../operation.ts';
import { streamAnswer } from './dialects/dialect.ts';
import { mastraDialect } from './dialects/mastra.ts';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });

const content = z.union([z.string(), z.array(part), z.null()]);
const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: content.describe('text, or parts of which the text counts; null in a turn that only called tools'),
});
const messages = z.union([z.string().min(1), z.array(message).min(1).max(1000)], {
  error: 'must be a non-empty string or a non-empty list of {role, content}',
});

/** Of a thread or a resource, as a client chooses it. */
export const chosenName = z.string().max(500);

const memory = z.looseObject({
  thread: z.union([chosenName, z.looseObject({ id: chosenName })]).nullish(),
  resource: chosenName.nullish(),
});

/** Unknown fields are accepted and have no effect; see the contract on what a request cannot replace. */
const generateInput = z.looseObject({
  messages: messages.describe('the conversation, oldest first; the last user message is the turn'),
  toolParams: z.looseObject({ namespace: z.string().nullish().describe('default: "default"') }).nullish(),
  memory: memory
    .nullish()
    .describe("the thread in which earlier turns are remembered; names choose among the caller's own threads in the namespace"),
  threadId: chosenName.nullish().describe('an older form of memory.thread'),
  resourceId: chosenName.nullish().describe('an older form of memory.resource'),
  requestContext: z.unknown().optional().describe('accepted; widens nothing'),
});

type GenerateInput = z.infer<typeof generateInput>;

const citation = z.object({
  index: z.int().min(1),
  ...placeShape,
  quote: z.string().describe('exactly slice(start, end) of the stored file'),
});

const searchArgs = z.object({ query: z.string(), namespace: z.string() });
const call = { toolCallId: z.string(), toolName: z.string() };

export const generateOutput = z.object({
  text: z.string(),
  answered: z.boolean(),
  reason: z.enum(['answered', 'not_mentioned', 'closest', 'no_context', 'small_talk']),
  namespace: z.string(),
  runId: z.string(),
  finishReason: z.string(),
  model: z.string(),
  citations: z.array(citation),
  dropped: z.int().min(0).describe('sentences of the model that no passage supports, which are not shown'),
  toolCalls: z.array(z.object({ ...call, args: z.union([searchArgs, listCallsInput, summarizeCallsInput]) })),
  toolResults: z.array(z.object({ ...call, result: z.union([docsRetrieverOutput, listCallsOutput, summarizeCallsOutput]) })),
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), totalTokens: z.int() }),
});

function textOf(content: Exclude<GenerateInput['messages'], string>[number]['content']): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.flatMap((part) => (part.type === 'text' && part.text !== undefined ? [part.text] : [])).join('\n');
}

/** What counts of a conversation: what people and the agent said. System messages and tool results from outside change nothing. */
function conversation(messages: GenerateInput['messages']): ChatMessage[] {
  if (typeof messages === 'string') return [{ role: 'user', content: messages }];
  const turns = messages.flatMap(({ role, content }): ChatMessage[] =>
    role === 'user' || role === 'assistant' ? [{ role, content: textOf(content) }] : [],
  );
  if (turns.some((turn) => turn.role === 'user')) return turns;
  const details = [{ path: 'messages', message: 'needs a message of role user' }];
  throw new KnowledgeError('invalid_request', 'The request is not valid: messages: needs a message of role user.', { details });
}

/** The thread that a request names, in any of the clients' dialects; it chooses among the caller's own. */
function threadOf({ memory, threadId, resourceId }: GenerateInput): { thread: string; resource: string } | undefined {
  const named = memory?.thread ?? threadId ?? '';
  const thread = typeof named === 'string' ? named : named.id;
  return thread === '' ? undefined : { thread, resource: memory?.resource ?? resourceId ?? '' };
}

export function addAgentRoutes(app: Hono<AppEnv>, api: KnowledgeApi): void {
  const { ask, stream, listAgents, parseNamespace } = api;

  const requireAgent: MiddlewareHandler<AppEnv> = async (c, next) => {
    if (!Object.hasOwn(listAgents(), c.req.param('agentId') ?? ''))
      throw new KnowledgeError('agent_not_found', 'There is no such agent; GET /api/agents lists them.');
    await next();
  };

  /** @throws KnowledgeError where the caller may not ask this */
  function toQuestion(c: Context<AppEnv>, input: GenerateInput): AskOptions {
    const namespace = parseNamespace(input.toolParams?.namespace ?? 'default');
    const caller = c.get('caller');
    requireNamespace(caller, namespace);
    // Tokens that name nobody cannot be told apart, so nothing is remembered for one of them.
    const thread = isOneCaller(caller) ? threadOf(input) : undefined;
    return {
      messages: conversation(input.messages),
      namespace,
      signal: signalOf(c),
      callerId: ownerOf(c),
      actingUser: callerActingUser(c),
      memory: thread && { owner: ownerOf(c), namespace, ...thread },
    };
  }

  const asked = { body: generateInput, before: requireAgent };

  serve(app, 'generate', { output: generateOutput, ...asked }, async (c, input) => c.json(await ask(toQuestion(c, input))));

  serve(app, 'stream', { output: eventStream("Server-sent events in Mastra's chunk form, then [DONE]"), ...asked }, async (c, input) => {
    const runId = randomUUID();
    const events = stream({ ...toQuestion(c, input), runId });
    return streamAnswer(c, events, mastraDialect, { agentId: c.req.param('agentId') ?? '', runId });
  });

  serve(app, 'listAgents', { output: agentCards }, (c) => c.json(listAgents()));
}
