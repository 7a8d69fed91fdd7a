/**
 * The port through which documents are changed: in the knowledge folder itself, or in the database that several servers share and from
 * there in each one's folder. A namespace has a generation, which a change has to name: what began before a namespace was deleted brings
 * nothing back.
 */
import type { StoredFile } from './document-store.ts';

export type FileContent = Pick<StoredFile, 'text' | 'bytes' | 'revision'>;

/** A note of a write. It is saved before the write, or in the same transaction. */
export interface WriteMark {
  save(): Promise<void>;
  /** For a shared database. Fails with `division_by_zero` if the caller may not write. */
  readonly statement: readonly [sql: string, values?: readonly (string | number | null)[]];
}

/** A file that nobody else changes meanwhile. Only the last of its changes counts: after one of them it is not read again. */
export interface LockedFile {
  /** As everybody sees it now; undefined where there is none. */
  read(): Promise<FileContent | undefined>;
  /** In the knowledge folder when it resolves. */
  write(content: string, mark?: WriteMark): Promise<void>;
  /** Nothing to remove is no error. */
  remove(): Promise<void>;
}

export interface DocumentWrites {
  /** The namespace as it is now, to be shown with each change. @throws KnowledgeError `storage_unavailable` */
  token(namespace: string): Promise<number>;
  /**
   * One change of a file at a time.
   * @param mayRepeat whether `work` may be called twice, the first time without a lock: if that writes nothing, it does not count
   * @throws KnowledgeError `cancelled` where the namespace was removed since the token was given, `storage_unavailable`
   */
  change<T>(namespace: string, token: number, file: string, work: (file: LockedFile) => Promise<T>, mayRepeat?: boolean): Promise<T>;
  /** Removes a namespace: waits for changes at work, and makes the tokens from before worthless. @param work removes what is here of it */
  remove<T>(namespace: string, work: () => Promise<T>): Promise<T>;
}
