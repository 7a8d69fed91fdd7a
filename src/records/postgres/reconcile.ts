/** Compares the files of the database with those of the knowledge folder. Pure: no side effects. */
import type { FileName, FileVersion } from './document-tables.ts';

export interface FolderFile extends FileName {
  /** Last version written here; undefined if unknown, as after a start. */
  readonly version?: number | undefined;
  /** Revision of the local content; undefined if the file is missing. */
  readonly revision: string | undefined;
}

type Action =
  /** The content is up to date; record its version. */
  | { readonly kind: 'know'; readonly file: FileVersion }
  /** The database has another version: fetch its content or remove the file. */
  | { readonly kind: 'fetch'; readonly file: FileVersion }
  /** The local file of the recorded version was edited. */
  | { readonly kind: 'correct'; readonly file: FileName }
  /**
   * The database does not have this file: it was deleted long ago, was lost in a restore, or was
   * never recorded.
   */
  | { readonly kind: 'surplus'; readonly file: FolderFile };

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

export function* inBatches(files: readonly FileVersion[]): Generator<FileVersion[]> {
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
