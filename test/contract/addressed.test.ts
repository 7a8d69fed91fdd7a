import { expect, it } from 'vitest';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { sharedService } from '../support/workspace.ts';

const files = {
  'default/refunds.md': '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n',
};
const path = '/api/agents/knowledge/generate';
const messages = 'what about refunds?';

it('a message without a mention is answered over HTTP and in JavaScript if REQUIRE_MENTION=false', async () => {
  const { post, loadMastra } = await sharedService({ REQUIRE_MENTION: 'false' }, files);
  expect((await post(path, { messages })).body.reason).toBe('answered');
  const { text } = await (await loadMastra()).getAgent('knowledge').generate(messages);
  expect(text).toContain('30 days');
});

const key = { 'x-api-key': 'k' };
const mentioned = `@agent ${messages}`;

/** The header overrides the body, and both are trusted only with a key. */
it.each<[string, object, Record<string, string>, string]>([
  ['a key', {}, { ...key, addressed: 'true' }, 'answered'],
  ['a key', { addressed: true }, key, 'answered'],
  ['a key', { messages: mentioned, addressed: false }, key, 'answered'],
  ['a key', { addressed: true }, { ...key, addressed: 'FALSE' }, 'not_mentioned'],
  ['a key', { addressed: true }, { ...key, addressed: 'yes' }, 'invalid_request'],
  ['a token', { addressed: true }, { addressed: 'true' }, 'not_mentioned'],
  ['no credential', { addressed: true }, { addressed: 'true' }, 'not_mentioned'],
])('addressed with %s: the body %j and the headers %j give %s', async (by, body, sent, wanted) => {
  const settings = by === 'no credential' ? {} : { API_KEYS: 'k', JWT_SECRET: jwtSecret };
  const { post } = await sharedService(settings, files);
  const headers = by === 'a token' ? { ...(await bearerOf({ sub: 'ann' })), ...sent } : sent;
  const answer = (await post(path, { messages, ...body }, headers)).body;
  expect(answer.code ?? answer.reason).toBe(wanted);
});
