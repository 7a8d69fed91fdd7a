/** The port to where conversations are kept, for those who ask and for the hosts that list them. */
import { createHash } from 'node:crypto';

export type ChatMessage = { readonly role: 'user'; readonly content: string } | { readonly role: 'assistant'; readonly content: string };

export type ConversationPlace = Readonly<{ owner: string; namespace: string; resource: string; thread: string }>;

/** Id of a conversation, without the names that it was given. */
export const conversationIdOf = ({ owner, namespace, resource, thread }: ConversationPlace): string =>
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

export type KeptMessage = ChatMessage & { readonly id: string; readonly createdAt: Date };

export type ThreadFilter = Pick<ConversationPlace, 'owner'> & {
  readonly [Name in 'namespace' | 'resource' | 'thread']?: string | undefined;
};

export interface ThreadsPage {
  /** From 0. */
  readonly page: number;
  readonly perPage: number;
  /** Only threads after this one: its time and its id. */
  readonly after?: readonly (string | number)[] | undefined;
}

/** What was said before: what `state/conversations.ts` keeps, as asking and its hosts need it. */
export interface Conversations {
  /** Opens what an earlier process kept; the first conversation of all opens it by itself. */
  open(): Promise<void>;
  recall(place: ConversationPlace): Promise<ChatMessage[]>;
  /** Returns at once; what is being written is recalled too. @param documentIds what the messages quote: they go with these documents */
  remember(place: ConversationPlace, messages: readonly ChatMessage[], documentIds: readonly string[]): void;
  list(filter: ThreadFilter, page: ThreadsPage): Promise<{ total: number; threads: ThreadEntry[] }>;
  messages(place: ConversationPlace): Promise<KeptMessage[]>;
  /** Cuts messages out of threads of this owner; others of these ids stay. @returns how many there were */
  removeMessages(owner: string, ids: readonly string[]): Promise<number>;
  remove(filter: ThreadFilter): Promise<number>;
  forgetDocument(documentId: string): Promise<void>;
  forgetNamespace(namespace: string): Promise<void>;
  close(): Promise<void>;
}
