/**
 * Storage limits. Reserves space from before a write until the document is indexed, so that
 * concurrent writes respect the limits.
 */
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { documentIdOf } from './document-file.ts';
import type { Namespace } from './namespace.ts';
import type { Namespaces } from './namespaces.ts';

type Wanted = Readonly<{ namespace: string; file: string; bytes: number }>;

const limitReached = (what: string, setting: string) =>
  new KnowledgeError(
    'limit_reached',
    `${what} (${setting}). Delete unneeded documents, or raise the limit and restart the server.`,
  );

export class StorageQuota {
  readonly #namespaces;
  readonly #limits;
  readonly #writing = new Set<Wanted>();

  /** @param limits `maxDocuments` and `maxBytes` (of stored files) are per namespace */
  constructor(
    namespaces: Pick<Namespaces, 'find' | 'countWith'>,
    limits: Readonly<{ maxNamespaces: number; maxDocuments: number; maxBytes: number }>,
  ) {
    this.#namespaces = namespaces;
    this.#limits = limits;
  }

  /**
   * Runs `work`, which writes and indexes a file, if the limits allow it. @throws KnowledgeError
   * `limit_reached`
   */
  async reserve<T>(wanted: Wanted, work: () => Promise<T>): Promise<T> {
    const { maxNamespaces } = this.#limits;
    const namespace = await this.#namespaces.find(wanted.namespace);
    // Synchronous until the work begins, so that no other write reserves the same space.
    this.#writing.add(wanted);
    try {
      const names = [...this.#writing].map((one) => one.namespace);
      if (!namespace && this.#namespaces.countWith(names) > maxNamespaces)
        throw limitReached(
          `The server already has the maximum of ${maxNamespaces} namespaces`,
          'LIMITS: namespaces',
        );
      this.#check(wanted, namespace);
      return await work();
    } finally {
      this.#writing.delete(wanted);
    }
  }

  /** Includes documents that are being written. */
  #check({ namespace: name, file, bytes }: Wanted, namespace: Namespace | undefined) {
    const { maxDocuments, maxBytes } = this.#limits;
    const storedBytes = (stored: string) =>
      namespace?.document(documentIdOf(name, stored))?.document.bytes;
    const own = [...this.#writing].filter((one) => one.namespace === name);
    const files = new Map(own.map((one) => [one.file, one.bytes]));
    let documents = namespace?.size ?? 0;
    let total = namespace?.bytes ?? 0;
    for (const [written, size] of files) {
      const before = storedBytes(written);
      if (before === undefined) documents++;
      total += size - (before ?? 0);
    }
    if (storedBytes(file) === undefined && documents > maxDocuments)
      throw limitReached(
        `The namespace "${name}" already has the maximum of ${maxDocuments} documents`,
        'LIMITS: documents',
      );
    if (bytes > (storedBytes(file) ?? 0) && total > maxBytes)
      throw limitReached(
        `With this document, the namespace "${name}" would exceed ${maxBytes} bytes`,
        'LIMITS: bytes',
      );
  }
}
