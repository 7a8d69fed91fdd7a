/** The store of the records: a file in STATE_DIR, or the database. */
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../packages/shared/src/errors.ts';
import { createReserve, type WithReserve } from '../documents/reserve.ts';
import type { Forget } from '../ingest/documents.ts';
import type { Database } from './postgres/database.ts';
import { createPostgresStore } from './postgres/store.ts';
import { SqliteStore } from './sqlite-store.ts';
import { type Store, withJoinedErases } from './store.ts';
import { refuseUnreleasedFiles } from './unreleased.ts';

export interface StorePlace {
  /** Absolute paths. */
  readonly stateDir: string;
  readonly indexDir: string;
  readonly knowledgeDir: string;
  /** Instead of a file; opening the documents creates its tables. */
  readonly database: Database | undefined;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly onLost: (path: string) => void;
}

export interface OpenedStore {
  readonly store: Store;
  /** Disk space for deletes; a database needs none. */
  readonly fillReserve: () => Promise<void>;
  readonly withReserve: WithReserve;
  readonly open: () => Promise<void>;
}

/** Moves a file, even to another disk. */
async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'EXDEV') throw error;
    await cp(from, to);
    await rm(from);
  });
}

/** Without STATE_DIR the state is in INDEX_DIR; it follows when STATE_DIR is set later. */
async function moveState(from: string, to: string): Promise<void> {
  if (from === to || existsSync(join(to, 'state.db'))) return;
  await mkdir(to, { recursive: true });
  for (const name of ['state.db', 'state.db-wal', 'state.db-shm'])
    if (existsSync(join(from, name))) await move(join(from, name), join(to, name));
}

export function openStore(place: StorePlace): OpenedStore {
  const { stateDir, indexDir, knowledgeDir, database, onWarning, onLost } = place;
  const { fill, withReserve } = createReserve(database ? [] : [stateDir, knowledgeDir]);
  const common = { fillReserve: fill, withReserve };
  if (database)
    return {
      ...common,
      store: withJoinedErases(createPostgresStore(database)),
      open: async () => undefined,
    };
  const file = new SqliteStore({ path: join(stateDir, 'state.db'), onWarning, onLost });
  return {
    ...common,
    store: withJoinedErases(file),
    async open() {
      refuseUnreleasedFiles([stateDir, indexDir]);
      await moveState(indexDir, stateDir);
      await file.open();
    },
  };
}

interface Dependent {
  /** Resolves after pending writes. */
  settled(): Promise<unknown>;
  forgetNamespace(namespace: string): Promise<unknown>;
  forgetDocument(documentId: string): Promise<unknown>;
}

/** @param dependents what quotes documents, and goes with them */
export const createForget =
  ({ store, withReserve }: OpenedStore, dependents: readonly Dependent[]): Forget =>
  async ({ namespaces = [], documentIds = [] }, also) => {
    // Pending writes would wait for the transaction, so they finish first.
    await Promise.all(dependents.map((one) => one.settled()));
    const forgetIn = async () => {
      await also?.();
      for (const one of dependents) {
        for (const namespace of namespaces) await one.forgetNamespace(namespace);
        for (const documentId of documentIds) await one.forgetDocument(documentId);
      }
    };
    await withReserve(() => store.erase(forgetIn));
  };
