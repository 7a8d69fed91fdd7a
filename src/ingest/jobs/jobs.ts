/**
 * Long ingests: started at once, followed by their id, ended by themselves. Each is written down in a file of JSON lines,
 * `INDEX_DIR/jobs/<id>.jsonl`: first what was asked, then what was done, appended as it happens, so that a job whose process was killed
 * goes on where it was when the next one starts. A line that a kill cut short, and a file that is none, are not read.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { countBy, fairShare, mayTakeOneMore } from '../../concurrency/fair-share.ts';
import { KeyedQueue } from '../../concurrency/queue.ts';
import { linesOf, parseLine } from '../../disk/line-file.ts';
import { removeLeftovers, replaceFile } from '../../disk/replace-file.ts';
import { sha256 } from '../../documents/document-store.ts';
import { KnowledgeError } from '../../errors.ts';
import type { ReportRow } from '../ingest-source.ts';
import type { IngestRun } from '../run.ts';
import type { IngestRequest } from '../source.ts';
import { Job, type JobEnd, type JobLine, type JobReport } from './job.ts';

const jobFile = /^([0-9a-f-]{36})\.jsonl$/;

/** The files of jobs. What happens to one happens in order. */
function createJobFiles(folder: string) {
  const queue = new KeyedQueue();
  const pathOf = (id: string) => join(folder, `${id}.jsonl`);
  const change = (id: string, work: (path: string) => Promise<void>): Promise<void> =>
    queue.run(id, async () => {
      await mkdir(folder, { recursive: true });
      await work(pathOf(id));
    });
  return {
    async ids(): Promise<string[]> {
      const names = await readdir(folder).catch(() => []);
      return names.flatMap((name) => jobFile.exec(name)?.[1] ?? []);
    },
    /** Undefined where there is none. @param id comes from a caller and becomes a file's name */
    async read(id: string): Promise<Job | undefined> {
      if (!jobFile.test(`${id}.jsonl`)) return undefined;
      const content = await readFile(pathOf(id)).catch(() => Buffer.alloc(0));
      return Job.fromLines(id, linesOf(content).map(parseLine));
    },
    /** Resolves when the line is with the system: it survives the end of the process. After one that was cut short, it begins on a line of its own. */
    append: (id: string, line: JobLine) => change(id, (path) => appendFile(path, `\n${JSON.stringify(line)}\n`, { mode: 0o600 })),
    /** Writes all of a job in one step, as it is now: what happens to it next is appended. Resolves when it is on the disk. */
    write(job: Job): Promise<void> {
      const lines = job.lines().map((line) => `${JSON.stringify(line)}\n`);
      return change(job.asked.id, (path) => replaceFile(path, (file) => file.writeFile(lines.join(''))));
    },
    remove: (id: string) => change(id, (path) => rm(path, { force: true, recursive: true })),
  };
}

export interface JobsOptions {
  readonly run: IngestRun;
  /** Everything in it may be deleted at any time. */
  readonly folder: string;
  readonly clock: () => Date;
  readonly onUnexpected: (error: unknown) => void;
}

/** Of all callers together, of which one alone gets half. */
const maxRunning = 4;
const maxWaiting = 100;
/** Reports of older jobs are forgotten, first of those who have most. */
const maxEnded = 200;

interface LiveJob {
  readonly job: Job;
  readonly controller: AbortController;
  /** Set while it runs. */
  work: Promise<void> | undefined;
}

const cancelled = new Error('the job is cancelled');

const isWaiting = ({ work, job, controller }: LiveJob) => !work && !job.isEnded && !controller.signal.aborted;
const ownerOf = ({ job }: Pick<LiveJob, 'job'>) => job.asked.owner;

export class Jobs {
  readonly #options: JobsOptions;
  readonly #files: ReturnType<typeof createJobFiles>;
  /** Jobs whose end is not written down yet; those that wait, in the order of their turns. */
  readonly #live = new Map<string, LiveJob>();
  readonly #inProgress = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#files = createJobFiles(options.folder);
  }

  /** Takes up the jobs that an earlier process left. */
  async open(): Promise<void> {
    await removeLeftovers(this.#options.folder);
    for (const id of await this.#files.ids()) {
      const job = await this.#files.read(id);
      if (!job) await this.#written(this.#files.remove(id));
      else if (!job.isEnded && !this.#live.has(id)) this.#add(job);
    }
    this.#startNext();
  }

  /**
   * @param caller who asks, a key, a token's subject or an address: jobs of different callers take turns
   * @throws KnowledgeError `rate_limited` while too many of this caller are waiting
   */
  async start(namespace: string, requests: readonly IngestRequest[], prune: boolean, caller: string): Promise<JobReport> {
    // To tell callers apart, a hash will do.
    const owner = sha256(caller).slice(0, 16);
    const waiting = [...this.#live.values()].filter(isWaiting);
    const own = waiting.filter((entry) => ownerOf(entry) === owner).length;
    const full = `${own} of your jobs are waiting, ${waiting.length} of all callers; try again when some have ended.`;
    if (!mayTakeOneMore(own, waiting.length, maxWaiting)) throw new KnowledgeError('rate_limited', full, { retryAfterSeconds: 30 });
    const id = randomUUID();
    const { job } = this.#add(new Job({ id, namespace, prune, at: this.#now(), owner, requests: [...requests] }));
    try {
      await this.#files.write(job);
    } catch (error) {
      this.#live.delete(id);
      throw error;
    }
    this.#startNext();
    return job.report();
  }

  async #find(id: string): Promise<Job> {
    const job = this.#live.get(id)?.job ?? (await this.#files.read(id));
    if (!job) throw new KnowledgeError('job_not_found', 'There is no such job; jobs that ended long ago are forgotten.');
    return job;
  }

  /** @throws KnowledgeError `job_not_found` */
  async get(id: string): Promise<JobReport> {
    return (await this.#find(id)).report();
  }

  /** The rows in the order in which they came, from one of them on. @throws KnowledgeError `job_not_found` */
  async rows(id: string, from: number): Promise<ReportRow[]> {
    return (await this.#find(id)).rows().slice(from);
  }

  /** Ends a job, also for every process to come; what is stored stays. One that has ended stays as it is. @throws KnowledgeError `job_not_found` */
  async cancel(id: string): Promise<JobReport> {
    const entry = this.#live.get(id);
    if (entry) await this.#cancel(entry);
    return entry?.job.report() ?? this.get(id);
  }

  /** Whether a job has not ended. */
  isLive(id: string): boolean {
    return this.#live.has(id);
  }

  /** Ends the jobs of a namespace and forgets them. @returns whether any was at work */
  async forgetNamespace(namespace: string): Promise<boolean> {
    const own = [...this.#live].filter(([, { job }]) => job.asked.namespace === namespace);
    for (const [id, entry] of own) {
      // Also where the disk is full: its file goes next.
      await this.#written(this.#cancel(entry));
      this.#live.delete(id);
    }
    for await (const { asked } of this.#endedJobs()) if (asked.namespace === namespace) await this.#written(this.#files.remove(asked.id));
    return own.length > 0;
  }

  async forgetDocument(namespace: string, documentId: string): Promise<void> {
    const forget = async (job: Job) => {
      if (job.asked.namespace === namespace && job.forget(documentId)) await this.#written(this.#files.write(job));
    };
    for (const { job } of this.#live.values()) await forget(job);
    for await (const job of this.#endedJobs()) await forget(job);
  }

  /** Stops the work; it goes on with the next `open`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { controller } of this.#live.values()) controller.abort(new Error('the process ends'));
    await Promise.all(this.#inProgress);
  }

  #now(): string {
    return this.#options.clock().toISOString();
  }

  /** What cannot be written down is done all the same; it would only not survive the process. */
  #written(writing: Promise<void>): Promise<void> {
    return writing.catch(this.#options.onUnexpected);
  }

  #add(job: Job): LiveJob {
    const entry: LiveJob = { job, controller: new AbortController(), work: undefined };
    this.#live.set(job.asked.id, entry);
    return entry;
  }

  async #record(job: Job, line: JobLine): Promise<void> {
    job.apply(line);
    await this.#written(this.#files.append(job.asked.id, line));
  }

  /** The first waiting job of those whose owners run fewest. */
  #next(): LiveJob | undefined {
    const running = [...this.#live.values()].filter(({ work }) => work);
    const runs = countBy(running, ownerOf);
    const runsOf = (entry: LiveJob) => runs.get(ownerOf(entry)) ?? 0;
    return [...this.#live.values()]
      .filter((entry) => isWaiting(entry) && mayTakeOneMore(runsOf(entry), running.length, maxRunning))
      .sort((a, b) => runsOf(a) - runsOf(b))[0];
  }

  #startNext(): void {
    for (let entry = this.#next(); entry && !this.#isClosed; entry = this.#next()) {
      entry.work = this.#work(entry);
      const done = this.#written(entry.work).finally(() => this.#inProgress.delete(done));
      this.#inProgress.add(done);
      // It was this owner's turn: the other jobs go to the end.
      const others = [...this.#live].filter(([, other]) => isWaiting(other) && ownerOf(other) === ownerOf(entry));
      for (const [id, other] of others) {
        this.#live.delete(id);
        this.#live.set(id, other);
      }
    }
  }

  async #work(entry: LiveJob): Promise<void> {
    try {
      const status = await this.#perform(entry);
      if (status) await this.#end(entry, status);
      else entry.job.rest();
    } finally {
      entry.work = undefined;
      this.#startNext();
    }
  }

  /** Runs a job. @returns how it ended; undefined where it goes on with the next process */
  async #perform({ job, controller }: LiveJob): Promise<JobEnd | undefined> {
    const { namespace, requests, prune } = job.asked;
    try {
      await this.#record(job, { line: 'started', at: this.#now() });
      await this.#options.run({
        namespace,
        requests,
        prune,
        signal: controller.signal,
        history: job.history,
        observer: {
          onStage: (task, label, stage) => job.enter(task, label, stage),
          onWriting: (task, status) => this.#record(job, { line: 'writing', task, status }),
          onDone: (done) => this.#record(job, { line: 'done', ...done }),
        },
      });
      const { results, failed } = job.report();
      return results.length > 0 && failed === results.length ? 'failed' : 'completed';
    } catch (error) {
      if (controller.signal.reason === cancelled) return 'cancelled';
      if (controller.signal.aborted) return undefined;
      this.#options.onUnexpected(error);
      return 'failed';
    }
  }

  /** @throws where the end cannot be written down: then the job stays among the live ones, ended, so that nothing else is said of it */
  async #end(entry: LiveJob, status: JobEnd): Promise<void> {
    const { job } = entry;
    const { done, waiting } = job.report().stages;
    if (!job.isEnded) job.apply({ line: 'ended', at: this.#now(), status, tasks: status === 'cancelled' ? done : done + waiting });
    await this.#files.write(job);
    this.#live.delete(job.asked.id);
    await this.#written(this.#forgetOldest());
  }

  async #cancel(entry: LiveJob): Promise<void> {
    entry.controller.abort(cancelled);
    await entry.work?.catch(() => undefined);
    // It was waiting, or its end could not be written down.
    if (this.#live.has(entry.job.asked.id)) await this.#end(entry, 'cancelled');
  }

  async *#endedJobs(): AsyncGenerator<Job> {
    for (const id of await this.#files.ids()) {
      const job = this.#live.has(id) ? undefined : await this.#files.read(id);
      if (job) yield job;
    }
  }

  async #forgetOldest(): Promise<void> {
    if ((await this.#files.ids()).length - this.#live.size <= maxEnded) return;
    const ended: Job[] = [];
    for await (const job of this.#endedJobs()) ended.push(job);
    ended.sort((a, b) => (a.asked.at < b.asked.at ? 1 : -1));
    const kept = new Set(fairShare(ended, maxEnded, ({ asked }) => asked.owner));
    for (const job of ended) if (!kept.has(job)) await this.#files.remove(job.asked.id);
  }
}
