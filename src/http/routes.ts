/** The API on one screen: every operation, what it takes and gives, and which part of the product does it. */
import type { Context, Hono } from 'hono';
import { KnowledgeError } from '../errors.ts';
import type { ChatMessage } from '../mastra/ask.ts';
import type { KnowledgeApi } from '../mastra/knowledge-api.ts';
import { ingestSourcesInput, ingestSourcesOutput, requestsOf } from '../mastra/tools/ingest-sources.ts';
import { searchDocsInput, searchDocsOutput } from '../mastra/tools/search-docs.ts';
import type { AppEnv } from './app-env.ts';
import { addCallRoutes } from './call-routes.ts';
import { requireNamespace } from './caller.ts';
import { jsonBody, requireJson } from './json-body.ts';
import { addLibraryRoutes, jobStarted, reportResponse } from './library-routes.ts';
import { failures, json, openToAll, operation } from './operation.ts';
import { agentsOutput, type GenerateInput, generateInput, generateOutput, healthOutput, jobOutput } from './schemas.ts';

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

export function addRoutes(app: Hono<AppEnv>, api: KnowledgeApi, stopping?: AbortSignal): void {
  const { ingestSources, searchDocs, parseNamespace, ask, listAgents, isReady } = api;
  /** Ends with the client's patience, or with the server. */
  const signalOf = (c: Context<AppEnv>) => (stopping ? AbortSignal.any([c.req.raw.signal, stopping]) : c.req.raw.signal);

  app.post(
    '/api/tools/ingestSources',
    operation('ingestSources', 'Read URLs, sites, files, folders and texts into a namespace', ingestSourcesOutput, {
      202: json('With "wait": false, the job that does it', jobOutput),
      422: json('Every source failed; the report says why', ingestSourcesOutput),
      ...failures(400, 401, 403, 413, 415, 429),
    }),
    requireJson,
    jsonBody(ingestSourcesInput),
    async (c) => {
      const input = c.req.valid('json');
      const namespace = parseNamespace(input.namespace);
      requireNamespace(c.get('caller'), namespace);
      if (!input.wait) return jobStarted(c, await api.jobs.start(namespace, requestsOf(input), input.prune));
      return reportResponse(c, await ingestSources(input, signalOf(c)));
    },
  );

  app.post(
    '/api/tools/searchDocs',
    operation('searchDocs', 'Find passages in a namespace', searchDocsOutput, failures(400, 401, 403, 404, 413, 415, 429)),
    requireJson,
    jsonBody(searchDocsInput),
    async (c) => {
      const input = c.req.valid('json');
      requireNamespace(c.get('caller'), parseNamespace(input.namespace));
      return c.json(await searchDocs(input));
    },
  );

  app.post(
    '/api/agents/:agentId/generate',
    operation(
      'generate',
      'Ask the agent; it answers only where it is mentioned',
      generateOutput,
      failures(400, 401, 403, 404, 413, 415, 429, 502, 503, 504),
      { parameters: [agentId] },
    ),
    async (c, next) => {
      if (!Object.hasOwn(listAgents(), c.req.param('agentId')))
        throw new KnowledgeError('agent_not_found', 'There is no such agent; GET /api/agents lists them.');
      await next();
    },
    requireJson,
    jsonBody(generateInput),
    async (c) => {
      const input = c.req.valid('json');
      const namespace = parseNamespace(input.toolParams?.namespace ?? 'default');
      requireNamespace(c.get('caller'), namespace);
      return c.json(await ask({ messages: conversation(input.messages), namespace, signal: signalOf(c) }));
    },
  );

  addLibraryRoutes(app, api, signalOf);
  addCallRoutes(app, api.calls, signalOf);

  app.get('/api/agents', operation('listAgents', 'The agents and their tools', agentsOutput, failures(401, 429)), (c) =>
    c.json(listAgents()),
  );

  app.get('/health', operation('health', 'Whether the process is alive', healthOutput, {}, openToAll), (c) => c.json({ status: 'ok' }));

  app.get('/ready', operation('ready', 'Whether the documents are searchable', healthOutput, failures(503), openToAll), (c) => {
    if (!isReady()) throw new KnowledgeError('not_ready', 'The documents are still being read.', { retryAfterSeconds: 1 });
    return c.json({ status: 'ready' });
  });
}
