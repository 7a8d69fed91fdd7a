/**
 * A file of JSON lines that several processes may append to at once, and that any of them may rewrite. Nothing appended is lost to a
 * rewrite: who appends looks afterwards whether the file is still the one at its path, and who rewrites looks afterwards for what was
 * appended meanwhile. A line may come to stand there twice, so lines name what they are about.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { systemErrorCode } from '../../errors.ts';

export interface LineFile {
  /** Resolves with the file's size in bytes when the line is with the system; it survives the end of the process. */
  append(line: string): Promise<number>;
  /** Everything, after what was appended here before; empty where there is no file. */
  read(): Promise<Buffer>;
  /**
   * Replaces the content in one step. `change` is given whole lines, and gives the new content, or undefined to leave the file alone.
   * @param patience how long to wait for a rewrite of another process, in milliseconds; false is given where that was not enough
   */
  rewrite(change: (content: Buffer) => Buffer | undefined, patience?: number): Promise<boolean>;
}

/** Lines that wait for the disk; more is not kept. */
const maxWaitingChars = 32_000_000;
/** A rewrite takes less; the lock of one that was killed is nobody's. */
const staleLockMs = 10_000;
const lockRetryMs = 20;
/** Rewrites that one append can run into. */
const maxAttempts = 20;
const newLine = 0x0a;

/** Without the half of a line at its end: one that was cut short, or one that is being written, which is then written again. */
const wholeLines = (content: Buffer): Buffer => content.subarray(0, content.lastIndexOf(newLine) + 1);

/** @param path absolute; its folder is made when the first line is written */
export function createLineFile(path: string): LineFile {
  const folder = dirname(path);
  const lockPath = join(folder, `.${basename(path)}.lock`);
  let queue: Promise<unknown> = Promise.resolve();
  let waiting: string[] = [];
  let waitingChars = 0;
  let nextWrite: Promise<number> | undefined;

  /** What happens to the file from here happens in order. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  }

  async function makeFolder(): Promise<void> {
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }

  /** One write each, so that lines of two processes do not mix. */
  async function write(content: Buffer): Promise<number> {
    await makeFolder();
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const flags = constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW;
      const handle = await open(path, flags, 0o600);
      try {
        const { bytesWritten } = await handle.write(content);
        if (bytesWritten < content.length) throw new Error(`only ${bytesWritten} of ${content.length} bytes could be written`);
        const written = await handle.stat();
        const current = await stat(path).catch(() => undefined);
        if (current?.ino === written.ino) return written.size;
      } finally {
        await handle.close();
      }
    }
    throw new Error('the file is replaced all the time');
  }

  async function lock(patience: number): Promise<boolean> {
    const giveUpAt = performance.now() + patience;
    for (;;) {
      try {
        await (await open(lockPath, 'wx', 0o600)).close();
        return true;
      } catch (error) {
        if (systemErrorCode(error) !== 'EEXIST') throw error;
      }
      const held = await stat(lockPath).catch(() => undefined);
      if (held && Date.now() - held.mtimeMs > staleLockMs) await rm(lockPath, { force: true });
      else if (performance.now() > giveUpAt) return false;
      else await setTimeout(lockRetryMs);
    }
  }

  async function replace(content: Buffer): Promise<void> {
    const temporary = join(folder, `.${randomUUID()}.tmp`);
    try {
      const handle = await open(temporary, 'wx', 0o600);
      try {
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async function readFrom(handle: FileHandle, start: number): Promise<Buffer> {
    const { size } = await handle.stat();
    if (size <= start) return Buffer.alloc(0);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.subarray(0, bytesRead);
  }

  async function change(by: (content: Buffer) => Buffer | undefined): Promise<void> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
      const whole = wholeLines(await readFrom(handle, 0));
      const changed = by(whole);
      if (changed === undefined) return;
      await replace(changed);
      const late = wholeLines(await readFrom(handle, whole.length));
      if (late.length > 0) await write(late);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    } finally {
      await handle?.close();
    }
  }

  return {
    append(line) {
      if (waitingChars + line.length > maxWaitingChars) return Promise.reject(new Error('too much waits to be written'));
      waiting.push(line);
      waitingChars += line.length;
      nextWrite ??= inTurn(() => {
        // After a line that was cut short, this one begins on a line of its own.
        const content = Buffer.from(waiting.map((one) => `\n${one}\n`).join(''));
        waiting = [];
        waitingChars = 0;
        nextWrite = undefined;
        return write(content);
      });
      return nextWrite;
    },

    read: () =>
      inTurn(() =>
        readFile(path).catch((error: unknown) => {
          if (systemErrorCode(error) === 'ENOENT') return Buffer.alloc(0);
          throw error;
        }),
      ),

    rewrite: (by, patience = 0) =>
      inTurn(async () => {
        if ((await stat(path).catch(() => undefined)) === undefined) return true;
        if (!(await lock(patience))) return false;
        try {
          await change(by);
          return true;
        } finally {
          await rm(lockPath, { force: true });
        }
      }),
  };
}

const temporaryName = /^\.[0-9a-f-]{36}\.tmp$/;

/** Removes what a killed rewrite left, unless another process may be at it. */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!temporaryName.test(name)) continue;
    const left = await stat(join(folder, name)).catch(() => undefined);
    if (left && Date.now() - left.mtimeMs > staleLockMs) await rm(join(folder, name), { force: true });
  }
}

/** The lines of a content, oldest first. */
export function linesOf(content: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < content.length; ) {
    const found = content.indexOf(newLine, start);
    const end = found < 0 ? content.length : found;
    if (end > start) lines.push(content.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** Undefined for a line that is none. */
export function parseLine(line: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
