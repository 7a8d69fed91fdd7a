/**
 * The same namespaces in 1, 4 and 16 databases, by a hash of their names: build time, size and
 * search time of the largest partition and of all. The text is composed of the public collections;
 * PostgreSQL runs as WASM in this process, one database at a time.
 *
 *   node bench/retrieval/partitions.ts [--chunks 6400] [--partitions 1,4,16] [--questions 300]
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createPostgresEngine } from '../../src/postgres/search-engine.ts';
import { migrateSearch } from '../../src/postgres/search-tables.ts';
import { createSearchIndex } from '../../src/search/search-index.ts';
import { openSearchDatabase } from '../../test/support/search-database.ts';
import { loadCollections } from './collections.ts';
import { createCorpus, pickQuestions } from './corpus.ts';
import { median, percentile } from './latency.ts';

const { values } = parseArgs({
  options: {
    chunks: { type: 'string', default: '6400' },
    partitions: { type: 'string', default: '1,4,16' },
    questions: { type: 'string', default: '300' },
  },
});
const namespaces = 64;
const chunksOfDocument = 50;
const collections = loadCollections();
const texts = createCorpus(collections).segments().take(Number(values.chunks)).toArray();
const questions = pickQuestions(collections, Number(values.questions));

/** Distributes chunks round-robin, so all namespaces have the same size. */
const textsOf = (namespace: number) => texts.filter((_, at) => at % namespaces === namespace);
const partitionOf = (namespace: number, partitions: number) =>
  createHash('sha256').update(`namespace-${namespace}`).digest().readUInt32BE() % partitions;

interface PartitionFigures {
  readonly buildMs: number;
  readonly mb: number;
  /** Milliseconds of each search. */
  readonly times: readonly number[];
}

async function measure(held: readonly number[]): Promise<PartitionFigures> {
  const database = await openSearchDatabase();
  await migrateSearch(database);
  const engine = createPostgresEngine(database);
  const started = performance.now();
  for (const namespace of held) {
    const index = await engine.open(`namespace-${namespace}`);
    const own = textsOf(namespace).map(({ text }) => ({ text, headingPath: [] }));
    for (let at = 0; at < own.length; at += chunksOfDocument)
      await index.upsert({
        id: `${at}`,
        version: '',
        title: '',
        language: 'en',
        chunks: own.slice(at, at + chunksOfDocument),
      });
  }
  const buildMs = performance.now() - started;
  const times: number[] = [];
  for (const [at, { text }] of questions.entries()) {
    const search = createSearchIndex(await engine.open(`namespace-${held[at % held.length]}`));
    const asked = performance.now();
    await search.search(text, 10);
    times.push(performance.now() - asked);
  }
  const [row] = await database.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  );
  await database.close();
  return { buildMs, times, mb: (row?.bytes ?? 0) / 1e6 };
}

console.log(
  '| partitions | namespaces in the largest | build: largest; all | size, MB: largest; all | search p50; p95, ms |\n|---|---|---|---|---|',
);
for (const partitions of values.partitions.split(',').map(Number)) {
  const held = Array.from({ length: partitions }, (_, partition) =>
    Array.from({ length: namespaces }, (_, namespace) => namespace).filter(
      (namespace) => partitionOf(namespace, partitions) === partition,
    ),
  );
  const measured: PartitionFigures[] = [];
  for (const some of held) if (some.length > 0) measured.push(await measure(some));
  const sum = (of: (one: PartitionFigures) => number) =>
    measured.reduce((total, one) => total + of(one), 0);
  const most = (of: (one: PartitionFigures) => number) => Math.max(...measured.map(of));
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const times = measured.flatMap((one) => one.times);
  console.log(
    `| ${partitions} | ${Math.max(...held.map(({ length }) => length))} | ${seconds(most((one) => one.buildMs))}; ${seconds(sum((one) => one.buildMs))} | ${most((one) => one.mb).toFixed(0)}; ${sum((one) => one.mb).toFixed(0)} | ${median(times).toFixed(1)}; ${percentile(times, 0.95).toFixed(1)} |`,
  );
}
