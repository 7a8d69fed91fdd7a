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
const refusing = (code: string) => () => Promise.reject(caused(diskError(code)));

const sqliteError = (errcode: number) =>
  Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errcode });
const caused = (cause: unknown) => new Error('not written', { cause });

it.each<[string | undefined, string, unknown]>([
  ['storage_full', 'ENOSPC', caused(diskError('ENOSPC'))],
  ['storage_full', 'EDQUOT', caused(diskError('EDQUOT'))],
  ['storage_unavailable', 'EROFS', caused(diskError('EROFS'))],
  ['storage_unavailable', 'EACCES', caused(diskError('EACCES'))],
  ['storage_unavailable', 'EIO', caused(diskError('EIO'))],
  ['storage_full', 'a full database', caused(sqliteError(13))],
  ['storage_unavailable', 'a read-only database', caused(sqliteError(8))],
  ['storage_unavailable', 'a broken database', caused(sqliteError(10 + 256))],
  [undefined, 'a busy database', caused(sqliteError(5))],
  [undefined, 'a refused connection', diskError('EACCES', 'connect')],
  [undefined, 'a missing file', diskError('ENOENT', 'open')],
  [undefined, 'no system call', Object.assign(new Error('no'), { code: 'ENOSPC' })],
  [undefined, 'no error', 'ENOSPC'],
])('reports as %s: %s', (code, _, error) => {
  expect(storageError(error)?.code).toBe(code);
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
  const body = JSON.stringify({ sources: ['Refunds are paid.'], wait: false });
  const headers = { 'content-type': 'application/json' };
  for (const [path, init] of [
    ['/api/tools/ingestSources', { method: 'POST', headers, body }],
    ['/v3/calls', { headers: { apikey: 'x' } }],
    ['/api/gaps', {}],
  ] as const) {
    const response = await app.request(path, init);
    const answer: any = await response.json();
    const given = answer.code ?? answer.error.code.replace('ERR_', '').toLowerCase();
    expect([response.status, given]).toEqual([status, wanted]);
    expect(answer.error.message ?? answer.error).toMatch(/^The change was not saved: /);
    expect(JSON.stringify(answer)).not.toContain('secret');
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
  const message = 'The change was not saved: the server found a file in place of a folder.';
  expect(failed.body.results[0].error).toEqual({ code: 'storage_unavailable', message });
  expect(JSON.stringify(failed.body)).not.toContain(knowledgeDir);
  await rm(join(knowledgeDir, 'taken'));
  expect((await ingest(body)).body.added).toBe(1);
});
