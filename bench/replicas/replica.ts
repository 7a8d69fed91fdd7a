/** One server process with its own folders and a fixed port. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { retry } from '../../packages/shared/src/concurrency/retry.ts';
import { systemErrorCode } from '../../packages/shared/src/errors.ts';
import { freePort } from '../../test/support/postgres.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const afterCrashMs = 1_000;
/** Characters of the log shown after a crash. */
const loggedChars = 2_000;

export interface ReplicaOptions {
  readonly number: number;
  readonly databaseUrl: string;
  readonly folder: string;
}

export class Replica {
  readonly #options: ReplicaOptions;
  #child: ChildProcess | undefined;
  #starting: Promise<void> | undefined;
  #port = 0;
  /** Whether a balancer would route requests to it. */
  isUp = false;
  /** Time of the last start or stop, in milliseconds of `performance.now()`. */
  changedAt = 0;
  readyMs: number[] = [];

  constructor(options: ReplicaOptions) {
    this.#options = options;
  }

  get number(): number {
    return this.#options.number;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get knowledgeDir(): string {
    return join(this.#options.folder, 'knowledge');
  }

  /** @throws Error with the end of its log if it exits before it is ready */
  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const { folder, databaseUrl } = this.#options;
    await mkdir(this.knowledgeDir, { recursive: true });
    this.#port ||= await freePort();
    const started = performance.now();
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        PORT: String(this.#port),
        DATABASE_URL: databaseUrl,
        KNOWLEDGE_DIR: this.knowledgeDir,
        INDEX_DIR: join(folder, 'index'),
        RATE_LIMIT_PER_MINUTE: '0',
        LIMITS: 'documents=1000000',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const path = join(folder, 'log');
    const log = createWriteStream(path, { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    while (!(await this.#isReady())) {
      if (child.exitCode !== null)
        throw new Error(
          `server ${this.number} exited with ${child.exitCode}: ${(await readFile(path, 'utf8')).slice(-loggedChars)}`,
        );
      await sleep(20);
    }
    this.readyMs.push(Math.round(performance.now() - started));
    this.isUp = true;
  }

  /** Kills it as a machine failure would, and starts it again a moment later. */
  async crash(): Promise<void> {
    if (!this.isUp) return;
    this.#goes();
    await this.#end('SIGKILL');
    await sleep(afterCrashMs);
    await this.start();
  }

  /** Restarts it as an upgrade does: out of the balancer, stopped, started. */
  async restart(): Promise<void> {
    // A rolling restart waits until a crashed server is back.
    await this.#starting;
    this.#goes();
    await this.#end('SIGTERM');
    await this.start();
  }

  async stop(): Promise<void> {
    this.#goes();
    await this.#end('SIGTERM');
  }

  #goes(): void {
    this.isUp = false;
    this.changedAt = performance.now();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await fetch(`${this.url}/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
    } catch {
      return false;
    }
  }
}

/**
 * Files of the namespaces of a knowledge folder, with their contents. Excludes half-written files
 * of killed servers. If a file is deleted while the folder is read, the folder is read again.
 */
export const foldersOf = (knowledgeDir: string): Promise<ReadonlyMap<string, string>> =>
  retry(() => readFolders(knowledgeDir), {
    firstPauseMs: 100,
    totalMs: 10_000,
    isRetryable: (error) => systemErrorCode(error) === 'ENOENT',
  });

async function readFolders(knowledgeDir: string): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(knowledgeDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(knowledgeDir.length + 1);
    const isHidden = path.startsWith('.') || entry.name.endsWith('.tmp');
    if (entry.isFile() && !isHidden)
      files.set(path, await readFile(join(knowledgeDir, path), 'utf8'));
  }
  return files;
}
