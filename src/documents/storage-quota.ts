/** How much may be stored: checked before a document is written, and held until it is indexed, so that writes side by side keep it too. */
import { KnowledgeError } from '../errors.ts';
import { documentIdOf } from './document-file.ts';
import type { Namespace } from './namespace.ts';
import type { Namespaces } from './namespaces.ts';

export interface StorageLimits {
  readonly maxNamespaces: number;
  /** In one namespace. */
  readonly maxDocuments: number;
  /** Of the stored files of one namespace. */
  readonly maxBytes: number;
}

export interface Wanted {
  readonly namespace: string;
  readonly file: string;
  readonly bytes: number;
}

/** Does `work`, which writes and indexes a file, where there is room for it. @throws KnowledgeError `limit_reached` */
export type ReserveStorage = <T>(wanted: Wanted, work: () => Promise<T>) => Promise<T>;

const limitReached = (what: string, setting: string) =>
  new KnowledgeError('limit_reached', `${what} (${setting}): delete what is not needed any more, or have the limit raised.`);

export function createStorageQuota(namespaces: Pick<Namespaces, 'find' | 'countWith'>, limits: StorageLimits): ReserveStorage {
  const writing = new Set<Wanted>();

  /** Of a namespace, were everything written that is being written. */
  function check({ namespace: name, file, bytes }: Wanted, namespace: Namespace | undefined): void {
    const storedBytes = (stored: string) => namespace?.document(documentIdOf(name, stored))?.document.bytes;
    const files = new Map([...writing].filter((one) => one.namespace === name).map((one) => [one.file, one.bytes]));
    const documents = (namespace?.size ?? 0) + [...files.keys()].filter((written) => storedBytes(written) === undefined).length;
    const total = files.entries().reduce((sum, [written, size]) => sum + size - (storedBytes(written) ?? 0), namespace?.bytes ?? 0);
    if (storedBytes(file) === undefined && documents > limits.maxDocuments)
      throw limitReached(`The namespace "${name}" holds ${limits.maxDocuments} documents and takes no more`, 'LIMITS: documents');
    if (bytes > (storedBytes(file) ?? 0) && total > limits.maxBytes)
      throw limitReached(`With this document the namespace "${name}" would hold more than ${limits.maxBytes} bytes`, 'LIMITS: bytes');
  }

  return async (wanted, work) => {
    const namespace = await namespaces.find(wanted.namespace);
    // From here to the work without a wait: nobody else takes the same room.
    writing.add(wanted);
    try {
      if (!namespace && namespaces.countWith([...writing].map((one) => one.namespace)) > limits.maxNamespaces)
        throw limitReached(`The server holds ${limits.maxNamespaces} namespaces and takes no more`, 'LIMITS: namespaces');
      check(wanted, namespace);
      return await work();
    } finally {
      writing.delete(wanted);
    }
  };
}
