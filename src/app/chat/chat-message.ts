/**
 * What a chat platform pushes → a message that somebody wrote. Two forms: the platform's event (`message_sent`, `after_message`), read
 * tolerantly because its versions differ, and a plain one for bridges. Anything else is no message, never an error: it would only be sent
 * again. Only the plain form may name a namespace; whoever holds the credentials of the webhook wrote it.
 */
import { z } from 'zod';
import { parseLine } from '../../disk/line-file.ts';

export interface ChatReceiver {
  readonly receiver: string;
  readonly receiverType: 'user' | 'group';
}

export interface IncomingMessage {
  readonly id: string | undefined;
  readonly text: string;
  readonly sender: string;
  readonly conversation: string;
  /** Where an answer goes: the group, or whoever wrote to the agent. */
  readonly replyTo: ChatReceiver;
  /** Whether it was written to the agent alone, so that it needs no mention; undefined: as the server is set up. */
  readonly addressed: true | undefined;
  readonly namespace: string | undefined;
}

const maxUidChars = 100;
const maxIdChars = 300;

const name = (maxChars: number) => z.union([z.string(), z.number().int().transform(String)]).pipe(z.string().min(1).max(maxChars));
const uid = z.union([name(maxUidChars), z.object({ uid: name(maxUidChars) }).transform((user) => user.uid)]);
const optionalId = name(maxIdChars).nullish().catch(undefined);

/** Some versions send an object as its JSON. */
function parsedText(value: unknown): unknown {
  return typeof value === 'string' ? parseLine(value) : value;
}

const isSameUid = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const platformMessage = z.object({
  id: optionalId,
  conversationId: optionalId,
  sender: uid,
  receiver: z.union([uid, z.object({ guid: name(maxUidChars) }).transform((group) => group.guid)]),
  receiverType: z.enum(['user', 'group']),
  category: z.literal('message'),
  type: z.literal('text'),
  data: z.object({
    text: z.string(),
    metadata: z.preprocess(parsedText, z.object({ knowledge: z.unknown().optional() }).optional().catch(undefined)),
  }),
});
/** The older event holds the message itself. */
const platformEvent = z.object({
  trigger: z.enum(['message_sent', 'after_message']),
  data: z.union([z.object({ message: platformMessage }).transform(({ message }) => message), platformMessage]),
});

const plainMessage = z.object({
  id: optionalId,
  text: z.string(),
  conversation: name(maxIdChars),
  user: uid,
  namespace: z.string().nullish(),
  addressed: z.boolean().nullish(),
});

function fromPlatform(message: z.infer<typeof platformMessage>, agentUid: string): IncomingMessage | undefined {
  const { id, sender, receiver, receiverType, conversationId, data } = message;
  // An answer of ours, whoever the platform says has sent it: in a group it could mention the agent.
  if (data.metadata?.knowledge !== undefined) return undefined;
  // Between two people the agent is not there.
  if (receiverType === 'user' && !isSameUid(receiver, agentUid)) return undefined;
  const isDirect = receiverType === 'user';
  return {
    id: id ?? undefined,
    text: data.text,
    sender,
    conversation: conversationId ?? `${receiverType}:${isDirect ? sender : receiver}`,
    replyTo: { receiver: isDirect ? sender : receiver, receiverType },
    addressed: isDirect || undefined,
    namespace: undefined,
  };
}

const fromPlain = ({ id, text, conversation, user, namespace, addressed }: z.infer<typeof plainMessage>): IncomingMessage => ({
  id: id ?? undefined,
  text,
  sender: user,
  conversation,
  replyTo: { receiver: user, receiverType: 'user' },
  addressed: addressed === true || undefined,
  namespace: namespace ?? undefined,
});

/** @returns undefined for what is no message of a person to the agent or to a group: another event, a picture, what the agent says itself */
export function readChatMessage(payload: unknown, agentUid: string): IncomingMessage | undefined {
  const event = platformEvent.safeParse(payload).data;
  const plain = event ? undefined : plainMessage.safeParse(payload).data;
  const message = event ? fromPlatform(event.data, agentUid) : plain && fromPlain(plain);
  return !message || isSameUid(message.sender, agentUid) || message.text.trim() === '' ? undefined : message;
}
