/** The platform's AG-UI provider: it sends a key, and its values are pasted into the dashboard. */
import { randomUUID } from 'node:crypto';
import { shellCommand } from './command.ts';
import { groupAgent, type Provider } from './register.ts';

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
      ['Suggestions', ...suggestions],
    ];
  },
  questions: ({ keyHeaders: headers, agents, suggestions: [question = ''] }) =>
    ['one-to-one', 'group'].map((chat) => {
      const mention = agents[groupAgent]?.mentions[0] ?? '';
      const content = chat === 'group' ? `${mention} ${question}` : question;
      const body = { ...run, runId: randomUUID(), messages: [{ id: '1', role: 'user', content }] };
      return { chat, agentId: groupAgent, path, headers, body, silence: 'see the server log.' };
    }),
};
