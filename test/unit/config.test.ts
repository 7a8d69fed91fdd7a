import { describe, expect, it } from 'vitest';
import { envExample } from '../../scripts/settings.ts';
import { settings } from '../../src/config/settings.ts';
import { ConfigError, parseConfig, takesChatWebhooks } from '../../src/config.ts';
import { listed } from '../support/listed.ts';
import { read } from '../support/repository.ts';

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    parseConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
};

const main = { LLM_API_KEY: 'k', LLM_BASE_URL: 'https://one.example/v1' };
const two = 'https://two.example/v1';

describe('parseConfig', () => {
  it('accepts extra parameters of calls by name, but no credentials', () => {
    const base = { CALLS_BASE_URL: 'https://calls.example/v3' };
    const { callsExtraParameters } = parseConfig({
      ...base,
      CALLS_EXTRA_PARAMETERS: 'region, since',
    });
    expect(callsExtraParameters).toEqual(['region', 'since']);
    for (const name of ['apikey', 'onBehalfOf', 'a b'])
      expect(problemsOf({ ...base, CALLS_EXTRA_PARAMETERS: name }).join()).toMatch(
        /^CALLS_EXTRA_PARAMETERS: .*name of a query parameter/,
      );
  });

  it.each([
    ...listed(`
      k=docs:reed | k=docs: | k=docs:read:write | k=*:all
      k=*+docs:read | k=* | k=docs+../x | =docs | k=do/cs | k=docs;read | k=docs:read=
      k,k=docs | ,
    `),
    // A comma splits the list, or namespaces are missing: the rest would be an unlimited key that
    // is easy to guess.
    ...listed(`
      k=docs:read,write | k=docs,hr:read | k:read | read+write | k=*:read,admin+calls | x:read=docs
    `),
  ])('rejects a key with an invalid limit: %s', (entry) => {
    expect(problemsOf({ API_KEYS: entry }).join()).toMatch(/^API_KEYS: /);
  });

  it('listens on loopback and needs no key and no model by default', () => {
    const rateLimitPerMinute = { caller: 120 };
    const defaults = {
      host: '127.0.0.1',
      indexDir: '.data/index',
      llm: undefined,
      rateLimitPerMinute,
    };
    expect(parseConfig({})).toMatchObject(defaults);
  });

  it('takes hosts, origins and a hand-off text with a link', () => {
    expect(
      problemsOf({
        ALLOWED_URL_HOSTS: 'docs.example.com,*.example.org,127.0.0.1:80,[::1]:9000,localhost',
        ALLOWED_HOSTS: 'docs.example.com',
        CORS_ORIGINS: 'https://a.example,http://localhost:3000',
        HANDOFF_TEXT: 'Write to [us](https://help.example).',
      }),
    ).toEqual([]);
  });

  it('treats an empty value as unset', () => {
    expect(parseConfig({ PORT: '', LLM_API_KEY: ' ', API_KEYS: '' })).toEqual(parseConfig({}));
  });

  it('reports every problem at once, without secrets', () => {
    const problems = problemsOf({
      PORT: 'x',
      MAX_BODY_BYTES: '-1',
      LLM_BASE_URL: 'ftp://secret',
      ALLOW_ANONYMOUS: 'maybe',
      LOG_LEVEL: 'loud',
      ALLOWED_NAMESPACES: 'a,..',
      API_KEYS: 'secret=Bad Name',
      JWT_ISSUER: 'x',
      HOST: '0.0.0.0',
    });
    const named = problems.map((line) => line.split(':')[0]);
    expect(named.slice(-2)).toEqual(['JWT_ISSUER', 'HOST']);
    expect(named.slice(0, -2).toSorted()).toEqual([
      ...['ALLOWED_NAMESPACES', 'ALLOW_ANONYMOUS', 'API_KEYS', 'LLM_BASE_URL', 'LOG_LEVEL'],
      ...['MAX_BODY_BYTES', 'PORT'],
    ]);
    expect(problems.join()).not.toContain('secret');
  });

  it('rejects a public address without authentication', () => {
    for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 'example.com']) {
      expect(problemsOf({ HOST })).toHaveLength(1);
      for (const enough of [
        { API_KEYS: 'k' },
        { API_KEYS_FILE: '/etc/keys.jsonl' },
        { JWT_SECRET: 's'.repeat(32) },
        { JWT_JWKS_URL: 'https://example.com/jwks' },
        { ALLOW_ANONYMOUS: 'true' },
      ])
        expect(problemsOf({ HOST, ...enough })).toEqual([]);
      expect(problemsOf({ HOST, ALLOW_ANONYMOUS: 'false' })).toHaveLength(1);
    }
    for (const HOST of ['127.0.0.1', '127.0.0.2', '::1', 'localhost'])
      expect(problemsOf({ HOST })).toEqual([]);
  });

  it.each([
    ['plain', 'plain', undefined, undefined],
    [' base64==', 'base64==', undefined, undefined],
    ['limited=docs+HR ', 'limited', ['docs', 'hr'], undefined],
    ['both==docs', 'both=', ['docs'], undefined],
    ['a=docs+HR:read+write', 'a', ['docs', 'hr'], ['read', 'write']],
    ['b==*:calls', 'b=', undefined, ['calls']],
    ['user:pass', 'user:pass', undefined, undefined],
    ['c=x:read+read', 'c', ['x'], ['read']],
  ])('limits a key to namespaces and rights: %s', (written, key, namespaces, rights) => {
    const { apiKeys = [] } = parseConfig({ API_KEYS: `one,${written},two` });
    expect(apiKeys[1]).toEqual({ key, namespaces, rights });
  });

  it('uses a provider if only a key or only a base URL is set', () => {
    const openai = { apiKey: 'k', baseUrl: 'https://api.openai.com/v1' };
    expect(parseConfig({ LLM_API_KEY: 'k' }).llm).toMatchObject(openai);
    const baseUrl = 'http://127.0.0.1:11434/v1';
    const local = { apiKey: undefined, baseUrl, model: 'm' };
    expect(parseConfig({ LLM_BASE_URL: baseUrl, LLM_MODEL: 'm' }).llm).toEqual(local);
    expect(parseConfig({ LLM_MODEL: 'm' }).llm).toBeUndefined();
  });

  it('judges with the answering model, another model, or none', () => {
    expect(parseConfig({ LLM_API_KEY: 'k', JUDGE_MODEL: 'off' }).judge).toBeUndefined();
    expect(parseConfig({ JUDGE_MODEL: 'same' }).judge).toBeUndefined();
    for (const more of [{}, { LLM_MODEL: 'm', JUDGE_MODEL: 'same' }]) {
      const { llm, judge } = parseConfig({ LLM_API_KEY: 'k', ...more });
      expect(judge).toBe(llm);
    }
    const problems = problemsOf({ JUDGE_MODEL: 'j', LLM_MODEL: 'm', PORT: 'x' });
    expect(problems.map((line) => line.split(':')[0])).toEqual(['PORT', 'JUDGE_MODEL']);
  });

  it.each([
    ['LLM_FALLBACK', 'llmFallback'],
    ['JUDGE', 'judge'],
    ['EMBEDDING', 'embedding'],
    ['RERANK', 'rerank'],
  ] as const)('sends the keys of LLM and %s only to their own endpoints', (name, role) => {
    const at = (baseUrl: string, more: Record<string, string> = {}) =>
      parseConfig({ ...main, [`${name}_MODEL`]: 'm', [`${name}_BASE_URL`]: baseUrl, ...more })[
        role
      ];
    for (const same of ['', ...['', '/', '//'].map((end) => `https://ONE.example:443/v1${end}`)])
      expect(at(same)).toEqual({ apiKey: 'k', baseUrl: main.LLM_BASE_URL, model: 'm' });
    const keyed = { LLM_BASE_URL: 'https://:k@one.example', LLM_API_KEY: '' };
    expect(at('https://one.example', keyed)?.apiKey).toBe('k');
    for (const other of [two, 'https://one.example:8443/v1', 'http://one.example/v1'])
      expect(at(other)).toEqual({ apiKey: undefined, baseUrl: other, model: 'm' });
    expect(at('https://:f%2F%key@two.example/v1')).toEqual({
      apiKey: 'f/%key',
      baseUrl: two,
      model: 'm',
    });
    expect(at(two, { LLM_BASE_URL: '' })?.apiKey).toBeUndefined();
  });

  it('has own keys for the judge and the embeddings, which need no answering model', () => {
    const embedding = { EMBEDDING_MODEL: 'e', EMBEDDING_API_KEY: 'e-key' };
    expect(parseConfig({ ...main, ...embedding }).embedding?.apiKey).toBe('e-key');
    const judged = { ...main, JUDGE_API_KEY: 'j-key', JUDGE_MODEL: 'j' };
    for (const baseUrl of [main.LLM_BASE_URL, two])
      expect(parseConfig({ ...judged, JUDGE_BASE_URL: baseUrl }).judge).toEqual({
        apiKey: 'j-key',
        baseUrl,
        model: 'j',
      });
    const elsewhere = parseConfig({ ...main, LLM_MODEL: 'm', JUDGE_BASE_URL: two });
    expect(elsewhere.judge).toEqual({ apiKey: undefined, baseUrl: two, model: 'm' });
    const none = { llmFallback: undefined, embedding: undefined, rerank: undefined };
    expect(parseConfig(main)).toMatchObject(none);
    const both = ['EMBEDDING', 'RERANK'].flatMap((name) => [
      [`${name}_MODEL`, 'm'],
      [`${name}_BASE_URL`, two],
    ]);
    const there = { baseUrl: two };
    expect(parseConfig(Object.fromEntries(both))).toMatchObject({
      llm: undefined,
      embedding: there,
      rerank: there,
    });
  });

  it.each<[Record<string, string>, string]>([
    [{ LLM_FALLBACK_MODEL: 'f' }, 'LLM_FALLBACK_MODEL: needs LLM_API_KEY or LLM_BASE_URL; set'],
    [
      { ...main, LLM_FALLBACK_BASE_URL: 'https://:s3cret@x' },
      'LLM_FALLBACK_MODEL: is missing; LLM_FALLBACK_BASE_URL needs it',
    ],
    [{ JUDGE_MODEL: 'j' }, 'JUDGE_MODEL: needs LLM_API_KEY or LLM_BASE_URL; set'],
    [
      { ...main, JUDGE_MODEL: 'same', JUDGE_BASE_URL: two },
      'JUDGE_MODEL: "same" uses LLM_MODEL at LLM_BASE_URL; name a model, or remove',
    ],
    [{ EMBEDDING_BASE_URL: two }, 'EMBEDDING_MODEL: is missing; EMBEDDING_BASE_URL and'],
    [{ EMBEDDING_MODEL: 'e' }, 'EMBEDDING_MODEL: needs EMBEDDING_BASE_URL, LLM_API_KEY or'],
    [{ RERANK_BASE_URL: two }, 'RERANK_MODEL: is missing; RERANK_BASE_URL needs it'],
    [{ RERANK_MODEL: 'r', LLM_API_KEY: 'k' }, 'RERANK_MODEL: needs RERANK_BASE_URL or'],
    [{ ...main, LLM_FALLBACK_MODEL: 'f,g' }, 'LLM_FALLBACK_MODEL: must be a model, '],
    [{ CALLS_APP_ID: 'a1' }, 'CALLS_'],
    [{ JWT_SECRET: 's'.repeat(32), JWT_JWKS_URL: 'https://example.com' }, 'JWT_'],
    [{ ALLOWED_URL_HOSTS: 'https://docs.example.com/' }, 'ALLOWED_URL_HOSTS: '],
    [{ ALLOWED_HOSTS: 'https://docs.example.com' }, 'ALLOWED_HOSTS: '],
    [{ CORS_ORIGINS: 'a,https://x.example,a' }, 'CORS_ORIGINS: '],
    [
      { DATABASE_URL: 'db' },
      'DATABASE_URL: must be a URL such as postgres://user:password@host/database',
    ],
    [{ SEARCH_ENGINE: 'postgres' }, 'SEARCH_ENGINE: must be memory; got "postgres"'],
    [{ PUBLIC_URL: 'x' }, 'PUBLIC_URL: must be an http:// or https:// URL, such as'],
    [{ JUDGE_PROBE: 'maybe' }, 'JUDGE_PROBE: must be on or off; got "maybe"'],
    [{ HANDOFF_WEBHOOK_SECRET: 's3cret-of-sixteen-letters' }, 'HANDOFF_WEBHOOK_SECRET: needs'],
    ...listed('Paid. [1] | Sources: none | <b>x</b> | {name}').map(
      (text): [Record<string, string>, string] => [{ HANDOFF_TEXT: text }, 'HANDOFF_TEXT: must'],
    ),
  ])('rejects %o', (environment, problem) => {
    const problems = problemsOf(environment);
    expect(problems).toEqual([expect.stringContaining(problem)]);
    expect(problems.join()).not.toContain('s3cret');
  });

  it('quotes documents after the models if LLM_FALLBACK_MODEL ends with extractive', () => {
    const fallbackOf = (name: string) => {
      const { llmFallback, quotesAtLast } = parseConfig({ ...main, LLM_FALLBACK_MODEL: name });
      return [llmFallback?.model, quotesAtLast];
    };
    expect(fallbackOf('')).toEqual([undefined, false]);
    expect(fallbackOf('f')).toEqual(['f', false]);
    expect(fallbackOf('extractive')).toEqual([undefined, true]);
    expect(fallbackOf('f, extractive')).toEqual(['f', true]);
  });

  it('reads limits from one of three sizes and from single numbers', () => {
    const limitsOf = (LIMITS: string) => parseConfig({ LIMITS }).limits;
    expect(limitsOf('')).toMatchObject({ streams: 1_000, answers: 1_000, namespaces: 500 });
    expect(limitsOf('large,streams=7')).toMatchObject({ streams: 7, documents: 1_000_000 });
    const tokens = { tokens: 5, callerTokens: 2 };
    expect(limitsOf('tokens=5,callerTokens=2')).toMatchObject({ ...tokens, streams: 1_000 });
    expect(parseConfig({ MAX_SOURCE_BYTES: '2048' }).maxUploadBytes).toBe(20_480);
  });

  it('ignores removed settings and names what applies instead', () => {
    const instead = {
      WORKERS: 'several servers (docs/operate.md#several-servers).',
      CHAT_WEBHOOK_USER: 'any user name with CHAT_WEBHOOK_PASSWORD.',
      RERANK_API_KEY: 'RERANK_BASE_URL=https://:KEY@host/v2.',
    };
    const removed = Object.fromEntries(Object.keys(instead).map((name) => [name, 's3cret']));
    expect(parseConfig(removed)).toEqual({
      ...parseConfig({}),
      misspeltSettings: Object.entries(instead).map(
        ([name, other]) => `${name}: no longer has an effect; use ${other}`,
      ),
    });
  });

  const claude = { LLM_MODEL: 'anthropic/claude-sonnet-4-6', ANTHROPIC_API_KEY: 'a' };

  it("reads names of Mastra's model router with the provider's own key, where no base URL is set", () => {
    const endpoint = {
      apiKey: 'a',
      baseUrl: 'https://api.anthropic.com/v1',
      model: 'claude-sonnet-4-6',
      routed: { provider: 'anthropic', wire: 'anthropic' },
    };
    expect(parseConfig({ ...claude, LLM_API_KEY: 'k' }).llm).toEqual(endpoint);
    const local = { ...claude, ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/v1/' };
    expect(parseConfig(local).llm?.baseUrl).toBe('http://127.0.0.1:1/v1');
    for (const variable of ['GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'])
      expect(parseConfig({ LLM_MODEL: 'google/gemini', [variable]: 'g' }).llm).toMatchObject({
        apiKey: 'g',
        routed: { wire: 'google' },
      });
    const openai = { apiKey: 'o', baseUrl: 'https://api.openai.com/v1', model: 'gpt-5.4-mini' };
    for (const variable of ['OPENAI_API_KEY', 'LLM_API_KEY'])
      expect(parseConfig({ LLM_MODEL: 'openai/gpt-5.4-mini', [variable]: 'o' }).llm).toEqual(
        openai,
      );
    const others = {
      LLM_API_KEY: 'k',
      LLM_FALLBACK_MODEL: 'groq/openai/gpt-oss-20b',
      GROQ_API_KEY: 'q',
      JUDGE_MODEL: claude.LLM_MODEL,
      JUDGE_API_KEY: 'j',
    };
    expect(parseConfig(others)).toMatchObject({
      llm: { apiKey: 'k', baseUrl: openai.baseUrl },
      llmFallback: { apiKey: 'q', model: 'openai/gpt-oss-20b' },
      judge: { ...endpoint, apiKey: 'j' },
    });
  });

  it("keeps a name with a slash at the endpoint of LLM_BASE_URL or of the model's own base URL", () => {
    const baseUrl = 'http://127.0.0.1:1/v1';
    const own = { apiKey: undefined, baseUrl, model: claude.LLM_MODEL };
    const at = { ...claude, LLM_BASE_URL: baseUrl, JUDGE_MODEL: claude.LLM_MODEL };
    expect(parseConfig(at)).toMatchObject({ llm: own, judge: own });
    const judge = { JUDGE_MODEL: claude.LLM_MODEL, JUDGE_BASE_URL: baseUrl };
    expect(parseConfig({ LLM_API_KEY: 'k', ...judge }).judge).toEqual(own);
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'a missing key',
      { LLM_MODEL: 'anthropic/m', LLM_API_KEY: 'k' },
      'LLM_MODEL: anthropic/m needs ANTHROPIC_API_KEY; ',
    ],
    [
      'several names of a key of a fallback',
      { LLM_API_KEY: 'k', LLM_FALLBACK_MODEL: 'google/m' },
      'LLM_FALLBACK_MODEL: google/m needs GOOGLE_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY; ',
    ],
    ['an unknown provider', { LLM_MODEL: 'antropic/m' }, 'LLM_MODEL: "antropic" is not a provider'],
    ['a name of every object', { LLM_MODEL: 'constructor/x' }, '"constructor" is not a provider'],
    ['no model after the slash', { LLM_MODEL: 'openai/' }, '"openai" is not a provider'],
    [
      'a provider with an address per customer',
      { LLM_MODEL: 'databricks/x', DATABRICKS_TOKEN: 't' },
      '"databricks" is not a provider',
    ],
    [
      'an invalid base URL',
      { LLM_MODEL: 'openai/m', OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'ftp://x' },
      'OPENAI_BASE_URL: must be an http or https URL',
    ],
    [
      'embeddings of Anthropic',
      { EMBEDDING_MODEL: 'anthropic/x', ANTHROPIC_API_KEY: 'a' },
      "EMBEDDING_MODEL: anthropic has no embeddings in OpenAI's format; ",
    ],
  ])('rejects %s in a name of the model router', (_, environment, problem) => {
    expect(problemsOf(environment)).toEqual([expect.stringContaining(problem)]);
  });

  it('rejects a JWT_SECRET under 32 bytes', () => {
    const short = 's'.repeat(31);
    expect(problemsOf({ JWT_SECRET: short })).toEqual([
      expect.stringMatching(/^JWT_SECRET: must have at least 32 bytes(?!.*sss)/),
    ]);
    for (const secret of ['s'.repeat(32), 'ü'.repeat(16)])
      expect(problemsOf({ JWT_SECRET: secret })).toEqual([]);
  });

  it('warns about keys under 16 characters without showing them', () => {
    expect(
      parseConfig({ API_KEYS: 'fifteen-letters=docs:read,a-key-of-16-char' }).weakSettings,
    ).toEqual([
      'API_KEYS: 1 of 2 keys is shorter than 16 characters and easy to guess; `openssl rand -hex 16` prints a safe one',
    ]);
    expect(parseConfig({ API_KEYS: 'a-key-of-16-char' }).weakSettings).toEqual([]);
  });

  it('accepts chat webhooks only with a sender check and a callback URL', () => {
    const callback = { CHAT_CALLBACK_URL: 'https://platform.example/v3/messages' };
    const basic = { CHAT_WEBHOOK_PASSWORD: 'p' };
    const takes = (settings: Record<string, string>) => takesChatWebhooks(parseConfig(settings));
    expect(takes({ CHAT_AGENT_UID: 'a', ...callback })).toBe(false);
    expect(takes({ ...basic, ...callback })).toBe(true);
    expect(takes({ CHAT_WEBHOOK_SECRET: `whsec_${btoa('x'.repeat(24))}`, ...callback })).toBe(true);
    expect(takes({ ALLOWED_NAMESPACES: 'docs', ...callback })).toBe(false);
    const room = parseConfig({ CHAT_CALLBACK_URL: 'https://bridge.example/in?room=1' });
    expect(room.chatCallbackUrl).toContain('room=1');
    for (const wrong of [
      basic,
      { CHAT_WEBHOOK_SECRET: 's3cret', ...callback },
      { CHAT_WEBHOOK_SECRET: 'whsec_s3cret-s3cret-s3cret', ...callback },
      { ...basic, ...callback, ALLOWED_NAMESPACES: 'docs' },
      { ...basic, CHAT_CALLBACK_URL: 'https://s3cret@platform.example/' },
      { CHAT_CALLBACK_KEY: 's3cret s3cret' },
      { CHAT_AGENT_UID: 'two words' },
    ]) {
      expect(problemsOf(wrong)).toHaveLength(1);
      expect(problemsOf(wrong).join()).not.toContain('s3cret');
    }
  });

  it('rejects a calling service on another host and a key that could split a header', () => {
    const known = parseConfig({ CALLS_APP_ID: '24A1', CALLS_REGION: 'eu' });
    expect(known.callsBaseUrl).toBe('https://24a1.call-eu.cometchat.io');
    for (const wrong of [
      { CALLS_APP_ID: 'evil.example/', CALLS_REGION: 'us' },
      { CALLS_APP_ID: 'a', CALLS_REGION: 'us.evil.example' },
      { CALLS_BASE_URL: 'https://user:s3cret@x' },
      { CALLS_BASE_URL: 'https://x/?apikey=s3cret' },
      { CALLS_BASE_URL: 'https://x', CALLS_API_KEY: 's3cret s3cret' },
    ]) {
      expect(problemsOf(wrong)).not.toEqual([]);
      expect(problemsOf(wrong).join()).not.toContain('s3cret');
    }
  });
});

describe('the documented settings', () => {
  it('appear once each in .env.example, in order, with meaning and default', () => {
    expect(read('.env.example')).toBe(envExample());
    const lines = [...read('.env.example').matchAll(/^(?:# )?([A-Z][A-Z_]+)=(.*)$/gm)];
    expect(lines.map((line) => line[1])).toEqual(Object.keys(settings));
  });

  it('keep their defaults if .env.example is copied to .env', () => {
    const lines = [...read('.env.example').matchAll(/^([A-Z][A-Z_]+)=(.*)$/gm)];
    const copied = Object.fromEntries(lines.map(([, name = '', value]) => [name, value]));
    expect(parseConfig(copied)).toEqual(parseConfig({}));
  });
});
