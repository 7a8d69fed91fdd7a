/** The platform's bots: a user and a webhook, for groups too. */
import { randomBytes, randomUUID } from 'node:crypto';
import { takesChatWebhooks } from '../config.ts';
import { UsageError } from './command.ts';
import type { Provider, Registration } from './register.ts';

const path = '/api/webhooks/chat';
const nameOf = ({ values, config: { chatAgentUid: uid } }: Registration) =>
  values.name ?? uid.charAt(0).toUpperCase() + uid.slice(1);

function botOf(registration: Registration) {
  const { chatAgentUid: username, chatWebhookPassword: password = '' } = registration.config;
  const webhookURL = registration.url + path;
  if (webhookURL.length > 255 || password.length > 50)
    throw new UsageError(
      'The platform takes URLs of 255 characters, and a CHAT_WEBHOOK_PASSWORD of 50.',
    );
  const groupChatSetting = 'mentionedMessages';
  return { webhookURL, groupChatSetting, enabled: true, useBasicAuth: true, username, password };
}

export const bot: Provider = {
  listPath: '/ready',
  advice: 'Restart the server with the CHAT_WEBHOOK_PASSWORD of this command.',
  missing({ platformUrl, config }) {
    const uid = config.chatAgentUid;
    if (!/^[a-z\d_-]{1,50}$/.test(uid))
      throw new UsageError('A bot needs a CHAT_AGENT_UID of 1 to 50 lower-case characters.');
    if (config.chatWebhookPassword !== undefined) return [];
    if (platformUrl === undefined)
      throw new UsageError('--provider bot needs --app-id and --region.');
    return [
      `CHAT_WEBHOOK_PASSWORD=${randomBytes(24).toString('base64url')}`,
      ...(takesChatWebhooks(config)
        ? []
        : [`CHAT_CALLBACK_URL=${platformUrl}/bots/${uid}/messages`]),
    ];
  },
  steps(registration) {
    const { config, send } = registration;
    const uid = config.chatAgentUid;
    const values = botOf(registration);
    const user = { uid, name: nameOf(registration) };
    return [
      { find: () => send('GET', `/users/${uid}`), create: ['POST', '/users', user] },
      {
        find: () => send('GET', `/bots/${uid}`),
        create: ['POST', '/bots', { uid, ...values }],
        update: () => ['PUT', `/bots/${uid}`, values],
      },
    ];
  },
  note: ({ config }) => (config.chatCallbackKey ? '' : 'Set CHAT_CALLBACK_KEY to the REST key.\n'),
  questions(registration) {
    const { chatAgentUid: uid, chatWebhookPassword: password } = registration.config;
    const basic = Buffer.from(`${uid}:${password}`).toString('base64');
    const headers = { authorization: `Basic ${basic}` };
    const silence = `it does not mention the bot. Add @${nameOf(registration)} to AGENT_MENTIONS.`;
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
      const [id, sender] = [randomUUID(), 'register-check'];
      const place = { conversationId: id, sender, receiverType: 'group', receiver: sender };
      const data = { id, ...place, category: 'message', type: 'text', data: { text }, ...more };
      const body = { trigger: 'after_message', data, appId: sender, bot: uid };
      const asked = { chat, agentId: registration.agentId, path, headers, body };
      return chat === 'group, other' ? asked : { ...asked, silence };
    });
  },
};
