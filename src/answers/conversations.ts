/** The port to where conversations are kept, for those who ask and for the hosts that list them. */
import { createHash } from 'node:crypto';

export type ChatMessage = { readonly role: 'user'; readonly content: string } | { readonly role: 'assistant'; readonly content: string };

export interface ConversationPlace {
  /** Who is authenticated; decided by the server. */
  readonly owner: string;
  readonly namespace: string;
  /** As the request names them. */
  readonly resource: string;
  readonly thread: string;
}

/** Id of a conversation, without the names that it was given. */
export const conversationIdOf = ({ owner, namespace, resource, thread }: ConversationPlace): string =>
  createHash('sha256')
    .update(JSON.stringify([owner, namespace, resource, thread]))
    .digest('hex')
    .slice(0, 40);

/** A thread, as its owner named it. */
export interface ThreadEntry {
  readonly thread: string;
  readonly resource: string;
  readonly namespace: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What was said in a thread, as it is kept. */
export type KeptMessage = ChatMessage & { readonly id: string; readonly createdAt: Date };

/** Threads of one owner, narrowed by what is given. */
export type ThreadFilter = Pick<ConversationPlace, 'owner'> & {
  readonly [Name in 'namespace' | 'resource' | 'thread']?: string | undefined;
};

/** What was said before: what `state/conversations.ts` keeps, as asking and its hosts need it. */
export interface Conversations {
  /** Opens what an earlier process kept; the first conversation of all opens it by itself. */
  open(): Promise<void>;
  /** Oldest first, the last few turns. */
  recall(place: ConversationPlace): Promise<ChatMessage[]>;
  /**
   * Returns at once; what is being written is recalled all the same.
   * @param documentIds what the messages quote: they go with these documents
   */
  remember(place: ConversationPlace, messages: readonly ChatMessage[], documentIds: readonly string[]): void;
  /** Newest first; pages are counted from 0. */
  list(filter: ThreadFilter, page: { readonly page: number; readonly perPage: number }): Promise<{ total: number; threads: ThreadEntry[] }>;
  /** All that is kept of a thread, oldest first. */
  messages(place: ConversationPlace): Promise<KeptMessage[]>;
  /** Cuts messages out of threads of this owner; others of these ids stay. @returns how many there were */
  removeMessages(owner: string, ids: readonly string[]): Promise<number>;
  /** @returns how many there were */
  remove(filter: ThreadFilter): Promise<number>;
  /** Cuts the turns that quote a document out of every thread. */
  forgetDocument(documentId: string): Promise<void>;
  forgetNamespace(namespace: string): Promise<void>;
  close(): Promise<void>;
}
