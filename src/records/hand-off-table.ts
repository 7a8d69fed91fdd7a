/**
 * Questions for a person that HANDOFF_WEBHOOK_URL has not accepted yet. `due_at` is the next
 * attempt, or the end of a server's claim.
 */
import { hash } from 'node:crypto';
import type { Asker, RatedAnswer } from './answer-log.ts';
import { type SqlDialect, type Store, toStorable } from './store.ts';
import { addCounts, type Counts } from './weekly-counts.ts';

export const handOffTables = ({ keyText, time }: SqlDialect) => `
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

/** `body`: JSON of a hand-off; `createdAt`: ISO 8601. */
export type HandOffRow = Readonly<{
  runId: string;
  body: string;
  attempts: number;
  createdAt: string;
}>;
type NewHandOff = Pick<RatedAnswer, 'runId' | 'namespace' | 'question' | 'closest'> &
  Partial<Asker> &
  Readonly<{ trigger?: string; reason?: string }>;

/** Time in which a run is known as handed off, and its question is kept. */
const maxAgeMs = 30 * 86_400_000;
const oldestIn = (time: string) => new Date(Date.parse(time) - maxAgeMs).toISOString();

/** Threads may have long names. */
export const threadKeyOf = (thread: string) => hash('sha256', thread, 'base64url');

const countsOf = ({ reason = '' }: NewHandOff, count: number): Counts => ({
  handedOff: count,
  ...(['answered', 'closest'].includes(reason) && { handedOffShown: count }),
});

const noteHandOff = `
  INSERT INTO handed_off (run_id, namespace, thread, question, asker, at, message, parent)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (run_id) DO NOTHING RETURNING run_id`;

export type HandOffTable = ReturnType<typeof createHandOffs>;
export function createHandOffs(store: Store) {
  const { query, dialect } = store;
  const statements = statementsFor(dialect);
  const keeping = new Set<Promise<unknown>>();

  return {
    /**
     * Stores it, or replaces what is stored of its run. @param caller whose share of the places
     * counts @param holdMs time until a claim @returns false if too many are stored
     */
    async keep(
      handOff: NewHandOff,
      { caller, createdAt, holdMs = 0 }: { caller: string; createdAt: string; holdMs?: number },
    ) {
      const { runId, namespace, thread, resource, user, message, parentId } = handOff;
      // A request for a person is about the question before it.
      const question =
        (handOff.trigger === 'asked' ? handOff.previousQuestion : handOff.question) ?? '';
      const asker = resource ?? user ?? '';
      const body = toStorable(JSON.stringify(handOff));
      const kept = store.transact(async ({ query }) => {
        const key = thread ? threadKeyOf(thread) : null;
        const texts = [question, asker].map(toStorable);
        const ids = [message, parentId].map((id) => (id === undefined ? null : toStorable(id)));
        const noted = [runId, namespace, key, ...texts, createdAt, ...ids];
        await query('DELETE FROM handed_off WHERE at < $1', [oldestIn(createdAt)]);
        const isNew = (await query(noteHandOff, noted)).length > 0;
        if (
          !isNew &&
          (await query('SELECT 1 FROM hand_offs WHERE run_id = $1', [runId])).length < 1
        )
          return true;
        const values = [runId, namespace, caller, body, createdAt, holdMs];
        const isKept = (await query(statements.keep, values)).length > 0;
        if (!isKept) await query('DELETE FROM handed_off WHERE run_id = $1', [runId]);
        else if (isNew) await addCounts(query, namespace, createdAt, countsOf(handOff, 1));
        return isKept;
      });
      keeping.add(kept);
      return kept.finally(() => keeping.delete(kept));
    },
    /** Claims due hand-offs for `maxMs`; no other server gets them. */
    claim: (limit: number, maxMs: number) => query<HandOffRow>(statements.claim, [limit, maxMs]),
    async remove(runId: string) {
      await query('DELETE FROM hand_offs WHERE run_id = $1', [runId]);
    },
    /** Forgets a hand-off that was only held. */
    async release(runId: string) {
      await store.transact(async ({ query }) => {
        const [held] = await query<{ body: string; createdAt: string }>(
          'DELETE FROM hand_offs WHERE run_id = $1 RETURNING body, created_at AS "createdAt"',
          [runId],
        );
        await query('DELETE FROM handed_off WHERE run_id = $1', [runId]);
        if (!held) return;
        const handOff = JSON.parse(held.body) as NewHandOff;
        await addCounts(query, handOff.namespace, held.createdAt, countsOf(handOff, -1));
      });
    },
    async postpone(runId: string, ms: number) {
      await query(statements.postpone, [runId, Math.round(ms)]);
    },
    async settled() {
      await Promise.allSettled(keeping);
    },
    /** Removes the document from the closest places; the question remains. */
    async forgetDocument(documentId: string) {
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
    async forgetNamespace(namespace: string) {
      await query('DELETE FROM hand_offs WHERE namespace = $1', [namespace]);
      await query('DELETE FROM handed_off WHERE namespace = $1', [namespace]);
    },
  };
}
