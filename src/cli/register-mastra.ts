/** The platform's Mastra provider: it sends no key, and its API creates the agent. */
import { fieldsOf, type JsonFields } from '../../packages/calls/src/call-record.ts';
import { failed, groupAgent, type Provider, type Registration } from './register.ts';

const path = '/ai-agents/agents';

/** @throws KnowledgeError if the list cannot be read: creating the agent could be a duplicate */
async function findOwn({ send, agentId, url }: Registration) {
  const found: JsonFields[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const body = await send('GET', page === 1 ? path : `${path}?page=${page}`);
    const { data, agents, meta } = fieldsOf(body);
    const list = [body, data, agents, fieldsOf(data)['agents']].find(Array.isArray);
    pages = Number(fieldsOf(fieldsOf(meta)['pagination'])['total_pages'] ?? 1);
    if (!list || pages > 50) throw failed('The chat platform did not return a list of agents.');
    found.push(...list.map(fieldsOf).filter(({ deletedAt }) => !deletedAt));
  }
  const metaOf = (agent: JsonFields) => fieldsOf(agent['integrationMeta']);
  const named = found.filter((agent) => metaOf(agent)['agentId'] === agentId);
  const own = named.find((agent) => String(metaOf(agent)['baseUrl']).startsWith(url));
  if (own || named.length < 2) return own ?? named[0];
  throw failed(`Delete all but one agent ${agentId} in the dashboard.`);
}

const runtimeContext = { cometchatContext: { sender: { uid: 'register-check' } } };

export function mastraProvider(registration: Registration): Provider {
  const { url, agentId, values, config, mention, suggestions } = registration;
  // The agent would not answer a suggestion without a mention.
  const needsMention = mention !== undefined && agentId === groupAgent;
  const suggestedMessages = suggestions.map((text) =>
    !needsMention || text.includes(mention) ? text : `${mention} ${text}`,
  );
  const entry = {
    icon: values.icon,
    integrateWith: 'mastra',
    integrationType: 'agent',
    integrationMeta: { baseUrl: url, agentId },
    isActive: true,
  };
  /** Keeps the texts of the dashboard. */
  function update({ uid, metaData: kept }: JsonFields) {
    const asked = values.suggest || values.namespace ? { suggestedMessages } : {};
    const at = uid === undefined ? '{uid}' : encodeURIComponent(String(uid));
    const changed = { ...entry, name: values.name, metaData: { ...fieldsOf(kept), ...asked } };
    return ['PATCH', `${path}/${at}`, changed] as const;
  }
  return {
    advice:
      'This provider sends no key: set PATH_PREFIX=/k/<random> with PATH_PREFIX_RIGHTS=ask, and DIRECT_AGENT_ID; or use --provider ag-ui.',
    dashboard: [
      ['Provider', 'Mastra'],
      ['Agent ID', agentId],
      ['Deployment URL', url],
      ['Full endpoint', `${url}/api/agents/${agentId}/generate`],
      ...suggestedMessages.map((one) => ['Suggestion', one]),
    ],
    missing: [],
    steps: [
      {
        find: () => findOwn(registration),
        create: [
          'POST',
          path,
          { ...entry, name: values.name ?? 'Knowledge', metaData: { suggestedMessages } },
        ],
        update,
      },
    ],
    noteFor: (uid) =>
      uid === config.chatAgentUid || values.direct
        ? ''
        : `Set CHAT_AGENT_UID=${uid}, so that the platform's mention of the agent counts.\n`,
    questions: [
      {
        chat: needsMention ? 'one-to-one, mention' : 'one-to-one',
        path: `/api/agents/${agentId}/generate`,
        body: { messages: [{ role: 'user', content: suggestedMessages[0] }], runtimeContext },
        silence: 'see the server log.',
      },
    ],
  };
}
