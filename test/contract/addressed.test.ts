import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { sharedService } from '../support/workspace.ts';

const files = {
  'default/refunds.md': '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n',
};
const generate = '/api/agents/knowledge/generate';
const chat = '/api/chat/knowledge';
const messages = 'within how many days are full refunds granted?';
const parts = [{ role: 'user', parts: [{ type: 'text', text: messages }] }];

describe('a message without a mention', () => {
  it('gets an empty answer by default, over HTTP and in JavaScript', async () => {
    const { post, loadMastra } = await sharedService({}, files);
    expect((await post(generate, { messages })).body).toMatchObject({
      reason: 'not_mentioned',
      text: '',
    });
    expect((await (await loadMastra()).getAgent('knowledge').generate(messages)).text).toBe('');
  });

  it('is answered over HTTP and in JavaScript if REQUIRE_MENTION=false', async () => {
    const { post, loadMastra } = await sharedService({ REQUIRE_MENTION: 'false' }, files);
    expect((await post(generate, { messages })).body).toMatchObject({ reason: 'answered' });
    expect((await (await loadMastra()).getAgent('knowledge').generate(messages)).text).toContain(
      '30 days',
    );
  });

  it('is answered by a chat endpoint that addresses the agent, even if REQUIRE_MENTION=true', async () => {
    const { request } = await sharedService({ REQUIRE_MENTION: 'true' }, files);
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: parts }),
    };
    expect(await (await request(chat, init)).text()).toContain('30 days');
  });

  it('is answered in a thread that began with an addressed message', async () => {
    const { post } = await sharedService({ API_KEYS: 'k' }, files);
    const headers = { 'x-api-key': 'k', addressed: 'true' };
    const memory = { thread: 't', resource: 'r' };
    await post(generate, { messages, memory }, headers);
    const { body } = await post(
      generate,
      { messages: 'and how is that counted, from purchase or delivery?', memory },
      headers,
    );
    expect(body.toolCalls[0].args.query).toContain('counted');
    expect(body.reason).not.toBe('not_mentioned');
  });
});

describe('the field addressed', () => {
  const settings = { API_KEYS: 'k', JWT_SECRET: 'a-secret-of-thirty-two-characters' };
  const secret = new TextEncoder().encode(settings.JWT_SECRET);
  const token = () =>
    new SignJWT({ sub: 'ann' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('1h')
      .sign(secret);

  it.each([
    ['header', {}, { addressed: 'true' }],
    ['body', { addressed: true }, {}],
  ])('in the %s is trusted if the request has a key', async (_, body, headers) => {
    const { post } = await sharedService(settings, files);
    expect(
      (await post(generate, { messages, ...body }, { 'x-api-key': 'k', ...headers })).body.reason,
    ).toBe('answered');
    const undone = {
      messages: '@agent within how many days are full refunds granted?',
      addressed: false,
    };
    expect((await post(generate, undone, { 'x-api-key': 'k' })).body.reason).toBe('answered');
  });

  it('is ignored if the request has a token or no credential', async () => {
    const { post } = await sharedService(settings, files);
    const headers = { authorization: `Bearer ${await token()}`, addressed: 'true' };
    expect((await post(generate, { messages, addressed: true }, headers)).body.reason).toBe(
      'not_mentioned',
    );
    const open = await sharedService({}, files);
    expect(
      (await open.post(generate, { messages, addressed: true }, { addressed: 'true' })).body.reason,
    ).toBe('not_mentioned');
  });

  it('in the header overrides the body and accepts only true or false', async () => {
    const { post } = await sharedService(settings, files);
    const addressedBody = { messages, addressed: true };
    expect(
      (await post(generate, addressedBody, { 'x-api-key': 'k', addressed: 'FALSE' })).body.reason,
    ).toBe('not_mentioned');
    expect(
      await post(generate, addressedBody, { 'x-api-key': 'k', addressed: 'yes' }),
    ).toMatchObject({ status: 400 });
  });
});

it.each([{ schema: {} }, null, { schema: { type: 'object' } }])(
  'a request for another structured output is rejected: %j',
  async (structuredOutput) => {
    const { post } = await sharedService({}, files);
    const { status, body } = await post(generate, {
      messages: '@agent within how many days are full refunds granted?',
      structuredOutput,
    });
    if (structuredOutput === null) expect(status).toBe(200);
    else
      expect([status, body.code, body.details[0].path]).toEqual([
        400,
        'invalid_request',
        'structuredOutput',
      ]);
  },
);
