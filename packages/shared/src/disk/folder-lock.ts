/**
 * Allows one server per folder, by SQLite's exclusive lock on a file in the folder. The system
 * releases the lock when the process ends, so a lock is never stale: not after a kill, a reboot, or
 * in a container that reuses a process id.
 */
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './damaged-database.ts';

/**
 * Stays empty and is never removed: a process could otherwise lock a file that another has just
 * replaced.
 */
const lockName = 'server.lock';
/** Names the process that holds the lock, for people. */
const holderName = 'server.json';
const checkEveryMs = 2_000;

/** The files of a lock in a folder that people see. */
export const isHiddenLock = (name: string) => name === `.${lockName}` || name === `.${holderName}`;

export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';
}

const inodeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino;

/** @throws if another process holds the lock, or the file system has no locks */
function lockFile(path: string) {
  const database = new DatabaseSync(path);
  try {
    // MEMORY avoids a journal file.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Records the process that holds the lock. Optional: the lock also works if this file cannot be
 * written, for example on a full disk.
 */
function nameHolder(path: string) {
  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString();
  try {
    writeFileSync(path, `${JSON.stringify({ pid: process.pid, host: hostname(), startedAt })}\n`, {
      mode: 0o600,
    });
  } catch {
    rmSync(path, { force: true });
  }
}

function describeHolder(path: string) {
  try {
    const { pid, host, startedAt } = JSON.parse(readFileSync(path, 'utf8'));
    return `process ${pid} on ${host}, started at ${startedAt}`;
  } catch {
    return 'its process is unknown';
  }
}

/** Locks a folder until `release`; creates and locks it again if it is deleted. */
export class FolderLock {
  readonly #folder;
  readonly #options;
  readonly #path;
  readonly #holderPath;
  readonly #timer: NodeJS.Timeout;
  #held: DatabaseSync | undefined;
  #inode: number | undefined;

  /** @param folder absolute path @throws FolderInUseError */
  constructor(
    folder: string,
    options: Readonly<{
      /** Whether people see the folder: its files are hidden, and the folder is not created again. */
      isHidden?: boolean;
      /** Called if the folder cannot be locked, for example on a file system without locks. */
      onWarning: (message: string, error?: unknown) => void;
      /** Called if the folder or its lock file was deleted or replaced. */
      onReplaced: () => void;
    }>,
  ) {
    const prefix = options.isHidden ? '.' : '';
    this.#folder = folder;
    this.#options = options;
    this.#path = join(folder, `${prefix}${lockName}`);
    this.#holderPath = join(folder, `${prefix}${holderName}`);
    this.#take();
    this.#timer = setInterval(() => this.#check(), checkEveryMs).unref();
  }

  release() {
    clearInterval(this.#timer);
    if (!this.#held) return;
    // Removed before the release, because the next process writes this file again.
    rmSync(this.#holderPath, { force: true });
    this.#held.close();
    this.#held = undefined;
  }

  #take() {
    try {
      this.#held = lockFile(this.#path);
    } catch (error) {
      if (isBusy(error)) throw new FolderInUseError(describeHolder(this.#holderPath));
      this.#options.onWarning(
        `${this.#path} cannot be locked. Make sure that no other server uses this folder.`,
        error,
      );
      return;
    }
    this.#inode = inodeOf(this.#path);
    nameHolder(this.#holderPath);
  }

  #check() {
    if (!this.#held || inodeOf(this.#path) === this.#inode) return;
    const { isHidden, onWarning, onReplaced } = this.#options;
    if (isHidden && inodeOf(this.#folder) === undefined) return;
    this.#held.close();
    this.#held = undefined;
    onReplaced();
    try {
      mkdirSync(this.#folder, { recursive: true });
      this.#take();
    } catch (error) {
      onWarning(
        `${this.#folder} cannot be locked again. Make sure that no other server uses it.`,
        error,
      );
    }
  }
}
