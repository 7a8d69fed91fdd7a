/** The platform's bots: a user and a webhook, for groups too. */
import { randomBytes, randomUUID } from 'node:crypto';
import { takesChatWebhooks } from '../config.ts';
import { UsageError } from './command.ts';
import type { Provider, Registration } from './register.ts';

const path = '/api/webhooks/chat';

function missingLines({ platformUrl, config }: Registration) {
  const { chatWebhookPassword, chatAgentUid: uid } = config;
  if (chatWebhookPassword !== undefined) return [];
  if (platformUrl === undefined)
    throw new UsageError('--provider bot needs --app-id and --region.');
  return [
    `CHAT_WEBHOOK_PASSWORD=${randomBytes(24).toString('base64url')}`,
    ...(takesChatWebhooks(config) ? [] : [`CHAT_CALLBACK_URL=${platformUrl}/bots/${uid}/messages`]),
  ];
}

/** Small talk, which asks no model. */
const hello = 'What can you do?';

function questionsTo(uid: string, name: string, authorization: string): Provider['questions'] {
  const mention = `<@uid:${uid}> ${hello}`;
  const silence = `it does not mention the bot. Add @${name} to AGENT_MENTIONS.`;
  const chats: [chat: string, text: string, more?: object][] = [
    ['one-to-one', hello, { receiverType: 'user', receiver: uid }],
    ['group, mention', mention],
    ['group, name', `@${name} ${hello}`],
    ['group, slash', `/${uid} ${hello}`],
    ['group, thread', mention, { parentId: '1' }],
    ['group, other', hello],
  ];
  return chats.map(([chat, text, more]) => {
    const [id, sender] = [randomUUID(), 'register-check'];
    const place = { conversationId: id, sender, receiverType: 'group', receiver: sender };
    const data = { id, ...place, category: 'message', type: 'text', data: { text }, ...more };
    const body = { trigger: 'after_message', data, appId: sender, bot: uid };
    const asked = { chat, path, headers: { authorization }, body };
    return chat === 'group, other' ? asked : { ...asked, silence };
  });
}

export function bot(registration: Registration): Provider {
  const { values, url, config, send } = registration;
  const { chatAgentUid: uid, chatWebhookPassword: password = '' } = config;
  if (!/^[a-z\d_-]{1,50}$/.test(uid))
    throw new UsageError('A bot needs a CHAT_AGENT_UID of 1 to 50 lower-case characters.');
  const name = values.name ?? uid.charAt(0).toUpperCase() + uid.slice(1);
  const access = { enabled: true, useBasicAuth: true, username: uid, password };
  const settings = { webhookURL: url + path, groupChatSetting: 'mentionedMessages', ...access };
  const basic = Buffer.from(`${uid}:${password}`).toString('base64');
  return {
    advice: 'Restart the server with the CHAT_WEBHOOK_PASSWORD of this command.',
    missing: missingLines(registration),
    dashboard: [],
    steps: [
      {
        find: () => send('GET', `/users/${uid}`),
        create: ['POST', '/users', { uid, name }],
        update: () => ['PUT', `/users/${uid}`, { name: values.name }],
      },
      {
        find: () => send('GET', `/bots/${uid}`),
        create: ['POST', '/bots', { uid, ...settings }],
        update: () => ['PUT', `/bots/${uid}`, settings],
      },
    ],
    noteFor: () => (config.chatCallbackKey ? '' : 'Set CHAT_CALLBACK_KEY to the REST key.\n'),
    questions: questionsTo(uid, name, `Basic ${basic}`),
  };
}
