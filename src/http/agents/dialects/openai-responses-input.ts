/**
 * Requests of OpenAI's responses API. Responses are not stored; the id of a response contains the
 * name of the caller's thread.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  chatMessage,
  chosenName,
  conversationOf,
  invalidField,
  withRecent,
} from './conversation.ts';
import type { DialectQuestion } from './dialect.ts';
import {
  modelName,
  namespaceOfModel,
  refuseFields,
  refuseForcedTool,
  refuseFormat,
  tokenLimitOf,
} from './openai.ts';
import { taskReplyOf } from './task-prompts.ts';

const threadName = chosenName.min(1);

/** Tool calls, reasoning and other items without a message. */
const nonMessageItem = z.looseObject({ type: z.string(), role: z.never().optional() });

/** Other fields, such as `instructions`, are accepted and have no effect. */
export const responseInput = z.looseObject({
  model: modelName,
  input: withRecent(
    z.union([z.string().min(1), z.array(z.union([chatMessage, nonMessageItem])).min(1)]),
  ).describe('a text, or items, oldest first; the last user message is the question'),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish().describe('false: nothing is remembered'),
  previous_response_id: z
    .string()
    .nullish()
    .describe('continues the conversation of that response'),
  conversation: z
    .union([threadName, z.looseObject({ id: threadName })])
    .nullish()
    .describe("name of one of the caller's own conversations"),
  text: z
    .looseObject({ format: z.looseObject({ type: z.string() }).nullish() })
    .nullish()
    .describe('format text; other types are rejected'),
  tools: z
    .array(z.looseObject({ type: z.string() }))
    .nullish()
    .describe('file_search: the output includes the search; other tools have no effect'),
  max_output_tokens: z
    .number()
    .nullish()
    .describe('a longer answer ends after the last sentence that fits, with status incomplete'),
  tool_choice: z.unknown().optional().describe('auto or none; other values are rejected'),
  background: z.boolean().nullish().describe('rejected if true'),
  addressed: z.boolean().nullish().describe('only with a key; false: the message needs a mention'),
});
export type ResponseInput = z.infer<typeof responseInput>;

export const conversationName = ({
  conversation,
}: Pick<ResponseInput, 'conversation'>): string | undefined =>
  (typeof conversation === 'string' ? conversation : conversation?.id) ?? undefined;

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const rememberedId = new RegExp(`^resp_(${uuid})_${uuid}$`);
const forgottenId = new RegExp(`^resp_${uuid}$`);

function threadOfResponse(id: string): string {
  const thread = rememberedId.exec(id)?.[1];
  if (thread !== undefined) return thread;
  throw invalidField(
    'previous_response_id',
    forgottenId.test(id)
      ? 'belongs to a response that was not stored or is part of a conversation; use conversation instead'
      : 'must be the id of a response of this server',
  );
}

function threadOfInput(input: ResponseInput): DialectQuestion['thread'] {
  const conversation = conversationName(input);
  const { previous_response_id: previous, store } = input;
  if (previous != null && conversation !== undefined)
    throw invalidField('previous_response_id', 'cannot be combined with conversation');
  const earlier = previous == null ? conversation : threadOfResponse(previous);
  if (store !== false) return { thread: earlier ?? randomUUID(), resource: 'responses' };
  if (earlier === undefined) return undefined;
  throw invalidField(
    'store',
    'cannot be false with previous_response_id or conversation, which remember the question',
  );
}

export function responseQuestion(input: ResponseInput): DialectQuestion {
  const namespace = namespaceOfModel(input.model);
  refuseFormat('text.format', input.text?.format?.type);
  const items =
    typeof input.input === 'string'
      ? [{ role: 'user' as const, content: input.input }]
      : input.input;
  const messages = items.filter(
    (item): item is z.infer<typeof chatMessage> => item.role !== undefined,
  );
  refuseForcedTool('tool_choice', input.tool_choice);
  refuseFields(input, {
    background: 'is not supported: an answer ends with its request',
    top_logprobs: 'is not supported: an answer is checked sentences, not tokens',
  });
  const conversation = conversationOf(messages, 'input');
  return {
    messages: conversation,
    namespace,
    thread: threadOfInput(input),
    addressed: input.addressed ?? undefined,
    maxTokens: tokenLimitOf({ max_output_tokens: input.max_output_tokens }),
    taskReply: taskReplyOf(conversation),
  };
}
