/**
 * Stand-in of the chat platform: its REST API of agents, and its Mastra and AG-UI providers, which
 * ask a registered agent.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { openStream } from './event-stream.ts';
import { startSite } from './site.ts';

type Body = Readonly<Record<string, any>>;
type Reply = readonly [status: number, body: object];

export interface PlatformEntry {
  readonly uid: string;
  readonly [field: string]: any;
}

export interface ChatPlatform {
  /** Base of the REST API. */
  readonly url: string;
  readonly entries: PlatformEntry[];
  /** Requests to the REST API, as method and path. */
  readonly requests: readonly string[];
  readonly close: () => Promise<void>;
}

const agentsPath = '/v3/ai-agents/agents';
const required = ['name', 'icon', 'integrateWith', 'integrationType', 'integrationMeta'];

const refusal = (status: number, code: string, message: string): Reply => [
  status,
  { error: { code, message } },
];

function create(entries: PlatformEntry[], body: Body): Reply {
  const missing = required.filter((field) => !body[field]);
  if (missing.length > 0)
    return refusal(400, 'ERR_AGENT_CREATION_FAILED', `${missing.join(', ')} is required.`);
  const { agentId } = body['integrationMeta'];
  if (entries.some(({ integrationMeta }) => integrationMeta.agentId === agentId))
    return refusal(400, 'ERR_AGENT_CREATION_FAILED', `An agent with the id ${agentId} exists.`);
  const entry = { ...body, uid: randomUUID(), appId: 'app', deletedAt: null };
  entries.push(entry);
  return [201, { agent: entry }];
}

function update(entries: PlatformEntry[], uid: string, body: Body): Reply {
  const at = entries.findIndex((entry) => entry.uid === uid);
  const entry = entries[at];
  if (!entry) return refusal(404, 'ERR_AGENT_NOT_FOUND', 'No agent has this uid.');
  entries[at] = { ...entry, ...body };
  return [200, { success: true }];
}

/** @param key REST key that the API requires */
export async function startChatPlatform(key: string): Promise<ChatPlatform> {
  const entries: PlatformEntry[] = [];
  const requests: string[] = [];
  const reply = async (request: IncomingMessage): Promise<Reply> => {
    const [{ method = '', url = '' }, content] = [request, await textOf(request)];
    requests.push(`${method} ${url}`);
    if (request.headers['apikey'] !== key)
      return refusal(401, 'AUTH_ERR_APIKEY_NOT_FOUND', 'The API key is invalid.');
    if (request.headers['chatapiversion'] !== 'v3.0')
      return refusal(400, 'ERR_BAD_REQUEST', 'chatApiVersion must be v3.0.');
    if (method === 'GET')
      return [200, { data: entries, meta: { pagination: { current_page: 1, total_pages: 1 } } }];
    if (method === 'POST') return create(entries, JSON.parse(content));
    if (method === 'PATCH')
      return update(entries, url.slice(agentsPath.length + 1), JSON.parse(content));
    return refusal(405, 'ERR_METHOD', 'Not allowed.');
  };
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const [status, body] = await reply(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const site = await startSite({}, (path) => (path.startsWith(agentsPath) ? listener : undefined));
  return { url: site.url, entries, requests, close: site.close };
}

const messagesOf = (content: string) => [{ id: randomUUID(), role: 'user', content }];

/**
 * Returns the text that a chat shows. @throws if the stream does not end as the platform's client
 * requires
 */
async function shownText(
  url: string,
  body: object,
  headers: Record<string, string>,
  deltaOf: (event: any) => string,
  end: string,
) {
  const stream = await openStream(url, body, headers);
  const rest = await stream.rest();
  if (stream.status !== 200) throw new Error(`${stream.status}: ${stream.raw()}`);
  const events = rest.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data));
  if (!events.some(({ type }) => type === end))
    throw new Error(`The stream has no ${end}: ${stream.raw()}`);
  return events.map(deltaOf).join('');
}

/**
 * Sends a message as the Mastra provider: to the stream endpoint, without headers of the operator.
 */
export function sayByMastra(
  { integrationMeta: { baseUrl, agentId } }: PlatformEntry,
  text: string,
): Promise<string> {
  const base = String(baseUrl).replace(/\/api\/agents\/[^/]+\/generate$/, '');
  const cometchatContext = {
    sender: { uid: 'user-1', role: 'default' },
    messageMetadata: { locale: 'en' },
  };
  const body = { messages: messagesOf(text), runtimeContext: { cometchatContext } };
  const deltaOf = ({ type, payload }: any) => (type === 'text-delta' ? payload.text : '');
  return shownText(`${base}/api/agents/${agentId}/stream`, body, {}, deltaOf, 'finish');
}

/** Values that the dashboard asks for an agent of the AG-UI provider. */
export interface PastedAgent {
  readonly deploymentUrl: string;
  readonly headers: Record<string, string>;
}

export function sayByAgUi({ deploymentUrl, headers }: PastedAgent, text: string): Promise<string> {
  const input = {
    threadId: randomUUID(),
    runId: randomUUID(),
    state: {},
    messages: messagesOf(text),
    tools: [],
    context: [],
  };
  const deltaOf = ({ type, delta }: any) => (type === 'TEXT_MESSAGE_CONTENT' ? delta : '');
  return shownText(
    deploymentUrl,
    { ...input, forwardedProps: {} },
    headers,
    deltaOf,
    'RUN_FINISHED',
  );
}
