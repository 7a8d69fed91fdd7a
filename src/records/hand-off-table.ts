/**
 * Questions for a person that HANDOFF_WEBHOOK_URL has not accepted yet. `due_at` is the next
 * attempt, or the end of a server's claim.
 */
import type { ClosestDocument } from './gaps.ts';
import { type SqlDialect, type Store, toStorable } from './store.ts';

export const handOffTables = ({ keyText, time }: SqlDialect): string => `
  CREATE TABLE hand_offs (
    run_id ${keyText} PRIMARY KEY, namespace ${keyText} NOT NULL, caller ${keyText} NOT NULL,
    body text NOT NULL, created_at text NOT NULL,
    attempts integer NOT NULL DEFAULT 0, due_at ${time} NOT NULL);
  CREATE INDEX hand_offs_due ON hand_offs (due_at);`;

/**
 * Beyond these, new ones are refused while the receiver is away: no caller fills the disk, or takes
 * the places of others.
 */
const maxRows = 10_000;
const maxOfNamespace = 2_000;
const maxOfCaller = 100;

const statementsFor = ({ now, nowPlus, forUpdate, forUpdateSkipLocked }: SqlDialect) => ({
  keep: `
    INSERT INTO hand_offs (run_id, namespace, caller, body, created_at, due_at)
    SELECT CAST($1 AS text), CAST($2 AS text), CAST($3 AS text), CAST($4 AS text), CAST($5 AS text),
      ${nowPlus('$6')}
    WHERE EXISTS (SELECT 1 FROM hand_offs WHERE run_id = $1) OR (
      (SELECT count(*) FROM hand_offs) < ${maxRows}
      AND (SELECT count(*) FROM hand_offs WHERE namespace = $2) < ${maxOfNamespace}
      AND (SELECT count(*) FROM hand_offs WHERE caller = $3) < ${maxOfCaller})
    ON CONFLICT (run_id) DO UPDATE SET body = excluded.body, due_at = excluded.due_at
    RETURNING run_id`,
  claim: `
    UPDATE hand_offs SET due_at = ${nowPlus('$2')} WHERE run_id IN (
      SELECT run_id FROM hand_offs WHERE due_at <= ${now} ORDER BY due_at LIMIT $1 ${forUpdateSkipLocked})
    RETURNING run_id AS "runId", body, attempts, created_at AS "createdAt"`,
  postpone: `UPDATE hand_offs SET due_at = ${nowPlus('$2')}, attempts = attempts + 1 WHERE run_id = $1`,
  selectNear: `SELECT run_id AS "runId", body FROM hand_offs
    WHERE body LIKE '%' || CAST($1 AS text) || '%' ${forUpdate}`,
});

type HandOffRow = Readonly<{ runId: string; body: string; attempts: number; createdAt: string }>;
type NewHandOff = Readonly<{
  runId: string;
  namespace: string;
  closest: readonly ClosestDocument[];
}>;

/** Implements the port `HandOffs` of the hand-off webhook. */
export function createHandOffs({ query, dialect }: Store) {
  const statements = statementsFor(dialect);
  const keeping = new Set<Promise<unknown>>();

  return {
    async keep(
      handOff: NewHandOff,
      { caller, createdAt, holdMs = 0 }: { caller: string; createdAt: string; holdMs?: number },
    ): Promise<boolean> {
      const kept = query(statements.keep, [
        handOff.runId,
        handOff.namespace,
        caller,
        toStorable(JSON.stringify(handOff)),
        createdAt,
        holdMs,
      ]);
      keeping.add(kept);
      return (await kept.finally(() => keeping.delete(kept))).length > 0;
    },
    claim: (limit: number, maxMs: number): Promise<HandOffRow[]> =>
      query(statements.claim, [limit, maxMs]),
    async remove(runId: string): Promise<void> {
      await query('DELETE FROM hand_offs WHERE run_id = $1', [runId]);
    },
    async postpone(runId: string, ms: number): Promise<void> {
      await query(statements.postpone, [runId, Math.round(ms)]);
    },
    async settled(): Promise<void> {
      await Promise.allSettled(keeping);
    },
    /** Removes the document from the closest places; the question remains. */
    async forgetDocument(documentId: string): Promise<void> {
      for (const { runId, body } of await query<HandOffRow>(statements.selectNear, [
        JSON.stringify(documentId).slice(1, -1),
      ])) {
        const handOff = JSON.parse(body) as NewHandOff;
        const left = {
          ...handOff,
          closest: handOff.closest.filter((one) => one.documentId !== documentId),
        };
        await query('UPDATE hand_offs SET body = $2 WHERE run_id = $1', [
          runId,
          JSON.stringify(left),
        ]);
      }
    },
    async forgetNamespace(namespace: string): Promise<void> {
      await query('DELETE FROM hand_offs WHERE namespace = $1', [namespace]);
    },
  };
}
