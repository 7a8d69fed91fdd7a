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
import { createConversationImport } from './conversations.ts';
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
function rowsOf<Row = Record<string, unknown>>(database: DatabaseSync, table: string, columns = '*', order = 'rowid'): Iterable<Row> {
  const found = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
  return found ? (database.prepare(`SELECT ${columns} FROM ${table} ORDER BY ${order}`).iterate() as Iterable<Row>) : [];
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

/** Before a name that is kept as JSON. */
const escapeMark = '\uE000';
const nameOf = (kept: unknown) => {
  const name = String(kept ?? '');
  return name.startsWith(escapeMark) ? String(parse(name.slice(escapeMark.length))) : name;
};

/** @returns undefined if a disk has altered the text */
function parse(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}

/** The text of a message and the documents that it quotes. */
function saidIn(content: unknown) {
  const { parts, metadata } = (parse(content) ?? {}) as { parts?: { text?: unknown }[]; metadata?: { documents?: unknown[] } };
  const text = [parts ?? []].flat().map((part) => part.text);
  return { text: text.join('\n'), documents: [metadata?.documents ?? []].flat().map(String) };
}

/** Threads of version 0.5.0 do not say whose they are, nor what they quote, so that nobody could delete them: they are left out. */
async function importConversations(database: DatabaseSync, store: Store): Promise<void> {
  const metadata = 'CASE WHEN json_valid(metadata, 9) THEN json(metadata) END AS metadata';
  await store.transact(async ({ query }) => {
    const kept = createConversationImport(query);
    const owned = new Set<unknown>();
    for (const row of rowsOf(database, 'mastra_threads', `id, createdAt, updatedAt, ${metadata}`)) {
      const { owner, namespace, resource, thread } = (parse(row['metadata']) ?? {}) as Record<string, unknown>;
      if (typeof owner !== 'string') continue;
      owned.add(row['id']);
      const [createdAt, updatedAt] = [new Date(String(row['createdAt'])), new Date(String(row['updatedAt']))] as const;
      const names = { namespace: String(namespace), resource: nameOf(resource), thread: nameOf(thread) };
      await kept.thread(String(row['id']), owner, { ...names, createdAt, updatedAt });
    }
    for (const { id, thread_id: thread, role, content, createdAt } of rowsOf(database, 'mastra_messages', '*', 'createdAt, rowid')) {
      const { text, documents } = saidIn(content);
      if (!owned.has(thread) || (role !== 'user' && role !== 'assistant') || text === '') continue;
      const message = { id: String(id), role, content: text, createdAt: new Date(String(createdAt)) } as const;
      await kept.message(String(thread), message, documents);
    }
    await query('DELETE FROM threads WHERE NOT EXISTS (SELECT 1 FROM messages WHERE thread_id = threads.id)');
  });
}

export async function importEarlierState({ store, folders, onWarning }: EarlierOptions): Promise<void> {
  for (const folder of new Set(folders)) {
    await importDatabase(join(folder, 'answers', 'answers.db'), onWarning, (database) => importAnswers(database, store));
    await importDatabase(join(folder, 'conversations', 'conversations.db'), onWarning, (database) => importConversations(database, store));
  }
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
