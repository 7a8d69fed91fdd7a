/**
 * Conditions that need an operator while the server still answers. `GET /health` and the metric
 * `knowledge_warnings` list them.
 */

/** Code → what the log says when the condition begins: what happened, then what to do. */
const messages = {
  namespace_unreadable:
    'A folder of this namespace cannot be read. Its indexed documents stay searchable; changes are not seen. Check the owner and mode of the folder.',
  watching_degraded:
    'The system does not report changes in KNOWLEDGE_DIR: it has too few inotify watches, or this is a network file system. The server looks for changes itself, for at most a tenth of the time. Raise fs.inotify.max_user_watches if this is a local disk.',
  state_lost:
    'A file of STATE_DIR was deleted or replaced while the server was running. Its data is lost; new data goes into a new file. To restore a backup, stop the server first.',
  document_unreadable:
    'A file of this namespace cannot be read. Its passages are left out of searches and answers. Check the owner and mode of the file.',
  storage_full:
    'A disk of the server is full. Questions are answered, changes refused. Free some space.',
  storage_unavailable:
    'A folder of the server cannot be written; changes are refused. Check its disk, owner and mode.',
  removal_unfinished:
    'Files of a deleted namespace are still in KNOWLEDGE_DIR/.removed-…. Check their owner and mode.',
  messages_invalid:
    'A .messages.yaml is not valid or cannot be read. None of its texts are used. Correct the file.',
  rows_invalid:
    'A stored row is not valid and is left out. The server may have been given a foreign or damaged database.',
} as const;

type WarningCode = keyof typeof messages;

/** The part of a logger that is needed here. */
interface Log {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

export class Warnings {
  readonly #log: Log;
  readonly #lasting = new Map<WarningCode, Set<string>>();

  constructor(log: Log) {
    this.#log = log;
  }

  /**
   * Does nothing if the condition already lasts. @param namespace omitted: the condition affects
   * the whole server
   */
  begin(code: WarningCode, namespace = '', cause?: unknown): void {
    const affected = this.#lasting.get(code) ?? new Set();
    if (affected.has(namespace)) return;
    this.#lasting.set(code, affected.add(namespace));
    this.#log.warn({ ...detailsOf(code, namespace), err: cause }, messages[code]);
  }

  /** Does nothing if the condition does not last. */
  end(code: WarningCode, namespace = ''): void {
    const affected = this.#lasting.get(code);
    if (!affected?.delete(namespace)) return;
    if (affected.size === 0) this.#lasting.delete(code);
    this.#log.info(detailsOf(code, namespace), 'This condition has ended.');
  }

  /**
   * `count`: affected namespaces; 1 if the condition affects the whole server. `namespaces`: in
   * alphabetical order; empty if it affects the whole server.
   */
  list() {
    return [...this.#lasting].map(([code, affected]) => ({
      code,
      count: affected.size,
      namespaces: [...affected].filter((name) => name !== '').sort(),
    }));
  }
}

const detailsOf = (warning: WarningCode, namespace: string) =>
  namespace === '' ? { warning } : { warning, namespace };
