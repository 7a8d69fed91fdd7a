/**
 * Runs the server for half an hour at half of its capacity, open loop, with 5 % hostile requests.
 * Prints requests, times, memory and the longest block of the event loop per minute; at the end
 * whether memory or times grew and whether requests were lost. Documents are public collections; a
 * model on loopback answers some questions. Run: npm run bench:soak [-- --minutes 30 --warm-up 5
 * --rate 0 --profile FOLDER]
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { callRecords, toJsonLines } from '../scripts/call-records.ts';
import { closedLoop, Measured, openLoop, spread } from './load/arrivals.ts';
import { createCaller, type Send } from './load/caller.ts';
import { readCorpus, writeCorpus } from './load/corpus-files.ts';
import { createDraw, Honest, type HonestKind, UnexpectedResponse } from './load/honest.ts';
import { hostileKinds } from './load/hostile-requests.ts';
import { startModel } from './load/model.ts';
import { type Probed, probeServer } from './load/probe.ts';
import { median, percentile } from './retrieval/latency.ts';
import { createRandom } from './retrieval/random.ts';
import { startServer } from './server.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    'warm-up': { type: 'string', default: '5' },
    /** Requests per second; 0: half of the maximum, which is measured first. */
    rate: { type: 'string', default: '0' },
    /** Folder for CPU and heap profiles of the server. */
    profile: { type: 'string', default: '' },
  },
});
const minutes = Number(values.minutes);
const warmUpMinutes = Number(values['warm-up']);
const hostileShare = 0.05;
const closedCallers = 16;
const closedSeconds = 30;
const namespace = 'bench';
const maxHeldMs = 100;
const maxGrowth = 1.1;
const weights: Record<HonestKind, number> = {
  search: 28,
  ask: 10,
  askInThread: 5,
  stream: 6,
  streamOpenai: 5,
  list: 5,
  read: 8,
  add: 4,
  change: 3,
  repeat: 3,
  remove: 4,
  upload: 2,
  removeUpload: 2,
  job: 1,
  feedback: 3,
  calls: 4,
  mcp: 3,
  state: 2,
  listThreads: 2,
};
const writes: readonly HonestKind[] = [
  'add',
  'change',
  'repeat',
  'remove',
  'upload',
  'removeUpload',
  'job',
];

const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const corpus = readCorpus(3_000);
writeCorpus(join(folder, 'knowledge'), namespace, corpus.texts);
writeFileSync(
  join(folder, 'calls.jsonl'),
  toJsonLines(
    callRecords({
      count: 10_000,
      seed: 1,
      until: Date.UTC(2026, 10, 21) / 1_000,
      days: 300,
      users: 200,
    }),
  ),
);
const model = await startModel();
const profiling =
  values.profile === ''
    ? []
    : [
        '--cpu-prof',
        `--cpu-prof-dir=${values.profile}`,
        '--heapsnapshot-signal=SIGUSR2',
        `--diagnostic-dir=${values.profile}`,
      ];
const server = await startServer(
  {
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    INDEX_DIR: join(folder, 'index'),
    CALLS_FILE: join(folder, 'calls.jsonl'),
    LLM_BASE_URL: model.baseUrl,
    API_KEYS: 'honest-key,hostile-key=hostile:read+write+calls',
    JWT_SECRET: 'a-secret-of-thirty-two-characters-or-more',
  },
  ['--expose-gc', '--import', new URL('./load/probe.ts', import.meta.url).href, ...profiling],
);

const random = createRandom(7);
const caller = createCaller({ url: server.url, key: 'honest-key' });
const others = [
  createCaller({ url: server.url, key: 'hostile-key' }),
  createCaller({ url: server.url }),
] as const;
const honest = new Honest({
  sends: [caller.send],
  namespace,
  questions: corpus.questions,
  random,
  name: 'soak',
});
const hostile = hostileKinds({
  url: server.url,
  send: others[0].send,
  sendOpen: others[1].send,
  key: 'hostile-key',
  namespace: 'hostile',
  random,
});
const drawHonest = createDraw(weights, random);
const hostileNames = Object.keys(hostile) as (keyof typeof hostile)[];

/** Measurements of the current minute. */
let now = new Measured();
let lost = 0;
/** Wrong responses to hostile requests. */
const hostileFaults = new Measured();

async function performHonest(dueMs: number): Promise<void> {
  const kind = drawHonest();
  const send: Send = (path, sent) => caller.send(path, sent);
  try {
    await honest.kinds[kind](send);
    now.time(kind, performance.now() - dueMs);
  } catch (error) {
    if (error instanceof UnexpectedResponse) now.fault(`${kind}: ${error.message}`);
    else {
      lost++;
      now.fault(`${kind} lost: ${(error as NodeJS.ErrnoException).code ?? error}`);
    }
  }
}

async function performHostile(): Promise<void> {
  const kind = random.pick(hostileNames);
  try {
    await hostile[kind]();
  } catch (error) {
    hostileFaults.fault(`${kind}: ${(error as Error).message.slice(0, 120)}`);
  }
}

const perform = (dueMs: number) =>
  random.next() < hostileShare ? performHostile() : performHonest(dueMs);

async function findRate(): Promise<number> {
  if (Number(values.rate) > 0) return Number(values.rate);
  await closedLoop(closedCallers, 5, () => performHonest(performance.now()));
  const most = await closedLoop(closedCallers, closedSeconds, () =>
    performHonest(performance.now()),
  );
  console.log(
    `maximum: ${most.toFixed(0)} honest requests per second, ${closedCallers} callers, ${closedSeconds} s (${spread(now.of())} ms, p50 / p99); faults: ${now.faultsText}`,
  );
  return most / 2;
}

interface Minute {
  readonly measured: Measured;
  readonly probed: Probed;
}

const rate = await findRate();
console.log(
  `${rate.toFixed(0)} requests per second for ${minutes} minutes, ${hostileShare * 100} % of them hostile; ${corpus.texts.length} documents\n`,
);
console.log(
  '| minute | requests | p50 / p99 all, ms | ask | search | read, list | writes | CPU % | longest block, CPU ms | RSS / heap / buffers, MB | files, sockets | unexpected |',
);
console.log('|---|---|---|---|---|---|---|---|---|---|---|---|');
await probeServer(server.process);
const minuteRows: Minute[] = [];
let cpuMs = (await probeServer(server.process)).cpuMs;

async function reportMinute(): Promise<void> {
  const measured = now;
  now = new Measured();
  const probed = await probeServer(server.process);
  minuteRows.push({ measured, probed });
  const spreadOf = (...kinds: HonestKind[]) => spread(measured.of(kinds));
  const groups = [
    spread(measured.of()),
    spreadOf('ask', 'askInThread', 'stream', 'streamOpenai'),
    spreadOf('search', 'mcp'),
    spreadOf('read', 'list'),
    spreadOf(...writes),
  ];
  const memory = [probed.rssMb, probed.heapMb, probed.externalMb]
    .map((mb) => mb.toFixed(0))
    .join(' / ');
  const cpu = ((probed.cpuMs - cpuMs) / 600).toFixed(0);
  cpuMs = probed.cpuMs;
  console.log(
    `| ${[minuteRows.length, measured.of().length, ...groups, cpu, probed.heldMs, memory, `${probed.files}, ${probed.sockets}`, measured.faultsText].join(' | ')} |`,
  );
}

await others[0].send('/api/tools/ingestSources', {
  json: { namespace: 'hostile', sources: ['Refunds are paid within 30 days.'] },
});
now = new Measured();
async function reportEachMinute(): Promise<void> {
  for (const started = performance.now(); minuteRows.length < minutes; ) {
    await sleep(started + (minuteRows.length + 1) * 60_000 - performance.now());
    await reportMinute();
  }
}
await Promise.all([openLoop(rate, minutes * 60, random, perform), reportEachMinute()]);

const warm = minuteRows.slice(warmUpMinutes, warmUpMinutes + 3);
const rssOf = (rows: readonly Minute[]) => median(rows.map(({ probed }) => probed.rssMb));
const heapOf = (rows: readonly Minute[]) => median(rows.map(({ probed }) => probed.heapMb));
const growth = rssOf(minuteRows.slice(-3)) / rssOf(warm);
const measured = minuteRows.slice(warmUpMinutes);
const third = Math.max(1, Math.floor(measured.length / 3));
/** Median of the minutes' p99: a single minute with other load on the machine does not count. */
const p99Of = (rows: readonly Minute[]) =>
  median(rows.map((row) => percentile(row.measured.of(), 0.99)));
const [firstP99, lastP99] = [p99Of(measured.slice(0, third)), p99Of(measured.slice(-third))];
const held = Math.max(...minuteRows.map(({ probed }) => probed.heldMs));
const faults = new Measured();
for (const row of minuteRows) faults.add(row.measured);
const verdict = (isSo: boolean) => (isSo ? 'PASS' : 'FAIL');
console.log(`
| what | measured | wanted | |
|---|---|---|---|
| memory (RSS), last 3 minutes / 3 after the warm-up | ${rssOf(minuteRows.slice(-3)).toFixed(0)} / ${rssOf(warm).toFixed(0)} MB: ${growth.toFixed(2)} times | at most ${maxGrowth} times | ${verdict(growth <= maxGrowth)} |
| heap after a collection, same minutes | ${heapOf(minuteRows.slice(-3)).toFixed(0)} / ${heapOf(warm).toFixed(0)} MB | – | |
| honest requests lost | ${lost} of ${faults.of().length + lost} | none | ${verdict(lost === 0)} |
| unexpected responses to honest requests | ${faults.faultsText} | none | ${verdict(faults.faults.size === 0)} |
| unexpected responses to hostile requests | ${hostileFaults.faultsText} | none | ${verdict(hostileFaults.faults.size === 0)} |
| p99 of honest requests, median minute of the last third / the first | ${lastP99.toFixed(0)} / ${firstP99.toFixed(0)} ms | flat: at most 1.5 times | ${verdict(lastP99 <= firstP99 * 1.5)} |
| longest block of the event loop, CPU | ${held} ms | at most ${maxHeldMs} ms | ${verdict(held <= maxHeldMs)} |
| questions to the model | ${model.asked()} | – | |`);
await Promise.all([caller, ...others].map((one) => one.close()));
await server.stop();
model.close();
rmSync(folder, { recursive: true, force: true });
