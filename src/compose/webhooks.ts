/** Composes chat webhooks and the webhook for questions for a person. */

import {
  createHandOffSender,
  createUnhelpfulHandOff,
  type HandOff,
  type HandOffSender,
} from '../ask/hand-off.ts';
import { type ChatWebhooks, createChatWebhooks, createDelivery } from '../chat/chat-webhooks.ts';
import { withReactions } from '../chat/reactions.ts';
import { withReplies } from '../chat/thread-replies.ts';
import { createAddressGuard } from '../ingest/fetch/address-guard.ts';
import { createOutboundPost, type OutboundPost } from '../ingest/fetch/outbound.ts';
import { createWebhook } from '../ingest/fetch/retried-post.ts';
import type { AskingParts } from './asking.ts';
import type { SearchParts } from './search.ts';
import { composeMessages, type SharedParts } from './shared-parts.ts';
import type { State } from './state.ts';

/** Posts to the URL of a setting. Warns at startup if the URL is refused. */
function composePost(
  { config, onWarning }: SharedParts,
  url: string,
  name: string,
  warning: string,
): OutboundPost {
  const guard = createAddressGuard(config.allowedUrlHosts);
  try {
    guard.checkUrl(new URL(url));
  } catch (error) {
    onWarning(`${warning}; add its host to ALLOWED_URL_HOSTS`, error);
  }
  return createOutboundPost({ guard, name });
}

/** Without HANDOFF_WEBHOOK_URL, nothing is kept. */
export function composeHandOff(
  setting: SharedParts,
  { handOffs: rows, answers }: State,
  { namespaces }: SearchParts,
): HandOffSender {
  const { config, replacements, clock, onWarning } = setting;
  const { handoffWebhook, publicUrl, pathPrefix, keepAnswers } = config;
  if (!handoffWebhook)
    return {
      keep: async () => false,
      release: async () => undefined,
      start: () => undefined,
      close: async () => undefined,
    };
  const name = 'The hand-off webhook';
  const post = composePost(
    setting,
    handoffWebhook.url,
    name,
    'HANDOFF_WEBHOOK_URL is refused, so no questions will be sent',
  );
  // One attempt, because later ones read the row again: deleted documents are no longer in it.
  const send = createWebhook({ ...handoffWebhook, post, name, maxAttempts: 1, clock });
  const sender = createHandOffSender({
    rows,
    send,
    clock,
    onWarning,
    limits: replacements.handOff,
  });
  // The path prefix is a secret of those who may ask.
  const page = keepAnswers > 0 && pathPrefix === undefined ? publicUrl : undefined;
  const linkOf = ({ namespace, runId }: HandOff) =>
    page === undefined ? {} : { link: `${page}/#/ask/${namespace}/${runId}` };
  const handOff: HandOffSender = {
    ...sender,
    keep: (one, ...more) => sender.keep({ ...one, ...linkOf(one) }, ...more),
  };
  answers.onUnhelpful = createUnhelpfulHandOff(handOff, composeMessages(config, namespaces));
  return handOff;
}

/** `take`: undefined without credentials, so that messages are refused. */
export type ChatParts = Readonly<{
  open: () => Promise<void>;
  take: ChatWebhooks['take'] | undefined;
  close: ChatWebhooks['close'];
}>;

export function composeChat(
  setting: SharedParts,
  { answers, deliveries, gapDesk }: State,
  { ask, gate, parseNamespace }: AskingParts,
): ChatParts {
  const { config, onWarning, replacements } = setting;
  const { chatWebhooks } = config;
  if (!chatWebhooks)
    return { open: async () => undefined, take: undefined, close: async () => undefined };
  const { agentUid, namespace, callback } = chatWebhooks;
  const { firstPauseMs, ...limits } = replacements.chatWebhooks ?? {};
  const refused = 'CHAT_CALLBACK_URL is refused, so no answers will be sent';
  const post = composePost(setting, callback.url, "The chat platform's callback", refused);
  const deliver = createDelivery({ ...callback, agentUid, post, firstPauseMs });
  const failed = (error: unknown) => onWarning('saving a chat answer for reactions failed', error);
  const onSending = (runId: string, conversation: string) =>
    answers.sentToChat(runId, conversation).catch(failed);
  const parts = {
    ask,
    gate,
    parseNamespace,
    deliveries,
    deliver,
    onSending,
    agentUid,
    namespace,
    onWarning,
    limits,
  };
  const { take, close } = createChatWebhooks(parts);
  return {
    open: () => deliveries.open(),
    take: withReplies({
      take: withReactions({ answers, deliveries, take, agentUid }),
      ...{ desk: gapDesk, agentUid, draftHours: config.draftHours },
    }),
    close,
  };
}
