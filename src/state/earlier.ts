/**
 * Brings what version 0.5.0 kept in files of its own into the store, once: each file is removed when the store has its content. A file
 * that cannot be read is put aside, and the start goes on.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { putAside } from '../disk/damaged-database.ts';
import { systemErrorCode } from '../errors.ts';
import { createAnswerImport } from './answers.ts';
import type { Query, Store } from './store.ts';
import { importTokens } from './token-counts.ts';

export interface EarlierOptions {
  readonly store: Store;
  /** Absolute: `INDEX_DIR` of the earlier version. */
  readonly folder: string;
  readonly onWarning: (message: string, error?: unknown) => void;
}

/** What SQLite keeps beside a file. */
const companions = ['', '-wal', '-shm'];

/** Rows of a table, oldest first; none if an earlier version had no such table. */
function rowsOf(database: DatabaseSync, table: string): Iterable<Record<string, unknown>> {
  const found = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
  return found ? database.prepare(`SELECT * FROM ${table} ORDER BY rowid`).iterate() : [];
}

async function importDatabase(path: string, onWarning: EarlierOptions['onWarning'], work: (database: DatabaseSync) => Promise<void>) {
  if (!existsSync(path)) return;
  try {
    const database = new DatabaseSync(path);
    try {
      await work(database);
    } finally {
      database.close();
    }
    for (const more of companions) rmSync(`${path}${more}`, { force: true });
  } catch (error) {
    onWarning(`${path} of an earlier version could not be read. It is kept as ${putAside(path, new Date())}.`, error);
  }
}

async function importAnswers(database: DatabaseSync, store: Store): Promise<void> {
  const askers = new Map([...rowsOf(database, 'askers')].map(({ runId, asker }) => [runId, asker]));
  await store.transact(async (transaction) => {
    const kept = createAnswerImport(store, transaction);
    for (const { told, ...answer } of rowsOf(database, 'answers')) {
      const askerKey = askers.get(answer['runId']) ?? answer['readerKey'];
      await kept.answer({ ...answer, askerKey } as Parameters<typeof kept.answer>[0], (told ?? null) as string | null);
    }
    for (const row of rowsOf(database, 'feedback')) await kept.feedback(row as Parameters<typeof kept.feedback>[0]);
    for (const row of rowsOf(database, 'gaps')) await kept.gap(row as Parameters<typeof kept.gap>[0]);
  });
}

/** @param take gets the content; what it throws says that the content cannot be read */
async function importFile({ store, onWarning }: EarlierOptions, path: string, take: (content: Buffer, query: Query) => Promise<void>) {
  try {
    const content = await readFile(path);
    await store.transact(({ query }) => take(content, query));
    await rm(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    onWarning(`${path} of an earlier version could not be read. It is kept as ${putAside(path, new Date())}.`, error);
  }
}

async function takeTokens(content: Buffer, query: Query): Promise<void> {
  for (const [day, counted] of JSON.parse(content.toString()) as [string, [string, number][]][])
    for (const [key, tokens] of counted) {
      if (!/^\d{4}-\d\d-\d\d$/.test(day) || !(tokens >= 0)) throw new Error('this is no count of tokens');
      await importTokens(query, day, key, tokens);
    }
}

export async function importEarlierState(options: EarlierOptions): Promise<void> {
  const { store, folder, onWarning } = options;
  await importDatabase(join(folder, 'answers', 'answers.db'), onWarning, (database) => importAnswers(database, store));
  await importFile(options, join(folder, 'model-tokens.json'), takeTokens);
}

/** Before version 0.6, index and vectors lay beside the state. Vectors cost money: they are moved. The rest is built again. */
export async function moveEarlierCaches(stateDir: string, indexDir: string): Promise<void> {
  const words = join(stateDir, 'words');
  if (stateDir === indexDir || !existsSync(words)) return;
  for (const path of [join(stateDir, 'index'), words]) rmSync(path, { recursive: true, force: true });
  await mkdir(indexDir, { recursive: true });
  const vectors = join(stateDir, 'vectors');
  if (existsSync(vectors)) renameSync(vectors, join(indexDir, 'vectors'));
}
