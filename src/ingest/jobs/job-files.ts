/**
 * The jobs of one process, in files of JSON lines, `INDEX_DIR/jobs/<id>.jsonl`: first what was asked, then what was done, appended as it
 * happens, so that a job whose process was killed goes on where it was when the next one starts. A line that a kill cut short, and a file
 * that is none, are not read. Each line ends with its sum: what was asked would else be read from another address.
 */
import { appendFile, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { KeyedQueue } from '../../concurrency/queue.ts';
import { sealLine, unsealLine } from '../../disk/checksum.ts';
import { linesOf, parseLine } from '../../disk/line-file.ts';
import { removeLeftovers, replaceFile } from '../../disk/replace-file.ts';
import { Job, type JobLine } from './job.ts';
import { type HeldJob, isJobId, type JobStore, overdueJobs, type StoredJob, type WaitingJob } from './job-store.ts';

export interface JobFilesOptions {
  /** If it is deleted, reports and unfinished jobs are lost. */
  readonly folder: string;
  readonly onUnexpected: (error: unknown) => void;
  readonly onWarning: (message: string) => void;
}

const extension = '.jsonl';

interface EndedJob extends Pick<Job['asked'], 'id' | 'namespace' | 'owner' | 'at'> {
  /** CRC-32 of the ids of documents that its rows name: there may be thousands in each of hundreds of jobs. */
  readonly documents: Uint32Array;
}

function endedJob(job: Job): EndedJob {
  const { id, namespace, owner, at } = job.asked;
  return {
    id,
    namespace,
    owner,
    at,
    documents: Uint32Array.from(job.rows().flatMap(({ document }) => (document ? crc32(document.id) : []))),
  };
}

export class JobFiles implements JobStore {
  readonly lookEveryMs = undefined;
  readonly #options: JobFilesOptions;
  /** What happens to one file happens in order. */
  readonly #queue = new KeyedQueue();
  /** Jobs whose end is not written down yet, in the order of their turns. What cannot be written down is known here all the same. */
  readonly #live = new Map<string, Job>();
  /** Live jobs whose files still name a document that was deleted, because they could not be written. */
  readonly #outdated = new WeakSet<Job>();
  /** What is asked of all the others, so that hundreds of files are not read for it. */
  readonly #ended = new Map<string, EndedJob>();

  constructor(options: JobFilesOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    await removeLeftovers(this.#options.folder);
    for (const id of await this.#ids()) {
      const job = await this.#readFile(id);
      if (!job) await this.#written(this.#putAside(id));
      else if (job.isEnded) this.#ended.set(id, endedJob(job));
      else if (!this.#live.has(id)) this.#live.set(id, job);
    }
  }

  async add(job: Job, check: (waiting: readonly WaitingJob[]) => void): Promise<void> {
    check(this.#waiting());
    const { id } = job.asked;
    this.#live.set(id, job);
    try {
      await this.#write(job);
    } catch (error) {
      this.#live.delete(id);
      throw error;
    }
  }

  async waiting(): Promise<readonly WaitingJob[]> {
    return this.#waiting();
  }

  async claim(id: string, why: 'run' | 'cancel') {
    const job = this.#live.get(id);
    if (!job) return undefined;
    if (why === 'run') {
      // It was this owner's turn: the other jobs go to the end.
      const others = [...this.#live].filter(([, other]) => other.asked.owner === job.asked.owner);
      for (const [other] of others) this.#live.delete(other);
      for (const [other, otherJob] of others) this.#live.set(other, otherJob);
    }
    return { job, isCancelled: why === 'cancel' };
  }

  async hold(ids: readonly string[]): Promise<readonly HeldJob[]> {
    return ids.map((id) => ({ id, isCancelled: false, forgotten: [] }));
  }

  /** Resolves when the line is with the system: it survives the end of the process. After one that was cut short, it begins on a line of its own. */
  async append(id: string, line: JobLine): Promise<boolean> {
    if (!this.#live.has(id)) return false;
    await this.#written(this.#change(id, (path) => appendFile(path, `\n${sealLine(line)}\n`, { mode: 0o600 })));
    return true;
  }

  /** @throws where it cannot be written: then the job stays among the live ones, ended, so that nothing else is said of it */
  async end(job: Job): Promise<boolean> {
    const { id } = job.asked;
    if (!this.#live.has(id)) return false;
    await this.#write(job);
    // Unless its namespace was deleted meanwhile.
    if (this.#live.delete(id)) this.#ended.set(id, endedJob(job));
    await this.#written(this.#forgetOldest());
    return true;
  }

  async read(id: string): Promise<StoredJob | undefined> {
    const live = this.#live.get(id);
    const job = live ?? (isJobId(id) ? await this.#readFile(id) : undefined);
    return job && { job, isLive: live !== undefined };
  }

  async isBusy(namespace: string, owner: string): Promise<boolean> {
    return this.#live.values().some(({ asked }) => asked.namespace === namespace && asked.owner === owner);
  }

  async forgetNamespace(namespace: string): Promise<boolean> {
    const own = [...this.#live].filter(([, { asked }]) => asked.namespace === namespace).map(([id]) => id);
    for (const id of own) this.#live.delete(id);
    for (const id of [...own, ...this.#endedIn(namespace).map((job) => job.id)]) await this.#written(this.#remove(id));
    return own.length > 0;
  }

  /** @throws if a report cannot be written, because it would still name the document */
  async forgetDocument(namespace: string, documentId: string): Promise<void> {
    for (const job of this.#live.values()) {
      if (job.asked.namespace !== namespace) continue;
      if (job.forget(documentId)) this.#outdated.add(job);
      if (!this.#outdated.has(job)) continue;
      await this.#write(job);
      this.#outdated.delete(job);
    }
    const sum = crc32(documentId);
    for (const { id, documents } of this.#endedIn(namespace)) {
      const job = documents.includes(sum) ? await this.#readFile(id) : undefined;
      if (job?.forget(documentId)) await this.#write(job);
    }
  }

  #waiting(): WaitingJob[] {
    return [...this.#live.values()].flatMap(({ asked: { id, owner }, isEnded }) => (isEnded ? [] : { id, owner }));
  }

  /** What cannot be written down is done all the same; it would only not survive the process. */
  #written(writing: Promise<void>): Promise<void> {
    return writing.catch(this.#options.onUnexpected);
  }

  #pathOf(id: string): string {
    return join(this.#options.folder, `${id}${extension}`);
  }

  #change(id: string, work: (path: string) => Promise<void>): Promise<void> {
    return this.#queue.run(id, async () => {
      await mkdir(this.#options.folder, { recursive: true });
      await work(this.#pathOf(id));
    });
  }

  async #ids(): Promise<string[]> {
    const names = await readdir(this.#options.folder).catch(() => []);
    return names
      .filter((name) => name.endsWith(extension))
      .map((name) => name.slice(0, -extension.length))
      .filter(isJobId);
  }

  async #readFile(id: string): Promise<Job | undefined> {
    const content = await readFile(this.#pathOf(id)).catch(() => Buffer.alloc(0));
    return Job.fromLines(
      id,
      linesOf(content).map((line) => parseLine(unsealLine(line) ?? '')),
    );
  }

  /** Writes all of a job in one step, as it is now: what happens to it next is appended. Resolves when it is on the disk. */
  #write(job: Job): Promise<void> {
    const lines = job.lines().map((line) => `${sealLine(line)}\n`);
    return this.#change(job.asked.id, (path) => replaceFile(path, (file) => file.writeFile(lines.join(''))));
  }

  /** What it was to do is not known any more. */
  async #putAside(id: string): Promise<void> {
    await this.#change(id, (path) => rename(path, `${path}.damaged`));
    this.#options.onWarning(`The job ${id} cannot be read and is not done; its file is kept as ${id}${extension}.damaged.`);
  }

  #remove(id: string): Promise<void> {
    this.#ended.delete(id);
    return this.#change(id, (path) => rm(path, { force: true, recursive: true }));
  }

  #endedIn(namespace: string): EndedJob[] {
    return [...this.#ended.values()].filter((job) => job.namespace === namespace);
  }

  async #forgetOldest(): Promise<void> {
    const ended = [...this.#ended.values()].sort((a, b) => (a.at < b.at ? 1 : -1));
    for (const { id } of overdueJobs(ended, ({ owner }) => owner)) await this.#remove(id);
  }
}
