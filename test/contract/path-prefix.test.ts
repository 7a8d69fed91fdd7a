/**
 * `PATH_PREFIX`: serves everything below a secret path and nothing outside, and keeps the path out
 * of responses. `authorization.test.ts` asks every operation below it without a key,
 * `test/e2e/secrets-in-log.test.ts` searches the log for it.
 */

import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { innerPath, isUpload } from '../../src/http/path-prefix.ts';
import { startService, useService } from '../support/workspace.ts';

const prefix = '/k/Zm9vYmFyYmF6cXV4MTIzNA';
const files = { 'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' };
const key = { 'x-api-key': 'key' };
const start = (settings: Record<string, string> = {}) =>
  startService({ PATH_PREFIX: prefix, ...settings }, files);

describe('with PATH_PREFIX', () => {
  const service = useService({ PATH_PREFIX: prefix, API_KEYS: 'key' }, files);

  it.each([
    ...['/', '/api/openapi.json', '/mcp', '/k/', prefix.slice(0, -1), prefix.toUpperCase()],
    ...[`${prefix}x`, `${prefix}x/health`, `/x${prefix}/health`],
  ])('returns 404 for %s, as for any unknown path', async (path) => {
    const answerOf = async (to: string, headers: Record<string, string>) => {
      const { status, body } = await service().get(to, headers);
      return { status, ...body, requestId: '' };
    };
    const unknown = await answerOf(`${prefix}/no/such/path`, key);
    expect(unknown).toMatchObject({ status: 404, code: 'not_found' });
    for (const headers of [{}, key]) expect(await answerOf(path, headers)).toEqual(unknown);
    expect(JSON.stringify(unknown)).not.toContain(prefix);
  });

  it('needs the same credentials below the prefix, and none for /health and /ready', async () => {
    const { get, post } = service();
    expect((await get(`${prefix}/api/namespaces`)).status).toBe(401);
    expect((await get(`${prefix}/v3/calls`, { apikey: 'key' })).status).toBe(200);
    const { body } = await post(`${prefix}/v1/chat/completions`, {});
    expect(body.error.code).toBe('unauthorized');
    for (const path of ['/health', '/ready', `${prefix}/health`, `${prefix}/ready`])
      expect((await get(path)).status).toBe(200);
  });

  it.each<[Record<string, string>, object]>([
    [{}, { listed: 0, read: 404, deleted: 404 }],
    [{ PATH_PREFIX_RIGHTS: 'read,admin' }, { listed: 1, read: 200, deleted: 200 }],
  ])('callers without a key use threads only with more rights: %j', async (rights, result) => {
    const { get, post, delete: remove } = await start(rights);
    await post(`${prefix}/api/agents/knowledge/generate`, {
      messages: '@agent when are refunds paid?',
      memory: { thread: 't-1', resource: 'ann' },
    });
    const threads = `${prefix}/api/memory/threads`;
    expect({
      listed: (await get(threads)).body.total,
      read: (await get(`${threads}/t-1/messages`)).status,
      deleted: (await remove(`${threads}/t-1`)).status,
    }).toEqual(result);
  });

  it('gives a key its own rights if PATH_PREFIX_RIGHTS admits callers without one', async () => {
    const { get } = await start({ PATH_PREFIX_RIGHTS: 'read', API_KEYS: 'key=*:read+write' });
    const state = (headers = {}) => get(`${prefix}/api/state`, headers);
    expect((await state()).body.caller.rights).toEqual(['read']);
    expect((await state(key)).body.caller.rights).toEqual(['read', 'write']);
    expect((await state({ 'x-api-key': 'wrong' })).status).toBe(401);
  });

  it.each([
    ['', `https://agent.example.com${prefix}/`],
    // A proxy removes this path.
    ['/help', 'https://agent.example.com/help/'],
  ])('returns addresses below the path %j of PUBLIC_URL', async (outer, PUBLIC_URL) => {
    const { request, get, post } = await start({ PATH_PREFIX_RIGHTS: 'read+write', PUBLIC_URL });
    const outside = outer + prefix;
    const locationOf = async (path: string) => {
      const location = (await request(prefix + path)).headers.get('location') ?? '';
      return new URL(location, `http://localhost${outside}${path}`).pathname;
    };
    expect(await locationOf('/swagger-ui/')).toBe(`${outside}/swagger-ui`);
    expect((await get(`${prefix}/api/openapi.json`)).body.servers).toEqual([{ url: outside }]);
    if (outer !== '') return;
    expect(await locationOf('')).toBe(`${prefix}/`);
    expect(await locationOf('/favicon.ico')).toBe(
      `${prefix}/swagger-ui/swagger-ui-dist/favicon-32x32.png`,
    );
    const note = { sources: ['Note.'], wait: false };
    const { headers, body } = await post(`${prefix}/api/tools/ingestSources`, note);
    expect(headers.get('location')).toBe(`${prefix}/api/jobs/${body.id}`);
  });

  it('omits the prefix from answers', async () => {
    const { post } = await start();
    const messages = [{ role: 'user', content: 'when are refunds paid?' }];
    const asked = { model: 'knowledge', messages };
    const text = JSON.stringify((await post(`${prefix}/v1/chat/completions`, asked)).body);
    expect(text).toContain('"url":"/#/documents/default/');
    expect(text).not.toContain(prefix);
  });
});

it('an upload below the prefix gets the timeout of uploads', () => {
  const path = `${prefix}/api/namespaces/docs/documents`;
  expect(isUpload('POST', innerPath(path, prefix))).toBe(true);
  expect(isUpload('POST', innerPath(path, undefined))).toBe(false);
});

describe('the setting PATH_PREFIX', () => {
  it.each(['//secret', '/k/../secret', '/k secret', '/k%2f', '/'])('rejects %j', (value) => {
    const problem = /^(?![\s\S]*secret)[\s\S]*PATH_PREFIX: must be/;
    expect(() => parseConfig({ PATH_PREFIX: value })).toThrow(problem);
  });

  it.each<[Record<string, string>, string]>([
    [{ PATH_PREFIX_RIGHTS: 'read' }, 'PATH_PREFIX_RIGHTS: needs PATH_PREFIX'],
    [
      { PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'read+all' },
      'PATH_PREFIX_RIGHTS: must be one or more of ask, search, read, write, calls, admin',
    ],
    [{ PATH_PREFX: prefix }, 'did you mean PATH_PREFIX'],
  ])('stops the start with %j', (settings, problem) => {
    expect(() => parseConfig(settings)).toThrow(problem);
  });

  it('may end with a slash, and causes a warning without its value if it is short', () => {
    expect(parseConfig({ PATH_PREFIX: `${prefix}/` })).toMatchObject({
      pathPrefix: prefix,
      weakSettings: [],
    });
    expect(parseConfig({ PATH_PREFIX: '/abc' }).weakSettings).toEqual([
      expect.stringMatching(/^PATH_PREFIX: (?!.*abc)/),
    ]);
  });
});
