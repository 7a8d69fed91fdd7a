/** Conversations as chat clients send them, with their text in `content` or in `parts`. */
import { z } from 'zod';
import type { ChatMessage } from '../../../records/conversations.ts';
import { invalidRequest } from '../../operation.ts';

const part = z.looseObject({ type: z.string(), text: z.string().nullish() });
const stored = z.looseObject({ parts: z.array(part) });
/** AG-UI activities contain arbitrary objects. */
const content = z.union([
  z.string(),
  z.array(part),
  z.null(),
  stored,
  z.record(z.string(), z.unknown()),
]);

const partsIn = (given: z.output<typeof content> | undefined) =>
  Array.isArray(given) ? given : stored.safeParse(given).data?.parts;
const hasText = (given: z.output<typeof content> | undefined) =>
  typeof given === 'string' || partsIn(given) !== undefined;

export const chatMessage = z
  .looseObject({
    role: z
      .enum([
        'user',
        'assistant',
        'system',
        'developer',
        'tool',
        'function',
        'data',
        'reasoning',
        'activity',
        'signal',
      ])
      .describe('only messages of user and assistant are read'),
    content: content.optional().describe('text, or parts (only text parts are read)'),
    parts: z.array(part).optional().describe('instead of content'),
  })
  .refine(
    ({ role, content: whole, parts }) => role !== 'user' || parts !== undefined || hasText(whole),
    'has no text; send content (a text or a list of parts) or parts',
  );
type GivenMessage = z.output<typeof chatMessage>;

/**
 * Only this many last messages of a request are read and validated. An answer depends on far fewer.
 */
const maxReadMessages = 1_000;

export const withRecent = <Messages extends z.ZodType>(messages: Messages) =>
  z.preprocess((given) => (Array.isArray(given) ? given.slice(-maxReadMessages) : given), messages);

export const chatMessages = withRecent(z.array(chatMessage).min(1));

export const chosenName = z.string().max(500);

export const namespaceField = z
  .string()
  .nullish()
  .describe('default: "default", or the only one of the key');
/** Of dialects whose messages need no mention. */
export const addressedField = z
  .boolean()
  .nullish()
  .describe('only with a key; false: the message needs a mention');

/** Types of text parts in all dialects. */
const textTypes = new Set(['text', 'input_text', 'output_text']);

const textOfParts = (parts: NonNullable<GivenMessage['parts']>) =>
  parts
    .flatMap(({ type, text }) => (textTypes.has(type) && typeof text === 'string' ? [text] : []))
    .join('\n');

const textOf = ({ content: given, parts = [] }: GivenMessage) =>
  typeof given === 'string' ? given : textOfParts(partsIn(given) ?? parts);

/**
 * Texts of the user and the assistant. @throws KnowledgeError `invalid_request` if there is no user
 * message
 */
export function conversationOf(
  messages: readonly GivenMessage[],
  field = 'messages',
): ChatMessage[] {
  const turns = messages.flatMap((message): ChatMessage[] =>
    message.role === 'user' || message.role === 'assistant'
      ? [{ role: message.role, content: textOf(message) }]
      : [],
  );
  if (turns.some((turn) => turn.role === 'user')) return turns;
  throw invalidField(field, 'contains no message of role user');
}

/** How chat platforms name the user who asks; `userToken` is a JWT of this server's issuer. */
const namedUser = z.object({
  user: z.string().optional().catch(undefined),
  userToken: z.string().optional().catch(undefined),
  cometchatContext: z
    .object({ sender: z.object({ uid: z.string() }) })
    .optional()
    .catch(undefined),
});

/**
 * @param holders objects of the request, such as its request context; the first with a user counts
 */
export function userIn(...holders: readonly unknown[]) {
  for (const holder of holders) {
    const { user, userToken: token, cometchatContext } = namedUser.safeParse(holder).data ?? {};
    const uid = user ?? cometchatContext?.sender.uid;
    if (uid !== undefined || token !== undefined) return { uid, token };
  }
  return undefined;
}

export const invalidField = (path: string, problem: string) =>
  invalidRequest([{ path: [path], message: problem }]);
