/**
 * Forward-only migrations, one per schema version; published ones never change. Servers wait for
 * the first one to migrate. A database of a later version is rejected, because its content could be
 * misread.
 */
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { answerDocumentTables, fillAnswerDocuments, ratedAnswerTables } from '../state/answers.ts';
import { conversationTables } from '../state/conversations.ts';
import { handOffTables } from '../state/hand-offs.ts';
import { jobDocumentColumn } from '../state/job-lines.ts';
import { postgresDialect } from '../state/store.ts';
import type { Database } from './database.ts';
import {
  answerAskerTable,
  documentTables,
  earlierAnswerTables,
  earlierChatDeliveryTables,
  earlierJobTables,
  earlierScheduleTables,
  earlierTokenTables,
  moveMastraThreads,
  notificationColumn,
} from './earlier-tables.ts';
import { advisoryLocks } from './locks.ts';
import { vectorTables } from './vectors.ts';

/** Migration of a version whose tables no longer exist. */
const nothing = 'SELECT 1;';

/** The n-th entry migrates to version n. Its statements end in `;`. */
export const migrations: readonly string[] = [
  documentTables,
  earlierJobTables,
  earlierScheduleTables,
  earlierAnswerTables,
  nothing,
  vectorTables,
  earlierChatDeliveryTables,
  nothing,
  nothing,
  answerAskerTable,
  earlierTokenTables,
  notificationColumn,
  'DROP TABLE IF EXISTS rate_limits;',
  'DROP TABLE IF EXISTS request_buckets;',
  answerDocumentTables(postgresDialect) + fillAnswerDocuments,
  conversationTables(postgresDialect) + moveMastraThreads,
  jobDocumentColumn,
  handOffTables(postgresDialect) + ratedAnswerTables(postgresDialect),
];

export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/** @param versions replaced in tests @throws KnowledgeError `storage_unavailable` */
export function migrate(
  database: Database,
  versions: readonly string[] = migrations,
): Promise<Migrated> {
  return database.transact(async ({ query }) => {
    await query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.migrations]);
    await query('CREATE TABLE IF NOT EXISTS schema_version (version integer NOT NULL)');
    const [row] = await query<{ version: number }>('SELECT version FROM schema_version');
    const from = row?.version ?? 0;
    if (from > versions.length) throw tooNew(from, versions.length);
    for (const statements of versions.slice(from)) await query(statements);
    if (!row) await query('INSERT INTO schema_version VALUES ($1)', [versions.length]);
    else if (from < versions.length)
      await query('UPDATE schema_version SET version = $1', [versions.length]);
    return { from, to: versions.length };
  });
}

const tooNew = (found: number, known: number) =>
  new KnowledgeError(
    'internal',
    `The database has tables of a later version of this program (schema ${found}, this version knows ${known}). Start that version or restore a backup.`,
  );
