/**
 * Forward-only migrations, one per schema version; published ones never change. Servers wait for
 * the first one to migrate. A database of a later version is rejected, because its content could be
 * misread.
 */
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { answerDocumentTables, ratedAnswerTables } from '../answer-tables.ts';
import { conversationTables } from '../conversations.ts';
import { handOffTables } from '../hand-off-table.ts';
import { loopTables, reviewTables, threadColumns } from '../loop-tables.ts';
import { postgresDialect, tooNewError } from '../store.ts';
import { Database } from './database.ts';
import { migrateSearch } from './search-tables.ts';
import { tables } from './tables.ts';
import { vectorTables } from './vectors.ts';

/** The n-th entry migrates to version n. Its statements end in `;`. */
export const migrations: readonly string[] = [
  [
    tables,
    vectorTables,
    answerDocumentTables(postgresDialect),
    ratedAnswerTables(postgresDialect),
    conversationTables(postgresDialect),
    handOffTables(postgresDialect),
  ].join('\n'),
  loopTables(postgresDialect),
  reviewTables,
  threadColumns(postgresDialect),
];

/** Unreleased versions counted in this table. Its name is common, so other schemas do not count. */
const unreleasedTable = `
  SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'`;

type Migrated = Readonly<{ from: number; to: number }>;

/**
 * @param versions replaced in tests @throws KnowledgeError `storage_unavailable`; `internal` if a
 * later or an unreleased version made the tables
 */
export function migrate(
  database: Database,
  versions: readonly string[] = migrations,
): Promise<Migrated> {
  return database.transact(async ({ query, lock }) => {
    await lock('migrations');
    await query('CREATE TABLE IF NOT EXISTS table_version (version integer NOT NULL)');
    const [row] = await query<{ version: number }>('SELECT version FROM table_version');
    if (!row && (await query(unreleasedTable)).length > 0) throw unreleased();
    const from = row?.version ?? 0;
    if (from > versions.length)
      throw tooNewError('The database has tables of', from, versions.length);
    for (const statements of versions.slice(from)) await query(statements);
    if (!row) await query('INSERT INTO table_version VALUES ($1)', [versions.length]);
    else if (from < versions.length)
      await query('UPDATE table_version SET version = $1', [versions.length]);
    return { from, to: versions.length };
  });
}

/** Includes waiting for another server that migrates. */
const maxMigrationMs = 60_000;

/**
 * Creates or updates the tables. If several servers start, one migrates and the others wait.
 * @param hasSearch whether the search runs in the database too
 */
export async function prepareDatabase(url: string, hasSearch: boolean): Promise<Migrated> {
  const database = new Database({ url, statementTimeoutMs: maxMigrationMs, maxConnections: 2 });
  try {
    const migrated = await migrate(database);
    if (hasSearch) await migrateSearch(database);
    return migrated;
  } finally {
    await database.close();
  }
}

const unreleased = () =>
  new KnowledgeError(
    'internal',
    'The database has tables of an unreleased version. Drop them, or start with another DATABASE_URL.',
  );
