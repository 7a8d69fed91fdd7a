/**
 * Compares questions without a model with WORKERS=N and WORKERS=1: both servers run and are called
 * in turn for some seconds each. Also measures two threads that only compute, because a shared
 * machine rarely doubles.
 *
 *   npm run bench:workers -- [--workers 2] [--rounds 10] [--seconds 5] [--callers 16]
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { readCorpus, writeCorpus } from './load/corpus-files.ts';
import { median } from './retrieval/latency.ts';
import { type BenchServer, startServer } from './server.ts';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '10' },
    seconds: { type: 'string', default: '5' },
    callers: { type: 'string', default: '16' },
  },
});
const [rounds, ms, callers] = [
  Number(values.rounds),
  Number(values.seconds) * 1_000,
  Number(values.callers),
];

const computing = `const { parentPort } = require('node:worker_threads');
parentPort.on('message', (ms) => {
  const until = performance.now() + ms;
  let count = 0;
  for (; performance.now() < until; count++) for (let at = 0; at < 200; at++) ('abc' + at).replace(/b(\\d+)/, '$1x');
  parentPort.postMessage(count / ms);
});`;
const threads = [1, 2].map(() => new Worker(computing, { eval: true }));
async function compute(some: readonly Worker[]): Promise<number> {
  const done = some.map((thread) => once(thread, 'message'));
  for (const thread of some) thread.postMessage(ms);
  return (await Promise.all(done)).reduce((sum, [count]) => sum + count, 0);
}

const folder = await mkdtemp(join(tmpdir(), 'knowledge-workers-'));
const { texts, questions } = readCorpus(0);
writeCorpus(join(folder, 'knowledge'), 'docs', texts);
const start = (workers: string) =>
  startServer({
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    STATE_DIR: join(folder, workers),
    WORKERS: workers,
    LOG_LEVEL: 'info',
  });
const servers = [await start('1'), await start(values.workers)] as const;

/** Returns questions answered per second. */
async function askFor({ post }: BenchServer, times: number[]): Promise<number> {
  const started = performance.now();
  let asked = 0;
  const caller = async () => {
    while (performance.now() - started < ms) {
      const messages = `@agent ${questions[asked++ % questions.length]}`;
      const answer = await post('/api/agents/knowledge/generate', {
        messages,
        requestContext: { namespace: 'docs' },
      });
      if (!answer.body.reason) throw new Error(JSON.stringify(answer.body));
      times.push(answer.ms);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (asked * 1_000) / (performance.now() - started);
}

const figures = {
  one: [] as number[],
  many: [] as number[],
  machine: [] as number[],
  gain: [] as number[],
};
const [oneMs, manyMs]: [number[], number[]] = [[], []];
for (const server of servers) await askFor(server, []);
for (let round = 0; round < rounds; round++) {
  const [one, many] = [await askFor(servers[0], oneMs), await askFor(servers[1], manyMs)];
  const [single, double] = [await compute(threads.slice(1)), await compute(threads)];
  figures.one.push(one);
  figures.many.push(many);
  figures.gain.push(many / one);
  figures.machine.push(double / single);
}
const [one, many, gain, machine] = [figures.one, figures.many, figures.gain, figures.machine].map(
  median,
) as [number, number, number, number];
const memory = await Promise.all(servers.map((server) => server.memoryMb()));
console.log(
  `questions per second, ${callers} callers: ${one.toFixed(1)} → ${many.toFixed(1)} with WORKERS=${values.workers}, ${gain.toFixed(2)} times`,
);
console.log(
  `median wait: ${median(oneMs).toFixed(0)} → ${median(manyMs).toFixed(0)} ms; memory: ${memory.map((mb) => mb.toFixed(0)).join(' → ')} MB`,
);
console.log(
  `two computing threads over one: ${machine.toFixed(2)}; the gain is ${(gain / machine).toFixed(2)} of that`,
);
for (const thread of threads) await thread.terminate();
for (const server of servers) await server.stop();
await rm(folder, { recursive: true });
