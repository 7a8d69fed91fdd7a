/**
 * The request of OpenAI's responses → a question. What is remembered is a thread of the caller's own: the id of a response names it, and
 * `previous_response_id` goes on in it. Nothing is kept of a response itself.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { chatMessage, chosenName, conversationOf, invalidField, withRecent } from './conversation.ts';
import type { DialectQuestion } from './dialect.ts';
import { modelName, namespaceOfModel, refuseFields, refuseForcedTool, refuseFormat, tokenLimitOf } from './openai.ts';
import { taskReplyOf } from './task-prompts.ts';

const threadName = chosenName.min(1);

/** Calls of tools, reasoning and the like: what nobody said. */
const silentItem = z.looseObject({ type: z.string(), role: z.never().optional() });

/** Other fields are accepted and have no effect, `instructions` among them. */
export const responseInput = z.looseObject({
  model: modelName,
  input: withRecent(z.union([z.string().min(1), z.array(z.union([chatMessage, silentItem])).min(1)])).describe(
    'a text, or items, oldest first; the last user message is the turn',
  ),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish().describe('false: nothing is remembered'),
  previous_response_id: z.string().nullish().describe('goes on in the conversation of that response'),
  conversation: z
    .union([threadName, z.looseObject({ id: threadName })])
    .nullish()
    .describe("a name for the conversation, among the caller's own"),
  text: z
    .looseObject({ format: z.looseObject({ type: z.string() }).nullish() })
    .nullish()
    .describe('format text: anything else is refused'),
  tools: z
    .array(z.looseObject({ type: z.string() }))
    .nullish()
    .describe('file_search: the output has the search, which is made in any case; others have no effect'),
  max_output_tokens: z.number().nullish().describe('a longer answer ends after its last sentence that fits, with status incomplete'),
  tool_choice: z.unknown().optional().describe('auto or none: anything else is refused'),
  background: z.boolean().nullish().describe('refused if true'),
  addressed: z.boolean().nullish().describe('from a key: false where the message needs a mention'),
});
export type ResponseInput = z.infer<typeof responseInput>;

export const conversationName = ({ conversation }: Pick<ResponseInput, 'conversation'>): string | undefined =>
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
      ? 'is of a response that was not stored, or that stands in a conversation, which is to be named instead'
      : 'has to be the id of a response of this server',
  );
}

function threadOfInput(input: ResponseInput): DialectQuestion['thread'] {
  const conversation = conversationName(input);
  const { previous_response_id: previous, store } = input;
  if (previous != null && conversation !== undefined) throw invalidField('previous_response_id', 'cannot stand beside conversation');
  const earlier = previous == null ? conversation : threadOfResponse(previous);
  if (store !== false) return { thread: earlier ?? randomUUID(), resource: 'responses' };
  if (earlier === undefined) return undefined;
  throw invalidField('store', 'false cannot stand beside previous_response_id or conversation: what is asked there is remembered there');
}

export function responseQuestion(input: ResponseInput): DialectQuestion {
  const namespace = namespaceOfModel(input.model);
  refuseFormat('text.format', input.text?.format?.type);
  const items = typeof input.input === 'string' ? [{ role: 'user' as const, content: input.input }] : input.input;
  const messages = items.filter((item): item is z.infer<typeof chatMessage> => item.role !== undefined);
  refuseForcedTool('tool_choice', input.tool_choice);
  refuseFields(input, {
    background: 'is not served: an answer ends with its request',
    top_logprobs: 'are not served: an answer is sentences that were checked, not tokens',
  });
  const said = conversationOf(messages, 'input');
  return {
    messages: said,
    namespace,
    thread: threadOfInput(input),
    addressed: input.addressed ?? undefined,
    maxTokens: tokenLimitOf({ max_output_tokens: input.max_output_tokens }),
    taskReply: taskReplyOf(said),
  };
}
