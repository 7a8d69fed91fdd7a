/**
 * The platform's bots: a user and a webhook, for groups too. The platform's answers contain the
 * password of the webhook, so they are compared and never shown.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { UsageError } from './command.ts';
import { fieldsOf, type Provider, type Registration, saveEntry } from './register-parts.ts';

const path = '/api/webhooks/chat';
const nameOf = ({ values, config: { chatAgentUid: uid } }: Registration) =>
  values.name ?? uid.charAt(0).toUpperCase() + uid.slice(1);
const basicOf = ({ config }: Registration) =>
  config.chatWebhooks?.basic ?? { user: '', password: '' };

function botOf(registration: Registration) {
  const { user: username, password } = basicOf(registration);
  const webhookURL = registration.url + path;
  if (webhookURL.length > 255 || username.length > 50 || password.length > 50)
    throw new UsageError(
      'The platform takes URLs of 255 characters, and a CHAT_WEBHOOK_USER and CHAT_WEBHOOK_PASSWORD of 50.',
    );
  const groupChatSetting = 'mentionedMessages';
  return { webhookURL, groupChatSetting, enabled: true, useBasicAuth: true, username, password };
}

export const bot: Provider = {
  listPath: '/ready',
  advice:
    'Restart the server with the CHAT_WEBHOOK_USER and CHAT_WEBHOOK_PASSWORD of this command.',
  settings({ platformUrl, config: { chatWebhooks, chatAgentUid: uid } }) {
    if (!/^[a-z\d_-]{1,50}$/.test(uid))
      throw new UsageError('A bot needs a CHAT_AGENT_UID of 1 to 50 lower-case characters.');
    if (chatWebhooks?.basic) return [];
    if (platformUrl === undefined)
      throw new UsageError('--provider bot needs --app-id and --region.');
    return [
      `CHAT_WEBHOOK_USER=${uid}`,
      `CHAT_WEBHOOK_PASSWORD=${randomBytes(24).toString('base64url')}`,
      ...(chatWebhooks ? [] : [`CHAT_CALLBACK_URL=${platformUrl}/bots/${uid}/messages`]),
    ];
  },
  plan(registration) {
    const { chatAgentUid: uid } = registration.config;
    const shown = { ...botOf(registration), password: '<CHAT_WEBHOOK_PASSWORD>' };
    return [
      ['POST', '/users', { uid, name: nameOf(registration) }],
      ['POST', '/bots', { uid, ...shown }],
      ['PUT', `/bots/${uid}`, shown],
    ];
  },
  async save(registration) {
    const { platform, config } = registration;
    const uid = config.chatAgentUid;
    const user = await platform('GET', `/users/${uid}`);
    if (!user) await platform('POST', '/users', { uid, name: nameOf(registration) });
    const known = await platform('GET', `/bots/${uid}`);
    const own = known ? fieldsOf(fieldsOf(known)['data'] ?? known) : undefined;
    const values = botOf(registration);
    const saved = await saveEntry(
      registration,
      own,
      own ? ['PUT', `/bots/${uid}`, values] : ['POST', '/bots', { uid, ...values }],
    );
    const isMissing = config.chatWebhooks?.callback.key === undefined;
    return {
      ...saved,
      uid,
      note: isMissing ? 'Set CHAT_CALLBACK_KEY to the REST key.\n' : undefined,
    };
  },
  questions(registration) {
    const { user, password } = basicOf(registration);
    const uid = registration.config.chatAgentUid;
    const basic = Buffer.from(`${user}:${password}`).toString('base64');
    // Small talk, which asks no model.
    const hello = 'What can you do?';
    const mention = `<@uid:${uid}> ${hello}`;
    const chats: [chat: string, text: string, more?: object][] = [
      ['one-to-one', hello, { receiverType: 'user', receiver: uid }],
      ['group, mention', mention],
      ['group, name', `@${nameOf(registration)} ${hello}`],
      ['group, slash', `/${uid} ${hello}`],
      ['group, thread', mention, { parentId: '1' }],
      ['group, other', hello],
    ];
    return chats.map(([chat, text, more]) => {
      const id = randomUUID();
      const asker = 'register-check';
      const place = { conversationId: id, sender: asker, receiverType: 'group', receiver: asker };
      const data = { id, ...place, category: 'message', type: 'text', data: { text }, ...more };
      const silence = `it does not mention the bot. Add @${nameOf(registration)} to AGENT_MENTIONS.`;
      return {
        chat,
        agentId: registration.agentId,
        path,
        headers: { authorization: `Basic ${basic}` },
        body: { trigger: 'after_message', data, appId: asker, bot: uid },
        ...(chat === 'group, other' ? {} : { silence }),
      };
    });
  },
};
