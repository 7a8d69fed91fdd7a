/**
 * A file of JSON lines that several processes may append to at once, and that any of them may rewrite. Nothing appended is lost to a
 * rewrite: who appends looks afterwards whether the file is still the one at its path, and who rewrites looks afterwards for what was
 * appended meanwhile. A line may come to stand there twice, so lines name what they are about.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createQueue } from '../concurrency/queue.ts';
import { systemErrorCode } from '../errors.ts';
import { replaceFile } from './replace-file.ts';

type Change = (content: Buffer) => Buffer | undefined;

/** Lines that wait for the disk; more is not kept. */
const maxWaitingChars = 32_000_000;
/** A rewrite takes less; the lock of one that was killed is nobody's. */
const staleLockMs = 10_000;
const lockRetryMs = 20;
/** Rewrites that one append can run into. */
const maxAttempts = 20;
const newLine = 0x0a;

const isMissing = (error: unknown) => systemErrorCode(error) === 'ENOENT';

/** Without the half of a line at its end: one that was cut short, or one that is being written, which is then written again. */
const wholeLines = (content: Buffer): Buffer => content.subarray(0, content.lastIndexOf(newLine) + 1);

async function readFrom(handle: FileHandle, start: number): Promise<Buffer> {
  const { size } = await handle.stat();
  if (size <= start) return Buffer.alloc(0);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
  return buffer.subarray(0, bytesRead);
}

export class LineFile {
  readonly #path: string;
  readonly #lockPath: string;
  /** What happens to the file from here happens in order. */
  readonly #inOrder = createQueue();
  #waiting: string[] = [];
  #waitingChars = 0;
  #nextWrite: Promise<number> | undefined;

  /** @param path absolute; its folder is made when the first line is written */
  constructor(path: string) {
    this.#path = path;
    this.#lockPath = join(dirname(path), `.${basename(path)}.lock`);
  }

  /** Resolves with the file's size in bytes when the line is with the system; it survives the end of the process. */
  append(line: string): Promise<number> {
    if (this.#waitingChars + line.length > maxWaitingChars) return Promise.reject(new Error('too much waits to be written'));
    this.#waiting.push(line);
    this.#waitingChars += line.length;
    this.#nextWrite ??= this.#inOrder(() => {
      // After a line that was cut short, this one begins on a line of its own.
      const content = Buffer.from(this.#waiting.map((one) => `\n${one}\n`).join(''));
      this.#waiting = [];
      this.#waitingChars = 0;
      this.#nextWrite = undefined;
      return this.#write(content);
    });
    return this.#nextWrite;
  }

  /** Everything, after what was appended here before; empty where there is no file. */
  read(): Promise<Buffer> {
    return this.#inOrder(() =>
      readFile(this.#path).catch((error: unknown) => {
        if (isMissing(error)) return Buffer.alloc(0);
        throw error;
      }),
    );
  }

  /**
   * Replaces the content in one step. `change` is given whole lines, and gives the new content, or undefined to leave the file alone.
   * @param patience how long to wait for a rewrite of another process, in milliseconds; false is given where that was not enough
   */
  rewrite(change: Change, patience = 0): Promise<boolean> {
    return this.#inOrder(async () => {
      if ((await stat(this.#path).catch(() => undefined)) === undefined) return true;
      if (!(await this.#lock(patience))) return false;
      try {
        await this.#change(change);
        return true;
      } finally {
        await rm(this.#lockPath, { force: true });
      }
    });
  }

  async #makeFolder(): Promise<void> {
    const folder = dirname(this.#path);
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
  }

  /** Again where the file was replaced meanwhile. */
  async #write(content: Buffer): Promise<number> {
    await this.#makeFolder();
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const size = await this.#writeOnce(content);
      if (size !== undefined) return size;
    }
    throw new Error('the file is replaced all the time');
  }

  /** One write, so that lines of two processes do not mix. @returns the file's size; undefined where it is another file by now */
  async #writeOnce(content: Buffer): Promise<number | undefined> {
    const handle = await open(this.#path, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600);
    try {
      const { bytesWritten } = await handle.write(content);
      if (bytesWritten < content.length) throw new Error(`only ${bytesWritten} of ${content.length} bytes could be written`);
      const written = await handle.stat();
      const current = await stat(this.#path).catch(() => undefined);
      return current?.ino === written.ino ? written.size : undefined;
    } finally {
      await handle.close();
    }
  }

  async #lock(patience: number): Promise<boolean> {
    const giveUpAt = performance.now() + patience;
    for (;;) {
      try {
        await (await open(this.#lockPath, 'wx', 0o600)).close();
        return true;
      } catch (error) {
        if (systemErrorCode(error) !== 'EEXIST') throw error;
      }
      const held = await stat(this.#lockPath).catch(() => undefined);
      if (held && Date.now() - held.mtimeMs > staleLockMs) await rm(this.#lockPath, { force: true });
      else if (performance.now() > giveUpAt) return false;
      else await setTimeout(lockRetryMs);
    }
  }

  async #change(change: Change): Promise<void> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW);
      const whole = wholeLines(await readFrom(handle, 0));
      const changed = change(whole);
      if (changed === undefined) return;
      await replaceFile(this.#path, (file) => file.writeFile(changed));
      const late = wholeLines(await readFrom(handle, whole.length));
      if (late.length > 0) await this.#write(late);
    } catch (error) {
      if (!isMissing(error)) throw error;
    } finally {
      await handle?.close();
    }
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

/** A JSON object, whose fields are still to be looked at. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined for a line that is no JSON object. */
export function parseLine(line: Buffer | string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
