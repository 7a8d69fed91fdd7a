import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase } from '../../src/postgres/database.ts';
import { migrate, migrations } from '../../src/postgres/migrations.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

it('makes the tables once, whoever comes first', async () => {
  const url = await postgres.newDatabase();
  const databases = [1, 2, 3].map(() => createDatabase({ url }));
  const made = await Promise.all(databases.map((database) => migrate(database)));
  expect(made.filter(({ from }) => from === 0)).toHaveLength(1);
  for (const database of databases) await database.close();
});

it.each(migrations.map((_, version) => version))('brings the tables of version %i forward', async (version) => {
  const database = createDatabase({ url: await postgres.newDatabase() });
  await migrate(database, migrations.slice(0, version));
  expect(await migrate(database)).toEqual({ from: version, to: migrations.length });
  await database.close();
});

it('refuses the tables of a later version', async () => {
  const database = createDatabase({ url: await postgres.newDatabase() });
  await migrate(database, [...migrations, 'CREATE TABLE later ();']);
  await expect(migrate(database)).rejects.toThrow('a later version');
  await database.close();
});

it('tells within seconds that the database is away', async () => {
  const database = createDatabase({ url: await postgres.newDatabase(), timeoutMs: 500 });
  await migrate(database);
  await postgres.kill();
  await expect(database.query('SELECT 1')).rejects.toMatchObject({ code: 'storage_unavailable', retryAfterSeconds: 5 });
  await postgres.start();
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await database.close();
});
