/**
 * `PATH_PREFIX`: serves everything below a secret path and nothing outside, and keeps the path out
 * of logs and responses.
 */

import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { innerPath, isUpload } from '../../src/http/path-prefix.ts';
import { createLogger } from '../../src/log.ts';
import { sharedService, startService, useService } from '../support/workspace.ts';

const prefix = '/k/Zm9vYmFyYmF6cXV4MTIzNA';
const files = { 'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' };

describe('with PATH_PREFIX', () => {
  const service = useService({ PATH_PREFIX: prefix, API_KEYS: 'key' }, files);

  it.each([
    '/',
    '/api/openapi.json',
    '/mcp',
    prefix.slice(0, -1),
    `${prefix}x`,
    `${prefix}x/health`,
    prefix.toUpperCase(),
    '/k/',
    `/x${prefix}/health`,
  ])('returns 404 for %s, as for any unknown path', async (path) => {
    const { request } = service();
    const key = { 'x-api-key': 'key' };
    const answerOf = async (to: string, headers: Record<string, string>) => {
      const response = await request(to, { headers });
      return { status: response.status, ...((await response.json()) as object), requestId: '' };
    };
    const unknown = await answerOf(`${prefix}/no/such/path`, key);
    expect(unknown).toMatchObject({ status: 404, code: 'not_found' });
    for (const headers of [{}, key]) expect(await answerOf(path, headers)).toEqual(unknown);
    expect(JSON.stringify(unknown)).not.toContain(prefix);
  });

  it('serves everything below the prefix, with the same credentials', async () => {
    const { request, get, post } = await startService(
      { PATH_PREFIX: `${prefix}/`, API_KEYS: 'key' },
      files,
    );
    const key = { 'x-api-key': 'key' };
    expect((await get(`${prefix}/api/namespaces`)).status).toBe(401);
    expect((await get(`${prefix}/api/namespaces`, key)).body.namespaces).toHaveLength(1);
    expect(
      (await post(`${prefix}/api/tools/searchDocs`, { query: 'refunds' }, key)).body.results,
    ).toHaveLength(1);
    expect((await get(`${prefix}/v3/calls`, { apikey: 'key' })).status).toBe(200);
    expect((await post(`${prefix}/v1/chat/completions`, {}, {})).body.error.code).toBe(
      'unauthorized',
    );
    const body = new FormData();
    body.append('files', new File(['Visitors sign in.'], 'visitors.md'));
    const init = { method: 'POST', headers: key, body };
    expect((await request(`${prefix}/api/namespaces/default/documents`, init)).status).toBe(200);
  });

  it('lets callers without a key continue their threads, but not list, read or delete them', async () => {
    const memory = { thread: 't-1', resource: 'ann' };
    const talk = async (rights: Record<string, string>) => {
      const { get, post, request } = await startService({ PATH_PREFIX: prefix, ...rights }, files);
      await post(`${prefix}/api/agents/knowledge/generate`, {
        messages: '@agent when are refunds paid?',
        memory,
      });
      return {
        listed: (await get(`${prefix}/api/memory/threads`)).body.total,
        read: (await get(`${prefix}/api/memory/threads/t-1/messages`)).status,
        deleted: (await request(`${prefix}/api/memory/threads/t-1`, { method: 'DELETE' })).status,
      };
    };
    expect(await talk({})).toEqual({ listed: 0, read: 404, deleted: 404 });
    expect(await talk({ PATH_PREFIX_RIGHTS: 'read,admin' })).toEqual({
      listed: 1,
      read: 200,
      deleted: 200,
    });
  });

  it('gives a key its own rights if PATH_PREFIX_RIGHTS admits callers without one', async () => {
    const { get } = await startService(
      { PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'read', API_KEYS: 'key=*:read+write' },
      files,
    );
    const rightsWith = async (headers: Record<string, string>) =>
      (await get(`${prefix}/api/state`, headers)).body.caller?.rights;
    expect([await rightsWith({}), await rightsWith({ 'x-api-key': 'key' })]).toEqual([
      ['read'],
      ['read', 'write'],
    ]);
    expect((await get(`${prefix}/api/state`, { 'x-api-key': 'wrong' })).status).toBe(401);
  });

  it('serves /health and /ready without the prefix too', async () => {
    const { get } = service();
    for (const path of ['/health', '/ready', `${prefix}/health`, `${prefix}/ready`])
      expect((await get(path)).status).toBe(200);
  });

  it('returns addresses below the prefix', async () => {
    const { request, get, post } = await startService(
      {
        PATH_PREFIX: prefix,
        PATH_PREFIX_RIGHTS: 'read+write',
        PUBLIC_URL: `https://agent.example.com${prefix}/`,
      },
      files,
    );
    const locationOf = async (path: string) => {
      const location = (await request(`${prefix}${path}`)).headers.get('location') ?? '';
      return new URL(location, `http://localhost${prefix}${path}`).pathname;
    };
    expect(await locationOf('')).toBe(`${prefix}/`);
    expect(await locationOf('/swagger-ui/')).toBe(`${prefix}/swagger-ui`);
    expect(await locationOf('/favicon.ico')).toBe(
      `${prefix}/swagger-ui/swagger-ui-dist/favicon-32x32.png`,
    );
    const job = await post(`${prefix}/api/tools/ingestSources`, {
      sources: ['Note.'],
      wait: false,
    });
    expect(job.headers.get('location')).toBe(`${prefix}/api/jobs/${job.body.id}`);
    expect((await get(job.headers.get('location') ?? '')).body.id).toBe(job.body.id);
    expect((await get(`${prefix}/api/openapi.json`)).body.servers).toEqual([{ url: prefix }]);
    for (const asset of (await (await request(`${prefix}/swagger-ui`)).text()).matchAll(
      /(?:src|href)="([^"]+)"/g,
    ))
      expect(
        (await request(new URL(asset[1] ?? '', `http://localhost${prefix}/swagger-ui`).pathname))
          .status,
      ).toBe(200);
  });

  it('describes addresses below the path of PUBLIC_URL, which a proxy removes', async () => {
    const { request, get } = await startService(
      { PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'read', PUBLIC_URL: 'https://a.example/help/' },
      files,
    );
    const { servers } = (await get(`${prefix}/api/openapi.json`)).body;
    expect(servers).toEqual([{ url: `/help${prefix}` }]);
    const location = (await request(`${prefix}/swagger-ui/`)).headers.get('location') ?? '';
    expect(new URL(location, `https://a.example/help${prefix}/swagger-ui/`).pathname).toBe(
      `/help${prefix}/swagger-ui`,
    );
  });

  it('omits the prefix from answers', async () => {
    const { post } = await sharedService({ PATH_PREFIX: prefix }, files);
    const asked = {
      model: 'knowledge',
      messages: [{ role: 'user', content: 'when are refunds paid?' }],
    };
    const { body } = await post(`${prefix}/v1/chat/completions`, asked);
    expect(body.choices[0].message.annotations[0].url_citation.url).toMatch(
      /^\/#\/documents\/default\//,
    );
    expect(JSON.stringify(body)).not.toContain(prefix);
  });

  it('keeps the prefix out of the log, even after errors', async () => {
    const { api } = await startService({}, files);
    const written = new PassThrough();
    onTestFinished(() => void written.destroy());
    const config = parseConfig({ PATH_PREFIX: prefix, RATE_LIMIT_PER_MINUTE: '0' });
    const broken = { ...api, searchDocs: () => Promise.reject(new Error('unforeseen')) };
    const app = createApp(config, broken, createLogger('trace', written));
    const bodies: string[] = [];
    for (const path of ['', '/', '/api/namespaces', '/none', '/v3/calls', 'x/nearly', '/%zz'])
      for (const method of ['GET', 'POST'])
        bodies.push(await (await app.request(`${prefix}${path}`, { method })).text());
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{"query":"x"}' };
    const failed = await app.request(`${prefix}/api/tools/searchDocs`, init);
    expect([failed.status, bodies.join() + (await failed.text())]).toEqual([
      500,
      expect.not.stringContaining(prefix),
    ]);
    const log = String(written.read());
    expect(log).toContain('"path":"/api/namespaces"');
    expect(log).toContain('unforeseen');
    expect(log).not.toContain(prefix.slice(3));
  });
});

it('an upload below the prefix gets the timeout of uploads', () => {
  const path = `${prefix}/api/namespaces/docs/documents`;
  expect([
    isUpload('POST', innerPath(path, prefix)),
    isUpload('POST', innerPath(path, undefined)),
  ]).toEqual([true, false]);
});

describe('the setting PATH_PREFIX', () => {
  it.each(['//secret', '/k/../secret', '/k secret', '/k%2f', '/'])('rejects %j', (value) => {
    expect(() => parseConfig({ PATH_PREFIX: value })).toThrow(/PATH_PREFIX: must be/);
    expect(() => parseConfig({ PATH_PREFIX: value })).not.toThrow(/secret/);
  });
  it('is required by PATH_PREFIX_RIGHTS, which rejects unknown rights', () => {
    expect(() => parseConfig({ PATH_PREFIX_RIGHTS: 'read' })).toThrow(
      'PATH_PREFIX_RIGHTS: needs PATH_PREFIX',
    );
    expect(() => parseConfig({ PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'read+all' })).toThrow(
      'PATH_PREFIX_RIGHTS: must be one or more of ask, search, read, write, calls, admin, such as read+calls',
    );
  });
  it('causes a warning without its value if it is short, and stops the start if its name is misspelled', () => {
    expect(parseConfig({ PATH_PREFIX: '/abc' }).weakSettings).toEqual([
      expect.stringMatching(/^PATH_PREFIX: (?!.*abc)/),
    ]);
    expect(parseConfig({ PATH_PREFIX: prefix }).weakSettings).toEqual([]);
    expect(() => parseConfig({ PATH_PREFX: prefix })).toThrow(
      /PATH_PREFX.*did you mean PATH_PREFIX/,
    );
  });
});
