/** Reactions of the chat platform's users to the agent's messages, as ratings of its answers. */
import { z } from 'zod';
import type { AnswerLog, ChatSentence } from '../records/answer-log.ts';
import {
  type ChatDelivery,
  type ChatMessageFate,
  type ChatWebhooks,
  chatCallerOf,
  deliveryKeyOf,
  type OutgoingMessage,
} from './chat-webhooks.ts';
import { type ChatReceiver, isSameUid, messageId, platformEvent, uid } from './incoming.ts';
import type { ChatDeliveries } from './message-versions.ts';

/** As the platform's documentation shows it. It names the message only by its id. */
const reactionEvent = z.object({
  trigger: z.enum(['message_reaction_added', 'message_reaction_removed']),
  data: z.object({
    reaction: z.object({
      messageId,
      reaction: z.string().min(1).max(64),
      uid: uid.optional(),
      reactedBy: uid.optional(),
    }),
  }),
});

/** Without skin tones. A heart thanks for the answer; faces may be about its content. */
const up = ['👍', '❤', '👏', '💯', '✅', '+1', 'thumbsup', 'like'];
const down = ['👎', '❌', '-1', 'thumbsdown', 'dislike'];
function ratingOf(reaction: string): 'up' | 'down' | undefined {
  const plain = reaction.replace(/[\u{1F3FB}-\u{1F3FF}\uFE0F:]/gu, '').toLowerCase();
  return up.includes(plain) ? 'up' : down.includes(plain) ? 'down' : undefined;
}

/** @returns undefined for other events and other reactions */
function readReaction(payload: unknown, agentUid: string) {
  const event = reactionEvent.safeParse(payload).data;
  if (!event) return undefined;
  const { messageId: message, reaction, uid: own, reactedBy: user = own } = event.data.reaction;
  const rating = ratingOf(reaction);
  if (rating === undefined || user === undefined || isSameUid(user, agentUid)) return undefined;
  return { message, user, rating, isRemoved: event.trigger === 'message_reaction_removed' };
}
type ChatReaction = NonNullable<ReturnType<typeof readReaction>>;

/** Reads the platform's report of one of the agent's answers, which has the id of its message. */
function readOwnAnswer(payload: unknown, agentUid: string) {
  const message = platformEvent.safeParse(payload).data?.data;
  const { runId } =
    z.object({ runId: z.string() }).safeParse(message?.data.metadata?.knowledge).data ?? {};
  if (!message?.id || runId === undefined || !isSameUid(message.sender, agentUid)) return undefined;
  const { receiverType, receiver, conversationId, id } = message;
  return { runId, conversation: conversationId ?? `${receiverType}:${receiver}`, message: id };
}

/** In the conversation and thread of the answer. */
const toSentence = ({ runId, text, replyTo }: ChatSentence): OutgoingMessage => ({
  ...(JSON.parse(replyTo) as ChatReceiver),
  text,
  knowledge: { runId, reason: 'handed_off', citations: [] },
  idempotencyKey: `handoff_${runId}`,
});

/**
 * Takes reactions, and passes other events on. A replayed reaction changes nothing. @throws
 * KnowledgeError `storage_unavailable`
 */
export function withReactions({
  answers,
  deliveries,
  chat,
  agentUid,
}: Readonly<{
  answers: Pick<AnswerLog, 'setChatMessage' | 'rateChatMessage'>;
  deliveries: ChatDeliveries;
  chat: Pick<ChatWebhooks, 'take' | 'say'>;
  agentUid: string;
}>): ChatWebhooks['take'] {
  async function rate(
    { message, user, rating, isRemoved }: ChatReaction,
    keys: readonly string[],
  ): Promise<ChatMessageFate> {
    if (!(await deliveries.begin(keys))) return 'duplicate';
    let isDone = false;
    try {
      const rated = await answers.rateChatMessage(message, chatCallerOf(user), rating, isRemoved);
      isDone = true;
      if (rated?.said) chat.say(toSentence(rated.said));
      return rated ? 'rated' : 'ignored';
    } finally {
      await deliveries.end(keys, isDone);
    }
  }

  return async (payload: unknown, delivery: ChatDelivery) => {
    const reaction = readReaction(payload, agentUid);
    if (reaction) return rate(reaction, [deliveryKeyOf(delivery)]);
    const own = readOwnAnswer(payload, agentUid);
    if (own) await answers.setChatMessage(own);
    return chat.take(payload, delivery);
  };
}
