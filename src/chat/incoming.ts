/**
 * Reads chat messages of two formats: the platform's event, parsed tolerantly because its versions
 * differ, and a plain one for bridges. Other payloads are ignored, because an error would cause a
 * repeat.
 */
import { z } from 'zod';
import { parseLine } from '../../packages/shared/src/disk/line-file.ts';
import type { Asker } from '../records/answer-log.ts';

export type ChatReceiver = Readonly<{
  receiver: string;
  receiverType: 'user' | 'group';
  /** First message of the thread, as the platform sent it. */
  parentId?: string | number | undefined;
  /** Whether the platform called its bot, which answers by an operation of its own. */
  isBot?: boolean;
}>;

export type IncomingMessage = Readonly<{
  id: string | undefined;
  text: string;
  sender: string;
  conversation: string;
  replyTo: ChatReceiver;
  /** Ids that replies to it name. A bridge shows none: its conversations are threads. */
  chat: Pick<Asker, 'message' | 'parentId'>;
  /** Direct messages need no mention; undefined: `REQUIRE_MENTION` decides. */
  addressed: true | undefined;
  /** Only the plain format may name one: its sender has the credentials of the webhook. */
  namespace: string | undefined;
}>;

/** An edited or deleted message; `message` is undefined if it has no text for the agent. */
export type MessageChange = Readonly<{
  id: string;
  conversation: string;
  isDeleted: boolean;
  message: IncomingMessage | undefined;
}>;

const maxUidChars = 100;
const maxIdChars = 300;

const name = (maxChars: number) =>
  z.union([z.string(), z.number().int().transform(String)]).pipe(z.string().min(1).max(maxChars));
export const uid = z.union([
  name(maxUidChars),
  z.object({ uid: name(maxUidChars) }).transform((user) => user.uid),
]);
export const messageId = name(maxIdChars);
const optionalId = messageId.nullish().catch(undefined);

/** Some versions send objects as JSON text. */
function parsedText(value: unknown) {
  return typeof value === 'string' ? parseLine(value) : value;
}

export const isSameUid = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

const place = z.object({
  id: optionalId,
  conversationId: optionalId,
  sender: uid,
  receiver: z.union([uid, z.object({ guid: name(maxUidChars) }).transform((group) => group.guid)]),
  receiverType: z.enum(['user', 'group']),
});
export const platformMessage = place.extend({
  parentId: z
    .union([z.string().min(1).max(maxIdChars), z.number().int().positive()])
    .nullish()
    .catch(undefined),
  category: z.literal('message'),
  type: z.literal('text'),
  data: z.object({
    text: z.string(),
    metadata: z.preprocess(
      parsedText,
      z.object({ knowledge: z.unknown().optional() }).optional().catch(undefined),
    ),
  }),
});
type Wrapped = { message?: unknown; data?: { entities?: { on?: { entity?: unknown } } } } | null;
/** Some versions wrap the message. */
const unwrapped = (data: unknown) => (data as Wrapped)?.message ?? data;
/** The platform's REST answers wrap a changed message in an action. */
function unwrappedChange(data: unknown) {
  const message = unwrapped(data);
  return (message as Wrapped)?.data?.entities?.on?.entity ?? message;
}
const bot = uid.nullish().catch(undefined);

export const platformEvent = z.object({
  trigger: z.enum(['message_sent', 'after_message']),
  bot,
  data: z.preprocess(unwrapped, platformMessage),
});
export const changeEvent = z.object({
  trigger: z.enum(['message_edited', 'message_deleted']),
  bot,
  data: z.preprocess(unwrappedChange, z.looseObject(place.shape)),
});

export const plainMessage = z.object({
  id: optionalId,
  text: z.string(),
  conversation: name(maxIdChars),
  user: uid,
  namespace: z.string().nullish(),
  addressed: z.boolean().nullish(),
});

const conversationOf = ({
  conversationId,
  receiverType,
  receiver,
  sender,
}: z.infer<typeof place>) =>
  conversationId ?? `${receiverType}:${receiverType === 'user' ? sender : receiver}`;

function fromPlatform(
  message: z.infer<typeof platformMessage>,
  calledBot: string | null | undefined,
  agentUid: string,
): IncomingMessage | undefined {
  const { id, sender, receiver, receiverType, parentId, data } = message;
  // Ignores the server's own answers, from any sender: in a group they could mention the agent.
  if (data.metadata?.knowledge !== undefined) return undefined;
  const isDirect = receiverType === 'user';
  // The platform's sample of a bot has another receiver, so the bot that it names decides.
  const to = calledBot ?? (isDirect ? receiver : agentUid);
  if (!isSameUid(to, agentUid)) return undefined;
  return {
    id: id ?? undefined,
    text: data.text,
    sender,
    conversation: conversationOf(message),
    replyTo: {
      receiver: isDirect ? sender : receiver,
      receiverType,
      parentId: parentId ?? undefined,
      isBot: typeof calledBot === 'string',
    },
    chat: { message: id ?? undefined, parentId: parentId?.toString() },
    addressed: isDirect || undefined,
    namespace: undefined,
  };
}

const fromPlain = ({
  id,
  text,
  conversation,
  user,
  namespace,
  addressed,
}: z.infer<typeof plainMessage>): IncomingMessage => ({
  id: id ?? undefined,
  text,
  sender: user,
  conversation,
  replyTo: { receiver: user, receiverType: 'user' },
  chat: {},
  addressed: addressed === true || undefined,
  namespace: namespace ?? undefined,
});

const ifForAgent = (message: IncomingMessage | undefined, agentUid: string) =>
  !message || isSameUid(message.sender, agentUid) || message.text.trim() === ''
    ? undefined
    : message;

/**
 * @returns undefined for other events, pictures, conversations of two users and the agent's own
 * messages
 */
export function readChatMessage(payload: unknown, agentUid: string): IncomingMessage | undefined {
  const event = platformEvent.safeParse(payload).data;
  const plain = event ? undefined : plainMessage.safeParse(payload).data;
  const message = event ? fromPlatform(event.data, event.bot, agentUid) : plain && fromPlain(plain);
  return ifForAgent(message, agentUid);
}

/** @returns undefined for other events */
export function readMessageChange(payload: unknown, agentUid: string): MessageChange | undefined {
  const event = changeEvent.safeParse(payload).data;
  const changed = event?.data;
  if (!event || !changed?.id) return undefined;
  const isDeleted = event.trigger === 'message_deleted';
  const edited = isDeleted ? undefined : platformMessage.safeParse(changed).data;
  const message = edited && fromPlatform(edited, event.bot, agentUid);
  return {
    id: changed.id,
    conversation: conversationOf(changed),
    isDeleted,
    message: ifForAgent(message, agentUid),
  };
}

/** Returns the text after a command such as `/knowledge`; undefined without one of these names. */
export function withoutCommand(text: string, names: readonly string[]): string | undefined {
  const [, word = '', rest = ''] = /^\s{0,20}\/(\S{1,100})(.*)$/s.exec(text) ?? [];
  return names.some((known) => isSameUid(known, word)) ? rest.trim() : undefined;
}
