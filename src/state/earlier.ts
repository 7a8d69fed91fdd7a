/**
 * Imports the state files of version 0.5.0 into the store and removes them. Unreadable files are
 * renamed; the start continues.
 */
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createTimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import { storageError, systemErrorCode } from '../../packages/shared/src/errors.ts';
import type { AnswerRow, FeedbackRow } from '../answers/answer-store.ts';
import type { KeptGap } from '../answers/gaps.ts';
import { unsealLine } from '../disk/checksum.ts';
import { renameDamaged } from '../disk/damaged-database.ts';
import { linesOf, parseLine } from '../disk/line-file.ts';
import { isNamespaceName } from '../documents/namespace-name.ts';
import { isJobId, Job } from '../ingest/jobs/job.ts';
import { createAnswerImport } from './answers.ts';
import { importSettled } from './chat-deliveries.ts';
import { createConversationImport } from './conversations.ts';
import { importJob } from './jobs.ts';
import { importSchedules } from './schedules.ts';
import type { Query, Store } from './store.ts';
import { importTokens } from './token-counts.ts';

export interface EarlierOptions {
  readonly store: Store;
  /** Absolute paths, each possibly `INDEX_DIR` of the earlier version. */
  readonly folders: readonly string[];
  /** Absolute path. */
  readonly knowledgeDir: string;
  readonly onWarning: (message: string, error?: unknown) => void;
}

const suffixes = ['', '-wal', '-shm'];

/** Rows of a table, oldest first; empty if the table is missing. */
function rowsOf<Row = Record<string, unknown>>(
  database: DatabaseSync,
  table: string,
  columns = '*',
  order = 'rowid',
): Iterable<Row> {
  const found = database
    .prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
    .get(table);
  return found
    ? (database
        .prepare(`SELECT ${columns} FROM ${table} ORDER BY ${order}`)
        .iterate() as Iterable<Row>)
    : [];
}

const importDatabase = (
  options: EarlierOptions,
  path: string,
  work: (database: DatabaseSync) => Promise<void>,
) =>
  takeOver(options, path, async () => {
    if (!existsSync(path)) return;
    const database = new DatabaseSync(path);
    try {
      await work(database);
    } finally {
      database.close();
    }
  });

async function importAnswers(database: DatabaseSync, store: Store): Promise<void> {
  const askers = new Map(
    [...rowsOf<{ runId: string; asker: string }>(database, 'askers')].map(({ runId, asker }) => [
      runId,
      asker,
    ]),
  );
  await store.transact(async (transaction) => {
    const kept = createAnswerImport(store, transaction);
    for (const { told, ...answer } of rowsOf<AnswerRow & { readonly told?: string | null }>(
      database,
      'answers',
    ))
      await kept.answer(
        { ...answer, askerKey: askers.get(answer.runId) ?? answer.readerKey },
        told ?? null,
      );
    for (const row of rowsOf<FeedbackRow>(database, 'feedback')) await kept.feedback(row);
    for (const row of rowsOf<KeptGap>(database, 'gaps')) await kept.gap(row);
  });
}

/** Prefix of names stored as JSON. */
const escapeMark = '\uE000';
const nameOf = (kept: unknown) => {
  const name = String(kept ?? '');
  return name.startsWith(escapeMark) ? String(parse(name.slice(escapeMark.length))) : name;
};

function parse(json: unknown): unknown {
  try {
    return JSON.parse(String(json));
  } catch {
    return undefined;
  }
}

/** Renames an unreadable file; keeps the file for the next start if the store fails. */
async function takeOver(
  { onWarning }: EarlierOptions,
  path: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
    for (const suffix of suffixes) await rm(`${path}${suffix}`, { force: true });
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return;
    if (storageError(error))
      onWarning(
        `${path} of an earlier version could not be imported. The next start tries again.`,
        error,
      );
    else
      onWarning(
        `${path} of an earlier version could not be read. It is kept as ${renameDamaged(path, new Date())}.`,
        error,
      );
  }
}

/** @param take imports the content; throws if the content is invalid */
const importFile = (
  options: EarlierOptions,
  path: string,
  take: (content: Buffer, query: Query) => Promise<void>,
) =>
  takeOver(options, path, async () => {
    const content = await readFile(path);
    await options.store.transact(({ query }) => take(content, query));
  });

async function takeTokens(content: Buffer, query: Query): Promise<void> {
  for (const [day, counted] of JSON.parse(content.toString()) as [string, [string, number][]][])
    for (const [key, tokens] of counted) {
      if (!/^\d{4}-\d\d-\d\d$/.test(day) || !(tokens >= 0))
        throw new Error('this is not a token count');
      await importTokens(query, day, key, tokens);
    }
}

/** Skips lines truncated by a kill. */
async function takeDeliveries(content: Buffer, query: Query): Promise<void> {
  const pause = createTimeSlicer();
  for (const line of linesOf(content)) {
    const id = parseLine(line)?.['id'];
    if (typeof id === 'string') await importSettled(query, [id]);
    await pause();
  }
}

async function importScheduleFiles(options: EarlierOptions): Promise<void> {
  for (const folder of await readdir(options.knowledgeDir, { withFileTypes: true }).catch(
    () => [],
  )) {
    if (!folder.isDirectory() || !isNamespaceName(folder.name)) continue;
    const path = join(options.knowledgeDir, folder.name, '.schedules.json');
    await importFile(options, path, async (content, query) => {
      JSON.parse(content.toString());
      await importSchedules(query, folder.name, content.toString());
    });
  }
}

function readMessage(content: unknown) {
  const { parts, metadata } = (parse(content) ?? {}) as {
    parts?: { text?: unknown }[];
    metadata?: { documents?: unknown[] };
  };
  const text = [parts ?? []].flat().map((part) => part.text);
  return { text: text.join('\n'), documents: [metadata?.documents ?? []].flat().map(String) };
}

/** Skips threads without an owner, as in version 0.5.0: no caller could delete them. */
async function importConversations(database: DatabaseSync, store: Store): Promise<void> {
  const metadata = 'CASE WHEN json_valid(metadata, 9) THEN json(metadata) END AS metadata';
  await store.transact(async ({ query }) => {
    const kept = createConversationImport(query);
    const owned = new Set<unknown>();
    for (const row of rowsOf(database, 'mastra_threads', `id, createdAt, updatedAt, ${metadata}`)) {
      const { owner, namespace, resource, thread } = (parse(row['metadata']) ?? {}) as Record<
        string,
        unknown
      >;
      if (typeof owner !== 'string') continue;
      owned.add(row['id']);
      const [createdAt, updatedAt] = [
        new Date(String(row['createdAt'])),
        new Date(String(row['updatedAt'])),
      ] as const;
      const names = {
        namespace: String(namespace),
        resource: nameOf(resource),
        thread: nameOf(thread),
      };
      await kept.thread(String(row['id']), owner, { ...names, createdAt, updatedAt });
    }
    for (const { id, thread_id: thread, role, content, createdAt } of rowsOf(
      database,
      'mastra_messages',
      '*',
      'createdAt, rowid',
    )) {
      const { text, documents } = readMessage(content);
      if (!owned.has(thread) || (role !== 'user' && role !== 'assistant') || text === '') continue;
      const message = {
        id: String(id),
        role,
        content: text,
        createdAt: new Date(String(createdAt)),
      } as const;
      await kept.message(String(thread), message, documents);
    }
    await query(
      'DELETE FROM threads WHERE NOT EXISTS (SELECT 1 FROM messages WHERE thread_id = threads.id)',
    );
  });
}

/** Imports the oldest job first, because jobs run in this order. */
async function importJobs(options: EarlierOptions, folder: string): Promise<void> {
  const { store, onWarning } = options;
  const jobs: { path: string; id: string; job: Job | undefined }[] = [];
  for (const name of await readdir(folder).catch(() => [])) {
    const [path, id] = [join(folder, name), basename(name, '.jsonl')];
    if (!isJobId(id)) continue;
    const lines = linesOf(await readFile(path).catch(() => Buffer.alloc(0))).map((line) =>
      parseLine(unsealLine(line) ?? ''),
    );
    const damaged = lines.filter((line) => line === undefined).length;
    if (damaged > 0) onWarning(`Damaged lines of the job ${id} were skipped: ${damaged}.`);
    jobs.push({ path, id, job: Job.fromLines(id, lines) });
  }
  jobs.sort((a, b) => ((a.job?.asked.at ?? '') < (b.job?.asked.at ?? '') ? -1 : 1));
  for (const { path, id, job } of jobs)
    await takeOver(options, path, async () => {
      if (!job) throw new Error(`the file does not contain the job ${id}`);
      await store.transact((transaction) => importJob(store, transaction, job));
    });
  // Fails if other files are left.
  await rmdir(folder).catch(() => undefined);
}

export async function importEarlierState(options: EarlierOptions): Promise<void> {
  const { store, folders } = options;
  for (const folder of new Set(folders)) {
    await importDatabase(options, join(folder, 'answers', 'answers.db'), (database) =>
      importAnswers(database, store),
    );
    await importDatabase(options, join(folder, 'conversations', 'conversations.db'), (database) =>
      importConversations(database, store),
    );
    await importFile(options, join(folder, 'model-tokens.json'), takeTokens);
    for (const end of ['', '.older'])
      await importFile(options, join(folder, `chat-webhooks.jsonl${end}`), takeDeliveries);
    await importJobs(options, join(folder, 'jobs'));
  }
  await importScheduleFiles(options);
}

/** Moves a file or folder, even to another disk. */
async function move(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (systemErrorCode(error) !== 'EXDEV') throw error;
    await cp(from, to, { recursive: true });
    rmSync(from, { recursive: true });
  });
}

/**
 * Moves the state and the vectors, which cost money, to the folders of the current settings.
 * Everything else is rebuilt.
 */
export async function moveEarlierFiles(stateDir: string, indexDir: string): Promise<void> {
  if (stateDir === indexDir) return;
  await mkdir(stateDir, { recursive: true });
  // Earlier versions stored the state in `INDEX_DIR`.
  const isMoved = !existsSync(join(stateDir, 'state.db'));
  for (const name of suffixes.map((suffix) => `state.db${suffix}`))
    if (isMoved && existsSync(join(indexDir, name)))
      await move(join(indexDir, name), join(stateDir, name));
  // Version 0.5.0 kept index and vectors in the same folder as the state.
  const words = join(stateDir, 'words');
  if (!existsSync(words)) return;
  for (const path of [join(stateDir, 'index'), words])
    rmSync(path, { recursive: true, force: true });
  await mkdir(indexDir, { recursive: true });
  if (existsSync(join(stateDir, 'vectors')))
    await move(join(stateDir, 'vectors'), join(indexDir, 'vectors'));
}
