/** Answers MCP messages, each with its own transport. */
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { type McpHost, rpcCodes } from '../../mcp/resources.ts';
import { createMcpServer } from '../../mcp/server.ts';
import type { AppEnv } from '../auth/caller.ts';
import { heartbeatMs, openStream } from '../sse.ts';

export const sessionHeader = 'mcp-session-id';
export const versionHeader = 'mcp-protocol-version';

/** Transport that closes after the response to its only request. */
class OneAnswerTransport extends WebStandardStreamableHTTPServerTransport {
  override async send(
    ...[sent, options]: Parameters<WebStandardStreamableHTTPServerTransport['send']>
  ): Promise<void> {
    await super.send(sent, options);
    if (!('method' in sent)) await this.close();
  }
}

/**
 * Request for the transport to validate. Its media types are fixed: this file and `operation.ts`
 * handle those of the client.
 */
function toTransportRequest(c: Context<AppEnv>): Request {
  const version = c.req.header(versionHeader);
  const accept = 'application/json, text/event-stream';
  const headers = {
    accept,
    'content-type': 'application/json',
    ...(version === undefined ? {} : { [versionHeader]: version }),
  };
  return new Request(c.req.url, { method: 'POST', headers });
}

/** Whether the client accepts events. Other clients get one JSON document at the end. */
const readsEvents = (c: Context<AppEnv>) =>
  c.req.header('accept')?.includes('text/event-stream') === true;

const cancelledResponse = (message: JSONRPCMessage) => ({
  jsonrpc: '2.0',
  id: 'id' in message ? message.id : null,
  error: {
    code: rpcCodes.server,
    message: 'The request was cancelled.',
    data: { code: 'cancelled' },
  },
});

/** JSON-RPC ids keep their type: 1 and "1" differ. */
type RequestName = Readonly<{ callerId: string; session: string; request: string | number }>;

const keyOf = ({ callerId, session, request }: RequestName) =>
  JSON.stringify([callerId, session, request]);

/**
 * Running requests, which `notifications/cancelled` can end. Callers can cancel only their own. A
 * session has no state except its id.
 */
function createRequestsInFlight() {
  const ends = new Map<string, () => void>();
  return {
    /** @returns a function to call when the request is answered */
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

export function createMcpAnswers(api: KnowledgeApi) {
  const inFlight = createRequestsInFlight();

  async function answerTo(
    c: Context<AppEnv>,
    host: McpHost,
    asked: JSONRPCMessage,
  ): Promise<Response> {
    const { id: callerId } = c.get('caller');
    const session = c.req.header(sessionHeader);
    const server = createMcpServer(api, host);
    // Notifications have no response, so they need no stream.
    const open = readsEvents(c) && isJSONRPCRequest(asked) ? openStream(c) : undefined;
    const transport = new OneAnswerTransport({
      enableJsonResponse: !readsEvents(c),
      keepAliveMs: heartbeatMs,
    });
    const ended = Promise.withResolvers<undefined>();
    const end = () => {
      ended.resolve(undefined);
      void server.close();
    };
    const name = session !== undefined &&
      isJSONRPCRequest(asked) && { callerId, session, request: asked.id };
    const forget = name ? inFlight.begin(name, end) : undefined;
    server.onclose = () => {
      forget?.();
      open?.abort();
      c.req.raw.signal.removeEventListener('abort', end);
    };
    c.req.raw.signal.addEventListener('abort', end);
    await server.connect(transport);
    if (c.req.raw.signal.aborted) end();
    const handled = transport.handleRequest(toTransportRequest(c), { parsedBody: asked });
    handled.catch(end);
    const answered = await Promise.race([handled, ended.promise]);
    if (!answered) return c.json(cancelledResponse(asked));
    if (!answered.ok || answered.status === 202) end();
    const headers = Object.fromEntries(answered.headers);
    return answered.body === null
      ? c.body(null, 202, headers)
      : c.body(answered.body, answered.status as ContentfulStatusCode, headers);
  }

  return { inFlight, answerTo };
}
