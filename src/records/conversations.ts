/**
 * Conversation history. A thread belongs to the caller who began it, in one namespace; requests can
 * name only the caller's own threads. The store keeps questions and checked answers. If the store
 * fails, a warning is logged and the answer continues.
 *
 * Names and messages are JSON texts, because PostgreSQL rejects some characters. A transaction
 * changes the row of a thread before its messages, so that concurrent servers do not deadlock.
 */
import { hash, randomUUID } from 'node:crypto';
import { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { KeyedQueue } from '../../packages/shared/src/concurrency/queue.ts';
import { isStorageAway, KnowledgeError } from '../../packages/shared/src/errors.ts';
import {
  deleteBeyond,
  type Query,
  type SqlDialect,
  type Store,
  toStorable,
  type Value,
} from './store.ts';

export type ChatMessage =
  | Readonly<{ role: 'user'; content: string }>
  | Readonly<{ role: 'assistant'; content: string }>;

export type ConversationPlace = Readonly<{
  owner: string;
  namespace: string;
  resource: string;
  thread: string;
}>;

/** Returns a hash that reveals none of the names. */
export const conversationIdOf = ({ owner, namespace, resource, thread }: ConversationPlace) =>
  hashOf([owner, namespace, resource, thread]);

/** Times are ISO 8601. */
export type ThreadEntry = Readonly<
  Record<'id' | 'thread' | 'resource' | 'namespace' | 'createdAt' | 'updatedAt', string>
>;

export type KeptMessage = ChatMessage & Readonly<{ id: string; createdAt: string }>;

type NewMessage = ChatMessage & { readonly id?: string };

type ThreadFilter = Pick<ConversationPlace, 'owner'> & {
  readonly [Name in 'namespace' | 'resource' | 'thread']?: string | undefined;
};

/** Messages of a thread that the model receives. */
const recalledMessages = 12;
const maxKeptMessages = 60;
const maxMessageChars = 4_000;
/** Writes between two checks of the number of threads. */
const trimEvery = 100;

export const conversationTables = ({ keyText, growingId }: SqlDialect) => `
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

const hashOf = (names: readonly string[]) => hash('sha256', JSON.stringify(names)).slice(0, 40);
const valuesOf = ({ owner, namespace, resource, thread }: ThreadFilter) => [
  hashOf([owner]),
  namespace ?? null,
  ...[resource, thread].map((name) => (name === undefined ? null : JSON.stringify(name))),
];

/** Returns undefined if the text is damaged. */
function parseText(json: string) {
  try {
    const text: unknown = JSON.parse(json);
    return typeof text === 'string' ? text : undefined;
  } catch {
    return undefined;
  }
}

const toEntry = (row: ThreadEntry) => ({
  ...row,
  thread: parseText(row.thread) ?? '',
  resource: parseText(row.resource) ?? '',
});

function toKeptMessages(row: KeptMessage) {
  const content = parseText(row.content);
  return content === undefined ? [] : [{ ...row, content }];
}

/** Stored conversations. */
export class Conversations {
  readonly #options;
  readonly #breaker;
  /** Serializes access to each thread. */
  readonly #writing = new KeyedQueue();
  #writes = 0;
  readonly #logged = new Map<string, unknown>();

  constructor(
    options: Readonly<{
      store: Store;
      clock: () => Date;
      onWarning: (message: string, error: unknown) => void;
      /**
       * Maximum stored threads; beyond it, the owners with most threads lose their longest inactive
       * threads.
       */
      maxThreads: number;
      /** Runs deletes, so that they also work on a full disk. */
      withReserve?: <T>(work: () => Promise<T>) => Promise<T>;
      /** Pause after a failure of a shared store; milliseconds. */
      pauseMs?: number;
      /** Maximum time to load the history from a shared store; milliseconds. */
      recallTimeoutMs?: number;
    }>,
  ) {
    const { store, pauseMs = 5_000 } = options;
    this.#options = options;
    const isAway = (error: unknown) => store.isShared && isStorageAway(error);
    this.#breaker = new CircuitBreaker({ pauseMs, isAway });
  }

  /** Opens conversations of an earlier process; the first conversation opens them too. */
  async open() {
    await this.#trim().catch((error: unknown) =>
      this.#warn('the conversations could not be opened', error),
    );
  }

  /** Returns the newest messages, pending writes included. */
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

  /**
   * Writes in the background. @param messages an answer has the id of its run @param documentIds
   * quoted documents; deleting one deletes the messages
   */
  remember(
    place: ConversationPlace,
    messages: readonly NewMessage[],
    documentIds: readonly string[],
  ) {
    this.#writing
      .run(conversationIdOf(place), async () => {
        await this.#write(place, messages, documentIds.map(toStorable));
        if (this.#writes++ % trimEvery === 0) await this.#trim();
      })
      .catch((error: unknown) => this.#warn('a conversation could not be remembered', error));
  }

  /** @param page from 0 @param after time and id of a thread: returns only threads after it */
  async list(
    filter: ThreadFilter,
    {
      page,
      perPage,
      after: [time, id] = [],
    }: { page: number; perPage: number; after?: readonly (string | number)[] | undefined },
  ) {
    const total = await this.#count(filter);
    const values = [...valuesOf(filter), perPage, page * perPage, time ?? null, id ?? null];
    const rows = await this.#query<ThreadEntry>(selectThreads, values);
    return { total, threads: rows.map(toEntry) };
  }

  /** Returns the owner's thread that contains the message. */
  async threadOf(owner: string, messageId: string) {
    await this.#writing.idle();
    const containing = `${selectEntries} WHERE owner = $1 AND id = (SELECT thread_id FROM messages
      WHERE message_id = $2)`;
    const [found] = await this.#query<ThreadEntry>(containing, [hashOf([owner]), messageId]);
    return found && toEntry(found);
  }

  messages(place: ConversationPlace) {
    return this.#newest(place, maxKeptMessages);
  }

  /** Deletes messages from threads of this owner only. @returns the number deleted */
  async removeMessages(owner: string, messageIds: readonly string[]) {
    if ((await this.#count({ owner })) === 0) return 0;
    const ids = JSON.stringify(messageIds.map(toStorable));
    const chosen = `
      SELECT message_id FROM messages JOIN threads ON threads.id = thread_id
      WHERE owner = $1 AND message_id IN (${this.#options.store.dialect.elementsOf('$2')})`;
    return this.#erase((query) => this.#cut(query, chosen, [hashOf([owner]), ids]));
  }

  async remove(filter: ThreadFilter) {
    if ((await this.#count(filter)) === 0) return 0;
    const removed = await this.#erase((query) =>
      query(`DELETE FROM threads WHERE ${filtered} RETURNING id`, valuesOf(filter)),
    );
    return removed.length;
  }

  async forgetDocument(documentId: string) {
    const quoting = 'SELECT message_id FROM message_documents WHERE document = $1';
    await this.#eraseWritten((query) => this.#cut(query, quoting, [toStorable(documentId)]));
  }

  async forgetNamespace(namespace: string) {
    await this.#eraseWritten((query) =>
      query('DELETE FROM threads WHERE namespace = $1', [namespace]),
    );
  }

  async settled() {
    await this.#writing.idle();
  }

  readonly #query: Query = (sql, values) =>
    this.#breaker.run(() => this.#options.store.query(sql, values));

  /** Logs a failure once, even if it affects many requests. */
  #warn(message: string, error: unknown) {
    if (this.#logged.get(message) === error) return;
    this.#logged.set(message, error);
    this.#options.onWarning(message, error);
  }

  async #count(filter: ThreadFilter) {
    await this.#writing.idle();
    const [found] = await this.#query<{ total: number }>(
      `${countThreads} WHERE ${filtered}`,
      valuesOf(filter),
    );
    return found?.total ?? 0;
  }

  /** Returns the newest messages of a thread, oldest first, after pending writes. */
  #newest(place: ConversationPlace, limit: number) {
    const id = conversationIdOf(place);
    return this.#writing.run(id, async () => {
      const rows = await this.#query<KeptMessage>(selectMessages, [id, limit]);
      return rows.reverse().flatMap(toKeptMessages);
    });
  }

  async #erase<T>(work: (query: Query) => Promise<T>) {
    const { withReserve = (erase) => erase() } = this.#options;
    await this.settled();
    return withReserve(() => this.#eraseWritten(work));
  }

  #eraseWritten<T>(work: (query: Query) => Promise<T>) {
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
  async #cut(query: Query, chosen: string, values: readonly Value[]) {
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
    documents: readonly string[],
  ) {
    const { store, clock } = this.#options;
    const threadId = conversationIdOf(place);
    const add = async (query: Query) => {
      const now = clock();
      const at = now.toISOString();
      await query(insertThread, [threadId, ...valuesOf(place), at, at]);
      const [last] = await query<KeptMessage>(selectMessages, [threadId, 1]);
      // After the last message, even if the clock of another server is ahead.
      const begin = Math.max(now.getTime(), last ? Date.parse(last.createdAt) + 1 : 0);
      for (const [order, { id = randomUUID(), role, content }] of messages.entries()) {
        const stored = JSON.stringify(content.slice(0, maxMessageChars));
        const createdAt = new Date(begin + order).toISOString();
        await query(insertMessage, [id, threadId, role, stored, createdAt]);
        for (const document of new Set(documents)) await query(insertDocument, [id, document]);
      }
      await query(deleteSurplus, [threadId, maxKeptMessages]);
    };
    await this.#breaker.run(() => store.transact(({ query }) => add(query)));
  }

  /** Does nothing while another server trims. */
  async #trim() {
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
