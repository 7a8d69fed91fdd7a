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
const publicUrl = { PUBLIC_URL: 'https://agent.example.com' };

type Service = Awaited<ReturnType<typeof startService>>;
const stateOf = async ({ get }: Service, key?: string) =>
  (await get('/api/state', key ? { 'x-api-key': key } : {})).body;

describe('GET /api/state', () => {
  it("returns the counts, the configuration and the caller's rights", async () => {
    const { get } = await startService(
      { MAX_BODY_BYTES: '2048', RATE_LIMIT_PER_MINUTE: '7,ask=5' },
      files,
    );
    const { status, body, headers } = await get('/api/state');
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    expect(body).toEqual({
      version: manifest.version,
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
    ])
      expect(body.settings).toContainEqual({ name, value, isDefault });
  });

  it('has the same version as OpenAPI and MCP', async () => {
    const { get, post } = await sharedService();
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const mcp = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect([
      (await get('/api/openapi.json')).body.info.version,
      mcp.body.result.serverInfo.version,
    ]).toEqual([manifest.version, manifest.version]);
  });

  it('returns the first mention if one is required', async () => {
    const mentioned = await startService({ AGENT_MENTIONS: '@kb,@agent' });
    const open = await startService({ REQUIRE_MENTION: 'false' });
    expect([(await stateOf(mentioned)).mention, (await stateOf(open)).mention]).toEqual([
      '@kb',
      null,
    ]);
  });

  it('tells calls of the operator from the sample', async () => {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line) => void lines.push(line) });
    const service = await startService({ CALLS_FILE: './own-calls.jsonl' }, {}, { logger });
    expect(lines.join('')).toContain('callers without a key can read all calls of CALLS_FILE');
    expect(await stateOf(service)).toMatchObject({ calls: 'embedded', hasSampleCalls: false });
  });

  it("counts only the caller's namespaces; settings and checklist are for admins of all", async () => {
    const API_KEYS = 'all,reader=*:read,own=docs:read+admin,some=hr+docs+none';
    const service = await startService({ API_KEYS }, files);
    for (const [key, documents, namespaces, named, isAdmin] of [
      ['all', 3, 3, null, true],
      ['reader', 3, 3, null, false],
      ['own', 2, 1, ['docs'], false],
      ['some', 3, 2, ['docs', 'hr', 'none'], false],
    ] as const) {
      const body = await stateOf(service, key);
      expect(body).toMatchObject({ documents, namespaces, caller: { isAnonymous: false } });
      expect([body.caller.namespaces, body.settings !== null, body.checklist !== null]).toEqual([
        named,
        isAdmin,
        isAdmin,
      ]);
    }
  });

  describe('the checklist', () => {
    const stepsOf = async (service: Service, key?: string) => {
      const { done = [], open = [] } = Object.groupBy(
        (await stateOf(service, key)).checklist as any[],
        ({ isDone }) => (isDone ? 'done' : 'open'),
      );
      return {
        done: done.map(({ id }) => id),
        open: open.map(({ label, isRequired }) => [label, isRequired]),
      };
    };

    it('ticks the steps that are done', async () => {
      const key = 'a-key-of-sixteen-chars';
      const settings = {
        ...publicUrl,
        API_KEYS: key,
        DIRECT_AGENT_ID: 'knowledge-direct',
        CHAT_WEBHOOK_SECRET: 'a-secret-of-thirty-two-characters',
        CHAT_CALLBACK_URL: 'https://chat.example.com/send',
      };
      const service = await startService(settings, {
        'default/a.md': '# Refunds\n\nRefunds are paid within 30 days.',
      });
      expect(await stepsOf(service, key)).toEqual({
        done: ['documents', 'access', 'model', 'public_url', 'mention', 'webhook'],
        open: [['Ask a question', false]],
      });
      const messages = '@agent Within how many days are refunds paid?';
      await service.generate({ messages }, { 'x-api-key': key });
      await expect.poll(() => stepsOf(service, key)).toMatchObject({ open: [] });
    });

    it('words open steps as orders, and requires a key of a server that others can reach', async () => {
      const may = [
        ['Name the mentions of your chat', false],
        ['Ask a question', false],
      ];
      expect(await stepsOf(await startService())).toEqual({
        done: ['model'],
        open: [
          ['Add documents', true],
          ['Require a key', false],
          ['Set the public address', false],
          ...may,
        ],
      });
      expect((await stepsOf(await startService(publicUrl))).open).toEqual([
        ['Add documents', true],
        ['Require a key', true],
        ...may,
      ]);
    });
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
    const body = await stateOf(service, 'k3y-of-ours');
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
