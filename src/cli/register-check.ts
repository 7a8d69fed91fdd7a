/**
 * Asks the public address as a provider of the chat platform would, in both kinds of chat, and
 * explains failures.
 */
import { randomUUID } from 'node:crypto';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { plainLine } from '../../packages/shared/src/language/invisible.ts';
import { shellCommand } from './command.ts';
import { type JsonAnswer, requestJson } from './json-request.ts';
import { fieldsOf } from './platform-agents.ts';

const answerTimeoutMs = 60_000;
const [maxShownChars, maxReasonChars, maxSuggestions] = [100, 300, 6];
export const groupAgent = 'knowledge';

export const providers = ['ag-ui', 'mastra'] as const;
export type Provider = (typeof providers)[number];

export interface PublicAddress {
  readonly provider: Provider;
  readonly url: string;
  /** Headers that the provider sends. */
  readonly headers: Readonly<Record<string, string>>;
  readonly agentId: string;
  readonly namespace: string;
}

export const keyCommand = (namespace: string): string =>
  `${shellCommand('keys')} add --name "Chat platform" --namespaces ${namespace} --rights ask`;

function keyAdvice({ provider, headers, namespace }: PublicAddress): string {
  if (provider === 'mastra')
    return [
      'the server requires a key, but this provider sends none.',
      'Set PATH_PREFIX=/k/<random> with PATH_PREFIX_RIGHTS=ask, or ALLOW_ANONYMOUS=read,',
      'and restart the server; or use --provider ag-ui.',
    ].join(' ');
  return 'authorization' in headers
    ? 'the server does not know the key. Set KNOWLEDGE_API_KEY to one of its keys, and restart the server if its settings changed.'
    : `the server requires a key. Set KNOWLEDGE_API_KEY to a key; this command prints one: ${keyCommand(namespace)}`;
}

/** Advice for error codes of this server. */
const adviceByCode: Readonly<Record<string, (address: PublicAddress) => string>> = {
  unauthorized: keyAdvice,
  right_missing: ({ provider }) =>
    `the caller may not ask. Add the right "ask" to ${provider === 'ag-ui' ? 'the key' : 'PATH_PREFIX_RIGHTS'}.`,
  host_not_allowed: ({ url }) =>
    `the server does not accept this host name. Add ${new URL(url).hostname} to ALLOWED_HOSTS, or set PUBLIC_URL.`,
  agent_not_found: ({ agentId }) =>
    `there is no agent ${agentId}. Set DIRECT_AGENT_ID=${agentId} and restart the server.`,
  namespace_not_found: () =>
    'the platform names no namespace, so the only namespace of the caller answers, else "default". It is missing, or the caller may not read it.',
  not_found: () =>
    'the path does not exist. Check --url and PATH_PREFIX, and restart the server if its settings changed.',
  rate_limited: () => 'too many requests. Raise RATE_LIMIT_PER_MINUTE.',
};

function foreignAdvice({ status, text }: JsonAnswer): string {
  if (status >= 300 && status < 400)
    return 'a redirect, which the platform may not follow. Give the address that it leads to as --url.';
  if (status === 401 || status === 403)
    return 'a proxy refuses the request. Let it pass requests of the platform.';
  if (status >= 500)
    return 'the server or its proxy failed. Check that the server runs and that the proxy forwards to it.';
  return `${/^\s*</.test(text) ? 'a web page' : 'another program'} answers instead of this server. Check --url and the proxy.`;
}

/** Explains an answer that contains no chat message. */
function explain(answer: JsonAnswer, address: PublicAddress): string {
  const { code, error } = fieldsOf(answer.body);
  const isOurs = typeof code === 'string' && typeof error === 'string';
  return `${answer.status}: ${isOurs ? (adviceByCode[code]?.(address) ?? plainLine(error, maxReasonChars)) : foreignAdvice(answer)}`;
}

const reasonFor = (error: unknown) =>
  `${error instanceof KnowledgeError ? error.message : 'the request failed'}.`;

export type ServedAgents = Readonly<
  Record<string, { readonly requiresMention: boolean; readonly mentions: readonly string[] }>
>;

const textsIn = (list: unknown): string[] =>
  Array.isArray(list) ? list.filter((text) => typeof text === 'string') : [];

/** Returns the agents that the provider can reach, or the reason that it reaches none. */
export async function findServedAgents(address: PublicAddress): Promise<ServedAgents | string> {
  const { url, headers } = address;
  try {
    const ready = await requestJson(`${url}/ready`);
    const listed =
      ready.status === 200 ? await requestJson(`${url}/api/agents`, { headers }) : ready;
    const agents = fieldsOf(listed.body);
    if (listed.status !== 200 || !(groupAgent in agents))
      return `${url} does not serve this provider. ${explain(listed, address)}`;
    const entries = Object.entries(agents).map(([id, agent]) => {
      const { requiresMention, mentions } = fieldsOf(agent);
      return [
        id,
        { requiresMention: requiresMention !== false, mentions: textsIn(mentions) },
      ] as const;
    });
    return Object.fromEntries(entries);
  } catch (error) {
    return `${url} is unreachable: ${reasonFor(error)}`;
  }
}

/** Returns the fields of the body; none for every failure. */
const readFields = async (url: string, headers: PublicAddress['headers'] = {}) =>
  fieldsOf((await requestJson(url, { headers }).catch(() => undefined))?.body);

/** Returns whether callers without a key may write. */
export async function isOpenToWrite({ url }: PublicAddress): Promise<boolean> {
  const { caller } = await readFields(`${url}/api/state`);
  return textsIn(fieldsOf(caller)['rights']).includes('write');
}

/** Returns questions that the documents answer; empty if the server lists none. */
export async function findSuggestions(
  { url, namespace }: PublicAddress,
  headers: PublicAddress['headers'],
): Promise<string[]> {
  const { suggestions } = await readFields(
    `${url}/api/namespaces/${encodeURIComponent(namespace)}/suggestions`,
    headers,
  );
  return textsIn(
    Array.isArray(suggestions) ? suggestions.map((one) => fieldsOf(one)['question']) : [],
  ).slice(0, maxSuggestions);
}

const paths: Readonly<Record<Provider, readonly [string, string?]>> = {
  mastra: ['generate', 'stream'],
  'ag-ui': ['ag-ui'],
};

function bodyFor(provider: Provider, content: string): object {
  const messages = [{ id: randomUUID(), role: 'user', content }];
  if (provider === 'mastra')
    return {
      messages,
      runtimeContext: {
        cometchatContext: { sender: { uid: 'register-check' }, messageMetadata: {} },
      },
    };
  return {
    threadId: '',
    runId: randomUUID(),
    state: {},
    messages,
    tools: [],
    context: [],
    forwardedProps: {},
  };
}

function eventIn(line: string): unknown {
  try {
    return line.startsWith('data:') ? JSON.parse(line.slice('data:'.length)) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads a whole answer, or the events of a stream of either provider. Undefined if the answer is
 * incomplete or has another form.
 */
function hear({
  body,
  text: raw,
}: JsonAnswer): { text: string; reason?: unknown; failure?: unknown } | undefined {
  const { text: whole, reason: why } = fieldsOf(body);
  if (typeof whole === 'string') return { text: whole, reason: why };
  let text = '';
  for (const line of raw.split('\n')) {
    const { type, payload, delta, result, message } = fieldsOf(eventIn(line));
    const { text: part, reason, error } = fieldsOf(payload);
    if (type === 'text-delta' || type === 'TEXT_MESSAGE_CONTENT') text += String(part ?? delta);
    if (type === 'error' || type === 'RUN_ERROR') return { text, failure: error ?? message };
    if (type === 'finish' || type === 'RUN_FINISHED')
      return { text, reason: reason ?? fieldsOf(result)['reason'] };
  }
  return undefined;
}

export interface ChatCheck {
  readonly chat: 'one-to-one' | 'group';
  readonly agentId: string;
  readonly outcome: 'answered' | 'not known' | 'silent' | 'refused';
  /** The beginning of the answer, or the reason with advice. */
  readonly text: string;
}
export const isFailed = ({ outcome }: Pick<ChatCheck, 'outcome'>) =>
  outcome === 'silent' || outcome === 'refused';

const silenceIn = (chat: ChatCheck['chat'], content: string) =>
  chat === 'group'
    ? `"${plainLine(content, maxShownChars)}" does not mention the agent. Check AGENT_MENTIONS.`
    : 'the message does not mention the agent. Set DIRECT_AGENT_ID=knowledge-direct and add --direct, or use --provider ag-ui.';

/** Asks on each path of the provider, and returns the first failure, else the last answer. */
async function ask(
  address: PublicAddress,
  chat: ChatCheck['chat'],
  agentId: string,
  content: string,
): Promise<ChatCheck> {
  const { url, headers, provider, namespace } = address;
  async function askAt(path: string): Promise<Pick<ChatCheck, 'outcome' | 'text'>> {
    const request = {
      method: 'POST',
      headers,
      body: bodyFor(provider, content),
      timeoutMs: answerTimeoutMs,
    };
    const answer = await requestJson(`${url}/api/agents/${agentId}/${path}`, request);
    const heard = answer.status === 200 ? hear(answer) : undefined;
    if (!heard) return { outcome: 'refused', text: explain(answer, { ...address, agentId }) };
    const { text, reason, failure } = heard;
    if (failure !== undefined)
      return {
        outcome: 'refused',
        text: `the answer failed: ${plainLine(String(failure), maxReasonChars)}`,
      };
    if (reason === 'not_mentioned') return { outcome: 'silent', text: silenceIn(chat, content) };
    if (text.trim() === '')
      return {
        outcome: 'silent',
        text: 'the answer is empty. The log of the server has its reason.',
      };
    if (reason === 'no_context')
      return {
        outcome: 'not known',
        text: `the documents do not answer it. Add some: ${shellCommand('ingest')} FILE --namespace ${namespace}`,
      };
    // Without a model, the heading path of a section comes first.
    const [line = ''] = text
      .trim()
      .replace(/^(?:.+:\n\n)?\*\*.+\*\*\n\n/, '')
      .split('\n');
    return {
      outcome: 'answered',
      text: plainLine(line, maxShownChars) + (line.length > maxShownChars ? '…' : ''),
    };
  }
  const [first, second] = paths[provider];
  const attempt = (path: string) =>
    askAt(path).catch((error: unknown) => ({
      outcome: 'refused' as const,
      text: reasonFor(error),
    }));
  const judged = await attempt(first);
  return {
    chat,
    agentId,
    ...(second === undefined || isFailed(judged) ? judged : await attempt(second)),
  };
}

/** Asks a question without a mention in a one-to-one chat, and with a mention in a group. */
export async function checkChats(
  address: PublicAddress,
  agents: ServedAgents,
  question: string,
): Promise<ChatCheck[]> {
  const { provider, agentId } = address;
  const direct =
    [agentId, ...Object.keys(agents)].find((id) => agents[id]?.requiresMention === false) ??
    agentId;
  const mention = agents[groupAgent]?.mentions[0] ?? '';
  return [
    await ask(address, 'one-to-one', provider === 'ag-ui' ? groupAgent : direct, question),
    await ask(address, 'group', groupAgent, `${mention} ${question}`.trim()),
  ];
}
