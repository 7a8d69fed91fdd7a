/**
 * What was said before in a conversation, kept with @mastra/memory in a file of @mastra/libsql. A thread belongs to the caller who
 * began it, in one namespace: names that a request brings choose among that caller's own threads and reach no one else's. What is kept is
 * what people read, the question and the checked answer. A memory that fails is a warning, never a failed answer.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open as openFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Memory } from '@mastra/memory';

export type ChatMessage = { readonly role: 'user'; readonly content: string } | { readonly role: 'assistant'; readonly content: string };

export interface ConversationPlace {
  /** Who is authenticated; decided by the server. */
  readonly owner: string;
  readonly namespace: string;
  /** As the request names them. */
  readonly resource: string;
  readonly thread: string;
}

export interface Conversations {
  /** Oldest first, the last few turns. */
  recall(place: ConversationPlace): Promise<ChatMessage[]>;
  /** Returns at once; what is being written is recalled all the same. */
  remember(place: ConversationPlace, messages: readonly ChatMessage[]): void;
  close(): Promise<void>;
}

export interface ConversationsOptions {
  readonly folder: string;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error: unknown) => void;
  /** Threads that are kept; of more, those that were silent longest go. */
  readonly maxThreads?: number;
}

/** Messages that a turn sees, and that a thread keeps. */
const recalledMessages = 12;
const maxKeptMessages = 60;
const maxMessageChars = 4_000;
const pruneEvery = 100;

/** SQLite, "Database File Format", 1.2. */
const databaseHeader = 'SQLite format 3\0';

/** As Latin-1; empty where there is no file, or nothing in it. */
async function firstBytes(file: string, length: number): Promise<string> {
  const handle = await openFile(file, 'r').catch(() => undefined);
  if (!handle) return '';
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

const hashOf = (...parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

const idsOf = ({ owner, namespace, resource, thread }: ConversationPlace) => ({
  resourceId: hashOf(owner, namespace, resource),
  threadId: hashOf(owner, namespace, resource, thread),
});

interface Opened {
  readonly memory: Memory;
  close(): Promise<void>;
}

export function createConversations({ folder, clock, onWarning, maxThreads = 10_000 }: ConversationsOptions): Conversations {
  const file = join(folder, 'conversations.db');
  let opening: Promise<Opened> | undefined;
  /** Writes of a thread, one after the other. */
  const writing = new Map<string, Promise<void>>();
  let writes = 0;

  /** Both packages take half a second to load, so they are loaded when the first conversation is remembered. */
  async function open(): Promise<Opened> {
    const [{ Memory }, { LibSQLStore }, { noopLogger }] = await Promise.all([
      import('@mastra/memory'),
      import('@mastra/libsql'),
      import('@mastra/core/logger'),
    ]);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await setDamagedAside();
    const storage = new LibSQLStore({ id: 'conversations', url: `file:${file}` });
    // Its own log goes to standard error, with paths.
    storage.__setLogger(noopLogger);
    const memory = new Memory({ storage, options: { lastMessages: recalledMessages, semanticRecall: false, generateTitle: false } });
    return { memory, close: async () => storage.close?.() };
  }

  /** A file that is no database would fail every conversation to come. */
  async function setDamagedAside(): Promise<void> {
    const beginning = await firstBytes(file, databaseHeader.length);
    if (beginning === '' || beginning === databaseHeader) return;
    const aside = `${file}.damaged-${clock().getTime()}`;
    await rename(file, aside);
    onWarning('the file of conversations was no database and is kept beside a new one', undefined);
  }

  async function opened(): Promise<Memory> {
    opening ??= open();
    try {
      return (await opening).memory;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  }

  async function prune(memory: Memory): Promise<void> {
    const { total } = await memory.listThreads({ perPage: 1, page: 0 });
    const surplus = total - maxThreads;
    if (surplus <= 0) return;
    const { threads } = await memory.listThreads({ perPage: surplus, page: 0, orderBy: { field: 'updatedAt', direction: 'ASC' } });
    for (const { id } of threads) await memory.deleteThread(id);
  }

  async function write(place: ConversationPlace, messages: readonly ChatMessage[]): Promise<void> {
    const memory = await opened();
    const ids = idsOf(place);
    if (!(await memory.getThreadById({ threadId: ids.threadId }))) await memory.createThread({ ...ids, title: '' });
    const now = clock().getTime();
    await memory.saveMessages({
      messages: messages.map(({ role, content }, order) => ({
        id: randomUUID(),
        ...ids,
        role,
        // In the order in which they were said, also within one millisecond.
        createdAt: new Date(now + order),
        content: { format: 2 as const, parts: [{ type: 'text' as const, text: content.slice(0, maxMessageChars) }] },
      })),
    });
    const kept = await memory.recall({ ...ids, perPage: false, orderBy: { field: 'createdAt', direction: 'ASC' } });
    const surplus = kept.messages.length - maxKeptMessages;
    if (surplus > 0) await memory.deleteMessages(kept.messages.slice(0, surplus).map(({ id }) => id));
    if (writes++ % pruneEvery === 0) await prune(memory);
  }

  return {
    async recall(place) {
      const ids = idsOf(place);
      try {
        await writing.get(ids.threadId);
        const memory = await opened();
        if (!(await memory.getThreadById({ threadId: ids.threadId }))) return [];
        const { messages } = await memory.recall({
          ...ids,
          perPage: recalledMessages,
          page: 0,
          orderBy: { field: 'createdAt', direction: 'DESC' },
        });
        return messages
          .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
          .flatMap(({ role, content }): ChatMessage[] => {
            const text = content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
            return role === 'user' || role === 'assistant' ? [{ role, content: text }] : [];
          });
      } catch (error) {
        onWarning('a conversation could not be recalled', error);
        return [];
      }
    },

    remember(place, messages) {
      const { threadId } = idsOf(place);
      const before = writing.get(threadId) ?? Promise.resolve();
      const written = before
        .then(() => write(place, messages))
        .catch((error: unknown) => onWarning('a conversation could not be remembered', error))
        .finally(() => {
          if (writing.get(threadId) === written) writing.delete(threadId);
        });
      writing.set(threadId, written);
    },

    async close() {
      await Promise.all(writing.values());
      await (await opening?.catch(() => undefined))?.close();
      opening = undefined;
    },
  };
}
