/** Answers to messages of MCP, one transport for each. */
import { isJSONRPCRequest, type JSONRPCMessage, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { KnowledgeApi } from '../../app/knowledge-api.ts';
import { type McpHost, rpcCodes } from '../../mcp/resources.ts';
import { createMcpServer } from '../../mcp/server.ts';
import type { AppEnv } from '../auth/caller.ts';
import { heartbeatMs, openStream } from '../sse.ts';

export const sessionHeader = 'mcp-session-id';
export const versionHeader = 'mcp-protocol-version';

/** Ends with the answer to its one request. */
class OneAnswerTransport extends WebStandardStreamableHTTPServerTransport {
  override async send(...[sent, options]: Parameters<WebStandardStreamableHTTPServerTransport['send']>): Promise<void> {
    await super.send(sent, options);
    if (!('method' in sent)) await this.close();
  }
}

/** What the transport looks at, the media types apart: those are a matter of this file and of `operation.ts`. */
function toTransport(c: Context<AppEnv>): Request {
  const version = c.req.header(versionHeader);
  const accept = 'application/json, text/event-stream';
  const headers = { accept, 'content-type': 'application/json', ...(version === undefined ? {} : { [versionHeader]: version }) };
  return new Request(c.req.url, { method: 'POST', headers });
}

/** A client that cannot read a stream gets one JSON document, however long it takes. */
const readsEvents = (c: Context<AppEnv>) => c.req.header('accept')?.includes('text/event-stream') === true;

/** Instead of an answer in JSON, to a request that was cancelled. */
const endedEarly = (asked: JSONRPCMessage) => ({
  jsonrpc: '2.0',
  id: 'id' in asked ? asked.id : null,
  error: { code: rpcCodes.server, message: 'The request was cancelled.', data: { code: 'cancelled' } },
});

/** `request` as JSON-RPC has it: 1 and "1" are two. */
type RequestName = Readonly<{ callerId: string; session: string; request: string | number }>;

const keyOf = ({ callerId, session, request }: RequestName) => JSON.stringify([callerId, session, request]);

/**
 * Requests that are being answered, so that a later one can end them: MCP sends `notifications/cancelled` in a request of its own. A session
 * is nothing but the id that was given out for it, and a caller reaches nobody's requests but their own.
 */
function createRequestsInFlight() {
  const ends = new Map<string, () => void>();
  return {
    /** @returns to be called when it is answered */
    begin(name: RequestName, end: () => void): () => void {
      const key = keyOf(name);
      ends.set(key, end);
      return () => {
        if (ends.get(key) === end) ends.delete(key);
      };
    },
    /** Ends it, where it is known here. */
    cancel: (name: RequestName): void => ends.get(keyOf(name))?.(),
  };
}

export function createMcpAnswers(api: KnowledgeApi) {
  const inFlight = createRequestsInFlight();

  async function answerTo(c: Context<AppEnv>, host: McpHost, asked: JSONRPCMessage): Promise<Response> {
    const { id: callerId } = c.get('caller');
    const session = c.req.header(sessionHeader);
    const server = createMcpServer(api, host);
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

  return { inFlight, answerTo };
}
