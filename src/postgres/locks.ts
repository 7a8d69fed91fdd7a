/**
 * Keys of the advisory locks that the servers of a database share. Each key has one owner. A released key never changes, because servers of
 * two versions may run at the same time. Locks on files use the hash of the file's name instead.
 */
export const advisoryLocks = {
  /** Tables of `migrations.ts`. */
  migrations: 4_111_001,
  /** Bulk deletes of answers, feedback and gaps. */
  answerDeletions: 4_111_002,
  /** With the hash of a namespace: changes of its search tables. */
  searchNamespace: 4_111_003,
  /** Tables of the search engine. */
  searchTables: 4_111_004,
  /** Bulk deletes of threads and messages. */
  threadDeletions: 4_111_012,
} as const;
