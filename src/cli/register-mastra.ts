/** The platform's Mastra provider: it sends no key, and its API creates the agent. */
import { createMentionGate } from '../../packages/mastra/src/mention.ts';
import { type AnswerFields, fieldsOf } from './json-request.ts';
import { failed, groupAgent, type Provider, type Registration } from './register.ts';

const path = '/ai-agents/agents';

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

/** @param metaData kept, except the suggestions */
function entryOf(registration: Registration, name: string | undefined, metaData: AnswerFields) {
  const { values, url, agentId } = registration;
  const suggestedMessages = buttonsOf(registration, metaData['suggestedMessages']);
  return {
    name,
    icon: values.icon,
    integrateWith: 'mastra',
    integrationType: 'agent',
    integrationMeta: { baseUrl: url, agentId },
    isActive: true,
    metaData: { ...metaData, suggestedMessages },
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

const runtimeContext = { cometchatContext: { sender: { uid: 'register-check' } } };

function questionsTo({ agents, agentId, suggestions }: Registration): Provider['questions'] {
  const [question = ''] = suggestions;
  const ids = [agentId, ...Object.keys(agents)];
  const direct = ids.find((id) => agents[id]?.requiresMention === false) ?? agentId;
  const mention = agents[groupAgent]?.mentions[0] ?? '';
  return [
    { chat: 'one-to-one', agentId: direct, content: question },
    { chat: 'group', agentId: groupAgent, content: `${mention} ${question}`.trim() },
  ].map(({ content, ...to }) => ({
    ...to,
    path: `/api/agents/${to.agentId}/generate`,
    body: { messages: [{ role: 'user', content }], runtimeContext },
    silence:
      'it does not mention the agent. Set DIRECT_AGENT_ID=knowledge-direct and add --direct, or use --provider ag-ui.',
  }));
}

export function mastraProvider(registration: Registration): Provider {
  const { url, agentId, values, config } = registration;
  const whole = `${url}/api/agents/${agentId}/generate`;
  const isKnown = (uid: string) => uid === config.chatAgentUid || values.direct;
  return {
    listPath: '/api/agents',
    advice:
      'This provider sends no key: set PATH_PREFIX=/k/<random> with PATH_PREFIX_RIGHTS=ask, and DIRECT_AGENT_ID; or use --provider ag-ui.',
    dashboard: [
      ['Provider', 'Mastra'],
      ['Agent ID', agentId],
      ['Deployment URL', url, `or, if it requires the full endpoint, ${whole}`],
      ['Suggestions', ...buttonsOf(registration)],
    ],
    steps: [
      {
        find: () => findOwn(registration),
        request(own) {
          if (!own)
            return ['POST', path, entryOf(registration, values.name ?? 'Knowledge', firstTexts)];
          const { uid, metaData } = own;
          const at = uid === undefined ? '{uid}' : encodeURIComponent(String(uid));
          return ['PATCH', `${path}/${at}`, entryOf(registration, values.name, fieldsOf(metaData))];
        },
      },
    ],
    note: (uid) =>
      isKnown(uid)
        ? ''
        : `Set CHAT_AGENT_UID=${uid}, so that the platform's mention of the agent counts.\n`,
    questions: questionsTo(registration),
  };
}
