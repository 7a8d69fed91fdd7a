/**
 * What was said before in a conversation. A thread belongs to the caller who began it, in one namespace: names that a request brings
 * choose among that caller's own threads and reach no one else's. What is kept is what people read, the question and the checked answer.
 * A memory that fails is a warning, never a failed answer.
 *
 * The file is @mastra/memory's over @mastra/libsql; what it deletes it overwrites, so that nothing of it is left in free pages. The packages
 * take a fifth of a second to load, in which nobody else has a turn: so they are loaded at the start, one after the other.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import type { Client, InStatement, TransactionMode } from '@libsql/client';
import type { MastraDBMessage, StorageThreadType } from '@mastra/core/memory';
import type { SqliteClient } from '@mastra/libsql';
import type { Memory } from '@mastra/memory';
import type { ConversationPlace, Conversations, KeptMessage, ThreadEntry, ThreadFilter } from '../app/ask/ask.ts';
import type { ChatMessage } from '../app/ask/turn.ts';
import { fairShare } from '../concurrency/fair-share.ts';
import { KeyedQueue } from '../concurrency/queue.ts';

export interface ConversationsOptions {
  readonly folder: string;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error: unknown) => void;
  /** Of more, those that were silent longest go, first of the owners who have most. */
  readonly maxThreads: number;
}

/** Of a thread, the newest; what a turn leans on is in the last few. */
const recalledMessages = 12;
const newestFirst = { field: 'updatedAt', direction: 'DESC' } as const;
const threadsAtATime = 500;

/** SQLite, "Database File Format", 1.2. */
const databaseHeader = 'SQLite format 3\0';
/** Messages that a thread keeps: five times what is recalled, for whoever reads the file. */
const maxKeptMessages = 60;
const maxMessageChars = 4_000;
/** Writes between two looks at how many threads there are. */
const pruneEvery = 100;

const hashOf = (...parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

const idsOf = ({ owner, namespace, resource, thread }: ConversationPlace) => ({
  resourceId: hashOf(owner, namespace, resource),
  threadId: hashOf(owner, namespace, resource, thread),
});

/** What a thread says of itself; the names of the fields become part of a query, so they are letters and digits. */
const documentKey = (documentId: string) => `document_${documentId.replace(/\W/g, '_')}`;
const metadataOf = ({ owner, ...names }: ThreadFilter) => ({
  owner: hashOf(owner),
  ...Object.fromEntries(Object.entries(names).filter(([, name]) => name !== undefined)),
});
const fieldOf = ({ metadata }: StorageThreadType, name: string) => String(metadata?.[name] ?? '');

const toEntry = (thread: StorageThreadType): ThreadEntry => ({
  thread: fieldOf(thread, 'thread'),
  resource: fieldOf(thread, 'resource'),
  namespace: fieldOf(thread, 'namespace'),
  createdAt: thread.createdAt,
  updatedAt: thread.updatedAt,
});

function toKeptMessage({ id, role, content, createdAt }: MastraDBMessage): KeptMessage[] {
  const said = content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  return role === 'user' || role === 'assistant' ? [{ id, role, content: said, createdAt }] : [];
}

const removeThread = (memory: Memory, { id }: StorageThreadType) => memory.deleteThread(id);

/** Takes messages out of a thread, and with the last of them the thread. */
async function cut(
  memory: Memory,
  { id: threadId, resourceId }: StorageThreadType,
  which: (message: MastraDBMessage) => boolean,
): Promise<{ readonly removed: number; readonly isGone: boolean }> {
  const { messages } = await memory.recall({ threadId, resourceId, perPage: false });
  const chosen = messages.filter(which);
  if (chosen.length > 0) await memory.deleteMessages(chosen.map(({ id }) => id));
  const isGone = chosen.length === messages.length;
  if (isGone) await memory.deleteThread(threadId);
  return { removed: chosen.length, isGone };
}

/** Takes what quotes a document out of a thread. */
async function removeQuotes(memory: Memory, of: StorageThreadType, documentId: string): Promise<void> {
  const threadId = of.id;
  const { isGone } = await cut(memory, of, ({ content }) => [content.metadata?.['documents']].flat().includes(documentId));
  if (isGone) return;
  const thread = await memory.getThreadById({ threadId });
  const { [documentKey(documentId)]: _, ...metadata } = thread?.metadata ?? {};
  await memory.updateThread({ id: threadId, title: '', metadata });
}

async function dropOldest(memory: Memory, ids: ReturnType<typeof idsOf>): Promise<void> {
  const { messages } = await memory.recall({ ...ids, perPage: false, orderBy: { field: 'createdAt', direction: 'ASC' } });
  const surplus = messages.length - maxKeptMessages;
  if (surplus > 0) await memory.deleteMessages(messages.slice(0, surplus).map(({ id }) => id));
}

/** As Latin-1; empty where there is no file, or nothing in it. */
const firstBytes = (file: string, length: number): Promise<string> =>
  text(createReadStream(file, { end: length - 1, encoding: 'latin1' })).catch(() => '');

const overwrite = 'PRAGMA secure_delete = ON';
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
      await setImmediate();
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

async function allThreads(memory: Memory, metadata: Record<string, unknown>): Promise<StorageThreadType[]> {
  const threads: StorageThreadType[] = [];
  for (let page = 0; ; page++) {
    const found = await memory.listThreads({ filter: { metadata }, perPage: threadsAtATime, page, orderBy: newestFirst });
    threads.push(...found.threads);
    if (!found.hasMore) return threads;
  }
}

/** Threads of earlier versions do not say whose they are, nor what they quote, so that nobody could delete them. */
async function removeUnowned(memory: Memory, client: Client): Promise<void> {
  const threads = await allThreads(memory, { owner: null });
  for (const { id } of threads) await memory.deleteThread(id);
  if (threads.length === 0) return;
  await client.execute('VACUUM');
  await emptyLog(client);
}

async function loadPackages() {
  const memory = await import('@mastra/memory');
  await setImmediate();
  const client = await import('@libsql/client');
  await setImmediate();
  return { ...memory, ...client, ...(await import('@mastra/libsql')), ...(await import('@mastra/core/logger')) };
}

/** A file that is no database would fail every conversation to come. */
async function setDamagedAside(path: string, { clock, onWarning }: ConversationsOptions): Promise<void> {
  const beginning = await firstBytes(path, databaseHeader.length);
  if (beginning === '' || beginning === databaseHeader) return;
  await rename(path, `${path}.damaged-${clock().getTime()}`);
  onWarning('the file of conversations was no database and is kept beside a new one', undefined);
}

async function openDatabase(path: string, options: ConversationsOptions) {
  const { Memory, LibSQLStore, noopLogger, createClient } = await loadPackages();
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  await setDamagedAside(path, options);
  const client = withOverwriting(createClient({ url: `file:${path}`, timeout: 5_000 }));
  // The two packages differ in what an absent field is.
  const storage = new LibSQLStore({ id: 'conversations', client: client as SqliteClient });
  // Its own log goes to standard error, with paths.
  storage.__setLogger(noopLogger);
  const memory = new Memory({ storage, options: { lastMessages: recalledMessages, semanticRecall: false, generateTitle: false } });
  await removeUnowned(memory, client);
  return { memory, emptyLog: () => emptyLog(client), close: async () => storage.close?.() };
}

export class ConversationStore implements Conversations {
  readonly #options: ConversationsOptions;
  readonly #path: string;
  #opening: ReturnType<typeof openDatabase> | undefined;
  /** What happens to a thread happens in order. */
  readonly #writing = new KeyedQueue();
  #writes = 0;

  constructor(options: ConversationsOptions) {
    this.#options = options;
    this.#path = join(options.folder, 'conversations.db');
  }

  async open(): Promise<void> {
    await loadPackages();
    if ((await firstBytes(this.#path, 1)) === '') return;
    await this.#database().catch((error: unknown) => this.#options.onWarning('the conversations could not be opened', error));
  }

  async recall(place: ConversationPlace): Promise<ChatMessage[]> {
    const ids = idsOf(place);
    try {
      // After what is being written to it.
      return await this.#writing.run(ids.threadId, async () => {
        const messages = await this.#newest(ids, recalledMessages);
        return messages.map(({ role, content }) => ({ role, content }));
      });
    } catch (error) {
      this.#options.onWarning('a conversation could not be recalled', error);
      return [];
    }
  }

  remember(place: ConversationPlace, messages: readonly ChatMessage[], documentIds: readonly string[]): void {
    this.#writing
      .run(idsOf(place).threadId, () => this.#write(place, messages, documentIds))
      .catch((error: unknown) => this.#options.onWarning('a conversation could not be remembered', error));
  }

  async list(filter: ThreadFilter, paging: { readonly page: number; readonly perPage: number }) {
    if (this.#isEmpty()) return { total: 0, threads: [] };
    await this.#writing.idle();
    const { memory } = await this.#database();
    const found = await memory.listThreads({ filter: { metadata: metadataOf(filter) }, ...paging, orderBy: newestFirst });
    return { total: found.total, threads: found.threads.map(toEntry) };
  }

  async messages(place: ConversationPlace): Promise<KeptMessage[]> {
    if (this.#isEmpty()) return [];
    const ids = idsOf(place);
    return this.#writing.run(ids.threadId, () => this.#newest(ids, maxKeptMessages));
  }

  async removeMessages(owner: string, messageIds: readonly string[]): Promise<number> {
    if (this.#isEmpty()) return 0;
    await this.#writing.idle();
    const { memory } = await this.#database();
    const store = await memory.storage.getStore('memory');
    const found = (await store?.listMessagesById({ messageIds: [...messageIds] }))?.messages ?? [];
    const threadIds = new Set(found.map(({ threadId }) => threadId));
    let removed = 0;
    await this.#change(
      { owner: hashOf(owner) },
      async (_, thread) => {
        removed += (await cut(memory, thread, ({ id }) => messageIds.includes(id))).removed;
      },
      ({ id }) => threadIds.has(id),
    );
    return removed;
  }

  remove(filter: ThreadFilter): Promise<number> {
    return this.#change(metadataOf(filter), removeThread);
  }

  async forgetDocument(documentId: string): Promise<void> {
    await this.#change({ [documentKey(documentId)]: true }, (memory, thread) => removeQuotes(memory, thread, documentId));
  }

  async forgetNamespace(namespace: string): Promise<void> {
    await this.#change({ namespace }, removeThread);
  }

  async close(): Promise<void> {
    await this.#writing.idle();
    await (await this.#opening?.catch(() => undefined))?.close();
    this.#opening = undefined;
  }

  async #database() {
    this.#opening ??= openDatabase(this.#path, this.#options);
    try {
      return await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  /** Nothing is being written, and there is no file. */
  #isEmpty(): boolean {
    return this.#writing.isIdle && this.#opening === undefined && !existsSync(this.#path);
  }

  /** Of a thread, oldest first; nothing of one that is not there. */
  async #newest(ids: ReturnType<typeof idsOf>, perPage: number): Promise<KeptMessage[]> {
    const { memory } = await this.#database();
    if (!(await memory.getThreadById({ threadId: ids.threadId }))) return [];
    const orderBy = { field: 'createdAt', direction: 'DESC' } as const;
    const { messages } = await memory.recall({ ...ids, perPage, page: 0, orderBy });
    return messages.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()).flatMap(toKeptMessage);
  }

  /** Threads that hold something are changed one by one, then nothing of it is left on disk. @returns how many there were */
  async #change(
    metadata: Record<string, unknown>,
    by: (memory: Memory, thread: StorageThreadType) => Promise<unknown>,
    which: (thread: StorageThreadType) => boolean = () => true,
  ): Promise<number> {
    if (this.#isEmpty()) return 0;
    await this.#writing.idle();
    const { memory, emptyLog } = await this.#database();
    const threads = (await allThreads(memory, metadata)).filter(which);
    for (const thread of threads) await this.#writing.run(thread.id, () => by(memory, thread));
    if (threads.length > 0) await emptyLog();
    return threads.length;
  }

  async #write(place: ConversationPlace, messages: readonly ChatMessage[], documentIds: readonly string[]): Promise<void> {
    const { memory } = await this.#database();
    const ids = idsOf(place);
    const thread = await memory.getThreadById({ threadId: ids.threadId });
    const metadata = { ...thread?.metadata, ...metadataOf(place), ...Object.fromEntries(documentIds.map((id) => [documentKey(id), true])) };
    // Before the messages, so that what is written is found by what it quotes.
    if (thread) await memory.updateThread({ id: ids.threadId, title: '', metadata });
    else await memory.createThread({ ...ids, title: '', metadata });
    const now = this.#options.clock().getTime();
    await memory.saveMessages({
      messages: messages.map(({ role, content }, order) => ({
        id: randomUUID(),
        ...ids,
        role,
        // In the order in which they were said, also within one millisecond.
        createdAt: new Date(now + order),
        content: {
          format: 2 as const,
          parts: [{ type: 'text' as const, text: content.slice(0, maxMessageChars) }],
          metadata: { documents: documentIds },
        },
      })),
    });
    await dropOldest(memory, ids);
    if (this.#writes++ % pruneEvery === 0) await this.#prune(memory, ids.threadId);
  }

  async #prune(memory: Memory, current: string): Promise<void> {
    const { maxThreads } = this.#options;
    const { total } = await memory.listThreads({ perPage: 1, page: 0 });
    if (total <= maxThreads) return;
    const threads = await allThreads(memory, {});
    const kept = new Set(fairShare(threads, maxThreads, (thread) => fieldOf(thread, 'owner')));
    for (const { id } of threads.filter((thread) => !kept.has(thread))) {
      // The thread that is being written would wait for itself.
      if (id === current) await memory.deleteThread(id);
      else await this.#writing.run(id, () => memory.deleteThread(id));
    }
  }
}
