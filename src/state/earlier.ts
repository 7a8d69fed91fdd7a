/**
 * Brings what version 0.5.0 kept in files of its own into the store, once: each file is removed when the store has its content. A file
 * that cannot be read is put aside, and the start goes on.
 */
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { AnswerRow, FeedbackRow } from '../answers/answer-rows.ts';
import type { KeptGap } from '../answers/gaps.ts';
import { putAside } from '../disk/damaged-database.ts';
import { systemErrorCode } from '../errors.ts';
import { createAnswerImport } from './answers.ts';
import type { Store } from './store.ts';

export interface EarlierOptions {
  readonly store: Store;
  /** Absolute: those that may have been `INDEX_DIR` of the earlier version. */
  readonly folders: readonly string[];
  readonly onWarning: (message: string, error?: unknown) => void;
}

/** What SQLite keeps beside a file. */
const companions = ['', '-wal', '-shm'];

/** Rows of a table, oldest first; none if an earlier version had no such table. */
function rowsOf<Row = Record<string, unknown>>(database: DatabaseSync, table: string): Iterable<Row> {
  const found = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
  return found ? (database.prepare(`SELECT * FROM ${table} ORDER BY rowid`).iterate() as Iterable<Row>) : [];
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
  const askers = new Map([...rowsOf<{ runId: string; asker: string }>(database, 'askers')].map(({ runId, asker }) => [runId, asker]));
  await store.transact(async (transaction) => {
    const kept = createAnswerImport(store, transaction);
    for (const { told, ...answer } of rowsOf<AnswerRow & { readonly told?: string | null }>(database, 'answers'))
      await kept.answer({ ...answer, askerKey: askers.get(answer.runId) ?? answer.readerKey }, told ?? null);
    for (const row of rowsOf<FeedbackRow>(database, 'feedback')) await kept.feedback(row);
    for (const row of rowsOf<KeptGap>(database, 'gaps')) await kept.gap(row);
  });
}

export async function importEarlierState({ store, folders, onWarning }: EarlierOptions): Promise<void> {
  for (const folder of new Set(folders))
    await importDatabase(join(folder, 'answers', 'answers.db'), onWarning, (database) => importAnswers(database, store));
}

/** Also to another disk. */
async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'EXDEV') throw error;
    await cp(from, to, { recursive: true });
    rmSync(from, { recursive: true });
  });
}

/** Puts files where the settings want them now. Only the state and the vectors, which cost money, are moved: the rest is built again. */
export async function moveEarlierFiles(stateDir: string, indexDir: string): Promise<void> {
  if (stateDir === indexDir) return;
  await mkdir(stateDir, { recursive: true });
  // Until now only `INDEX_DIR` was set.
  const isMoved = !existsSync(join(stateDir, 'state.db'));
  for (const name of companions.map((more) => `state.db${more}`))
    if (isMoved && existsSync(join(indexDir, name))) await move(join(indexDir, name), join(stateDir, name));
  // Version 0.5.0 had index and vectors beside the state.
  const words = join(stateDir, 'words');
  if (!existsSync(words)) return;
  for (const path of [join(stateDir, 'index'), words]) rmSync(path, { recursive: true, force: true });
  await mkdir(indexDir, { recursive: true });
  if (existsSync(join(stateDir, 'vectors'))) await move(join(stateDir, 'vectors'), join(indexDir, 'vectors'));
}
