/**
 * AG-UI (`@ag-ui/client`, CopilotKit; protocol 1.0). It has no event for sources, so citations are
 * sent in a `CUSTOM` event `citations`.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { withoutNoSources } from '../../../ask/reply/sources.ts';
import {
  addressedField,
  chatMessages,
  chosenName,
  conversationOf,
  namespaceField,
  userIn,
} from './conversation.ts';
import { askCard, type Dialect, dataOf, placesOf } from './dialect.ts';

const runInput = z.looseObject({
  threadId: chosenName,
  runId: chosenName,
  messages: chatMessages.describe(
    'the whole conversation, oldest first; the last user message is the question',
  ),
  forwardedProps: z
    .looseObject({ namespace: namespaceField, addressed: addressedField })
    .nullish()
    .describe('userToken, user: the acting user (docs/secure.md#users)'),
});
type RunInput = z.infer<typeof runInput>;

export const agUiDialect: Dialect = {
  operations: [
    {
      card: askCard(
        'runAgent',
        'POST /api/agents/:agentId/ag-ui',
        'Ask the agent by the AG-UI protocol; no mention needed',
      ),
      body: runInput,
      example: {
        threadId: 'try',
        runId: 'run-1',
        messages: [{ id: '1', role: 'user', content: 'how long do refunds take?' }],
        tools: [],
        context: [],
        state: {},
        forwardedProps: {},
      },
      isAddressed: true,
      question: ({ messages, forwardedProps, threadId }: RunInput) => ({
        messages: conversationOf(messages),
        namespace: forwardedProps?.namespace,
        addressed: forwardedProps?.addressed ?? undefined,
        thread: threadId === '' ? undefined : { thread: threadId, resource: '' },
        user: userIn(forwardedProps),
      }),
      stream: {
        description: 'Server-sent events of AG-UI, from RUN_STARTED to RUN_FINISHED or RUN_ERROR',
        open(_, { threadId, runId }: RunInput) {
          const event = (type: string, content: object) => dataOf({ type, ...content });
          const messageId = randomUUID();
          let step: string | undefined;
          const endStep = () => {
            const ended = step;
            step = undefined;
            return ended === undefined ? [] : [event('STEP_FINISHED', { stepName: ended })];
          };
          function beginStep(stepName: string) {
            const before = endStep();
            step = stepName;
            return [...before, event('STEP_STARTED', { stepName })];
          }
          return {
            start: () => [event('RUN_STARTED', { threadId, runId })],
            beginText: () => [event('TEXT_MESSAGE_START', { messageId, role: 'assistant' })],
            text(text) {
              const delta = withoutNoSources(text);
              return delta === '' ? [] : [event('TEXT_MESSAGE_CONTENT', { messageId, delta })];
            },
            endText: () => [event('TEXT_MESSAGE_END', { messageId })],
            searched: ({ toolCallId, toolName: toolCallName, args }, result) => [
              event('TOOL_CALL_START', { toolCallId, toolCallName }),
              event('TOOL_CALL_ARGS', { toolCallId, delta: JSON.stringify(args) }),
              event('TOOL_CALL_END', { toolCallId }),
              event('TOOL_CALL_RESULT', {
                messageId: randomUUID(),
                toolCallId,
                content: JSON.stringify(placesOf(result)),
                role: 'tool',
              }),
            ],
            working: beginStep,
            finish: ({ text, toolCalls, toolResults, ...result }) => [
              ...endStep(),
              ...(result.citations.length > 0
                ? [event('CUSTOM', { name: 'citations', value: result.citations })]
                : []),
              event('RUN_FINISHED', {
                threadId,
                runId,
                result: { ...result, messageId },
                outcome: { type: 'success' },
              }),
            ],
            fail: ({ error, code }) => [event('RUN_ERROR', { message: error, code })],
          };
        },
      },
    },
  ],
};
