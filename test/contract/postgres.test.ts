import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/records/postgres/database.ts';
import { migrate, migrations } from '../../src/records/postgres/migrations.ts';
import { advisoryLocks } from '../../src/records/store.ts';
import { postgres } from '../support/postgres.ts';
import { startService } from '../support/workspace.ts';

it('concurrent servers create the tables once', async () => {
  const url = await postgres.newDatabase();
  const databases = [1, 2, 3].map(() => new Database({ url }));
  const made = await Promise.all(databases.map((database) => migrate(database)));
  expect(made.filter(({ from }) => from === 0)).toHaveLength(1);
  for (const database of databases) await database.close();
});

it('rejects the tables of a later version', async () => {
  const database = new Database({ url: await postgres.newDatabase() });
  await migrate(database, [...migrations, 'CREATE TABLE later ();']);
  await expect(migrate(database)).rejects.toThrow('a later version');
  await database.close();
});

it('rejects the tables of an unreleased version, and changes nothing', async () => {
  const url = await postgres.newDatabase();
  const database = new Database({ url });
  onTestFinished(() => database.close());
  await database.query('CREATE TABLE schema_version (version integer NOT NULL)');
  // Version 1 of the earlier numbering.
  await database.query('INSERT INTO schema_version VALUES (1)');
  const problem =
    'The database has tables of an unreleased version. Drop them, or start with another DATABASE_URL.';
  await expect(migrate(database)).rejects.toThrow(problem);
  await expect(startService({ DATABASE_URL: url })).rejects.toThrow(problem);
  const tables = await database.query(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  expect(tables).toEqual([{ name: 'schema_version' }]);
});

it('accepts a table of that name in another schema', async () => {
  const database = new Database({ url: await postgres.newDatabase() });
  onTestFinished(() => database.close());
  await database.query('CREATE SCHEMA another');
  await database.query('CREATE TABLE another.schema_version (version integer NOT NULL)');
  expect(await migrate(database)).toEqual({ from: 0, to: migrations.length });
  expect(await migrate(database)).toEqual({ from: migrations.length, to: migrations.length });
});

it('migrates an older database and keeps its rows', async () => {
  const database = new Database({ url: await postgres.newDatabase() });
  onTestFinished(() => database.close());
  await migrate(database);
  await database.query("INSERT INTO schedules VALUES ('docs', '[]')");
  const later = [...migrations, "ALTER TABLE schedules ADD COLUMN kind text DEFAULT 'plain';"];
  expect(await migrate(database, later)).toEqual({ from: migrations.length, to: later.length });
  expect(await database.query('SELECT namespace, kind FROM schedules')).toEqual([
    { namespace: 'docs', kind: 'plain' },
  ]);
});

it('needs no rights beyond its own schema', async () => {
  const url = await postgres.newDatabase();
  const admin = new Database({ url });
  await admin.query("CREATE ROLE plain LOGIN PASSWORD 'plain'");
  await admin.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
  await admin.query('CREATE SCHEMA agent AUTHORIZATION plain');
  await admin.query('ALTER ROLE plain SET search_path = agent');
  await admin.close();
  const plain = new URL(url);
  [plain.username, plain.password] = ['plain', 'plain'];
  const service = await startService({ DATABASE_URL: plain.href });
  const { body } = await service.ingest({
    namespace: 'docs',
    sources: [{ text: 'Refunds are paid.', title: 'Refunds' }],
  });
  expect(body.added).toBe(1);
});

it('builds statements only from constants in its own file', () => {
  const folder = new URL('../../src/records/postgres/', import.meta.url);
  for (const name of readdirSync(folder)) {
    const code = readFileSync(new URL(name, folder), 'utf8');
    const imported = [...code.matchAll(/^import \{([^}]+)\}/gm)].flatMap(([, names = '']) =>
      names.split(',').map((one) => one.trim()),
    );
    const constants = new Set([
      ...imported,
      ...[...code.matchAll(/^(?:export )?const (\w+) = /gm)].map(([, constant]) => constant),
    ]);
    const statements =
      code.match(
        /(['"`])\s*(?:WITH|SELECT|INSERT|UPDATE|DELETE|CREATE|SET|TRUNCATE|ALTER|DROP)\b(?:(?!\1)[\s\S])*\1/g,
      ) ?? [];
    for (const statement of statements)
      for (const [, part = ''] of statement.matchAll(/\$\{([^}]*)\}/g))
        expect([...constants], `${name}: ${statement}`).toContain(part);
  }
});

it('reports an unreachable database, and uses it again when it is back', async () => {
  const database = new Database({ url: await postgres.newDatabase(), timeoutMs: 5_000 });
  await migrate(database);
  await postgres.kill();
  await expect(database.query('SELECT 1')).rejects.toMatchObject({
    code: 'storage_unavailable',
    retryAfterSeconds: 5,
  });
  await postgres.start();
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await database.close();
});

it('waits for a connection while all are in use, in the pool or in the database', async () => {
  const url = new URL(await postgres.newDatabase());
  const admin = new Database({ url: url.href });
  await admin.query("CREATE ROLE single LOGIN PASSWORD 'single' CONNECTION LIMIT 1");
  await admin.close();
  [url.username, url.password] = ['single', 'single'];
  const databases = [1, 2].map(
    () =>
      new Database({
        url: url.href,
        maxConnections: 1,
        timeoutMs: 1_500,
        statementTimeoutMs: 30_000,
      }),
  );
  onTestFinished(async () => {
    for (const database of databases) await database.close();
  });
  const [one, other] = databases as [Database, Database];
  let waiting: Promise<unknown>[] = [];
  await one.transact(async ({ query }) => {
    await query('SELECT 1');
    waiting = [one.query('SELECT 1 AS one'), other.query('SELECT 1 AS one')];
    await query('SELECT pg_sleep(2)');
  });
  expect(await waiting[0]).toEqual([{ one: 1 }]);
  await one.close();
  expect(await waiting[1]).toEqual([{ one: 1 }]);
});

it('defines each advisory lock once, in one file', () => {
  const keys = Object.values(advisoryLocks);
  expect(new Set(keys).size).toBe(keys.length);
  const root = new URL('../../src/', import.meta.url);
  const others = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /^(?:postgres|mastra)\/.*\.ts$/.test(path) && !path.endsWith('/locks.ts'),
  );
  const literals = others.filter((path) =>
    /4_?111_?\d{3}|advisory\w*\(\s*\d|[lL]ocks?\b[^=\n]*= \d/.test(
      readFileSync(new URL(path, root), 'utf8'),
    ),
  );
  expect(literals).toEqual([]);
});
