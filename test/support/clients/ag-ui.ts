import { HttpAgent } from '@ag-ui/client';
import { type ChatClient, messageOf } from '../chat-client.ts';

export const client: ChatClient = {
  name: '`@ag-ui/client` (`HttpAgent`, what CopilotKit uses)',
  sources: 'custom event `citations`',
  hidesNoSources: true,
  needsMention: false,
  isStreamed: true,
  async open({ url, key }) {
    const agents = new Map<string, HttpAgent>();
    return {
      async ask({
        text: content,
        namespace = 'default',
        conversation = crypto.randomUUID(),
        addressed,
        signal,
        onText,
      }) {
        const headers = {
          authorization: `Bearer ${key}`,
          ...(addressed === undefined ? {} : { addressed: String(addressed) }),
        };
        const agent =
          agents.get(conversation) ??
          new HttpAgent({ url: `${url}/api/agents/knowledge/ag-ui`, headers });
        agents.set(conversation, agent);
        agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
        signal?.addEventListener('abort', () => agent.abortRun());
        let text = '';
        let quotes: string[] = [];
        let error: string | undefined;
        try {
          await agent.runAgent(
            { forwardedProps: { namespace } },
            {
              onTextMessageContentEvent({ event }) {
                text += event.delta;
                onText?.(text);
              },
              onCustomEvent({ event }) {
                if (event.name === 'citations')
                  quotes = event.value.map(({ quote }: { quote: string }) => quote);
              },
              onRunErrorEvent({ event }) {
                error = `${event.code}: ${event.message}`;
              },
            },
          );
        } catch (thrown) {
          error ??= messageOf(thrown);
        }
        return { text, quotes, error };
      },
    };
  },
};
