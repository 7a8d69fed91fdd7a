import { join } from 'node:path';
import { createAnswerRows } from '../../src/state/answers.ts';
import { SqliteStore } from '../../src/state/sqlite-store.ts';

/** The store of a server whose `STATE_DIR` is `folder`. */
export const storeIn = (folder: string, onWarning: (message: string, error?: unknown) => void = () => undefined) =>
  new SqliteStore({ path: join(folder, 'state.db'), onWarning });

export const answersIn = (folder: string) => createAnswerRows(storeIn(folder));
