/**
 * Counts round trips to PostgreSQL with a proxy in front of one server: for a write, for jobs of
 * one text and of 40, for a list of 1,000 namespaces. A round trip starts when the server sends
 * something on an idle connection. The server's own polls are measured first and subtracted. To see
 * whether a job has ended, the bench queries PostgreSQL without the proxy.
 *
 *   npm run bench:round-trips -- [--writes 100] [--jobs 50] [--namespaces 1000] [--delay 0]
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '../../test/support/postgres.ts';
import { Replica } from './replica.ts';

const { values } = parseArgs({
  options: {
    writes: { type: 'string', default: '100' },
    jobs: { type: 'string', default: '50' },
    namespaces: { type: 'string', default: '1000' },
    delay: { type: 'string', default: '0' },
  },
});
const delayMs = Number(values.delay);
const idleSeconds = 5;
const sourcesOfJob = 40;
const postgres = await startPostgres();
const database = new URL(await postgres.newDatabase());
let roundTrips = 0;

/**
 * Whether a message of PostgreSQL ends with "ready for query": `Z`, a length of 5, and the state of
 * the transaction.
 */
const endsReady = (bytes: Buffer) =>
  bytes.length >= 6 && bytes.at(-6) === 0x5a && bytes.readUInt32BE(bytes.length - 5) === 5;

const proxy = createServer({ noDelay: true }, (near) => {
  const far = connect({ port: postgres.port, host: '127.0.0.1', noDelay: true });
  let isAnswered = false;
  near.on('data', async (bytes) => {
    if (isAnswered) roundTrips++;
    isAnswered = false;
    if (delayMs > 0) await sleep(delayMs);
    far.write(bytes);
  });
  far.on('data', (bytes) => {
    isAnswered = endsReady(bytes);
    near.write(bytes);
  });
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}).listen(0, '127.0.0.1');
await once(proxy, 'listening');
const url = new URL(database);
url.port = String((proxy.address() as { port: number }).port);
const folder = await mkdtemp(join(tmpdir(), 'knowledge-round-trips-'));
const server = new Replica({ number: 1, databaseUrl: url.href, folder });
await server.start();

async function ask(path: string, body?: unknown): Promise<any> {
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${server.url}${path}`, body === undefined ? {} : post);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

await sleep(1_000);
const before = roundTrips;
await sleep(idleSeconds * 1_000);
const idlePerMs = (roundTrips - before) / (idleSeconds * 1_000);
console.log(`idle: ${(idlePerMs * 1_000).toFixed(1)} round trips per second`);

async function measure(
  what: string,
  times: number,
  work: (number: number) => Promise<unknown>,
): Promise<void> {
  const [trips, started] = [roundTrips, performance.now()];
  for (let number = 0; number < times; number++) await work(number);
  const ms = performance.now() - started;
  const counted = (roundTrips - trips - ms * idlePerMs) / times;
  console.log(
    `${what}: ${counted.toFixed(1)} round trips (${((roundTrips - trips) / times).toFixed(1)} with polls), ${(ms / times).toFixed(1)} ms`,
  );
}

const text = (name: string) => ({
  title: name,
  text: `${name} is about refunds, which are paid within 30 days.`,
});
const ingest = (sources: readonly unknown[], wait: boolean) =>
  ask('/api/tools/ingestSources', { namespace: 'trips', sources, wait });
await ingest([text('First')], true);
await measure('a write', Number(values.writes), (number) =>
  ingest([text(`Write ${number}`)], true),
);
await measure('the same write, unchanged', Number(values.writes), (number) =>
  ingest([text(`Write ${number}`)], true),
);

const client = new Client({ connectionString: database.href });
await client.connect();
async function withAbort({ id }: { id: string }): Promise<void> {
  while ((await client.query('SELECT 1 FROM jobs WHERE id = $1 AND ended', [id])).rowCount === 0)
    await sleep(5);
}
let accepting = 0;
await measure('a job of one text, until it has ended', Number(values.jobs), async (number) => {
  const before = roundTrips;
  const job = await ingest([text(`Job ${number}`)], false);
  accepting += roundTrips - before;
  await withAbort(job);
});
console.log(`of these until it is accepted: ${(accepting / Number(values.jobs)).toFixed(1)}`);
await measure(`a job of ${sourcesOfJob} texts, until it has ended`, 5, async (number) => {
  const parts = Array.from({ length: sourcesOfJob }, (_, part) =>
    text(`Long job ${number} part ${part}`),
  );
  await withAbort(await ingest(parts, false));
});

await server.stop();
await client.query(
  `INSERT INTO documents (namespace, file, generation, content, revision)
   SELECT namespace, file, generation, content, revision FROM (SELECT 'n' || n AS namespace FROM generate_series(1, $1::int) AS n) AS names,
     (SELECT file, generation, content, revision FROM documents WHERE content IS NOT NULL LIMIT 1) AS one`,
  [Number(values.namespaces)],
);
await client.query(
  "INSERT INTO namespaces (name) SELECT 'n' || n FROM generate_series(1, $1::int) AS n",
  [Number(values.namespaces)],
);
await client.end();
await server.start();
const listed = performance.now();
await ask('/api/namespaces');
console.log(
  `the first list, which opens new namespaces: ${(performance.now() - listed).toFixed(0)} ms`,
);
await measure(`a list of ${values.namespaces} namespaces`, 10, () => ask('/api/namespaces'));
await server.stop();
proxy.close();
await postgres.stop();
await rm(folder, { recursive: true, force: true });
process.exit(0);
