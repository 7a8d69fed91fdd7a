/**
 * Tries to write to folders, so that a full or read-only disk is a lasting warning. Runs each
 * minute, and when a write has failed.
 */
import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RepeatedRun } from '../concurrency/repeated-run.ts';
import { storageError } from '../errors.ts';

export const writeCheckName = '.write-check';
const everyMs = 60_000;
/** Most failed writes are larger than a block. */
const triedBytes = 65_536;
const codes = ['storage_full', 'storage_unavailable'] as const;
type Code = (typeof codes)[number];

interface Warnings {
  begin(code: Code, namespace?: string, cause?: unknown): void;
  end(code: Code): void;
}

/** Other failures, such as a deleted folder, are reported elsewhere. */
async function problemOf(folder: string): Promise<readonly [Code, unknown] | undefined> {
  const path = join(folder, writeCheckName);
  try {
    await rm(path, { force: true }).catch(() => undefined);
    // Random: some file systems allocate no space for zeros. `wx` does not follow links.
    await writeFile(path, randomBytes(triedBytes), { flag: 'wx', mode: 0o600 });
    return undefined;
  } catch (error) {
    const code = codes.find((one) => one === storageError(error)?.code);
    return code && [code, error];
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

export class DiskCheck {
  readonly #folders;
  readonly #warnings;
  readonly #runs = new RepeatedRun(() => this.#check());
  #timer: NodeJS.Timeout | undefined;

  constructor(folders: readonly string[], warnings: Warnings) {
    this.#folders = new Set(folders);
    this.#warnings = warnings;
  }

  start() {
    this.#timer = setInterval(() => this.#runs.request(), everyMs).unref();
  }

  stop() {
    clearInterval(this.#timer);
  }

  /** Checks at once if a failure with this code may be the disk's. */
  failed(code: string | undefined) {
    if (this.#timer && codes.some((one) => one === code)) this.#runs.request();
  }

  async #check() {
    const found = new Map<Code, unknown>();
    for (const folder of this.#folders) {
      const [code, error] = (await problemOf(folder)) ?? [];
      if (code !== undefined) found.set(code, error);
    }
    for (const code of codes) {
      if (found.has(code)) this.#warnings.begin(code, '', found.get(code));
      else this.#warnings.end(code);
    }
  }
}
