/**
 * Messages that a chat platform pushes: taken at once, answered in the background, a few at a time and each conversation in its order. What
 * waits is bounded; beyond that a message is refused and counts as not seen, so that the platform's next attempt is answered. What waits is
 * kept in memory alone. Its ids outlive the process when the message is answered, or its answer is refused for good. What a stop or a crash
 * drops is answered when it is delivered again.
 *
 * Where an answer fails, whoever asked is told so in one sentence of the error family: they spoke to the agent and saw it take the message,
 * and silence would say that nobody is there. Where the server stops or the platform takes nothing, there is only the log.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { createSemaphore, KeyedQueue } from '../../concurrency/queue.ts';
import { parseLine } from '../../disk/line-file.ts';
import type { ParseNamespace } from '../../documents/namespace-name.ts';
import { KnowledgeError } from '../../errors.ts';
import type { Ask, AskResult } from '../ask/ask.ts';
import type { MentionGate } from '../ask/mention.ts';
import { createRetriedPost, type RetriedPostOptions } from '../retried-post.ts';

// What a chat platform pushes → a message that somebody wrote. Two forms: the platform's event (`message_sent`, `after_message`), read
// tolerantly because its versions differ, and a plain one for bridges. Anything else is no message, never an error: it would only be sent
// again. Only the plain form may name a namespace; whoever holds the credentials of the webhook wrote it.

type ChatReceiver = Readonly<{ receiver: string; receiverType: 'user' | 'group' }>;

export interface IncomingMessage {
  readonly id: string | undefined;
  readonly text: string;
  readonly sender: string;
  readonly conversation: string;
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
function readChatMessage(payload: unknown, agentUid: string): IncomingMessage | undefined {
  const event = platformEvent.safeParse(payload).data;
  const plain = event ? undefined : plainMessage.safeParse(payload).data;
  const message = event ? fromPlatform(event.data, agentUid) : plain && fromPlain(plain);
  return !message || isSameUid(message.sender, agentUid) || message.text.trim() === '' ? undefined : message;
}

interface OutgoingMessage extends ChatReceiver {
  readonly text: string;
  readonly knowledge: Readonly<Record<string, unknown>>;
  /** The same for every attempt. */
  readonly idempotencyKey: string;
}

/** @throws KnowledgeError where it was not taken (`upstream_failed`: for good), or `signal` ended it */
type DeliverAnswer = (message: OutgoingMessage, signal: AbortSignal) => Promise<void>;

export interface DeliveryOptions extends Omit<RetriedPostOptions, 'name'> {
  readonly url: string;
  readonly key: string | undefined;
  readonly agentUid: string;
}

/** Whether another delivery of the answer would end as this one did; after a deadline the platform may have taken it. */
const isFinalRefusal = (error: unknown): boolean =>
  error instanceof KnowledgeError && (error.code === 'upstream_failed' || error.code === 'timeout');

function bodyOf({ receiver, receiverType, text, knowledge }: OutgoingMessage): string {
  return JSON.stringify({ category: 'message', type: 'text', receiver, receiverType, data: { text, metadata: { knowledge } } });
}

export function createDelivery({ url, key, agentUid, ...options }: DeliveryOptions): DeliverAnswer {
  const post = createRetriedPost({ ...options, name: 'The chat platform' });
  return (message, signal) => {
    const headers = { 'idempotency-key': message.idempotencyKey, ...(key === undefined ? {} : { apikey: key, onBehalfOf: agentUid }) };
    return post(url, { body: bodyOf(message), headers, signal });
  };
}

export const chatMessageFates = ['accepted', 'ignored', 'duplicate'] as const;
type ChatMessageFate = (typeof chatMessageFates)[number];

export type ChatLimits = Readonly<{ maxAtOnce: number; maxTaken: number }>;

/** Which messages of a chat platform are being answered, and which were. Each has several keys: of its delivery and its own. */
export interface ChatDeliveries {
  open(): Promise<void>;
  /** Of the keys together; undefined if none is known. */
  stateOf(keys: readonly string[]): Promise<'waiting' | 'settled' | undefined>;
  /** Of those that come at once with a key in common one begins. @returns whether these did: they then wait */
  begin(keys: readonly string[]): Promise<boolean>;
  /** @param isSettled whether they are never to be answered again; otherwise they count as not seen */
  end(keys: readonly string[], isSettled: boolean): Promise<void>;
  close(): Promise<void>;
}

interface ChatWebhooksParts {
  readonly ask: Ask['ask'];
  readonly gate: MentionGate;
  readonly parseNamespace: ParseNamespace;
  readonly deliveries: Pick<ChatDeliveries, 'stateOf' | 'begin' | 'end' | 'close'>;
  readonly deliver: DeliverAnswer;
  readonly agentUid: string;
  readonly namespace: string;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly limits?: Partial<ChatLimits> | undefined;
}

export type ChatWebhooks = ReturnType<typeof createChatWebhooks>;

/** One caller for all that is asked here: no message is anybody else's because of what stands in it. */
const callerId = 'webhook:chat';
const retryAfterSeconds = 5;

const stoppingError = () => new KnowledgeError('stopping', 'The server is stopping.', { retryAfterSeconds });

const tooManyError = () =>
  new KnowledgeError('busy', 'Too many messages wait for their answers; send this one again later.', { retryAfterSeconds });

const keyOf = (kind: string, id: string) => createHash('sha256').update(`${kind} ${id}`).digest('base64url');

/** @param delivery what the platform calls this delivery of it; `body` stands for it where neither that nor the message has an id */
function keysOf({ id, conversation }: IncomingMessage, { delivery, body }: ChatDelivery): string[] {
  const keys = [
    ...(delivery === undefined ? [] : [keyOf('delivery', delivery)]),
    ...(id === undefined ? [] : [keyOf('message', JSON.stringify([conversation, id]))]),
  ];
  return keys.length > 0 ? keys : [keyOf('body', body)];
}

type ChatDelivery = Readonly<{ delivery: string | undefined; body: string }>;

const internalSentence = 'Something went wrong on the server.';

function toOutgoing(message: IncomingMessage, result: AskResult | KnowledgeError): OutgoingMessage | undefined {
  const asked = { message: message.id, conversation: message.conversation };
  if (result instanceof KnowledgeError) {
    const text = result.code === 'internal' ? internalSentence : result.message;
    const knowledge = { reason: 'failed', code: result.code, citations: [], ...asked };
    return { ...message.replyTo, text, knowledge, idempotencyKey: randomUUID() };
  }
  const { text, runId, reason, citations } = result;
  if (text === '') return undefined;
  return { ...message.replyTo, text, knowledge: { runId, reason, citations, ...asked }, idempotencyKey: runId };
}

function createSettling({ ask, deliver, onWarning }: Pick<ChatWebhooksParts, 'ask' | 'deliver' | 'onWarning'>, signal: AbortSignal) {
  let lost = 0;

  async function outcomeOf({ text, sender, conversation, addressed }: IncomingMessage, namespace: string) {
    const memory = { owner: callerId, namespace, resource: sender, thread: conversation };
    try {
      return await ask({ messages: [{ role: 'user', content: text }], namespace, signal, callerId, memory, addressed });
    } catch (error) {
      if (signal.aborted) throw error;
      onWarning('a question from the chat platform could not be answered', error);
      return error instanceof KnowledgeError ? error : new KnowledgeError('internal', internalSentence, { cause: error });
    }
  }

  async function settle(message: IncomingMessage, namespace: string): Promise<boolean> {
    try {
      signal.throwIfAborted();
      const outgoing = toOutgoing(message, await outcomeOf(message, namespace));
      if (outgoing) await deliver(outgoing, signal);
      return true;
    } catch (error) {
      if (signal.aborted) lost++;
      else onWarning('an answer could not be delivered to the chat platform', error);
      return !signal.aborted && isFinalRefusal(error);
    }
  }

  return {
    settle,
    takeLost(): number {
      const count = lost;
      lost = 0;
      return count;
    },
  };
}

export function createChatWebhooks(parts: ChatWebhooksParts) {
  const { gate, parseNamespace, deliveries, agentUid, onWarning } = parts;
  const { maxAtOnce = 4, maxTaken = 200 } = parts.limits ?? {};
  const atOnce = createSemaphore(maxAtOnce);
  const conversations = new KeyedQueue();
  const leaving = new AbortController();
  const { settle, takeLost } = createSettling(parts, leaving.signal);
  let taken = 0;
  let isClosing = false;

  const answer = async (message: IncomingMessage, namespace: string, keys: readonly string[]) =>
    deliveries
      .end(keys, await settle(message, namespace))
      .catch((error: unknown) => onWarning('it could not be kept what became of a message of the chat platform', error))
      .finally(() => taken--);

  /** Takes a place among what waits. @returns whether it is this server's to answer */
  async function begin(keys: readonly string[]): Promise<boolean> {
    if (taken >= maxTaken) throw tooManyError();
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
    /**
     * The message is known from then on; it is answered later.
     * @throws KnowledgeError `busy`, `stopping`, `storage_unavailable`; of a message in the plain form `invalid_namespace`,
     * `namespace_not_allowed`
     */
    async take(payload: unknown, delivery: ChatDelivery): Promise<ChatMessageFate> {
      const message = readChatMessage(payload, agentUid);
      // What nobody says to the agent takes no place among what waits.
      if (!message || gate.question(message.text, message.addressed) === undefined) return 'ignored';
      const namespace = parseNamespace(message.namespace ?? parts.namespace);
      const keys = keysOf(message, delivery);
      const known = await deliveries.stateOf(keys);
      if (known === 'settled') return 'duplicate';
      if (isClosing) throw stoppingError();
      if (known === 'waiting' || !(await begin(keys))) return 'duplicate';
      void conversations.run(JSON.stringify([message.sender, message.conversation]), () => atOnce(() => answer(message, namespace, keys)));
      return 'accepted';
    },

    /** Takes nothing more. @param graceMs for what was taken; what is then left is ended, and counted in the log */
    async close(graceMs = 500): Promise<void> {
      isClosing = true;
      await Promise.race([conversations.idle(), sleep(graceMs, undefined, { ref: false })]);
      leaving.abort(stoppingError());
      await conversations.idle();
      await deliveries.close();
      const lost = takeLost();
      if (lost > 0) onWarning(`${lost} messages of the chat platform were not answered before the server stopped`);
    },
  };
}
