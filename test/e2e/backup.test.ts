import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

async function setUp() {
  const folder = await temporaryFolder();
  const settings = { KNOWLEDGE_DIR: join(folder, 'knowledge'), STATE_DIR: join(folder, 'state'), INDEX_DIR: join(folder, 'index') };
  const run = async (command: string, args: readonly string[], more: Record<string, string> = {}) => {
    const env = { PATH: process.env['PATH'], ...settings, ...more };
    return promisify(execFile)(process.execPath, ['src/cli/main.ts', command, ...args], { cwd: root, env }).then(
      ({ stdout }) => ({ code: 0, out: stdout, err: '' }),
      ({ code, stdout, stderr }) => ({ code, out: stdout as string, err: stderr as string }),
    );
  };
  return { folder, settings, run };
}

const answerOf = async (server: { url: string }, runId: string) => (await fetch(`${server.url}/api/answers/${runId}`)).status;
const asked = { messages: '@agent within how many days are refunds paid?', toolParams: { namespace: 'docs' } };

it('puts back the documents and the state of a server that was running, whatever was deleted since', async () => {
  const { folder, settings, run } = await setUp();
  await writeFiles(settings.KNOWLEDGE_DIR, {
    'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
    'docs/.synonyms.txt': 'refund, repayment\n',
    'docs/deep/fees.md': '# Fees\n\nThe fee is 3 %.\n',
  });
  let server = await startServerProcess(settings);
  const { body } = await server.post('/api/agents/knowledge/generate', asked);
  expect(await answerOf(server, body.runId)).toBe(200);
  const file = join(folder, 'backup.zip');
  expect(await run('backup', [file])).toMatchObject({ code: 0, out: expect.stringContaining('has 4 files') });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await run('backup', [file])).toMatchObject({ code: 1, err: expect.stringContaining('exists already') });

  const { documentId } = body.citations[0];
  expect((await fetch(`${server.url}/api/namespaces/docs/documents/${documentId}`, { method: 'DELETE' })).status).toBe(200);
  expect(await answerOf(server, body.runId)).toBe(404);
  expect(await run('restore', [file])).toMatchObject({ code: 1, err: expect.stringContaining('stop it first') });
  expect(existsSync(join(settings.KNOWLEDGE_DIR, 'docs/refunds.md'))).toBe(false);
  await server.stop('SIGTERM');
  expect(readdirSync(settings.STATE_DIR).filter((name) => name.startsWith('state.db'))).toEqual(['state.db']);

  const restored = JSON.parse((await run('restore', [file, '--json'])).out);
  expect(restored).toMatchObject({
    files: 4,
    aside: [expect.stringContaining('.before-restore-'), expect.stringContaining('.before-restore-')],
  });
  server = await startServerProcess(settings);
  expect(await answerOf(server, body.runId)).toBe(200);
  expect((await server.post('/api/agents/knowledge/generate', asked)).body.citations[0].quote).toContain('30 days');
  expect(readdirSync(join(settings.KNOWLEDGE_DIR, 'docs')).sort()).toEqual(['.synonyms.txt', 'deep', 'refunds.md']);
});

it('loses nothing but time where INDEX_DIR is deleted, stopped or running', async () => {
  const { settings } = await setUp();
  await writeFiles(settings.KNOWLEDGE_DIR, { 'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' });
  let server = await startServerProcess(settings);
  const { body } = await server.post('/api/agents/knowledge/generate', asked);
  const remove = () => rm(settings.INDEX_DIR, { recursive: true, force: true });
  await remove();
  expect((await server.post('/api/tools/searchDocs', { namespace: 'docs', query: 'refunds' })).body.results).toHaveLength(1);
  expect(
    (await server.post('/api/tools/ingestSources', { namespace: 'docs', sources: [{ text: 'Parcels leave on Monday.', title: 'p' }] })).body
      .added,
  ).toBe(1);
  await server.stop('SIGTERM');
  await remove();
  server = await startServerProcess(settings);
  expect(await answerOf(server, body.runId)).toBe(200);
  expect((await server.post('/api/tools/searchDocs', { namespace: 'docs', query: 'parcels' })).body.results).toHaveLength(1);
});

it('goes on with the state of a server that had only INDEX_DIR', async () => {
  const { settings } = await setUp();
  await writeFiles(settings.KNOWLEDGE_DIR, { 'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' });
  const { STATE_DIR: _, ...before } = settings;
  let server = await startServerProcess(before);
  const { body } = await server.post('/api/agents/knowledge/generate', asked);
  await server.stop('SIGTERM');
  expect(existsSync(join(settings.INDEX_DIR, 'state.db'))).toBe(true);
  server = await startServerProcess(settings);
  expect(await answerOf(server, body.runId)).toBe(200);
  expect(existsSync(join(settings.INDEX_DIR, 'state.db'))).toBe(false);
});

it('refuses what is no backup, what a database holds, and wrong arguments', async () => {
  const { folder, settings, run } = await setUp();
  await writeFiles(settings.KNOWLEDGE_DIR, { 'docs/a.md': '# A\n\nText.\n' });
  await writeFile(join(folder, 'text.zip'), 'this is no ZIP file');
  expect(await run('restore', [join(folder, 'text.zip')])).toMatchObject({ code: 1, err: expect.stringContaining('is not a backup') });
  expect(existsSync(join(settings.KNOWLEDGE_DIR, 'docs/a.md'))).toBe(true);
  expect(await run('backup', [join(folder, 'b.zip')], { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' })).toMatchObject({
    code: 1,
    err: expect.stringContaining('pg_dump'),
  });
  expect(await run('backup', [])).toMatchObject({ code: 2 });
  expect((await run('restore', ['--help'])).out).toContain('Stop the server first');
  expect(readdirSync(folder).sort()).toEqual(['index', 'knowledge', 'state', 'text.zip'].filter((name) => existsSync(join(folder, name))));
});
