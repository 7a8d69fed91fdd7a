/**
 * What the proxy of /v3/calls costs: the real server before a local calling service, each in its own process, asked over kept-alive
 * connections. Every request is another one, so that none is shared. Direct and through the proxy by turns, so that both meet the same
 * machine. Prints a table.
 * Run: npm run bench:calls
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { median, percentile } from '../retrieval/latency.ts';
import { root, startServer } from '../server.ts';

const warmUps = 2_000;
const rounds = 20;
const requestsPerRound = 100;
const clients = 32;
const loadMs = 10_000;

let asked = 0;

/** Milliseconds of one request; @throws where it is not answered with the page */
function ask(base: string, agent: Agent): Promise<number> {
  const started = performance.now();
  const uid = `user-${asked++}`;
  return new Promise((resolve, reject) => {
    request(`${base}/v3/calls?status=ended&startedAt[gte]=1692000000&uid=${uid}`, { agent, headers: { apikey: 'bench' } }, (response) => {
      let bytes = 0;
      response.on('data', (part: Buffer) => (bytes += part.length));
      response.on('end', () => {
        if (response.statusCode === 200 && bytes > 20_000) resolve(performance.now() - started);
        else reject(new Error(`${response.statusCode} with ${bytes} bytes`));
      });
    })
      .on('error', reject)
      .end();
  });
}

async function inTurn(base: string, agent: Agent, count: number): Promise<number[]> {
  const measured: number[] = [];
  for (let number = 0; number < count; number++) measured.push(await ask(base, agent));
  return measured;
}

async function underLoad(base: string, agent: Agent): Promise<number[]> {
  const measured: number[] = [];
  const end = performance.now() + loadMs;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() < end) measured.push(await ask(base, agent));
    }),
  );
  return measured;
}

const ms = (value: number) => `${value.toFixed(2)} ms`;
const both = (values: readonly number[]) => `${ms(median(values))} / ${ms(percentile(values, 0.99))}`;

const folder = mkdtempSync(join(tmpdir(), 'knowledge-agent-bench-'));
const upstream = spawn(process.execPath, ['bench/calls/upstream.ts'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
const direct = String((await once(upstream.stdout, 'data'))[0]).trim();
const server = await startServer({
  KNOWLEDGE_DIR: join(folder, 'knowledge'),
  INDEX_DIR: join(folder, 'index'),
  CALLS_BASE_URL: direct,
  CALLS_API_KEY: 'key-of-the-bench',
});
const agent = new Agent({ keepAlive: true, maxSockets: clients });
const rows: string[] = [];
try {
  await inTurn(direct, agent, warmUps);
  await inTurn(server.url, agent, warmUps);
  const [straight, proxied]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    straight.push(...(await inTurn(direct, agent, requestsPerRound)));
    proxied.push(...(await inTurn(server.url, agent, requestsPerRound)));
  }
  const added = median(proxied) - median(straight);
  rows.push(`| one client, asked directly: p50 / p99 | ${both(straight)} | – |`);
  rows.push(`| one client, through the proxy: p50 / p99 | ${both(proxied)} | – |`);
  rows.push(`| added by the proxy, p50 | ${ms(added)} | ≤ 2 ms |`);
  for (const [name, base, wanted] of [
    ['directly', direct, '–'],
    ['through the proxy', server.url, '≥ 1,000'],
  ] as const) {
    const loaded = await underLoad(base, agent);
    rows.push(`| ${clients} clients ${name}: requests per second | ${((loaded.length * 1_000) / loadMs).toFixed(0)} | ${wanted} |`);
    rows.push(`| the same: p50 / p99 | ${both(loaded)} | – |`);
  }
  rows.push(`| memory of the server then | ${(await server.memoryMb()).toFixed(0)} MB | – |`);
} finally {
  agent.destroy();
  await server.stop();
  upstream.kill();
  rmSync(folder, { recursive: true, force: true });
}
console.log(`| what | measured | wanted |\n|---|---|---|\n${rows.join('\n')}`);
