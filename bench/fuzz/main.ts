/**
 * `npm run fuzz`: fuzzes every operation from its own schema. Starts its own servers one after
 * another (extractive answers; a failing model; below PATH_PREFIX) or uses a running one. Exits
 * with 1 if a response violates its schema or leaks.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { callersOf } from './callers.ts';
import { createValidators } from './checks.ts';
import { logProblems } from './leaks.ts';
import { describeFailures, tableOf } from './report.ts';
import { type PassReport, runPass } from './run.ts';
import { type StageOptions, startStage } from './stage.ts';

const usage = `npm run fuzz -- [options]

Sends valid, edge-case and broken requests generated from /api/openapi.json. Checks each response: no 500, no leak, a documented
status, a body valid against its schema, an x-request-id.

  --requests N        number of requests over all operations (20000)
  --seed N            the same seed sends the same requests (default: random, printed)
  --concurrency N     concurrent requests (4)
  --only OPERATION    only the operation with this operationId
  --server URL        a running server, with its PATH_PREFIX. The fuzz WRITES AND DELETES there: use no server with real documents
  --key KEY           key of that server with all rights
  --help

Without --server it starts its own in temporary folders. Exits with 1 on any failure; each failure has its seed and
a curl command.`;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    concurrency: { type: 'string', default: '4' },
    only: { type: 'string' },
    server: { type: 'string' },
    key: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const progressMs = 5_000;

const whole = (name: 'requests' | 'seed' | 'concurrency', least: number): number => {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= least) return value;
  process.stderr.write(`--${name} must be a whole number of at least ${least}.\n`);
  process.exit(2);
};

const validatorOf = createValidators();
/** Aborted by a signal: stops the servers and reports the results so far. */
const ending = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => ending.abort());

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Share of the requests for each started server. */
const passes: readonly (StageOptions & { readonly name: string; readonly share: number })[] = [
  { name: 'without a model', share: 0.5, hasModel: false },
  { name: 'with a model', share: 0.35, hasModel: true },
  {
    name: 'below PATH_PREFIX',
    share: 0.15,
    hasModel: false,
    pathPrefix: '/k/fuzz-prefix-3c9e71b2',
  },
];

interface Outcome {
  readonly report: PassReport;
  /** Problems besides single responses. */
  readonly problems: readonly string[];
}

function progressOf(name: string, requests: number) {
  let last = performance.now();
  const started = last;
  return (done: number, failed: number) => {
    const now = performance.now();
    if (now - last < progressMs) return;
    last = now;
    const each = ((done / (now - started)) * 1_000).toFixed(0);
    say(
      `${name}: ${done} of ${requests}, ${each}/s, ${failed} failures, load ${loadavg()[0]?.toFixed(1)}`,
    );
  };
}

async function fuzzOwn(
  options: (typeof passes)[number],
  requests: number,
  seed: number,
): Promise<Outcome> {
  const stage = await startStage(options);
  try {
    const before = await stage.memoryMb();
    const { url, around, canaries } = stage;
    const common = {
      url,
      around,
      canaries,
      requests,
      seed,
      validatorOf,
      signal: ending.signal,
      only: values.only,
      concurrency: whole('concurrency', 1),
    };
    const onProgress = progressOf(options.name, requests);
    const report = await runPass({
      ...common,
      restock: stage.restock,
      isAlive: stage.isAlive,
      onProgress,
    });
    const held = await stage.heldMs();
    say(
      `${options.name}: ${report.requests} requests, seed ${seed}; ${report.misdrawn} of ${report.drawn} values meant to be valid are not`,
    );
    say(
      `  memory ${before.toFixed(0)} → ${(await stage.memoryMb()).toFixed(0)} MB, event loop blocked for at most ${held} ms of CPU`,
    );
    const problems = [
      ...logProblems(stage.log(), canaries),
      ...(stage.isAlive() ? [] : ['the process exited']),
    ];
    if (report.failures.length > 0) say(`\n${describeFailures(report.failures, url, seed)}\n`);
    return { report, problems };
  } finally {
    await stage.stop();
  }
}

async function fuzzServer(server: string, requests: number, seed: number): Promise<Outcome> {
  const { origin, pathname } = new URL(server);
  const canaries = values.key === undefined ? [] : [{ name: 'the key', text: values.key }];
  const around = {
    callers: callersOf(values.key),
    siteUrl: undefined,
    files: ['none.md', '../none.md', '/etc/passwd'],
    pathPrefix: pathname.replace(/\/$/, ''),
  };
  const common = {
    url: origin,
    around,
    canaries,
    validatorOf,
    signal: ending.signal,
    requests,
    seed,
    only: values.only,
    concurrency: whole('concurrency', 1),
  };
  const report = await runPass({ ...common, onProgress: progressOf(server, requests) });
  if (report.failures.length > 0)
    say(`\n${describeFailures(report.failures, origin, seed, values.key)}\n`);
  return { report, problems: report.requests < requests ? ['the server stopped responding'] : [] };
}

async function fuzzAll(): Promise<Outcome[]> {
  const [requests, seed] = [whole('requests', 1), whole('seed', 0)];
  if (values.server !== undefined) return [await fuzzServer(values.server, requests, seed)];
  const outcomes: Outcome[] = [];
  for (const [at, pass] of passes.entries())
    if (!ending.signal.aborted)
      outcomes.push(await fuzzOwn(pass, Math.ceil(requests * pass.share), seed + at));
  return outcomes;
}

if (values.help) say(usage);
else {
  const outcomes = await fuzzAll();
  const reports = outcomes.map(({ report }) => report);
  const failures = reports.flatMap((report) => report.failures);
  const problems = outcomes.flatMap((outcome) => outcome.problems);
  const count = (check: string) => failures.filter((one) => one.check === check).length;
  say(`\n${tableOf(reports)}\n`);
  say(
    `${reports.reduce((sum, { requests }) => sum + requests, 0)} requests: ${count('status 500')} × 500, ${count('leak')} leaks, ${count('invalid body') + count('undocumented') + count('header')} undocumented responses, ${count('no answer')} without a response; load ${loadavg()[0]?.toFixed(1)}`,
  );
  for (const problem of problems) say(problem);
  if (ending.signal.aborted) say('Stopped early.');
  if (failures.length + problems.length > 0 || ending.signal.aborted) process.exitCode = 1;
}
