/**
 * Who may change the files of a namespace, and when: one change of a file at a time, none while the namespace is being removed, and none
 * afterwards that began before. Without it a slow ingest would bring back what was deleted meanwhile.
 */
import { KeyedQueue } from '../concurrency/queue.ts';
import { KnowledgeError } from '../errors.ts';

interface LockState {
  generation: number;
  readonly changes: KeyedQueue;
  removal: Promise<void> | undefined;
}

export class WriteLocks {
  readonly #states = new Map<string, LockState>();

  #stateOf(namespace: string): LockState {
    const state = this.#states.get(namespace) ?? { generation: 0, changes: new KeyedQueue(), removal: undefined };
    this.#states.set(namespace, state);
    return state;
  }

  /** The namespace as it is now, to be shown with each change. */
  token(namespace: string): number {
    return this.#stateOf(namespace).generation;
  }

  /** @throws KnowledgeError `cancelled` where the namespace was removed since the token was given */
  async change<T>(namespace: string, token: number, file: string, work: () => Promise<T>): Promise<T> {
    const state = this.#stateOf(namespace);
    while (state.removal) await state.removal;
    if (state.generation !== token) throw new KnowledgeError('cancelled', 'The namespace was deleted before this source was done.');
    return state.changes.run(file, work);
  }

  /** Removes a namespace: waits for changes at work, runs alone, and makes the tokens from before worthless. */
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
