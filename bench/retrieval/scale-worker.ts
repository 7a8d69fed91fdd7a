/** One engine in its own process; runs tasks for bench:scale and reports their times. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Passage } from './collections.ts';
import { createEngine, type EngineName } from './engines.ts';
import { readPassages } from './passage-file.ts';

export type Task =
  | { readonly task: 'build'; readonly path: string; readonly count: number }
  | { readonly task: 'ask'; readonly queries: readonly string[] }
  | {
      readonly task: 'replace';
      readonly passages: readonly Passage[];
      readonly isSearched: boolean;
    };

export interface Built {
  readonly ms: number;
  /** Growth of the process's resident memory in MB. */
  readonly residentMb: number;
  /** Growth of JavaScript memory in MB, with array buffers and without SQLite's own memory. */
  readonly liveMb: number;
}

export interface Replaced {
  readonly replaceMs: readonly number[];
  /** First search after each replacement, for a word that only the new text contains. */
  readonly searchMs: readonly number[];
}

const depth = 10;
const engine = createEngine(process.argv[2] as EngineName);

/** In MB, after a garbage collection. */
async function memory(): Promise<{ resident: number; live: number }> {
  for (let turn = 0; turn < 3; turn++) {
    globalThis.gc?.();
    await sleep(100);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { resident: rss / 2 ** 20, live: (heapUsed + external) / 2 ** 20 };
}

async function build(path: string, count: number): Promise<Built> {
  // A first read whose result is ignored, so the cost of reading is in both measurements.
  for (const _ of readPassages(path, count));
  const before = await memory();
  let ms = 0;
  for (const batch of readPassages(path, count)) {
    const started = performance.now();
    await engine.add(batch);
    ms += performance.now() - started;
  }
  const started = performance.now();
  await engine.settle?.();
  ms += performance.now() - started;
  const after = await memory();
  return { ms, residentMb: after.resident - before.resident, liveMb: after.live - before.live };
}

async function ask(queries: readonly string[]): Promise<number[]> {
  const measured: number[] = [];
  for (const query of queries) {
    const started = performance.now();
    await engine.search(query, depth);
    measured.push(performance.now() - started);
  }
  return measured;
}

async function replace(passages: readonly Passage[], isSearched: boolean): Promise<Replaced> {
  const replaceMs: number[] = [];
  const searchMs: number[] = [];
  for (const passage of passages) {
    const started = performance.now();
    await engine.replace(passage);
    const replaced = performance.now();
    replaceMs.push(replaced - started);
    if (!isSearched) continue;
    const [found] = await engine.search(passage.title, depth);
    searchMs.push(performance.now() - replaced);
    if (found !== passage.id)
      throw new Error(`${passage.id} was replaced and is not found by ${passage.title}`);
  }
  return { replaceMs, searchMs };
}

process.on('message', async (message: Task) => {
  if (message.task === 'build') process.send?.(await build(message.path, message.count));
  else if (message.task === 'ask') process.send?.(await ask(message.queries));
  else process.send?.(await replace(message.passages, message.isSearched));
});
