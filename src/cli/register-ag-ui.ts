/** The platform's AG-UI provider: it sends a key, and its values are pasted into the dashboard. */
import { randomUUID } from 'node:crypto';
import { shellCommand } from './command.ts';
import { groupAgent, type Provider } from './register-parts.ts';

const path = `/api/agents/${groupAgent}/ag-ui`;
const run = { threadId: '', state: {}, tools: [], context: [], forwardedProps: {} };

export const agUi: Provider = {
  listPath: '/api/agents',
  sendsKey: true,
  advice: `Set KNOWLEDGE_API_KEY to a key that may ask. This command prints one: ${shellCommand('keys')} add --name "Chat platform" --rights ask`,
  dashboard({ url, key, values, suggestions }) {
    const shown = values['show-secrets'] ? (key ?? '') : '<KNOWLEDGE_API_KEY>';
    return [
      ['Provider', 'Custom (AG-UI)'],
      ['Deployment URL', url + path],
      ['Headers', JSON.stringify({ Authorization: `Bearer ${shown}` })],
      ...suggestions.map((text, at): [string, string] => [at === 0 ? 'Suggestions' : '', text]),
    ];
  },
  questions({ key, agents, suggestions: [question = ''] }) {
    const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
    const mention = agents[groupAgent]?.mentions[0] ?? '';
    return ['one-to-one', 'group'].map((chat) => {
      const content = chat === 'group' ? `${mention} ${question}` : question;
      const messages = [{ id: randomUUID(), role: 'user', content }];
      const body = { ...run, runId: randomUUID(), messages };
      return {
        chat,
        agentId: groupAgent,
        path,
        headers,
        body,
        silence: 'see the log of the server.',
      };
    });
  },
};
