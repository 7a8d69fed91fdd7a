/**
 * Measures how start, restart, kill after a delete, searches, deletes, memory and blocked time grow
 * with chunks and with namespaces, next to an empty server and SQLite FTS5 in process. Prints
 * tables and growth exponents. Run: npm run bench:growth [-- --chunks 1000,10000,100000] [--
 * --namespaces 100,1000,10000]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { probeServer } from './load/probe.ts';
import { loadCollections } from './retrieval/collections.ts';
import { createCorpus, pickQuestions } from './retrieval/corpus.ts';
import { figure, median, percentile } from './retrieval/latency.ts';
import { writePassages } from './retrieval/passage-file.ts';
import { type BenchServer, root, startServer } from './server.ts';

const { values: settings } = parseArgs({
  options: {
    chunks: { type: 'string', default: '1000,10000,100000' },
    namespaces: { type: 'string', default: '100,1000,10000' },
  },
});
const sizesOf = (text: string) => text.split(',').map(Number).filter(Boolean);
const chunksPerDocument = 5;
const asked = 300;
const pairs = 200;
const movedFiles = 3_000;

const collections = loadCollections();
const questions = pickQuestions(collections, asked).map(({ text }) => text);
const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const flags = ['--import', join(root, 'bench/load/probe.ts')];

/** Longest wait for /health, which is polled every 50 ms while the server lives. */
const waits = new Map<string, number>();

function watchHealth(url: string): void {
  if (waits.has(url)) return;
  waits.set(url, 0);
  const ask = async () => {
    const started = performance.now();
    await (await fetch(`${url}/health`)).text();
    waits.set(url, Math.max(waits.get(url) ?? 0, performance.now() - started));
    setTimeout(pollAgain, 50);
  };
  const pollAgain = () => void ask().catch(() => undefined);
  pollAgain();
}

const longestWait = ({ url }: BenchServer) => waits.get(url) ?? 0;

const serve = (name: string) =>
  startServer(
    {
      KNOWLEDGE_DIR: join(folder, name),
      STATE_DIR: join(folder, `${name}-state`),
      LIMITS: 'large,namespaces=20000,open=200',
    },
    flags,
    watchHealth,
  );

async function timed<T>(work: () => Promise<T>): Promise<[number, T]> {
  const started = performance.now();
  const result = await work();
  return [performance.now() - started, result];
}

/** Resolves when the server has no more background work. */
async function untilIdle({ process }: BenchServer): Promise<void> {
  for (let before = -1; ; ) {
    const { cpuMs } = await probeServer(process);
    if (before >= 0 && cpuMs - before < 300) return;
    before = cpuMs;
    await sleep(2_000);
  }
}

/** Returns the milliseconds of each search, run one after another. */
async function searchAll(server: BenchServer, namespace: string): Promise<number[]> {
  const times: number[] = [];
  for (const query of questions)
    times.push((await server.post('/api/tools/searchDocs', { namespace, query })).ms);
  return times;
}

const remove = (server: BenchServer, path: string) =>
  timed(async () => (await fetch(`${server.url}${path}`, { method: 'DELETE' })).text());

/** Time from process start until the first answered search. */
async function restart(name: string): Promise<[number, number, BenchServer]> {
  const server = await serve(name);
  const [firstMs] = await timed(() =>
    server.post('/api/tools/searchDocs', { namespace: 'docs', query: questions[0] }),
  );
  return [server.readyMs, server.readyMs + firstMs, server];
}

async function fts5Ms(path: string, count: number): Promise<number> {
  const child = fork(join(root, 'bench/retrieval/scale-worker.ts'), ['fts5']);
  child.send({ task: 'build', path, count });
  const [{ ms }] = (await once(child, 'message')) as [{ ms: number }];
  child.kill();
  return ms;
}

type Row = Record<string, number>;

async function growChunks(
  size: number,
  path: string,
  texts: Iterator<{ title: string; text: string }>,
): Promise<Row> {
  const name = `chunks-${size}`;
  mkdirSync(join(folder, name, 'docs'), { recursive: true });
  for (let at = 0; at < size / chunksPerDocument; at++) {
    const pieces = Array.from(
      { length: chunksPerDocument },
      () => texts.next().value as { title: string; text: string },
    );
    const text = pieces
      .map(
        (piece, part) => `## Part ${part} ${piece.title.replace(/\s+/g, ' ')}\n\n${piece.text}\n`,
      )
      .join('\n');
    writeFileSync(join(folder, name, 'docs', `d${at}.md`), `# Document ${at}\n\n${text}`);
  }
  const fts5 = await fts5Ms(path, size);
  const server = await serve(name);
  await untilIdle(server);
  const buildWait = longestWait(server);
  const builtMb = await server.memoryMb();
  const searches = await searchAll(server, 'docs');
  const listed = (await (
    await fetch(`${server.url}/api/namespaces/docs/documents?perPage=1`)
  ).json()) as { documents: { id: string }[] };
  const [deleteMs] = await remove(
    server,
    `/api/namespaces/docs/documents/${listed.documents[0]?.id}`,
  );
  server.process.removeAllListeners('exit');
  server.process.kill('SIGKILL');
  await once(server.process, 'exit');
  const [killedReady, killedFirst, afterKill] = await restart(name);
  await untilIdle(afterKill);
  await afterKill.stop();
  const [againReady, againFirst, again] = await restart(name);
  await untilIdle(again);
  const openingWait = longestWait(again);
  const restartMb = await again.memoryMb();
  const [namespaceMs] = await remove(again, '/api/namespaces/docs');
  await again.stop();
  rmSync(join(folder, name), { recursive: true, force: true });
  rmSync(join(folder, `${name}-state`), { recursive: true, force: true });
  return {
    chunks: size,
    'FTS5 build': fts5,
    'first build': server.readyMs,
    'restart, ready': againReady,
    'restart, first search': againFirst,
    'killed after a delete, ready': killedReady,
    'killed: first search': killedFirst,
    'search p50': median(searches),
    'search p95': percentile(searches, 0.95),
    'delete a document': deleteMs,
    'delete the namespace': namespaceMs,
    'longest /health, start and build': buildWait,
    'longest /health, restart': openingWait,
    'longest /health, delete of the namespace': longestWait(again),
    'MB built': builtMb,
    'MB restarted': restartMb,
  };
}

/**
 * Milliseconds of other callers' searches while documents are moved into the folder, until all of
 * them are found.
 */
async function searchWhileMoved(
  server: BenchServer,
  into: string,
  search: () => Promise<{ ms: number }>,
): Promise<number[]> {
  const from = join(folder, 'moved');
  for (const path of [from, into]) mkdirSync(path);
  for (let file = 0; file < movedFiles; file++)
    writeFileSync(
      join(from, `d${file}.md`),
      `# Moved ${file}\n\nThe fee of plan ${file} is ${file} euros a year, and is paid in advance.\n`,
    );
  const moving = (async () => {
    for (let file = 0; file < movedFiles; file++)
      await rename(join(from, `d${file}.md`), join(into, `d${file}.md`));
  })();
  const times: number[] = [];
  const known = async () => {
    const { namespaces } = (await (await fetch(`${server.url}/api/namespaces`)).json()) as {
      namespaces: { name: string; documents: number }[];
    };
    return namespaces.find(({ name }) => name === 'moved')?.documents;
  };
  do for (let turn = 0; turn < 20; turn++) times.push((await search()).ms);
  while ((await known()) !== movedFiles);
  await moving;
  rmSync(from, { recursive: true });
  return times;
}

async function growNamespaces(count: number): Promise<Row> {
  const name = `namespaces-${count}`;
  for (let at = 0; at < count; at++) {
    const path = join(folder, name, `n${at}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 3; file++)
      writeFileSync(
        join(path, `d${file}.md`),
        `# Plan ${file} of ${at}\n\nThe warranty of product ${at} lasts ${file + 2} years.\n`,
      );
  }
  const first = await serve(name);
  await untilIdle(first);
  await first.stop();
  const server = await serve(name);
  await untilIdle(server);
  const memoryMb = await server.memoryMb();
  const search = () =>
    server.post('/api/tools/searchDocs', { namespace: 'n7', query: 'warranty of product 7' });
  const idle: number[] = [];
  for (let turn = 0; turn < 500; turn++) idle.push((await search()).ms);
  const [made, deleted, concurrent]: number[][] = [[], [], []];
  for (let pair = 0; pair <= pairs; pair++) {
    const ingested = server.post('/api/tools/ingestSources', {
      namespace: `new-${pair}`,
      sources: [{ text: 'The fee is 5 euros.' }],
    });
    concurrent?.push((await search()).ms);
    const { ms } = await ingested;
    const removed = remove(server, `/api/namespaces/new-${pair}`);
    concurrent?.push((await search()).ms);
    const [removedMs] = await removed;
    // The first one loads modules that all others use.
    if (pair > 0) made?.push(ms);
    if (pair > 0) deleted?.push(removedMs);
  }
  const moved = await searchWhileMoved(server, join(folder, name, 'moved'), search);
  await server.stop();
  rmSync(join(folder, name), { recursive: true, force: true });
  return {
    namespaces: count,
    'first ready': first.readyMs,
    'ready again': server.readyMs,
    MB: memoryMb,
    'made p95': percentile(made ?? [], 0.95),
    'deleted p95': percentile(deleted ?? [], 0.95),
    'search p99 idle': percentile(idle, 0.99),
    'search p99 during changes': percentile(concurrent ?? [], 0.99),
    'search p99 while 3,000 documents are moved in': percentile(moved, 0.99),
  };
}

/** Slope of the logarithms by least squares: 1 if twice the size costs twice as much. */
function exponentOf(sizes: readonly number[], values: readonly number[]): number {
  const [x, y] = [sizes.map(Math.log), values.map((value) => Math.log(Math.max(value, 1e-3)))];
  const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
  const [meanX, meanY] = [mean(x), mean(y)];
  const covariance = x.reduce(
    (sum, one, at) => sum + (one - meanX) * ((y[at] as number) - meanY),
    0,
  );
  return covariance / x.reduce((sum, one) => sum + (one - meanX) ** 2, 0);
}

function print(rows: readonly Row[]): void {
  const [key = '', ...names] = Object.keys(rows[0] ?? {});
  const sizes = rows.map((row) => row[key] ?? 0);
  console.log(
    `\n| ${key} | ${sizes.join(' | ')} | exponent |\n|---|${'---|'.repeat(sizes.length + 1)}`,
  );
  for (const name of names) {
    const values = rows.map((row) => row[name] ?? 0);
    console.log(
      `| ${name} | ${values.map(figure).join(' | ')} | ${sizes.length > 1 ? exponentOf(sizes, values).toFixed(2) : '–'} |`,
    );
  }
}

try {
  mkdirSync(join(folder, 'empty'));
  const empty = await serve('empty');
  await untilIdle(empty);
  console.log(
    `empty server: ready after ${figure(empty.readyMs)} ms, ${figure(await empty.memoryMb())} MB. Times are milliseconds.`,
  );
  await empty.stop();
  const chunks = sizesOf(settings.chunks);
  const path = join(folder, 'passages.jsonl');
  writePassages(path, createCorpus(collections).segments(), Math.max(0, ...chunks));
  const byChunks: Row[] = [];
  for (const size of chunks)
    byChunks.push(await growChunks(size, path, createCorpus(collections).segments()));
  if (chunks.length > 0) print(byChunks);
  const byNamespaces: Row[] = [];
  for (const count of sizesOf(settings.namespaces)) byNamespaces.push(await growNamespaces(count));
  if (byNamespaces.length > 0) print(byNamespaces);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
