/**
 * Jobs on disk: one file of JSON lines each, `INDEX_DIR/jobs/<id>.jsonl`. The first line says what was asked, every further one what was
 * done, appended as it happens; a line that a kill cut short, and a file that is none, are not read. Everything here may be deleted
 * at any time.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

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
}

const jobFile = /^([0-9a-f-]{36})\.jsonl$/;
const temporaryName = /^\.[0-9a-f-]{36}\.tmp$/;
/** An id comes from a caller and becomes a file's name. */
const isJobId = (id: string) => jobFile.test(`${id}.jsonl`);

export function createJobJournal(folder: string): JobJournal {
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

  return {
    async list() {
      const names = await readdir(folder).catch(() => []);
      for (const name of names) if (temporaryName.test(name)) await rm(join(folder, name), { force: true });
      return names.flatMap((name) => jobFile.exec(name)?.[1] ?? []);
    },

    async read(id) {
      if (!isJobId(id)) return [];
      const content = await readFile(pathOf(id), 'utf8').catch(() => '');
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
        await mkdir(folder, { recursive: true });
        // After a line that was cut short, this one begins on a line of its own.
        await appendFile(pathOf(id), `\n${JSON.stringify(line)}\n`, { mode: 0o600 });
      }),

    replace: (id, lines) =>
      inTurn(id, async () => {
        await mkdir(folder, { recursive: true });
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

    remove: (id) => inTurn(id, () => rm(pathOf(id), { force: true, recursive: true })),
  };
}
