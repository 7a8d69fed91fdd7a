/** Asking the agent: whole answers and streams, in the forms in which agent clients send a conversation. */
import { randomUUID } from 'node:crypto';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { KnowledgeError } from '../errors.ts';
import type { AskOptions } from '../mastra/ask.ts';
import type { ChatMessage } from '../mastra/conversations.ts';
import type { KnowledgeApi } from '../mastra/knowledge-api.ts';
import { actingUserOf, ownerOf } from './acting-user.ts';
import { streamAnswer } from './answer-stream.ts';
import type { AppEnv } from './app-env.ts';
import { isOneCaller, requireNamespace } from './caller.ts';
import { jsonBody, requireJson } from './json-body.ts';
import { eventStream, failures, operation } from './operation.ts';
import { agentsOutput, type GenerateInput, generateInput, generateOutput } from './schemas.ts';

const agentId = {
  name: 'agentId',
  in: 'path' as const,
  required: true,
  description: 'a key of GET /api/agents',
  schema: { type: 'string' as const, default: 'knowledge' },
};

function textOf(content: Exclude<GenerateInput['messages'], string>[number]['content']): string {
  if (content === null || typeof content === 'string') return content ?? '';
  return content.flatMap((part) => (part.type === 'text' && part.text !== undefined ? [part.text] : [])).join('\n');
}

/** What counts of a conversation: what people and the agent said. System messages and tool results from outside change nothing. */
function conversation(messages: GenerateInput['messages']): ChatMessage[] {
  if (typeof messages === 'string') return [{ role: 'user', content: messages }];
  const turns = messages.flatMap(({ role, content }): ChatMessage[] => {
    if (role === 'user') return [{ role, content: textOf(content) }];
    return role === 'assistant' ? [{ role, content: textOf(content) }] : [];
  });
  if (!turns.some((turn) => turn.role === 'user')) {
    throw new KnowledgeError('invalid_request', 'The request is not valid: messages: needs a message of role user.', {
      details: [{ path: 'messages', message: 'needs a message of role user' }],
    });
  }
  return turns;
}

/** The thread that a request names, in any of the clients' dialects; it chooses among the caller's own. */
function threadOf({ memory, threadId, resourceId }: GenerateInput): { thread: string; resource: string } | undefined {
  const named = memory?.thread ?? threadId ?? '';
  const thread = typeof named === 'string' ? named : named.id;
  return thread === '' ? undefined : { thread, resource: memory?.resource ?? resourceId ?? '' };
}

export function addAgentRoutes(app: Hono<AppEnv>, api: KnowledgeApi, signalOf: (c: Context<AppEnv>) => AbortSignal): void {
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
      actingUser: actingUserOf(c),
      memory: thread && { owner: ownerOf(c), namespace, ...thread },
    };
  }

  app.post(
    '/api/agents/:agentId/generate',
    operation(
      'generate',
      'Ask the agent; it answers only where it is mentioned',
      generateOutput,
      failures(400, 401, 403, 404, 413, 415, 429, 502, 503, 504),
      { parameters: [agentId] },
    ),
    requireAgent,
    requireJson,
    jsonBody(generateInput),
    async (c) => c.json(await ask(toQuestion(c, c.req.valid('json')))),
  );

  app.post(
    '/api/agents/:agentId/stream',
    operation(
      'stream',
      'Ask the agent, and read the answer while it is checked',
      eventStream("Server-sent events in Mastra's chunk form, then [DONE]"),
      failures(400, 401, 403, 404, 413, 415, 429, 502, 503, 504),
      { parameters: [agentId] },
    ),
    requireAgent,
    requireJson,
    jsonBody(generateInput),
    async (c) => {
      const runId = randomUUID();
      return streamAnswer(c, stream({ ...toQuestion(c, c.req.valid('json')), runId }), runId);
    },
  );

  app.get('/api/agents', operation('listAgents', 'The agents and their tools', agentsOutput, failures(401, 429)), (c) =>
    c.json(listAgents()),
  );
}
