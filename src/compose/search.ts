/** Documents, their index, and the search over both. */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createProviderEmbedder } from '../agent/provider.ts';
import { BackgroundReader } from '../agent/read-documents.ts';
import { createRetriever } from '../app/search/retriever.ts';
import type { Config } from '../config.ts';
import { DocumentStore } from '../documents/document-store.ts';
import { Namespaces } from '../documents/namespaces.ts';
import { WriteLocks } from '../documents/write-locks.ts';
import { createDatabase } from '../postgres/database.ts';
import { DocumentRecord } from '../postgres/documents.ts';
import { type Migrated, migrate } from '../postgres/migrations.ts';
import { Mirror } from '../postgres/mirror.ts';
import { createPostgresEngine } from '../postgres/search-engine.ts';
import { migrateSearch } from '../postgres/search-tables.ts';
import { createPostgresVectors } from '../postgres/vectors.ts';
import { createBm25Engine } from '../search/bm25/bm25-engine.ts';
import { createSemanticIndexes } from '../search/vectors/semantic-index.ts';
import type { SharedParts } from './shared-parts.ts';

/** For the tables, with those who make them first. */
const maxMigrationMs = 60_000;

/** Makes or updates the tables: of several servers one, while the others wait. */
export async function prepareDatabase({ databaseUrl: url = '', searchEngine }: Config): Promise<Migrated> {
  const database = createDatabase({ url, statementTimeoutMs: maxMigrationMs, maxConnections: 2 });
  try {
    const migrated = await migrate(database);
    if (searchEngine === 'postgres') await migrateSearch(database);
    return migrated;
  } finally {
    await database.close();
  }
}

/** What several servers share in a database; undefined: this one keeps everything in its own folders. */
function composeShared({ config, warnings }: SharedParts) {
  const { databaseUrl: url } = config;
  if (url === undefined) return undefined;
  const database = createDatabase({ url });
  return { database, record: new DocumentRecord(database, warnings), prepare: () => prepareDatabase(config) };
}

export type Shared = ReturnType<typeof composeShared>;

const holdsAny = (folder: string): Promise<boolean> =>
  readdir(folder).then(
    ({ length }) => length > 0,
    () => false,
  );

export function composeSearch(setting: SharedParts) {
  const { config, indexDir, logger, onWarning, warnings } = setting;
  const shared = composeShared(setting);
  const knowledgeDir = resolve(config.knowledgeDir);
  const vectorsDir = join(indexDir, 'vectors');
  const snapshotDir = join(indexDir, 'index');
  const documents = new DocumentStore(knowledgeDir, (name) =>
    logger.warn({ folder: name }, 'this folder is not read: the name of a namespace is in lower case, without spaces'),
  );
  const mirror = shared && new Mirror({ ...shared, store: documents, knowledgeDir, namespaces: () => namespaces, onWarning });
  const writes = mirror ? shared.record.writesThrough(mirror.files) : new WriteLocks(documents);
  const embedder = config.embedding && createProviderEmbedder(config.embedding);
  const vectors = embedder && shared && createPostgresVectors(shared.database, embedder.model, onWarning);
  const semantic = embedder && createSemanticIndexes({ embedder, folder: vectorsDir, shared: vectors, onWarning });
  const engine =
    shared && config.searchEngine === 'postgres'
      ? createPostgresEngine(shared.database)
      : createBm25Engine(join(indexDir, 'words'), onWarning);
  const needsTerms = engine.takesTerms === true;
  const needsTexts = !needsTerms || semantic !== undefined;
  const reader = new BackgroundReader(documents, { folder: knowledgeDir, needsTexts, needsTerms });
  /** Before the first build: the thread loads its parts while this one loads its own. */
  const prepare = async () => {
    if (!(await holdsAny(snapshotDir)) && (await holdsAny(knowledgeDir))) reader.prepare();
  };
  const namespaces: Namespaces = new Namespaces({
    store: documents,
    writes,
    accepts: mirror && ((...file) => mirror.accepts(...file)),
    knowledgeDir,
    // A vector that no open namespace holds is forgotten.
    maxOpen: semantic ? Number.POSITIVE_INFINITY : config.maxOpenNamespaces,
    snapshotDir,
    readDocument: reader.read,
    engine,
    semantic,
    onWarning,
    warnings,
  });
  const retriever = createRetriever(namespaces, documents, semantic);
  return { shared, prepare, documents, writes, mirror, namespaces, semantic, retriever, vectorsDir };
}

export type SearchParts = ReturnType<typeof composeSearch>;
