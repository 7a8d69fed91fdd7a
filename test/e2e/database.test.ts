import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { postgres } from '../support/postgres.ts';
import { runCommand } from '../support/run-command.ts';
import { startServerProcess } from '../support/server-process.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import { foldersIn, startService, temporaryFolder, writeFiles } from '../support/workspace.ts';

const run = (command: string, args: readonly string[], DATABASE_URL?: string) =>
  runCommand([command, ...args], DATABASE_URL === undefined ? {} : { DATABASE_URL });

it('creates the tables, imports and exports a folder, and a running server sees it', async () => {
  const url = await postgres.newDatabase();
  const [folder, out] = [await temporaryFolder(), join(await temporaryFolder(), 'out')];
  const files = {
    'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
    'docs/plans/prices.md': '# Prices\n\nA seat is 9 dollars.\n',
    'docs/.synonyms.txt': 'money back, refund\n',
    'docs/.messages.yaml': 'greeting: Hello from the docs!\n',
    '.messages.yaml': 'handoff: Write to us.\n',
  };
  expect((await run('migrate', ['--json'], url)).out).toContain('"from": 0');
  expect((await run('migrate', [], url)).out).toMatch(
    /^The tables are up to date \(version \d+\)\.\n$/,
  );
  const service = await startService({ DATABASE_URL: url });
  await writeFiles(folder, files);
  expect((await run('import', [folder], url)).out).toBe('5 added, 0 updated, 0 unchanged.\n');
  await expect
    .poll(
      async () =>
        (await service.find({ query: 'refunds', namespace: 'docs' })).body.results?.length,
    )
    .toBe(1);
  const changed = { 'docs/refunds.md': '# Refunds\n\nRefunds are paid within 60 days.\n' };
  await writeFiles(folder, changed);
  expect((await run('import', [folder], url)).out).toBe('0 added, 1 updated, 4 unchanged.\n');
  expect((await run('export', [out], url)).out).toBe(`Exported 5 documents to ${out}.\n`);
  for (const [path, text] of Object.entries({ ...files, ...changed }))
    expect(await readFile(join(out, path), 'utf8')).toBe(text);
  const again = await run('export', [out], url);
  expect([again.code, again.err]).toEqual([
    2,
    `${out} is not empty. Choose an empty or new folder.\nTry --help.\n`,
  ]);
});

it('answers and shuts down while the database is unreachable', async () => {
  const url = new URL(await postgres.newDatabase());
  const proxy = await openTcpProxy(Number(url.port));
  onTestFinished(() => proxy.close());
  url.port = String(proxy.port);
  const server = await startServerProcess({
    DATABASE_URL: url.href,
    ...foldersIn(await temporaryFolder()),
  });
  const sources = [{ title: 'Refunds', text: 'Refunds are paid within 30 days.' }];
  expect((await server.ingest({ namespace: 'docs', sources })).body.added).toBe(1);
  proxy.cut();
  const question = {
    messages: '@agent how long do refunds take?',
    memory: { thread: 't', resource: 'r' },
    toolParams: { namespace: 'docs' },
  };
  expect((await server.generate(question)).body.reason).toBe('answered');
  expect(await server.stop('SIGTERM')).toBe(0);
});

it('refuses a folder that mirrors another database', async () => {
  const KNOWLEDGE_DIR = join(await temporaryFolder(), 'knowledge');
  const service = await startService({ DATABASE_URL: await postgres.newDatabase(), KNOWLEDGE_DIR });
  await service.close();
  const another = startService({ DATABASE_URL: await postgres.newDatabase(), KNOWLEDGE_DIR });
  await expect(another).rejects.toThrow('mirrors another database');
});

it('reports a missing setting, an unreachable database and a missing folder', async () => {
  const without = await run('migrate', []);
  expect([without.code, without.err]).toEqual([
    1,
    'The settings have a problem:\n  DATABASE_URL: is missing; this command needs it\n',
  ]);
  const away = await run('migrate', [], 'postgres://user:secret@127.0.0.1:1/none');
  expect(away.code).toBe(1);
  expect(away.err).toMatch(/^The database is unreachable.* \(.*ECONNREFUSED.*\)\.$/m);
  expect(away.err).not.toContain('secret');
  expect((await run('import', ['/nowhere/at/all'], await postgres.newDatabase())).err).toContain(
    'is not a readable folder',
  );
});
