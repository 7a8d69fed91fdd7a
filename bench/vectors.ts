/** How long the exact search over vectors takes, and opening the file that holds them: npm run bench:vectors -- [dimensions]. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddableDocument, embeddableTexts, toUnitVector } from '../src/search/vectors/embedder.ts';
import { createSemanticIndexes } from '../src/search/vectors/semantic-index.ts';
import { VectorStore } from '../src/search/vectors/vector-store.ts';

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
  const onWarning = (message: string, error: unknown) => console.error(message, error);
  const documents = Array.from({ length: count / chunksPerDocument }, (_, document): EmbeddableDocument => {
    const chunks = Array.from({ length: chunksPerDocument }, (_, chunk) => ({ headingPath: [], text: `${document} ${chunk}` }));
    return { id: `d${document}`, title: '', chunks };
  });
  const [writeMs] = await timed(async () => {
    const store = new VectorStore({ folder, model: 'bench', onWarning });
    await store.open();
    for (let from = 0; from < documents.length; from += 100) {
      const texts = documents.slice(from, from + 100).flatMap(embeddableTexts);
      await store.add(new Map(texts.map(({ key }) => [key, randomVector()])));
    }
  });
  const embedder = { model: 'bench', maxBatch: 1, embed: async () => [randomVector()] };
  const indexes = createSemanticIndexes({ embedder, folder, onWarning, maxSearchedNumbers: Number.POSITIVE_INFINITY });
  const [openMs] = await timed(() => indexes.open());
  const index = indexes.of('bench');
  for (const document of documents) index.upsert(document);
  const times: number[] = [];
  for (let turn = 0; turn < searches; turn++) times.push((await timed(() => index.search(`question ${turn}`, 50)))[0]);
  await indexes.close();
  times.sort((a, b) => a - b);
  const sizes = await Promise.all((await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const megabytes = (of: number) => `${Math.round(of / 1e6)} MB`;
  console.log(
    `| ${count.toLocaleString('en')} | ${times[searches / 2]?.toFixed(1)} / ${times.at(-1)?.toFixed(1)} ms | ${(writeMs / 1_000).toFixed(1)} s | ${openMs.toFixed(0)} ms | ${megabytes(bytes)} | ${megabytes(process.memoryUsage().rss)} |`,
  );
  await rm(folder, { recursive: true });
}
