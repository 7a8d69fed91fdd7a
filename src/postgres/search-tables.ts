/** The tables of the search engine over PostgreSQL, and the extension that they need. */
import { KnowledgeError } from '../errors.ts';
import { b, k1 } from '../search/scoring.ts';
import type { Database } from './database.ts';
import { advisoryLocks } from './locks.ts';

/** What the engine asks of a database. */
export type SearchDatabase = Pick<Database, 'query' | 'transact'>;

/**
 * `terms` of a document are its distinct ones, `holders` in how many of its chunks each stands: what to take off when it goes. `terms` of
 * a chunk are hashes in reading order, four bytes each, the lowest first; `words` are what BM25 reads, those of the title and of headings
 * as often as they count.
 */
export const searchTables = `
  CREATE TABLE search_documents (
    namespace text COLLATE "C" NOT NULL, document text COLLATE "C" NOT NULL, version text NOT NULL, language text NOT NULL,
    chunks integer NOT NULL, length bigint NOT NULL, terms text[] NOT NULL, holders integer[] NOT NULL, PRIMARY KEY (namespace, document));
  CREATE TABLE search_chunks (
    namespace text COLLATE "C" NOT NULL, document text COLLATE "C" NOT NULL, chunk integer NOT NULL, title_length integer NOT NULL,
    heading_length integer NOT NULL, terms bytea NOT NULL, words text NOT NULL, PRIMARY KEY (namespace, document, chunk));
  CREATE TABLE search_terms (
    namespace text COLLATE "C" NOT NULL, term text COLLATE "C" NOT NULL, chunks bigint NOT NULL, PRIMARY KEY (namespace, term));
  CREATE TABLE search_totals (
    namespace text COLLATE "C" NOT NULL, language text NOT NULL, documents bigint NOT NULL, chunks bigint NOT NULL,
    length bigint NOT NULL, PRIMARY KEY (namespace, language));
  CREATE INDEX search_words ON search_chunks USING bm25 (words) WITH (text_config = 'pg_catalog.simple', k1 = ${k1}, b = ${b});`;

const noExtension = (cause?: unknown) =>
  new KnowledgeError(
    'storage_unavailable',
    'SEARCH_ENGINE=postgres needs the extension pg_textsearch (PostgreSQL 17 or later, in shared_preload_libraries; CREATE EXTENSION by an account that may): install it, or search in memory.',
    { cause },
  );

/**
 * Makes the tables of the engine once, whoever comes first: apart from all others, because few databases have the extension.
 * @throws KnowledgeError `storage_unavailable`, also where the extension is missing
 */
export function migrateSearch(database: SearchDatabase): Promise<void> {
  return database.transact(async ({ query }) => {
    await query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks.searchTables]);
    const [made] = await query<{ made: boolean }>("SELECT to_regclass('search_words') IS NOT NULL AS made");
    if (made?.made) return;
    const offered = await query("SELECT FROM pg_available_extensions WHERE name = 'pg_textsearch'");
    if (offered.length === 0) throw noExtension();
    await query('CREATE EXTENSION IF NOT EXISTS pg_textsearch').catch((cause: unknown) => {
      throw noExtension(cause);
    });
    await query(searchTables);
  });
}
