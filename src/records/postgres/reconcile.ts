/** Compares the files of the database with those of the knowledge folder. Pure: no side effects. */
import type { FileName, FileVersion } from './document-tables.ts';

export type FolderFile = FileName &
  Readonly<{
    /** Last version written here; undefined if unknown, as after a start. */
    version?: number | undefined;
    /** Revision of the local content; undefined if the file is missing. */
    revision: string | undefined;
  }>;

/**
 * - `know`: the content is up to date; record its version
 * - `fetch`: the database has another version: fetch its content or remove the file
 * - `correct`: the local file of the recorded version was edited
 * - `surplus`: the database does not have this file: it was deleted long ago, was lost in a restore,
 *   or was never recorded
 */
type Action = Readonly<
  | { kind: 'know' | 'fetch'; file: FileVersion }
  | { kind: 'correct'; file: FileName }
  | { kind: 'surplus'; file: FolderFile }
>;

export const keyOf = ({ namespace, file }: FileName) =>
  namespace === '' ? file : `${namespace}/${file}`;

/** Lazy, so that the caller can pause between actions. @param local files by {@link keyOf} */
export function* reconcile(
  recorded: readonly FileVersion[],
  local: ReadonlyMap<string, FolderFile>,
): Generator<Action> {
  const recordedKeys = new Set<string>();
  for (const file of recorded) {
    const key = keyOf(file);
    recordedKeys.add(key);
    const here = local.get(key);
    if (here?.version === file.version) {
      if (here.revision !== file.revision) yield { kind: 'correct', file };
    } else yield { kind: here?.revision === file.revision ? 'know' : 'fetch', file };
  }
  for (const [key, file] of local) if (!recordedKeys.has(key)) yield { kind: 'surplus', file };
}

const maxBatchFiles = 200;
const maxBatchBytes = 8_000_000;

export function* inBatches(files: readonly FileVersion[]) {
  let batch: FileVersion[] = [];
  let bytes = 0;
  for (const one of files) {
    if (batch.length >= maxBatchFiles || (batch.length > 0 && bytes + one.bytes > maxBatchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(one);
    bytes += one.bytes;
  }
  if (batch.length > 0) yield batch;
}
