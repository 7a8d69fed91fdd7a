import { HttpAgent } from '@ag-ui/client';
import { chatClient } from '../chat-client.ts';

const facts = {
  name: '`@ag-ui/client` (`HttpAgent`, what CopilotKit uses)',
  sources: 'custom event `citations`',
  hidesNoSources: true,
};

export const client = chatClient(facts, ({ url }) => {
  const agents = new Map<string, HttpAgent>();
  return async (turn) => {
    const { namespace, authorized: headers } = turn;
    const agent =
      agents.get(turn.thread) ??
      new HttpAgent({ url: `${url}/api/agents/knowledge/ag-ui`, headers });
    agents.set(turn.thread, agent);
    agent.addMessage({ id: crypto.randomUUID(), role: 'user', content: turn.question });
    turn.signal?.addEventListener('abort', () => agent.abortRun());
    await agent.runAgent(
      { forwardedProps: { namespace } },
      {
        onTextMessageContentEvent: ({ event }) => turn.add(event.delta),
        onCustomEvent({ event }) {
          if (event.name === 'citations') turn.cite(event.value);
        },
        onRunErrorEvent({ event }) {
          turn.error = `${event.code}: ${event.message}`;
        },
      },
    );
  };
});
