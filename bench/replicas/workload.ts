/**
 * Client load: adds, replaces and deletes documents, starts jobs and searches, each on a server
 * that a balancer would choose. Records acknowledged changes and checks them at the end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Replica } from './replica.ts';

export type Server = Pick<Replica, 'number' | 'url' | 'isUp' | 'changedAt' | 'readyMs'>;

/** Highest rates: clients wait for answers, so that a busy machine gets less load. */
export interface WorkloadOptions {
  readonly writesPerSecond: number;
  readonly searchesPerSecond: number;
  readonly timeoutMs?: number;
}

/** Clients that write, and clients that search. */
const clients = 10;

/**
 * Possible states of a document: the last acknowledged one, and later requested ones without a
 * response.
 */
interface Expected {
  id: string | undefined;
  states: Set<string | undefined>;
}

const namespace = 'load';
const titles = 400;
/** One of so many writes is a delete. */
const deleteEvery = 5;
const jobEverySeconds = 4;
const sourcesOfJob = 40;
const settleMs = 60_000;

const any = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];
const percentile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[
    Math.min(values.length - 1, Math.floor(values.length * share))
  ] ?? 0;

export class Workload {
  /** Kind of problem → its examples. */
  readonly #problems = new Map<string, string[]>();
  readonly #replicas: readonly Server[];
  readonly #options: WorkloadOptions;
  readonly #expected = new Map<number, Expected>();
  readonly #busy = new Set<number>();
  readonly #running: Promise<void>[] = [];
  readonly #jobs = new Map<string, number>();
  /**
   * Job number → documents that the job reported, if killed servers failed the job or one of its
   * sources.
   */
  readonly #crashedJobs = new Map<number, number>();
  readonly #counts = {
    writes: 0,
    acknowledged: 0,
    refused: 0,
    unanswered: 0,
    searches: 0,
    broken: 0,
    jobs: 0,
  };
  readonly #searchMs: number[] = [];
  readonly #ending = new AbortController();
  #texts = 0;

  constructor(replicas: readonly Server[], options: WorkloadOptions) {
    this.#replicas = replicas;
    this.#options = options;
  }

  problem(kind: string, example = ''): void {
    this.#problems.set(kind, [...(this.#problems.get(kind) ?? []), example]);
  }

  /** One line for each kind, most frequent first. */
  problems(): string[] {
    return [...this.#problems]
      .sort(([, some], [, others]) => others.length - some.length)
      .map(
        ([kind, [example, ...more]]) => `${more.length + 1} × ${kind}${example && `: ${example}`}`,
      );
  }

  start(): void {
    const repeat = async (everyMs: number, work: () => Promise<void>) => {
      const { signal } = this.#ending;
      while (!signal.aborted)
        await Promise.all([work(), sleep(everyMs, undefined, { signal }).catch(() => undefined)]);
    };
    const { writesPerSecond, searchesPerSecond } = this.#options;
    for (let client = 0; client < clients; client++)
      this.#running.push(
        repeat((clients * 1_000) / writesPerSecond, () => this.#write()),
        repeat((clients * 1_000) / searchesPerSecond, () => this.#search()),
      );
    this.#running.push(repeat(jobEverySeconds * 1_000, () => this.#job()));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await Promise.all(this.#running);
  }

  #up(): Server | undefined {
    return any(this.#replicas.filter(({ isUp }) => isUp));
  }

  /** @returns undefined if the connection broke; null without an answer in time */
  async #ask(
    replica: Server,
    path: string,
    method: string,
    body?: unknown,
  ): Promise<{ status: number; body: any } | undefined | null> {
    try {
      const response = await fetch(`${replica.url}${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.#options.timeoutMs ?? 30_000),
      });
      return { status: response.status, body: await response.json() };
    } catch (error) {
      if ((error as Error).name !== 'TimeoutError') return undefined;
      this.problem('requests timed out', `${method} ${path} on server ${replica.number}`);
      return null;
    }
  }

  async #write(): Promise<void> {
    const number = Math.floor(Math.random() * titles);
    const replica = this.#up();
    if (!replica || this.#busy.has(number)) return;
    this.#busy.add(number);
    const expected = this.#expected.get(number) ?? { id: undefined, states: new Set([undefined]) };
    this.#expected.set(number, expected);
    this.#counts.writes++;
    const isDelete = expected.id !== undefined && this.#counts.writes % deleteEvery === 0;
    if (isDelete) await this.#delete(replica, expected);
    else await this.#put(replica, number, expected);
    this.#busy.delete(number);
  }

  #outcome(
    expected: Expected,
    state: string | undefined,
    isDone: boolean,
    wasRefused: boolean,
  ): void {
    if (isDone) expected.states = new Set([state]);
    else expected.states.add(state);
    if (isDone) this.#counts.acknowledged++;
    else if (wasRefused) this.#counts.refused++;
    else this.#counts.unanswered++;
  }

  async #put(replica: Server, number: number, expected: Expected): Promise<void> {
    const text = `Document ${number} says statement ${++this.#texts} about refunds, prices and deliveries.`;
    const answer = await this.#ask(replica, '/api/tools/ingestSources', 'POST', {
      namespace,
      sources: [{ title: `Document ${number}`, text }],
    });
    const row = answer?.body?.results?.[0];
    const isDone = ['added', 'updated', 'unchanged'].includes(row?.status);
    if (isDone) expected.id = row.document.id;
    if (answer && !isDone && answer.status !== 503 && row?.error?.code !== 'storage_unavailable')
      this.problem(`writes returned ${answer.status}`, JSON.stringify(answer.body).slice(0, 200));
    this.#outcome(expected, text, isDone, Boolean(answer));
  }

  async #delete(replica: Server, expected: Expected): Promise<void> {
    const answer = await this.#ask(
      replica,
      `/api/namespaces/${namespace}/documents/${expected.id}`,
      'DELETE',
    );
    // This server has not synced the document yet.
    if (answer?.status === 404) return;
    if (answer && answer.status !== 200 && answer.status !== 503)
      this.problem(`deletes returned ${answer.status}`, JSON.stringify(answer.body).slice(0, 200));
    this.#outcome(expected, undefined, answer?.status === 200, Boolean(answer));
    if (answer?.status === 200) expected.id = undefined;
  }

  async #search(): Promise<void> {
    const replica = this.#up();
    if (!replica) return;
    const started = performance.now();
    this.#counts.searches++;
    const answer = await this.#ask(replica, '/api/tools/searchDocs', 'POST', {
      query: `statement about refunds ${Math.floor(Math.random() * titles)}`,
      namespace,
    });
    this.#searchMs.push(performance.now() - started);
    if (answer === null) return;
    if (!answer) {
      this.#counts.broken++;
      if (replica.isUp && replica.changedAt < started)
        this.problem('searches failed on a server that was not killed', `server ${replica.number}`);
    } else if (
      answer.status !== 200 &&
      !(answer.status === 404 && answer.body.code === 'namespace_not_found')
    )
      this.problem(`searches returned ${answer.status}`, JSON.stringify(answer.body).slice(0, 200));
  }

  async #job(): Promise<void> {
    const replica = this.#up();
    if (!replica) return;
    const number = ++this.#counts.jobs;
    const sources = Array.from({ length: sourcesOfJob }, (_, part) => ({
      title: `Job ${number} part ${part}`,
      text: `Part ${part} of job ${number} is about warranties.`,
    }));
    const answer = await this.#ask(replica, '/api/tools/ingestSources', 'POST', {
      namespace: 'jobs',
      sources,
      wait: false,
    });
    if (answer && answer.status < 300) this.#jobs.set(answer.body.id, number);
  }

  /** Resolves when every job has ended and every server is up to date. */
  async whenSettled(): Promise<void> {
    for (const until = performance.now() + settleMs; performance.now() < until; await sleep(200)) {
      const healths = await Promise.all(
        this.#replicas.map((one) => this.#ask(one, '/health', 'GET')),
      );
      const areFresh = healths.every(
        (answer) => answer?.body.mirror.ageMs !== null && answer?.body.mirror.ageMs < 1_000,
      );
      if (areFresh && (await this.#haveJobsEnded())) break;
    }
    for (const [id, number] of this.#jobs) await this.#checkJob(id, number);
    // Time for one more poll of each server.
    await sleep(1_500);
  }

  async #haveJobsEnded(): Promise<boolean> {
    for (const id of this.#jobs.keys()) {
      const answer = await this.#ask(this.#replicas[0] as Server, `/api/jobs/${id}`, 'GET');
      if (!answer || ['queued', 'running'].includes(answer.body.status)) return false;
    }
    return true;
  }

  async #checkJob(id: string, number: number): Promise<void> {
    const answers = await Promise.all(
      this.#replicas.map((one) => this.#ask(one, `/api/jobs/${id}`, 'GET')),
    );
    const ends = new Set(answers.map((answer) => JSON.stringify(answer?.body)));
    if (ends.size > 1)
      this.problem(
        'jobs ended differently on two servers',
        `job ${number}: ${[...ends].map((end) => end?.slice(0, 200)).join(' / ')}`,
      );
    const { status, added, updated, unchanged, error, results = [] } = answers[0]?.body ?? {};
    const done = added + updated + unchanged;
    // Two killed servers fail the source that both were reading.
    const crashed = results.filter((row: any) => row.error?.code === 'crashed').length;
    if (error?.code === 'crashed' || (crashed > 0 && done + crashed === sourcesOfJob))
      this.#crashedJobs.set(number, done);
    else if (status !== 'completed' || done !== sourcesOfJob)
      this.problem(
        'jobs are incomplete',
        `job ${number} is ${status} with ${added} added, ${updated} updated, ${unchanged} unchanged`,
      );
  }

  /** Compares a server's folder with the acknowledged changes. */
  check(files: ReadonlyMap<string, string>, server: number): void {
    const texts = [...files.values()];
    const held = new Map<number, string[]>();
    for (const text of texts) {
      const found = /Document (\d+) says statement \d+ about refunds, prices and deliveries\./.exec(
        text,
      );
      if (found) held.set(Number(found[1]), [...(held.get(Number(found[1])) ?? []), found[0]]);
    }
    for (const [number, { states }] of this.#expected) {
      const found = held.get(number) ?? [];
      if (found.length > 1)
        this.problem(
          'documents are held twice',
          `server ${server} has document ${number} ${found.length} times`,
        );
      if (!states.has(found[0]))
        this.problem(
          'documents differ from what was acknowledged',
          `server ${server}: document ${number} is ${found[0] ?? 'missing'}, acknowledged: ${[...states].map((one) => one ?? 'deleted').join(' or ')}`,
        );
    }
    for (const number of this.#jobs.values()) {
      const parts = texts.filter((text) => text.includes(`of job ${number} is about`)).length;
      const reported = this.#crashedJobs.get(number) ?? sourcesOfJob;
      if (parts < reported || parts > sourcesOfJob)
        this.problem(
          'documents of jobs are missing or too many',
          `server ${server} has ${parts} of ${reported} documents of job ${number}`,
        );
    }
  }

  report(): string {
    const { writes, acknowledged, refused, unanswered, searches, broken } = this.#counts;
    return [
      `writes: ${writes}, acknowledged ${acknowledged}, refused with an error ${refused}, no answer ${unanswered}`,
      `searches: ${searches}, connection to a killed server ${broken}, p50 ${percentile(this.#searchMs, 0.5).toFixed(1)} ms, p99 ${percentile(this.#searchMs, 0.99).toFixed(1)} ms`,
      `jobs: ${this.#jobs.size} accepted, with failures by killed servers ${this.#crashedJobs.size}`,
      `ready after ${this.#replicas.map(({ readyMs }) => readyMs.join(', ')).join(' / ')} ms`,
    ].join('\n');
  }
}
