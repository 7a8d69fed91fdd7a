/** Tables of the PostgreSQL search engine and the required extension. */
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { b, k1 } from '../../search/scoring.ts';
import type { Database } from './database.ts';

export type SearchDatabase = Pick<Database, 'query' | 'transact'>;

/**
 * For documents, `terms` are the distinct terms and `holders` the number of chunks with each, so
 * that a deletion can subtract them. For chunks, `terms` are hashes in reading order (four bytes
 * each, little-endian); `words` is the input of BM25, with title and headings repeated by weight.
 */
export const searchTables = `
  CREATE TABLE search_documents (
    namespace text COLLATE "C" NOT NULL, document text COLLATE "C" NOT NULL, version text NOT NULL,
    language text NOT NULL,
    chunks integer NOT NULL, length bigint NOT NULL, terms text[] NOT NULL,
    holders integer[] NOT NULL, PRIMARY KEY (namespace, document));
  CREATE TABLE search_chunks (
    namespace text COLLATE "C" NOT NULL, document text COLLATE "C" NOT NULL,
    chunk integer NOT NULL, title_length integer NOT NULL,
    heading_length integer NOT NULL, terms bytea NOT NULL, words text NOT NULL,
    PRIMARY KEY (namespace, document, chunk));
  CREATE TABLE search_terms (
    namespace text COLLATE "C" NOT NULL, term text COLLATE "C" NOT NULL, chunks bigint NOT NULL,
    PRIMARY KEY (namespace, term));
  CREATE TABLE search_totals (
    namespace text COLLATE "C" NOT NULL, language text NOT NULL, documents bigint NOT NULL,
    chunks bigint NOT NULL,
    length bigint NOT NULL, PRIMARY KEY (namespace, language));
  CREATE INDEX search_words ON search_chunks USING bm25 (words) WITH (text_config = 'pg_catalog.simple', k1 = ${k1}, b = ${b});`;

const noExtension = (cause?: unknown) =>
  new KnowledgeError(
    'storage_unavailable',
    'SEARCH_ENGINE=postgres needs the extension pg_textsearch (PostgreSQL 17 or later, in shared_preload_libraries, and an account that may run CREATE EXTENSION). Install it, or search in memory.',
    { cause },
  );

/**
 * Separate from other migrations, because few databases have the extension. @throws KnowledgeError
 * `storage_unavailable` if it is missing
 */
export function migrateSearch(database: SearchDatabase): Promise<void> {
  return database.transact(async ({ query, lock }) => {
    await lock('searchTables');
    const [made] = await query<{ made: boolean }>(
      "SELECT to_regclass('search_words') IS NOT NULL AS made",
    );
    if (made?.made) return;
    const offered = await query("SELECT FROM pg_available_extensions WHERE name = 'pg_textsearch'");
    if (offered.length === 0) throw noExtension();
    await query('CREATE EXTENSION IF NOT EXISTS pg_textsearch').catch((cause: unknown) => {
      throw noExtension(cause);
    });
    await query(searchTables);
  });
}
