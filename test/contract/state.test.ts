import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { createLogger } from '../../src/log.ts';
import { startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { sharedService, startService } from '../support/workspace.ts';

const files = {
  'docs/a.md': '# A\n\nText.',
  'docs/b.md': '# B\n\nText.',
  'hr/c.md': '# C\n\nText.',
};

describe('GET /api/state', () => {
  it("returns the counts, the configuration and the caller's rights", async () => {
    const { get } = await startService(
      { MAX_BODY_BYTES: '2048', RATE_LIMIT_PER_MINUTE: '7,ask=5' },
      files,
    );
    const { status, body, headers } = await get('/api/state');
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(body).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      model: 'extractive',
      embeddingModel: null,
      documents: 3,
      chunks: 3,
      namespaces: 3,
      mention: '@agent',
      agents: [
        { id: 'knowledge', requiresMention: true, mentions: ['@agent', '<@uid:knowledge>'] },
      ],
      mirror: null,
      calls: 'embedded',
      hasSampleCalls: true,
      limits: {
        maxBodyBytes: 2048,
        maxSourceBytes: 20 * 1024 * 1024,
        maxUploadBytes: 200 * 1024 * 1024,
        maxUploadFiles: 100,
        maxSources: 100,
        rateLimitPerMinute: 7,
        askLimitPerMinute: 5,
        searchLimitPerMinute: null,
        ingestLimitPerMinute: null,
      },
      caller: { namespaces: null, rights: ['read', 'write', 'calls', 'admin'], isAnonymous: true },
      settings: expect.any(Array),
      checklist: expect.any(Array),
    });
    for (const [name, value, isDefault] of [
      ['MAX_BODY_BYTES', '2048', false],
      ['SHUTDOWN_SECONDS', '30', true],
      ['KNOWLEDGE_DIR', null, false],
      ['API_KEYS', null, true],
      ['AGENT_MENTIONS', '@agent', true],
    ])
      expect(body.settings).toContainEqual({ name, value, isDefault });
  });

  it('returns the version of package.json, like OpenAPI and MCP', async () => {
    const { get, post } = await sharedService();
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const mcp = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect([
      (await get('/api/state')).body.version,
      (await get('/api/openapi.json')).body.info.version,
      mcp.body.result.serverInfo.version,
    ]).toEqual(Array(3).fill(manifest.version));
  });

  it('returns the first mention if one is required', async () => {
    const { get } = await startService({ AGENT_MENTIONS: '@kb,@agent' }, files);
    expect((await get('/api/state')).body.mention).toBe('@kb');
    const open = await startService({ REQUIRE_MENTION: 'false' }, files);
    expect((await open.get('/api/state')).body.mention).toBeNull();
  });

  it('tells calls of the operator from the sample', async () => {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line) => void lines.push(line) });
    const { get } = await startService({ CALLS_FILE: './own-calls.jsonl' }, {}, { logger });
    expect(lines.join('')).toContain('callers without a key can read all calls of CALLS_FILE');
    expect((await get('/api/state')).body).toMatchObject({
      calls: 'embedded',
      hasSampleCalls: false,
    });
    const { status, headers } = await get('/v3/calls', { apikey: 'any' });
    expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  });

  it("counts only the caller's namespaces, and requires credentials if there are any", async () => {
    const { get } = await startService({ API_KEYS: 'all,own=hr+docs+none' }, files);
    expect((await get('/api/state')).status).toBe(401);
    expect((await get('/api/state', { 'x-api-key': 'own' })).body).toMatchObject({
      documents: 3,
      namespaces: 2,
      caller: { namespaces: ['docs', 'hr', 'none'], rights: ['read', 'write'], isAnonymous: false },
    });
    expect((await get('/api/state', { 'x-api-key': 'all' })).body).toMatchObject({
      namespaces: 3,
      mention: '@agent',
      caller: { namespaces: null, rights: ['read', 'write', 'calls', 'admin'], isAnonymous: false },
    });
  });

  it('returns settings and the checklist only to callers with the right admin in all namespaces', async () => {
    const { get } = await startService(
      { API_KEYS: 'all,reader=*:read,own=docs:read+admin' },
      files,
    );
    const fieldsOf = async (key: string) => {
      const { settings, checklist } = (await get('/api/state', { 'x-api-key': key })).body;
      return [settings !== null, checklist !== null];
    };
    expect(await Promise.all(['all', 'reader', 'own'].map(fieldsOf))).toEqual([
      [true, true],
      [false, false],
      [false, false],
    ]);
  });

  it('ticks the steps of the checklist that are done', async () => {
    const bare = await startService();
    const doneSteps = async ({ get }: Pick<typeof bare, 'get'>, headers = {}) =>
      (await get('/api/state', headers)).body.checklist
        .filter(({ isDone }: { isDone: boolean }) => isDone)
        .map(({ id }: { id: string }) => id);
    expect(await doneSteps(bare)).toEqual(['model']);
    const settings = {
      API_KEYS: 'a-key-of-sixteen-chars',
      PUBLIC_URL: 'https://agent.example.com',
      DIRECT_AGENT_ID: 'knowledge-direct',
      CHAT_WEBHOOK_SECRET: 'a-secret-of-thirty-two-characters',
      CHAT_CALLBACK_URL: 'https://chat.example.com/send',
    };
    const full = await startService(settings, {
      'default/a.md': '# Refunds\n\nRefunds are paid within 30 days.',
    });
    const key = { 'x-api-key': settings.API_KEYS };
    expect(await doneSteps(full, key)).toEqual([
      'documents',
      'access',
      'model',
      'public_url',
      'mention',
      'webhook',
    ]);
    await full.generate({ messages: '@agent Within how many days are refunds paid?' }, key);
    await expect.poll(() => doneSteps(full, key)).toContain('question');
  });

  it('words open steps as orders, and requires a key of a server that others can reach', async () => {
    const open = async (settings: Record<string, string>) => {
      const { get } = await startService(settings);
      const { checklist } = (await get('/api/state')).body;
      return checklist
        .filter(({ isDone }: { isDone: boolean }) => !isDone)
        .map(({ label, isRequired }: any) => [label, isRequired]);
    };
    const may = [
      ['Name the mentions of your chat', false],
      ['Ask a question', false],
    ];
    expect(await open({})).toEqual([
      ['Add documents', true],
      ['Require a key', false],
      ['Set the public address', false],
      ...may,
    ]);
    expect(await open({ PUBLIC_URL: 'https://agent.example.com' })).toEqual([
      ['Add documents', true],
      ['Require a key', true],
      ...may,
    ]);
  });

  it('names the models and the source of calls, but no secrets', async () => {
    const provider = await startFakeEmbeddings();
    const service = await startService({
      API_KEYS: 'k3y-of-ours',
      LLM_API_KEY: 'k3y-of-the-model',
      LLM_BASE_URL: provider.baseUrl,
      LLM_MODEL: 'model-1',
      EMBEDDING_MODEL: 'embedding-1',
      JUDGE_MODEL: 'judge-1',
      JUDGE_BASE_URL: 'https://judge.internal.example/v1',
      JUDGE_API_KEY: 'k3y-of-the-judge',
      ANSWER_STYLE: 'as a s3cret pirate',
      CALLS_BASE_URL: 'https://calls.internal.example',
      CALLS_API_KEY: 'k3y-of-calls',
      ALLOWED_FILE_ROOTS: '/srv/s3cret',
    });
    const { body } = await service.get('/api/state', { 'x-api-key': 'k3y-of-ours' });
    expect(body).toMatchObject({
      model: 'model-1',
      embeddingModel: 'embedding-1',
      calls: 'upstream',
      hasSampleCalls: false,
    });
    expect(JSON.stringify(body)).not.toMatch(/k3y|internal\.example|s3cret|127\.0\.0\.1/);
    expect(JSON.stringify(body)).not.toContain(service.folder);
  });
});
