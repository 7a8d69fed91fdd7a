/**
 * Documents in the database, the store of record of servers that share it. A row is a file; a
 * deleted file has no content. To find changes, a server reads the rows changed by transactions at
 * or above the `pg_snapshot_xmin` of its last poll. Rows may repeat; versions, which rise with
 * every change of a row, show whether a row is new. (A sequence as the mark would lose rows: lower
 * numbers may commit later.)
 */
import { KeyedQueue, Semaphore } from '../../../packages/shared/src/concurrency/queue.ts';
import { systemErrorCode } from '../../../packages/shared/src/errors.ts';
import { isStorablePath, revisionInThread } from '../../documents/document-store.ts';
import type {
  DocumentWrites,
  FileContent,
  LockedFile,
  WriteMark,
} from '../../documents/document-writes.ts';
import { namespaceDeleted } from '../../documents/write-locks.ts';
import type { Warnings } from '../../warnings.ts';
import type { StoreStatement, Transaction } from '../store.ts';
import type { Database } from './database.ts';

export type FileName = Readonly<{ namespace: string; file: string }>;

export type FileVersion = FileName &
  Readonly<{
    /** Rises with every change of the file. */
    version: number;
    /** `sha256-` and the hash of the content; undefined if the file is deleted. */
    revision: string | undefined;
    bytes: number;
  }>;

export interface FileState extends FileVersion {
  /** Undefined if the file is deleted. */
  readonly content?: Buffer | undefined;
}

const toState = (row: FileState): FileState => ({
  ...row,
  revision: row.revision ?? undefined,
  content: row.content ?? undefined,
});

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Retention of deleted rows, for servers that were disconnected. */
const tombstoneDays = 7;
const filesPerPage = 5_000;
/** Maximum concurrent transactions that change documents; the other connections stay free. */
const maxOpenChanges = 4;

const columns = `namespace, file, version::float8 AS version, revision,
  coalesce(octet_length(content), 0) AS bytes`;
const look = `
  WITH look AS (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS mark)
  SELECT look.mark::text AS mark, found.* FROM look
  LEFT JOIN (SELECT changed, ${columns} FROM documents) AS found ON found.changed >= $1::text::xid8`;
const page = `SELECT ${columns} FROM documents WHERE (namespace, file) > ($1, $2)
  ORDER BY namespace, file LIMIT ${filesPerPage}`;
const contents = `
  SELECT ${columns}, content FROM documents
  WHERE (namespace, file) IN (SELECT * FROM unnest($1::text[], $2::text[]))`;
/** Most changes read the current content. Long content is fetched only on demand. */
const heldFile = `
  SELECT ${columns}, CASE WHEN octet_length(content) <= 100000 THEN content END AS content
    FROM documents WHERE namespace = $1 AND file = $2`;
const stamp = `version = nextval('document_version'), changed = pg_current_xact_id(),
    changed_at = now()`;
/**
 * Requires the file's lock. Writes only if the file and its namespace have not changed since they
 * were read.
 */
const putFile = `
  INSERT INTO documents (namespace, file, generation, content, revision) SELECT $1, $2, $3, $4, $5
  WHERE EXISTS (SELECT 1 FROM namespaces WHERE name = $1 AND generation = $3)
    AND (SELECT revision FROM documents WHERE namespace = $1 AND file = $2) IS NOT DISTINCT FROM $6
  ON CONFLICT (namespace, file) DO UPDATE SET generation = excluded.generation,
    content = excluded.content, revision = excluded.revision, ${stamp}
  RETURNING version::float8 AS version`;
const remove = `
  UPDATE documents SET content = NULL, revision = NULL, ${stamp} WHERE namespace = $1`;
const removeFile = `${remove}
  AND file = $2 AND content IS NOT NULL RETURNING version::float8 AS version`;
/**
 * Includes deleted files: otherwise other servers would not notice the deletion of an empty
 * namespace.
 */
const removeFiles = `${remove} AND generation = $2`;
const nextGeneration = `
  INSERT INTO namespaces (name, generation) VALUES ($1, 1)
  ON CONFLICT (name) DO UPDATE SET generation = namespaces.generation + 1 RETURNING generation - 1 AS before`;
/** A namespace exists while it has a row of its current generation, even of a deleted file. */
const present = `
  SELECT DISTINCT namespace FROM documents JOIN namespaces ON name = namespace
    AND namespaces.generation = documents.generation
  WHERE namespace = ANY($1::text[])`;
const isOtherCluster = `
  SELECT system_identifier IS DISTINCT FROM (SELECT system_identifier::text
    FROM pg_control_system()) AS other FROM installation`;
const forgetTombstones =
  'DELETE FROM documents WHERE content IS NULL AND changed_at < now() - make_interval(days => $1)';
/** Updates one page, because a statement over all rows could time out. */
const restamp = `
  UPDATE documents SET changed = pg_current_xact_id() WHERE (namespace, file) IN (
    SELECT namespace, file FROM documents WHERE changed > pg_current_xact_id()
      LIMIT ${filesPerPage} FOR UPDATE SKIP LOCKED)
  RETURNING 1`;

export const namespaceToken = (namespace: string) =>
  [
    'SELECT coalesce(max(generation), 0)::int AS token FROM namespaces WHERE name = $1',
    [namespace],
  ] as const;

/** Acquires the locks of a change. A removal of the namespace waits for the change. */
const lockFile = (target: FileName): StoreStatement<unknown>[] => [
  ['INSERT INTO namespaces (name) VALUES ($1) ON CONFLICT DO NOTHING', [target.namespace]],
  ['SELECT generation FROM namespaces WHERE name = $1 FOR SHARE', [target.namespace]],
  ['SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [nameOf(target)]],
];

/** @param isReplaced whether to replace an existing file with other content */
export async function importFile(
  writes: DocumentWrites,
  { namespace, file, text }: FileName & { readonly text: string },
  isReplaced: boolean,
): Promise<'added' | 'updated' | 'unchanged'> {
  return writes.change(namespace, await writes.token(namespace), file, async (held) => {
    const before = await held.read();
    if (before && (before.text === text || !isReplaced)) return 'unchanged';
    await held.write(text);
    return before ? 'updated' : 'added';
  });
}

/** Content written to a temporary file next to its target. */
export interface PreparedFile {
  put(state: FileVersion): Promise<void>;
  discard(): Promise<void>;
}

/** Applies changes to this server's folder. Call its methods only inside `inTurn` for that file. */
export interface FileMirror {
  /** Reads the file from the folder. */
  read(name: FileName): Promise<FileContent | undefined>;
  take(state: FileState): Promise<void>;
  /**
   * Stages content before the commit: the folder must not reject a committed change. @throws if the
   * folder cannot be written
   */
  prepare(name: FileName, content: Buffer): Promise<PreparedFile>;
}

/** For commands that have no folder. */
export const noFolder: FileMirror = {
  read: async () => undefined,
  take: async () => undefined,
  prepare: async () => ({ put: async () => undefined, discard: async () => undefined }),
};

type ChangedFile = FileName & { readonly generation: number };
const nameOf = ({ namespace, file }: FileName) => `${namespace}/${file}`;
const fileChanged = new Error('The file has changed since it was read.');

export class DocumentRecord {
  readonly #database;
  readonly #warnings;
  readonly #turns = new KeyedQueue();

  /** @param warnings receives rows that are skipped because of invalid names */
  constructor(database: Database, warnings?: Pick<Warnings, 'begin'>) {
    this.#database = database;
    this.#warnings = warnings;
  }

  /** Skips rows with invalid names: a dump of another server may contain any. */
  #valid(rows: readonly FileState[]) {
    return rows.map(toState).filter(({ namespace, file }) => {
      const isValid = isStorablePath(namespace, file);
      const row = `documents: ${JSON.stringify([namespace, file])}`;
      if (!isValid) this.#warnings?.begin('rows_invalid', undefined, new Error(row));
      return isValid;
    });
  }

  /** Serializes work on a file with this server's changes to that file. */
  inTurn<T>(file: FileName, work: () => Promise<T>) {
    return this.#turns.run(nameOf(file), work);
  }

  /** Files changed since a mark, oldest first, and the mark for the next poll. */
  async changedSince(mark: string) {
    type Row = FileVersion & Readonly<{ mark: string }>;
    const [first, ...others] = (await this.#database.query<Row>(look, [mark])) as [Row, ...Row[]];
    const files = this.#valid([first, ...others].filter(({ namespace }) => namespace !== null));
    return { mark: first.mark, files: files.sort((a, b) => a.version - b.version) };
  }

  /** Mark of the current moment for `changedSince`. */
  mark() {
    return this.#one('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS one');
  }

  async #one(sql: string) {
    const [row] = await this.#database.query<{ one: string }>(sql);
    return (row as { one: string }).one;
  }

  /** All files, including deleted ones. */
  async list() {
    const all: FileVersion[] = [];
    for (let last: FileName = { namespace: '', file: '' }; ; ) {
      const rows = await this.#database.query<FileVersion>(page, [last.namespace, last.file]);
      last = rows.at(-1) ?? last;
      all.push(...this.#valid(rows));
      if (rows.length < filesPerPage) return all;
    }
  }

  async contentsOf(files: readonly FileName[]) {
    const values = [files.map(({ namespace }) => namespace), files.map(({ file }) => file)];
    return this.#valid(await this.#database.query<FileState>(contents, values));
  }

  /** Returns those namespaces that exist. */
  async present(namespaces: readonly string[]) {
    const rows = await this.#database.query<{ namespace: string }>(present, [namespaces]);
    return new Set(rows.map(({ namespace }) => namespace));
  }

  /** Id of this database; a dump contains it. */
  id() {
    return this.#one('SELECT id AS one FROM installation');
  }

  /** Id of the connected cluster; transaction ids are valid only within a cluster. */
  cluster() {
    return this.#one('SELECT system_identifier::text AS one FROM pg_control_system()');
  }

  /** Number of connections opened so far. A new connection may lead to another cluster. */
  connections() {
    return this.#database.connections();
  }

  /**
   * After a restore into another cluster, updates the transaction ids of the rows. Otherwise new
   * changes could have lower ids.
   */
  async adoptCluster() {
    const { query } = this.#database;
    const [row] = await query<{ other: boolean }>(isOtherCluster);
    if (!row?.other) return;
    while ((await query(restamp)).length > 0);
    await query(
      'UPDATE installation SET system_identifier = (SELECT system_identifier::text FROM pg_control_system())',
    );
  }

  async forgetTombstones() {
    await this.#database.query(forgetTombstones, [tombstoneDays]);
  }

  /**
   * @param mirror folder of this server; it receives each change before the promise of the change
   * resolves
   */
  writesThrough(mirror: FileMirror): DocumentWrites {
    return new RecordWrites(this.#database, this, mirror);
  }
}

type Commit = Transaction<unknown>['commit'];

class RecordWrites implements DocumentWrites {
  readonly #database;
  readonly #record;
  readonly #mirror;
  readonly #limit = new Semaphore(maxOpenChanges);

  constructor(database: Database, record: DocumentRecord, mirror: FileMirror) {
    this.#database = database;
    this.#record = record;
    this.#mirror = mirror;
  }

  async token(namespace: string) {
    const [row] = await this.#database.query<{ token: number }>(...namespaceToken(namespace));
    return row?.token ?? 0;
  }

  change<T>(
    namespace: string,
    token: number,
    file: string,
    work: (file: LockedFile) => Promise<T>,
    mayRepeat = false,
  ): Promise<T> {
    const target = { namespace, file, generation: token };
    const begun = async (transaction: Transaction<unknown>) => {
      const [, generations, , files] = await transaction.batch<{ generation: string } & FileState>([
        ...lockFile(target),
        [heldFile, [namespace, file]],
      ]);
      if (Number(generations?.[0]?.generation) !== token) throw namespaceDeleted();
      return work(this.#held(transaction, target, files?.[0]));
    };
    const inTurn = async () =>
      (mayRepeat && (await this.#once(target, work))) || {
        result: await this.#database.transact(begun),
      };
    return this.#record.inTurn(target, () => this.#limit.run(inTurn)).then(({ result }) => result);
  }

  /**
   * Changes a file in one round trip if folder and database agree. @returns undefined if nothing
   * was written
   */
  async #once<T>(
    target: ChangedFile,
    work: (file: LockedFile) => Promise<T>,
  ): Promise<{ result: T } | undefined> {
    const commit: Commit = (statements) =>
      this.#database.transact((transaction) =>
        transaction.commit<never>([...lockFile(target), ...statements]),
      );
    let before: FileContent | undefined;
    let isSent = false;
    const held: LockedFile = {
      read: async () => (before = await this.#mirror.read(target)),
      write: (text, mark) => {
        isSent = true;
        return this.#put(commit, target, before?.revision, text, mark);
      },
      remove: () => Promise.reject(fileChanged),
    };
    try {
      const result = await work(held);
      return isSent ? { result } : undefined;
    } catch (error) {
      if (isSent && error !== fileChanged) throw error;
      return undefined;
    }
  }

  async #put(
    commit: Commit,
    target: ChangedFile,
    before: string | undefined,
    text: string,
    mark?: WriteMark,
  ) {
    const { namespace, file, generation } = target;
    const content = Buffer.from(text);
    const revision = await revisionInThread(content);
    const prepared = await this.#mirror.prepare(target, content);
    try {
      const values = [namespace, file, generation, content, revision, before];
      const written = await commit<{ version: number }>([
        ...(mark ? [mark.statement] : []),
        [putFile, values],
      ]);
      const [row] = written.at(-1) ?? [];
      if (!row) throw fileChanged;
      await prepared.put({ namespace, file, ...row, revision, bytes: content.length });
    } catch (error) {
      await prepared.discard();
      // division_by_zero: the mark could not be saved. Saving it again throws the reason.
      if (systemErrorCode(error) === '22012') await mark?.save();
      throw error;
    }
  }

  async remove<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    await this.#database.transact(async ({ query }) => {
      const [row] = await query<{ before: string }>(nextGeneration, [namespace]);
      await query(removeFiles, [namespace, row?.before]);
    });
    return work();
  }

  #held(
    { query, commit }: Transaction<unknown>,
    target: ChangedFile,
    found: FileState | undefined,
  ): LockedFile {
    const { namespace, file } = target;
    return {
      read: async () => {
        const isLong = found?.revision && !found.content;
        const [row] = isLong ? await query<FileState>(contents, [[namespace], [file]]) : [found];
        if (!row?.content || !row.revision) return undefined;
        const { content, bytes, revision } = row;
        // Another server may have just written the file.
        await this.#mirror.take(row);
        return { text: decoder.decode(content), bytes, revision };
      },
      write: (text, mark) => this.#put(commit, target, found?.revision ?? undefined, text, mark),
      remove: async () => {
        const [[row] = []] = await commit<{ version: number }>([[removeFile, [namespace, file]]]);
        if (row)
          await this.#mirror.take({ namespace, file, ...row, revision: undefined, bytes: 0 });
      },
    };
  }
}
