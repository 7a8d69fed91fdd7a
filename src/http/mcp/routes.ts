/**
 * `/mcp`: the Model Context Protocol over streamable HTTP, one request at a time and without a session, so that any replica answers any of
 * them. What fails at the door keeps its status, with a JSON-RPC error as its body; what fails below is a JSON-RPC error, or a tool's result.
 * Batches are not taken: limits count requests, and the protocol has given batches up.
 */
import { randomUUID } from 'node:crypto';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Context, Hono, MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { type McpAct, type McpHost, rpcCodes } from '../../mcp/resources.ts';
import { createMcpServer } from '../../mcp/server.ts';
import { addressedBy, userOfCalls } from '../agents/routes.ts';
import { type AppEnv, isOneCaller, mayUse, namespaceToRead, namespaceToWrite, ownerOf, requireRight } from '../auth/caller.ts';
import { countedAs, countWork } from '../auth/counting.ts';
import type { ErrorForm } from '../error-body.ts';
import { reportFailure } from '../error-response.ts';
import { eventStream, json, serve } from '../operation.ts';
import { operations, toolRights, toolWorks } from '../operations.ts';
import { heartbeatMs, openStream } from '../sse.ts';

// Requests that are being answered, so that a later one can end them: MCP sends `notifications/cancelled` in a request of its own. A session
// is nothing but the id that was given out for it, and a caller reaches nobody's requests but their own.

interface RequestName {
  readonly callerId: string;
  readonly session: string;
  /** As JSON-RPC has it: 1 and "1" are two. */
  readonly request: string | number;
}

const keyOf = ({ callerId, session, request }: RequestName) => JSON.stringify([callerId, session, request]);

function createRequestsInFlight() {
  const ends = new Map<string, () => void>();
  return {
    begin(name: RequestName, end: () => void): () => void {
      const key = keyOf(name);
      ends.set(key, end);
      return () => {
        if (ends.get(key) === end) ends.delete(key);
      };
    },
    cancel: (name: RequestName): void => ends.get(keyOf(name))?.(),
  };
}

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

export const tellRpcFailures: MiddlewareHandler<AppEnv> = (c, next) => {
  c.set('errorForm', rpcFailure);
  return next();
};

class OneAnswerTransport extends WebStandardStreamableHTTPServerTransport {
  override async send(...[sent, options]: Parameters<WebStandardStreamableHTTPServerTransport['send']>): Promise<void> {
    await super.send(sent, options);
    if (!('method' in sent)) await this.close();
  }
}

const sessionHeader = 'mcp-session-id';
const versionHeader = 'mcp-protocol-version';

/** What the transport looks at, the media types apart: those are a matter of this file and of `operation.ts`. */
function toTransport(c: Context<AppEnv>): Request {
  const version = c.req.header(versionHeader);
  const accept = 'application/json, text/event-stream';
  const headers = { accept, 'content-type': 'application/json', ...(version === undefined ? {} : { [versionHeader]: version }) };
  return new Request(c.req.url, { method: 'POST', headers });
}

const rightTo = (act: McpAct) => (act === 'resources' ? operations.readDocument.right : toolRights[act]);

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

/** A client that cannot read a stream gets one JSON document, however long it takes. */
const readsEvents = (c: Context<AppEnv>) => c.req.header('accept')?.includes('text/event-stream') === true;

const cancelled = z.object({ method: z.literal('notifications/cancelled'), params: z.object({ requestId }) });

const toolCall = z.object({ method: z.literal('tools/call'), params: z.object({ name: z.string() }) });

/** What a call of a tool is counted as, at the door as everywhere. @throws KnowledgeError `rate_limited` */
async function countTool(c: Context<AppEnv>, asked: unknown): Promise<void> {
  const name = toolCall.safeParse(asked).data?.params.name;
  if (name !== undefined) await countWork(c, new Map(Object.entries(toolWorks)).get(name));
}

const endedEarly = (asked: JSONRPCMessage) => ({
  jsonrpc: '2.0',
  id: 'id' in asked ? asked.id : null,
  error: { code: rpcCodes.server, message: 'The request was cancelled.', data: { code: 'cancelled' } },
});

const output = {
  description: 'The answer to a request: as events with progress and a comment every 15 seconds, or as JSON where only that is accepted',
  content: { ...json('', answer).content, ...eventStream('').content },
};

export function addMcpRoutes(app: Hono<AppEnv>, api: KnowledgeApi): void {
  const inFlight = createRequestsInFlight();

  async function answerTo(c: Context<AppEnv>, asked: JSONRPCMessage): Promise<Response> {
    const { id: callerId } = c.get('caller');
    const session = c.req.header(sessionHeader);
    const server = createMcpServer(api, hostOf(c, api));
    // Only requests are answered, with events where those are read.
    const open = readsEvents(c) && isJSONRPCRequest(asked) ? openStream(c) : undefined;
    const transport = new OneAnswerTransport({ enableJsonResponse: !readsEvents(c), keepAliveMs: heartbeatMs });
    const ended = Promise.withResolvers<undefined>();
    const end = () => {
      ended.resolve(undefined);
      void server.close();
    };
    const name = session !== undefined && isJSONRPCRequest(asked) && { callerId, session, request: asked.id };
    const forget = name ? inFlight.begin(name, end) : undefined;
    server.onclose = () => {
      forget?.();
      open?.abort();
      c.req.raw.signal.removeEventListener('abort', end);
    };
    c.req.raw.signal.addEventListener('abort', end);
    await server.connect(transport);
    if (c.req.raw.signal.aborted) end();
    const handled = transport.handleRequest(toTransport(c), { parsedBody: asked });
    handled.catch(end);
    const answered = await Promise.race([handled, ended.promise]);
    if (!answered) return c.json(endedEarly(asked));
    if (!answered.ok || answered.status === 202) end();
    const headers = Object.fromEntries(answered.headers);
    return answered.body === null ? c.body(null, 202, headers) : c.body(answered.body, answered.status as ContentfulStatusCode, headers);
  }

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
      return answerTo(c, given as JSONRPCMessage);
    },
  );
}
