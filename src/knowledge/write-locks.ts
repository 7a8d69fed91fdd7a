/**
 * Who may change the files of a namespace, and when: one change of a file at a time, none while the namespace is being removed, and none
 * afterwards that began before. Without it a slow ingest would bring back what was deleted meanwhile.
 */
import { KnowledgeError } from '../errors.ts';

export interface WriteLocks {
  /** The namespace as it is now, to be shown with each change. */
  token(namespace: string): number;
  /** @throws KnowledgeError `cancelled` where the namespace was removed since the token was given */
  change<T>(namespace: string, token: number, file: string, work: () => Promise<T>): Promise<T>;
  /** Removes a namespace: waits for changes at work, runs alone, and makes the tokens from before worthless. */
  remove<T>(namespace: string, work: () => Promise<T>): Promise<T>;
}

interface State {
  generation: number;
  readonly active: Set<Promise<unknown>>;
  removal: Promise<unknown> | undefined;
}

const settled = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    () => undefined,
  );

export function createWriteLocks(): WriteLocks {
  const states = new Map<string, State>();
  /** Last change of each file. */
  const turns = new Map<string, Promise<unknown>>();

  function stateOf(namespace: string): State {
    const known = states.get(namespace);
    if (known) return known;
    const state: State = { generation: 0, active: new Set(), removal: undefined };
    states.set(namespace, state);
    return state;
  }

  function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = settled(turns.get(key) ?? Promise.resolve()).then(work);
    turns.set(key, turn);
    void settled(turn).then(() => {
      if (turns.get(key) === turn) turns.delete(key);
    });
    return turn;
  }

  return {
    token: (namespace) => stateOf(namespace).generation,

    async change(namespace, token, file, work) {
      const state = stateOf(namespace);
      while (state.removal) await settled(state.removal);
      if (state.generation !== token) throw new KnowledgeError('cancelled', 'The namespace was deleted before this source was done.');
      const turn = inTurn(`${namespace}/${file}`, work);
      state.active.add(turn);
      void settled(turn).then(() => state.active.delete(turn));
      return turn;
    },

    async remove(namespace, work) {
      const state = stateOf(namespace);
      while (state.removal) await settled(state.removal);
      state.generation++;
      const removal = Promise.allSettled(state.active).then(work);
      state.removal = removal;
      try {
        return await removal;
      } finally {
        state.removal = undefined;
      }
    },
  };
}
