/**
 * `/mcp`: the Model Context Protocol over streamable HTTP, one request at a time and without a session, so that any replica answers any of
 * them. What fails at the door keeps its status, with a JSON-RPC error as its body; what fails below is a JSON-RPC error, or a tool's result.
 * Batches are not taken: limits count requests, and the protocol has given batches up.
 */
import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { type McpAct, type McpHost, rpcCodes } from '../../mcp/resources.ts';
import { addressedBy, userOfCalls } from '../agents/routes.ts';
import { type AppEnv, isOneCaller, mayUse, namespaceToRead, namespaceToWrite, ownerOf, requireRight } from '../auth/caller.ts';
import { countedAs, countWork } from '../auth/counting.ts';
import type { ErrorForm } from '../error-body.ts';
import { reportFailure } from '../error-response.ts';
import { eventStream, json, serve } from '../operation.ts';
import { operations, toolRights, toolWorks } from '../operations.ts';
import { createMcpAnswers, sessionHeader, versionHeader } from './answers.ts';

export const mcpPath = '/mcp';

const requestId = z.union([z.string(), z.int()]);

const message = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: requestId.optional().describe('of a request; a notification has none'),
    method: z
      .string()
      .optional()
      .describe('initialize, ping, tools/list, tools/call, resources/list, resources/templates/list, resources/read'),
    params: z.looseObject({}).optional(),
  })
  .describe('one message; batches are not taken');

const answer = z.looseObject({ jsonrpc: z.literal('2.0'), id: requestId, result: z.looseObject({}).optional() });

const failureBody = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.null(),
  error: z.object({ code: z.int(), message: z.string(), data: z.object({ code: z.string() }).optional() }),
});

const ownCodes: Readonly<Record<string, number>> = {
  invalid_json: rpcCodes.parseError,
  invalid_request: rpcCodes.invalidRequest,
  internal: rpcCodes.internal,
};

const rpcFailure: ErrorForm = ({ error, code }, status) => ({
  status,
  body: { jsonrpc: '2.0', id: null, error: { code: ownCodes[code] ?? rpcCodes.server, message: error, data: { code } } },
});

/** Failures of requests to it are JSON-RPC errors, whatever they come from. */
export const tellRpcFailures: MiddlewareHandler<AppEnv> = (c, next) => {
  c.set('errorForm', rpcFailure);
  return next();
};

const rightTo = (act: McpAct) => (act === 'resources' ? operations.readDocument.right : toolRights[act]);

/** @throws KnowledgeError where the caller may not ask for the user whom a header names */
function hostOf(c: Context<AppEnv>, { parseNamespace }: Pick<KnowledgeApi, 'parseNamespace'>): McpHost {
  const caller = c.get('caller');
  return {
    owner: ownerOf(c),
    countedAs: countedAs(c),
    isOneCaller: isOneCaller(caller),
    actingUser: userOfCalls(c),
    addressed: addressedBy(c) ?? true,
    takesSources: caller.isKey === true,
    may: (act) => caller.rights.has(rightTo(act)),
    requireRightTo: (act) => requireRight(caller, rightTo(act)),
    namespace: 'default',
    mayUse: (namespace) => mayUse(caller, namespace),
    namespaceToRead: (name) => namespaceToRead(caller, name, parseNamespace),
    namespaceToWrite: (name) => namespaceToWrite(caller, name, parseNamespace),
    stopping: c.get('stopping'),
    whenOpen: Promise.resolve(),
    protocolVersion: () => c.req.header(versionHeader),
    tellFailure: (thrown) => reportFailure(c, thrown),
  };
}

const cancelled = z.object({ method: z.literal('notifications/cancelled'), params: z.object({ requestId }) });

const toolCall = z.object({ method: z.literal('tools/call'), params: z.object({ name: z.string() }) });

/** What a call of a tool is counted as, at the door as everywhere. @throws KnowledgeError `rate_limited` */
async function countTool(c: Context<AppEnv>, asked: unknown): Promise<void> {
  const name = toolCall.safeParse(asked).data?.params.name;
  if (name !== undefined) await countWork(c, new Map(Object.entries(toolWorks)).get(name));
}

const output = {
  description: 'The answer to a request: as events with progress and a comment every 15 seconds, or as JSON where only that is accepted',
  content: { ...json('', answer).content, ...eventStream('').content },
};

export function addMcpRoutes(app: Hono<AppEnv>, api: KnowledgeApi): void {
  const { inFlight, answerTo } = createMcpAnswers(api);
  serve(
    app,
    'mcp',
    { output, others: { 202: { description: 'A notification was taken' } }, body: message, failure: failureBody },
    async (c, given) => {
      const cancel = cancelled.safeParse(given).data;
      const session = c.req.header(sessionHeader);
      await countTool(c, given);
      if (cancel && session !== undefined) inFlight.cancel({ callerId: c.get('caller').id, session, request: cancel.params.requestId });
      if (given.method === 'initialize') c.header(sessionHeader, randomUUID());
      return answerTo(c, hostOf(c, api), given as JSONRPCMessage);
    },
  );
}
