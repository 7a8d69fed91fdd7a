/**
 * Jobs that several servers share: their lines in a table, and who runs each by a lease, by the clock of the database. A lease that is not
 * renewed runs out within seconds, and then any server takes the job up from where its lines end. Every line but `stopped` is written under the lease.
 */
import { randomUUID } from 'node:crypto';
import { KeyedQueue } from '../concurrency/queue.ts';
import { parseLine } from '../disk/line-file.ts';
import { Job, type JobLine } from '../ingest/jobs/job.ts';
import {
  type HeldJob,
  isJobId,
  type JobStore,
  maxEndedJobs,
  overdueJobs,
  type StoredJob,
  type WaitingJob,
} from '../ingest/jobs/job-store.ts';
import type { Database, Query } from './database.ts';

export const jobTables = `
  CREATE TABLE jobs (
    id text COLLATE "C" PRIMARY KEY,
    namespace text COLLATE "C" NOT NULL,
    owner text NOT NULL,
    arrived timestamptz NOT NULL DEFAULT clock_timestamp(),
    claimed timestamptz,
    ended boolean NOT NULL DEFAULT false,
    cancelled boolean NOT NULL DEFAULT false,
    forgotten text[] NOT NULL DEFAULT '{}',
    edition integer NOT NULL DEFAULT 0,
    runner uuid,
    leased_until timestamptz
  );
  CREATE TABLE job_lines (
    job text COLLATE "C" NOT NULL REFERENCES jobs ON DELETE CASCADE,
    position bigint GENERATED ALWAYS AS IDENTITY,
    line text NOT NULL,
    PRIMARY KEY (job, position)
  );`;

export interface PostgresJobsOptions {
  readonly database: Pick<Database, 'query' | 'transact'>;
  /** How long a server that says nothing keeps its jobs. Milliseconds. */
  readonly leaseMs?: number;
  readonly lookEveryMs?: number;
}

const usualLeaseMs = 6_000;
const usualLookMs = 1_000;

/** Live jobs of which lines are not read again. */
const maxKnown = 8;

interface KnownJob {
  readonly job: Job;
  readonly edition: number;
  readonly position: number;
}

const lineOf = ({ line }: { readonly line: string }) => parseLine(line);

/** All of a job, as it is now: lines that others have read do not count any more. */
async function replaceLines(query: Query, job: Job): Promise<void> {
  const lines = job.lines().map((line) => JSON.stringify(line));
  await query('UPDATE jobs SET edition = edition + 1 WHERE id = $1', [job.asked.id]);
  await query('DELETE FROM job_lines WHERE job = $1', [job.asked.id]);
  await query(
    'INSERT INTO job_lines (job, line) SELECT $1, line FROM unnest($2::text[]) WITH ORDINALITY AS lines (line, place) ORDER BY place',
    [job.asked.id, lines],
  );
}

export class PostgresJobs implements JobStore {
  readonly lookEveryMs: number;
  readonly #database: PostgresJobsOptions['database'];
  readonly #leaseMs: number;
  readonly #runner = randomUUID();
  readonly #appending = new KeyedQueue();
  readonly #reading = new KeyedQueue();
  /** Live jobs that were read last, as far as they were read. */
  readonly #known = new Map<string, KnownJob>();

  constructor({ database, leaseMs = usualLeaseMs, lookEveryMs = usualLookMs }: PostgresJobsOptions) {
    this.#database = database;
    this.#leaseMs = leaseMs;
    this.lookEveryMs = lookEveryMs;
  }

  /** What is there is found by looking. */
  async open(): Promise<void> {}

  async add(job: Job, check: (waiting: readonly WaitingJob[]) => void): Promise<void> {
    check(await this.waiting());
    const { id, namespace, owner } = job.asked;
    await this.#database.query(
      `WITH added AS (INSERT INTO jobs (id, namespace, owner) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id)
       INSERT INTO job_lines (job, line) SELECT id, $4 FROM added`,
      [id, namespace, owner, JSON.stringify(job.asked)],
    );
  }

  waiting(): Promise<readonly WaitingJob[]> {
    return this.#database.query<{ id: string; owner: string }>(
      `SELECT id, owner FROM jobs WHERE NOT ended AND coalesce(leased_until < clock_timestamp(), true)
       ORDER BY greatest(arrived, (SELECT max(turn.claimed) FROM jobs turn WHERE turn.owner = jobs.owner)), arrived, id`,
    );
  }

  async claim(id: string, why: 'run' | 'cancel') {
    if (!isJobId(id)) return undefined;
    const { query } = this.#database;
    if (why === 'cancel') await query('UPDATE jobs SET cancelled = true WHERE id = $1 AND NOT ended', [id]);
    const [claimed] = await query<{ cancelled: boolean }>(
      `UPDATE jobs SET runner = $2, leased_until = clock_timestamp() + $3 * interval '1 millisecond', forgotten = '{}',
         claimed = CASE WHEN $4 THEN clock_timestamp() ELSE claimed END
       WHERE id = $1 AND NOT ended AND coalesce(leased_until < clock_timestamp(), true) RETURNING cancelled`,
      [id, this.#runner, this.#leaseMs, why === 'run'],
    );
    if (!claimed) return undefined;
    const job = Job.fromLines(id, await this.#linesOf(query, id));
    if (job) return { job, isCancelled: claimed.cancelled };
    // Somebody has changed it: what cannot be read is no job.
    await query('DELETE FROM jobs WHERE id = $1 AND runner = $2', [id, this.#runner]);
    return undefined;
  }

  async hold(ids: readonly string[]): Promise<readonly HeldJob[]> {
    const rows = await this.#database.query<{ id: string; cancelled: boolean; forgotten: string[] }>(
      `UPDATE jobs SET runner = CASE WHEN id = ANY($2) THEN runner END,
         leased_until = CASE WHEN id = ANY($2) THEN clock_timestamp() + $3 * interval '1 millisecond' END
       WHERE runner = $1 RETURNING id, cancelled, forgotten`,
      [this.#runner, ids, this.#leaseMs],
    );
    return rows.filter(({ id }) => ids.includes(id)).map(({ id, cancelled, forgotten }) => ({ id, isCancelled: cancelled, forgotten }));
  }

  append(id: string, line: JobLine): Promise<boolean> {
    // As the lines came, so that rows have one order for whoever follows the job. A claim of another waits for the line, or it for the claim.
    return this.#appending.run(id, async () => {
      const written = await this.#database.query(
        `INSERT INTO job_lines (job, line) SELECT id, $3 FROM jobs WHERE id = $1 AND (runner = $2 OR $4) AND NOT ended FOR NO KEY UPDATE
         RETURNING position`,
        [id, this.#runner, JSON.stringify(line), line.line === 'stopped'],
      );
      return written.length > 0;
    });
  }

  async end(job: Job): Promise<boolean> {
    const { id } = job.asked;
    const end = job.lines().at(-1);
    const isOwn = await this.#database.transact(async ({ query }) => {
      const own = await query('SELECT FROM jobs WHERE id = $1 AND runner = $2 AND NOT ended FOR UPDATE', [id, this.#runner]);
      // Not the lines that this server knows: out of those that are stored, others may have taken a document.
      const stored = own.length > 0 ? Job.fromLines(id, await this.#linesOf(query, id)) : undefined;
      if (!stored) return false;
      stored.apply(end);
      await replaceLines(query, stored);
      await query('UPDATE jobs SET ended = true, runner = NULL, leased_until = NULL WHERE id = $1', [id]);
      return true;
    });
    // What stays too long is found again with the next end.
    if (isOwn) await this.#forgetOldest().catch(() => undefined);
    return isOwn;
  }

  async read(id: string): Promise<StoredJob | undefined> {
    if (!isJobId(id)) return undefined;
    const job = await this.#reading.run(id, () => this.#readOn(id));
    return job && { job, isLive: !job.isEnded };
  }

  /** Of a job that is followed only the lines that are new: it may have thousands, and be asked for several times a second. */
  async #readOn(id: string): Promise<Job | undefined> {
    const known = this.#known.get(id);
    const rows = await this.#database.query<{ edition: number; held: boolean; position: string | null; line: string | null }>(
      `SELECT edition, coalesce(leased_until > clock_timestamp(), false) AS held, position, line
       FROM jobs LEFT JOIN job_lines ON job = id AND position > CASE WHEN edition = $2 THEN $3::bigint ELSE 0 END
       WHERE id = $1 ORDER BY position`,
      [id, known?.edition ?? -1, known?.position ?? 0],
    );
    this.#known.delete(id);
    const [first] = rows;
    if (!first) return undefined;
    const lines = rows.flatMap(({ line }) => (line === null ? [] : parseLine(line)));
    const isSame = known?.edition === first.edition;
    const job = isSame ? known.job : Job.fromLines(id, lines);
    job?.read(isSame ? lines : [], first.held);
    if (job && !job.isEnded) {
      const position = Number(rows.at(-1)?.position ?? known?.position);
      this.#known.set(id, { job, edition: first.edition, position });
      for (const oldest of [...this.#known.keys()].slice(0, -maxKnown)) this.#known.delete(oldest);
    }
    return job;
  }

  async isBusy(namespace: string, owner: string): Promise<boolean> {
    const live = await this.#database.query('SELECT FROM jobs WHERE namespace = $1 AND owner = $2 AND NOT ended LIMIT 1', [
      namespace,
      owner,
    ]);
    return live.length > 0;
  }

  async forgetNamespace(namespace: string): Promise<boolean> {
    const removed = await this.#database.query<{ ended: boolean }>('DELETE FROM jobs WHERE namespace = $1 RETURNING ended', [namespace]);
    return removed.some(({ ended }) => !ended);
  }

  async forgetDocument(namespace: string, documentId: string): Promise<void> {
    const holding = await this.#database.query<{ id: string }>(
      `SELECT id FROM jobs WHERE namespace = $1 AND EXISTS (SELECT FROM job_lines WHERE job = id AND strpos(line, $2) > 0)`,
      [namespace, documentId],
    );
    for (const { id } of holding) {
      await this.#database.transact(async ({ query }) => {
        await query('UPDATE jobs SET forgotten = array_append(forgotten, $2) WHERE id = $1', [id, documentId]);
        const job = Job.fromLines(id, await this.#linesOf(query, id));
        if (job?.forget(documentId)) await replaceLines(query, job);
      });
    }
  }

  async #linesOf(query: Query, id: string) {
    return (await query<{ line: string }>('SELECT line FROM job_lines WHERE job = $1 ORDER BY position', [id])).map(lineOf);
  }

  async #forgetOldest(): Promise<void> {
    const { query } = this.#database;
    const ended = await query<{ id: string; owner: string }>('SELECT id, owner FROM jobs WHERE ended ORDER BY arrived DESC');
    if (ended.length <= maxEndedJobs) return;
    const overdue = overdueJobs(ended, ({ owner }) => owner).map(({ id }) => id);
    await query('DELETE FROM jobs WHERE ended AND id = ANY($1)', [overdue]);
  }
}
