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
    const { post } = await startService({ ALLOWED_NAMESPACES: 'docs' }, refunds);
    expect(
      (await post('/api/tools/searchDocs', { query: 'paid', namespace: 'hr' })).body.code,
    ).toBe('namespace_not_allowed');
    expect((await post('/api/tools/searchDocs', { query: 'paid', namespace: 'docs' })).status).toBe(
      200,
    );
  });
});

describe('404, 405', () => {
  it('is the response to an unknown path, agent and namespace', async () => {
    const { request, post } = await sharedService();
    expect(await errorOf(await request('/nope'))).toMatchObject({ status: 404, code: 'not_found' });
    for (const agent of [
      'other',
      '__proto__',
      'constructor',
      'toString',
      'knowledge%2f..',
      '%00',
    ]) {
      expect(
        (await post(`/api/agents/${agent}/generate`, { messages: '@agent x' })).body.code,
      ).toMatch(/^(agent_not_found|not_found)$/);
    }
    expect((await post('/api/agents/other/generate', { messages: '@agent x' })).body.code).toBe(
      'agent_not_found',
    );
    expect(await post('/api/tools/searchDocs', { query: 'x', namespace: 'none' })).toMatchObject({
      status: 404,
      body: {
        code: 'namespace_not_found',
        error: expect.stringMatching(/^There is no namespace "none".* You can read "default"\.$/),
      },
    });
    expect(
      await post('/api/agents/knowledge/generate', {
        messages: '@agent x',
        toolParams: { namespace: 'none' },
      }),
    ).toMatchObject({
      status: 404,
      body: { code: 'namespace_not_found' },
    });
  });

  it('is not returned for the namespace "default", which exists even without documents', async () => {
    const { post } = await sharedService();
    expect((await post('/api/tools/searchDocs', { query: 'x' })).body.results).toEqual([]);
  });
});

describe('413, 415', () => {
  it('is the response to a body over the limit, declared or streamed', async () => {
    const { request } = await startService({ MAX_BODY_BYTES: '2048' });
    const body = JSON.stringify({ query: 'x'.repeat(3000) });
    const streamed = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(body));
        controller.close();
      },
    });
    expect(
      await errorOf(
        await request('/api/tools/searchDocs', {
          method: 'POST',
          headers: { ...json, 'content-length': String(body.length) },
          body,
        }),
      ),
    ).toMatchObject({ status: 413, code: 'payload_too_large' });
    expect(
      await errorOf(
        await request('/api/tools/searchDocs', {
          method: 'POST',
          headers: json,
          body: streamed,
          duplex: 'half',
        } as RequestInit),
      ),
    ).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it.each([undefined, 'text/plain', 'multipart/form-data', 'x/application/json'])(
    'is the response to a body of type %s',
    async (type) => {
      const { request } = plain();
      const response = await request('/api/tools/searchDocs', {
        method: 'POST',
        headers: type === undefined ? {} : { 'content-type': type },
        body: new TextEncoder().encode('{"query":"x"}'),
      });
      expect(await errorOf(response)).toMatchObject({
        status: 415,
        code: 'unsupported_media_type',
      });
    },
  );

  it.each(['application/json', 'application/json; charset=utf-8', 'application/vnd.api+json'])(
    'is not returned for %s',
    async (type) => {
      const { request } = plain();
      expect(
        (
          await request('/api/tools/searchDocs', {
            method: 'POST',
            headers: { 'content-type': type },
            body: '{"query":"x"}',
          })
        ).status,
      ).toBe(200);
    },
  );
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
    const { get, post, request } = await startService({ API_KEYS: 'k' }, refunds);
    const key = { 'x-api-key': 'k' };
    const { body: answer } = await post(
      '/api/agents/knowledge/generate',
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
    const stream = await request('/api/agents/knowledge/stream', {
      method: 'POST',
      headers: { ...json, ...key },
      body: JSON.stringify({ messages: '@agent refunds?', toolParams: { namespace: 'docs' } }),
    });
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
    const { request } = await startService({ MAX_BODY_BYTES: '2000' }, refunds);
    const question = {
      method: 'POST',
      headers: { ...json, ...accepting },
      body: '{"messages":"@agent How are refunds paid?"}',
    };
    const responses = await Promise.all([
      request('/health', { headers: accepting }),
      request('/api/none', { headers: accepting }),
      request('/api/agents/knowledge/stream', question),
      request('/metrics', { headers: accepting }),
    ]);
    expect(
      responses.map(({ status, headers }) => [status, headers.get('content-encoding')]),
    ).toEqual([
      [200, null],
      [404, null],
      [200, null],
      [200, null],
    ]);
    expect(await responses[0]?.json()).toMatchObject({ status: 'ok' });
    expect(await responses[2]?.text()).toContain('[DONE]');
  });
});
