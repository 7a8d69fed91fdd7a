/**
 * Retrieval over HTTP: 100,000 chunks in 20,000 Markdown files, the real server in its own process.
 * Measures starts with and without an index on disk, memory, searches of one and of eight clients,
 * and replacing a document. Prints a table. Run: npm run bench:served [-- --documents 2000]
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { type BenchServer, startServer } from '../server.ts';
import { loadCollections, type Passage } from './collections.ts';
import { createCorpus, pickQuestions } from './corpus.ts';
import { createFts5 } from './fts5.ts';
import { median, percentile, ratio } from './latency.ts';

const { values } = parseArgs({ options: { documents: { type: 'string', default: '20000' } } });
const documents = Number(values.documents);
const sectionsPerDocument = 5;
const wordsPerSection = 120;
const settleMs = 10_000;
const warmUps = 200;
const requests = 2_000;
const clients = 8;
const loadMs = 10_000;
const replacements = 20;
const namespace = 'bench';

const collections = loadCollections();
const corpus = createCorpus(collections);
const questions = pickQuestions(collections, 300).map(({ text }) => text);
const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const rows: string[] = [];
const report = (what: string, value: string) => rows.push(`| ${what} | ${value} |`);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const megabytes = (value: number) => `${value.toFixed(0)} MB`;
const tenths = (values: readonly number[]) =>
  `${values.map((value) => value.toFixed(1)).join(' / ')} ms`;

const settings = (name: string) => ({
  KNOWLEDGE_DIR: join(folder, `${name}-knowledge`),
  INDEX_DIR: join(folder, `${name}-index`),
  MAX_BODY_BYTES: '10000000',
});

function markdown(): string {
  const sections = Array.from(
    { length: sectionsPerDocument },
    () => `## ${corpus.heading()}\n\n${corpus.compose(wordsPerSection)}\n`,
  );
  return `# ${corpus.title().replace(/\s+/g, ' ')}\n\n${sections.join('\n')}`;
}

function writeDocuments(knowledgeDir: string): void {
  const path = join(knowledgeDir, namespace);
  mkdirSync(path, { recursive: true });
  for (let number = 0; number < documents; number++)
    writeFileSync(join(path, `document-${number}.md`), markdown());
}

function bytesOf(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/**
 * Builds SQLite FTS5 over the sections of the same files, a thousand at a time. @returns
 * milliseconds, without reading
 */
async function buildFts5(knowledgeDir: string): Promise<number> {
  const path = join(knowledgeDir, namespace);
  const engine = createFts5();
  let ms = 0;
  const add = async (passages: readonly Passage[]) => {
    const started = performance.now();
    await (passages.length > 0 ? engine.add(passages) : engine.settle?.());
    ms += performance.now() - started;
  };
  const passages: Passage[] = [];
  for (const file of readdirSync(path)) {
    const [title = '', ...sections] = readFileSync(join(path, file), 'utf8').split(/^## /m);
    passages.push(...sections.map((text, section) => ({ id: `${file}#${section}`, title, text })));
    if (passages.length >= 1_000) await add(passages.splice(0));
  }
  if (passages.length > 0) await add(passages);
  await add([]);
  return ms;
}

/**
 * Polls /health. @returns a function that stops polling and returns the longest wait in
 * milliseconds
 */
function watchHealth(url: string): () => number {
  let longest = 0;
  let isWatched = true;
  const watch = async () => {
    while (isWatched) {
      const asked = performance.now();
      await (await fetch(`${url}/health`)).text();
      longest = Math.max(longest, performance.now() - asked);
      await sleep(20);
    }
  };
  void watch();
  return () => {
    isWatched = false;
    return longest;
  };
}

interface Found {
  readonly results: readonly { readonly title: string; readonly text: string }[];
}

async function search(pool: Pool, query: string): Promise<{ ms: number; found: Found }> {
  const asked = performance.now();
  const { statusCode, body } = await pool.request({
    path: '/api/tools/searchDocs',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ namespace, query }),
  });
  const found = (await body.json()) as Found;
  if (statusCode !== 200) throw new Error(`${statusCode} for ${query}: ${JSON.stringify(found)}`);
  return { ms: performance.now() - asked, found };
}

const question = (number: number) => questions[number % questions.length]!;

async function oneClient(pool: Pool, count: number): Promise<number[]> {
  const measured: number[] = [];
  for (let number = 0; number < count; number++)
    measured.push((await search(pool, question(number))).ms);
  return measured;
}

/** Times /health with the same client, as a measure of other load on the machine. */
async function measureHealth(pool: Pool): Promise<number> {
  const measured: number[] = [];
  for (let number = 0; number < warmUps; number++) {
    const asked = performance.now();
    await (await pool.request({ path: '/health', method: 'GET' })).body.dump();
    measured.push(performance.now() - asked);
  }
  return median(measured);
}

/** Median of one client's searches, absolute and relative to /health at the same time. */
async function measureOneClient(pool: Pool, when: string): Promise<void> {
  const [before, measured, after] = [
    await measureHealth(pool),
    await oneClient(pool, requests),
    await measureHealth(pool),
  ];
  const health = (before + after) / 2;
  const p50 = median(measured);
  report(
    `searchDocs${when}, one client, ${requests} requests: p50 / p99`,
    `${tenths([p50, percentile(measured, 0.99)])} (p50 is ${(p50 / health).toFixed(1)} times GET /health, ${health.toFixed(2)} ms)`,
  );
}

/** Each client sends its next request as soon as it has a response. */
async function underLoad(pool: Pool): Promise<number[]> {
  const measured: number[] = [];
  const end = performance.now() + loadMs;
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let number = client * 37; performance.now() < end; number++)
        measured.push((await search(pool, question(number))).ms);
    }),
  );
  return measured;
}

/** Ingests a document and replaces it repeatedly; each following search must find the new text. */
async function replaceOne(
  server: BenchServer,
  pool: Pool,
): Promise<{ ingestMs: number[]; searchMs: number[] }> {
  const ingestMs: number[] = [];
  const searchMs: number[] = [];
  for (let turn = 0; turn <= replacements; turn++) {
    const word = `qx${turn}z`;
    const text = `${word} ${markdown()}`;
    const sources = [{ text, title: 'The document that is replaced' }];
    const { ms, body } = await server.post('/api/tools/ingestSources', { namespace, sources });
    const expected = turn === 0 ? 'added' : 'updated';
    if (body[expected] !== 1) throw new Error(`not ${expected}: ${JSON.stringify(body)}`);
    const next = await search(pool, word);
    if (!next.found.results[0]?.text.includes(word))
      throw new Error(`${word} was ingested and is not found`);
    if (turn === 0) continue;
    ingestMs.push(ms);
    searchMs.push(next.ms);
  }
  return { ingestMs, searchMs };
}

async function measureEmpty(): Promise<number> {
  const server = await startServer(settings('empty'));
  await sleep(settleMs);
  const memory = await server.memoryMb();
  report(
    'an empty server: ready after, memory when settled',
    `${seconds(server.readyMs)}, ${megabytes(memory)}`,
  );
  await server.stop();
  return memory;
}

async function measureServer(empty: number): Promise<void> {
  const filled = settings('filled');
  writeDocuments(filled.KNOWLEDGE_DIR);
  const bytes = bytesOf(filled.KNOWLEDGE_DIR);
  let longestWait = () => 0;
  const building = await startServer(filled, [], (url) => {
    longestWait = watchHealth(url);
  });
  const longestMs = longestWait();
  report(
    `${documents} files of ${sectionsPerDocument} sections of some ${wordsPerSection} words`,
    `${megabytes(bytes / 1e6)}, ${await countChunks(building)} chunks`,
  );
  report(
    'start to ready without an index (first build)',
    `${seconds(building.readyMs)} (${((documents * 1_000) / building.readyMs).toFixed(0)} documents/s)`,
  );
  report('longest wait of GET /health during the first build', tenths([longestMs]));
  report('memory then', megabytes(await building.memoryMb()));
  await sleep(settleMs);
  const built = await building.memoryMb();
  report(
    'memory after 10 idle seconds',
    `${megabytes(built)} (${(built / empty).toFixed(1)} times the empty server)`,
  );
  await building.stop();
  const fts5Ms = await buildFts5(filled.KNOWLEDGE_DIR);
  report(
    'SQLite FTS5 in process over the same sections; ratio of the first build',
    `${seconds(fts5Ms)}; ${ratio(building.readyMs, fts5Ms)}`,
  );
  report('size of INDEX_DIR', megabytes(bytesOf(filled.INDEX_DIR) / 1e6));

  const server = await startServer(filled);
  report('start to ready with that index', seconds(server.readyMs));
  await sleep(settleMs);
  const restarted = await server.memoryMb();
  report(
    'memory after 10 idle seconds',
    `${megabytes(restarted)} (${(restarted / empty).toFixed(1)} times the empty server)`,
  );
  await measureSearch(server);
  await server.stop();
}

async function countChunks(server: BenchServer): Promise<number> {
  const { namespaces } = (await (await fetch(`${server.url}/api/namespaces`)).json()) as {
    readonly namespaces: readonly { readonly name: string; readonly chunks: number }[];
  };
  return namespaces.find(({ name }) => name === namespace)?.chunks ?? 0;
}

async function measureSearch(server: BenchServer): Promise<void> {
  const single = new Pool(server.url, { connections: 1 });
  const many = new Pool(server.url, { connections: clients });
  const [first] = await oneClient(single, 1);
  report('first searchDocs', tenths([first ?? 0]));
  await oneClient(single, warmUps);
  await measureOneClient(single, '');
  const loaded = await underLoad(many);
  report(
    `searchDocs, ${clients} clients, keep-alive: requests per second`,
    ((loaded.length * 1_000) / loadMs).toFixed(0),
  );
  report(
    `searchDocs, ${clients} clients: p50 / p99`,
    tenths([median(loaded), percentile(loaded, 0.99)]),
  );
  const { ingestMs, searchMs } = await replaceOne(server, single);
  report(
    `replacing a document through ingestSources, ${replacements} times: p50 / longest`,
    tenths([median(ingestMs), Math.max(...ingestMs)]),
  );
  report(
    'next search, which finds it: p50 / longest',
    tenths([median(searchMs), Math.max(...searchMs)]),
  );
  await measureOneClient(single, ' afterwards');
  report('server memory then', megabytes(await server.memoryMb()));
  await Promise.all([single.close(), many.close()]);
}

try {
  await measureServer(await measureEmpty());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`| what | measured |\n|---|---|\n${rows.join('\n')}`);
