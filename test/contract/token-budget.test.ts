import { describe, expect, it, vi } from 'vitest';
import { TokenBudget, type TokenCounts } from '../../src/models/token-budget.ts';
import { TokenCountRows } from '../../src/records/token-counts.ts';
import { generated, streamed } from '../support/answer-contract.ts';
import { openStream, serveOnLoopback } from '../support/event-stream.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { handbook, topics } from '../support/staged-handbook.ts';
import { engines } from '../support/state.ts';
import { startService } from '../support/workspace.ts';

const { question } = topics[0]!;
const sentence = 'Full refunds are granted within 30 days of purchase';
const evening = new Date('2026-03-04T23:59:00Z');
/** Tokens per call of the fake provider. */
const perCall = 18;
const asked = { messages: `@agent ${question}`, toolParams: { namespace: 'docs' } };
const open = { API_KEYS: '' };

async function startLimited(LIMITS: string, settings: Record<string, string> = {}) {
  const provider = await startFakeProvider();
  provider.reply(`${sentence}. [1]`);
  const time = { now: evening };
  const model = { LLM_BASE_URL: provider.baseUrl, API_KEYS: 'ann,bob' };
  const service = await startService({ ...model, LIMITS, ...settings }, handbook, {
    clock: () => time.now,
  });
  const ask = (key: string, messages = asked.messages) =>
    service.generate({ ...asked, messages }, { 'x-api-key': key });
  return { provider, service, time, ask };
}

describe('the daily token budget', () => {
  it('returns 429 until midnight without a model call once the shared budget is spent', async () => {
    const { provider, time, ask } = await startLimited(`tokens=${2 * perCall}`);
    for (const key of ['ann', 'bob']) expect((await ask(key)).status).toBe(200);
    const { status, body, headers } = await ask('ann');
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'budget_spent', '60']);
    expect(body.error).not.toMatch(/\d/);
    expect(provider.requests).toHaveLength(2);
    time.now = new Date('2026-03-05T00:00:00Z');
    expect((await ask('ann')).status).toBe(200);
  });

  it('limits one caller while another continues, and no request without a model', async () => {
    const { service, ask } = await startLimited(`callerTokens=${perCall}`);
    expect((await ask('ann')).status).toBe(200);
    expect((await ask('ann')).body.code).toBe('budget_spent');
    expect((await ask('bob')).status).toBe(200);
    expect((await ask('ann', '@agent hello')).status).toBe(200);
    const search = { query: 'refunds', namespace: 'docs' };
    expect((await service.find(search, { 'x-api-key': 'ann' })).status).toBe(200);
  });

  it('falls back to quotes of the documents if answers may be degraded', async () => {
    const { provider, service, ask } = await startLimited('tokens=1', {
      ...open,
      LLM_FALLBACK_MODEL: 'extractive',
    });
    await ask('');
    for (const how of [generated, streamed]) {
      const { body, text } = await how(service, question);
      expect(body).toMatchObject({ reason: 'closest', degraded: true, model: 'extractive' });
      expect(text).toContain(sentence);
    }
    expect(provider.requests).toHaveLength(1);
  });

  it('counts streams and second models', async () => {
    const judge = { ...open, JUDGE_MODEL: 'judge' };
    const { provider, service } = await startLimited(`tokens=${3 * perCall}`, judge);
    provider.reply(({ body }) =>
      body.model === 'judge'
        ? '1: yes'
        : 'Full refunds are granted to customers within 30 days of purchase by bank transfer. [1]',
    );
    expect((await streamed(service, question)).body).toMatchObject({ answered: true });
    expect(provider.requests).toHaveLength(2);
    await streamed(service, question);
    expect((await streamed(service, question)).code).toBe('budget_spent');
  });

  it('counts calls whose reader leaves in the middle', async () => {
    const { provider, service } = await startLimited(`tokens=${20 * perCall}`, open);
    const coming = provider.nextLive();
    const url = `${await serveOnLoopback(service)}/api/agents/knowledge/stream`;
    const stream = await openStream(url, asked);
    const live = await coming;
    live.say(`${sentence}. [1] And more `);
    while ((await stream.nextChunk())?.type !== 'text-delta');
    await stream.leave();
    await live.closed;
    provider.reply(`${sentence}. [1]`);
    await vi.waitFor(
      async () => expect((await generated(service, question)).code).toBe('budget_spent'),
      { timeout: 20_000 },
    );
    // Without reported tokens, a fourth of the characters of the prompt with its passages counts.
    expect(provider.requests.length).toBeLessThan(10);
  });

  it('is not renewed if the clock is set back', async () => {
    const { time, ask } = await startLimited(`tokens=${perCall}`);
    for (const [now, status] of [
      ['2026-03-04T23:59:59Z', 200],
      ['2026-03-05T00:00:01Z', 200],
      ['2026-03-04T23:59:59Z', 429],
      ['2030-01-01T00:00:00Z', 200],
      ['2026-03-05T00:00:01Z', 429],
      ['2026-03-06T00:00:01Z', 200],
    ] as const) {
      time.now = new Date(now);
      expect([now, (await ask('ann')).status]).toEqual([now, status]);
    }
  });
});

const day = '2026-03-04';
const limits = { all: 100, perCaller: 60, visitors: 30 };
const budgetOver = (counts: TokenCounts) => new TokenBudget(limits, counts, () => evening);
const isSpent = async (budget: TokenBudget, callerId: string) =>
  (await budget.spent(callerId)) !== undefined;

describe.each(engines)('tokens in %s', (_, createPlace) => {
  async function setUp(timeoutMs = 5_000, pauseMs = 100) {
    const place = await createPlace();
    const store = place();
    const onWarning = vi.fn();
    const create = (query = place().query) =>
      new TokenCountRows({ query, dialect: store.dialect }, onWarning, { timeoutMs, pauseMs });
    /** What another process reads. */
    const stored = (...keys: string[]) => create().read(day, keys);
    return { store, create, stored, onWarning };
  }

  it('are counted across all processes, and name no caller', async () => {
    const { store, create, stored, onWarning } = await setUp();
    const counts = [create(), create()];
    const [one, other] = counts.map(budgetOver) as [TokenBudget, TokenBudget];
    for (let at = 0; at < 30; at++) (at % 2 === 0 ? one : other).spend('key:ann', 2);
    for (const each of counts) await each.close();
    for (const budget of [one, other, budgetOver(create())]) {
      expect(await isSpent(budget, 'key:ann')).toBe(true);
      expect(await isSpent(budget, 'key:bob')).toBe(false);
    }
    one.spend('key:bob', 40);
    expect(await isSpent(one, 'key:carol')).toBe(true);
    expect(await stored('')).toEqual([100]);
    expect(JSON.stringify(await store.query('SELECT * FROM model_tokens'))).not.toContain('ann');
    expect(onWarning).not.toHaveBeenCalled();
  });

  it('are stored for the newest days', async () => {
    const { store, create } = await setUp();
    const counts = create();
    for (let at = 10; at < 30; at++) {
      counts.add(`2026-03-${at}`, [''], 7);
      await counts.close();
    }
    const rows = await store.query<{ day: string }>('SELECT day FROM model_tokens ORDER BY day');
    expect(rows.map((row) => row.day)).toEqual(
      Array.from({ length: 8 }, (_, at) => `2026-03-${22 + at}`),
    );
  });

  it.each([false, true])('are saved once by a slow store (which fails: %s)', async (fails) => {
    const { store, create, stored } = await setUp(500, 0);
    const { promise: slow, resolve, reject } = Promise.withResolvers<void>();
    let isSlow = true;
    const query: typeof store.query = async (...statement) => {
      if (isSlow && fails) await slow;
      const rows = await store.query<never>(...statement);
      if (isSlow) await slow;
      return rows;
    };
    const counts = create(query);
    const read = () => counts.read(day, ['']);
    counts.add(day, [''], 7);
    expect(await read()).toEqual([7]);
    isSlow = false;
    if (fails) reject(new Error('away'));
    else resolve();
    await slow.catch(() => undefined);
    expect([await read(), await read()]).toEqual([[7], [7]]);
    expect(await stored('')).toEqual([7]);
  });

  it('are counted during an outage of the store, with one warning, and saved afterwards', async () => {
    const { store, create, stored, onWarning } = await setUp(5_000, 0);
    let isAway = true;
    const query: typeof store.query = (...statement) =>
      isAway ? Promise.reject(new Error('away')) : store.query(...statement);
    const counts = create(query);
    for (let at = 0; at < 500; at++) counts.add(day, ['', `caller ${at}`], at);
    expect(await counts.read(day, ['', 'caller 499'])).toEqual([124_750, 499]);
    expect(onWarning).toHaveBeenCalledTimes(1);
    isAway = false;
    for (let at = 0; at < 5; at++) await counts.close();
    expect(await stored('', 'caller 499')).toEqual([124_750, 499]);
  });
});
