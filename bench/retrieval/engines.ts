/**
 * What is compared: our index and SQLite FTS5, in process and without a server. FTS5 is set as well as it could be set by hand (words
 * stemmed, stop words dropped); the collections' README has the figures that both should come near.
 */
import type { Passage } from './collections.ts';
import { createFts5 } from './fts5.ts';
import { createOurs } from './ours.ts';

export interface Engine {
  /** Takes many passages that it does not hold yet, the way that is fastest for the engine. */
  add(passages: readonly Passage[]): Promise<void>;
  /** What an engine that was filled does to answer faster. */
  settle?(): Promise<void>;
  /** @returns ids of passages, best first */
  search(query: string, limit: number): Promise<string[]>;
  /** Puts a passage in the place of the one with its id; found by the next search. */
  replace(passage: Passage): Promise<void>;
}

const factories = {
  ours: createOurs,
  fts5: createFts5,
} as const satisfies Record<string, () => Engine>;

export type EngineName = keyof typeof factories;
export const engineNames = Object.keys(factories) as EngineName[];
export const titles: Record<EngineName, string> = {
  ours: 'ours',
  fts5: 'SQLite FTS5',
};

export const createEngine = (name: EngineName): Engine => factories[name]();
