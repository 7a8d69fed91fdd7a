/** Replies of people in chats that were handed off: each becomes a draft of an answer. */
import { z } from 'zod';
import type { GapDesk } from '../records/gap-desk.ts';
import { type ChatWebhooks, deliveryKeyOf } from './chat-webhooks.ts';
import { isSameUid, messageId, platformEvent, uid } from './incoming.ts';

const plainReply = z.object({
  id: messageId.nullish(),
  text: z.string(),
  conversation: messageId,
  user: uid,
});

type Reply = Omit<Parameters<GapDesk['addReply']>[0], 'id'> & { readonly id: string | undefined };

/** On the platform only a message of a thread is a reply; a bridge chooses the names of threads. */
function readReply(payload: unknown): Reply | undefined {
  const event = platformEvent.safeParse(payload).data?.data;
  if (!event) {
    const plain = plainReply.safeParse(payload).data;
    if (!plain) return undefined;
    const { id, text, conversation: thread, user: author } = plain;
    return { id: id ?? undefined, thread, parent: undefined, text, author };
  }
  const { id, sender: author, receiverType, receiver, conversationId, parentId, data } = event;
  const thread = conversationId ?? `${receiverType}:${receiver}`;
  if (parentId == null || data.metadata?.knowledge !== undefined) return undefined;
  return { id: id ?? undefined, thread, parent: String(parentId), text: data.text, author };
}

interface ReplyParts {
  readonly desk: Pick<GapDesk, 'addReply'>;
  readonly take: ChatWebhooks['take'];
  readonly agentUid: string;
  /** Hours after a hand-off; 0: replies are ignored. */
  readonly draftHours: number;
}

/** Takes replies that are not for the agent, and passes other events on. */
export const withReplies =
  ({ desk, take, agentUid, draftHours }: ReplyParts): ChatWebhooks['take'] =>
  async (payload, delivery) => {
    const fate = await take(payload, delivery);
    const reply = fate === 'ignored' && draftHours > 0 ? readReply(payload) : undefined;
    if (!reply || isSameUid(reply.author, agentUid) || reply.text.trim() === '') return fate;
    const id = reply.id ?? deliveryKeyOf(delivery);
    return (await desk.addReply({ ...reply, id }, draftHours)) ? 'drafted' : fate;
  };
