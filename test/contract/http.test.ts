import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { startService, useService } from '../support/workspace.ts';

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

const searchPath = '/api/tools/searchDocs';
const ingestPath = '/api/tools/ingestSources';
const generatePath = '/api/agents/knowledge/generate';
const twoKinds = { url: 'https://example.com', text: 'x' };

describe('400', () => {
  it.each<[string, string, string | object, string?]>([
    ['malformed JSON', searchPath, '{"query":', 'invalid_json'],
    ['no body', searchPath, '', 'invalid_json'],
    ['an empty query', searchPath, { query: ' ' }],
    ['101 sources', ingestPath, { sources: Array(101).fill('x') }],
    ['a source of two kinds', ingestPath, { sources: [twoKinds] }],
    ['an unknown role', generatePath, { messages: [{ role: 'god', content: 'x' }] }],
    ['no user message', generatePath, { messages: [{ role: 'system', content: '@agent x' }] }],
  ])('is the response to %s', async (_, path, sent, code = 'invalid_request') => {
    const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
    const response = await plain().request(path, { method: 'POST', headers: json, body });
    expect(await errorOf(response)).toMatchObject({ status: 400, code });
  });

  it('names the invalid fields without quoting the request', async () => {
    const wrong = { query: { secret: 's3cret' }, maxResults: 's3cret' };
    const response = await errorOf(await plain().send(searchPath, wrong));
    expect(response.details?.map((detail) => detail.path)).toEqual(['query', 'maxResults']);
    expect(JSON.stringify(response)).not.toContain('s3cret');
  });
});

describe('401, 403', () => {
  it('limits the whole server to ALLOWED_NAMESPACES', async () => {
    const { find, get } = await startService({ ALLOWED_NAMESPACES: 'docs' }, refunds);
    const forbidden = await find({ query: 'paid', namespace: 'hr' });
    expect(forbidden.body.code).toBe('namespace_not_allowed');
    expect((await find({ query: 'paid', namespace: 'docs' })).status).toBe(200);
    const { namespaces } = (await get('/api/namespaces')).body;
    expect(namespaces).toMatchObject([{ name: 'docs' }]);
  });
});

describe('404, 405', () => {
  it('is the response to an unknown path, agent and namespace', async () => {
    const { request, post, find } = plain();
    expect(await errorOf(await request('/nope'))).toMatchObject({ status: 404, code: 'not_found' });
    for (const agent of ['other', '__proto__', 'constructor', 'knowledge%2f..', '%00'])
      expect(
        (await post(`/api/agents/${agent}/generate`, { messages: '@agent x' })).body.code,
      ).toMatch(agent === 'other' ? /^agent_not_found$/ : /^(agent_not_found|not_found)$/);
    const { status, body } = await find({ query: 'x', namespace: 'none' });
    expect([status, body.code]).toEqual([404, 'namespace_not_found']);
    expect(body.error).toMatch(/^There is no namespace "none".* You can read "default"\.$/);
  });

  it('is not returned for the namespace "default", which exists even without documents', async () => {
    const { find } = plain();
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
      const response = await request(searchPath, { method: 'POST', ...sent });
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
    const response = await plain().request(searchPath, {
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
    const { folder, api, logger } = plain();
    const cause = new Error(`secret at ${folder}/file.ts with sk-abcdefgh`);
    const broken = { ...api, searchDocs: () => Promise.reject(cause) };
    const app = createApp(parseConfig({}), broken, logger);
    const init = { method: 'POST', headers: json, body: '{"query":"x"}' };
    expect(await errorOf(await app.request(searchPath, init))).toMatchObject({
      status: 500,
      code: 'internal',
      error: 'The server failed. The operator can find the cause in the log by the request id.',
    });
  });
});

describe('browsers', () => {
  it('may not cache responses, whether they are data, errors or streams', async () => {
    const { send, request } = await startService({ API_KEYS: 'k' }, refunds);
    const key = { 'x-api-key': 'k' };
    const paths = ['/api/namespaces', '/api/gaps', '/v3/calls?perPage=1', '/no/such/path'];
    for (const path of paths)
      for (const headers of [key, undefined]) {
        const response = await request(path, headers && { headers });
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
    const { headers } = await plain().request('/health');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
  });
});

describe('compression of JSON', () => {
  const accepting = { 'accept-encoding': 'br, gzip' };

  it('uses gzip above one kilobyte if the client accepts it', async () => {
    const textOf = async (headers: Record<string, string>, encoding: string | null) => {
      const response = await plain().request('/api/openapi.json', { headers });
      const sent = [response.headers.get('content-encoding'), response.headers.get('vary')];
      expect(sent).toEqual([encoding, 'Accept-Encoding']);
      return Buffer.from(await response.arrayBuffer());
    };
    const text = await textOf({}, null);
    const compressed = await textOf(accepting, 'gzip');
    expect(gunzipSync(compressed).equals(text)).toBe(true);
    expect(compressed.length).toBeLessThan(text.length / 3);
  });

  it('skips short responses, errors, event streams and metrics', async () => {
    const { request, send } = await startService({}, refunds);
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
