/**
 * `POST /api/webhooks/chat`: webhook for chat messages, authenticated by a signature or Basic auth.
 * Answers are sent to CHAT_CALLBACK_URL. Valid events of other types also get 200, because the
 * platform resends every event that does not get 200.
 */
import { z } from 'zod';
import { jsonOf } from '../../../packages/calls/src/call-record.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { type ChatWebhooks, chatMessageFates } from '../../chat/chat-webhooks.ts';
import { type Config, readWebhookSecret, takesChatWebhooks } from '../../config.ts';
import type { App, AppContext, Middleware } from '../auth/caller.ts';
import { hasPassword, isSigned, isTimely, readSignature } from '../auth/webhook-credentials.ts';
import { limitBody, serve } from '../operation.ts';

export const chatWebhooksPath = '/api/webhooks/chat';

const limited = limitBody(1024 * 1024);

const off = () =>
  new KnowledgeError(
    'webhooks_off',
    'Chat webhooks are off: set CHAT_WEBHOOK_SECRET, or CHAT_WEBHOOK_PASSWORD, and CHAT_CALLBACK_URL for the answers.',
  );

/** Every credential that is sent must be valid, so that a second one cannot bypass the first. */
async function isAuthentic(
  c: AppContext,
  { secret, password }: Readonly<{ secret: Buffer | undefined; password: string | undefined }>,
) {
  const signature = readSignature(c.req.raw.headers);
  const sendsBasic = c.req.header('authorization') !== undefined;
  if (sendsBasic && !(await hasPassword(c.req.raw, password))) return false;
  // Without a secret the signature cannot be checked, so Basic auth decides.
  if (!signature || !secret) return sendsBasic;
  return (
    isTimely(signature, Date.now()) &&
    isSigned(signature, new Uint8Array(await c.req.arrayBuffer()), secret)
  );
}

const fate = z
  .enum(chatMessageFates)
  .describe(
    'accepted: CHAT_CALLBACK_URL gets the answer; rated: a reaction is feedback; withdrawn: the question was deleted',
  );
const output = z.object({ status: fate });
const requestBody = {
  required: true,
  content: { 'application/json': { schema: { type: 'object' as const } } },
};

export function addChatWebhooks(
  app: App,
  config: Config,
  take: ChatWebhooks['take'] | undefined,
): void {
  const credentials = takesChatWebhooks(config) && {
    secret: readWebhookSecret(config.chatWebhookSecret),
    password: config.chatWebhookPassword,
  };
  const authenticated: Middleware = async (c, next) => {
    if (!credentials) throw off();
    if (await isAuthentic(c, credentials)) return next();
    if (credentials.password !== undefined) c.header('www-authenticate', 'Basic realm="chat"');
    const credential = readSignature(c.req.raw.headers) ?? c.req.header('authorization');
    throw new KnowledgeError(
      'unauthorized',
      credential !== undefined
        ? 'The signature or the password of this webhook is wrong, or its timestamp is more than 5 minutes off.'
        : 'This webhook needs a signature (Standard Webhooks) or Basic auth.',
    );
  };
  const before: Middleware = (c, next) =>
    limited(c, async () => void (await authenticated(c, next)));

  serve(app, 'receiveChatMessage', { output, requestBody, before }, async (c) => {
    if (!credentials || !take) throw off();
    const body = await c.req.text();
    const delivery = credentials.secret && readSignature(c.req.raw.headers)?.id;
    return c.json({ status: await take(jsonOf(body), { delivery, body }) });
  });
}
