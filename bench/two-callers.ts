/**
 * Two callers, one of them hostile: what the other one feels of it. The honest one asks, searches, reads and ingests at a steady rate, for a
 * slice of time alone and for one beside the hostile one, in turns, for each thing that the hostile one may do within its rights; at the end
 * everything of the honest one has to be there. With the limits of the server as they are by default, or without.
 * Run: npm run bench:two-callers [-- --limits default|off --rounds 3 --seconds 5 --rate 30 --only searches,jobs --profile FOLDER]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { callRecords, toJsonLines } from '../scripts/call-records.ts';
import { Measured, openLoop, spread } from './load/arrivals.ts';
import { createCaller, type Send } from './load/caller.ts';
import { readCorpus, writeCorpus } from './load/corpus-files.ts';
import { createDraw, Honest, type HonestKind, Unexpected } from './load/honest.ts';
import { type Behaviour, behaviours, type HostileOrder, type HostileTold } from './load/hostile-caller.ts';
import { startModel } from './load/model.ts';
import { probeServer } from './load/probe.ts';
import { percentile } from './retrieval/latency.ts';
import { createRandom } from './retrieval/random.ts';
import { startServer } from './server.ts';

const { values } = parseArgs({
  options: {
    limits: { type: 'string', default: 'default' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '5' },
    rate: { type: 'string', default: '30' },
    only: { type: 'string', default: Object.keys(behaviours).join(',') },
    profile: { type: 'string', default: '' },
  },
});
const [rounds, seconds, rate] = [Number(values.rounds), Number(values.seconds), Number(values.rate)];
const chosen = values.only.split(',') as Behaviour[];
/** People of the honest side, each with a key and an address, so that none of them comes near what one caller may ask in a minute. */
const people = 30;
const maxRatio = 2;
/** Before what the hostile one does counts. */
const rampMs = 1_000;
const settleMs = 1_500;
const weights: Partial<Record<HonestKind, number>> = {
  search: 30,
  ask: 10,
  askInThread: 6,
  stream: 8,
  streamOpenai: 4,
  list: 5,
  read: 14,
  add: 6,
  change: 3,
  repeat: 2,
  remove: 4,
  job: 2,
  feedback: 2,
  listThreads: 4,
};
const groups: Readonly<Record<string, readonly HonestKind[]>> = {
  'asks, streams': ['ask', 'askInThread', 'stream', 'streamOpenai'],
  'searches, reads': ['search', 'list', 'read', 'listThreads', 'feedback'],
  'ingests, deletes': ['add', 'change', 'repeat', 'remove', 'job'],
};

const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const corpus = readCorpus(1_000);
writeCorpus(join(folder, 'knowledge'), 'honest', corpus.texts);
writeFileSync(
  join(folder, 'calls.jsonl'),
  toJsonLines(callRecords({ count: 50_000, seed: 1, until: Date.UTC(2026, 10, 21) / 1_000, days: 300, users: 2_000 })),
);
const model = await startModel();
const honestKeys = Array.from({ length: people }, (_, at) => `honest-${at}`);
const profiling = values.profile === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
const server = await startServer(
  {
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    INDEX_DIR: join(folder, 'index'),
    CALLS_FILE: join(folder, 'calls.jsonl'),
    // The honest ones ask more than is kept by default, and would push out their own.
    KEEP_ANSWERS: '4000',
    LLM_BASE_URL: model.baseUrl,
    ALLOWED_URL_HOSTS: model.host,
    API_KEYS: ['admin-key', 'hostile-key=hostile:read+write+calls', ...honestKeys.map((key) => `${key}=honest:read+write+calls`)].join(','),
    // An empty setting is as none.
    RATE_LIMIT_PER_MINUTE: values.limits === 'off' ? '0' : '',
  },
  ['--import', new URL('./load/probe.ts', import.meta.url).href, ...profiling],
);
const { url } = server;
const random = createRandom(11);
const callers = honestKeys.map((key, at) => createCaller({ url, key, address: `127.0.1.${at + 1}` }));
const admin = createCaller({ url, key: 'admin-key', address: '127.0.3.1' });
const honest = new Honest({
  sends: callers.map(({ send }) => send),
  namespace: 'honest',
  questions: corpus.questions,
  random,
  name: 'two',
});
const draw = createDraw(weights, random);
const other = fork(new URL('./load/hostile-caller.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

let turn = 0;
async function slice(ofSeconds: number): Promise<Measured> {
  const measured = new Measured();
  await openLoop(rate, ofSeconds, random, async (dueMs) => {
    const kind = draw();
    const caller = callers[turn++ % people];
    try {
      if (caller) await honest.kinds[kind](caller.send);
      measured.time(kind, performance.now() - dueMs);
    } catch (error) {
      measured.fault(error instanceof Unexpected ? `${kind}: ${error.message}` : `${kind} lost: ${error}`);
    }
  });
  return measured;
}

/** What was stored and asked for is gone, so that the next slice finds the server as this one did. */
async function takeBack(): Promise<void> {
  for (let attempt = 0; attempt < 60; attempt++) {
    const { status } = await admin.send('/api/namespaces/hostile', { method: 'DELETE' });
    if (status === 200 || status === 404) break;
    await sleep(1_000);
  }
  await admin.send('/api/tools/ingestSources', { json: { namespace: 'hostile', sources: corpus.texts.slice(0, 50) } });
  await sleep(settleMs);
}

async function beside(behaviour: Behaviour): Promise<{ measured: Measured; heldMs: number; told: HostileTold }> {
  const order: HostileOrder = { url, key: 'hostile-key', address: '127.0.2.1', namespace: 'hostile', pagesHost: model.host, behaviour };
  other.send(order);
  await once(other, 'message');
  await sleep(rampMs);
  await probeServer(server.process);
  const measured = await slice(seconds);
  const { heldMs } = await probeServer(server.process);
  const ended = once(other, 'message');
  other.send('stop');
  const [told] = await ended;
  await takeBack();
  return { measured, heldMs, told };
}

const p99 = (times: readonly number[]) => percentile(times, 0.99);
const names = Object.keys(groups);
console.log(
  `honest: ${rate} requests a second of ${people} people; limits: ${values.limits}; ${rounds} rounds of ${seconds} s alone and ${seconds} s beside each`,
);
console.log(
  `| the hostile one | p50 / p99 alone, ms | beside | p99 ratio | ${names.map((name) => `${name}: p99 alone → beside`).join(' | ')} | longest hold, CPU ms | answers to it | honest, not as expected | |`,
);
console.log(`|${'---|'.repeat(names.length + 8)}`);
await takeBack();
await slice(10);
let isFailed = false;
for (const behaviour of chosen) {
  const [alone, disturbed] = [new Measured(), new Measured()];
  const answers: Record<string, number> = {};
  let held = 0;
  for (let round = 0; round < rounds; round++) {
    alone.add(await slice(seconds));
    const { measured, heldMs, told } = await beside(behaviour);
    disturbed.add(measured);
    held = Math.max(held, heldMs);
    for (const [status, count] of Object.entries(told)) answers[status] = (answers[status] ?? 0) + count;
  }
  const ratio = p99(disturbed.of()) / p99(alone.of());
  const isGood = ratio <= maxRatio && disturbed.faults.size === 0;
  isFailed ||= !isGood;
  const ofGroups = names.map((name) => `${p99(alone.of(groups[name])).toFixed(0)} → ${p99(disturbed.of(groups[name])).toFixed(0)}`);
  const told = Object.entries(answers)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ');
  const row = [
    behaviour,
    spread(alone.of()),
    spread(disturbed.of()),
    ratio.toFixed(1),
    ...ofGroups,
    held,
    told,
    disturbed.faultsText,
    isGood ? 'PASS' : 'FAIL',
  ];
  console.log(`| ${row.join(' | ')} |`);
}

/** Each by the one whose it is; where they are asked faster than the limits allow, later. */
async function isThere(send: Send, path: string, holds: (body: any) => boolean): Promise<boolean> {
  for (;;) {
    const { status, body } = await send(path);
    if (status !== 429) return status === 200 && holds(body);
    await sleep(1_000);
  }
}

async function findMissing(): Promise<string[]> {
  const missing: string[] = [];
  const check = async (what: string, send: Send, path: string, holds: (body: any) => boolean = () => true) => {
    if (!(await isThere(send, path, holds))) missing.push(what);
  };
  let next = 0;
  const anybody = () => (callers[next++ % people] ?? admin).send;
  for (const { id, title, text } of honest.documents.values())
    await check(`document ${title}`, anybody(), `/api/namespaces/honest/documents/${id}`, (body) =>
      JSON.stringify(body).includes(text.slice(-40)),
    );
  for (const { send, thread } of honest.threads.values()) await check(`thread ${thread}`, send, `/api/memory/threads/${thread}`);
  for (const { send, runId } of honest.runs) await check(`answer ${runId}`, send, `/api/answers/${runId}`);
  for (const { send, id } of honest.jobs) await check(`job ${id}`, send, `/api/jobs/${id}`, ({ status }) => status === 'completed');
  return missing;
}

const missing = await findMissing();
const { documents, threads, runs, jobs } = honest;
const checked = `${documents.size} documents, ${threads.size} threads, ${runs.length} answers, ${jobs.length} jobs`;
const isAllThere = missing.length === 0;
console.log(
  `\nof the honest one are there: ${checked}; missing: ${missing.slice(0, 10).join(', ') || 'none'} ${isAllThere ? 'PASS' : `(${missing.length}) FAIL`}`,
);
other.kill();
await Promise.all([...callers, admin].map((one) => one.close()));
await server.stop();
model.close();
rmSync(folder, { recursive: true, force: true });
if (isFailed || !isAllThere) process.exitCode = 1;
