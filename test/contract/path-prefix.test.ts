/** `PATH_PREFIX`: everything below a secret path, nothing outside, and the path itself in nothing that is written down. */

import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { isUpload } from '../../src/http/documents/upload-path.ts';
import { innerPath } from '../../src/http/path-prefix.ts';
import { createLogger } from '../../src/log.ts';
import { startService } from '../support/workspace.ts';

const prefix = '/k/Zm9vYmFyYmF6cXV4MTIzNA';
const files = { 'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' };

describe('with PATH_PREFIX', () => {
  it.each([
    '/',
    '/api/namespaces',
    '/api/openapi.json',
    '/swagger-ui',
    '/v3/calls',
    '/.well-known/agent-card.json',
    '/mcp',
    '/page/x.js',
    prefix.slice(0, -1),
    `${prefix}x`,
    `${prefix}x/health`,
    prefix.toUpperCase(),
    '/k',
    '/k/',
    `/x${prefix}/health`,
  ])('nothing is at %s, as at any unknown path', async (path) => {
    const { request } = await startService({ PATH_PREFIX: prefix, API_KEYS: 'key' }, files);
    for (const headers of [{}, { 'x-api-key': 'key' }]) {
      const response = await request(path, { headers });
      const { code, error } = (await response.json()) as { code: string; error: string };
      expect([response.status, code]).toEqual([404, 'not_found']);
      expect(error).not.toContain(prefix);
    }
    const known = await request(`${prefix}/no/such/path`, { headers: { 'x-api-key': 'key' } });
    const unknown = await request(path, { headers: { 'x-api-key': 'key' } });
    const bodyOf = async (response: Response) => ({ ...((await response.json()) as object), requestId: '' });
    expect(await bodyOf(unknown)).toEqual(await bodyOf(known));
  });

  it('everything is below it, with the same credentials', async () => {
    const { request, get, post } = await startService({ PATH_PREFIX: `${prefix}/`, API_KEYS: 'key' }, files);
    const key = { 'x-api-key': 'key' };
    expect((await get(`${prefix}/api/namespaces`)).status).toBe(401);
    expect((await get(`${prefix}/api/namespaces`, key)).body.namespaces).toHaveLength(1);
    expect((await post(`${prefix}/api/tools/searchDocs`, { query: 'refunds' }, key)).body.results).toHaveLength(1);
    expect((await get(`${prefix}/v3/calls`, { apikey: 'key' })).status).toBe(200);
    expect((await post(`${prefix}/v1/chat/completions`, {}, {})).body.error.code).toBe('unauthorized');
    const body = new FormData();
    body.append('files', new File(['Visitors sign in.'], 'visitors.md'));
    expect((await request(`${prefix}/api/namespaces/default/documents`, { method: 'POST', headers: key, body })).status).toBe(200);
  });

  it('health and ready answer without it too', async () => {
    const { get } = await startService({ PATH_PREFIX: prefix, API_KEYS: 'key' }, files);
    for (const path of ['/health', '/ready', `${prefix}/health`, `${prefix}/ready`]) expect((await get(path)).status).toBe(200);
  });

  it('addresses lead on within it', async () => {
    const { request, get, post } = await startService({ PATH_PREFIX: prefix, PUBLIC_URL: `https://agent.example.com${prefix}/` }, files);
    const locationOf = async (path: string) => (await request(`${prefix}${path}`)).headers.get('location');
    expect(await locationOf('')).toBe(`${prefix}/`);
    expect(await locationOf('/swagger-ui/')).toBe(`${prefix}/swagger-ui`);
    expect(await locationOf('/favicon.ico')).toBe(`${prefix}/swagger-ui/swagger-ui-dist/favicon-32x32.png`);
    const job = await post(`${prefix}/api/tools/ingestSources`, { sources: ['Note.'], wait: false });
    expect(job.headers.get('location')).toBe(`${prefix}/api/jobs/${job.body.id}`);
    expect((await get(job.headers.get('location') ?? '')).body.id).toBe(job.body.id);
    expect((await get(`${prefix}/.well-known/agent-card.json`)).body.url).toBe(`https://agent.example.com${prefix}/a2a`);
    expect((await get(`${prefix}/api/openapi.json`)).body.servers).toEqual([{ url: prefix }]);
    for (const asset of (await (await request(`${prefix}/swagger-ui`)).text()).matchAll(/(?:src|href)="([^"]+)"/g))
      expect((await request(new URL(asset[1] ?? '', `http://localhost${prefix}/swagger-ui`).pathname)).status).toBe(200);
  });

  it('an answer does not tell it to whoever reads the answer', async () => {
    const { post } = await startService({ PATH_PREFIX: prefix }, files);
    const asked = { model: 'knowledge', messages: [{ role: 'user', content: 'when are refunds paid?' }] };
    const { body } = await post(`${prefix}/v1/chat/completions`, asked);
    expect(body.choices[0].message.annotations[0].url_citation.url).toMatch(/^http:\/\/localhost\/api\/namespaces\/default\/documents\//);
    expect(JSON.stringify(body)).not.toContain(prefix);
  });

  it('the log does not hold it, whatever is asked and fails', async () => {
    const { api } = await startService({}, files);
    const written = new PassThrough();
    onTestFinished(() => void written.destroy());
    const config = parseConfig({ PATH_PREFIX: prefix, RATE_LIMIT_PER_MINUTE: '0' });
    const broken = { ...api, searchDocs: () => Promise.reject(new Error('unforeseen')) };
    const app = createApp(config, broken, createLogger('trace', written));
    const bodies: string[] = [];
    for (const path of ['', '/', '/api/namespaces', '/none', '/v3/calls', 'x/nearly', '/%zz'])
      for (const method of ['GET', 'POST']) bodies.push(await (await app.request(`${prefix}${path}`, { method })).text());
    const headers = { 'content-type': 'application/json' };
    const failed = await app.request(`${prefix}/api/tools/searchDocs`, { method: 'POST', headers, body: '{"query":"x"}' });
    expect([failed.status, bodies.join() + (await failed.text())]).toEqual([500, expect.not.stringContaining(prefix)]);
    const log = String(written.read());
    expect(log).toContain('"path":"/api/namespaces"');
    expect(log).toContain('unforeseen');
    expect(log).not.toContain(prefix.slice(3));
  });
});

it('an upload below it has the time of an upload', () => {
  const path = `${prefix}/api/namespaces/docs/documents`;
  expect([isUpload('POST', innerPath(path, prefix)), isUpload('POST', innerPath(path, undefined))]).toEqual([true, false]);
});

it('without PATH_PREFIX the document names no server', async () => {
  const { get } = await startService();
  expect((await get('/api/openapi.json')).body.servers ?? []).toEqual([]);
});

describe('the setting', () => {
  it.each(['k/secret', '//secret', '/k/../secret', '/k/./secret', '/k secret', '/k?x', '/k%2f', '/'])('refuses %j', (value) => {
    expect(() => parseConfig({ PATH_PREFIX: value })).toThrow(/PATH_PREFIX: must be/);
    expect(() => parseConfig({ PATH_PREFIX: value })).not.toThrow(/secret/);
  });
  it('that is short is told, without it; one that is misspelt starts nothing', () => {
    expect(parseConfig({ PATH_PREFIX: '/abc' }).weakSettings).toEqual([expect.stringMatching(/^PATH_PREFIX: (?!.*abc)/)]);
    expect(parseConfig({ PATH_PREFIX: prefix }).weakSettings).toEqual([]);
    expect(() => parseConfig({ PATH_PREFX: prefix })).toThrow(/PATH_PREFX.*did you mean PATH_PREFIX/);
  });
});
