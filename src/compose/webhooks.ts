/** What a chat platform pushes and the way of the answers; who is told of outdated answers. */
import { createChatWebhooks, createDelivery } from '../app/chat/chat-webhooks.ts';
import type { Documents } from '../app/documents.ts';
import { createDriftWebhook } from '../app/drift-webhook.ts';
import { createStaleAnswers } from '../app/stale-answers.ts';
import { createAddressGuard } from '../ingest/fetch/address-guard.ts';
import { createOutboundPost } from '../ingest/fetch/outbound.ts';
import type { AskingParts } from './asking.ts';
import type { SearchParts } from './search.ts';
import type { SharedParts } from './shared-parts.ts';
import type { State } from './state.ts';

/** A guard for an address that a setting names; what it will not let through is told now. */
function guardOf({ config, onWarning }: SharedParts, url: string, warning: string) {
  const guard = createAddressGuard(config.allowedUrlHosts);
  try {
    guard.checkUrl(new URL(url));
  } catch (error) {
    onWarning(warning, error);
  }
  return guard;
}

/** Which answers the documents do not hold any more, and who is told; nobody where no address is set. */
export function composeDrift(setting: SharedParts, { namespaces, mirror }: SearchParts, { answers }: State, documents: Documents) {
  const { config, replacements, clock, onWarning } = setting;
  const staleAnswers = createStaleAnswers(answers, documents);
  if (!config.driftWebhook) return { staleAnswers, start: () => undefined, close: async () => undefined };
  const guard = guardOf(setting, config.driftWebhook.url, 'no answer that drifts will be told to DRIFT_WEBHOOK_URL');
  const { firstPauseMs, ...limits } = replacements.driftWebhook ?? {};
  const post = createOutboundPost({ guard, name: 'The drift webhook' });
  const { scheduleCheck, ...webhook } = createDriftWebhook({
    ...config.driftWebhook,
    answers,
    staleAnswers,
    syncNow: async () => mirror?.syncNow(),
    post,
    firstPauseMs,
    clock,
    onWarning,
    limits,
  });
  const start = () => {
    namespaces.follow(scheduleCheck);
    webhook.start();
  };
  return { staleAnswers, start, close: webhook.close };
}

/** What a chat platform pushes, and the way of the answers; nothing is taken where no credentials are set. */
export function composeChat(setting: SharedParts, { deliveries }: State, { ask, gate, parseNamespace }: AskingParts) {
  const { config, onWarning, replacements } = setting;
  const { chatWebhooks } = config;
  if (!chatWebhooks) return { open: async () => undefined, take: undefined, close: async () => undefined };
  const { agentUid, namespace, callback } = chatWebhooks;
  const guard = guardOf(setting, callback.url, 'no answer will reach CHAT_CALLBACK_URL');
  const { firstPauseMs, ...limits } = replacements.chatWebhooks ?? {};
  const post = createOutboundPost({ guard, name: "The chat platform's callback" });
  const deliver = createDelivery({ ...callback, agentUid, post, firstPauseMs });
  const { take, close } = createChatWebhooks({ ask, gate, parseNamespace, deliveries, deliver, agentUid, namespace, onWarning, limits });
  return { open: () => deliveries.open(), take, close: (graceMs?: number) => close(graceMs) };
}
