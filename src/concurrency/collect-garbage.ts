import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type CollectGarbage = (options: { type: 'major'; flavor: 'last-resort'; execution: 'sync' }) => void;

/**
 * Gives back the memory that reading many documents took: V8 keeps a heap that it has grown until it needs it again, which for a server
 * that has read its documents is seldom. Stops everything for some 200 ms with 100,000 chunks, so only where much was read.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as CollectGarbage;
  setFlagsFromString('--no-expose-gc');
  // A plain collection frees the objects; this one gives their pages back as well.
  collect({ type: 'major', flavor: 'last-resort', execution: 'sync' });
}
