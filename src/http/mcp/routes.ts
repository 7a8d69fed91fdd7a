/**
 * `/mcp`: the Model Context Protocol over streamable HTTP, stateless, so that any replica can
 * answer. Authentication and limits fail with an HTTP status and a JSON-RPC error. Batches are
 * rejected: limits count requests, and the protocol has dropped batches.
 */
import { randomUUID } from 'node:crypto';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { type McpCapability, type McpHost, rpcCodes } from '../../mcp/resources.ts';
import { addressedBy, userOfCalls } from '../agents/routes.ts';
import {
  type AppEnv,
  identifiesCaller,
  mayUse,
  namespaceToRead,
  namespaceToWrite,
  ownerOf,
  requireRight,
} from '../auth/caller.ts';
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
    id: requestId.optional().describe('omitted in notifications'),
    method: z
      .string()
      .optional()
      .describe(
        'initialize, ping, tools/list, tools/call, resources/list, resources/templates/list, resources/read',
      ),
    params: z.looseObject({}).optional(),
  })
  .describe('one message; batches are rejected');

const answer = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: requestId,
  result: z.looseObject({}).optional(),
});

const failureBody = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.null(),
  error: z.object({
    code: z.int(),
    message: z.string(),
    data: z.object({ code: z.string() }).optional(),
  }),
});

const ownCodes: Readonly<Record<string, number>> = {
  invalid_json: rpcCodes.parseError,
  invalid_request: rpcCodes.invalidRequest,
  internal: rpcCodes.internal,
};

const rpcFailure: ErrorForm = ({ error, code }, status) => ({
  status,
  body: {
    jsonrpc: '2.0',
    id: null,
    error: { code: ownCodes[code] ?? rpcCodes.server, message: error, data: { code } },
  },
});

/** Turns all failures of the path into JSON-RPC errors. */
export const useRpcErrors: MiddlewareHandler<AppEnv> = (c, next) => {
  c.set('errorForm', rpcFailure);
  return next();
};

const rightTo = (act: McpCapability) =>
  act === 'resources' ? operations.readDocument.right : toolRights[act];

/** @throws as `callerActingUser` */
function hostOf(
  c: Context<AppEnv>,
  { parseNamespace }: Pick<KnowledgeApi, 'parseNamespace'>,
): McpHost {
  const caller = c.get('caller');
  return {
    owner: ownerOf(c),
    countedAs: countedAs(c),
    identifiesCaller: identifiesCaller(caller),
    actingUser: userOfCalls(c),
    addressed: addressedBy(c) ?? true,
    offersIngest: caller.isKey === true,
    may: (act) => caller.rights.has(rightTo(act)),
    requireRightTo: (act) => requireRight(caller, rightTo(act)),
    namespace: 'default',
    mayUse: (namespace) => mayUse(caller, namespace),
    namespaceToRead: (name) => namespaceToRead(caller, name, parseNamespace),
    namespaceToWrite: (name) => namespaceToWrite(caller, name, parseNamespace),
    stopping: c.get('stopping'),
    whenOpen: Promise.resolve(),
    protocolVersion: () => c.req.header(versionHeader),
    describeFailure: (thrown) => reportFailure(c, thrown),
  };
}

const cancelled = z.object({
  method: z.literal('notifications/cancelled'),
  params: z.object({ requestId }),
});

const toolCall = z.object({
  method: z.literal('tools/call'),
  params: z.object({ name: z.string() }),
});

/** Counts a tool call like the tool's own operation. @throws KnowledgeError `rate_limited` */
async function countTool(c: Context<AppEnv>, message: unknown): Promise<void> {
  const name = toolCall.safeParse(message).data?.params.name;
  if (name !== undefined) await countWork(c, new Map(Object.entries(toolWorks)).get(name));
}

const output = {
  description:
    'The response: server-sent events with progress and a comment every 15 seconds, or JSON if only that is accepted',
  content: { ...json('', answer).content, ...eventStream('').content },
};

export function addMcpRoutes(app: Hono<AppEnv>, api: KnowledgeApi): void {
  const { inFlight, answerTo } = createMcpAnswers(api);
  serve(
    app,
    'mcp',
    {
      output,
      others: { 202: { description: 'The notification was accepted' } },
      body: message,
      failure: failureBody,
    },
    async (c, given) => {
      const cancel = cancelled.safeParse(given).data;
      const session = c.req.header(sessionHeader);
      await countTool(c, given);
      if (cancel && session !== undefined)
        inFlight.cancel({
          callerId: c.get('caller').id,
          session,
          request: cancel.params.requestId,
        });
      if (given.method === 'initialize') c.header(sessionHeader, randomUUID());
      return answerTo(c, hostOf(c, api), given as JSONRPCMessage);
    },
  );
}
