/** Composes documents, their index and the search. */
import { join, resolve } from 'node:path';
import { createRetriever, type Retriever } from '../ask/retriever.ts';
import { createSuggest, type Suggest } from '../ask/suggestions.ts';
import type { Config } from '../config.ts';
import { DocumentStore } from '../documents/document-store.ts';
import type { DocumentWrites } from '../documents/document-writes.ts';
import { Namespaces } from '../documents/namespaces.ts';
import { BackgroundReader } from '../documents/reading-threads.ts';
import { WriteLocks } from '../documents/write-locks.ts';
import { createProviderEmbedder } from '../models/provider.ts';
import { createReranker } from '../models/reranker.ts';
import { createDatabase, type Database } from '../records/postgres/database.ts';
import { DocumentRecord } from '../records/postgres/document-tables.ts';
import { type Migrated, migrate } from '../records/postgres/migrations.ts';
import { Mirror } from '../records/postgres/mirror.ts';
import { createPostgresEngine } from '../records/postgres/search-engine.ts';
import { migrateSearch } from '../records/postgres/search-tables.ts';
import { createPostgresVectors } from '../records/postgres/vectors.ts';
import { createBm25Engine } from '../search/bm25/bm25-engine.ts';
import { createSemanticIndexes, type SemanticIndexes } from '../search/vectors/semantic-index.ts';
import type { SharedParts } from './shared-parts.ts';

/** Includes waiting for another server that migrates. */
const maxMigrationMs = 60_000;

/** Creates or updates the tables. If several servers start, one migrates and the others wait. */
export async function prepareDatabase({
  databaseUrl: url = '',
  searchEngine,
}: Config): Promise<Migrated> {
  const database = createDatabase({ url, statementTimeoutMs: maxMigrationMs, maxConnections: 2 });
  try {
    const migrated = await migrate(database);
    if (searchEngine === 'postgres') await migrateSearch(database);
    return migrated;
  } finally {
    await database.close();
  }
}

/** Parts that several servers share in a database. */
export interface DatabaseParts {
  readonly database: Database;
  readonly record: DocumentRecord;
  readonly prepare: () => Promise<Migrated>;
}

function composeShared({ config, warnings }: SharedParts): DatabaseParts | undefined {
  const { databaseUrl: url } = config;
  if (url === undefined) return undefined;
  const database = createDatabase({ url });
  return {
    database,
    record: new DocumentRecord(database, warnings),
    prepare: () => prepareDatabase(config),
  };
}

export interface SearchParts {
  readonly shared: DatabaseParts | undefined;
  readonly documents: DocumentStore;
  readonly writes: DocumentWrites;
  readonly mirror: Mirror | undefined;
  readonly namespaces: Namespaces;
  readonly semantic: SemanticIndexes | undefined;
  readonly retriever: Retriever;
  readonly suggestions: Suggest;
  readonly vectorsDir: string;
}

export function composeSearch(setting: SharedParts): SearchParts {
  const { config, indexDir, logger, onWarning, warnings } = setting;
  const shared = composeShared(setting);
  const knowledgeDir = resolve(config.knowledgeDir);
  const vectorsDir = join(indexDir, 'vectors');
  const snapshotDir = join(indexDir, 'index');
  const documents = new DocumentStore(knowledgeDir, (name) =>
    logger.warn(
      { folder: name },
      'this folder is skipped, because its name is not a namespace name; use lower-case letters and no spaces',
    ),
  );
  const mirror =
    shared &&
    new Mirror({
      ...shared,
      store: documents,
      knowledgeDir,
      namespaces: () => namespaces,
      onWarning,
    });
  const writes = mirror ? shared.record.writesThrough(mirror.files) : new WriteLocks(documents);
  const { replacements } = setting;
  const embedder =
    replacements.embedder ?? (config.embedding && createProviderEmbedder(config.embedding));
  const vectors =
    replacements.vectors ??
    (embedder && shared && createPostgresVectors(shared.database, embedder.model, onWarning));
  const semantic =
    embedder && createSemanticIndexes({ embedder, folder: vectorsDir, shared: vectors, onWarning });
  const engine =
    shared && config.searchEngine === 'postgres'
      ? createPostgresEngine(shared.database)
      : createBm25Engine(join(indexDir, 'words'), onWarning);
  const needsTerms = engine.takesTerms === true;
  const needsTexts = !needsTerms || semantic !== undefined;
  const reader = new BackgroundReader(documents, { folder: knowledgeDir, needsTexts, needsTerms });
  const namespaces: Namespaces = new Namespaces({
    store: documents,
    writes,
    accepts: mirror && ((...file) => mirror.accepts(...file)),
    knowledgeDir,
    // No limit with vectors, because vectors of closed namespaces would be deleted.
    maxOpen: semantic ? Number.POSITIVE_INFINITY : config.maxOpenNamespaces,
    snapshotDir,
    readDocument: reader.read,
    engine,
    semantic,
    onWarning,
    warnings,
  });
  const rerank =
    config.rerank && createReranker({ ...config.rerank, ...replacements.rerank, onWarning });
  const retriever = createRetriever(namespaces, documents, semantic, rerank);
  // Suggestions are tried by words only, because a search by meaning or a reranker may cost money.
  const suggestions = createSuggest(
    namespaces,
    createRetriever(namespaces, documents, undefined),
    onWarning,
  );
  return {
    shared,
    documents,
    writes,
    mirror,
    namespaces,
    semantic,
    retriever,
    suggestions,
    vectorsDir,
  };
}
