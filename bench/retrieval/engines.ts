/**
 * The compared engines: our index and SQLite FTS5, in process. FTS5 is tuned as well as possible by
 * hand (stemming, no stop words); the collections' README has the figures that both should
 * approach.
 */
import type { Passage } from './collections.ts';
import { createFts5 } from './fts5.ts';
import { createOurs } from './ours.ts';

export interface Engine {
  /** Adds new passages in the engine's fastest way. */
  add(passages: readonly Passage[]): Promise<void>;
  /** Optimises a filled engine for searches. */
  settle?(): Promise<void>;
  /** @returns ids of passages, best first */
  search(query: string, limit: number): Promise<string[]>;
  /** Replaces the passage with the same id; the next search finds the new text. */
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
