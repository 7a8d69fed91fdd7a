/** Port to the storage of conversations. */
import { createHash } from 'node:crypto';

export type ChatMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string };

export type ConversationPlace = Readonly<{
  owner: string;
  namespace: string;
  resource: string;
  thread: string;
}>;

/** Returns a hash that reveals none of the names. */
export const conversationIdOf = ({
  owner,
  namespace,
  resource,
  thread,
}: ConversationPlace): string =>
  createHash('sha256')
    .update(JSON.stringify([owner, namespace, resource, thread]))
    .digest('hex')
    .slice(0, 40);

export interface ThreadEntry {
  readonly id: string;
  readonly thread: string;
  readonly resource: string;
  readonly namespace: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An answer has the id of its run. */
export type NewMessage = ChatMessage & { readonly id?: string };
export type KeptMessage = ChatMessage & { readonly id: string; readonly createdAt: Date };

export type ThreadFilter = Pick<ConversationPlace, 'owner'> & {
  readonly [Name in 'namespace' | 'resource' | 'thread']?: string | undefined;
};

export interface ThreadsPage {
  /** From 0. */
  readonly page: number;
  readonly perPage: number;
  /** Time and id of a thread: returns only threads after it. */
  readonly after?: readonly (string | number)[] | undefined;
}

/** Stored conversations; implemented by `conversation-tables.ts`. */
export interface Conversations {
  /** Opens conversations of an earlier process; the first conversation opens them too. */
  open(): Promise<void>;
  recall(place: ConversationPlace): Promise<ChatMessage[]>;
  /**
   * Writes in the background; `recall` sees pending writes. @param documentIds quoted documents;
   * deleting one deletes the messages
   */
  remember(
    place: ConversationPlace,
    messages: readonly NewMessage[],
    documentIds: readonly string[],
  ): void;
  /** Returns the owner's thread that contains the message. */
  threadOf(owner: string, messageId: string): Promise<ThreadEntry | undefined>;
  list(filter: ThreadFilter, page: ThreadsPage): Promise<{ total: number; threads: ThreadEntry[] }>;
  messages(place: ConversationPlace): Promise<KeptMessage[]>;
  /** Deletes messages from threads of this owner only. @returns the number deleted */
  removeMessages(owner: string, ids: readonly string[]): Promise<number>;
  remove(filter: ThreadFilter): Promise<number>;
  forgetDocument(documentId: string): Promise<void>;
  forgetNamespace(namespace: string): Promise<void>;
  close(): Promise<void>;
}
