/**
 * The embedded call log at growing sizes: reading the file, memory, every filter by itself, random combinations, summaries. The log is in a
 * process of its own, so that its memory is its own. Filters and summaries are measured in CPU time. Prints tables.
 * Run: npm run bench:calls [-- --sizes 10000,1000000]
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callRecords } from '../../scripts/call-records.ts';
import { figure, median, percentile } from '../retrieval/latency.ts';
import type { Measured } from './scale-worker.ts';

const { values: settings } = parseArgs({ options: { sizes: { type: 'string', default: '10000,100000,1000000' } } });
const until = Date.UTC(2026, 10, 21) / 1000;
const pieceChars = 1_000_000;

function writeCalls(path: string, count: number): void {
  const file = openSync(path, 'w');
  let piece = '';
  for (const record of callRecords({ count, seed: 1, until, days: 1_000, users: Math.min(20_000, Math.ceil(count / 50)) })) {
    piece += `${JSON.stringify(record)}\n`;
    if (piece.length < pieceChars) continue;
    writeSync(file, piece);
    piece = '';
  }
  writeSync(file, piece);
  closeSync(file);
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(0);
const times = (ms: readonly number[]) => [median(ms), percentile(ms, 0.95), Math.max(...ms)].map(figure).join(' | ');

async function measure(path: string): Promise<Measured> {
  const child = fork(join(import.meta.dirname, 'scale-worker.ts'), [path], { execArgv: ['--expose-gc'] });
  const [measured] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the log ended with ${code}`))),
  ]);
  return measured;
}

const folder = mkdtempSync(join(tmpdir(), 'calls-bench-'));
const sizes: string[] = [];
let last: Measured | undefined;
try {
  for (const count of settings.sizes.split(',').map(Number)) {
    const path = join(folder, `${count}.jsonl`);
    writeCalls(path, count);
    const measured = await measure(path);
    const { loadMs, loadCpuMs, reloadMs, pauseMs, residentBytes, peakBytes, peakReloadBytes, combined, single } = measured;
    const slowest = Math.max(...single.map(({ ms }) => median(ms)));
    const read = [(loadMs / 1000).toFixed(1), (loadCpuMs / 1000).toFixed(1), (reloadMs / 1000).toFixed(1), figure(pauseMs)];
    const memory = [residentBytes, peakBytes, peakReloadBytes].map(megabytes);
    sizes.push(`| ${[count, megabytes(statSync(path).size), ...read, ...memory, figure(slowest), times(combined)].join(' | ')} |`);
    rmSync(path);
    last = measured;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${cpus().length} cores, load average ${loadavg()[0]?.toFixed(1)}.

| calls | file MB | read s | of it CPU s | read again s | longest pause ms | memory MB | at most | while read again | slowest single filter p50 CPU ms | combination p50 CPU ms | p95 | longest |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
${sizes.join('\n')}

At the largest size, each filter by itself, ${last?.single[0]?.ms.length} times with other values and pages:

| filter | found, median | p50 CPU ms | p95 | longest |
|---|---|---|---|---|
${last?.single.map(({ name, found, ms }) => `| ${name} | ${median(found)} | ${times(ms)} |`).join('\n')}

| summary | p50 CPU ms | p95 | longest |
|---|---|---|---|
${last?.summaries.map(({ name, ms }) => `| ${name} | ${times(ms)} |`).join('\n')}`);
