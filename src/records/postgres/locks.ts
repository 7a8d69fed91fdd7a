/**
 * Advisory lock keys shared by the servers of a database. Published keys never change, because
 * servers of two versions may run at the same time. Locks on files use the hash of the file's name.
 */
export const advisoryLocks = {
  migrations: 4_111_001,
  /** Bulk deletes of answers, feedback and gaps. */
  answerDeletions: 4_111_002,
  /** Changes of the search tables of a namespace; combined with the hash of its name. */
  searchNamespace: 4_111_003,
  searchTables: 4_111_004,
  /** Bulk deletes of threads and messages. */
  threadDeletions: 4_111_012,
  /** Changes of groups of unanswered questions. */
  gapGroups: 4_111_013,
} as const;
