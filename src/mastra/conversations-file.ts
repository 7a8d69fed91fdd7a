/**
 * Conversations in a file: @mastra/libsql's. What it deletes it overwrites, so that nothing of it is left in free pages, nor in the log. A
 * file that is damaged is kept beside a new one.
 */
import { existsSync, lstatSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, InStatement, TransactionMode } from '@libsql/client';
import type { SqliteClient } from '@mastra/libsql';
import type { Memory } from '@mastra/memory';
import { nextTurn } from '../concurrency/next-turn.ts';
import { removeUnfilled, repairDatabase } from '../disk/damaged-database.ts';
import { allThreads, createMemory, type OpenThreads, type ThreadStorage } from './conversations.ts';

export interface ConversationFileOptions {
  readonly folder: string;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error: unknown) => void;
}

const overwrite = 'PRAGMA secure_delete = ON';
/** A thread is made before its first messages; one without any was left by a kill in between. */
const removeEmpty = 'DELETE FROM mastra_threads WHERE id NOT IN (SELECT thread_id FROM mastra_messages)';
const isWrite = (statement: InStatement) =>
  /^\s*(?:insert|update|delete|replace)\b/i.test(typeof statement === 'string' ? statement : statement.sql);

/** SQLite keeps the choice to overwrite for each connection, and the client opens several, so it is made with every write. */
function withOverwriting(client: Client): Client {
  const execute = client.execute.bind(client) as (statement: InStatement) => ReturnType<Client['execute']>;
  const batch = client.batch.bind(client);
  const transaction = client.transaction.bind(client);
  return Object.assign(client, {
    async execute(statement: InStatement) {
      // The database works in this thread: others have their turn between two statements, of which the first conversation takes dozens.
      // A transaction that is open now, over another connection, is over then: it waits for nothing in between.
      await nextTurn();
      const results = isWrite(statement) ? await batch([overwrite, statement], 'write') : [];
      return results[1] ?? execute(statement);
    },
    batch: async (statements: InStatement[], mode?: TransactionMode) => (await batch([overwrite, ...statements], mode)).slice(1),
    async transaction(mode?: TransactionMode) {
      const begun = await transaction(mode ?? 'write');
      await begun.execute(overwrite);
      return begun;
    },
  });
}

/** Empties the write-ahead log, in which deleted pages live on. @throws where a reader keeps it from that */
async function emptyLog(client: Client): Promise<void> {
  const { rows } = await client.execute('PRAGMA wal_checkpoint(TRUNCATE)');
  if (rows[0]?.['busy'] !== 0) throw new Error('the log of conversations is being read and cannot be emptied');
}

/** Threads of earlier versions do not say whose they are, nor what they quote, so that nobody could delete them. */
async function removeUnowned(memory: Memory, client: Client): Promise<void> {
  const threads = await allThreads(memory, { owner: null });
  for (const { id } of threads) await memory.deleteThread(id);
  if (threads.length === 0) return;
  await client.execute('VACUUM');
  await emptyLog(client);
}

const inodeOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.ino;

async function loadPackages() {
  const client = await import('@libsql/client');
  await nextTurn();
  return { ...client, ...(await import('@mastra/libsql')), ...(await import('@mastra/core/logger')) };
}

async function open(path: string, options: ConversationFileOptions): Promise<OpenThreads> {
  const { LibSQLStore, noopLogger, createClient } = await loadPackages();
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  // A damaged file would fail conversations to come.
  const damage = repairDatabase(path, options.clock());
  if (damage)
    options.onWarning('the file of conversations was damaged; it is kept beside a new one, which has what could be read of it', damage);
  const client = withOverwriting(createClient({ url: `file:${path}`, timeout: 5_000 }));
  // The two packages differ in what an absent field is.
  const storage = new LibSQLStore({ id: 'conversations', client: client as SqliteClient });
  // Its own log goes to standard error, with paths.
  storage.__setLogger(noopLogger);
  const memory = await createMemory(storage);
  try {
    await removeUnowned(memory, client);
    await client.execute(removeEmpty);
  } catch (error) {
    client.close();
    removeUnfilled(path);
    throw error;
  }
  const inode = inodeOf(path);
  return {
    memory,
    // One process has the file, and does what concerns a thread in order.
    change: (_, work) => work(),
    eraseTraces: () => emptyLog(client),
    isLost: () => inodeOf(path) !== inode,
    async close() {
      // So that the file alone is a complete copy. A reader may keep the log from that.
      await emptyLog(client).catch(() => undefined);
      await storage.close?.();
    },
  };
}

export function createConversationFile(options: ConversationFileOptions): ThreadStorage {
  const path = join(options.folder, 'conversations.db');
  return { load: loadPackages, exists: () => existsSync(path), open: () => open(path, options) };
}
