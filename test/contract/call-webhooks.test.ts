import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createCallLog } from '../../src/calls/call-log.ts';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { ended, initiated, occupant } from '../support/call-events.ts';
import { eventsIn } from '../support/state.ts';
import { startService, temporaryFolder } from '../support/workspace.ts';

const path = '/v3/webhooks/calls';
const credentials = { user: 'hook', password: 'correct:horse' };
const basic = (text: string) => ({
  authorization: `Basic ${Buffer.from(text).toString('base64')}`,
});
const right = basic('hook:correct:horse');

async function start({
  settings = {},
  isSet = true,
}: {
  settings?: Record<string, string>;
  isSet?: boolean;
} = {}) {
  const { api, logger } = await startService();
  const folder = await temporaryFolder();
  const journal = join(folder, 'state');
  const log = createCallLog({ file: join(folder, 'calls.jsonl'), journal: eventsIn(journal) });
  await log.open();
  onTestFinished(() => log.close());
  const config = parseConfig({ RATE_LIMIT_PER_MINUTE: '0', API_KEYS: 'service-key', ...settings });
  const callsWebhook = isSet ? credentials : config.callsWebhook;
  const app = createApp({ ...config, callsWebhook }, { ...api, applyCallEvent: log.apply }, logger);
  const send = async (body: unknown, headers: Record<string, string> = right) => {
    const response = await app.request(path, {
      method: 'POST',
      headers,
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    return {
      status: response.status,
      body: (await response.json()) as any,
      headers: response.headers,
    };
  };
  return { send, log, journal, app };
}

describe('200', () => {
  it('adds an event to the list and to the disk at once', async () => {
    const { send, log, journal } = await start();
    expect(await send(initiated({ at: 1_700_000_000 }))).toMatchObject({
      status: 200,
      body: { data: { status: 'applied' } },
    });
    expect((await log.list({ status: 'initiated' })).data).toMatchObject([
      { sessionId: 's1', initiator: 'ann', receiver: 'bob' },
    ]);
    expect(await eventsIn(journal).news()).toMatchObject([expect.stringContaining('"s1"')]);
    const endEvent = ended('call', 1_700_000_005, 1_700_000_065, [
      occupant('ann A.', 1_700_000_005, 1_700_000_065),
    ]);
    expect((await send(endEvent)).body).toEqual({ data: { status: 'applied' } });
    expect((await send(endEvent)).body).toEqual({ data: { status: 'unchanged' } });
    expect(await log.get('s1')).toMatchObject({ status: 'ended', totalDurationInMinutes: 1 });
  });

  it.each([[{ trigger: 'message_sent', data: { message: {} } }], [{}], [[]], ['"text"'], ['null']])(
    'acknowledges other events: %j',
    async (body) => {
      const { send } = await start();
      expect(await send(body)).toMatchObject({
        status: 200,
        body: { data: { status: 'ignored' } },
      });
    },
  );
});

describe('400', () => {
  it('rejects a body that is not JSON', async () => {
    const { send } = await start();
    expect(await send('{"trigger"')).toMatchObject({
      status: 400,
      body: { error: { code: 'ERR_BAD_REQUEST' } },
    });
  });
});

describe('401', () => {
  it.each([
    ['no credentials', {}],
    ['a wrong password', basic('hook:wrong')],
    ['a wrong user', basic('other:correct:horse')],
    ['a part of the password', basic('hook:correct:')],
    ['empty credentials', basic('')],
    ['invalid Base64', { authorization: 'Basic ***' }],
    ["the service's own key", { authorization: 'Bearer service-key' }],
    ["the service's own key in its header", { 'x-api-key': 'service-key' }],
  ])('rejects %s', async (_what, headers) => {
    const { send, log } = await start();
    const refused = await send(initiated({ at: 1_700_000_000 }), headers as Record<string, string>);
    expect(refused).toMatchObject({ status: 401, body: { error: { code: 'AUTH_ERR_NO_ACCESS' } } });
    expect(refused.headers.get('www-authenticate')).toMatch(/^Basic /);
    expect(log.status().calls).toBe(0);
  });
});

describe('403', () => {
  it.each([[right], [basic(':')], [basic('undefined:undefined')], [{}]])(
    'rejects every request if no credentials are set: %j',
    async (headers) => {
      const { send, log } = await start({ isSet: false });
      expect(
        await send(initiated({ at: 1_700_000_000 }), headers as Record<string, string>),
      ).toMatchObject({
        status: 403,
        body: { error: { code: 'AUTH_ERR_NO_ACCESS' } },
      });
      expect(log.status().calls).toBe(0);
    },
  );
});

describe('413', () => {
  it('rejects a body that is larger than an event can be', async () => {
    const { send } = await start({ settings: { MAX_BODY_BYTES: '10000000' } });
    expect(await send(JSON.stringify('x'.repeat(1_100_000)))).toMatchObject({
      status: 413,
      body: { error: { code: 'ERR_BAD_REQUEST' } },
    });
  });
});

describe('500', () => {
  it('does not acknowledge an event that was not stored', async () => {
    const { api, logger } = await startService();
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'taken'), '');
    const log = createCallLog({
      file: join(folder, 'calls.jsonl'),
      journal: eventsIn(join(folder, 'taken')),
    });
    const app = createApp(
      { ...parseConfig({}), callsWebhook: credentials },
      { ...api, applyCallEvent: log.apply },
      logger,
    );
    const response = await app.request(path, {
      method: 'POST',
      headers: right,
      body: JSON.stringify(initiated({ at: 1_700_000_000 })),
    });
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: { code: 'ERR_INTERNAL', message: 'The event could not be stored. Send it again.' } },
    ]);
  });
});
