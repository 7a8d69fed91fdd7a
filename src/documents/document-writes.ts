/**
 * The port through which documents are changed: in the knowledge folder itself, or in the database that several servers share and from
 * there in each one's folder. A namespace has a generation, which a change has to name: what began before a namespace was deleted brings
 * nothing back.
 */
import type { StoredFile } from './document-store.ts';

export type FileContent = Pick<StoredFile, 'text' | 'bytes' | 'revision'>;

/** A file that nobody else changes meanwhile. Only the last of its changes counts: after one of them it is not read again. */
export interface HeldFile {
  /** As everybody sees it now; undefined where there is none. */
  read(): Promise<FileContent | undefined>;
  /** In the knowledge folder when it resolves. */
  write(content: string): Promise<void>;
  /** Nothing to remove is no error. */
  remove(): Promise<void>;
}

export interface DocumentWrites {
  /** The namespace as it is now, to be shown with each change. @throws KnowledgeError `storage_unavailable` */
  token(namespace: string): Promise<number>;
  /**
   * One change of a file at a time.
   * @throws KnowledgeError `cancelled` where the namespace was removed since the token was given, `storage_unavailable`
   */
  change<T>(namespace: string, token: number, file: string, work: (file: HeldFile) => Promise<T>): Promise<T>;
  /** Removes a namespace: waits for changes at work, and makes the tokens from before worthless. @param work removes what is here of it */
  remove<T>(namespace: string, work: () => Promise<T>): Promise<T>;
}
