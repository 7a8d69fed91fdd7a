/**
 * The table of docs/attach.md: for each road from the chat platform and each kind of question,
 * whether it is answered, on its own wire and with the payloads that the platform's pages print.
 */

import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { botEvent, chatMessage, dataOf } from '../support/chat-platform.ts';
import { read } from '../support/repository.ts';
import { startReceiver } from '../support/site.ts';
import { startService } from '../support/workspace.ts';

const page = read('docs/attach.md');
const [head = [], , ...rows] = [...page.matchAll(/^\| (.*) \|$|^\|-.*$/gm)].map(([, row = '']) =>
  row.split(' | '),
);
const roads = ['bot', 'AG-UI', 'Mastra', 'webhook'] as const;
type Road = (typeof roads)[number];
const isPushed = (road: Road) => road === 'bot' || road === 'webhook';
const told = (road: Road, row: number) => rows[row]?.[head.indexOf(road)] ?? '';

const question = 'when are refunds paid?';
const polling = { timeout: 30_000, interval: 10 };
const basic = { authorization: `Basic ${btoa('hook:password')}` };

interface Asked {
  readonly id?: string;
  readonly text?: string;
  readonly isDirect?: boolean;
  readonly parentId?: string | number;
}

/** On the page of bots, `receiver` differs from `bot`. */
function eventOf(road: Road, { text = question, isDirect, ...more }: Asked) {
  const receiver = road === 'bot' ? 'cometchat-uid-2' : 'knowledge';
  const message = chatMessage(dataOf(text), {
    ...(isDirect && { conversationId: 'ann_user_knowledge', receiverType: 'user', receiver }),
    ...more,
  });
  if (road === 'bot') return botEvent(message, 'knowledge');
  return { trigger: 'message_sent', data: { message }, appId: 'app', webhook: 'chat' };
}

async function startServer(settings: Record<string, string> = {}, isStarted = true) {
  const { url, host, delivered } = await startReceiver();
  const all = {
    DIRECT_AGENT_ID: 'knowledge-direct',
    CHAT_WEBHOOK_PASSWORD: 'password',
    CHAT_CALLBACK_URL: `${url}/v3/messages`,
    CHAT_CALLBACK_KEY: 'rest-key',
    ALLOWED_URL_HOSTS: host,
    ...settings,
  };
  const {
    api: started,
    logger,
    endChat,
  } = await startService(all, {
    'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  });
  const opened = Promise.withResolvers<void>();
  let isReady = isStarted;
  if (isStarted) opened.resolve();
  const api = { ...started, isReady: () => isReady, whenReady: opened.promise };
  const app = createApp(parseConfig({ RATE_LIMIT_PER_MINUTE: '0', ...all }), api, logger);
  const open = () => {
    isReady = true;
    opened.resolve();
  };
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const push = async (event: object) => post('/api/webhooks/chat', event, basic);
  const send = (road: Road, asked: Asked) => {
    if (isPushed(road)) return push(eventOf(road, asked));
    const messages = [{ id: randomUUID(), role: 'user', content: asked.text ?? question }];
    if (road === 'AG-UI')
      return post('/api/agents/knowledge/ag-ui', {
        ...{ threadId: 't', runId: randomUUID(), state: {}, tools: [], context: [] },
        ...{ messages, forwardedProps: {} },
      });
    const isSecond = asked.isDirect && told('Mastra', 0) === '`DIRECT_AGENT_ID`';
    return post(`/api/agents/knowledge${isSecond ? '-direct' : ''}/stream`, {
      messages,
      runtimeContext: { cometchatContext: { sender: { uid: 'ann', role: 'default' } } },
    });
  };
  const untilSent = (times: number) =>
    vi.waitFor(() => expect(delivered).toHaveLength(times), polling);
  return { send, push, open, delivered, untilSent, endChat };
}

const answer = 'Refunds are paid within 30 days.';

describe('the table of docs/attach.md', () => {
  it('has the cells of this test', () => {
    expect([head.slice(1), rows.length]).toEqual([roads, 8]);
    // chat-replicas.test.ts edits pushed questions; no edit reaches the other roads.
    expect(rows[6]?.slice(1)).toEqual(['new text', 'old text', 'old text', 'new text']);
  });

  describe.each(roads)('%s', (road) => {
    it('answers and stays silent as the table says, in the thread of the question', async () => {
      const { send, delivered, untilSent, endChat } = await startServer();
      const cells: (readonly [row: number, Asked])[] = [
        [0, { isDirect: true }],
        [1, { text: `<@uid:knowledge> ${question}` }],
        [1, { text: `@agent ${question}` }],
        [2, { text: `@Knowledge ${question}` }],
        [3, { text: `/knowledge ${question}` }],
        [3, { text: `/agent ${question}` }],
        [4, { text: `<@uid:knowledge> ${question}`, parentId: 77 }],
        [5, {}],
        [5, { text: `the agent of Knowledge knows ${question} /knowledge` }],
      ];
      let sent = 0;
      for (const [row, asked] of cells) {
        const isAnswered = told(road, row) !== 'silent';
        const response = await send(road, asked);
        const body = await response.text();
        const what = `${rows[row]?.[0]}: ${asked.text}`;
        expect(response.status, what).toBe(200);
        if (!isPushed(road)) {
          expect(body.replaceAll(/"[^"]*"delta":"|\\n/g, '').includes(answer), what).toBe(
            isAnswered,
          );
          continue;
        }
        expect(JSON.parse(body), what).toEqual({ status: isAnswered ? 'accepted' : 'ignored' });
        if (!isAnswered) continue;
        await untilSent(++sent);
        const { path, headers, body: out } = delivered.at(-1) as (typeof delivered)[number];
        expect(path).toBe(road === 'bot' ? '/v3/bots/knowledge/messages' : '/v3/messages');
        expect(headers).toMatchObject({ apikey: 'rest-key' });
        expect(headers.onbehalfof).toBe(road === 'bot' ? undefined : 'knowledge');
        expect(out.data.text, what).toContain(answer);
        expect([out.receiver, out.receiverType, out.parentId]).toEqual(
          asked.isDirect ? ['ann', 'user', undefined] : ['support', 'group', asked.parentId],
        );
      }
      await endChat(30_000);
      expect(delivered).toHaveLength(sent);
    });

    it('before the server is ready gets 503, and a late answer if the table says so', async () => {
      const { send, open, untilSent, delivered, endChat } = await startServer({}, false);
      const asked = { id: 'm1', text: `@agent ${question}` };
      const response = await send(road, asked);
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
      expect(told(road, 7)).toBe(isPushed(road) ? '503, later' : '503');
      open();
      if (isPushed(road)) await untilSent(1);
      const again = await send(road, asked);
      if (isPushed(road)) expect(await again.json()).toEqual({ status: 'duplicate' });
      else expect(await again.text()).toContain(answer);
      await endChat(30_000);
      expect(delivered).toHaveLength(isPushed(road) ? 1 : 0);
    });
  });
});

it('a bot answers only messages that the platform sends to it', async () => {
  const { push, delivered, endChat } = await startServer();
  const event = { ...eventOf('bot', { isDirect: true }), bot: 'another-bot' };
  expect(await (await push(event)).json()).toEqual({ status: 'ignored' });
  await endChat(30_000);
  expect(delivered).toEqual([]);
});
