/**
 * Stand-in of the chat platform: its REST API of agents, users and bots, its Mastra and AG-UI
 * providers, which ask a registered agent, and groups that call a registered bot.
 */
import { createHmac, randomUUID } from 'node:crypto';
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

export type ChatPlatform = Readonly<{
  /** Base of the REST API. */
  url: string;
  entries: PlatformEntry[];
  users: Body[];
  bots: Body[];
  /** Messages of bots. */
  messages: Body[];
  /** A group message: the bot's webhook is called if its setting says so. @returns its status */
  sayInGroup: (text: string, more?: object) => Promise<number | undefined>;
  /** Requests to the REST API, as method and path. */
  requests: readonly string[];
}>;

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

/** The operations of users and bots; answers contain the password, as on the platform. */
function replyOfBots(
  { users, bots, messages }: Pick<ChatPlatform, 'users' | 'bots' | 'messages'>,
  method: string,
  [kind = '', uid, operation]: readonly string[],
  body: Body,
): Reply {
  if (operation === 'messages') {
    messages.push({ bot: uid, ...body });
    return [200, { data: { id: String(messages.length) } }];
  }
  const list = kind === 'users' ? users : bots;
  if (method === 'POST') {
    if (kind === 'bots' && !users.some((user) => user['uid'] === body['uid']))
      return refusal(404, 'ERR_UID_NOT_FOUND', 'No user has this uid.');
    list.push(body);
    return [200, { data: body }];
  }
  const at = list.findIndex((one) => one['uid'] === uid);
  if (at < 0)
    return refusal(404, kind === 'users' ? 'ERR_UID_NOT_FOUND' : 'ERR_BOT_NOT_FOUND', '-');
  if (method === 'PUT') list[at] = { ...list[at], ...body };
  return [200, { data: list[at] }];
}

export const webhookKey = Buffer.from('a secret of thirty-two bytes, ok!');
/** Setting of the server that checks `signed`. */
export const webhookSecret = `whsec_${webhookKey.toString('base64')}`;
export const secondsNow = () => Math.floor(Date.now() / 1000);

/** Headers of a webhook. */
export const signed = (body: string, { timestamp = secondsNow(), by = webhookKey } = {}) => {
  const id = randomUUID();
  const signature = createHmac('sha256', by).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  };
};

export const dataOf = (text: string, uid = 'ann') => ({
  text,
  entities: { sender: { entity: { uid, name: uid }, entityType: 'user' } },
});

/** A message as the platform's pages print it: of ann, in a group. */
export const chatMessage = (data: object, more: object = {}) => ({
  ...{ id: String(randomUUID()), conversationId: 'group_support', sender: 'ann', data },
  ...{ receiverType: 'group', receiver: 'support', category: 'message', type: 'text' },
  ...more,
});

export const messageEvent = (text: string, more: object = {}, trigger = 'message_sent') => ({
  trigger,
  data: { message: chatMessage({ text }, more) },
});

/** Event of a bot. */
export const botEvent = (message: object, bot: string, trigger = 'after_message') => ({
  ...{ trigger, data: message, bot },
  ...{ appId: 'app', chatAPIVersion: 'v3.0', region: 'us' },
});

async function callBot(bot: Body | undefined, text: string, more: object) {
  if (!bot?.['enabled'] || !text.includes(`<@uid:${bot['uid']}>`)) return undefined;
  const credentials = Buffer.from(`${bot['username']}:${bot['password']}`).toString('base64');
  const response = await fetch(String(bot['webhookURL']), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Basic ${credentials}` },
    body: JSON.stringify(botEvent(chatMessage(dataOf(text), more), bot['uid'])),
  });
  return response.status;
}

/** @param key REST key that the API requires */
export async function startChatPlatform(key: string): Promise<ChatPlatform> {
  const entries: PlatformEntry[] = [];
  const requests: string[] = [];
  const [users, bots, messages]: [Body[], Body[], Body[]] = [[], [], []];
  const reply = async (request: IncomingMessage): Promise<Reply> => {
    const [{ method = '', url = '' }, content] = [request, await textOf(request)];
    const parts = url.replace('/v3/', '').split('/');
    if (parts[2] !== 'messages') requests.push(`${method} ${url}`);
    if (request.headers['apikey'] !== key)
      return refusal(401, 'AUTH_ERR_APIKEY_NOT_FOUND', 'The API key is invalid.');
    if (request.headers['chatapiversion'] !== 'v3.0' && parts[2] !== 'messages')
      return refusal(400, 'ERR_BAD_REQUEST', 'chatApiVersion must be v3.0.');
    if (!url.startsWith(agentsPath))
      return replyOfBots({ users, bots, messages }, method, parts, JSON.parse(content || '{}'));
    if (method === 'GET')
      return [200, { data: entries, meta: { pagination: { current_page: 1, total_pages: 1 } } }];
    if (method === 'POST') return create(entries, JSON.parse(content));
    return update(entries, url.slice(agentsPath.length + 1), JSON.parse(content));
  };
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const [status, body] = await reply(request);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const site = await startSite({}, (path) => (path.startsWith('/v3/') ? listener : undefined));
  const sayInGroup = (text: string, more = {}) => callBot(bots[0], text, more);
  const lists = { entries, users, bots, messages, requests };
  return { url: site.url, ...lists, sayInGroup };
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
    ...{ threadId: randomUUID(), runId: randomUUID(), messages: messagesOf(text) },
    ...{ state: {}, tools: [], context: [], forwardedProps: {} },
  };
  const deltaOf = ({ type, delta }: any) => (type === 'TEXT_MESSAGE_CONTENT' ? delta : '');
  return shownText(deploymentUrl, input, headers, deltaOf, 'RUN_FINISHED');
}
