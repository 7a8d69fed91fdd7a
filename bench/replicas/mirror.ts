/**
 * What sharing a database costs and gives: how long a change takes to every server, how soon a new one answers, and search on a server
 * with a database beside one without, over the same documents in the same run. Prints a table.
 * Run: npm run bench:replicas [-- --documents 10000]
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { startPostgres } from '../../test/support/postgres.ts';
import { loadCollections } from '../retrieval/collections.ts';
import { createCorpus, pickQuestions } from '../retrieval/corpus.ts';
import { median, percentile } from '../retrieval/latency.ts';
import { type BenchServer, root, startServer } from '../server.ts';

const { values } = parseArgs({ options: { documents: { type: 'string', default: '10000' } } });
const documents = Number(values.documents);
const sectionsPerDocument = 10;
const wordsPerSection = 120;
const namespace = 'bench';
const changes = 100;
const searches = 1_000;
const settleMs = 5_000;

const collections = loadCollections();
const corpus = createCorpus(collections);
const questions = pickQuestions(collections, 300).map(({ text }) => text);
const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const postgres = await startPostgres();
const DATABASE_URL = await postgres.newDatabase();
const report = (what: string, value: string) => console.log(`| ${what} | ${value} |`);
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
const percentiles = (all: readonly number[]) => `${median(all).toFixed(1)} / ${percentile(all, 0.95).toFixed(1)} ms`;

const settings = (name: string, shared = true) => ({
  KNOWLEDGE_DIR: join(folder, name, 'knowledge'),
  INDEX_DIR: join(folder, name, 'index'),
  MAX_BODY_BYTES: '10000000',
  ...(shared ? { DATABASE_URL } : {}),
});

function writeDocuments(knowledgeDir: string): void {
  mkdirSync(join(knowledgeDir, namespace), { recursive: true });
  for (let number = 0; number < documents; number++) {
    const sections = Array.from({ length: sectionsPerDocument }, () => `## ${corpus.heading()}\n\n${corpus.compose(wordsPerSection)}\n`);
    const text = `# ${corpus.title().replace(/\s+/g, ' ')}\n\n${sections.join('\n')}`;
    writeFileSync(join(knowledgeDir, namespace, `document-${number}.md`), text);
  }
}

async function chunksOf(server: BenchServer): Promise<number> {
  const answer: any = await (await fetch(`${server.url}/api/namespaces`)).json();
  return answer.namespaces.find(({ name }: { name: string }) => name === namespace)?.chunks ?? 0;
}

const find = (server: BenchServer, query: string) => server.post('/api/tools/searchDocs', { namespace, query });

/** From the answer to a write until a server finds it. */
async function measureChanges(servers: readonly BenchServer[]): Promise<void> {
  const delays: number[] = [];
  for (let turn = 0; turn < changes; turn++) {
    const word = `qx${turn}z`;
    await servers[turn % servers.length]!.post('/api/tools/ingestSources', {
      namespace: 'changes',
      sources: [{ text: `${word} is what it says now.`, title: 'The document that is replaced' }],
    });
    const written = performance.now();
    const untilFound = async (server: BenchServer) => {
      while (!((await server.post('/api/tools/searchDocs', { namespace: 'changes', query: word })).body.results ?? []).length)
        await sleep(2);
      return performance.now() - written;
    };
    delays.push(Math.max(...(await Promise.all(servers.map(untilFound)))));
    await sleep(Math.random() * 250);
  }
  report(`commit → found on each of ${servers.length} servers, ${changes} changes: p50 / p95`, percentiles(delays));
}

/** Two servers asked in turns, so that a busy moment is one for both. */
async function measureSearch(withDatabase: BenchServer, without: BenchServer): Promise<void> {
  const both = [withDatabase, without].map((server) => ({ server, ms: [] as number[] }));
  const different = { scores: 0, ties: 0 };
  for (let number = 0; number < searches; number++) {
    const query = questions[number % questions.length]!;
    const found: { scores: string; places: string }[] = [];
    for (const one of number % 2 ? both : both.toReversed()) {
      const { ms, body } = await find(one.server, query);
      if (number > searches / 10) one.ms.push(ms);
      const places = JSON.stringify(body.results.map(({ file, start, end }: any) => [file, start, end]));
      found.push({ scores: JSON.stringify(body.results.map(({ score }: any) => score)), places });
    }
    if (found[0]?.scores !== found[1]?.scores) different.scores++;
    else if (found[0]?.places !== found[1]?.places) different.ties++;
  }
  for (const [index, { ms }] of both.entries())
    report(`searchDocs ${index === 0 ? 'with' : 'without'} a database, ${searches} in turns: p50 / p95`, percentiles(ms));
  report('questions with other scores; with others of the same scores', `${different.scores}; ${different.ties}`);
}

const files = settings('files', false);
writeDocuments(files.KNOWLEDGE_DIR);
const started = performance.now();
await promisify(execFile)(process.execPath, ['src/cli/main.ts', 'import', files.KNOWLEDGE_DIR], {
  cwd: root,
  env: { PATH: process.env['PATH'], DATABASE_URL },
  maxBuffer: 100_000_000,
});
report(`npm run import of ${documents} documents`, seconds(performance.now() - started));
const first = await startServer(settings('one'));
report(`a new server with ${await chunksOf(first)} chunks, from nothing: ready after`, seconds(first.readyMs));
await sleep(settleMs);
await first.stop();
const one = await startServer(settings('one'));
report('the same from its own folder', seconds(one.readyMs));
for (const name of ['two', 'three']) cpSync(join(folder, 'one'), join(folder, name), { recursive: true });
const [two, three, alone] = [await startServer(settings('two')), await startServer(settings('three')), await startServer(files)];
report('one process without a database, first build: ready after', seconds(alone.readyMs));
await sleep(settleMs);
await measureSearch(one, alone);
report('memory with / without', `${(await one.memoryMb()).toFixed(0)} / ${(await alone.memoryMb()).toFixed(0)} MB`);
await alone.stop();
await measureChanges([one, two, three]);
for (const server of [one, two, three]) await server.stop();
await postgres.stop();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
