/**
 * Port for changing documents: in the knowledge folder, or in a shared database that is mirrored to
 * the folder of each server. A change names the generation of its namespace, so a change that began
 * before the namespace was deleted fails.
 */
import type { StoredFile } from './document-store.ts';

export type FileContent = Pick<StoredFile, 'text' | 'bytes' | 'revision'>;

/** Record of a write, saved before the write or in the same transaction. */
export interface WriteMark {
  save(): Promise<void>;
  /**
   * SQL that saves the mark in a shared database; fails with `division_by_zero` if the caller may
   * not write.
   */
  readonly statement: readonly [sql: string, values?: readonly (string | number | null)[]];
}

/**
 * File under an exclusive lock. Only its last change counts; it must not be read after a change.
 */
export interface LockedFile {
  /** Returns the committed content; undefined if the file is missing. */
  read(): Promise<FileContent | undefined>;
  /** Resolves when the knowledge folder has the content. */
  write(content: string, mark?: WriteMark): Promise<void>;
  /** Does nothing if the file is missing. */
  remove(): Promise<void>;
}

export interface DocumentWrites {
  /**
   * Current generation of the namespace, required by each change. @throws KnowledgeError
   * `storage_unavailable`
   */
  token(namespace: string): Promise<number>;
  /**
   * Runs one change of a file at a time.
   * @param mayRepeat whether `work` may run first without a lock. If that run writes nothing,
   * `work` runs again with the lock
   * @throws KnowledgeError `cancelled` if the namespace was removed after the token was issued;
   * `storage_unavailable`
   */
  change<T>(
    namespace: string,
    token: number,
    file: string,
    work: (file: LockedFile) => Promise<T>,
    mayRepeat?: boolean,
  ): Promise<T>;
  /**
   * Removes a namespace: waits for running changes and invalidates earlier tokens. @param work
   * removes this server's files
   */
  remove<T>(namespace: string, work: () => Promise<T>): Promise<T>;
}

/** State of the local copy of a database. */
export type MirrorHealth = Readonly<{
  /** Whether all changes could be written to the folder. */
  isWritten: boolean;
  /** Milliseconds since the last successful poll; null before the first. */
  ageMs: number | null;
}>;
