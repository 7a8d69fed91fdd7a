/**
 * Messages of a chat platform: accepted at once and answered in the background, each conversation
 * in order. The queue is limited and in memory. Stores only the ids of messages whose answer was
 * delivered or finally refused; the platform delivers dropped messages again. If a question fails,
 * the user gets an error sentence. Shutdowns, and answers that the platform refuses, are only
 * logged.
 */
import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUid } from '../../packages/calls/src/types.ts';
import { createMentionGate, type MentionGate } from '../../packages/mastra/src/mention.ts';
import { createSemaphore, KeyedQueue } from '../../packages/shared/src/concurrency/queue.ts';
import { KnowledgeError, stoppingError } from '../../packages/shared/src/errors.ts';
import type { Ask } from '../ask/ask.ts';
import type { AskResult } from '../ask/ask-result.ts';
import { withoutNoSources } from '../ask/reply/sources.ts';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import { postWithRetries, type RetriedPostOptions } from '../ingest/fetch/retried-post.ts';
import { note } from '../trace.ts';
import {
  type ChatReceiver,
  type IncomingMessage,
  type MessageChange,
  readChatMessage,
  readMessageChange,
  withoutCommand,
} from './incoming.ts';
import {
  type ChatDeliveries,
  claimChange,
  claimMessage,
  sendingRight,
  type VersionClaim,
} from './message-versions.ts';

export interface OutgoingMessage extends ChatReceiver {
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

function bodyOf({ receiver, receiverType, parentId, text, knowledge }: OutgoingMessage): string {
  return JSON.stringify({
    category: 'message',
    type: 'text',
    receiver,
    receiverType,
    parentId,
    data: { text, metadata: { knowledge } },
  });
}

/** The platform has a separate operation for messages of bots. */
const botUrlOf = (url: string, agentUid: string) =>
  url.replace(
    /(\/v\d{1,3})\/messages\/?$/,
    (_, version) => `${version}/bots/${encodeURIComponent(agentUid)}/messages`,
  );
const isBotUrl = (url: string) => /\/bots\/[^/]{1,300}\/messages\/?$/.test(url);

export function createDelivery({ url, key, agentUid, ...options }: DeliveryOptions): DeliverAnswer {
  return (message, signal) => {
    const target = message.isBot ? botUrlOf(url, agentUid) : url;
    const headers = {
      'idempotency-key': message.idempotencyKey,
      ...(key === undefined ? {} : { apikey: key }),
      // The address of a bot names it.
      ...(key === undefined || isBotUrl(target) ? {} : { onBehalfOf: agentUid }),
    };
    const request = { body: bodyOf(message), headers, signal };
    return postWithRetries({ ...options, name: 'The chat platform' }, target, request);
  };
}

export const chatMessageFates = [
  'accepted',
  'ignored',
  'duplicate',
  'rated',
  'drafted',
  'withdrawn',
] as const;
export type ChatMessageFate = (typeof chatMessageFates)[number];

export type ChatLimits = Readonly<{ maxConcurrent: number; maxTaken: number }>;

interface ChatWebhooksParts {
  readonly ask: Ask['ask'];
  readonly gate: MentionGate;
  readonly parseNamespace: ParseNamespace;
  readonly deliveries: Pick<ChatDeliveries, 'stateOf' | 'begin' | 'end' | 'close'>;
  readonly deliver: DeliverAnswer;
  /** Saves where an answer is sent, for reactions to it. Must not throw. */
  readonly onSending?: ((runId: string, message: IncomingMessage) => Promise<void>) | undefined;
  readonly agentUid: string;
  /** Mentions of the agent; `@NAME` is also the command `/NAME`. */
  readonly mentions: readonly string[];
  readonly namespace: string;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly limits?: Partial<ChatLimits> | undefined;
}

export interface ChatWebhooks {
  /**
   * Claims a message and answers it later. Edits and deletes count until its answer is sent.
   * @throws KnowledgeError `busy`, `stopping`, `storage_unavailable`; in the plain format
   * `invalid_namespace`, `namespace_not_allowed`
   */
  take(payload: unknown, delivery: ChatDelivery): Promise<ChatMessageFate>;
  /** Sends a message in the background; a failure is logged. */
  say(message: OutgoingMessage): void;
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

const messageKeyOf = ({ id, conversation }: Pick<MessageChange, 'id' | 'conversation'>) =>
  keyOf('message', JSON.stringify([conversation, id]));

/** Uses a hash of the body if neither the delivery nor the message has an id. */
function keysOf({ id, conversation }: IncomingMessage, { delivery, body }: ChatDelivery): string[] {
  const keys = [
    ...(delivery === undefined ? [] : [keyOf('delivery', delivery)]),
    ...(id === undefined ? [] : [messageKeyOf({ id, conversation })]),
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

/** Answers a message until `signal` is aborted, if `maySend`. @returns whether it is done */
function createSettle({
  ask,
  deliver,
  onSending,
  onWarning,
}: Pick<ChatWebhooksParts, 'ask' | 'deliver' | 'onSending' | 'onWarning'>) {
  async function outcomeOf(
    { text, sender, conversation, addressed }: IncomingMessage,
    namespace: string,
    signal: AbortSignal,
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

  return async (
    message: IncomingMessage,
    namespace: string,
    signal: AbortSignal,
    maySend: () => Promise<boolean>,
  ): Promise<boolean> => {
    try {
      signal.throwIfAborted();
      const result = await outcomeOf(message, namespace, signal);
      signal.throwIfAborted();
      if (!(await maySend())) return true;
      const outgoing = toOutgoing(message, result);
      if (outgoing && 'runId' in result) await onSending?.(result.runId, message);
      if (outgoing) await deliver(outgoing, signal);
      return true;
    } catch (error) {
      if (!signal.aborted) onWarning('delivering an answer to the chat platform failed', error);
      return !signal.aborted && isFinalRefusal(error);
    }
  };
}

/** Reads whether a message is for the agent: by mention, by its uid as a name, or by a command. */
function createAddressing({
  gate,
  agentUid,
  mentions,
}: Pick<ChatWebhooksParts, 'gate' | 'agentUid' | 'mentions'>) {
  const commands = [agentUid, ...mentions.flatMap((mention) => /^@(.+)/.exec(mention)?.[1] ?? [])];
  const byName = createMentionGate({ mentions: [`@${agentUid}`] });
  return (message: IncomingMessage | undefined): IncomingMessage | undefined => {
    if (!message) return undefined;
    const { text, addressed } = message;
    const named = withoutCommand(text, commands) ?? byName.question(text);
    if (named !== undefined)
      // A mention without a question is answered as one.
      return { ...message, text: named || `<@uid:${agentUid}>`, addressed: true };
    return gate.question(text, addressed) === undefined ? undefined : message;
  };
}

/** Places of the queue, until it is closed. */
function createPlaces(maxTaken: number, end: ChatDeliveries['end']) {
  let taken = 0;
  let isClosed = false;
  const requireOpen = () => {
    if (isClosed) throw stoppingError();
  };
  return {
    taken: () => taken,
    free: () => void taken--,
    requireOpen,
    close: () => {
      isClosed = true;
    },
    /** Reserves a place if `claim` succeeds. @throws KnowledgeError `busy`, `stopping` */
    async reserve(
      claim: () => Promise<VersionClaim | undefined>,
    ): Promise<VersionClaim | undefined> {
      if (taken >= maxTaken)
        throw new KnowledgeError(
          'busy',
          'Too many messages are waiting. Send this one again later.',
          { retryAfterSeconds },
        );
      taken++;
      let claimed: VersionClaim | undefined;
      try {
        const begun = await claim();
        if (begun && isClosed) {
          await end(begun.keys, false);
          throw stoppingError();
        }
        claimed = begun;
        return claimed;
      } finally {
        if (!claimed) taken--;
      }
    },
  };
}

/** `changed` is aborted when a later version replaces it. */
type WaitingMessage = Readonly<{
  message: IncomingMessage;
  keys: readonly string[];
  changed: AbortController;
}>;

export function createChatWebhooks(parts: ChatWebhooksParts): ChatWebhooks {
  const { parseNamespace, deliveries, agentUid, onWarning } = parts;
  const { maxConcurrent = 4, maxTaken = 200 } = parts.limits ?? {};
  const withSlot = createSemaphore(maxConcurrent);
  const conversations = new KeyedQueue();
  const leaving = new AbortController();
  const settle = createSettle(parts);
  const ifAddressed = createAddressing(parts);
  const waiting = new Map<string, WaitingMessage>();
  const places = createPlaces(maxTaken, deliveries.end);

  async function answer(message: IncomingMessage, namespace: string, claim: VersionClaim) {
    const { key, keys } = claim;
    const changed = new AbortController();
    const entry = { message, keys, changed };
    waiting.set(key, entry);
    const signal = AbortSignal.any([leaving.signal, changed.signal]);
    const right = sendingRight(deliveries, claim);
    await conversations
      .run(JSON.stringify([message.sender, message.conversation]), () =>
        withSlot(async () => {
          const isDone = await settle(message, namespace, signal, right.acquire);
          if (waiting.get(key) === entry) waiting.delete(key);
          // The later version has the keys too.
          if (!changed.signal.aborted) await deliveries.end(keys, isDone);
          await right.release();
        }),
      )
      .catch((error: unknown) => onWarning('saving the state of a chat message failed', error))
      .finally(places.free);
  }

  /** Edits and deletes also reach messages that another server answers. */
  async function change({ message, ...changed }: MessageChange): Promise<ChatMessageFate> {
    const key = messageKeyOf(changed);
    const known = waiting.get(key)?.message;
    const edited = ifAddressed(message);
    if (known && edited && edited.sender !== known.sender) return 'ignored';
    if (known && edited?.text === known.text) return 'duplicate';
    const claim = async () => {
      const claimed = await claimChange(deliveries, key);
      const earlier = claimed && waiting.get(key);
      if (!earlier) return claimed;
      waiting.delete(key);
      earlier.changed.abort();
      return { ...claimed, keys: [...earlier.keys, ...claimed.keys] };
    };
    const claimed = edited ? await places.reserve(claim) : await claim();
    if (!claimed) return 'ignored';
    if (edited) void answer(edited, parseNamespace(parts.namespace), claimed);
    else await deliveries.end(claimed.keys, true);
    return edited ? 'accepted' : 'withdrawn';
  }

  return {
    async take(payload, delivery) {
      const changed = readMessageChange(payload, agentUid);
      if (changed) return change(changed);
      const read = readChatMessage(payload, agentUid);
      const message = ifAddressed(read);
      if (!message) {
        if (read) note({ reason: 'not_mentioned' });
        return 'ignored';
      }
      const namespace = parseNamespace(message.namespace ?? parts.namespace);
      const keys = keysOf(message, delivery);
      const known = await deliveries.stateOf(keys);
      if (known === 'settled') return 'duplicate';
      places.requireOpen();
      const claimed =
        known === undefined && (await places.reserve(() => claimMessage(deliveries, keys)));
      if (!claimed) return 'duplicate';
      void answer(message, namespace, claimed);
      return 'accepted';
    },

    say(message) {
      void conversations
        .run(JSON.stringify(message.receiver), () => parts.deliver(message, leaving.signal))
        .catch((error: unknown) =>
          onWarning('delivering a sentence to the chat platform failed', error),
        );
    },

    async close(graceMs = 500) {
      places.close();
      await Promise.race([conversations.idle(), sleep(graceMs, undefined, { ref: false })]);
      const lost = places.taken();
      leaving.abort(stoppingError());
      await conversations.idle();
      await deliveries.close();
      if (lost > 0) onWarning(`${lost} chat messages were not answered before the server stopped`);
    },
  };
}
