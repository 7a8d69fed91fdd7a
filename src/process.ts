/** Checks of the folders at startup, and stop signals. */
import { constants } from 'node:fs';
import { access, readdir, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { makeFolder } from '../packages/shared/src/disk/make-folder.ts';
import { systemErrorCode } from '../packages/shared/src/errors.ts';
import { type Config, ConfigError } from './config.ts';

const reasons = new Map([
  ['ENOENT', 'does not exist'],
  ['EEXIST', 'is a file but must be a folder'],
  ['ENOTDIR', 'is a file, or is below one, but must be a folder'],
  ['EACCES', 'cannot be read and written by this process; check its owner and mode'],
  ['EPERM', 'cannot be read and written by this process; check its owner and mode'],
  ['EROFS', 'is on a read-only disk'],
  ['ENOSPC', 'cannot be created because the disk is full'],
]);

/** @returns why the folder cannot be used */
async function problemOf(path: string, mode: number, isCreated: boolean) {
  try {
    if (isCreated) await makeFolder(path);
    else if (!(await stat(path)).isDirectory()) return reasons.get('EEXIST');
    await readdir(path);
    await access(path, mode);
    return undefined;
  } catch (error) {
    const code = systemErrorCode(error) ?? '';
    const reason = reasons.get(code) ?? `cannot be used (${code})`;
    return isCreated && code === 'ENOENT' ? `${reason} and cannot be created` : reason;
  }
}

/** A folder below KNOWLEDGE_DIR is a namespace, which callers may delete, unless it is hidden. */
function isNamespace(path: string, knowledgeDir: string) {
  const below = relative(knowledgeDir, path);
  return !below.startsWith('.') && !isAbsolute(below);
}

/**
 * Checks the folders and creates missing ones. A command that only reads does not create
 * KNOWLEDGE_DIR, because its name is probably mistyped.
 * @param isWritten whether the process also writes to the folders
 * @throws ConfigError that names the setting
 */
export async function requireFolders(
  { knowledgeDir, stateDir, indexDir }: Pick<Config, 'knowledgeDir'> & Partial<Config>,
  isWritten = true,
): Promise<void> {
  const mode = constants.R_OK | constants.X_OK | (isWritten ? constants.W_OK : 0);
  // Reports a folder only once if two settings name it.
  const folders = Object.entries({
    KNOWLEDGE_DIR: knowledgeDir,
    STATE_DIR: stateDir === indexDir ? undefined : stateDir,
    INDEX_DIR: indexDir,
  });
  const problems = folders.map(async ([setting, path]) => {
    if (path === undefined) return [];
    const isRoot = setting === 'KNOWLEDGE_DIR';
    if (!isRoot && isNamespace(path, knowledgeDir))
      return `${setting}: must not be KNOWLEDGE_DIR or below it; name another folder`;
    const problem = await problemOf(resolve(path), mode, isWritten || !isRoot);
    return problem ? `${setting}: ${resolve(path)} ${problem}` : [];
  });
  const found = (await Promise.all(problems)).flat();
  if (found.length > 0) throw new ConfigError(found);
}

type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

const sameSignalMs = 1_000;
/** Shell convention for an interrupted program: 128 plus the number of SIGINT. */
const interruptedExitCode = 130;

/**
 * Calls `stop` at the first signal; a later one exits. Signals within a second count as one: npm
 * forwards Ctrl-C to its script as well.
 */
export function onStopSignal(
  signals: readonly StopSignal[],
  stop: (signal: StopSignal) => void,
): void {
  let firstAt: number | undefined;
  const receive = (signal: StopSignal) => {
    const now = performance.now();
    if (firstAt !== undefined && now - firstAt > sameSignalMs) process.exit(interruptedExitCode);
    if (firstAt === undefined) stop(signal);
    firstAt ??= now;
  };
  for (const signal of signals) process.on(signal, receive);
}
