/**
 * Conditions that need an operator while the server still answers. `GET /health` and the metric
 * `knowledge_warnings` list them.
 */

/** Code → what the log says when the condition begins: what happened, then what to do. */
const messages = {
  namespace_unreadable:
    'A folder of this namespace cannot be read, so its changes are not seen. Check its owner and mode.',
  watching_degraded:
    'The system does not report changes in KNOWLEDGE_DIR, so the server looks for them itself, and finds them later. On a local disk, raise fs.inotify.max_user_watches.',
  state_lost:
    'A file of STATE_DIR was deleted or replaced while the server was running, so its data is lost. To restore a backup, stop the server first.',
  document_unreadable:
    'A file of this namespace cannot be read, so its passages are left out. Check its owner and mode.',
  storage_full:
    'A disk of the server is full. Questions are answered, changes refused. Free some space.',
  storage_unavailable:
    'A folder of the server cannot be written; changes are refused. Check its disk, owner and mode.',
  removal_unfinished:
    'Files of a deleted namespace are still in KNOWLEDGE_DIR/.removed-…. Check their owner and mode.',
  messages_invalid:
    'A .messages.yaml is not valid or cannot be read, so none of its texts are used. Correct the file.',
  rows_invalid:
    'A stored row is not valid and is left out. The database may be foreign or damaged.',
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
