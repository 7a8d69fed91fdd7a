import { readdirSync, readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { Database } from '../../src/records/postgres/database.ts';
import { migrate, migrations } from '../../src/records/postgres/migrations.ts';
import { advisoryLocks } from '../../src/records/store.ts';
import { postgres } from '../support/postgres.ts';
import { startService } from '../support/workspace.ts';

function open(url: string, limits: object = {}) {
  const database = new Database({ url, ...limits });
  onTestFinished(() => database.close());
  return database;
}
const openNew = async () => open(await postgres.newDatabase());

/** Creates a role whose password is its name. @returns the URL of a new database with this role */
async function urlOfRole(name: string, statements: readonly string[]): Promise<string> {
  const url = new URL(await postgres.newDatabase());
  const admin = open(url.href);
  for (const statement of statements) await admin.query(statement);
  url.username = name;
  url.password = name;
  return url.href;
}

it('concurrent servers create the tables once', async () => {
  const url = await postgres.newDatabase();
  const made = await Promise.all([1, 2, 3].map(() => migrate(open(url))));
  expect(made.filter(({ from }) => from === 0)).toHaveLength(1);
});

it('rejects the tables of a later version', async () => {
  const database = await openNew();
  await migrate(database, [...migrations, 'CREATE TABLE later ();']);
  await expect(migrate(database)).rejects.toThrow('a later version');
});

it('rejects the tables of an unreleased version, and changes nothing', async () => {
  const url = await postgres.newDatabase();
  const database = open(url);
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

it('migrates an older database and keeps its rows, whatever another schema contains', async () => {
  const database = await openNew();
  await database.query('CREATE SCHEMA another');
  await database.query('CREATE TABLE another.schema_version (version integer NOT NULL)');
  const released = migrations.length;
  expect(await migrate(database)).toEqual({ from: 0, to: released });
  expect(await migrate(database)).toEqual({ from: released, to: released });
  await database.query("INSERT INTO schedules VALUES ('docs', '[]')");
  const later = [...migrations, "ALTER TABLE schedules ADD COLUMN kind text DEFAULT 'plain';"];
  expect(await migrate(database, later)).toEqual({ from: released, to: released + 1 });
  expect(await database.query('SELECT namespace, kind FROM schedules')).toEqual([
    { namespace: 'docs', kind: 'plain' },
  ]);
});

it('needs no rights beyond its own schema', async () => {
  const DATABASE_URL = await urlOfRole('plain', [
    "CREATE ROLE plain LOGIN PASSWORD 'plain'",
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    'CREATE SCHEMA agent AUTHORIZATION plain',
    'ALTER ROLE plain SET search_path = agent',
  ]);
  const { ingest } = await startService({ DATABASE_URL });
  const { body } = await ingest({ namespace: 'docs', sources: ['Refunds are paid.'] });
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

it('waits for a connection while all are in use, in the pool or in the database', async () => {
  const role = "CREATE ROLE single LOGIN PASSWORD 'single' CONNECTION LIMIT 1";
  const url = await urlOfRole('single', [role]);
  const limits = { maxConnections: 1, timeoutMs: 1_500, statementTimeoutMs: 30_000 };
  const one = open(url, limits);
  const other = open(url, limits);
  let waiting: Promise<unknown>[] = [];
  await one.transact(async ({ query }) => {
    await query('SELECT 1');
    waiting = [one, other].map((database) => database.query('SELECT 1 AS one'));
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
    (path) => /^records\/.*\.ts$/.test(path) && path !== 'records/store.ts',
  );
  const literals = others.filter((path) =>
    /4_?111_?\d{3}|advisory\w*\(\s*\d|[lL]ocks?\b[^=\n]*= \d/.test(
      readFileSync(new URL(path, root), 'utf8'),
    ),
  );
  expect(literals).toEqual([]);
});
