/**
 * Conversation history. A thread belongs to the caller who began it, in one namespace; requests can
 * name only the caller's own threads. The store keeps questions and checked answers. If the store
 * fails, a warning is logged and the answer continues.
 *
 * Names and messages are JSON texts, because PostgreSQL rejects some characters. A transaction
 * changes the row of a thread before its messages, so that concurrent servers do not deadlock.
 */
import { createHash, randomUUID } from 'node:crypto';
import { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { KeyedQueue } from '../../packages/shared/src/concurrency/queue.ts';
import { isStorageAway, KnowledgeError } from '../../packages/shared/src/errors.ts';
import { deleteBeyond } from './answer-store.ts';
import {
  type ChatMessage,
  type ConversationPlace,
  type Conversations,
  conversationIdOf,
  type KeptMessage,
  type NewMessage,
  type ThreadEntry,
  type ThreadFilter,
  type ThreadsPage,
} from './conversations.ts';
import { type Query, type SqlDialect, type Store, toStorable, type Value } from './store.ts';

export interface ConversationsOptions {
  readonly store: Store;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error: unknown) => void;
  /**
   * Maximum stored threads; beyond it, the owners with most threads lose their longest inactive
   * threads.
   */
  readonly maxThreads: number;
  /** Runs deletes, so that they also work on a full disk. */
  readonly withReserve?: <T>(work: () => Promise<T>) => Promise<T>;
  /** Pause after a failure of a shared store; milliseconds. */
  readonly pauseMs?: number;
  /** Maximum time to load the history from a shared store; milliseconds. */
  readonly recallTimeoutMs?: number;
}

/** Messages of a thread that the model receives. */
const recalledMessages = 12;
const maxKeptMessages = 60;
const maxMessageChars = 4_000;
/** Writes between two checks of the number of threads. */
const trimEvery = 100;

export const conversationTables = ({ keyText, growingId }: SqlDialect): string => `
  CREATE TABLE threads (
    id ${keyText} NOT NULL PRIMARY KEY, owner ${keyText} NOT NULL, namespace ${keyText} NOT NULL,
    resource text NOT NULL,
    thread text NOT NULL, created_at ${keyText} NOT NULL, updated_at ${keyText} NOT NULL);
  CREATE INDEX threads_owner ON threads (owner, updated_at);
  CREATE TABLE messages (
    ${growingId}, message_id ${keyText} NOT NULL UNIQUE, thread_id ${keyText} NOT NULL
    REFERENCES threads (id) ON DELETE CASCADE,
    role text NOT NULL, content text NOT NULL, created_at ${keyText} NOT NULL);
  CREATE INDEX messages_thread ON messages (thread_id, id);
  CREATE TABLE message_documents (
    message_id ${keyText} NOT NULL REFERENCES messages (message_id) ON DELETE CASCADE,
    document ${keyText} NOT NULL,
    PRIMARY KEY (message_id, document));
  CREATE INDEX message_documents_document ON message_documents (document);`;

const insertThread = `
  INSERT INTO threads (id, owner, namespace, resource, thread, created_at, updated_at) VALUES ($1,
    $2, $3, $4, $5, $6, $7)
  ON CONFLICT (id) DO UPDATE SET updated_at = excluded.updated_at`;
const insertMessage =
  'INSERT INTO messages (message_id, thread_id, role, content, created_at) VALUES ($1, $2, $3, $4, $5)';
const insertDocument = 'INSERT INTO message_documents (message_id, document) VALUES ($1, $2)';
const selectMessages = `
  SELECT message_id AS id, role, content, created_at AS "createdAt" FROM messages
    WHERE thread_id = $1 ORDER BY messages.id DESC LIMIT $2`;
const deleteSurplus = `
  DELETE FROM messages
  WHERE thread_id = $1 AND id <= (SELECT id FROM messages WHERE thread_id = $1 ORDER BY id DESC
    LIMIT 1 OFFSET $2)`;
const countThreads = 'SELECT CAST(count(*) AS integer) AS total FROM threads';
const filtered = `
  owner = $1 AND (CAST($2 AS text) IS NULL OR namespace = $2) AND (CAST($3 AS text) IS NULL OR resource = $3)
  AND (CAST($4 AS text) IS NULL OR thread = $4)`;
const selectEntries =
  'SELECT id, thread, resource, namespace, created_at AS "createdAt", updated_at AS "updatedAt" FROM threads';
const selectThreads = `
  ${selectEntries}
  WHERE ${filtered} AND (CAST($7 AS text) IS NULL OR updated_at < $7 OR (updated_at = $7
    AND id > $8)) ORDER BY updated_at DESC, id LIMIT $5 OFFSET $6`;
/** The key includes the time, so a thread that gets a message during the ranking is not deleted. */
const deleteSilent = deleteBeyond({
  table: 'threads',
  id: '(updated_at || id)',
  limit: '$1',
  rank: 'row_number() OVER (PARTITION BY owner ORDER BY updated_at DESC)',
});

const hashOf = (owner: string) =>
  createHash('sha256')
    .update(JSON.stringify([owner]))
    .digest('hex')
    .slice(0, 40);
const valuesOf = ({ owner, namespace, resource, thread }: ThreadFilter): Value[] => [
  hashOf(owner),
  namespace ?? null,
  ...[resource, thread].map((name) => (name === undefined ? null : JSON.stringify(name))),
];

/** Returns undefined if the text is damaged. */
function parseText(json: string): string | undefined {
  try {
    const text: unknown = JSON.parse(json);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

type Dated<Row> = Omit<Row, 'createdAt' | 'updatedAt'> & {
  readonly createdAt: string;
  readonly updatedAt: string;
};

const toEntry = (row: Dated<ThreadEntry>): ThreadEntry => ({
  id: row.id,
  thread: parseText(row.thread) ?? '',
  resource: parseText(row.resource) ?? '',
  namespace: row.namespace,
  createdAt: new Date(row.createdAt),
  updatedAt: new Date(row.updatedAt),
});

function toKeptMessages({ content: json, createdAt, ...row }: Dated<KeptMessage>): KeptMessage[] {
  const content = parseText(json);
  return content === undefined ? [] : [{ ...row, content, createdAt: new Date(createdAt) }];
}

async function addMessage(
  query: Query,
  threadId: string,
  { id, role, content, createdAt }: KeptMessage,
  documentIds: readonly string[],
) {
  await query(insertMessage, [
    id,
    threadId,
    role,
    JSON.stringify(content.slice(0, maxMessageChars)),
    createdAt.toISOString(),
  ]);
  for (const document of new Set(documentIds.map(toStorable)))
    await query(insertDocument, [id, document]);
}

export class ConversationStore implements Conversations {
  readonly #options: ConversationsOptions;
  readonly #breaker: CircuitBreaker;
  /** Serializes access to each thread. */
  readonly #writing = new KeyedQueue();
  #writes = 0;
  readonly #logged = new Map<string, unknown>();

  constructor(options: ConversationsOptions) {
    const { store, pauseMs = 5_000 } = options;
    this.#options = options;
    const isAway = (error: unknown) => store.isShared && isStorageAway(error);
    this.#breaker = new CircuitBreaker({ pauseMs, isAway });
  }

  async open(): Promise<void> {
    await this.#trim().catch((error: unknown) =>
      this.#warn('the conversations could not be opened', error),
    );
  }

  async recall(place: ConversationPlace): Promise<ChatMessage[]> {
    const { store, recallTimeoutMs = 2_000 } = this.#options;
    const deadline = store.isShared ? AbortSignal.timeout(recallTimeoutMs) : undefined;
    const tooLate = () => new KnowledgeError('timeout', 'Loading the conversation timed out.');
    try {
      const messages = await withAbort(deadline, tooLate, () =>
        this.#newest(place, recalledMessages),
      );
      return messages.map(({ role, content }) => ({ role, content }));
    } catch (error) {
      this.#warn('a conversation could not be recalled', error);
      return [];
    }
  }

  remember(
    place: ConversationPlace,
    messages: readonly NewMessage[],
    documentIds: readonly string[],
  ): void {
    this.#writing
      .run(conversationIdOf(place), async () => {
        await this.#write(place, messages, documentIds);
        if (this.#writes++ % trimEvery === 0) await this.#trim();
      })
      .catch((error: unknown) => this.#warn('a conversation could not be remembered', error));
  }

  async list(filter: ThreadFilter, { page, perPage, after: [time, id] = [] }: ThreadsPage) {
    const total = await this.#count(filter);
    const rows = await this.#query<Dated<ThreadEntry>>(selectThreads, [
      ...valuesOf(filter),
      perPage,
      page * perPage,
      time ?? null,
      id ?? null,
    ]);
    return { total, threads: rows.map(toEntry) };
  }

  async threadOf(owner: string, messageId: string): Promise<ThreadEntry | undefined> {
    await this.#writing.idle();
    const containing = `${selectEntries} WHERE owner = $1 AND id = (SELECT thread_id FROM messages
      WHERE message_id = $2)`;
    const [found] = await this.#query<Dated<ThreadEntry>>(containing, [hashOf(owner), messageId]);
    return found && toEntry(found);
  }

  messages(place: ConversationPlace): Promise<KeptMessage[]> {
    return this.#newest(place, maxKeptMessages);
  }

  async removeMessages(owner: string, messageIds: readonly string[]): Promise<number> {
    if ((await this.#count({ owner })) === 0) return 0;
    const ids = JSON.stringify(messageIds.map(toStorable));
    const chosen = `
      SELECT message_id FROM messages JOIN threads ON threads.id = thread_id
      WHERE owner = $1 AND message_id IN (${this.#options.store.dialect.elementsOf('$2')})`;
    return this.#erase((query) => this.#cut(query, chosen, [hashOf(owner), ids]));
  }

  async remove(filter: ThreadFilter): Promise<number> {
    if ((await this.#count(filter)) === 0) return 0;
    const removed = await this.#erase((query) =>
      query(`DELETE FROM threads WHERE ${filtered} RETURNING id`, valuesOf(filter)),
    );
    return removed.length;
  }

  async forgetDocument(documentId: string): Promise<void> {
    const quoting = 'SELECT message_id FROM message_documents WHERE document = $1';
    await this.#eraseWritten((query) => this.#cut(query, quoting, [toStorable(documentId)]));
  }

  async forgetNamespace(namespace: string): Promise<void> {
    await this.#eraseWritten((query) =>
      query('DELETE FROM threads WHERE namespace = $1', [namespace]),
    );
  }

  async settled(): Promise<void> {
    await this.#writing.idle();
  }

  /** Does not close the store; its owner does. */
  async close(): Promise<void> {
    await this.#writing.idle();
  }

  readonly #query: Query = (sql, values) =>
    this.#breaker.run(() => this.#options.store.query(sql, values));

  /** Logs a failure once, even if it affects many requests. */
  #warn(message: string, error: unknown): void {
    if (this.#logged.get(message) === error) return;
    this.#logged.set(message, error);
    this.#options.onWarning(message, error);
  }

  async #count(filter: ThreadFilter): Promise<number> {
    await this.#writing.idle();
    const [found] = await this.#query<{ total: number }>(
      `${countThreads} WHERE ${filtered}`,
      valuesOf(filter),
    );
    return found?.total ?? 0;
  }

  /** Returns the newest messages of a thread, oldest first, after pending writes. */
  #newest(place: ConversationPlace, limit: number): Promise<KeptMessage[]> {
    const id = conversationIdOf(place);
    return this.#writing.run(id, async () => {
      const rows = await this.#query<Dated<KeptMessage>>(selectMessages, [id, limit]);
      return rows.reverse().flatMap(toKeptMessages);
    });
  }

  async #erase<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const { withReserve = (erase) => erase() } = this.#options;
    await this.settled();
    return withReserve(() => this.#eraseWritten(work));
  }

  #eraseWritten<T>(work: (query: Query) => Promise<T>): Promise<T> {
    return this.#breaker.run(() =>
      this.#options.store.erase(async ({ query, lock }) => {
        await lock('threadDeletions');
        return work(query);
      }),
    );
  }

  /**
   * Deletes messages and emptied threads. @param chosen query for message ids @returns the number
   * of deleted messages
   */
  async #cut(query: Query, chosen: string, values: readonly Value[]): Promise<number> {
    const { elementsOf, forUpdate } = this.#options.store.dialect;
    await query(
      `SELECT id FROM threads WHERE id IN (SELECT thread_id FROM messages
        WHERE message_id IN (${chosen})) ORDER BY id ${forUpdate}`,
      values,
    );
    const sql = `DELETE FROM messages WHERE message_id IN (${chosen}) RETURNING thread_id AS "threadId"`;
    const removed = await query<{ threadId: string }>(sql, values);
    await query(
      `DELETE FROM threads WHERE id IN (${elementsOf('$1')}) AND NOT EXISTS (SELECT 1 FROM messages
        WHERE thread_id = threads.id)`,
      [JSON.stringify([...new Set(removed.map(({ threadId }) => threadId))])],
    );
    return removed.length;
  }

  async #write(
    place: ConversationPlace,
    messages: readonly NewMessage[],
    documentIds: readonly string[],
  ): Promise<void> {
    const { store, clock } = this.#options;
    const threadId = conversationIdOf(place);
    await this.#breaker.run(() =>
      store.transact(async ({ query }) => {
        const now = clock();
        const at = now.toISOString();
        await query(insertThread, [threadId, ...valuesOf(place), at, at]);
        const [last] = await query<{ createdAt: string }>(selectMessages, [threadId, 1]);
        // After the last message, even if the clock of another server is ahead.
        const begin = last
          ? Math.max(now.getTime(), Date.parse(last.createdAt) + 1)
          : now.getTime();
        for (const [order, message] of messages.entries())
          await addMessage(
            query,
            threadId,
            { id: randomUUID(), ...message, createdAt: new Date(begin + order) },
            documentIds,
          );
        await query(deleteSurplus, [threadId, maxKeptMessages]);
      }),
    );
  }

  /** Does nothing while another server trims. */
  async #trim(): Promise<void> {
    const { store, maxThreads } = this.#options;
    const [found] = await this.#query<{ total: number }>(countThreads);
    if (!found || found.total <= maxThreads) return;
    await this.#breaker.run(() =>
      store.transact(async ({ query, tryLock }) => {
        if (await tryLock('threadDeletions')) await query(deleteSilent, [maxThreads]);
      }),
    );
  }
}
