/**
 * Messages of a chat platform: accepted at once and answered in the background, each conversation
 * in order. The queue is limited and in memory. Stores only the ids of messages whose answer was
 * delivered or finally refused; the platform delivers dropped messages again. If a question fails,
 * the user gets an error sentence. Shutdowns, and answers that the platform refuses, are only
 * logged.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isUid } from '../../packages/calls/src/types.ts';
import type { MentionGate } from '../../packages/mastra/src/mention.ts';
import { createSemaphore, KeyedQueue } from '../../packages/shared/src/concurrency/queue.ts';
import { parseLine } from '../../packages/shared/src/disk/line-file.ts';
import { KnowledgeError, stoppingError } from '../../packages/shared/src/errors.ts';
import type { Ask, AskResult } from '../ask/ask.ts';
import { withoutNoSources } from '../ask/reply/sources.ts';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import { createRetriedPost, type RetriedPostOptions } from '../ingest/fetch/retried-post.ts';
import { note } from '../trace.ts';

// Two formats: the platform's event (`message_sent`, `after_message`), parsed tolerantly because
// its versions differ, and a plain one for bridges. Other payloads are ignored, because an error
// would cause a repeat. Only the plain format may name a namespace: its sender has the credentials
// of the webhook.

type ChatReceiver = Readonly<{ receiver: string; receiverType: 'user' | 'group' }>;

export interface IncomingMessage {
  readonly id: string | undefined;
  readonly text: string;
  readonly sender: string;
  readonly conversation: string;
  readonly replyTo: ChatReceiver;
  /** Direct messages need no mention; undefined: `REQUIRE_MENTION` decides. */
  readonly addressed: true | undefined;
  readonly namespace: string | undefined;
}

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
function parsedText(value: unknown): unknown {
  return typeof value === 'string' ? parseLine(value) : value;
}

export const isSameUid = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

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
    metadata: z.preprocess(
      parsedText,
      z.object({ knowledge: z.unknown().optional() }).optional().catch(undefined),
    ),
  }),
});
export const platformEvent = z.object({
  trigger: z.enum(['message_sent', 'after_message']),
  data: z.union([
    z.object({ message: platformMessage }).transform(({ message }) => message),
    platformMessage,
  ]),
});

const plainMessage = z.object({
  id: optionalId,
  text: z.string(),
  conversation: name(maxIdChars),
  user: uid,
  namespace: z.string().nullish(),
  addressed: z.boolean().nullish(),
});

function fromPlatform(
  message: z.infer<typeof platformMessage>,
  agentUid: string,
): IncomingMessage | undefined {
  const { id, sender, receiver, receiverType, conversationId, data } = message;
  // Ignores the server's own answers, from any sender: in a group they could mention the agent.
  if (data.metadata?.knowledge !== undefined) return undefined;
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
  addressed: addressed === true || undefined,
  namespace: namespace ?? undefined,
});

/**
 * @returns undefined for other events, pictures, conversations of two users and the agent's own
 * messages
 */
function readChatMessage(payload: unknown, agentUid: string): IncomingMessage | undefined {
  const event = platformEvent.safeParse(payload).data;
  const plain = event ? undefined : plainMessage.safeParse(payload).data;
  const message = event ? fromPlatform(event.data, agentUid) : plain && fromPlain(plain);
  return !message || isSameUid(message.sender, agentUid) || message.text.trim() === ''
    ? undefined
    : message;
}

interface OutgoingMessage extends ChatReceiver {
  readonly text: string;
  readonly knowledge: Readonly<Record<string, unknown>>;
  /** The same for every attempt. */
  readonly idempotencyKey: string;
}

/**
 * @throws KnowledgeError if the delivery failed (`upstream_failed`: permanently) or `signal`
 * aborted it
 */
type DeliverAnswer = (message: OutgoingMessage, signal: AbortSignal) => Promise<void>;

export interface DeliveryOptions extends Omit<RetriedPostOptions, 'name'> {
  readonly url: string;
  readonly key: string | undefined;
  readonly agentUid: string;
}

/**
 * Whether the delivery must not be repeated. After a timeout, the platform may have received the
 * message.
 */
const isFinalRefusal = (error: unknown): boolean =>
  error instanceof KnowledgeError && (error.code === 'upstream_failed' || error.code === 'timeout');

function bodyOf({ receiver, receiverType, text, knowledge }: OutgoingMessage): string {
  return JSON.stringify({
    category: 'message',
    type: 'text',
    receiver,
    receiverType,
    data: { text, metadata: { knowledge } },
  });
}

export function createDelivery({ url, key, agentUid, ...options }: DeliveryOptions): DeliverAnswer {
  const post = createRetriedPost({ ...options, name: 'The chat platform' });
  return (message, signal) => {
    const headers = {
      'idempotency-key': message.idempotencyKey,
      ...(key === undefined ? {} : { apikey: key, onBehalfOf: agentUid }),
    };
    return post(url, { body: bodyOf(message), headers, signal });
  };
}

export const chatMessageFates = ['accepted', 'ignored', 'duplicate', 'rated', 'drafted'] as const;
export type ChatMessageFate = (typeof chatMessageFates)[number];

export type ChatLimits = Readonly<{ maxConcurrent: number; maxTaken: number }>;

/**
 * Stores which chat messages are being answered or were answered. Each has several keys: of its
 * delivery and of the message.
 */
export interface ChatDeliveries {
  open(): Promise<void>;
  /** State of a message; undefined if all keys are unknown. */
  stateOf(keys: readonly string[]): Promise<'waiting' | 'settled' | undefined>;
  /**
   * Claims a message; of concurrent calls with a common key only one succeeds. @returns whether
   * this call succeeded
   */
  begin(keys: readonly string[]): Promise<boolean>;
  /** @param isSettled true: never answer again; false: forget the message */
  end(keys: readonly string[], isSettled: boolean): Promise<void>;
  close(): Promise<void>;
}

interface ChatWebhooksParts {
  readonly ask: Ask['ask'];
  readonly gate: MentionGate;
  readonly parseNamespace: ParseNamespace;
  readonly deliveries: Pick<ChatDeliveries, 'stateOf' | 'begin' | 'end' | 'close'>;
  readonly deliver: DeliverAnswer;
  /** Saves where an answer is sent, for reactions to it. Must not throw. */
  readonly onSending?: ((runId: string, conversation: string) => Promise<void>) | undefined;
  readonly agentUid: string;
  readonly namespace: string;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly limits?: Partial<ChatLimits> | undefined;
}

export interface ChatWebhooks {
  /**
   * Claims a message and answers it later.
   * @throws KnowledgeError `busy`, `stopping`, `storage_unavailable`; in the plain format
   * `invalid_namespace`, `namespace_not_allowed`
   */
  take(payload: unknown, delivery: ChatDelivery): Promise<ChatMessageFate>;
  /**
   * Refuses further messages. @param graceMs time for accepted ones; the rest is aborted and
   * counted in the log
   */
  close(graceMs?: number): Promise<void>;
}

/** All messages have the same caller, whatever their content. */
const callerId = 'webhook:chat';
export const chatCallerOf = (user: string) => `${callerId} for ${user}`;
const retryAfterSeconds = 5;

const keyOf = (kind: string, id: string) =>
  createHash('sha256').update(`${kind} ${id}`).digest('base64url');

/** For other events than messages. */
export const deliveryKeyOf = ({ delivery, body }: ChatDelivery) => keyOf('event', delivery ?? body);

/** Uses a hash of the body if neither the delivery nor the message has an id. */
function keysOf({ id, conversation }: IncomingMessage, { delivery, body }: ChatDelivery): string[] {
  const keys = [
    ...(delivery === undefined ? [] : [keyOf('delivery', delivery)]),
    ...(id === undefined ? [] : [keyOf('message', JSON.stringify([conversation, id]))]),
  ];
  return keys.length > 0 ? keys : [keyOf('body', body)];
}

export type ChatDelivery = Readonly<{ delivery: string | undefined; body: string }>;

const internalSentence = 'Internal server error.';

function toOutgoing(
  message: IncomingMessage,
  result: AskResult | KnowledgeError,
): OutgoingMessage | undefined {
  const asked = { message: message.id, conversation: message.conversation };
  if (result instanceof KnowledgeError) {
    const text = result.code === 'internal' ? internalSentence : result.message;
    const knowledge = { reason: 'failed', code: result.code, citations: [], ...asked };
    return { ...message.replyTo, text, knowledge, idempotencyKey: randomUUID() };
  }
  const { text, runId, reason, citations } = result;
  if (text === '') return undefined;
  return {
    ...message.replyTo,
    text: withoutNoSources(text),
    knowledge: { runId, reason, citations, ...asked },
    idempotencyKey: runId,
  };
}

/** Answers a message. @returns whether it is done */
function createSettle(
  {
    ask,
    deliver,
    onSending,
    onWarning,
  }: Pick<ChatWebhooksParts, 'ask' | 'deliver' | 'onSending' | 'onWarning'>,
  signal: AbortSignal,
) {
  async function outcomeOf(
    { text, sender, conversation, addressed }: IncomingMessage,
    namespace: string,
  ) {
    const memory = { owner: callerId, namespace, resource: sender, thread: conversation };
    try {
      return await ask({
        messages: [{ role: 'user', content: text }],
        namespace,
        signal,
        // Answers with a user's calls are only for that user.
        callerId: chatCallerOf(sender),
        countedAs: callerId,
        actingUser: isUid(sender) ? sender : undefined,
        provenUser: sender,
        memory,
        addressed,
        entryPoint: 'chat webhook',
      });
    } catch (error) {
      if (signal.aborted) throw error;
      onWarning('answering a chat message failed', error);
      return error instanceof KnowledgeError
        ? error
        : new KnowledgeError('internal', internalSentence, { cause: error });
    }
  }

  return async (message: IncomingMessage, namespace: string): Promise<boolean> => {
    try {
      signal.throwIfAborted();
      const result = await outcomeOf(message, namespace);
      const outgoing = toOutgoing(message, result);
      if (outgoing && 'runId' in result) await onSending?.(result.runId, message.conversation);
      if (outgoing) await deliver(outgoing, signal);
      return true;
    } catch (error) {
      if (!signal.aborted) onWarning('delivering an answer to the chat platform failed', error);
      return !signal.aborted && isFinalRefusal(error);
    }
  };
}

export function createChatWebhooks(parts: ChatWebhooksParts): ChatWebhooks {
  const { gate, parseNamespace, deliveries, agentUid, onWarning } = parts;
  const { maxConcurrent = 4, maxTaken = 200 } = parts.limits ?? {};
  const withSlot = createSemaphore(maxConcurrent);
  const conversations = new KeyedQueue();
  const leaving = new AbortController();
  const settle = createSettle(parts, leaving.signal);
  let taken = 0;
  let isClosing = false;

  const answer = async (message: IncomingMessage, namespace: string, keys: readonly string[]) =>
    deliveries
      .end(keys, await settle(message, namespace))
      .catch((error: unknown) => onWarning('saving the state of a chat message failed', error))
      .finally(() => taken--);

  /** Reserves a place in the queue. @returns whether this server answers the message */
  async function begin(keys: readonly string[]): Promise<boolean> {
    if (taken >= maxTaken)
      throw new KnowledgeError(
        'busy',
        'Too many messages are waiting. Send this one again later.',
        { retryAfterSeconds },
      );
    taken++;
    let isTaken = false;
    try {
      const isBegun = await deliveries.begin(keys);
      if (isBegun && isClosing) {
        await deliveries.end(keys, false);
        throw stoppingError();
      }
      isTaken = isBegun;
      return isTaken;
    } finally {
      if (!isTaken) taken--;
    }
  }

  return {
    async take(payload, delivery) {
      const message = readChatMessage(payload, agentUid);
      if (!message) return 'ignored';
      if (gate.question(message.text, message.addressed) === undefined) {
        note({ reason: 'not_mentioned' });
        return 'ignored';
      }
      const namespace = parseNamespace(message.namespace ?? parts.namespace);
      const keys = keysOf(message, delivery);
      const known = await deliveries.stateOf(keys);
      if (known === 'settled') return 'duplicate';
      if (isClosing) throw stoppingError();
      if (known === 'waiting' || !(await begin(keys))) return 'duplicate';
      void conversations.run(JSON.stringify([message.sender, message.conversation]), () =>
        withSlot(() => answer(message, namespace, keys)),
      );
      return 'accepted';
    },

    async close(graceMs = 500) {
      isClosing = true;
      await Promise.race([conversations.idle(), sleep(graceMs, undefined, { ref: false })]);
      const lost = taken;
      leaving.abort(stoppingError());
      await conversations.idle();
      await deliveries.close();
      if (lost > 0) onWarning(`${lost} chat messages were not answered before the server stopped`);
    },
  };
}
