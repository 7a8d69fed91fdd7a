/** The platform's Mastra provider: it sends no key, and its API creates the agent. */
import { createMentionGate } from '../../packages/mastra/src/mention.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { type AnswerFields, fieldsOf } from './json-request.ts';
import { groupAgent, type Provider, type Registration } from './register.ts';

const path = '/ai-agents/agents';
const failed = (message: string) => new KnowledgeError('upstream_failed', message);

/** Each suggestion mentions the agent, which would not answer it otherwise. */
function buttonsOf({ agents, agentId, config, suggestions, values }: Registration, kept?: unknown) {
  const { requiresMention: isNeeded, mentions } = agents[agentId] ?? {
    requiresMention: !values.direct,
    mentions: config.agentMentions,
  };
  const gate = createMentionGate({ mentions, isNeeded });
  const isKept = Array.isArray(kept) && kept.length > 0 && !values.suggest && !values.namespace;
  return (isKept ? kept.map(String) : suggestions).map((text) =>
    gate.question(text) === undefined ? `${mentions[0]} ${text}` : text,
  );
}

function entryOf(registration: Registration, known: AnswerFields, name = registration.values.name) {
  const { values, url, agentId } = registration;
  return {
    name,
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
const firstTexts = {
  greetingMessage: 'Hello! Ask me about our documents.',
  introductoryMessage: 'I answer from the documents and link to the source.',
};

/** @throws KnowledgeError if the list cannot be read: creating the agent could be a duplicate */
async function findOwn({ send, agentId, url }: Registration): Promise<AnswerFields | undefined> {
  const found: AnswerFields[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const body = await send('GET', page === 1 ? path : `${path}?page=${page}`);
    const { data, agents, meta } = fieldsOf(body);
    const list = [body, data, agents, fieldsOf(data)['agents']].find(Array.isArray);
    pages = Number(fieldsOf(fieldsOf(meta)['pagination'])['total_pages'] ?? 1);
    if (!list || pages > 50) throw failed('The chat platform did not return a list of agents.');
    found.push(...list.map(fieldsOf).filter(({ deletedAt }) => !deletedAt));
  }
  const metaOf = (agent: AnswerFields) => fieldsOf(agent['integrationMeta']);
  const named = found.filter((agent) => metaOf(agent)['agentId'] === agentId);
  const own = named.find((agent) => String(metaOf(agent)['baseUrl']).startsWith(url));
  if (own || named.length < 2) return own ?? named[0];
  throw failed(`Delete all but one agent ${agentId} in the dashboard.`);
}

export const mastraProvider: Provider = {
  listPath: '/api/agents',
  hasDirect: true,
  advice:
    'This provider sends no key: set PATH_PREFIX=/k/<random> with PATH_PREFIX_RIGHTS=ask, and DIRECT_AGENT_ID; or use --provider ag-ui.',
  dashboard: (registration) => [
    ['Provider', 'Mastra'],
    ['Agent ID', registration.agentId],
    [
      'Deployment URL',
      registration.url,
      `or, if it requires the full endpoint, ${registration.url}/api/agents/${registration.agentId}/generate`,
    ],
    ['Suggestions', ...buttonsOf(registration)],
  ],
  steps: (registration) => [
    {
      find: () => findOwn(registration),
      create: [
        'POST',
        path,
        entryOf(registration, firstTexts, registration.values.name ?? 'Knowledge'),
      ],
      update({ uid, metaData }) {
        const at = uid === undefined ? '{uid}' : encodeURIComponent(String(uid));
        return ['PATCH', `${path}/${at}`, entryOf(registration, fieldsOf(metaData))];
      },
    },
  ],
  note: ({ config, values }, uid) =>
    uid === config.chatAgentUid || values.direct
      ? ''
      : `Set CHAT_AGENT_UID=${uid}, so that the platform's mention of the agent counts.\n`,
  questions({ agents, agentId, suggestions: [question = ''] }) {
    const ids = [agentId, ...Object.keys(agents)];
    const direct = ids.find((id) => agents[id]?.requiresMention === false) ?? agentId;
    const asked = `${agents[groupAgent]?.mentions[0] ?? ''} ${question}`.trim();
    const runtimeContext = { cometchatContext: { sender: { uid: 'register-check' } } };
    const silence =
      'it does not mention the agent. Set DIRECT_AGENT_ID=knowledge-direct and add --direct, or use --provider ag-ui.';
    return [
      { chat: 'one-to-one', agentId: direct, content: question },
      { chat: 'group', agentId: groupAgent, content: asked },
    ].map(({ content, ...to }) => {
      const body = { messages: [{ role: 'user', content }], runtimeContext };
      return { ...to, path: `/api/agents/${to.agentId}/generate`, body, silence };
    });
  },
};
