/**
 * Locks for changes in the knowledge folder: one change per file at a time, none during the removal
 * of its namespace. Changes that began before a removal fail, so that a slow ingest cannot restore
 * deleted documents.
 */
import { KeyedQueue } from '../../packages/shared/src/concurrency/queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { DocumentStore } from './document-store.ts';
import type { DocumentWrites, LockedFile } from './document-writes.ts';

interface LockState {
  generation: number;
  readonly changes: KeyedQueue;
  removal: Promise<void> | undefined;
}

export const namespaceDeleted = () =>
  new KnowledgeError(
    'cancelled',
    'The namespace was deleted while this source was being ingested.',
  );

export class WriteLocks implements DocumentWrites {
  readonly #store;
  readonly #states = new Map<string, LockState>();

  constructor(store: Pick<DocumentStore, 'read' | 'write' | 'remove'>) {
    this.#store = store;
  }

  #stateOf(namespace: string) {
    const state = this.#states.get(namespace) ?? {
      generation: 0,
      changes: new KeyedQueue(),
      removal: undefined,
    };
    this.#states.set(namespace, state);
    return state;
  }

  async token(namespace: string) {
    return this.#stateOf(namespace).generation;
  }

  async change<T>(
    namespace: string,
    token: number,
    file: string,
    work: (file: LockedFile) => Promise<T>,
  ): Promise<T> {
    const state = this.#stateOf(namespace);
    while (state.removal) await state.removal;
    if (state.generation !== token) throw namespaceDeleted();
    const held: LockedFile = {
      read: () => this.#store.read(namespace, file),
      write: async (content, mark) => {
        await mark?.save();
        await this.#store.write(namespace, file, content);
      },
      remove: () => this.#store.remove(namespace, file),
    };
    return state.changes.run(file, () => work(held));
  }

  async remove<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const state = this.#stateOf(namespace);
    while (state.removal) await state.removal;
    state.generation++;
    const removed = state.changes.idle().then(work);
    const ended = () => {
      state.removal = undefined;
    };
    state.removal = removed.then(ended, ended);
    return removed;
  }
}
