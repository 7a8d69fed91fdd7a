/**
 * Jobs on disk: one file of JSON lines each, `INDEX_DIR/jobs/<id>.jsonl`. The first line says what was asked, every further one what was
 * done, appended as it happens; a line that a kill cut short is not read. Finished jobs are rewritten without what was asked.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemErrorCode } from '../../errors.ts';

export interface JobJournal {
  /** Ids of the jobs that there are. */
  list(): Promise<string[]>;
  /** The lines of a job, in order; empty where there is none. */
  read(id: string): Promise<unknown[]>;
  /** Resolves when the line is with the system; it survives the end of the process. */
  append(id: string, line: unknown): Promise<void>;
  /** Replaces a job's lines in one step, and puts its file away. */
  replace(id: string, lines: readonly unknown[]): Promise<void>;
  remove(id: string): Promise<void>;
  close(): Promise<void>;
}

const jobFile = /^([0-9a-f-]{36})\.jsonl$/;
/** An id comes from a caller and becomes a file's name. */
const isJobId = (id: string) => jobFile.test(`${id}.jsonl`);

export function createJobJournal(folder: string): JobJournal {
  const handles = new Map<string, Promise<FileHandle>>();
  const queues = new Map<string, Promise<unknown>>();
  const pathOf = (id: string) => join(folder, `${id}.jsonl`);

  /** What happens to one job's file happens in order. */
  function inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = (queues.get(id) ?? Promise.resolve()).then(work, work);
    queues.set(id, turn);
    const done = () => {
      if (queues.get(id) === turn) queues.delete(id);
    };
    turn.then(done, done);
    return turn;
  }

  async function closeFile(id: string): Promise<void> {
    const handle = handles.get(id);
    handles.delete(id);
    await (await handle)?.close();
  }

  async function openFile(id: string): Promise<FileHandle> {
    await mkdir(folder, { recursive: true });
    const handle = await open(pathOf(id), 'a', 0o600);
    // After a line that was cut short, the next begins on a line of its own.
    if ((await handle.stat()).size > 0) await handle.appendFile('\n');
    return handle;
  }

  return {
    async list() {
      const names = await readdir(folder).catch((error: unknown) => {
        if (systemErrorCode(error) === 'ENOENT') return [];
        throw error;
      });
      return names.flatMap((name) => jobFile.exec(name)?.[1] ?? []);
    },

    async read(id) {
      if (!isJobId(id)) return [];
      const content = await readFile(pathOf(id), 'utf8').catch((error: unknown) => {
        if (systemErrorCode(error) === 'ENOENT') return '';
        throw error;
      });
      return content.split('\n').flatMap((line) => {
        try {
          return line === '' ? [] : [JSON.parse(line) as unknown];
        } catch {
          return [];
        }
      });
    },

    append: (id, line) =>
      inTurn(id, async () => {
        let handle = handles.get(id);
        if (!handle) {
          handle = openFile(id);
          handles.set(id, handle);
          handle.catch(() => handles.delete(id));
        }
        await (await handle).appendFile(`${JSON.stringify(line)}\n`);
      }),

    replace: (id, lines) =>
      inTurn(id, async () => {
        await closeFile(id);
        const temporary = join(folder, `.${randomUUID()}.tmp`);
        const handle = await open(temporary, 'wx', 0o600);
        try {
          await handle.writeFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(temporary, pathOf(id));
      }),

    remove: (id) =>
      inTurn(id, async () => {
        await closeFile(id);
        await rm(pathOf(id), { force: true });
      }),

    async close() {
      for (const id of [...handles.keys()]) await inTurn(id, () => closeFile(id));
    },
  };
}
