import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { storageError } from '../../packages/shared/src/errors.ts';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { createLogger } from '../../src/log.ts';
import { sharedService, startService } from '../support/workspace.ts';

const diskError = (code: string, syscall = 'write') =>
  Object.assign(new Error(`${code}: no more, ${syscall} '/srv/secret/x.md'`), {
    code,
    syscall,
    path: '/srv/secret/x.md',
  });

it.each([
  ['ENOSPC', 'storage_full', 507],
  ['EDQUOT', 'storage_full', 507],
  ['EROFS', 'storage_unavailable', 503],
  ['EACCES', 'storage_unavailable', 503],
  ['EIO', 'storage_unavailable', 503],
])(
  'a disk error %s is reported in a sentence with the code %s',
  async (code, expectedCode, status) => {
    const service = await sharedService();
    const refuse = () => Promise.reject(new Error('not written', { cause: diskError(code) }));
    const api = {
      ...service.api,
      jobs: Object.assign(Object.create(service.api.jobs), { start: refuse }),
      calls: { ...service.api.calls, list: refuse },
      answers: Object.assign(Object.create(service.api.answers), { gaps: refuse }),
    };
    const app = createApp(parseConfig({}), api, service.logger);
    const send = async (path: string, init?: RequestInit) => {
      const response = await app.request(path, init);
      const body: any = await response.json();
      return { status: response.status, body };
    };
    const job = await send('/api/tools/ingestSources', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sources: ['Refunds are paid.'], wait: false }),
    });
    const call = await send('/v3/calls', { headers: { apikey: 'x' } });
    const gaps = await send('/api/gaps');
    expect([job.status, call.status, gaps.status]).toEqual([status, status, status]);
    expect([job.body.code, call.body.error.code]).toEqual([
      expectedCode,
      `ERR_${expectedCode.toUpperCase()}`,
    ]);
    for (const { body } of [job, call, gaps]) {
      expect(body.error.message ?? body.error).toMatch(/^The change was not saved: /);
      expect(JSON.stringify(body)).not.toContain('secret');
    }
  },
);

it('a full, broken or read-only database is reported the same way', () => {
  const codes = ['storage_unavailable', 'storage_unavailable', 'storage_full', undefined];
  const codeOf = (more: object) =>
    storageError(new Error('not deleted', { cause: Object.assign(new Error('full'), more) }))?.code;
  const results = [8, 10 + 256, 13, 5];
  expect(results.map((errcode) => codeOf({ code: 'ERR_SQLITE_ERROR', errcode }))).toEqual(codes);
});

it('a read-only disk that fails many requests is one line of the log, without a stack', async () => {
  const lines: string[] = [];
  const logger = createLogger('warn', { write: (line) => lines.push(line) });
  const service = await startService({}, {}, { logger });
  const refuse = () => Promise.reject(new Error('not written', { cause: diskError('EROFS') }));
  const api = { ...service.api, calls: { ...service.api.calls, list: refuse } };
  const app = createApp(parseConfig({ RATE_LIMIT_PER_MINUTE: '0' }), api, logger);
  for (let request = 0; request < 3; request++)
    expect((await app.request('/v3/calls', { headers: { apikey: 'x' } })).status).toBe(503);
  const [line, ...more] = lines.map((one) => JSON.parse(one));
  expect(line).toMatchObject({ level: 'warn', code: 'storage_unavailable' });
  expect([line.err, more]).toEqual([undefined, []]);
});

it('other errors are not reported as disk errors', () => {
  expect(storageError(diskError('EACCES', 'connect'))).toBeUndefined();
  expect(storageError(diskError('ENOENT', 'open'))).toBeUndefined();
  expect(storageError(Object.assign(new Error('no'), { code: 'ENOSPC' }))).toBeUndefined();
  expect(storageError('ENOSPC')).toBeUndefined();
});

describe('a failed ingest', () => {
  it('reports the reason without a path, and keeps existing documents', async () => {
    const { post, knowledgeDir, folder } = await startService(
      {},
      { 'default/a.md': '# A\n\nText stays.\n' },
    );
    await writeFile(join(knowledgeDir, 'taken'), 'a file where a namespace would be');
    const ingest = { namespace: 'taken', sources: ['Refunds are paid within 30 days.'] };
    const { status, body } = await post('/api/tools/ingestSources', ingest);
    expect(status).toBe(422);
    expect(body.results[0].error).toEqual({
      code: 'storage_unavailable',
      message: 'The change was not saved: the server found a file in place of a folder.',
    });
    expect(JSON.stringify(body)).not.toContain(folder);
    await rm(join(knowledgeDir, 'taken'));
    expect((await post('/api/tools/ingestSources', ingest)).body.added).toBe(1);
  });
});
