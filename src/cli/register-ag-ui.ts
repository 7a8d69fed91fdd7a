/** The platform's AG-UI provider: it sends a key, and its values are pasted into the dashboard. */
import { randomUUID } from 'node:crypto';
import { shellCommand, UsageError } from './command.ts';
import { groupAgent, type Provider, type Registration } from './register.ts';

const path = `/api/agents/${groupAgent}/ag-ui`;
const run = { threadId: '', state: {}, tools: [], context: [], forwardedProps: {} };

export function agUi({ url, key = '', values, suggestions }: Registration): Provider {
  if (values.apply)
    throw new UsageError('--apply needs --provider mastra or bot. Paste the printed values.');
  const shown = values['show-secrets'] ? key : '<KNOWLEDGE_API_KEY>';
  const [content = ''] = suggestions;
  return {
    advice: `Set KNOWLEDGE_API_KEY to a key that may ask. This command prints one: ${shellCommand('keys')} add --name "Chat platform" --rights ask`,
    dashboard: [
      ['Provider', 'Custom (AG-UI)'],
      ['Deployment URL', url + path],
      ['Headers', JSON.stringify({ Authorization: `Bearer ${shown}` })],
      ...suggestions.map((one) => ['Suggestion', one]),
    ],
    missing: [],
    steps: [],
    noteFor: () => '',
    questions: [
      {
        chat: 'one-to-one',
        path,
        headers: { authorization: `Bearer ${key}` },
        body: { ...run, runId: randomUUID(), messages: [{ id: '1', role: 'user', content }] },
        silence: 'see the server log.',
      },
    ],
  };
}
