/** For a command that measures or asks once: what is searched by meaning has its vectors first, as it has in a server that has run a while. */
import { setTimeout as pause } from 'node:timers/promises';
import type { EmbeddingProgress } from './embedding-queue.ts';

const lookMs = 100;

/** Resolves when every text has its vector, when the provider fails, or after `maxMs`; search goes on with what there is. */
export async function waitForVectors(progress: () => EmbeddingProgress, maxMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += lookMs) {
    const { wanted, done, refused, failure } = progress();
    if (done + refused >= wanted || failure !== undefined) return;
    await pause(lookMs);
  }
}
