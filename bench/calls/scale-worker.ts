/** One call log, measured: the child of `scale.ts`, which names the file. */
import { utimesSync } from 'node:fs';
import { createCallLog } from '../../src/calls/call-log.ts';
import type { CallRecord, CallsFilter } from '../../src/calls/types.ts';
import { type AskedFilter, randomFilters } from '../../test/support/random-filters.ts';

export interface Measured {
  readonly loadMs: number;
  readonly loadCpuMs: number;
  readonly reloadMs: number;
  /** The longest time for which nobody else had a turn, while the file was read again. */
  readonly pauseMs: number;
  readonly residentBytes: number;
  readonly peakBytes: number;
  readonly peakReloadBytes: number;
  readonly single: readonly { readonly name: string; readonly found: readonly number[]; readonly ms: readonly number[] }[];
  readonly combined: readonly number[];
  readonly summaries: readonly { readonly name: string; readonly ms: readonly number[] }[];
}

const conditions = 16;
const rounds = 60;
const combinations = 1_000;
const summaryRounds = 10;

const path = process.argv[2] as string;
const log = createCallLog({ file: path, onWarning: (message) => console.error(message) });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
/** Milliseconds of CPU, which other work on the machine changes least. */
async function worked(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
const ask = async ({ filter, onBehalfOf }: AskedFilter) => (await log.list(filter, { onBehalfOf })).meta.pagination.total;

const cpuBefore = process.cpuUsage();
const loadMs = await timed(() => log.open());
const { user, system } = process.cpuUsage(cpuBefore);
const peakBytes = process.resourceUsage().maxRSS * 1024;
globalThis.gc?.();
const residentBytes = process.memoryUsage.rss();

const total = log.status().calls;
const known: CallRecord[] = [];
for (let page = 1; known.length < Math.min(total, 2_000); page += Math.max(1, Math.floor(total / 2_000))) {
  const { data } = await log.list({ page, perPage: 100 });
  if (data.length === 0) break;
  known.push(...data);
}

// The first `conditions` filters of a seed hold one condition each; different seeds, different values.
const single = Array.from({ length: conditions }, () => ({ name: '', found: [] as number[], ms: [] as number[] }));
for (let seed = 1; seed <= rounds; seed++) {
  let place = 0;
  for (const asked of randomFilters(known, conditions, seed)) {
    const { page: _page, perPage: _perPage, ...condition } = asked.filter;
    const row = single[place++]!;
    row.name = Object.keys(condition)[0] ?? '';
    const filter: CallsFilter = { ...condition, page: asked.filter.page ?? 1 };
    row.ms.push(await worked(async () => row.found.push(await ask({ filter }))));
  }
}

const combined: number[] = [];
for (const asked of randomFilters(known, combinations, 977)) combined.push(await worked(() => ask(asked)));

const uid = known[0]?.initiator;
const week = { initiatedAt: { gte: (known[0]?.initiatedAt ?? 0) - 7 * 86_400 } };
const summaries = [
  { name: 'of all calls', ask: () => log.summarize({}) },
  { name: 'of all calls, days of Europe/Berlin', ask: () => log.summarize({}, { timeZone: 'Europe/Berlin' }) },
  { name: 'of ended voice calls', ask: () => log.summarize({ type: 'voice', status: 'ended' }) },
  { name: "of a user's calls", ask: () => log.summarize({}, { onBehalfOf: uid }) },
  { name: 'of the last week', ask: () => log.summarize(week) },
];
const summaryRows = [];
for (const { name, ask: summarize } of summaries) {
  const ms: number[] = [];
  for (let round = 0; round < summaryRounds; round++) ms.push(await worked(summarize));
  summaryRows.push({ name, ms });
}

let pauseMs = 0;
let turn = performance.now();
const turns = setInterval(() => {
  pauseMs = Math.max(pauseMs, performance.now() - turn);
  turn = performance.now();
}, 1);
utimesSync(path, new Date(), new Date());
const reloadMs = await timed(() => log.refresh());
clearInterval(turns);

const measured: Measured = {
  loadMs,
  loadCpuMs: (user + system) / 1000,
  reloadMs,
  pauseMs,
  residentBytes,
  peakBytes,
  peakReloadBytes: process.resourceUsage().maxRSS * 1024,
  single,
  combined,
  summaries: summaryRows,
};
process.send?.(measured, () => process.exit());
