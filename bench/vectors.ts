/** How long the exact search over vectors takes, and opening the file that holds them: npm run bench:vectors -- [dimensions]. */
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toUnitVector } from '../src/knowledge/vectors/embedder.ts';
import { createVectorCache } from '../src/knowledge/vectors/vector-cache.ts';
import { createVectorIndex } from '../src/knowledge/vectors/vector-index.ts';

const dimensions = Number(process.argv[2] ?? 1_536);
const searches = 30;
const chunksPerDocument = 10;

/** Pseudo-random numbers from −1 to 1 (mulberry32), the same in every run. */
let state = 1;
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2_147_483_648 - 1;
}
const randomVector = () => toUnitVector(Array.from({ length: dimensions }, random));

async function timed<T>(work: () => T | Promise<T>): Promise<[ms: number, result: T]> {
  const started = performance.now();
  const result = await work();
  return [performance.now() - started, result];
}

console.log(
  `| vectors of ${dimensions} | search p50 / slowest of ${searches} | write | open | on disk | memory |\n|---|---|---|---|---|---|`,
);
for (const count of [10_000, 50_000, 100_000]) {
  const folder = await mkdtemp(join(tmpdir(), 'vectors-'));
  const open = async () => {
    const cache = createVectorCache({ folder, model: 'bench', onWarning: (message, error) => console.error(message, error) });
    await cache.open();
    return cache;
  };
  const keys = Array.from({ length: count }, (_, number) => createHash('sha256').update(String(number)).digest('base64url'));
  const [writeMs] = await timed(async () => {
    const cache = await open();
    for (let from = 0; from < count; from += 1_000) {
      await cache.add(new Map(keys.slice(from, from + 1_000).map((key) => [key, randomVector()])));
    }
  });
  const [openMs, cache] = await timed(open);
  const index = createVectorIndex(cache, Number.POSITIVE_INFINITY);
  for (let from = 0; from < count; from += chunksPerDocument) index.replaceDocument(`d${from}`, keys.slice(from, from + chunksPerDocument));
  const times: number[] = [];
  for (let turn = 0; turn < searches; turn++) {
    const query = randomVector();
    times.push((await timed(() => index.search(query, 50)))[0]);
  }
  times.sort((a, b) => a - b);
  const bytes = (await stat(join(folder, (await readdir(folder))[0] ?? ''))).size;
  const megabytes = (of: number) => `${Math.round(of / 1e6)} MB`;
  console.log(
    `| ${count.toLocaleString('en')} | ${times[searches / 2]?.toFixed(1)} / ${times.at(-1)?.toFixed(1)} ms | ${(writeMs / 1_000).toFixed(1)} s | ${openMs.toFixed(0)} ms | ${megabytes(bytes)} | ${megabytes(process.memoryUsage().rss)} |`,
  );
  await rm(folder, { recursive: true });
}
