/**
 * Starts the parts for the server and for programs that embed it: checks and locks folders, and
 * logs problems of the settings.
 */
import { resolve } from 'node:path';
import {
  FolderInUseError,
  type FolderLock,
  type FolderLockOptions,
  lockFolder,
} from '../../packages/shared/src/disk/folder-lock.ts';
import { compose, type Parts, type Replacements } from '../compose.ts';
import type { Config } from '../config.ts';
import { requireFolders } from '../process.ts';

function lock(
  setting: string,
  path: string,
  options: Omit<FolderLockOptions, 'onWarning'>,
  { logger }: Parts,
): FolderLock {
  try {
    return lockFolder(path, {
      ...options,
      onWarning: (message, err) => logger.warn({ err }, message),
    });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new FolderInUseError(
      `${setting}: another server uses ${path} (${error.message}). Stop it, or set KNOWLEDGE_DIR and STATE_DIR to other folders.`,
    );
  }
}

/**
 * Two servers with one STATE_DIR would run jobs twice; with one KNOWLEDGE_DIR, deletes would leave
 * quotes in the state of the other. @throws FolderInUseError
 */
function lockFolders(config: Config, parts: Parts): FolderLock {
  const [stateDir, knowledgeDir] = [resolve(config.stateDir), resolve(config.knowledgeDir)];
  const onReplaced = () => parts.onStateLost(stateDir);
  const state = lock('STATE_DIR', stateDir, { onReplaced }, parts);
  try {
    const options = { isHidden: true, onReplaced: () => undefined };
    const knowledge = lock('KNOWLEDGE_DIR', knowledgeDir, options, parts);
    return {
      release() {
        knowledge.release();
        state.release();
      },
    };
  } catch (error) {
    state.release();
    throw error;
  }
}

/**
 * Creates the parts; the caller opens them. `close` also releases the folders.
 * @throws ConfigError if a folder cannot be used; FolderInUseError if another server uses STATE_DIR
 * or KNOWLEDGE_DIR
 */
export async function startParts(config: Config, replacements: Replacements = {}): Promise<Parts> {
  await requireFolders(config);
  const parts = compose(config, replacements);
  const locks = lockFolders(config, parts);
  const { logger } = parts;
  parts.api.metrics.watchProcess();
  for (const problem of [...config.misspeltSettings, ...config.weakSettings]) logger.warn(problem);
  if (config.ignoredSettings.length > 0)
    logger.warn(
      { settings: config.ignoredSettings },
      'these settings have no effect with the other settings',
    );
  return {
    ...parts,
    async close() {
      await parts.close();
      locks.release();
    },
  };
}
