/**
 * Messages of a chat platform: accepted at once and answered in the background, each conversation
 * in order. The queue is limited and in memory. Stores only the ids of messages whose answer was
 * delivered or finally refused; the platform delivers dropped messages again. If a question fails,
 * the user gets an error sentence. Shutdowns, and answers that the platform refuses, are only
 * logged.
 */
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isUid } from '../../packages/calls/src/types.ts';
import { createMentionGate, type MentionGate } from '../../packages/mastra/src/mention.ts';
import { KeyedQueue, Semaphore } from '../../packages/shared/src/concurrency/queue.ts';
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

export type OutgoingMessage = ChatReceiver &
  Readonly<{
    text: string;
    knowledge: Readonly<Record<string, unknown>>;
    /** The same for every attempt. */
    idempotencyKey: string;
  }>;

/**
 * @throws KnowledgeError if the delivery failed (`upstream_failed`: permanently) or `signal`
 * aborted it
 */
type DeliverAnswer = (message: OutgoingMessage, signal: AbortSignal) => Promise<void>;

export type DeliveryOptions = Omit<RetriedPostOptions, 'name'> &
  Readonly<{
    url: string;
    key: string | undefined;
    agentUid: string;
  }>;

/**
 * Whether the delivery must not be repeated. After a timeout, the platform may have received the
 * message.
 */
const isFinalRefusal = (error: unknown) =>
  error instanceof KnowledgeError && (error.code === 'upstream_failed' || error.code === 'timeout');

function bodyOf({ receiver, receiverType, parentId, text, knowledge }: OutgoingMessage) {
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

/** All messages have the same caller, whatever their content. */
const callerId = 'webhook:chat';
export const chatCallerOf = (user: string) => `${callerId} for ${user}`;
const retryAfterSeconds = 5;

const keyOf = (kind: string, id: string) => hash('sha256', `${kind} ${id}`, 'base64url');

/** For other events than messages. */
export const deliveryKeyOf = ({ delivery, body }: ChatDelivery) => keyOf('event', delivery ?? body);

type MessagePlace = Pick<MessageChange, 'id' | 'conversation'>;
const messageKeyOf = ({ id, conversation }: MessagePlace) =>
  keyOf('message', JSON.stringify([conversation, id]));

/** A delete may arrive before its message. */
export const deletedKeyOf = ({ id, conversation }: MessagePlace) =>
  messageKeyOf({ conversation, id: `deleted ${id}` });

/** Uses a hash of the body if neither the delivery nor the message has an id. */
function keysOf({ id, conversation }: IncomingMessage, { delivery, body }: ChatDelivery) {
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

/** `changed` is aborted when a later version replaces it. */
type WaitingMessage = Readonly<{
  message: IncomingMessage;
  keys: readonly string[];
  changed: AbortController;
}>;

export class ChatWebhooks {
  readonly #parts;
  readonly #maxTaken;
  readonly #slots;
  readonly #conversations = new KeyedQueue();
  readonly #leaving = new AbortController();
  readonly #waiting = new Map<string, WaitingMessage>();
  /** Names of commands; the uid is also a mention. */
  readonly #commands;
  readonly #byName;
  #taken = 0;
  #isClosed = false;

  constructor(
    parts: Readonly<{
      ask: Ask['ask'];
      gate: MentionGate;
      parseNamespace: ParseNamespace;
      deliveries: ChatDeliveries;
      deliver: DeliverAnswer;
      /** Saves where an answer is sent, for reactions to it. Must not throw. */
      onSending?: ((runId: string, message: IncomingMessage) => Promise<void>) | undefined;
      agentUid: string;
      /** Mentions of the agent; `@NAME` is also the command `/NAME`. */
      mentions: readonly string[];
      namespace: string;
      onWarning: (message: string, error?: unknown) => void;
      limits?: Partial<ChatLimits> | undefined;
    }>,
  ) {
    const { agentUid, mentions, limits = {} } = parts;
    this.#parts = parts;
    this.#maxTaken = limits.maxTaken ?? 200;
    this.#slots = new Semaphore(limits.maxConcurrent ?? 4);
    const names = mentions.flatMap((mention) => /^@(.+)/.exec(mention)?.[1] ?? []);
    this.#commands = [agentUid, ...names];
    this.#byName = createMentionGate({ mentions: [`@${agentUid}`] });
  }

  /** Returns a message for the agent: by mention, by its uid as a name, or by a command. */
  #ifAddressed(message: IncomingMessage | undefined): IncomingMessage | undefined {
    if (!message) return undefined;
    const { gate, agentUid } = this.#parts;
    const { text, addressed } = message;
    const named = withoutCommand(text, this.#commands) ?? this.#byName.question(text);
    if (named !== undefined)
      // A mention without a question is answered as one.
      return { ...message, text: named || `<@uid:${agentUid}>`, addressed: true };
    return gate.question(text, addressed) === undefined ? undefined : message;
  }

  async #ask(
    { text, sender, conversation, addressed, chat }: IncomingMessage,
    namespace: string,
    signal: AbortSignal,
  ) {
    try {
      return await this.#parts.ask({
        messages: [{ role: 'user', content: text }],
        namespace,
        signal,
        // Answers with a user's calls are only for that user.
        callerId: chatCallerOf(sender),
        countedAs: callerId,
        actingUser: isUid(sender) ? sender : undefined,
        provenUser: sender,
        memory: { owner: callerId, namespace, resource: sender, thread: conversation },
        addressed,
        entryPoint: 'chat webhook',
        chat,
      });
    } catch (error) {
      if (signal.aborted) throw error;
      this.#parts.onWarning('answering a chat message failed', error);
      return error instanceof KnowledgeError
        ? error
        : new KnowledgeError('internal', internalSentence, { cause: error });
    }
  }

  /** Answers a message until `signal` is aborted, if `maySend`. @returns whether it is done */
  async #settle(
    message: IncomingMessage,
    namespace: string,
    signal: AbortSignal,
    maySend: () => Promise<boolean>,
  ) {
    const { deliver, onSending, onWarning } = this.#parts;
    try {
      signal.throwIfAborted();
      const result = await this.#ask(message, namespace, signal);
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
  }

  /** Reserves a place if `claim` succeeds. @throws KnowledgeError `busy`, `stopping` */
  async #reserve(claim: () => Promise<VersionClaim | undefined>) {
    if (this.#taken >= this.#maxTaken)
      throw new KnowledgeError(
        'busy',
        'Too many messages are waiting. Send this one again later.',
        { retryAfterSeconds },
      );
    this.#taken++;
    let claimed: VersionClaim | undefined;
    try {
      const begun = await claim();
      if (begun && this.#isClosed) {
        await this.#parts.deliveries.end(begun.keys, false);
        throw stoppingError();
      }
      claimed = begun;
      return claimed;
    } finally {
      if (!claimed) this.#taken--;
    }
  }

  async #answer(message: IncomingMessage, namespace: string, claim: VersionClaim) {
    const { deliveries, onWarning } = this.#parts;
    const { key, keys } = claim;
    const changed = new AbortController();
    const entry = { message, keys, changed };
    this.#waiting.set(key, entry);
    const signal = AbortSignal.any([this.#leaving.signal, changed.signal]);
    const right = sendingRight(deliveries, claim);
    await this.#conversations
      .run(JSON.stringify([message.sender, message.conversation]), () =>
        this.#slots.run(async () => {
          const isDone = await this.#settle(message, namespace, signal, right.acquire);
          if (this.#waiting.get(key) === entry) this.#waiting.delete(key);
          try {
            // The later version has the keys too.
            if (!changed.signal.aborted) await deliveries.end(keys, isDone);
          } finally {
            await right.release();
          }
        }),
      )
      .catch((error: unknown) => onWarning('saving the state of a chat message failed', error))
      .finally(() => this.#taken--);
  }

  /** Edits and deletes also reach messages that another server answers. */
  async #change({ message, isDeleted, ...changed }: MessageChange): Promise<ChatMessageFate> {
    const { deliveries, parseNamespace, namespace } = this.#parts;
    const key = messageKeyOf(changed);
    const known = this.#waiting.get(key)?.message;
    const edited = this.#ifAddressed(message);
    if (known && edited && edited.sender !== known.sender) return 'ignored';
    if (known && edited?.text === known.text) return 'duplicate';
    const claim = async () => {
      const claimed = await claimChange(deliveries, key);
      const earlier = claimed && this.#waiting.get(key);
      if (!earlier) return claimed;
      this.#waiting.delete(key);
      earlier.changed.abort();
      return { ...claimed, keys: [...earlier.keys, ...claimed.keys] };
    };
    const claimed = edited ? await this.#reserve(claim) : await claim();
    if (!claimed && isDeleted) await deliveries.end([deletedKeyOf(changed)], true);
    if (!claimed) return 'ignored';
    if (edited) void this.#answer(edited, parseNamespace(namespace), claimed);
    else await deliveries.end(claimed.keys, true);
    return edited ? 'accepted' : 'withdrawn';
  }

  /**
   * Claims a message and answers it later. Edits and deletes count until its answer is sent.
   * @throws KnowledgeError `busy`, `stopping`, `storage_unavailable`; in the plain format
   * `invalid_namespace`, `namespace_not_allowed`
   */
  async take(payload: unknown, delivery: ChatDelivery): Promise<ChatMessageFate> {
    const { deliveries, parseNamespace, agentUid } = this.#parts;
    const changed = readMessageChange(payload, agentUid);
    if (changed) return this.#change(changed);
    const read = readChatMessage(payload, agentUid);
    const message = this.#ifAddressed(read);
    if (!message) {
      if (read) note({ reason: 'not_mentioned' });
      return 'ignored';
    }
    const namespace = parseNamespace(message.namespace ?? this.#parts.namespace);
    const keys = keysOf(message, delivery);
    const known = await deliveries.stateOf(keys);
    if (known === 'settled') return 'duplicate';
    const { id, conversation } = message;
    const deleted = id === undefined ? [] : [deletedKeyOf({ id, conversation })];
    if ((await deliveries.stateOf(deleted)) === 'settled') return 'withdrawn';
    if (this.#isClosed) throw stoppingError();
    const claimed =
      known === undefined && (await this.#reserve(() => claimMessage(deliveries, keys)));
    if (!claimed) return 'duplicate';
    void this.#answer(message, namespace, claimed);
    return 'accepted';
  }

  /** Sends a message in the background; a failure is logged. */
  say(message: OutgoingMessage) {
    const { deliver, onWarning } = this.#parts;
    void this.#conversations
      .run(JSON.stringify(message.receiver), () => deliver(message, this.#leaving.signal))
      .catch((error: unknown) =>
        onWarning('delivering a sentence to the chat platform failed', error),
      );
  }

  /**
   * Refuses further messages. @param graceMs time for accepted ones; the rest is aborted and
   * counted in the log
   */
  async close(graceMs = 500) {
    const { deliveries, onWarning } = this.#parts;
    this.#isClosed = true;
    await Promise.race([this.#conversations.idle(), sleep(graceMs, undefined, { ref: false })]);
    const lost = this.#taken;
    this.#leaving.abort(stoppingError());
    await this.#conversations.idle();
    await deliveries.close();
    if (lost > 0) onWarning(`${lost} chat messages were not answered before the server stopped`);
  }
}
