/**
 * Brings what version 0.5.0 kept in files of its own into the store, once: each file is removed when the store has its content. A file
 * that cannot be read is put aside, and the start goes on.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { putAside } from '../disk/damaged-database.ts';
import { createAnswerImport } from './answers.ts';
import { createConversationImport } from './conversations.ts';
import type { Store } from './store.ts';

export interface EarlierOptions {
  readonly store: Store;
  /** Absolute: `INDEX_DIR` of the earlier version. */
  readonly folder: string;
  readonly onWarning: (message: string, error?: unknown) => void;
}

/** What SQLite keeps beside a file. */
const companions = ['', '-wal', '-shm'];

/** Rows of a table, oldest first; none if an earlier version had no such table. */
function rowsOf(database: DatabaseSync, table: string, columns = '*', order = 'rowid'): Iterable<Record<string, unknown>> {
  const found = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
  return found ? database.prepare(`SELECT ${columns} FROM ${table} ORDER BY ${order}`).iterate() : [];
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

export async function importEarlierState({ store, folder, onWarning }: EarlierOptions): Promise<void> {
  await importDatabase(join(folder, 'answers', 'answers.db'), onWarning, (database) => importAnswers(database, store));
  await importDatabase(join(folder, 'conversations', 'conversations.db'), onWarning, (database) => importConversations(database, store));
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
