/**
 * Ids from earlier responses, so that later requests use existing documents, runs, jobs, threads,
 * messages and calls.
 */
import type { Random } from '../retrieval/random.ts';

export type Remembered =
  | 'document'
  | 'runId'
  | 'job'
  | 'thread'
  | 'message'
  | 'schedule'
  | 'session'
  | 'citation';

export interface DocumentPlace {
  readonly namespace: string;
  readonly id: string;
}

/** Ids kept per kind. The oldest are dropped; deleted ones stay and are requested again. */
const kept = 40;
const maxDepth = 8;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export interface Memory {
  /** Remembers the ids in a response. */
  learn(value: unknown): void;
  /** Draws one, newer ones more often; undefined if the list is empty. */
  recall(kind: Remembered, random: Random): unknown;
}

export function createMemory(): Memory {
  const known = new Map<Remembered, unknown[]>();
  const remember = (kind: Remembered, value: unknown) => {
    const list = known.get(kind) ?? [];
    if (list.includes(value)) return;
    known.set(kind, [...list, value].slice(-kept));
  };

  const rememberDocument = (namespace: string, id: string) => {
    const list = (known.get('document') ?? []) as DocumentPlace[];
    if (list.some((one) => one.id === id && one.namespace === namespace)) return;
    known.set('document', [...list, { namespace, id }].slice(-kept));
  };

  /** Recognises a record by its fields. @param namespace nearest namespace in the parents */
  function readRecord(value: Record<string, unknown>, namespace: string): void {
    const { id, runId, documentId, quote, sessionId, refreshEvery, stages, role, resourceId } =
      value;
    if (typeof runId === 'string') remember('runId', runId);
    if (typeof documentId === 'string') rememberDocument(namespace, documentId);
    if (typeof quote === 'string' && typeof documentId === 'string') remember('citation', value);
    if (typeof sessionId === 'string') remember('session', sessionId);
    if (typeof id !== 'string') return;
    if ('revision' in value || 'chunks' in value) rememberDocument(namespace, id);
    if (refreshEvery !== undefined) remember('schedule', id);
    if (stages !== undefined) remember('job', id);
    if (typeof role === 'string') remember('message', id);
    else if (typeof resourceId === 'string') remember('thread', id);
  }

  function learn(value: unknown, depth = 0, above = 'default'): void {
    if (depth > maxDepth || !isRecord(value)) return;
    const namespace = typeof value['namespace'] === 'string' ? value['namespace'] : above;
    if (!Array.isArray(value)) readRecord(value, namespace);
    for (const part of Object.values(value).slice(0, 50)) learn(part, depth + 1, namespace);
  }

  return {
    learn: (value) => learn(value),
    recall(kind, random) {
      const list = known.get(kind) ?? [];
      return list[list.length - 1 - Math.floor(random.next() ** 2 * list.length)];
    },
  };
}
