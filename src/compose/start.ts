/**
 * Starts the parts for the server and for programs that embed it: checks folders, locks STATE_DIR
 * and logs problems of the settings.
 */
import { resolve } from 'node:path';
import { compose, type Parts, type Replacements } from '../compose.ts';
import type { Config } from '../config.ts';
import { FolderInUseError, type FolderLock, lockFolder } from '../disk/folder-lock.ts';
import { requireFolders } from '../process.ts';

/** Two servers with one STATE_DIR would run jobs twice. @throws FolderInUseError */
function lockState({ stateDir }: Config, { logger, onStateLost }: Parts): FolderLock {
  const path = resolve(stateDir);
  try {
    return lockFolder(path, {
      onWarning: (message, err) => logger.warn({ err }, message),
      onReplaced: () => onStateLost(path),
    });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    throw new FolderInUseError(
      `STATE_DIR: another server uses ${path} (${error.message}). Stop it, or set KNOWLEDGE_DIR and STATE_DIR to other folders.`,
    );
  }
}

/**
 * Creates the parts; the caller opens them. `close` also releases STATE_DIR.
 * @throws ConfigError if a folder cannot be used; FolderInUseError if another server uses STATE_DIR
 */
export async function startParts(config: Config, replacements: Replacements = {}): Promise<Parts> {
  await requireFolders(config);
  const parts = compose(config, replacements);
  const lock = lockState(config, parts);
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
      lock.release();
    },
  };
}
