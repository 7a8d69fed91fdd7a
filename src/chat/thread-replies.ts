/** Replies of people in chats that were handed off: each becomes a draft of an answer. */
import type { GapDesk, ThreadReply } from '../records/gap-desk.ts';
import {
  type ChatMessageFate,
  type ChatWebhooks,
  deletedKeyOf,
  deliveryKeyOf,
} from './chat-webhooks.ts';
import {
  changeEvent,
  isSameUid,
  plainMessage,
  platformEvent,
  platformMessage,
} from './incoming.ts';
import type { ChatDeliveries } from './message-versions.ts';

type Reply = Omit<ThreadReply, 'text'> & { readonly text?: string };

/**
 * @param delivery id of a reply without one @returns undefined for other events; without `text` if
 * the reply was deleted
 */
function readReply(payload: unknown, delivery: string): Reply | undefined {
  const event = platformEvent.safeParse(payload).data ?? changeEvent.safeParse(payload).data;
  if (!event) {
    const plain = plainMessage.safeParse(payload).data;
    if (!plain) return undefined;
    const { id, text, conversation: thread, user: author } = plain;
    return { id: id ?? delivery, thread, author, text };
  }
  const { trigger, data } = event;
  const { id, sender: author, receiverType, receiver, conversationId } = data;
  const thread = conversationId ?? `${receiverType}:${receiver}`;
  const place = { id: id ?? delivery, thread, author };
  if (trigger === 'message_deleted') return place;
  const message = platformMessage.safeParse(data).data;
  if (!message || message.data.metadata?.knowledge !== undefined) return undefined;
  const parent = message.parentId?.toString();
  return { ...place, parent, text: message.data.text, isEdited: trigger === 'message_edited' };
}

/** Takes replies that are not for the agent, their edits and deletes; passes other events on. */
export function withReplies({
  desk,
  deliveries,
  take,
  agentUid,
  draftHours,
}: Readonly<{
  desk: Pick<GapDesk, 'addReply' | 'removeReply'>;
  deliveries: ChatDeliveries;
  take: ChatWebhooks['take'];
  agentUid: string;
  /** Hours after a hand-off; 0: replies are ignored. */
  draftHours: number;
}>): ChatWebhooks['take'] {
  async function takeReply({ text, ...reply }: Reply): Promise<ChatMessageFate> {
    const deleted = [deletedKeyOf({ conversation: reply.thread, id: reply.id })];
    if (text === undefined) {
      await deliveries.end(deleted, true);
      return (await desk.removeReply(reply)) ? 'withdrawn' : 'ignored';
    }
    const isDraft = text.trim() !== '' && (await desk.addReply({ ...reply, text }, draftHours));
    // The delete may have been faster than this delivery of the reply.
    const isDeleted = isDraft && (await deliveries.stateOf(deleted)) === 'settled';
    if (isDeleted) await desk.removeReply(reply);
    return isDraft && !isDeleted ? 'drafted' : 'ignored';
  }

  return async (payload, delivery) => {
    const fate = await take(payload, delivery);
    if (fate !== 'ignored' || draftHours === 0) return fate;
    const reply = readReply(payload, deliveryKeyOf(delivery));
    return reply && !isSameUid(reply.author, agentUid) ? takeReply(reply) : fate;
  };
}
