import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { sharedService, startService, useService } from '../support/workspace.ts';

const json = { 'content-type': 'application/json' };
const refunds = {
  'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  'hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n',
};

const plain = useService();

/** Checks the common format of errors and returns the error. */
async function errorOf(response: Response) {
  const body = (await response.json()) as {
    error: string;
    code: string;
    requestId: string;
    details?: { path: string; message: string }[];
  };
  expect(Object.keys(body).filter((key) => key !== 'details')).toEqual([
    'error',
    'code',
    'requestId',
  ]);
  expect(body.error).toMatch(/\S/);
  expect(response.headers.get('x-request-id')).toBe(body.requestId);
  return {
    status: response.status,
    code: body.code,
    details: body.details,
    headers: response.headers,
    error: body.error,
  };
}

describe('400', () => {
  it.each([
    ['malformed JSON', '/api/tools/searchDocs', '{"query":', 'invalid_json'],
    ['no body', '/api/tools/searchDocs', '', 'invalid_json'],
    ['an empty query', '/api/tools/searchDocs', '{"query":" "}', 'invalid_request'],
    [
      '101 sources',
      '/api/tools/ingestSources',
      JSON.stringify({ sources: Array(101).fill('x') }),
      'invalid_request',
    ],
    [
      'a source of two kinds',
      '/api/tools/ingestSources',
      '{"sources":[{"url":"https://example.com","text":"x"}]}',
      'invalid_request',
    ],
    [
      'an unknown role',
      '/api/agents/knowledge/generate',
      '{"messages":[{"role":"god","content":"x"}]}',
      'invalid_request',
    ],
    [
      'no user message',
      '/api/agents/knowledge/generate',
      '{"messages":[{"role":"system","content":"@agent x"}]}',
      'invalid_request',
    ],
  ])('is the response to %s', async (_, path, body, code) => {
    const { request } = plain();
    expect(
      await errorOf(await request(path, { method: 'POST', headers: json, body })),
    ).toMatchObject({ status: 400, code });
  });

  it('names the invalid fields without quoting the request', async () => {
    const { request } = await sharedService();
    const response = await errorOf(
      await request('/api/tools/searchDocs', {
        method: 'POST',
        headers: json,
        body: '{"query":{"secret":"s3cret"},"maxResults":"s3cret"}',
      }),
    );
    expect(response.details?.map((detail) => detail.path)).toEqual(['query', 'maxResults']);
    expect(JSON.stringify(response)).not.toContain('s3cret');
  });
});

describe('401, 403', () => {
  it('limits the whole server to ALLOWED_NAMESPACES', async () => {
    const { find, get } = await startService({ ALLOWED_NAMESPACES: 'docs' }, refunds);
    expect((await find({ query: 'paid', namespace: 'hr' })).body.code).toBe(
      'namespace_not_allowed',
    );
    expect((await find({ query: 'paid', namespace: 'docs' })).status).toBe(200);
    const { namespaces } = (await get('/api/namespaces')).body;
    expect(namespaces).toMatchObject([{ name: 'docs' }]);
  });
});

describe('404, 405', () => {
  it('is the response to an unknown path, agent and namespace', async () => {
    const { request, post, find, generate } = await sharedService();
    expect(await errorOf(await request('/nope'))).toMatchObject({ status: 404, code: 'not_found' });
    for (const agent of ['other', '__proto__', 'constructor', 'knowledge%2f..', '%00'])
      expect(
        (await post(`/api/agents/${agent}/generate`, { messages: '@agent x' })).body.code,
      ).toMatch(agent === 'other' ? /^agent_not_found$/ : /^(agent_not_found|not_found)$/);
    expect(await find({ query: 'x', namespace: 'none' })).toMatchObject({
      status: 404,
      body: {
        code: 'namespace_not_found',
        error: expect.stringMatching(/^There is no namespace "none".* You can read "default"\.$/),
      },
    });
    expect(
      await generate({
        messages: '@agent x',
        toolParams: { namespace: 'none' },
      }),
    ).toMatchObject({
      status: 404,
      body: { code: 'namespace_not_found' },
    });
  });

  it('is not returned for the namespace "default", which exists even without documents', async () => {
    const { find } = await sharedService();
    expect((await find({ query: 'x' })).body.results).toEqual([]);
  });
});

describe('413, 415', () => {
  it('is the response to a body over the limit, declared or streamed', async () => {
    const { request } = await startService({ MAX_BODY_BYTES: '2048' });
    const body = JSON.stringify({ query: 'x'.repeat(3000) });
    for (const sent of [
      { headers: { ...json, 'content-length': String(body.length) }, body },
      { headers: json, body: new Blob([body]).stream(), duplex: 'half' as const },
    ]) {
      const response = await request('/api/tools/searchDocs', { method: 'POST', ...sent });
      expect(await errorOf(response)).toMatchObject({ status: 413, code: 'payload_too_large' });
    }
  });

  it.each([
    [undefined, 415],
    ['text/plain', 415],
    ['multipart/form-data', 415],
    ['x/application/json', 415],
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['application/vnd.api+json', 200],
  ])('a body of type %s gets %d', async (type, status) => {
    const { request } = plain();
    const response = await request('/api/tools/searchDocs', {
      method: 'POST',
      headers: type === undefined ? {} : { 'content-type': type },
      body: new TextEncoder().encode('{"query":"x"}'),
    });
    expect(response.status).toBe(status);
    if (status === 415) expect((await errorOf(response)).code).toBe('unsupported_media_type');
  });
});

describe('500', () => {
  it('has a constant message without internal details', async () => {
    const service = await sharedService();
    const { createApp } = await import('../../src/http/app.ts');
    const api = {
      ...service.api,
      searchDocs: async () =>
        Promise.reject(new Error(`secret at ${service.folder}/file.ts with sk-abcdefgh`)),
    };
    const app = createApp(
      parseConfig({ MAX_BODY_BYTES: '2000', RATE_LIMIT_PER_MINUTE: '0' }),
      api,
      service.logger,
    );
    const response = await errorOf(
      await app.request('/api/tools/searchDocs', {
        method: 'POST',
        headers: json,
        body: '{"query":"x"}',
      }),
    );
    expect(response).toMatchObject({
      status: 500,
      code: 'internal',
      error: 'The server failed. The operator can find the cause in the log by the request id.',
    });
  });
});

describe('browsers', () => {
  it('may not cache documents, answers, gaps or namespaces', async () => {
    const { get, generate, send, request } = await startService({ API_KEYS: 'k' }, refunds);
    const key = { 'x-api-key': 'k' };
    const { body: answer } = await generate(
      { messages: '@agent refunds?', toolParams: { namespace: 'docs' } },
      key,
    );
    const { body: documents } = await get('/api/namespaces/docs/documents', key);
    for (const path of [
      '/api/namespaces',
      '/api/namespaces/docs/documents',
      `/api/namespaces/docs/documents/${documents.documents[0].id}`,
      `/api/answers/${answer.runId}`,
      '/api/gaps',
      '/api/agents',
      '/api/jobs/none',
      '/v3/calls?perPage=1',
      '/no/such/path',
    ])
      for (const headers of [key, {}]) {
        const response = await request(path, { headers: headers as Record<string, string> });
        expect(response.headers.get('cache-control'), path).toBe('private, no-store');
        const vary = response.headers.get('vary')?.split(/,\s*/);
        expect(vary, path).toEqual(
          expect.arrayContaining(['authorization', 'x-api-key', 'apikey', 'onBehalfOf']),
        );
      }
    const asked = { messages: '@agent refunds?', toolParams: { namespace: 'docs' } };
    const stream = await send('/api/agents/knowledge/stream', asked, key);
    await stream.text();
    expect(stream.headers.get('cache-control')).toBe('private, no-store');
    expect((await request('/health')).headers.get('cache-control')).toBeNull();
  });
  it('receive headers against framing and content sniffing', async () => {
    const { request } = await sharedService();
    const { headers } = await request('/health');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
  });
});

describe('compression of JSON', () => {
  const accepting = { 'accept-encoding': 'br, gzip' };

  it('uses gzip above one kilobyte if the client accepts it', async () => {
    const { request } = await sharedService();
    const plain = await request('/api/openapi.json');
    const compressed = await request('/api/openapi.json', { headers: accepting });
    expect(
      [plain, compressed].map(({ headers }) => [
        headers.get('content-encoding'),
        headers.get('vary'),
      ]),
    ).toEqual([
      [null, 'Accept-Encoding'],
      ['gzip', 'Accept-Encoding'],
    ]);
    const sent = Buffer.from(await compressed.arrayBuffer());
    const text = await plain.text();
    expect(gunzipSync(sent).toString()).toBe(text);
    expect(sent.length).toBeLessThan(text.length / 3);
  });

  it('skips short responses, errors, event streams and metrics', async () => {
    const { request, send } = await startService({ MAX_BODY_BYTES: '2000' }, refunds);
    const responses = await Promise.all([
      request('/health', { headers: accepting }),
      request('/api/none', { headers: accepting }),
      send('/api/agents/knowledge/stream', { messages: '@agent How are refunds paid?' }, accepting),
      request('/metrics', { headers: accepting }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 404, 200, 200]);
    for (const { headers } of responses) expect(headers.get('content-encoding')).toBeNull();
    expect(await responses[0]?.json()).toMatchObject({ status: 'ok' });
    expect(await responses[2]?.text()).toContain('[DONE]');
  });
});
