/**
 * Jobs and their lines. Servers that share a database run a job under a lease, by the clock of the
 * database. If a lease expires, any server resumes the job after its last line. All lines except
 * `stopped` need the lease. A single server needs no lease. If it cannot save lines, it continues
 * and saves all of them at the end. Each line has a checksum: a damaged line could make a job read
 * another address.
 */
import { randomUUID } from 'node:crypto';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { fairShare } from '../../packages/shared/src/concurrency/fair-share.ts';
import { KeyedQueue } from '../../packages/shared/src/concurrency/queue.ts';
import { sealLine, unsealLine } from '../../packages/shared/src/disk/checksum.ts';
import { parseLine } from '../../packages/shared/src/disk/line-file.ts';
import {
  Job,
  type JobLine,
  type JobStore,
  type StartedJob,
  type WaitingJob,
} from '../ingest/jobs/job.ts';
import {
  type Query,
  type SqlDialect,
  type Store,
  type StoreStatement,
  sqliteDialect,
  type Transaction,
} from './store.ts';

const { keyText } = sqliteDialect;
/**
 * `arrived` and `claimed` are turns (see `turnOf`); `document` is the id of the document in the
 * line.
 */
export const jobTables = `
  CREATE TABLE jobs (
    id ${keyText} PRIMARY KEY, namespace ${keyText} NOT NULL, owner text NOT NULL,
    arrived integer NOT NULL, claimed integer,
    ended integer NOT NULL DEFAULT 0, cancelled integer NOT NULL DEFAULT 0,
    forgotten text NOT NULL DEFAULT '{}',
    edition integer NOT NULL DEFAULT 0, runner text, leased_until real) STRICT;
  CREATE TABLE job_lines (
    position integer PRIMARY KEY AUTOINCREMENT, job ${keyText} NOT NULL REFERENCES jobs (id)
    ON DELETE CASCADE, line text NOT NULL,
    document ${keyText}) STRICT;
  CREATE INDEX job_lines_job ON job_lines (job, position);
  CREATE INDEX job_lines_document ON job_lines (document) WHERE document IS NOT NULL;`;

/** Lines per statement, because a statement blocks the event loop. */
const pageLines = 100;
/** Maximum stored reports; beyond it the heaviest callers lose their oldest. */
const maxEndedJobs = 200;
const jobId = /^[0-9a-f-]{36}$/;
/** Maximum cached live jobs; their earlier lines are not read again. */
const maxKnown = 8;
/**
 * Next position in the order of jobs: the clock of a shared database, or a single server's counter,
 * which never goes back.
 */
const turnOf = (store: Store) =>
  store.isShared
    ? store.dialect.now
    : '(SELECT coalesce(max(max(arrived, coalesce(claimed, 0))), 0) + 1 FROM jobs)';

const statementsFor = (
  { elementsOf, greatest, now, nowPlus, forUpdate }: SqlDialect,
  turn: string,
) => {
  const isFree = `coalesce(leased_until < ${now}, true)`;
  return {
    deleteLines: `
      WITH places (place) AS (${elementsOf('$2')})
      DELETE FROM job_lines WHERE job = $1 AND position IN (SELECT CAST(place AS bigint) FROM places)`,
    insertJob: `INSERT INTO jobs (id, namespace, owner, arrived) VALUES ($1, $2, $3, ${turn})
      ON CONFLICT (id) DO NOTHING RETURNING id`,
    insertClaimed: `
      INSERT INTO jobs (id, namespace, owner, arrived, claimed, runner, leased_until)
      SELECT $1, $2, $3, ${turn}, ${turn}, $4, ${nowPlus('$5')}
      WHERE NOT EXISTS (SELECT 1 FROM jobs WHERE NOT ended AND ${isFree} AND coalesce(runner <> $4,
        true)) ON CONFLICT (id) DO NOTHING RETURNING id`,
    selectWaiting: `
      SELECT id, owner FROM jobs JOIN (SELECT owner, max(claimed) AS last
        FROM jobs GROUP BY owner) AS turns USING (owner)
      WHERE NOT ended AND ${isFree} ORDER BY ${greatest}(arrived, coalesce(last, arrived)), arrived, id`,
    claim: `
      UPDATE jobs SET runner = $2, leased_until = ${nowPlus('$3')}, forgotten = '{}',
        claimed = CASE WHEN CAST($4 AS integer) = 1 THEN ${turn} ELSE claimed END
      WHERE id = $1 AND NOT ended AND ${isFree} RETURNING CASE WHEN cancelled THEN 1 ELSE 0 END AS cancelled`,
    hold: `
      UPDATE jobs SET runner = CASE WHEN id IN (${elementsOf('$2')}) THEN runner END,
        leased_until = CASE WHEN id IN (${elementsOf('$2')}) THEN ${nowPlus('$3')} END
      WHERE runner = $1 RETURNING id, CASE WHEN cancelled THEN 1 ELSE 0 END AS cancelled, forgotten`,
    insertLine: `
      INSERT INTO job_lines (job, line, document) SELECT id, CAST($3 AS text), CAST($4 AS text) FROM jobs
      WHERE id = $1 AND (runner = $2 OR CAST($5 AS integer) = 1)
        AND NOT ended ${forUpdate} RETURNING position`,
    lockOwn: `SELECT id FROM jobs WHERE id = $1 AND runner = $2 AND NOT ended ${forUpdate}`,
    /** Lines after the last known one; all lines if known ones have changed. */
    selectNext: `
      SELECT edition, CASE WHEN leased_until > ${now} THEN 1 ELSE 0 END AS held, position, line
      FROM jobs LEFT JOIN job_lines ON job = id AND position > CASE WHEN edition = $2
        THEN CAST($3 AS bigint) ELSE 0 END
      WHERE id = $1 ORDER BY position LIMIT $4`,
    lockNamespace: `SELECT id FROM jobs WHERE namespace = $1 ORDER BY id ${forUpdate}`,
    lockNaming: `
      SELECT id FROM jobs WHERE namespace = $1 AND id IN (SELECT job FROM job_lines
        WHERE document = $2) ORDER BY id ${forUpdate}`,
  };
};
/** Does nothing if the job has lines. The second line may be null. */
const insertFirst = `
  INSERT INTO job_lines (job, line)
  SELECT CAST($1 AS text), line FROM (SELECT 1 AS place,
    CAST($2 AS text) AS line UNION ALL SELECT 2, CAST($3 AS text)) AS first
  WHERE line IS NOT NULL AND EXISTS (SELECT 1 FROM jobs WHERE id = $1) AND NOT EXISTS (SELECT 1
    FROM job_lines WHERE job = $1) ORDER BY place`;
const putLine = 'INSERT INTO job_lines (job, line, document) VALUES ($1, $2, $3)';
const markEnded = 'UPDATE jobs SET ended = true, runner = NULL, leased_until = NULL WHERE id = $1';
const isOwn = 'EXISTS (SELECT 1 FROM jobs WHERE id = $1 AND runner = $2 AND NOT ended)';
const changeOwnFirst = `
  UPDATE job_lines SET line = $3 WHERE job = $1 AND ${isOwn}
    AND position = (SELECT min(position) FROM job_lines WHERE job = $1)`;
const forgetLine =
  'UPDATE job_lines SET line = $3, document = NULL WHERE job = $1 AND position = $2';
const changeLine = 'UPDATE job_lines SET line = $3 WHERE job = $1 AND position = $2';
/** Quotes inside texts are escaped, so the pattern matches only fields. */
const deleteOwnWriting = `DELETE FROM job_lines WHERE job = $1 AND line LIKE '%"line":"writing"%'
  AND ${isOwn}`;
const selectNewest = 'SELECT id FROM jobs WHERE namespace = $1 ORDER BY arrived DESC LIMIT 20';
const selectEnded = 'SELECT id, owner FROM jobs WHERE ended ORDER BY arrived DESC';
const selectNaming =
  'SELECT position, line FROM job_lines WHERE document = $2 AND job = $1 ORDER BY position';
/** Deletes from the end, so that the job stays readable until the last statement. */
const deleteSome = `
  DELETE FROM job_lines WHERE job = $1 AND position IN (SELECT position FROM job_lines
    WHERE job = $1 ORDER BY position DESC LIMIT $2)
  RETURNING position`;
const selectPage =
  'SELECT position, line FROM job_lines WHERE job = $1 AND position > $2 ORDER BY position LIMIT $3';

/** `position`: a string in PostgreSQL, a number in SQLite. */
type Line = Readonly<{ position: string | number; line: string }>;

const readLine = (line: string) => parseLine(unsealLine(line) ?? '');
const documentOf = (line: JobLine) =>
  line.line === 'done' ? (line.row?.document?.id ?? null) : null;

async function removeLines(query: Query, id: string) {
  while ((await query(deleteSome, [id, pageLines])).length === pageLines) await yieldToEventLoop();
}

/** Lines of a job after `last`. */
const pageAfter = (id: string, last?: Line): StoreStatement => [
  selectPage,
  [id, last?.position ?? 0, pageLines],
];

type KnownJob = Readonly<{
  job: Job;
  edition: number;
  position: number;
}>;

type LineRow = Partial<Line> & Readonly<{ edition: number; held: number }>;

/** Running job of a single server. */
interface OwnJob {
  readonly job: Job;
  isSaved: boolean;
}

export class JobRows implements JobStore {
  readonly lookEveryMs;
  readonly #store;
  readonly #options;
  readonly #statements;
  readonly #leaseMs;
  readonly #runner = randomUUID();
  readonly #appending = new KeyedQueue();
  readonly #reading = new KeyedQueue();
  /** Recently read live jobs with the position read so far. */
  readonly #known = new Map<string, KnownJob>();
  /** Jobs of a single server until their end is saved; empty if the store is shared. */
  readonly #own = new Map<string, OwnJob>();

  constructor(
    options: Readonly<{
      store: Store;
      onUnexpected: (error: unknown) => void;
      onWarning: (message: string) => void;
      /** Time until a lease without renewal expires; milliseconds. */
      leaseMs?: number;
      lookEveryMs?: number;
      /** Shared stores only: reads the `token` of a namespace. */
      tokenOf?: ((namespace: string) => readonly StoreStatement[]) | undefined;
    }>,
  ) {
    const { store, leaseMs = 6_000, lookEveryMs = 1_000 } = options;
    this.#store = store;
    this.#options = options;
    this.#statements = statementsFor(store.dialect, turnOf(store));
    // A single server's leases have always expired, even if its clock is set back.
    this.#leaseMs = store.isShared ? leaseMs : Number.MIN_SAFE_INTEGER;
    this.lookEveryMs = store.isShared ? lookEveryMs : undefined;
  }

  async add(
    job: Job,
    check: (waiting: readonly WaitingJob[]) => void,
    start?: StartedJob['line'],
  ): Promise<StartedJob | undefined> {
    const { id, namespace, owner } = job.asked;
    const { insertJob, insertClaimed } = this.#statements;
    const first = (line?: JobLine): StoreStatement => [
      insertFirst,
      [id, sealLine(job.asked), line ? sealLine(line) : null],
    ];
    if (start) {
      const claimed: StoreStatement = [
        insertClaimed,
        [id, namespace, owner, this.#runner, this.#leaseMs],
      ];
      const all = [claimed, first(start), ...(this.#options.tokenOf?.(namespace) ?? [])];
      const [added, , tokens] = await this.#store.transact(({ commit }) =>
        commit<{ token?: number }>(all),
      );
      if (added?.length === 1) {
        if (!this.#store.isShared) this.#own.set(id, { job, isSaved: true });
        return { line: start, isSaved: true, token: tokens?.[0]?.token };
      }
    }
    await this.#store.transact(async ({ query, commit }) => {
      // Checks inside the transaction; otherwise concurrent calls would all find an empty queue.
      check(await this.waiting(query));
      await commit([[insertJob, [id, namespace, owner]], first()]);
    });
  }

  #toInsert(id: string, line: JobLine): StoreStatement {
    return [
      this.#statements.insertLine,
      [id, this.#runner, sealLine(line), documentOf(line), line.line === 'stopped' ? 1 : 0],
    ];
  }

  toAppend(id: string, line: JobLine): StoreStatement {
    const [sql, values = []] = this.#toInsert(id, line);
    return [`WITH own AS (${sql}) SELECT 1 / count(*) FROM own`, values];
  }

  async waiting(query: Query = this.#store.query) {
    const waiting = await query<WaitingJob & object>(this.#statements.selectWaiting);
    return waiting.filter(({ id }) => !this.#own.get(id)?.job.isEnded);
  }

  async claim(id: string, why: 'run' | 'cancel') {
    if (!jobId.test(id)) return undefined;
    const unsaved = this.#own.get(id)?.job;
    if (unsaved?.isEnded) return { job: unsaved, isCancelled: why === 'cancel' };
    const statements: StoreStatement[] = [
      [this.#statements.claim, [id, this.#runner, this.#leaseMs, why === 'run' ? 1 : 0]],
      [this.#statements.selectNext, [id, -1, 0, pageLines]],
    ];
    if (why === 'cancel')
      statements.unshift(['UPDATE jobs SET cancelled = true WHERE id = $1 AND NOT ended', [id]]);
    const found = await this.#store.transact(({ commit }) =>
      commit<{ cancelled: number } & LineRow>(statements),
    );
    const [claimed] = found.at(-2) ?? [];
    if (!claimed) return undefined;
    const job = (await this.#load(id, undefined, found.at(-1)))?.job;
    job?.markIdle();
    if (job && !this.#store.isShared) this.#own.set(id, { job, isSaved: true });
    if (job) return { job, isCancelled: claimed.cancelled === 1 };
    this.#options.onWarning(`The job ${id} is damaged. It is deleted and does not run.`);
    await this.#store.query('DELETE FROM jobs WHERE id = $1 AND runner = $2', [id, this.#runner]);
    return undefined;
  }

  async hold(ids: readonly string[]) {
    if (!this.#store.isShared) return ids.map((id) => ({ id, isCancelled: false, forgotten: [] }));
    const values = [this.#runner, JSON.stringify(ids), this.#leaseMs];
    type Row = Readonly<{ id: string; cancelled: number; forgotten: readonly string[] }>;
    const rows = await this.#store.query<Row>(this.#statements.hold, values);
    return rows.flatMap(({ id, cancelled, forgotten }) =>
      ids.includes(id) ? { id, isCancelled: cancelled === 1, forgotten } : [],
    );
  }

  append(id: string, line: JobLine) {
    // Appends in order, so that all readers see the same order. Row locks serialize it with a claim
    // of another server.
    return this.#appending.run(id, async () => {
      try {
        if ((await this.#store.query(...this.#toInsert(id, line))).length > 0) return true;
      } catch (error) {
        if (this.#store.isShared) throw error;
        this.#options.onUnexpected(error);
      }
      const own = this.#own.get(id);
      if (own) own.isSaved = false;
      return own !== undefined;
    });
  }

  /**
   * @throws if the end cannot be saved. In memory, a single server's job is ended; a restart
   * resumes it unless the end was saved later
   */
  async end(job: Job) {
    const { id } = job.asked;
    const ended = await this.#store.transact((transaction) => this.#endBy(transaction, job));
    if (!ended) return false;
    this.#own.delete(id);
    // After a failure, the next end of a job cleans up.
    await this.#compact(id, ended.lines)
      .then(() => this.#forgetOldest(ended.jobs))
      .catch(() => undefined);
    return true;
  }

  async read(id: string) {
    if (!jobId.test(id)) return undefined;
    const own = this.#own.get(id);
    if (own) return { job: own.job, isLive: true };
    const job = await this.#reading.run(id, () => this.#readNew(id));
    return job && { job, isLive: !job.isEnded };
  }

  newest = async (namespace: string) =>
    (await this.#store.query<{ id: string }>(selectNewest, [namespace])).map(({ id }) => id);

  async isBusy(namespace: string, owner: string) {
    const live = 'SELECT id FROM jobs WHERE namespace = $1 AND owner = $2 AND NOT ended';
    return (await this.#store.query<{ id: string }>(live, [namespace, owner])).some(
      ({ id }) => !this.#own.get(id)?.job.isEnded,
    );
  }

  async forgetNamespace(namespace: string) {
    const removed = await this.#store.erase(async ({ query }) => {
      const jobs = await query<{ id: string }>(this.#statements.lockNamespace, [namespace]);
      for (const { id } of jobs) await removeLines(query, id);
      return query<{ live: number }>(
        'DELETE FROM jobs WHERE namespace = $1 RETURNING CASE WHEN ended THEN 0 ELSE 1 END AS live',
        [namespace],
      );
    });
    const own = this.#ownIn(namespace);
    for (const { job } of own) this.#own.delete(job.asked.id);
    return own.length > 0 || removed.some(({ live }) => live === 1);
  }

  async forgetDocument(namespace: string, documentId: string) {
    for (const { job } of this.#ownIn(namespace)) job.forget(documentId);
    const [naming] = await this.#store.query(
      'SELECT 1 FROM job_lines WHERE document = $1 LIMIT 1',
      [documentId],
    );
    if (!naming) return;
    await this.#store.erase(async ({ query }) => {
      const jobs = await query<{ id: string }>(this.#statements.lockNaming, [
        namespace,
        documentId,
      ]);
      for (const { id } of jobs) {
        await this.#forgetInLines(query, id, documentId);
        // Invalidates lines that other servers have cached.
        await query('UPDATE jobs SET edition = edition + 1 WHERE id = $1', [id]);
        // Informs the server that runs the job.
        if (this.#store.isShared)
          await query('UPDATE jobs SET forgotten = array_append(forgotten, $2) WHERE id = $1', [
            id,
            documentId,
          ]);
      }
    });
  }

  #ownIn(namespace: string) {
    return [...this.#own.values()].filter(({ job }) => job.asked.namespace === namespace);
  }

  /**
   * @returns the job's lines to compact and all ended jobs; undefined if this server no longer has
   * the lease
   */
  async #endBy({ query, commit }: Transaction, job: Job) {
    const { id, namespace, owner } = job.asked;
    const own = this.#own.get(id);
    const { lockOwn, insertJob } = this.#statements;
    const isThere = !own || (own.isSaved && (await query(lockOwn, [id, this.#runner])).length > 0);
    // If this transaction fails, the next call saves all lines.
    if (own) own.isSaved = false;
    if (!isThere) {
      // Some lines were not saved, or the file was deleted.
      await query(insertJob, [id, namespace, owner]);
      await removeLines(query, id);
      for (const [at, line] of job.lines().entries()) {
        await query(putLine, [id, sealLine(line), documentOf(line)]);
        if (at % pageLines === pageLines - 1) await yieldToEventLoop();
      }
    }
    // Saved rows stay unchanged: another server may have removed a document from them.
    const added = job
      .lines()
      .filter((one) => one.line === 'ended' || (one.line === 'done' && one.task === job.lastTask));
    const lines: StoreStatement[] = isThere
      ? [
          [changeOwnFirst, [id, this.#runner, sealLine(job.asked)]],
          ...added.map((one) => this.#toInsert(id, one)),
        ]
      : [];
    // In SQLite this delete would block the event loop; `compactLines` deletes in pages.
    if (this.#store.isShared) lines.push([deleteOwnWriting, [id, this.#runner]]);
    const mark: StoreStatement = isThere
      ? [`${markEnded} AND runner = $2 AND NOT ended RETURNING id`, [id, this.#runner]]
      : [`${markEnded} RETURNING id`, [id]];
    const rows = await commit([
      [lockOwn, [id, this.#runner]],
      ...lines,
      pageAfter(id),
      mark,
      [selectEnded],
    ]);
    const [page, marked, jobs] = rows.slice(-3);
    return marked?.length === 0 ? undefined : { lines: page as Line[], jobs: jobs as WaitingJob[] };
  }

  /** Reads only new lines of a cached job: clients poll jobs with thousands of lines. */
  async #readNew(id: string) {
    const known = this.#known.get(id);
    this.#known.delete(id);
    const now = await this.#load(id, known);
    if (now && !now.job.isEnded) {
      this.#known.set(id, now);
      for (const oldest of [...this.#known.keys()].slice(0, -maxKnown)) this.#known.delete(oldest);
    }
    return now?.job;
  }

  /** Loads a job. @param known cached state @param page first page of new lines, if already read */
  async #load(id: string, known?: KnownJob, page?: readonly LineRow[]) {
    let job = known?.job;
    let edition = known?.edition ?? -1;
    let position = known?.position ?? 0;
    for (let next = page; ; next = undefined) {
      const rows =
        next ??
        (await this.#store.query<LineRow>(this.#statements.selectNext, [
          id,
          edition,
          position,
          pageLines,
        ]));
      const [first] = rows;
      if (!first) return undefined;
      const lines = rows.flatMap(({ line }) => (typeof line === 'string' ? [readLine(line)] : []));
      if (first.edition !== edition) job = Job.fromLines(id, lines);
      else job?.read(lines);
      if (!job) return undefined;
      edition = first.edition;
      position = Number(rows.at(-1)?.position ?? position);
      if (rows.length < pageLines) {
        job.read([], first.held === 1);
        return { job, edition, position };
      }
      await yieldToEventLoop();
    }
  }

  async #forgetOldest(ended: readonly WaitingJob[]) {
    const { query } = this.#store;
    if (ended.length <= maxEndedJobs) return;
    const kept = new Set(fairShare(ended, maxEndedJobs, ({ owner }) => owner));
    for (const { id } of ended.filter((job) => !kept.has(job))) {
      await removeLines(query, id);
      await query('DELETE FROM jobs WHERE id = $1', [id]);
    }
  }

  /** Removes a document from the lines of a job. @param query must run in a transaction */
  async #forgetInLines(query: Query, id: string, documentId: string) {
    const [first] = await query<Line>(selectPage, [id, 0, 1]);
    let asked = first && readLine(first.line);
    for (const { position, line } of await query<Line>(selectNaming, [id, documentId])) {
      const job = Job.fromLines(id, [asked, readLine(line)]);
      job?.forget(documentId);
      const [nextAsked, done] = job?.lines() ?? [];
      asked = nextAsked ?? asked;
      if (done) await query(forgetLine, [id, position, sealLine(done)]);
      else await query(this.#statements.deleteLines, [id, JSON.stringify([String(position)])]);
    }
    if (first && asked) await query(changeLine, [id, first.position, sealLine(asked)]);
  }

  /**
   * Removes data that only a running job needs. Each page is an independent step. @param rows the
   * first page
   */
  async #compact(id: string, rows: readonly Line[]) {
    const { query } = this.#store;
    for (; ; rows = await query<Line>(...pageAfter(id, rows.at(-1)))) {
      // Quotes inside texts are escaped, so these patterns match only fields.
      const over = rows
        .filter(({ line }) => line.includes('"line":"writing"'))
        .map(({ position }) => String(position));
      for (const { position, line } of rows.filter((row) => row.line.includes('"found":['))) {
        const { found: _, ...done } = readLine(line) ?? {};
        if (done['row'] === undefined) over.push(String(position));
        else await query(changeLine, [id, position, sealLine(done)]);
      }
      if (over.length > 0) await query(this.#statements.deleteLines, [id, JSON.stringify(over)]);
      if (rows.length < pageLines) return;
      await yieldToEventLoop();
    }
  }
}
