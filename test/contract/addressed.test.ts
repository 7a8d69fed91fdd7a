import { describe, expect, it } from 'vitest';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { sharedService } from '../support/workspace.ts';

const files = {
  'default/refunds.md': '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n',
};
const generate = '/api/agents/knowledge/generate';
const messages = 'what about refunds?';

describe('a message without a mention', () => {
  it('is answered over HTTP and in JavaScript if REQUIRE_MENTION=false', async () => {
    const { post, loadMastra } = await sharedService({ REQUIRE_MENTION: 'false' }, files);
    expect((await post(generate, { messages })).body).toMatchObject({ reason: 'answered' });
    expect((await (await loadMastra()).getAgent('knowledge').generate(messages)).text).toContain(
      '30 days',
    );
  });
});

describe('the field addressed', () => {
  const settings = { API_KEYS: 'k', JWT_SECRET: jwtSecret };

  it.each([
    ['header', {}, { addressed: 'true' }],
    ['body', { addressed: true }, {}],
  ])('in the %s is trusted if the request has a key', async (_, body, headers) => {
    const { post } = await sharedService(settings, files);
    expect(
      (await post(generate, { messages, ...body }, { 'x-api-key': 'k', ...headers })).body.reason,
    ).toBe('answered');
    const undone = {
      messages: '@agent what about refunds?',
      addressed: false,
    };
    expect((await post(generate, undone, { 'x-api-key': 'k' })).body.reason).toBe('answered');
  });

  it('is ignored if the request has a token or no credential', async () => {
    const { post } = await sharedService(settings, files);
    const headers = { ...(await bearerOf({ sub: 'ann' })), addressed: 'true' };
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
