/** The store of the records: a file in STATE_DIR, or the database. */
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../packages/shared/src/errors.ts';
import { Reserve } from '../documents/reserve.ts';
import type { Forget } from '../ingest/documents.ts';
import type { Database } from './postgres/database.ts';
import { refuseUnreleasedFiles, SqliteStore } from './sqlite-store.ts';
import { withJoinedErases } from './store.ts';

interface Dependent {
  /** Resolves after pending writes. */
  settled(): Promise<unknown>;
  forgetNamespace(namespace: string): Promise<unknown>;
  forgetDocument(documentId: string): Promise<unknown>;
}

/** Moves a file, even to another disk. */
async function move(from: string, to: string) {
  await rename(from, to).catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'EXDEV') throw error;
    await cp(from, to);
    await rm(from);
  });
}

/** Without STATE_DIR the state is in INDEX_DIR; it follows when STATE_DIR is set later. */
async function moveState(from: string, to: string) {
  if (from === to || existsSync(join(to, 'state.db'))) return;
  await mkdir(to, { recursive: true });
  for (const name of ['state.db', 'state.db-wal', 'state.db-shm'])
    if (existsSync(join(from, name))) await move(join(from, name), join(to, name));
}

export class StateStore {
  readonly store;
  /** Disk space for deletes; a database needs none. */
  readonly reserve;
  readonly #opened;
  readonly #place;

  /** @param place absolute paths; with a `database`, opening the documents creates its tables */
  constructor(
    place: Readonly<{
      stateDir: string;
      indexDir: string;
      knowledgeDir: string;
      database: Database | undefined;
      onWarning: (message: string, error?: unknown) => void;
      onLost: (path: string) => void;
    }>,
  ) {
    const { stateDir, knowledgeDir, database } = place;
    this.#place = place;
    this.#opened = database ?? new SqliteStore({ ...place, path: join(stateDir, 'state.db') });
    this.store = withJoinedErases(this.#opened);
    this.reserve = new Reserve(database ? [] : [stateDir, knowledgeDir]);
  }

  async open() {
    const { stateDir, indexDir } = this.#place;
    if (!(this.#opened instanceof SqliteStore)) return;
    refuseUnreleasedFiles([stateDir, indexDir]);
    await moveState(indexDir, stateDir);
    await this.#opened.open();
  }

  /** @param dependents what quotes documents, and goes with them */
  async forget(
    dependents: readonly Dependent[],
    ...[{ namespaces = [], documentIds = [] }, also]: Parameters<Forget>
  ) {
    // Pending writes would wait for the transaction, so they finish first.
    await Promise.all(dependents.map((one) => one.settled()));
    const forgetIn = async () => {
      await also?.();
      for (const one of dependents) {
        for (const namespace of namespaces) await one.forgetNamespace(namespace);
        for (const documentId of documentIds) await one.forgetDocument(documentId);
      }
    };
    await this.reserve.run(() => this.store.erase(forgetIn));
  }
}
