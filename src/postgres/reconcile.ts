/** Compares what the database has recorded with what the knowledge folder holds. Pure: it reads and changes nothing. */
import type { FileVersion } from './documents.ts';

export type FileName = Pick<FileVersion, 'namespace' | 'file'>;

export interface FolderFile extends FileName {
  /** The version that was last put here; undefined: not known, as after a start. */
  readonly version?: number | undefined;
  /** Of the content that is here; undefined: no file. */
  readonly revision: string | undefined;
}

export type Action =
  /** The content is here already: only its version is news. */
  | { readonly kind: 'know'; readonly file: FileVersion }
  /** Another version is recorded: its content has to be fetched, or its file removed. */
  | { readonly kind: 'fetch'; readonly file: FileVersion }
  /** The recorded version was put here, and something else is here now. */
  | { readonly kind: 'correct'; readonly file: FileName }
  /** The database has no such file: it was deleted long ago, not there before a restore, or never recorded. */
  | { readonly kind: 'surplus'; readonly file: FolderFile };

export const keyOf = ({ namespace, file }: FileName) => (namespace === '' ? file : `${namespace}/${file}`);

/** One action at a time, so that the caller can pause between them. @param local by {@link keyOf} */
export function* reconcile(recorded: readonly FileVersion[], local: ReadonlyMap<string, FolderFile>): Generator<Action> {
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

/** Of contents that are fetched at a time. */
const maxBatchFiles = 200;
const maxBatchBytes = 8_000_000;

export function* inBatches(files: readonly FileVersion[]): Generator<FileVersion[]> {
  let batch: FileVersion[] = [];
  let bytes = 0;
  for (const one of files) {
    if (batch.length >= maxBatchFiles || (batch.length > 0 && bytes + one.bytes > maxBatchBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(one);
    bytes += one.bytes;
  }
  if (batch.length > 0) yield batch;
}
