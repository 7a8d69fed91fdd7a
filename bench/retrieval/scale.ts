/**
 * Speed and memory in process at growing sizes, for our index and SQLite FTS5, each in its own
 * process. Engines of one size run at the same time and get thirty questions each in turn, so other
 * load affects all of them. Prints tables. Run: npm run bench:scale [-- --sizes 1000,10000] [--
 * --without fts5]
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadCollections, type Passage } from './collections.ts';
import { createCorpus, pickQuestions } from './corpus.ts';
import { type EngineName, engineNames, titles } from './engines.ts';
import { figure, median, percentile, ratio } from './latency.ts';
import { writePassages } from './passage-file.ts';
import type { Built, Replaced, Task } from './scale-worker.ts';
import { withTypos } from './typos.ts';

const { values: settings } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,10000,100000,500000' },
    without: { type: 'string', multiple: true, default: [] },
  },
});
const sizes = settings.sizes.split(',').map(Number);
/** Largest size per engine; beyond it a run takes minutes or gigabytes. */
const maxSizes: Record<EngineName, number> = {
  ours: 500_000,
  fts5: 500_000,
};
const updatedSize = 100_000;
const turn = 30;
const turns = 2;
const timedReplacements = 50;
const replacements = 1_000;

const collections = loadCollections();
const corpus = createCorpus(collections);
const questions = pickQuestions(collections, 300);
const clean = questions.map(({ text }) => text);
const misspelt = withTypos(questions, 1).map(({ text }) => text);
const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const path = join(folder, 'passages.jsonl');
writePassages(path, corpus.segments(), Math.max(...sizes));

interface Worker {
  readonly name: EngineName;
  readonly child: ChildProcess;
}

function tell<T>({ name, child }: Worker, task: Task): Promise<T> {
  return new Promise((resolve, reject) => {
    child.removeAllListeners();
    child.once('exit', (code) => reject(new Error(`${name} exited with ${code}`)));
    child.once('message', (answer) => resolve(answer as T));
    child.send(task);
  });
}

/**
 * Sends all questions to all workers in turn, after a warm-up round. @returns milliseconds per
 * worker
 */
async function interleave(
  workers: readonly Worker[],
  queries: readonly string[],
): Promise<Map<EngineName, number[]>> {
  const measured = new Map<EngineName, number[]>(workers.map(({ name }) => [name, []]));
  for (let round = 0; round <= turns; round++)
    for (let from = 0; from < queries.length; from += turn)
      for (const worker of workers) {
        const ms = await tell<number[]>(worker, {
          task: 'ask',
          queries: queries.slice(from, from + turn),
        });
        if (round > 0) measured.get(worker.name)?.push(...ms);
      }
  return measured;
}

/** New text for every 97th passage; its title is a unique word. */
function newPassages(size: number): Passage[] {
  return Array.from({ length: replacements }, (_, number) => ({
    id: String((number * 97) % size),
    title: `qx${number}z`,
    text: corpus.compose(120),
  }));
}

const speed: string[] = [];
const updates: string[] = [];

async function measure(size: number): Promise<void> {
  const compared = engineNames.filter(
    (name) => size <= maxSizes[name] && !settings.without.includes(name),
  );
  const workers = compared.map((name): Worker => {
    const child = fork(join(import.meta.dirname, 'scale-worker.ts'), [name], {
      execArgv: ['--expose-gc', '--max-old-space-size=8192'],
    });
    return { name, child };
  });
  const built = new Map<EngineName, Built>();
  for (const worker of workers)
    built.set(worker.name, await tell<Built>(worker, { task: 'build', path, count: size }));
  const asked = await interleave(workers, clean);
  const askedWithTypos = await interleave(workers, misspelt);
  const ours = median(asked.get('ours') ?? []);
  for (const { name } of workers) {
    const ms = asked.get(name) ?? [];
    const { ms: buildMs, residentMb, liveMb } = built.get(name)!;
    const times = [median(ms), percentile(ms, 0.95), median(askedWithTypos.get(name) ?? [])].map(
      figure,
    );
    const building = `${(buildMs / 1_000).toFixed(1)} s (${figure(size / buildMs)}k/s)`;
    const row = [
      size,
      titles[name],
      ...times,
      ratio(median(ms), ours),
      building,
      residentMb.toFixed(0),
      liveMb.toFixed(0),
    ];
    speed.push(`| ${row.join(' | ')} |`);
  }
  if (size === updatedSize) await measureUpdates(workers, size, asked);
  for (const { child } of workers) {
    child.removeAllListeners();
    child.kill();
  }
}

async function measureUpdates(
  workers: readonly Worker[],
  size: number,
  before: ReadonlyMap<EngineName, number[]>,
): Promise<void> {
  const passages = newPassages(size);
  const timed = new Map<EngineName, Replaced>();
  const others = new Map<EngineName, Replaced>();
  for (const worker of workers) {
    const first = {
      task: 'replace',
      passages: passages.slice(0, timedReplacements),
      isSearched: true,
    } as const;
    timed.set(worker.name, await tell<Replaced>(worker, first));
    const rest = {
      task: 'replace',
      passages: passages.slice(timedReplacements),
      isSearched: false,
    } as const;
    others.set(worker.name, await tell<Replaced>(worker, rest));
  }
  const after = await interleave(workers, clean);
  for (const { name } of workers) {
    const { replaceMs, searchMs } = timed.get(name)!;
    const longest = Math.max(...replaceMs, ...(others.get(name)?.replaceMs ?? []));
    const p50 = [median(before.get(name) ?? []), median(after.get(name) ?? [])] as const;
    updates.push(
      `| ${titles[name]} | ${[median(replaceMs), longest, median(searchMs), ...p50].map(figure).join(' | ')} | ${ratio(p50[1], p50[0])} |`,
    );
  }
}

try {
  for (const size of sizes) await measure(size);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${questions.length} questions, ${turns} rounds, 10 passages each; ${corpus.real} chunks are real text, the others are composed of it.

| chunks | engine | p50 ms | p95 ms | p50 ms, one typo | p50 to ours | build | memory, MB | of it JavaScript |
|---|---|---|---|---|---|---|---|---|
${speed.join('\n')}`);
if (updates.length > 0)
  console.log(`
Replacing one of ${updatedSize} chunks, ${replacements} times:

| engine | median ms of ${timedReplacements} | longest ms of all | next search, median ms | query p50 ms before | after | ratio |
|---|---|---|---|---|---|---|
${updates.join('\n')}`);
