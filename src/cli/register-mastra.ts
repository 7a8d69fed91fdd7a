/** The platform's Mastra provider: it sends no key, and its API creates the agent. */
import { createMentionGate } from '../../packages/mastra/src/mention.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import {
  fieldsOf,
  groupAgent,
  type PlatformFields,
  type Provider,
  type Registration,
  saveEntry,
} from './register-parts.ts';

const path = '/ai-agents/agents';
const endpointOf = ({ url, agentId }: Registration) => `${url}/api/agents/${agentId}/generate`;

/** Each suggestion mentions the agent, which would not answer it otherwise. */
function buttonsOf({ agents, agentId, config, suggestions, values }: Registration, kept?: unknown) {
  const known = agents[agentId] ?? {
    requiresMention: !values.direct,
    mentions: config.agentMentions,
  };
  const gate = createMentionGate({ mentions: known.mentions, isNeeded: known.requiresMention });
  const isKept = Array.isArray(kept) && kept.length > 0 && !values.suggest && !values.namespace;
  return (isKept ? kept.map(String) : suggestions).map((text) =>
    gate.question(text) === undefined ? `${known.mentions[0]} ${text}` : text,
  );
}

function entryOf(registration: Registration, known: PlatformFields = {}) {
  const { values, url, agentId } = registration;
  return {
    name: values.name,
    icon: values.icon,
    integrateWith: 'mastra',
    integrationType: 'agent',
    integrationMeta: { baseUrl: url, agentId },
    isActive: true,
    metaData: {
      ...known,
      greetingMessage: values.greeting ?? known['greetingMessage'],
      introductoryMessage: values.intro ?? known['introductoryMessage'],
      suggestedMessages: buttonsOf(registration, known['suggestedMessages']),
    },
  };
}

function newEntryOf(registration: Registration) {
  const greetingMessage = 'Hello! Ask me about our documents.';
  const introductoryMessage = 'I answer from the documents and link to the source.';
  const entry = entryOf(registration, { greetingMessage, introductoryMessage });
  return { ...entry, name: entry.name ?? 'Knowledge' };
}

/** @throws KnowledgeError if the list cannot be read: creating the agent could be a duplicate */
async function findOwn({
  platform,
  agentId,
  url,
}: Registration): Promise<PlatformFields | undefined> {
  const found: PlatformFields[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const body = await platform('GET', page === 1 ? path : `${path}?page=${page}`);
    const { data, agents, meta } = fieldsOf(body);
    const list = [body, data, agents, fieldsOf(data)['agents']].find(Array.isArray);
    pages = Number(fieldsOf(fieldsOf(meta)['pagination'])['total_pages'] ?? 1);
    if (!list || pages > 50)
      throw new KnowledgeError(
        'upstream_failed',
        'The chat platform did not return a list of agents.',
      );
    found.push(...list.map(fieldsOf).filter(({ deletedAt }) => !deletedAt));
  }
  const metaOf = ({ integrationMeta }: PlatformFields) => fieldsOf(integrationMeta);
  const named = found.filter((agent) => metaOf(agent)['agentId'] === agentId);
  const own = named.find((agent) => String(metaOf(agent)['baseUrl']).startsWith(url)) ?? named[0];
  if (named.length < 2 || String(metaOf(own ?? {})['baseUrl']).startsWith(url)) return own;
  throw new KnowledgeError(
    'upstream_failed',
    `Delete all but one agent ${agentId} in the dashboard.`,
  );
}

export const mastraProvider: Provider = {
  listPath: '/api/agents',
  advice:
    'This provider sends no key: set PATH_PREFIX=/k/<random> with PATH_PREFIX_RIGHTS=ask, and DIRECT_AGENT_ID; or use --provider ag-ui.',
  dashboard: (registration) => [
    ['Provider', 'Mastra'],
    ['Agent ID', registration.agentId],
    ['Deployment URL', registration.url],
    ['', `or, if it requires the full endpoint, ${endpointOf(registration)}`],
    ...buttonsOf(registration).map((text, at): [string, string] => [
      at === 0 ? 'Suggestions' : '',
      text,
    ]),
  ],
  plan: (registration) => [
    ['POST', path, newEntryOf(registration)],
    ['PATCH', `${path}/{uid}`, entryOf(registration)],
  ],
  async save(registration) {
    const own = await findOwn(registration);
    const values = own
      ? entryOf(registration, fieldsOf(own['metaData']))
      : newEntryOf(registration);
    const where = own ? `${path}/${encodeURIComponent(String(own['uid']))}` : path;
    const saved = await saveEntry(registration, own, [own ? 'PATCH' : 'POST', where, values]);
    const isOwn = saved.uid === registration.config.chatAgentUid || registration.values.direct;
    const note = `Set CHAT_AGENT_UID=${saved.uid}, so that the platform's mention of the agent counts.\n`;
    return { ...saved, note: isOwn ? undefined : note };
  },
  questions({ agents, agentId, suggestions: [question = ''] }) {
    const ids = [agentId, ...Object.keys(agents)];
    const direct = ids.find((id) => agents[id]?.requiresMention === false) ?? agentId;
    return ['one-to-one', 'group'].map((chat) => {
      const [id, mention] =
        chat === 'group' ? [groupAgent, agents[groupAgent]?.mentions[0]] : [direct];
      const content = `${mention ?? ''} ${question}`.trim();
      const runtimeContext = { cometchatContext: { sender: { uid: 'register-check' } } };
      const body = { messages: [{ role: 'user', content }], runtimeContext };
      const silence = `it does not mention the agent. ${chat === 'group' ? 'Check AGENT_MENTIONS.' : 'Set DIRECT_AGENT_ID=knowledge-direct and add --direct, or use --provider ag-ui.'}`;
      return { chat, agentId: id, path: `/api/agents/${id}/generate`, headers: {}, body, silence };
    });
  },
};
