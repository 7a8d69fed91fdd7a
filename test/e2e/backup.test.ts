import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FolderLock } from '../../packages/shared/src/disk/folder-lock.ts';
import { replaceFile } from '../../packages/shared/src/disk/replace-file.ts';
import { runCommand } from '../support/run-command.ts';
import {
  foldersIn,
  startService,
  type TestService,
  temporaryFolder,
  writeFiles,
} from '../support/workspace.ts';

const refunds = { 'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' };

async function setUp() {
  const folder = await temporaryFolder();
  const settings = {
    ...foldersIn(folder),
    STATE_DIR: join(folder, 'state'),
  };
  const run = (command: string, args: readonly string[], more: Record<string, string> = {}) =>
    runCommand([command, ...args], { ...settings, ...more });
  return { folder, settings, run };
}

const answerOf = async (service: TestService, runId: string) =>
  (await service.get(`/api/answers/${runId}`)).status;
const ask = async (service: TestService) => {
  const messages = '@agent within how many days are refunds paid?';
  return (await service.generate({ messages, toolParams: { namespace: 'docs' } })).body;
};
const failsWith = (sentence: string) => ({ code: 1, err: expect.stringContaining(sentence) });
const found = async (service: TestService, query: string) =>
  (await service.find({ namespace: 'docs', query })).body.results.length;

it('restores documents and state from a backup of a running server, even deleted ones', async () => {
  const { folder, settings, run } = await setUp();
  await writeFiles(settings.KNOWLEDGE_DIR, {
    ...refunds,
    'docs/.synonyms.txt': 'refund, repayment\n',
    'docs/deep/fees.md': '# Fees\n\nThe fee is 3 %.\n',
  });
  let service = await startService(settings);
  // A running server holds this lock.
  await mkdir(settings.STATE_DIR, { recursive: true });
  const silent = { onWarning: () => undefined, onReplaced: () => undefined };
  const lock = new FolderLock(settings.STATE_DIR, silent);
  const { runId, citations } = await ask(service);
  expect(await answerOf(service, runId)).toBe(200);
  const file = join(folder, 'backup.zip');
  expect(await run('backup', [file])).toMatchObject({
    code: 0,
    out: expect.stringContaining(': 4 files'),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await run('backup', [file])).toMatchObject(failsWith('already exists'));

  const removed = await service.request(
    `/api/namespaces/docs/documents/${citations[0].documentId}`,
    { method: 'DELETE' },
  );
  expect(removed.status).toBe(200);
  expect(await answerOf(service, runId)).toBe(404);
  expect(await run('restore', [file])).toMatchObject(failsWith('Stop it first'));
  expect(existsSync(join(settings.KNOWLEDGE_DIR, 'docs/refunds.md'))).toBe(false);
  await service.close();
  lock.release();
  // So does a server with these documents and another STATE_DIR.
  const ofDocuments = new FolderLock(settings.KNOWLEDGE_DIR, { isHidden: true, ...silent });
  expect(await run('restore', [file])).toMatchObject(
    failsWith(`A server uses ${settings.KNOWLEDGE_DIR}`),
  );
  ofDocuments.release();
  expect(readdirSync(settings.STATE_DIR).filter((name) => name.startsWith('state.db'))).toEqual([
    'state.db',
  ]);

  const restored = JSON.parse((await run('restore', [file, '--json'])).out);
  expect(restored).toMatchObject({
    files: 4,
    aside: [
      expect.stringContaining('.before-restore-'),
      expect.stringContaining('.before-restore-'),
    ],
  });
  service = await startService(settings);
  expect(await answerOf(service, runId)).toBe(200);
  expect((await ask(service)).citations[0].quote).toContain('30 days');
  expect(readdirSync(join(settings.KNOWLEDGE_DIR, 'docs')).sort()).toEqual([
    '.synonyms.txt',
    'deep',
    'refunds.md',
  ]);
});

it('backs up documents while they are replaced and deleted, without files of the server', async () => {
  const { folder, settings, run } = await setUp();
  const names = Array.from({ length: 200 }, (_, at) => `docs/a${at}.md`);
  await writeFiles(settings.KNOWLEDGE_DIR, {
    ...Object.fromEntries(names.map((name) => [name, '# A\n\nText.\n'])),
    'lost+found/a.md': 'x',
    '.removed-docs/a.md': 'x',
    'docs/.a.md.0f8fad5b-d9cb-469f-a165-70867728950e.tmp': 'x',
  });
  const file = join(folder, 'backup.zip');
  let isOver = false;
  const backup = run('backup', [file, '--json']).finally(() => (isOver = true));
  for (let at = 0; !isOver && at < names.length; at = (at + 1) % names.length) {
    const path = join(settings.KNOWLEDGE_DIR, names[at] ?? '');
    const text = `# A\n\n${'Text. '.repeat(at)}`;
    await (at % 2 ? rm(path, { force: true }) : replaceFile(path, (file) => file.write(text)));
  }
  const { code, out } = await backup;
  expect(code).toBe(0);
  const { files } = JSON.parse(out);
  expect(files).toBeGreaterThanOrEqual(100);
  expect(files).toBeLessThanOrEqual(200);
  expect(readdirSync(folder).sort()).toEqual(['backup.zip', 'knowledge']);
  expect(JSON.parse((await run('restore', [file, '--json'])).out)).toMatchObject({ files });
});

it('moves state from INDEX_DIR to STATE_DIR and rebuilds a deleted INDEX_DIR', async () => {
  const { settings } = await setUp();
  await writeFiles(settings.KNOWLEDGE_DIR, refunds);
  const { STATE_DIR: _, ...before } = settings;
  let service = await startService(before);
  const { runId } = await ask(service);
  const restart = async () => {
    await service.close();
    service = await startService(settings);
    expect(await answerOf(service, runId)).toBe(200);
  };
  expect(await answerOf(service, runId)).toBe(200);
  expect(existsSync(join(settings.INDEX_DIR, 'state.db'))).toBe(true);
  await restart();
  expect(existsSync(join(settings.INDEX_DIR, 'state.db'))).toBe(false);

  await rm(settings.INDEX_DIR, { recursive: true, force: true });
  expect(await found(service, 'refunds')).toBe(1);
  const sources = [{ text: 'Parcels leave on Monday.', title: 'p' }];
  expect((await service.ingest({ namespace: 'docs', sources })).body.added).toBe(1);
  await service.close();
  await rm(settings.INDEX_DIR, { recursive: true, force: true });
  await restart();
  expect(await found(service, 'parcels')).toBe(1);
});

it('rejects invalid backups, data in a database and wrong arguments', async () => {
  const { folder, settings, run } = await setUp();
  await writeFiles(settings.KNOWLEDGE_DIR, { 'docs/a.md': '# A\n\nText.\n' });
  await writeFile(join(folder, 'text.zip'), 'not a ZIP file');
  for (const [command, file, sentence, more] of [
    ['restore', 'text.zip', 'is not a backup', {}],
    ['restore', 'missing.zip', 'missing.zip does not exist', {}],
    ['backup', 'b.zip', 'pg_dump', { DATABASE_URL: 'postgres://u:p@127.0.0.1:1/d' }],
  ] as const)
    expect(await run(command, [join(folder, file)], more)).toMatchObject(failsWith(sentence));
  expect(existsSync(join(settings.KNOWLEDGE_DIR, 'docs/a.md'))).toBe(true);
  expect(await run('backup', [])).toMatchObject({ code: 2 });
  expect(readdirSync(folder).filter((name) => name.includes('.zip'))).toEqual(['text.zip']);
});
