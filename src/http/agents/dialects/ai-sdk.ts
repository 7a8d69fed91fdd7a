/**
 * The AI SDK's chat (`useChat`; ai 7, `uiMessageChunkSchema`). Sources contain the whole citation
 * in `providerMetadata.knowledge`.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { AskResult } from '../../../ask/ask-result.ts';
import { isWebAddress, sourceIdOf, withoutNoSources } from '../../../ask/reply/sources.ts';
import { errorOutput } from '../../error-body.ts';
import {
  addressedField,
  chatMessage,
  chatMessages,
  chosenName,
  conversationOf,
  namespaceField,
} from './conversation.ts';
import { askCard, type Dialect, pageCard, dataOf as part, placesOf } from './dialect.ts';

const chatInput = z
  .looseObject({
    messages: chatMessages
      .optional()
      .describe('UI messages, oldest first; the last user message is the question'),
    message: chatMessage.optional().describe('instead of messages: the last message'),
    id: chosenName.nullish().describe('id of the chat; with message: its thread'),
    namespace: namespaceField,
    addressed: addressedField,
  })
  .refine(({ messages, message }) => messages !== undefined || message !== undefined, {
    path: ['messages'],
    error: 'is missing; send messages, or the last one as message',
  });

function sourcePart(citation: AskResult['citations'][number], sourceId: string) {
  const { title, source, file } = citation;
  const common = { sourceId, title, providerMetadata: { knowledge: citation } };
  return isWebAddress(source)
    ? { type: 'source-url', url: source, ...common }
    : { type: 'source-document', mediaType: 'text/markdown', filename: file, ...common };
}

export const aiSdkDialect: Dialect = {
  // `useChat` shows the whole error body to the user.
  errors: {
    path: '/api/chat/*',
    form: ({ error }) => error,
    output: errorOutput,
    isText: true,
  },
  operations: [
    {
      card: askCard(
        'chat',
        'POST /api/chat/:agentId',
        "Ask the agent by the AI SDK's UI message stream; no mention needed",
      ),
      body: chatInput,
      example: {
        messages: [
          { id: '1', role: 'user', parts: [{ type: 'text', text: 'how long do refunds take?' }] },
        ],
      },
      isAddressed: true,
      question: ({ messages, message, id, namespace, addressed }: z.infer<typeof chatInput>) => ({
        messages: conversationOf(messages ?? (message ? [message] : [])),
        namespace,
        // `messages` contains the whole conversation, so stored turns would repeat it.
        thread: id && !messages ? { thread: id, resource: 'chat' } : undefined,
        addressed: addressed ?? undefined,
      }),
      stream: {
        description: 'Server-sent events: UI message stream of the AI SDK, version 1, then [DONE]',
        headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
        open({ runId }) {
          const id = randomUUID();
          return {
            start: () => [part({ type: 'start', messageId: runId }), part({ type: 'start-step' })],
            beginText: () => [part({ type: 'text-start', id })],
            text(text) {
              const delta = withoutNoSources(text);
              return delta === '' ? [] : [part({ type: 'text-delta', id, delta })];
            },
            endText: () => [part({ type: 'text-end', id })],
            searched({ toolCallId, toolName, args }, result) {
              // The server ran the tool, and the client does not know its types.
              const ran = { toolCallId, providerExecuted: true, dynamic: true };
              return [
                part({ type: 'tool-input-available', ...ran, toolName, input: args }),
                part({ type: 'tool-output-available', ...ran, output: placesOf(result) }),
              ];
            },
            working: (status) => [part({ type: 'data-status', data: { status }, transient: true })],
            finish: ({ citations, text, toolCalls, toolResults, ...messageMetadata }) => [
              ...citations.map((citation, at) =>
                part(sourcePart(citation, sourceIdOf(citation, at, citations))),
              ),
              part({ type: 'finish-step' }),
              part({ type: 'finish', finishReason: 'stop', messageMetadata }),
            ],
            fail: ({ error }) => [part({ type: 'error', errorText: error })],
            end: () => [{ data: '[DONE]' }],
          };
        },
      },
    },
  ],
  pages: [
    {
      card: pageCard(
        'resumeChat',
        'GET /api/chat/:agentId/:chatId/stream',
        'Resume a stream for useChat; always 204, because streams cannot be resumed',
      ),
      output: z.undefined(),
      others: { 204: { description: 'No stream to resume' } },
      read: () => undefined,
    },
  ],
};
