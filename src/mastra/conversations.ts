/**
 * What was said before in a conversation. A thread belongs to the caller who began it, in one namespace: names that a request brings
 * choose among that caller's own threads and reach no one else's. What is kept is what people read, the question and the checked answer.
 * A memory that fails is a warning, never a failed answer.
 *
 * It is @mastra/memory's, over a file or a database. The packages take a fifth of a second to load, in which nobody else has a turn: so
 * they are loaded at the start, one after the other.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { MastraDBMessage, StorageThreadType } from '@mastra/core/memory';
import type { MastraCompositeStore } from '@mastra/core/storage';
import type { Memory } from '@mastra/memory';
import {
  type ConversationPlace,
  type Conversations,
  conversationIdOf,
  type KeptMessage,
  type ThreadEntry,
  type ThreadFilter,
} from '../app/ask/ask.ts';
import type { ChatMessage } from '../app/ask/turn.ts';
import { untilEnded } from '../concurrency/deadline.ts';
import { fairShare } from '../concurrency/fair-share.ts';
import { KeyedQueue } from '../concurrency/queue.ts';
import { checksumOf } from '../disk/checksum.ts';
import { type WithReserve, withoutReserve } from '../documents/reserve.ts';
import { KnowledgeError } from '../errors.ts';

/** Where threads are kept: `conversations-file.ts` and `conversations-database.ts`. */
export interface ThreadStorage {
  /** What loads its packages. */
  load(): Promise<unknown>;
  /** Whether anything may be kept there. */
  exists(): boolean;
  open(): Promise<OpenThreads>;
  /** An answer waits no longer for what was said before; milliseconds. Undefined: until it is there. */
  readonly recallTimeoutMs?: number;
}

export interface OpenThreads {
  readonly memory: Memory;
  /** Work on one thread while nobody else, of any process, changes that thread. */
  change<T>(threadId: string, work: () => Promise<T>): Promise<T>;
  /** Nothing of what was deleted is left. */
  eraseTraces(): Promise<void>;
  /** Whether the file was deleted or replaced since it was opened. */
  isLost(): boolean;
  close(): Promise<void>;
}

export interface ConversationsOptions {
  readonly threads: ThreadStorage;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error: unknown) => void;
  /** The conversations were deleted or replaced while they were open. */
  readonly onLost?: () => void;
  /** Of more, those that were silent longest go, first of the owners who have most. */
  readonly maxThreads: number;
  /** Deletes run in it, so that they also work on a full disk. */
  readonly withReserve?: WithReserve;
}

/** Of a thread, the newest; what a turn leans on is in the last few. */
const recalledMessages = 12;
const newestFirst = { field: 'updatedAt', direction: 'DESC' } as const;
const threadsAtATime = 500;

/** Messages that a thread keeps: five times what is recalled, for whoever reads the file. */
const maxKeptMessages = 60;
const maxMessageChars = 4_000;
/** Writes between two looks at how many threads there are. */
const pruneEvery = 100;

const hashOf = (...parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40);

const idsOf = (place: ConversationPlace) => ({
  resourceId: hashOf(place.owner, place.namespace, place.resource),
  threadId: conversationIdOf(place),
});

/** Before a name that PostgreSQL refuses in JSON, written as JSON. */
const escapeMark = '\uE000';
const isPlainName = (name: string) => name.isWellFormed() && !name.includes('\0') && !name.startsWith(escapeMark);
const toKeptName = (name: string) => (isPlainName(name) ? name : `${escapeMark}${JSON.stringify(name)}`);
/** A name that is not valid is shown as it is kept. */
function fromKeptName(kept: string): string {
  if (!kept.startsWith(escapeMark)) return kept;
  try {
    return String(JSON.parse(kept.slice(escapeMark.length)));
  } catch {
    return kept;
  }
}

/** What a thread says of itself; the names of the fields become part of a query, so they are letters and digits. */
const documentKey = (documentId: string) => `document_${documentId.replace(/\W/g, '_')}`;
const metadataOf = ({ owner, ...names }: ThreadFilter) => ({
  owner: hashOf(owner),
  ...Object.fromEntries(Object.entries(names).flatMap(([field, name]) => (name === undefined ? [] : [[field, toKeptName(name)]]))),
});
const fieldOf = ({ metadata }: StorageThreadType, name: string) => fromKeptName(String(metadata?.[name] ?? ''));

const toEntry = (thread: StorageThreadType): ThreadEntry => ({
  thread: fieldOf(thread, 'thread'),
  resource: fieldOf(thread, 'resource'),
  namespace: fieldOf(thread, 'namespace'),
  createdAt: thread.createdAt,
  updatedAt: thread.updatedAt,
});

/** Of what is read back: stores leave out blanks at the ends, and what no text may hold. */
const sumOf = (role: string, text: string, documents: unknown): number =>
  checksumOf(role, text.replaceAll('\0', '').toWellFormed().trim(), documents);

function toKeptMessage({ id, role, content, createdAt }: MastraDBMessage): KeptMessage[] {
  // A damaged row may hold anything.
  if (!Array.isArray(content?.parts)) return [];
  const said = content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const { documents, sum } = content.metadata ?? {};
  // What a disk has altered nobody has said; what is kept from before has no sum.
  if (sum !== undefined && sum !== sumOf(role, said, documents)) return [];
  return role === 'user' || role === 'assistant' ? [{ id, role, content: said, createdAt }] : [];
}

const removeThread = (memory: Memory, { id }: StorageThreadType) => memory.deleteThread(id);

/** Unless somebody spoke in it since it was listed. */
async function removeSilent(memory: Memory, listed: StorageThreadType): Promise<void> {
  const thread = await memory.getThreadById({ threadId: listed.id });
  if (thread && thread.updatedAt.getTime() <= listed.updatedAt.getTime()) await memory.deleteThread(listed.id);
}

/** The packages wrap what goes wrong beneath them. */
function failureOf(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause instanceof KnowledgeError) return cause;
  return error;
}

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
  const { isGone } = await cut(memory, of, ({ content }) => [content?.metadata?.['documents']].flat().includes(documentId));
  if (isGone) return;
  // What is not named stays as it was.
  await memory.updateThread({ id: threadId, title: '', metadata: { [documentKey(documentId)]: false } });
}

/** Oldest first. */
async function keptOf(memory: Memory, ids: ReturnType<typeof idsOf>): Promise<MastraDBMessage[]> {
  const { messages } = await memory.recall({ ...ids, perPage: false, orderBy: { field: 'createdAt', direction: 'ASC' } });
  return messages;
}

export async function allThreads(memory: Memory, metadata: Record<string, unknown>): Promise<StorageThreadType[]> {
  const threads: StorageThreadType[] = [];
  for (let page = 0; ; page++) {
    const found = await memory.listThreads({ filter: { metadata }, perPage: threadsAtATime, page, orderBy: newestFirst });
    threads.push(...found.threads);
    if (!found.hasMore) return threads;
  }
}

export async function createMemory(storage: MastraCompositeStore): Promise<Memory> {
  const { Memory: MastraMemory } = await import('@mastra/memory');
  return new MastraMemory({ storage, options: { lastMessages: recalledMessages, semanticRecall: false, generateTitle: false } });
}

export class ConversationStore implements Conversations {
  readonly #options: ConversationsOptions;
  #opening: Promise<OpenThreads> | undefined;
  /** What happens to a thread happens in order. */
  readonly #writing = new KeyedQueue();
  #writes = 0;
  #isPruning = false;
  /** Message → the failure that it was last told of. */
  readonly #told = new Map<string, unknown>();

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { threads } = this.#options;
    await import('@mastra/memory');
    await threads.load();
    if (threads.exists()) await this.#open().catch((error: unknown) => this.#warn('the conversations could not be opened', error));
  }

  async recall(place: ConversationPlace): Promise<ChatMessage[]> {
    const ids = idsOf(place);
    try {
      // After what is being written to it.
      const messages = await this.#inTime(() => this.#writing.run(ids.threadId, () => this.#newest(ids, recalledMessages)));
      return messages.map(({ role, content }) => ({ role, content }));
    } catch (error) {
      this.#warn('a conversation could not be recalled', error);
      return [];
    }
  }

  remember(place: ConversationPlace, messages: readonly ChatMessage[], documentIds: readonly string[]): void {
    const { threadId } = idsOf(place);
    this.#writing
      .run(threadId, async () => {
        await this.#write(place, messages, documentIds);
        if (this.#writes++ % pruneEvery === 0) await this.#prune(threadId);
      })
      .catch((error: unknown) => this.#warn('a conversation could not be remembered', error));
  }

  list(filter: ThreadFilter, paging: { readonly page: number; readonly perPage: number }) {
    return this.#ask({ total: 0, threads: [] as ThreadEntry[] }, async () => {
      await this.#writing.idle();
      const { memory } = await this.#open();
      const found = await memory.listThreads({ filter: { metadata: metadataOf(filter) }, ...paging, orderBy: newestFirst });
      return { total: found.total, threads: found.threads.map(toEntry) };
    });
  }

  messages(place: ConversationPlace): Promise<KeptMessage[]> {
    const ids = idsOf(place);
    return this.#ask<KeptMessage[]>([], () => this.#writing.run(ids.threadId, () => this.#newest(ids, maxKeptMessages)));
  }

  removeMessages(owner: string, messageIds: readonly string[]): Promise<number> {
    return this.#ask(0, async () => {
      await this.#writing.idle();
      const { memory } = await this.#open();
      const store = await memory.storage.getStore('memory');
      const found = (await store?.listMessagesById({ messageIds: messageIds.filter(isPlainName) }))?.messages ?? [];
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
    });
  }

  remove(filter: ThreadFilter): Promise<number> {
    return this.#ask(0, () => this.#change(metadataOf(filter), removeThread));
  }

  async forgetDocument(documentId: string): Promise<void> {
    await this.#ask(0, () =>
      this.#change({ [documentKey(documentId)]: true }, (memory, thread) => removeQuotes(memory, thread, documentId)),
    );
  }

  async forgetNamespace(namespace: string): Promise<void> {
    await this.#ask(0, () => this.#change({ namespace }, removeThread));
  }

  async close(): Promise<void> {
    await this.#writing.idle();
    await (await this.#opening?.catch(() => undefined))?.close();
    this.#opening = undefined;
  }

  async #open(): Promise<OpenThreads> {
    this.#opening ??= this.#options.threads.open();
    const opening = this.#opening;
    const opened = await opening.catch((error: unknown) => {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    });
    if (!opened.isLost()) return opened;
    if (this.#opening === opening) {
      this.#opening = undefined;
      await opened.close().catch(() => undefined);
      this.#options.onLost?.();
    }
    return this.#open();
  }

  /** Of one failure that many come upon there is one warning. */
  #warn(message: string, error: unknown): void {
    const failure = failureOf(error);
    if (failure instanceof KnowledgeError && this.#told.get(message) === failure) return;
    this.#told.set(message, failure);
    this.#options.onWarning(message, failure);
  }

  /** @param none the answer where nothing was ever kept @throws KnowledgeError `storage_unavailable` */
  async #ask<T>(none: T, work: () => Promise<T>): Promise<T> {
    // Nothing is being written either.
    if (this.#writing.isIdle && this.#opening === undefined && !this.#options.threads.exists()) return none;
    try {
      return await work();
    } catch (error) {
      throw failureOf(error);
    }
  }

  #inTime<T>(work: () => Promise<T>): Promise<T> {
    const { recallTimeoutMs } = this.#options.threads;
    const deadline = recallTimeoutMs === undefined ? undefined : AbortSignal.timeout(recallTimeoutMs);
    return untilEnded(deadline, () => new KnowledgeError('timeout', 'What was said before was not there in time.'), work);
  }

  /** Of a thread, oldest first; nothing of one that is not there. */
  async #newest(ids: ReturnType<typeof idsOf>, perPage: number): Promise<KeptMessage[]> {
    const { memory } = await this.#open();
    if (!(await memory.getThreadById({ threadId: ids.threadId }))) return [];
    const orderBy = { field: 'createdAt', direction: 'DESC' } as const;
    const { messages } = await memory.recall({ ...ids, perPage, page: 0, orderBy });
    return messages.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime()).flatMap(toKeptMessage);
  }

  /** Threads that hold something are changed one by one, then nothing of it is left. @returns how many there were */
  async #change(
    metadata: Record<string, unknown>,
    by: (memory: Memory, thread: StorageThreadType) => Promise<unknown>,
    which: (thread: StorageThreadType) => boolean = () => true,
  ): Promise<number> {
    await this.#writing.idle();
    const { withReserve = withoutReserve } = this.#options;
    const { memory, change, eraseTraces } = await withReserve(() => this.#open());
    const threads = (await allThreads(memory, metadata)).filter(which);
    // A second try begins where the first one failed.
    const left = new Set(threads);
    await withReserve(async () => {
      for (const thread of left) {
        await this.#writing.run(thread.id, () => change(thread.id, () => by(memory, thread)));
        left.delete(thread);
      }
      if (threads.length > 0) await eraseTraces();
    });
    return threads.length;
  }

  async #write(place: ConversationPlace, said: readonly ChatMessage[], documentIds: readonly string[]): Promise<void> {
    const { memory, change } = await this.#open();
    const ids = idsOf(place);
    const metadata = { ...metadataOf(place), ...Object.fromEntries(documentIds.map((id) => [documentKey(id), true])) };
    await change(ids.threadId, async () => {
      const thread = await memory.getThreadById({ threadId: ids.threadId });
      // Before the messages, so that what is written is found by what it quotes.
      if (thread) await memory.updateThread({ id: ids.threadId, title: '', metadata: { ...thread.metadata, ...metadata } });
      else await memory.createThread({ ...ids, title: '', metadata });
      const kept = thread ? await keptOf(memory, ids) : [];
      // In the order in which they were said, also within one millisecond, and where the clock of another process is ahead.
      const now = Math.max(this.#options.clock().getTime(), (kept.at(-1)?.createdAt.getTime() ?? 0) + 1);
      await memory.saveMessages({
        messages: said.map(({ role, content }, order) => ({
          id: randomUUID(),
          ...ids,
          role,
          createdAt: new Date(now + order),
          content: {
            format: 2 as const,
            parts: [{ type: 'text' as const, text: content.slice(0, maxMessageChars) }],
            metadata: { documents: documentIds, sum: sumOf(role, content.slice(0, maxMessageChars), documentIds) },
          },
        })),
      });
      const surplus = kept.length + said.length - maxKeptMessages;
      if (surplus > 0) await memory.deleteMessages(kept.slice(0, surplus).map(({ id }) => id));
    });
  }

  /** @param current the thread that is being written, and would wait for itself */
  async #prune(current: string): Promise<void> {
    // Two at once would wait for each other's threads.
    if (this.#isPruning) return;
    this.#isPruning = true;
    try {
      const { memory, change } = await this.#open();
      const { maxThreads } = this.#options;
      const { total } = await memory.listThreads({ perPage: 1, page: 0 });
      if (total <= maxThreads) return;
      const threads = await allThreads(memory, {});
      const kept = new Set(fairShare(threads, maxThreads, (thread) => fieldOf(thread, 'owner')));
      for (const thread of threads.filter((one) => !kept.has(one))) {
        const remove = () => change(thread.id, () => removeSilent(memory, thread));
        await (thread.id === current ? remove() : this.#writing.run(thread.id, remove));
      }
    } finally {
      this.#isPruning = false;
    }
  }
}
