/** What a process asks of its machine: folders that can be used, asked before anything is done with them, and when to stop. */
import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Config, ConfigError } from './config.ts';
import { makeFolder } from './disk/make-folder.ts';
import { systemErrorCode } from './errors.ts';

const reasons = new Map([
  ['ENOENT', 'does not exist'],
  ['EEXIST', 'is a file, where a folder is needed'],
  ['ENOTDIR', 'is a file, or lies below one, where a folder is needed'],
  ['EACCES', 'may not be read and written by this process'],
  ['EPERM', 'may not be read and written by this process'],
  ['EROFS', 'is on a disk that can only be read'],
  ['ENOSPC', 'cannot be made, because the disk is full'],
]);

/** @returns what is wrong with it */
async function problemOf(setting: string, path: string, mode: number, isMade: boolean): Promise<string[]> {
  try {
    if (isMade) await makeFolder(path);
    else if (!(await stat(path)).isDirectory()) return [`${setting}: ${path} ${reasons.get('EEXIST')}`];
    await readdir(path);
    await access(path, mode);
    return [];
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    const reason = reasons.get(code) ?? `cannot be used (${code})`;
    return [`${setting}: ${path} ${reason}${isMade && code === 'ENOENT' ? ' and cannot be made' : ''}`];
  }
}

/**
 * Makes them where they are missing; not that of the documents where they are only read, because its name is then most likely mistyped.
 * @param isWritten whether they are written to, or read alone
 * @throws ConfigError naming the setting
 */
export async function requireFolders({ knowledgeDir, stateDir, indexDir }: Partial<Config>, isWritten = true): Promise<void> {
  const mode = constants.R_OK | constants.X_OK | (isWritten ? constants.W_OK : 0);
  // Of one folder there is one problem: that of the setting that named it.
  const folders = Object.entries({
    KNOWLEDGE_DIR: knowledgeDir,
    STATE_DIR: stateDir === indexDir ? undefined : stateDir,
    INDEX_DIR: indexDir,
  });
  const isMade = (setting: string) => isWritten || setting !== 'KNOWLEDGE_DIR';
  const problems = folders.map(([setting, path]) => (path === undefined ? [] : problemOf(setting, resolve(path), mode, isMade(setting))));
  const found = (await Promise.all(problems)).flat();
  if (found.length > 0) throw new ConfigError(found);
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const oneWishMs = 1_000;
/** As the system says it of a program that was interrupted: 128 and the signal's number. */
const interruptedExitCode = 130;

/**
 * Ctrl-C in a terminal reaches every process that runs in it, and npm sends what it got on to its script: one wish comes twice, some
 * milliseconds apart, so two signals within a second are one. Who asks again later does not want to wait.
 * @param stop called once, with the first signal
 */
export function onStopSignal(signals: readonly StopSignal[], stop: (signal: StopSignal) => void): void {
  let firstAt: number | undefined;
  const receive = (signal: StopSignal) => {
    const now = performance.now();
    if (firstAt !== undefined && now - firstAt > oneWishMs) process.exit(interruptedExitCode);
    if (firstAt === undefined) stop(signal);
    firstAt ??= now;
  };
  for (const signal of signals) process.on(signal, receive);
}
