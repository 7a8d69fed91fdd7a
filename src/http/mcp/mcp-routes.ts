/**
 * `/mcp`: the Model Context Protocol over streamable HTTP, stateless, so that any replica can
 * answer. Authentication and limits fail with an HTTP status and a JSON-RPC error. Batches are
 * rejected: limits count requests, and the protocol has dropped batches.
 */
import {
  createMcpHandler,
  isJSONRPCRequest,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { StatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { addressedBy, userOfCalls } from '../agents/agent-routes.ts';
import {
  type App,
  type AppContext,
  type Middleware,
  ownerOf,
  usualNamespace,
} from '../auth/caller.ts';
import { countedAs, countWork } from '../auth/counting.ts';
import { publicOrigin } from '../auth/site-guard.ts';
import type { ErrorForm } from '../error-body.ts';
import { reportFailure } from '../error-response.ts';
import type { KnowledgeApi } from '../knowledge-api.ts';
import { json, serve, textResponse } from '../operation.ts';
import { toolCards } from '../operations.ts';
import { openStream } from '../sse.ts';
import { createMcpServer, type McpHost } from './mcp-server.ts';

export const mcpPath = '/mcp';

const requestId = z.union([z.string(), z.int()]);

const message = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    id: requestId.optional().describe('omitted in notifications'),
    method: z
      .string()
      .optional()
      .describe('initialize or server/discover, ping, tools/list, tools/call'),
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
  id: requestId.nullable(),
  error: z.object({
    code: z.int(),
    message: z.string(),
    data: z.looseObject({ code: z.string().optional() }).optional(),
  }),
});

const ownCodes: Readonly<Record<string, number>> = {
  invalid_json: ProtocolErrorCode.ParseError,
  invalid_request: ProtocolErrorCode.InvalidRequest,
  internal: ProtocolErrorCode.InternalError,
};

const rpcFailure: ErrorForm = ({ error, code }) => ({
  jsonrpc: '2.0',
  id: null,
  // The first code that JSON-RPC 2.0, section 5.1, leaves to servers.
  error: { code: ownCodes[code] ?? -32_000, message: error, data: { code } },
});

/** Turns all failures of the path into JSON-RPC errors. */
export const useRpcErrors: Middleware = (c, next) => {
  c.set('errorForm', rpcFailure);
  return next();
};

/** @throws as `callerActingUser` */
function hostOf(c: AppContext, pageUrl: string | undefined): McpHost {
  const caller = c.get('caller');
  return {
    caller,
    asker: {
      callerId: ownerOf(c),
      countedAs: countedAs(c),
      actingUser: userOfCalls(c),
      addressed: addressedBy(c) ?? true,
    },
    namespace: usualNamespace(caller),
    pageUrl,
    stopping: c.get('stopping'),
    describeFailure: (thrown) => reportFailure(c, thrown),
  };
}

const toolCall = z.object({
  method: z.literal('tools/call'),
  params: z.object({ name: z.string() }),
});

/** Counts a tool call like the tool's own operation. @throws KnowledgeError `rate_limited` */
async function countTool(c: AppContext, message: unknown) {
  const name = toolCall.safeParse(message).data?.params.name;
  if (name !== undefined) await countWork(c, new Map(Object.entries(toolCards)).get(name)?.work);
}

/**
 * The request for the package. It answers with events, and only media types that it accepts reach
 * it: `operation.ts` has checked the body, and `addMcpRoutes` turns events into JSON.
 */
function toRequest(c: AppContext) {
  const headers = new Headers(c.req.raw.headers);
  headers.set('accept', 'application/json, text/event-stream');
  headers.set('content-type', 'application/json');
  return new Request(c.req.url, { method: 'POST', headers, signal: c.req.raw.signal });
}

/** Data of the last event: the response. */
const lastDataIn = (events: string) =>
  events
    .split('\n')
    .findLast((line) => line.startsWith('data: '))
    ?.slice('data: '.length);

const output = {
  description:
    'The response: server-sent events with progress and a comment every 15 seconds, or JSON if only that is accepted',
  content: { ...json('', answer).content, ...textResponse('').content },
};

export function addMcpRoutes(app: App, api: KnowledgeApi, config: Config): void {
  serve(
    app,
    'mcp',
    {
      output,
      others: { 202: { description: 'The notification was accepted' } },
      body: message,
      errors: { output: failureBody },
    },
    async (c, given) => {
      await countTool(c, given);
      const host = hostOf(c, publicOrigin(c, config));
      const readsEvents = c.req.header('accept')?.includes('text/event-stream') === true;
      // Notifications have no response, so they need no stream.
      const stream = readsEvents && isJSONRPCRequest(given) ? openStream(c) : undefined;
      const serveOne = () => {
        const server = createMcpServer(api, host);
        server.onclose = () => stream?.abort();
        return server;
      };
      // Tools do not change while a client listens, so it may not hold a stream for that.
      const { fetch } = createMcpHandler(serveOne, { responseMode: 'sse', maxSubscriptions: 0 });
      const { status, headers, body } = await fetch(toRequest(c), { parsedBody: given });
      const isStream = headers.get('content-type') === 'text/event-stream';
      if (!isStream) stream?.abort();
      if (isStream && !readsEvents) {
        const response = lastDataIn(await new Response(body).text());
        return c.newResponse(response ?? null, 200, { 'content-type': 'application/json' });
      }
      return c.newResponse(body, status as StatusCode, Object.fromEntries(headers));
    },
  );
}
