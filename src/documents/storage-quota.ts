/**
 * Storage limits. Reserves space from before a write until the document is indexed, so that
 * concurrent writes respect the limits.
 */
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { documentIdOf } from './document-file.ts';
import type { Namespace } from './namespace.ts';
import type { Namespaces } from './namespaces.ts';

export interface StorageLimits {
  readonly maxNamespaces: number;
  /** Per namespace. */
  readonly maxDocuments: number;
  /** Stored files per namespace. */
  readonly maxBytes: number;
}

export interface Wanted {
  readonly namespace: string;
  readonly file: string;
  readonly bytes: number;
}

/**
 * Runs `work`, which writes and indexes a file, if the limits allow it. @throws KnowledgeError
 * `limit_reached`
 */
export type ReserveStorage = <T>(wanted: Wanted, work: () => Promise<T>) => Promise<T>;

const limitReached = (what: string, setting: string) =>
  new KnowledgeError(
    'limit_reached',
    `${what} (${setting}). Delete unneeded documents, or raise the limit and restart the server.`,
  );

export function createStorageQuota(
  namespaces: Pick<Namespaces, 'find' | 'countWith'>,
  limits: StorageLimits,
): ReserveStorage {
  const writing = new Set<Wanted>();

  /** Includes documents that are being written. */
  function check({ namespace: name, file, bytes }: Wanted, namespace: Namespace | undefined): void {
    const storedBytes = (stored: string) =>
      namespace?.document(documentIdOf(name, stored))?.document.bytes;
    const files = new Map(
      [...writing].filter((one) => one.namespace === name).map((one) => [one.file, one.bytes]),
    );
    const documents =
      (namespace?.size ?? 0) +
      [...files.keys()].filter((written) => storedBytes(written) === undefined).length;
    const total = files
      .entries()
      .reduce(
        (sum, [written, size]) => sum + size - (storedBytes(written) ?? 0),
        namespace?.bytes ?? 0,
      );
    if (storedBytes(file) === undefined && documents > limits.maxDocuments)
      throw limitReached(
        `The namespace "${name}" already has the maximum of ${limits.maxDocuments} documents`,
        'LIMITS: documents',
      );
    if (bytes > (storedBytes(file) ?? 0) && total > limits.maxBytes)
      throw limitReached(
        `With this document, the namespace "${name}" would exceed ${limits.maxBytes} bytes`,
        'LIMITS: bytes',
      );
  }

  return async (wanted, work) => {
    const namespace = await namespaces.find(wanted.namespace);
    // Synchronous until the work begins, so that no other write reserves the same space.
    writing.add(wanted);
    try {
      if (
        !namespace &&
        namespaces.countWith([...writing].map((one) => one.namespace)) > limits.maxNamespaces
      )
        throw limitReached(
          `The server already has the maximum of ${limits.maxNamespaces} namespaces`,
          'LIMITS: namespaces',
        );
      check(wanted, namespace);
      return await work();
    } finally {
      writing.delete(wanted);
    }
  };
}
