import { ClientFactory } from '@a2a-js/sdk/client';
import { type ChatClient, messageOf } from '../chat-client.ts';

const textOf = (parts: readonly any[] = []): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
const quotesOf = (metadata: any): string[] =>
  (metadata?.knowledge?.citations ?? []).map(({ quote }: { quote: string }) => quote);

export const client: ChatClient = {
  name: '`@a2a-js/sdk` 1.x: `sendMessageStream`',
  sources: '`metadata.knowledge` of the last update',
  needsMention: false,
  isStreamed: true,
  async open({ url, key }) {
    const client = await new ClientFactory().createFromUrl(url);
    return {
      async ask({
        text: question,
        namespace = 'default',
        conversation = '',
        addressed,
        signal,
        onText,
      }) {
        const serviceParameters = {
          authorization: `Bearer ${key}`,
          ...(addressed === undefined ? {} : { addressed: String(addressed) }),
        };
        const content = { $case: 'text' as const, value: question };
        const message = {
          messageId: crypto.randomUUID(),
          contextId: conversation,
          taskId: '',
          role: 1,
          parts: [{ content, metadata: undefined, filename: '', mediaType: '' }],
          metadata: { namespace },
          extensions: [],
          referenceTaskIds: [],
        };
        let text = '';
        let quotes: string[] = [];
        let error: string | undefined;
        try {
          const request = { tenant: '', message, configuration: undefined, metadata: undefined };
          for await (const { payload } of client.sendMessageStream(request, {
            serviceParameters,
            ...(signal ? { signal } : {}),
          })) {
            if (payload?.$case === 'artifactUpdate') {
              text += textOf(payload.value.artifact?.parts);
              onText?.(text);
            }
            if (payload?.$case !== 'statusUpdate') continue;
            quotes = quotesOf(payload.value.metadata);
            // TASK_STATE_FAILED
            if (payload.value.status?.state === 4)
              error = `${payload.value.metadata?.['code']}: ${textOf(payload.value.status.message?.parts)}`;
          }
        } catch (thrown) {
          error = messageOf(thrown);
        }
        return { text, quotes, error };
      },
    };
  },
};
