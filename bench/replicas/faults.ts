/**
 * Three servers over one PostgreSQL under load, with faults: killed servers, a server without a
 * database connection, a database crash, a rolling restart. Exits with 1 if an acknowledged write
 * is missing, a deleted document is back, a job is lost or has two results, a search failed on a
 * running server, or the servers' folders differ.
 *
 *   npm run test:faults -- [--seconds 120] [--writes 10] [--searches 100] [--replicas 3]
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPostgres } from '../../test/support/postgres.ts';
import { openTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts';
import { foldersOf, Replica } from './replica.ts';
import { Workload } from './workload.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    writes: { type: 'string', default: '10' },
    searches: { type: 'string', default: '100' },
    replicas: { type: 'string', default: '3' },
  },
});
const seconds = Number(values.seconds);
const folder = await mkdtemp(join(tmpdir(), 'knowledge-faults-'));
const postgres = await startPostgres();
const database = new URL(await postgres.newDatabase());
const replicas: Replica[] = [];
const ways: TcpProxy[] = [];
for (let number = 1; number <= Number(values.replicas); number++) {
  const way = await openTcpProxy(postgres.port);
  const url = new URL(database);
  url.port = String(way.port);
  ways.push(way);
  replicas.push(
    new Replica({ number, databaseUrl: url.href, folder: join(folder, String(number)) }),
  );
}
await Promise.all(replicas.map((one) => one.start()));
const say = (what: string) =>
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${what}`);
const began = performance.now();
const load = new Workload(replicas, {
  writesPerSecond: Number(values.writes),
  searchesPerSecond: Number(values.searches),
});
load.start();

const any = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;

/** In order, each after its share of the time. */
const faults: readonly (readonly [share: number, what: string, work: () => Promise<void>])[] = [
  ...[0.08, 0.2, 0.32, 0.44, 0.56].map(
    (share) => [share, 'SIGKILL of a server', async () => any(replicas).crash()] as const,
  ),
  [
    0.62,
    'a server loses the database for 10 s',
    async () => {
      const way = any(ways);
      way.cut();
      await sleep(10_000);
      way.restore();
    },
  ],
  [
    0.75,
    'PostgreSQL crashes for 5 s',
    async () => {
      await postgres.kill();
      await sleep(5_000);
      await postgres.start();
    },
  ],
  [
    0.85,
    'rolling restart',
    async () => {
      for (const one of replicas) await one.restart();
    },
  ],
];
const running: Promise<void>[] = [];
for (const [share, what, work] of faults) {
  await sleep(Math.max(0, began + share * seconds * 1000 - performance.now()));
  say(what);
  running.push(work().catch((error: unknown) => load.problem(what, String(error))));
}
await Promise.all(running);
await sleep(Math.max(0, began + seconds * 1000 - performance.now()));
say('the load ends');
await load.stop();
await load.whenSettled();
say('compared');

const folders = await Promise.all(replicas.map((one) => foldersOf(one.knowledgeDir)));
const hashOf = (files: ReadonlyMap<string, string>) =>
  createHash('sha256')
    .update(JSON.stringify([...files].sort()))
    .digest('hex')
    .slice(0, 12);
const hashes = folders.map(hashOf);
if (new Set(hashes).size > 1) load.problem('the folders differ', hashes.join(', '));
for (const [index, files] of folders.entries()) load.check(files, index + 1);

console.log(load.report());
console.log(
  `folders: ${folders.map(({ size }) => size).join(', ')} files, ${new Set(hashes).size === 1 ? 'equal to the byte' : 'different'}`,
);
for (const one of replicas) await one.stop();
for (const way of ways) way.close();
await postgres.stop();
await rm(folder, { recursive: true, force: true });
const problems = load.problems();
for (const problem of problems) console.log(`PROBLEM ${problem}`);
console.log(problems.length === 0 ? 'no problem' : `${problems.length} kinds of problems`);
process.exit(problems.length === 0 ? 0 : 1);
