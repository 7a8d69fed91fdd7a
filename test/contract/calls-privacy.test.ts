import { describe, expect, it } from 'vitest';
import { startFakeProvider } from '../support/fake-provider.ts';
import {
  callsOf,
  clock,
  sumOf,
  tokenOf,
  trusted,
  users,
  withUsers,
  writeCalls,
} from '../support/own-calls.ts';
import { startService } from '../support/workspace.ts';

const files = {
  'docs/policy.md': '# Call policy\n\nA missed call is returned within 4 working hours.\n',
};
const path = '/api/agents/knowledge/generate';
const bodyOf = (content: string, more = {}) => ({
  messages: [{ role: 'user', content }],
  toolParams: { namespace: 'docs' },
  ...more,
});
const question = '@agent How long did my calls last week take?';
const user = users[0] as string;
const other = users[1] as string;
const minutes = String(sumOf(callsOf(user, { period: 'last_week' }), 'totalDurationInMinutes'));

const start = async (settings: Record<string, string> = {}) =>
  startService(
    { CALLS_FILE: await writeCalls(), CALLS_TOOLS: 'true', ...withUsers, ...settings },
    files,
    { clock },
  );

describe('an answer about calls', () => {
  it('can be read later only by its caller, not by others in the namespace', async () => {
    const { post, get } = await start();
    const { body } = await post(path, bodyOf(question), await tokenOf(user));
    expect(body.text).toContain(minutes);
    expect((await get(`/api/answers/${body.runId}`, await tokenOf(user))).body.answer.text).toBe(
      body.text,
    );
    for (const headers of [await tokenOf(other), { 'x-api-key': 'other-key' }, trusted(other)]) {
      expect(await get(`/api/answers/${body.runId}`, headers)).toMatchObject({
        status: 404,
        body: { code: 'answer_not_found' },
      });
      expect(
        (await post(`/api/answers/${body.runId}/feedback`, { rating: 'up' }, headers)).status,
      ).toBe(404);
    }
    const aboutDocuments = (
      await post(path, bodyOf('@agent when is a missed call returned?'), await tokenOf(user))
    ).body;
    expect((await get(`/api/answers/${aboutDocuments.runId}`, await tokenOf(other))).status).toBe(
      200,
    );
  });

  it('is remembered only for its user, even if one key serves several users', async () => {
    const provider = await startFakeProvider();
    const { post } = await start({ LLM_BASE_URL: provider.baseUrl });
    const inThread = { memory: { thread: 'main', resource: 'chat' } };
    provider.reply('NO_ANSWER');
    await post(path, bodyOf('@agent I think of 4711 calls', inThread), trusted(user));
    await post(path, bodyOf('@agent and what of my missed calls?', inThread), trusted(user));
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain('4711');
    await post(path, bodyOf('@agent and what of my missed calls?', inThread), trusted(other));
    expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain('4711');
    await post(path, bodyOf('@agent and what of my missed calls?', inThread), {
      'x-api-key': 'trusted-key',
    });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain('4711');
  });
});
