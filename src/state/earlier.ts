/**
 * Brings what version 0.5.0 kept in files of its own into the store, once: each file is removed when the store has its content. A file
 * that cannot be read is put aside, and the start goes on.
 */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createPauses } from '../concurrency/pauses.ts';
import { unsealLine } from '../disk/checksum.ts';
import { putAside } from '../disk/damaged-database.ts';
import { linesOf, parseLine } from '../disk/line-file.ts';
import { isNamespaceName } from '../documents/namespace-name.ts';
import { storageError, systemErrorCode } from '../errors.ts';
import { Job } from '../ingest/jobs/job.ts';
import { isJobId } from '../ingest/jobs/job-store.ts';
import { createAnswerImport } from './answers.ts';
import { keepCallEvent } from './call-events.ts';
import { importSettled } from './chat-deliveries.ts';
import { importJob } from './jobs.ts';
import { importSchedules } from './schedules.ts';
import type { Query, Store } from './store.ts';
import { importTokens } from './token-counts.ts';

export interface EarlierOptions {
  readonly store: Store;
  /** Absolute: `INDEX_DIR` of the earlier version. */
  readonly folder: string;
  /** Absolute. */
  readonly knowledgeDir: string;
  readonly onWarning: (message: string, error?: unknown) => void;
}

/** What SQLite keeps beside a file. */
const companions = ['', '-wal', '-shm'];

/** Rows of a table, oldest first; none if an earlier version had no such table. */
function rowsOf(database: DatabaseSync, table: string): Iterable<Record<string, unknown>> {
  const found = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(table);
  return found ? database.prepare(`SELECT * FROM ${table} ORDER BY rowid`).iterate() : [];
}

async function importDatabase(path: string, onWarning: EarlierOptions['onWarning'], work: (database: DatabaseSync) => Promise<void>) {
  if (!existsSync(path)) return;
  try {
    const database = new DatabaseSync(path);
    try {
      await work(database);
    } finally {
      database.close();
    }
    for (const more of companions) rmSync(`${path}${more}`, { force: true });
  } catch (error) {
    onWarning(`${path} of an earlier version could not be read. It is kept as ${putAside(path, new Date())}.`, error);
  }
}

async function importAnswers(database: DatabaseSync, store: Store): Promise<void> {
  const askers = new Map([...rowsOf(database, 'askers')].map(({ runId, asker }) => [runId, asker]));
  await store.transact(async (transaction) => {
    const kept = createAnswerImport(store, transaction);
    for (const { told, ...answer } of rowsOf(database, 'answers')) {
      const askerKey = askers.get(answer['runId']) ?? answer['readerKey'];
      await kept.answer({ ...answer, askerKey } as Parameters<typeof kept.answer>[0], (told ?? null) as string | null);
    }
    for (const row of rowsOf(database, 'feedback')) await kept.feedback(row as Parameters<typeof kept.feedback>[0]);
    for (const row of rowsOf(database, 'gaps')) await kept.gap(row as Parameters<typeof kept.gap>[0]);
  });
}

/** A file that cannot be read is put aside; one that the store cannot take now is left for the next start. */
async function takeOver({ onWarning }: EarlierOptions, path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
    await rm(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    if (storageError(error)) onWarning(`${path} of an earlier version could not be taken over. The next start tries again.`, error);
    else onWarning(`${path} of an earlier version could not be read. It is kept as ${putAside(path, new Date())}.`, error);
  }
}

const importFile = (options: EarlierOptions, path: string, take: (content: Buffer, query: Query) => Promise<void>) =>
  takeOver(options, path, async () => {
    const content = await readFile(path);
    await options.store.transact(({ query }) => take(content, query));
  });

async function takeTokens(content: Buffer, query: Query): Promise<void> {
  for (const [day, counted] of JSON.parse(content.toString()) as [string, [string, number][]][])
    for (const [key, tokens] of counted) {
      if (!/^\d{4}-\d\d-\d\d$/.test(day) || !(tokens >= 0)) throw new Error('this is no count of tokens');
      await importTokens(query, day, key, tokens);
    }
}

/** Lines that a kill cut short are left out. */
async function takeDeliveries(content: Buffer, query: Query): Promise<void> {
  const pause = createPauses();
  for (const line of linesOf(content)) {
    const id = parseLine(line)?.['id'];
    if (typeof id === 'string') await importSettled(query, [id]);
    await pause();
  }
}

async function takeEvents(content: Buffer, query: Query, onWarning: EarlierOptions['onWarning']): Promise<void> {
  const pause = createPauses();
  let damaged = 0;
  for (const line of linesOf(content)) {
    const text = unsealLine(line) ?? '';
    if (parseLine(text)) await keepCallEvent(query, text);
    else damaged++;
    await pause();
  }
  if (damaged > 0) onWarning(`Events of calls that are damaged or cut short, and left out: ${damaged}.`);
}

async function importScheduleFiles(options: EarlierOptions): Promise<void> {
  for (const folder of await readdir(options.knowledgeDir, { withFileTypes: true }).catch(() => [])) {
    if (!folder.isDirectory() || !isNamespaceName(folder.name)) continue;
    const path = join(options.knowledgeDir, folder.name, '.schedules.json');
    await importFile(options, path, async (content, query) => {
      JSON.parse(content.toString());
      await importSchedules(query, folder.name, content.toString());
    });
  }
}

/** The oldest first: that is the order of their turns. */
async function importJobs(options: EarlierOptions): Promise<void> {
  const { store, folder: state, onWarning } = options;
  const folder = join(state, 'jobs');
  const jobs: { path: string; id: string; job: Job | undefined }[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const [path, id] = [join(folder, name), basename(name, '.jsonl')];
    if (!isJobId(id)) continue;
    const lines = linesOf(await readFile(path).catch(() => Buffer.alloc(0))).map((line) => parseLine(unsealLine(line) ?? ''));
    const damaged = lines.filter((line) => line === undefined).length;
    if (damaged > 0) onWarning(`Lines of the job ${id} that are damaged or cut short, and left out: ${damaged}.`);
    jobs.push({ path, id, job: Job.fromLines(id, lines) });
  }
  jobs.sort((a, b) => ((a.job?.asked.at ?? '') < (b.job?.asked.at ?? '') ? -1 : 1));
  for (const { path, id, job } of jobs)
    await takeOver(options, path, async () => {
      if (!job) throw new Error(`this is not the job ${id}, and it is not run`);
      await store.transact((transaction) => importJob(store, transaction, job));
    });
  // Unless something else is in it.
  await rmdir(folder).catch(() => undefined);
}

export async function importEarlierState(options: EarlierOptions): Promise<void> {
  const { store, folder, onWarning } = options;
  await importDatabase(join(folder, 'answers', 'answers.db'), onWarning, (database) => importAnswers(database, store));
  await importFile(options, join(folder, 'model-tokens.json'), takeTokens);
  for (const end of ['', '.older']) await importFile(options, join(folder, `chat-webhooks.jsonl${end}`), takeDeliveries);
  await importFile(options, join(folder, 'calls-events.jsonl'), (content, query) => takeEvents(content, query, onWarning));
  await importScheduleFiles(options);
  await importJobs(options);
}

/** Before version 0.6, index and vectors lay beside the state. Vectors cost money: they are moved. The rest is built again. */
export async function moveEarlierCaches(stateDir: string, indexDir: string): Promise<void> {
  const words = join(stateDir, 'words');
  if (stateDir === indexDir || !existsSync(words)) return;
  for (const path of [join(stateDir, 'index'), words]) rmSync(path, { recursive: true, force: true });
  await mkdir(indexDir, { recursive: true });
  const vectors = join(stateDir, 'vectors');
  if (existsSync(vectors)) renameSync(vectors, join(indexDir, 'vectors'));
}
