/**
 * Forward-only migrations, one per schema version; published ones never change. Servers wait for
 * the first one to migrate. A database of a later version is rejected, because its content could be
 * misread.
 */
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { answerDocumentTables, answerTables, ratedAnswerTables } from '../answer-tables.ts';
import { conversationTables } from '../conversations.ts';
import { handOffTables } from '../hand-off-table.ts';
import { loopTables, reviewTables, threadColumns } from '../loop-tables.ts';
import { scheduleTables } from '../schedule-table.ts';
import { postgresDialect, tooNewError } from '../store.ts';
import { Database } from './database.ts';
import { vectorTables } from './vectors.ts';

const keyText = postgresDialect.keyText;
const answers = answerTables(postgresDialect);
const schedules = scheduleTables(postgresDialect);
/** Tables of the documents, and those of the state whose columns differ from SQLite. */
const tables = `
  CREATE TABLE installation (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), id uuid NOT NULL DEFAULT gen_random_uuid(),
    system_identifier text);
  INSERT INTO installation (system_identifier) SELECT system_identifier::text FROM pg_control_system();
  CREATE SEQUENCE document_version;
  CREATE TABLE namespaces (name ${keyText} PRIMARY KEY, generation bigint NOT NULL DEFAULT 0);
  CREATE TABLE documents (
    namespace ${keyText} NOT NULL, file ${keyText} NOT NULL,
    generation bigint NOT NULL, content bytea, revision text,
    version bigint NOT NULL DEFAULT nextval('document_version'),
    changed xid8 NOT NULL DEFAULT pg_current_xact_id(),
    changed_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (namespace, file),
    CHECK ((content IS NULL) = (revision IS NULL)));
  CREATE INDEX documents_changed ON documents (changed);
  CREATE INDEX documents_removed ON documents (changed_at) WHERE content IS NULL;
  ${answers}
  CREATE TABLE feedback (
    id bigint GENERATED ALWAYS AS IDENTITY, run_id ${keyText} NOT NULL
    REFERENCES answers (run_id) ON DELETE CASCADE,
    caller ${keyText} NOT NULL, rating text NOT NULL, comment text, given_at text NOT NULL,
    PRIMARY KEY (run_id, caller));
  CREATE TABLE gaps (
    id bigint GENERATED ALWAYS AS IDENTITY, namespace ${keyText} NOT NULL,
    wording ${keyText} NOT NULL, topic text NOT NULL,
    question text NOT NULL, count integer NOT NULL, first_asked_at ${keyText} NOT NULL,
    last_asked_at ${keyText} NOT NULL,
    coverage double precision NOT NULL, closest text NOT NULL, PRIMARY KEY (namespace, wording));
  CREATE TABLE model_tokens (
    day ${keyText}, key ${keyText}, tokens bigint NOT NULL, PRIMARY KEY (day, key));
  CREATE TABLE chat_deliveries (
    key ${keyText} PRIMARY KEY, taken_until timestamptz NOT NULL,
    is_settled boolean NOT NULL DEFAULT false);
  ${schedules}
  CREATE TABLE jobs (
    id ${keyText} PRIMARY KEY, namespace ${keyText} NOT NULL, owner text NOT NULL,
    arrived timestamptz NOT NULL DEFAULT clock_timestamp(), claimed timestamptz,
    ended boolean NOT NULL DEFAULT false,
    cancelled boolean NOT NULL DEFAULT false, forgotten text[] NOT NULL DEFAULT '{}',
    edition integer NOT NULL DEFAULT 0, runner uuid,
    leased_until timestamptz);
  CREATE TABLE job_lines (
    job ${keyText} NOT NULL REFERENCES jobs ON DELETE CASCADE,
    position bigint GENERATED ALWAYS AS IDENTITY, line text NOT NULL,
    document ${keyText}, PRIMARY KEY (job, position));
  CREATE INDEX job_lines_document ON job_lines (document) WHERE document IS NOT NULL;`;

/** The n-th entry migrates to version n. Its statements end in `;`. */
export const migrations: readonly string[] = [
  [
    tables,
    vectorTables,
    ...[answerDocumentTables, ratedAnswerTables, conversationTables, handOffTables].map(
      (tablesIn) => tablesIn(postgresDialect),
    ),
  ].join('\n'),
  loopTables(postgresDialect),
  reviewTables,
  threadColumns(postgresDialect),
];

/** Unreleased versions counted in this table. Its name is common, so other schemas do not count. */
const unreleasedTable = `
  SELECT FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'schema_version'`;

/**
 * @param versions replaced in tests @throws KnowledgeError `storage_unavailable`; `internal` if a
 * later or an unreleased version made the tables
 */
export function migrate(database: Database, versions: readonly string[] = migrations) {
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

/** Creates or updates the tables. If several servers start, one migrates and the others wait. */
export async function prepareDatabase(url: string) {
  const database = new Database({ url, statementTimeoutMs: maxMigrationMs, maxConnections: 2 });
  try {
    return await migrate(database);
  } finally {
    await database.close();
  }
}

const unreleased = () =>
  new KnowledgeError(
    'internal',
    'The database has tables of an unreleased version. Drop them, or start with another DATABASE_URL.',
  );
