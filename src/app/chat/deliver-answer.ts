/** An answer → the chat platform, as a message in its own form. Not sent again after a deadline: nobody wants to read it twice. */
import { KnowledgeError } from '../../errors.ts';
import { createRetriedPost, type RetriedPostOptions } from '../retried-post.ts';
import type { ChatReceiver } from './chat-message.ts';

export interface OutgoingMessage extends ChatReceiver {
  readonly text: string;
  readonly knowledge: Readonly<Record<string, unknown>>;
  /** The same for every attempt. */
  readonly idempotencyKey: string;
}

/** @throws KnowledgeError where it was not taken (`upstream_failed`: for good), or `signal` ended it */
export type DeliverAnswer = (message: OutgoingMessage, signal: AbortSignal) => Promise<void>;

export interface DeliveryOptions extends Omit<RetriedPostOptions, 'name'> {
  readonly url: string;
  readonly key: string | undefined;
  readonly agentUid: string;
}

/** Whether another delivery of the answer would end as this one did; after a deadline the platform may have taken it. */
export const isFinalRefusal = (error: unknown): boolean =>
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
