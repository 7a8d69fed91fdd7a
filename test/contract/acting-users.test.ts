/** Which user each entry point believes, and that an answer uses the calls of this user only. */
import { createHmac } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  callsOf,
  clock,
  sumOf,
  tokenOf,
  users,
  withUsers,
  writeCalls,
} from '../support/own-calls.ts';
import { startSite } from '../support/site.ts';
import { whenDone } from '../support/when-done.ts';
import { startService, type TestService } from '../support/workspace.ts';

const files = {
  'default/policy.md':
    '# Call policy\n\n## Missed calls\n\nA missed call is returned within 4 working hours.\n',
};
const [ann, bob] = users as [string, string];
const question =
  '@agent How long did my calls last week take, and what does the policy say about missed calls?';
const sentence = 'A missed call is returned within 4 working hours.';
const minutesOf = (user: string) =>
  `${Math.round(sumOf(callsOf(user, { period: 'last_week' }), 'totalDurationInMinutes') * 100) / 100} minutes`;

const trusted = { 'x-api-key': 'trusted-key' };
const untrusted = { 'x-api-key': 'other-key' };
const tokenText = async (user: string) =>
  ((await tokenOf(user))['authorization'] ?? '').replace('Bearer ', '');

let service: TestService;
beforeAll(async () => {
  const settings = { CALLS_FILE: await writeCalls(), CALLS_TOOLS: 'true', ...withUsers };
  service = await startService(settings, files, { clock });
});

/** Calls of which user an answer shows; the policy must be in each answer. */
function userIn(text: string): string | undefined {
  expect(text).toContain(sentence);
  return [ann, bob].find((user) => text.includes(minutesOf(user)));
}

const ask = async (more: object, headers: Record<string, string>) =>
  service.post('/api/agents/knowledge/generate', { messages: question, ...more }, headers);

async function askAgUi(forwardedProps: object, headers: Record<string, string>): Promise<string> {
  const input = {
    threadId: 't',
    runId: 'r',
    messages: [{ id: '1', role: 'user', content: question }],
    tools: [],
    context: [],
    state: {},
  };
  const response = await service.request('/api/agents/knowledge/ag-ui', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...input, forwardedProps }),
  });
  const events = (await response.text())
    .split('\n')
    .flatMap((line) => (line.startsWith('data:') ? [JSON.parse(line.slice(5))] : []));
  return events
    .flatMap(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? [delta] : []))
    .join('');
}

const sender = (uid: string) => ({ cometchatContext: { sender: { uid } } });

describe('a named user', () => {
  it('is believed from a trusted key, in the header and in the body', async () => {
    expect(userIn((await ask({}, { ...trusted, onBehalfOf: ann })).body.text)).toBe(ann);
    expect(userIn((await ask({ runtimeContext: sender(bob) }, trusted)).body.text)).toBe(bob);
    expect(userIn((await ask({ requestContext: { user: ann } }, trusted)).body.text)).toBe(ann);
    expect(userIn(await askAgUi(sender(bob), trusted))).toBe(bob);
    expect(userIn(await askAgUi({ user: ann }, trusted))).toBe(ann);
    // The header wins, because it is part of the credentials.
    expect(
      userIn(
        (await ask({ runtimeContext: sender(bob) }, { ...trusted, onBehalfOf: ann })).body.text,
      ),
    ).toBe(ann);
  });

  it('has no effect from another key or from a token of another user', async () => {
    expect(
      userIn((await ask({ runtimeContext: sender(ann) }, untrusted)).body.text),
    ).toBeUndefined();
    expect(userIn(await askAgUi(sender(ann), untrusted))).toBeUndefined();
    expect(userIn((await ask({ runtimeContext: sender(bob) }, await tokenOf(ann))).body.text)).toBe(
      ann,
    );
    expect(userIn(await askAgUi({ userToken: await tokenText(bob) }, await tokenOf(ann)))).toBe(
      ann,
    );
    expect((await ask({}, { ...untrusted, onBehalfOf: ann })).body.code).toBe(
      'acting_user_not_allowed',
    );
  });

  it('is believed if a token proves it', async () => {
    expect(userIn(await askAgUi({ userToken: await tokenText(ann) }, untrusted))).toBe(ann);
    expect(
      userIn(
        (await ask({ requestContext: { userToken: await tokenText(bob) } }, untrusted)).body.text,
      ),
    ).toBe(bob);
    const forged = `${(await tokenText(ann)).slice(0, -4)}AAAA`;
    expect((await ask({ requestContext: { userToken: forged } }, untrusted)).body.code).toBe(
      'unauthorized',
    );
  });

  it('is not believed from a caller without a key, even with a token', async () => {
    const prefix = `/k/${'x'.repeat(20)}`;
    const settings = {
      CALLS_FILE: await writeCalls(),
      CALLS_TOOLS: 'true',
      JWT_SECRET: withUsers.JWT_SECRET,
    };
    const { post } = await startService(
      { ...settings, PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'read+calls' },
      files,
      { clock },
    );
    for (const userToken of [await tokenText(ann), 'guessed']) {
      const { status, body } = await post(`${prefix}/api/agents/knowledge/generate`, {
        messages: question,
        requestContext: { userToken },
      });
      expect([status, userIn(body.text)]).toEqual([200, undefined]);
    }
  });
});

it("the sender of a chat webhook is answered from the documents and the sender's own calls", async () => {
  const answers: { receiver: string; data: { text: string } }[] = [];
  const onMessage: RequestListener = async (request, response) => {
    answers.push(JSON.parse(await textOf(request)));
    response.end('{}');
  };
  const site = await startSite({ '/messages': onMessage });
  whenDone(() => site.close());
  const secret = 'a secret of thirty-two bytes, ok!';
  const settings = {
    CALLS_FILE: await writeCalls(),
    CALLS_TOOLS: 'true',
    CHAT_WEBHOOK_SECRET: secret,
    CHAT_CALLBACK_URL: `${site.url}/messages`,
    ALLOWED_URL_HOSTS: new URL(site.url).host,
  };
  const { request } = await startService(settings, files, { clock });
  const send = (from: string) => {
    const message = {
      ...{
        id: from,
        conversationId: `${from}_user_knowledge`,
        sender: from,
        receiver: 'knowledge',
        receiverType: 'user',
      },
      ...{ category: 'message', type: 'text', data: { text: question } },
    };
    const body = JSON.stringify({ trigger: 'message_sent', data: { message } });
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = `v1,${createHmac('sha256', secret).update(`${from}.${timestamp}.${body}`).digest('base64')}`;
    const headers = {
      ...{ 'content-type': 'application/json', 'webhook-id': from, 'webhook-timestamp': timestamp },
      ...{ 'webhook-signature': signature },
    };
    return request('/api/webhooks/chat', { method: 'POST', headers, body });
  };
  for (const user of [ann, bob]) expect((await send(user)).status).toBe(200);
  await expect.poll(() => answers.length, { timeout: 30_000 }).toBe(2);
  for (const { receiver, data } of answers) expect(userIn(data.text)).toBe(receiver);
});
