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

type Service = Awaited<ReturnType<typeof startService>>;
const stateOf = async ({ get }: Service, key = '') =>
  (await get('/api/state', key ? { 'x-api-key': key } : {})).body;

describe('GET /api/state', () => {
  it("returns the counts, the configuration and the caller's rights", async () => {
    const { get, post } = await startService(
      { MAX_BODY_BYTES: '2048', RATE_LIMIT_PER_MINUTE: '7,ask=5' },
      files,
    );
    const { status, body, headers } = await get('/api/state');
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    const { version } = manifest;
    expect(body).toEqual({
      version,
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
    // OpenAPI and MCP have the same version.
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const mcp = await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'initialize', params });
    expect(mcp.body.result.serverInfo).toMatchObject({ version });
    expect((await get('/api/openapi.json')).body.info).toMatchObject({ version });
  });

  it('returns the first mention if one is required', async () => {
    for (const [settings, mention] of [
      [{ AGENT_MENTIONS: '@kb,@agent' }, '@kb'],
      [{ REQUIRE_MENTION: 'false' }, null],
    ] as const)
      expect((await stateOf(await sharedService(settings))).mention).toBe(mention);
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
      const { settings, checklist, ...body } = await stateOf(service, key);
      const caller = { namespaces: named, isAnonymous: false };
      expect(body).toMatchObject({ documents, namespaces, caller });
      expect([settings !== null, checklist !== null]).toEqual([isAdmin, isAdmin]);
    }
  });

  it('has a checklist, which requires a key of a server that others can reach', async () => {
    const PUBLIC_URL = 'https://agent.example.com';
    const stepsOf = async (service: Service, key?: string) =>
      (await stateOf(service, key)).checklist.map(
        ({ id, isDone, isRequired }: any) =>
          `${id}${isDone ? ' done' : ''}${isRequired ? ' required' : ''}`,
      );
    expect(await stepsOf(await sharedService())).toEqual([
      ...['documents required', 'access', 'model done', 'public_url', 'mention', 'question'],
    ]);
    expect(await stepsOf(await sharedService({ PUBLIC_URL }))).toContain('access required');
    const key = 'a-key-of-sixteen-chars';
    const settings = {
      PUBLIC_URL,
      API_KEYS: key,
      DIRECT_AGENT_ID: 'knowledge-direct',
      CHAT_WEBHOOK_SECRET: 'a-secret-of-thirty-two-characters',
      CHAT_CALLBACK_URL: 'https://chat.example.com/send',
    };
    const full = await startService(settings, { 'default/a.md': 'Refunds are paid.' });
    const open = (await stepsOf(full, key)).filter((step: string) => !step.includes(' done'));
    expect(open).toEqual(['question']);
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
    const models = { model: 'model-1', embeddingModel: 'embedding-1' };
    expect(body).toMatchObject({ ...models, calls: 'upstream', hasSampleCalls: false });
    const text = JSON.stringify(body);
    expect(text).not.toMatch(/k3y|internal\.example|s3cret|127\.0\.0\.1/);
    expect(text).not.toContain(service.folder);
  });
});
