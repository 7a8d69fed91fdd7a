/** Access of the mirror to the search index. */
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import type { Namespace } from '../../documents/namespace.ts';
import { auxiliaryFiles } from '../../documents/namespace-name.ts';
import type { Namespaces } from '../../documents/namespaces.ts';
import type { FileVersion } from './document-tables.ts';
import { type FileName, type FolderFile, keyOf } from './reconcile.ts';

export type MirroredNamespaces = Pick<
  Namespaces,
  'find' | 'getOrCreate' | 'drop' | 'names' | 'refreshMessages'
>;

const reread = (namespace: Namespace, file: string): Promise<unknown> =>
  auxiliaryFiles.includes(file) ? namespace.reconcile() : namespace.refresh(file);

export class MirrorIndex {
  /** A function, because namespaces open after the mirror. */
  readonly #namespaces: () => MirroredNamespaces;

  constructor(namespaces: () => MirroredNamespaces) {
    this.#namespaces = namespaces;
  }

  /**
   * @param known key → last version written @returns key → indexed document; for auxiliary files
   * the last version written
   */
  async local(known: ReadonlyMap<string, FolderFile>): Promise<ReadonlyMap<string, FolderFile>> {
    const namespaces = this.#namespaces();
    const local = new Map<string, FolderFile>();
    const slicer = new TimeSlicer();
    for (const [key, one] of known) {
      const isAuxiliary = one.namespace === '' || auxiliaryFiles.includes(one.file);
      local.set(key, isAuxiliary ? one : { ...one, revision: undefined });
      await slicer.pause();
    }
    for (const namespace of await namespaces.names()) {
      for (const { document } of (await namespaces.find(namespace))?.documents() ?? []) {
        const { file, revision } = document;
        const key = keyOf(document);
        local.set(key, { namespace, file, version: known.get(key)?.version, revision });
        await slicer.pause();
      }
    }
    return local;
  }

  /** Indexes a change from the database. */
  async take({ namespace: name, file, revision }: FileVersion): Promise<void> {
    const namespaces = this.#namespaces();
    if (name === '') await namespaces.refreshMessages();
    // `MirrorFolder` removes the file.
    else if (revision === undefined)
      await (await namespaces.find(name))?.erase(file, { remove: async () => undefined });
    else await reread(await namespaces.getOrCreate(name), file);
  }

  /** Indexes a restored file. @param isThere whether the database has the file */
  async putBack({ namespace: name, file }: FileName, isThere: boolean): Promise<void> {
    const namespaces = this.#namespaces();
    if (name === '') return namespaces.refreshMessages();
    const open = isThere ? await namespaces.getOrCreate(name) : await namespaces.find(name);
    if (open) await reread(open, file);
  }

  /** Deletes those namespaces that are empty. @returns their names */
  async dropEmpty(names: readonly string[]): Promise<string[]> {
    const namespaces = this.#namespaces();
    const dropped: string[] = [];
    for (const name of names) {
      if ((await namespaces.find(name))?.size !== 0) continue;
      await namespaces.drop(name);
      dropped.push(name);
    }
    return dropped;
  }
}
