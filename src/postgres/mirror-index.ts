/** What is answered from, as a mirror reads and changes it. */
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import type { Namespace } from '../documents/namespace.ts';
import { besideDocuments } from '../documents/namespace-name.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import type { FileVersion } from './documents.ts';
import { type FileName, type FolderFile, keyOf } from './reconcile.ts';

export type MirroredNamespaces = Pick<Namespaces, 'find' | 'getOrCreate' | 'drop' | 'names' | 'refreshMessages'>;

const reread = (namespace: Namespace, file: string): Promise<unknown> =>
  besideDocuments.includes(file) ? namespace.reconcile() : namespace.refresh(file);

export class MirrorIndex {
  /** Opened after the mirror, so asked for at each use. */
  readonly #namespaces: () => MirroredNamespaces;

  constructor(namespaces: () => MirroredNamespaces) {
    this.#namespaces = namespaces;
  }

  /**
   * @param known by key, what was last put into the folder
   * @returns by key, the documents that are answered from, and of files beside documents what was put into the folder
   */
  async local(known: ReadonlyMap<string, FolderFile>): Promise<ReadonlyMap<string, FolderFile>> {
    const namespaces = this.#namespaces();
    const local = new Map<string, FolderFile>();
    const pause = createTimeSlicer();
    for (const [key, one] of known) {
      const isBeside = one.namespace === '' || besideDocuments.includes(one.file);
      local.set(key, isBeside ? one : { ...one, revision: undefined });
      await pause();
    }
    for (const namespace of await namespaces.names()) {
      for (const { document } of (await namespaces.find(namespace))?.documents() ?? []) {
        const { file, revision } = document;
        const key = keyOf(document);
        local.set(key, { namespace, file, version: known.get(key)?.version, revision });
        await pause();
      }
    }
    return local;
  }

  /** After a change that came from the database. */
  async take({ namespace: name, file, revision }: FileVersion): Promise<void> {
    const namespaces = this.#namespaces();
    if (name === '') await namespaces.refreshMessages();
    // Its file is removed already, or as soon as the folder lets it go.
    else if (revision === undefined) await (await namespaces.find(name))?.erase(file, { remove: async () => undefined });
    else await reread(await namespaces.getOrCreate(name), file);
  }

  /** After a file was put back. @param isThere whether the database has it */
  async putBack({ namespace: name, file }: FileName, isThere: boolean): Promise<void> {
    const namespaces = this.#namespaces();
    if (name === '') return namespaces.refreshMessages();
    const open = isThere ? await namespaces.getOrCreate(name) : await namespaces.find(name);
    if (open) await reread(open, file);
  }

  /** @returns those that were here, and of which nothing was left */
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
