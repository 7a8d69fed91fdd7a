/** A file of JSON lines that several processes may append to at once. */
import { constants } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createQueue } from '../concurrency/queue.ts';
import { systemErrorCode } from '../errors.ts';

/** Lines that wait for the disk; more is not kept. */
const maxWaitingChars = 32_000_000;
const newLine = 0x0a;

export class LineFile {
  readonly #path: string;
  /** What happens to the file from here happens in order. */
  readonly #inOrder = createQueue();
  #waiting: string[] = [];
  #waitingChars = 0;
  #nextWrite: Promise<void> | undefined;

  /** @param path absolute; its folder is made when the first line is written */
  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves when the line is with the system; it survives the end of the process. */
  append(line: string): Promise<void> {
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
        if (systemErrorCode(error) === 'ENOENT') return Buffer.alloc(0);
        throw error;
      }),
    );
  }

  /** One write, so that lines of two processes do not mix. */
  async #write(content: Buffer): Promise<void> {
    const folder = dirname(this.#path);
    await mkdir(dirname(folder), { recursive: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const handle = await open(this.#path, constants.O_APPEND | constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600);
    try {
      const { bytesWritten } = await handle.write(content);
      if (bytesWritten < content.length) throw new Error(`only ${bytesWritten} of ${content.length} bytes could be written`);
    } finally {
      await handle.close();
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

/** Undefined for a line that is no JSON object. */
export function parseLine(line: Buffer | string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
