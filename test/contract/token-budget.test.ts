import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createTokenBudget, createTokenFile, type TokenCounts } from '../../src/app/ask/token-budget.ts';
import { createDatabase } from '../../src/postgres/database.ts';
import { migrate } from '../../src/postgres/migrations.ts';
import { createPostgresTokens } from '../../src/postgres/token-counts.ts';
import { generated, streamed } from '../support/answer-contract.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { handbook, topics } from '../support/staged-handbook.ts';
import { startService, temporaryFolder } from '../support/workspace.ts';

const { question } = topics[0]!;
const sentence = 'Full refunds are granted within 30 days of purchase';
const evening = new Date('2026-03-04T23:59:00Z');
/** Of each call of the fake provider. */
const perCall = 18;
const path = '/api/agents/knowledge/generate';
const asked = { messages: `@agent ${question}`, toolParams: { namespace: 'docs' } };

async function startLimited(settings: Record<string, string>) {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.reply(`${sentence}. [1]`);
  const time = { now: evening };
  const service = await startService(
    { LLM_BASE_URL: provider.baseUrl, LLM_API_KEY: 'sk-server-secret', API_KEYS: 'ann,bob', ...settings },
    handbook,
    { clock: () => time.now },
  );
  const ask = (key: string) => service.post(path, asked, { 'x-api-key': key });
  return { provider, service, time, ask };
}

describe('a day of tokens', () => {
  it('of all callers: what is over it is 429 until midnight, and asks no model', async () => {
    const { provider, time, ask } = await startLimited({ LIMITS: `tokens=${2 * perCall}` });
    for (const key of ['ann', 'bob']) expect((await ask(key)).status).toBe(200);
    const { status, body, headers } = await ask('ann');
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'budget_spent', '60']);
    expect(body.error).not.toMatch(/\d/);
    expect(provider.requests).toHaveLength(2);
    time.now = new Date('2026-03-05T00:00:00Z');
    expect((await ask('ann')).status).toBe(200);
  });

  it('of a caller: the other one goes on', async () => {
    const { ask } = await startLimited({ LIMITS: `callerTokens=${perCall}` });
    expect((await ask('ann')).status).toBe(200);
    expect((await ask('ann')).body.code).toBe('budget_spent');
    expect((await ask('bob')).status).toBe(200);
  });

  it('does not keep anybody from what needs no model', async () => {
    const { service, ask } = await startLimited({ LIMITS: 'tokens=1' });
    await ask('ann');
    const headers = { 'x-api-key': 'ann' };
    for (const messages of ['@agent hello', '@agent who won the world cup in 1998?'])
      expect((await service.post(path, { ...asked, messages }, headers)).status).toBe(200);
    expect((await service.post('/api/tools/searchDocs', { query: 'refunds', namespace: 'docs' }, headers)).status).toBe(200);
  });

  it('spent, where answers may be degraded: sentences of the documents answer', async () => {
    const { provider, service, ask } = await startLimited({ LIMITS: 'tokens=1', LLM_FALLBACK_MODEL: 'extractive', API_KEYS: '' });
    await ask('');
    for (const how of [generated, streamed]) {
      const { body, text } = await how(service, question);
      expect(body).toMatchObject({ answered: true, degraded: true, model: 'extractive' });
      expect(text).toContain(sentence);
    }
    expect(provider.requests).toHaveLength(1);
  });

  it('counts streams and second models', async () => {
    const { provider, service } = await startLimited({ LIMITS: `tokens=${3 * perCall}`, API_KEYS: '', JUDGE_MODEL: 'judge' });
    provider.reply(({ body }) =>
      body.model === 'judge' ? '1: yes' : 'Full refunds are granted to customers within 30 days of purchase by bank transfer. [1]',
    );
    expect((await streamed(service, question)).body).toMatchObject({ answered: true });
    expect(provider.requests).toHaveLength(2);
    expect((await streamed(service, question)).body).toBeDefined();
    expect((await streamed(service, question)).code).toBe('budget_spent');
  });

  it.each([
    ['before a word was said', ''],
    ['in the middle', `${sentence}. [1] And more `],
  ])('counts who leaves %s', async (_, said) => {
    const { provider, service } = await startLimited({ LIMITS: `tokens=${20 * perCall}`, API_KEYS: '' });
    const coming = provider.nextLive();
    const headers = { 'content-type': 'application/json' };
    const response = await service.request('/api/agents/knowledge/stream', { method: 'POST', headers, body: JSON.stringify(asked) });
    const live = await coming;
    if (said !== '') live.say(said);
    const reader = response.body!.getReader();
    for (let read = ''; said !== '' && !read.includes('"text-delta"'); ) read += Buffer.from((await reader.read()).value ?? []).toString();
    await reader.cancel();
    await live.closed;
    provider.reply(`${sentence}. [1]`);
    await vi.waitFor(async () => expect((await generated(service, question)).code).toBe('budget_spent'), { timeout: 20_000 });
    // Told by nobody: a fourth of the characters of the prompt, which has passages.
    expect(provider.requests.length).toBeLessThan(10);
  });

  it('a clock that is put back gives no day twice', async () => {
    const { time, ask } = await startLimited({ LIMITS: `tokens=${perCall}` });
    const at = async (now: string) => {
      time.now = new Date(now);
      return (await ask('ann')).status;
    };
    expect(await at('2026-03-04T23:59:59Z')).toBe(200);
    expect(await at('2026-03-05T00:00:01Z')).toBe(200);
    expect(await at('2026-03-04T23:59:59Z')).toBe(429);
    expect(await at('2030-01-01T00:00:00Z')).toBe(200);
    expect(await at('2026-03-05T00:00:01Z')).toBe(429);
    expect(await at('2026-03-06T00:00:01Z')).toBe(200);
  });
});

const limits = { all: 100, perCaller: 60 };
const budgetOver = (counts: TokenCounts) => createTokenBudget(limits, counts, () => evening)!;
const isSpent = async (budget: ReturnType<typeof budgetOver>, callerId: string) => (await budget.spent(callerId)) !== undefined;

describe('in a file', () => {
  const fileIn = async () => join(await temporaryFolder(), 'index', 'model-tokens.json');

  it('outlives the process, and names nobody', async () => {
    const file = await fileIn();
    const onWarning = vi.fn();
    const first = budgetOver(createTokenFile({ path: file, onWarning }));
    await first.open();
    first.spend('key:ann', 60);
    await first.close();
    expect(await readFile(file, 'utf8')).not.toContain('ann');
    const second = budgetOver(createTokenFile({ path: file, onWarning, writeEveryMs: 1 }));
    await second.open();
    expect([await isSpent(second, 'key:ann'), await isSpent(second, 'key:bob')]).toEqual([true, false]);
    second.spend('key:bob', 40);
    expect(await isSpent(second, 'key:carol')).toBe(true);
    await vi.waitFor(async () => expect(await readFile(file, 'utf8')).toContain('100'), { timeout: 20_000 });
    expect(onWarning).not.toHaveBeenCalled();
    await second.close();
  });

  it.each(['', '{', '[["2026-03-04",[["",-5]]]]', '[["yesterday",[]]]', '\0\0\0'])(
    'that cannot be read (%j) begins anew, with a warning',
    async (text) => {
      const file = join(await temporaryFolder(), 'model-tokens.json');
      await writeFile(file, text);
      const onWarning = vi.fn();
      const budget = budgetOver(createTokenFile({ path: file, onWarning }));
      await budget.open();
      expect(onWarning).toHaveBeenCalledTimes(1);
      expect(await isSpent(budget, 'key:ann')).toBe(false);
    },
  );

  it('that cannot be written is told of once, and counted all the same', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'index'), 'a file');
    const onWarning = vi.fn();
    const budget = budgetOver(createTokenFile({ path: join(folder, 'index', 'model-tokens.json'), onWarning, writeEveryMs: 1 }));
    await budget.open();
    onWarning.mockClear();
    budget.spend('key:ann', 60);
    await vi.waitFor(() => expect(onWarning).toHaveBeenCalledTimes(1), { timeout: 20_000 });
    budget.spend('key:ann', 60);
    await budget.close();
    expect(onWarning).toHaveBeenCalledTimes(1);
    expect(await isSpent(budget, 'key:ann')).toBe(true);
  });

  it('that was not read is not written', async () => {
    const file = join(await temporaryFolder(), 'model-tokens.json');
    await writeFile(file, '[["2026-03-04",[["",99]]]]');
    const beside = budgetOver(createTokenFile({ path: file, onWarning: vi.fn() }));
    beside.spend('key:ann', 1);
    await beside.close();
    expect(await readFile(file, 'utf8')).toBe('[["2026-03-04",[["",99]]]]');
  });

  it('keeps the newest days, and of too many callers those who used most', async () => {
    const file = await fileIn();
    const counts = createTokenFile({ path: file, onWarning: vi.fn() });
    await counts.open();
    for (let day = 10; day < 30; day++) counts.add(`2026-03-${day}`, [''], 7);
    for (let at = 0; at < 30_000; at++) counts.add('2026-03-29', ['', `caller ${at}`], at === 0 ? 50 : 1);
    await counts.close();
    const days = JSON.parse(await readFile(file, 'utf8')) as [string, [string, number][]][];
    expect(days.map(([day]) => day).sort()).toEqual(Array.from({ length: 8 }, (_, at) => `2026-03-${22 + at}`));
    expect(days.find(([day]) => day === '2026-03-29')?.[1].length).toBeLessThanOrEqual(20_000);
    expect(await counts.read('2026-03-29', ['', 'caller 0'])).toEqual([30_056, 50]);
  });
});

describe('in a database', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  function openDatabase(url: string) {
    const database = createDatabase({ url, timeoutMs: 5_000 });
    onTestFinished(() => database.close());
    return database;
  }
  async function servers(count: number, pauseMs = 100) {
    const url = await postgres.newDatabase();
    await migrate(openDatabase(url));
    const onWarning = vi.fn();
    const made = Array.from({ length: count }, () =>
      createPostgresTokens({ database: openDatabase(url), onWarning, timeoutMs: 5_000, pauseMs }),
    );
    return { made, url, onWarning };
  }

  it('is one count over all servers', async () => {
    const { made, onWarning } = await servers(2);
    const [one, other] = made.map(budgetOver);
    for (let at = 0; at < 30; at++) (at % 2 === 0 ? one : other)!.spend('key:ann', 2);
    for (const counts of made) await counts.close();
    for (const budget of [one!, other!])
      expect([await isSpent(budget, 'key:ann'), await isSpent(budget, 'key:bob')]).toEqual([true, false]);
    expect(await made[0]!.read('2026-03-04', [''])).toEqual([60]);
    expect(onWarning).not.toHaveBeenCalled();
  });

  it('that is away keeps nobody waiting; what was counted meanwhile is written when it is back', async () => {
    const { made, onWarning } = await servers(2);
    const [first, second] = made as [TokenCounts, TokenCounts];
    first.add('2026-03-04', ['', 'ann'], 10);
    expect(await first.read('2026-03-04', ['', 'ann'])).toEqual([10, 10]);
    await postgres.kill();
    first.add('2026-03-04', ['', 'ann'], 5);
    expect(await first.read('2026-03-04', ['', 'ann'])).toEqual([15, 15]);
    expect(onWarning).toHaveBeenCalledTimes(1);
    await postgres.start();
    await vi.waitFor(
      async () => {
        await first.close();
        expect(await second.read('2026-03-04', ['', 'ann'])).toEqual([15, 15]);
      },
      { timeout: 60_000, interval: 200 },
    );
  });

  it('keeps the newest days', async () => {
    const { made, url } = await servers(1);
    for (let day = 10; day < 30; day++) {
      made[0]!.add(`2026-03-${day}`, [''], 7);
      await made[0]!.close();
    }
    const rows = await openDatabase(url).query<{ day: string }>('SELECT day FROM model_tokens ORDER BY day');
    expect(rows.map(({ day }) => day)).toEqual(Array.from({ length: 8 }, (_, at) => `2026-03-${22 + at}`));
  });

  it('of a whole service', async () => {
    const { url } = await servers(0);
    const { ask, service } = await startLimited({ LIMITS: 'tokens=1', DATABASE_URL: url });
    expect((await ask('ann')).status).toBe(200);
    expect((await ask('bob')).body.code).toBe('budget_spent');
    await service.close();
  });
});
