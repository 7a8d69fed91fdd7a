import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { storageError } from '../../packages/shared/src/errors.ts';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { createLogger } from '../../src/log.ts';
import { sharedService, startService, writeFiles } from '../support/workspace.ts';

const diskError = (code: string, syscall = 'write') =>
  Object.assign(new Error(`${code}: no more, ${syscall} '/srv/secret/x.md'`), { code, syscall });
const refusing = (code: string) => () =>
  Promise.reject(new Error('not written', { cause: diskError(code) }));

it.each([
  ['ENOSPC', 'storage_full'],
  ['EDQUOT', 'storage_full'],
  ['EROFS', 'storage_unavailable'],
  ['EACCES', 'storage_unavailable'],
  ['EIO', 'storage_unavailable'],
])('a disk error %s has the code %s', async (code, expectedCode) => {
  expect(storageError(await refusing(code)().catch((error) => error))?.code).toBe(expectedCode);
});

it('a full, broken or read-only database is reported the same way', () => {
  const codeOf = (errcode: number) => {
    const cause = Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errcode });
    return storageError(new Error('not deleted', { cause }))?.code;
  };
  const codes = ['storage_unavailable', 'storage_unavailable', 'storage_full', undefined];
  expect([8, 10 + 256, 13, 5].map(codeOf)).toEqual(codes);
});

it('other errors are not reported as disk errors', () => {
  expect(storageError(diskError('EACCES', 'connect'))).toBeUndefined();
  expect(storageError(diskError('ENOENT', 'open'))).toBeUndefined();
  expect(storageError(Object.assign(new Error('no'), { code: 'ENOSPC' }))).toBeUndefined();
  expect(storageError('ENOSPC')).toBeUndefined();
});

it.each([
  ['ENOSPC', 507, 'storage_full'],
  ['EROFS', 503, 'storage_unavailable'],
])('every API reports the disk error %s with status %i', async (code, status, wanted) => {
  const service = await sharedService();
  const refuse = refusing(code);
  const api = {
    ...service.api,
    jobs: Object.assign(Object.create(service.api.jobs), { start: refuse }),
    calls: { ...service.api.calls, list: refuse },
    answers: Object.assign(Object.create(service.api.answers), { gaps: refuse }),
  };
  const app = createApp(parseConfig({}), api, service.logger);
  const ingest = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sources: ['Refunds are paid.'], wait: false }),
  };
  for (const [path, init] of [
    ['/api/tools/ingestSources', ingest],
    ['/v3/calls', { headers: { apikey: 'x' } }],
    ['/api/gaps', {}],
  ] as const) {
    const response = await app.request(path, init);
    const body: any = await response.json();
    const given = body.code ?? body.error.code.replace('ERR_', '').toLowerCase();
    expect([response.status, given]).toEqual([status, wanted]);
    expect(body.error.message ?? body.error).toMatch(/^The change was not saved: /);
    expect(JSON.stringify(body)).not.toContain('secret');
  }
});

it('a read-only disk that fails many requests is one line of the log, without a stack', async () => {
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line) => lines.push(line) });
  const { api } = await startService({}, {}, { logger });
  const failing = { ...api, calls: { ...api.calls, list: refusing('EROFS') } };
  const app = createApp(parseConfig({ RATE_LIMIT_PER_MINUTE: '0' }), failing, logger);
  for (let request = 0; request < 3; request++)
    expect((await app.request('/v3/calls', { headers: { apikey: 'x' } })).status).toBe(503);
  const [line, ...more] = lines.map((one) => JSON.parse(one));
  expect(line).toMatchObject({ level: 'warn', code: 'storage_unavailable' });
  expect([line.err, more]).toEqual([undefined, []]);
});

it('a failed ingest reports the reason without a path, and can be repeated', async () => {
  const { ingest, knowledgeDir } = await startService();
  await writeFiles(knowledgeDir, { taken: 'a file where a namespace would be' });
  const body = { namespace: 'taken', sources: ['Refunds are paid within 30 days.'] };
  const failed = await ingest(body);
  expect(failed.status).toBe(422);
  expect(failed.body.results[0].error).toEqual({
    code: 'storage_unavailable',
    message: 'The change was not saved: the server found a file in place of a folder.',
  });
  expect(JSON.stringify(failed.body)).not.toContain(knowledgeDir);
  await rm(join(knowledgeDir, 'taken'));
  expect((await ingest(body)).body.added).toBe(1);
});
