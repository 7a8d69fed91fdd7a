/**
 * Answers, feedback and gaps in a database that several servers share. Whatever deletes many rows does it one after another, because two
 * who delete the same rows in another order would wait for each other; what is told passes by rows that somebody has.
 */
import { createHash } from 'node:crypto';
import {
  type AnswerBounds,
  type AnswerRow,
  type AnswerRows,
  deleteBeyond,
  type Feedback,
  type ListedRow,
  type NewAnswerRow,
  namedIn,
} from '../answers/answer-rows.ts';
import { closestOf, type GapNews, type GapRow } from '../answers/gaps.ts';
import type { Database, Query } from './database.ts';
import { advisoryLocks } from './locks.ts';
import { toStorable } from './plain-text.ts';

export const answerTables = `
  CREATE TABLE answers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run_id text COLLATE "C" NOT NULL UNIQUE,
    namespace text COLLATE "C" NOT NULL,
    reader_key text,
    asked_at text NOT NULL,
    question text NOT NULL,
    checked text NOT NULL,
    answer text NOT NULL
  );
  CREATE TABLE feedback (
    id bigint GENERATED ALWAYS AS IDENTITY,
    run_id text COLLATE "C" NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    caller text COLLATE "C" NOT NULL,
    rating text NOT NULL,
    comment text,
    given_at text NOT NULL,
    PRIMARY KEY (run_id, caller)
  );
  CREATE TABLE gaps (
    id bigint GENERATED ALWAYS AS IDENTITY,
    namespace text COLLATE "C" NOT NULL,
    wording text COLLATE "C" NOT NULL,
    topic text NOT NULL,
    question text NOT NULL,
    count integer NOT NULL,
    first_asked_at text COLLATE "C" NOT NULL,
    last_asked_at text COLLATE "C" NOT NULL,
    coverage double precision NOT NULL,
    closest text NOT NULL,
    PRIMARY KEY (namespace, wording)
  );`;

/** Who asked; a server of an earlier version says nothing of it. */
export const answerAskerTable = `
  CREATE TABLE answer_askers (
    run_id text COLLATE "C" PRIMARY KEY REFERENCES answers (run_id) ON DELETE CASCADE, asker text COLLATE "C" NOT NULL);`;

export const toldColumn = 'ALTER TABLE answers ADD COLUMN told text;';

const insertAnswer = `
  INSERT INTO answers (run_id, namespace, reader_key, asked_at, question, checked, answer) VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const insertAsker = 'INSERT INTO answer_askers (run_id, asker) VALUES ($1, $2)';
const insertGap = `
  INSERT INTO gaps (namespace, wording, topic, question, count, first_asked_at, last_asked_at, coverage, closest)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  ON CONFLICT (namespace, wording) DO UPDATE SET question = excluded.question, count = gaps.count + excluded.count,
    first_asked_at = least(gaps.first_asked_at, excluded.first_asked_at),
    last_asked_at = greatest(gaps.last_asked_at, excluded.last_asked_at),
    closest = CASE WHEN excluded.coverage >= gaps.coverage THEN excluded.closest ELSE gaps.closest END,
    coverage = greatest(gaps.coverage, excluded.coverage)`;
const selectAnswer = `
  SELECT run_id AS "runId", namespace, reader_key AS "readerKey", asked_at AS "askedAt", question, checked, answer
  FROM answers WHERE run_id = $1`;
const selectListed = `
  SELECT id::text AS place, run_id AS "runId", namespace, asked_at AS "askedAt", question, answer, told,
    (SELECT count(*)::integer FROM feedback WHERE feedback.run_id = answers.run_id AND rating = 'up') AS up,
    (SELECT count(*)::integer FROM feedback WHERE feedback.run_id = answers.run_id AND rating = 'down') AS down
  FROM answers
  WHERE ($1::text[] IS NULL OR namespace = ANY ($1)) AND (reader_key IS NULL OR reader_key = $2) AND ($3::bigint IS NULL OR id < $3)
  ORDER BY id DESC LIMIT $4`;
const selectFeedback = 'SELECT rating, comment, given_at AS at FROM feedback WHERE run_id = $1 ORDER BY id';
/** Of each caller the newest counts, and stands last. */
const insertFeedback = `
  INSERT INTO feedback (run_id, caller, rating, comment, given_at)
  SELECT run_id, $2, $3, $4, $5 FROM answers WHERE run_id = $1 FOR KEY SHARE
  ON CONFLICT (run_id, caller) DO UPDATE SET id = DEFAULT, rating = excluded.rating, comment = excluded.comment, given_at = excluded.given_at`;
/** A claim that is over is nobody's, and so is one that ends later than any would: a clock was wrong. */
const claimTelling = `
  WITH free AS (
    SELECT id FROM answers WHERE run_id = ANY ($1) AND (told IS NULL OR (told <> 'told' AND NOT (told > $2 AND told <= $3)))
    FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE answers SET told = $3 FROM free WHERE answers.id = free.id RETURNING run_id AS "runId"`;
const endTelling = `
  WITH claimed AS (SELECT id FROM answers WHERE run_id = ANY ($1) AND told = $2 FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE answers SET told = $3 FROM claimed WHERE answers.id = claimed.id`;
const forgetTold = 'UPDATE answers SET told = NULL WHERE run_id = $1 AND told = $2';
const selectGaps = `
  SELECT namespace, topic, question, count, first_asked_at AS "firstAskedAt", last_asked_at AS "lastAskedAt", coverage, closest FROM gaps`;
const whereAnswered = 'FROM gaps WHERE namespace = $1 AND topic = $2 AND last_asked_at <= $3';
const selectGapsNear = 'SELECT id, closest FROM gaps WHERE strpos(closest, $1) > 0 FOR UPDATE';
const updateClosest = `
  UPDATE gaps SET closest = changed.closest FROM unnest($1::bigint[], $2::text[]) AS changed (id, closest) WHERE gaps.id = changed.id`;

/** By turns: of each namespace, and in it of each asker, the newest. */
const byTurns = {
  ranked: (amount: string) => `(SELECT answers.id, namespace, ${amount} AS amount,
    row_number() OVER (PARTITION BY namespace, coalesce(asker, reader_key) ORDER BY answers.id DESC) AS turn
    FROM answers LEFT JOIN answer_askers USING (run_id)) AS by_turns`,
  rank: 'row_number() OVER (PARTITION BY namespace ORDER BY turn, id DESC)',
};
/** In turns what was asked most and what was asked last. */
const mostOrLast = `least(
  row_number() OVER (PARTITION BY namespace ORDER BY count DESC, last_asked_at DESC),
  row_number() OVER (PARTITION BY namespace ORDER BY last_asked_at DESC))`;
const rows = { id: 'id', limit: '$1' };
const trimAnswers = deleteBeyond({ ...rows, table: 'answers', ...byTurns });
const trimBytes = deleteBeyond({ ...rows, table: 'answers', ...byTurns, amount: 'octet_length(answer) + octet_length(checked)' });
const trimGaps = deleteBeyond({ ...rows, table: 'gaps', rank: mostOrLast });

const waitForDeletions = 'SELECT pg_advisory_xact_lock($1)';
const unlessDeleting = 'SELECT pg_try_advisory_xact_lock($1) AS "isFree"';

async function insert(query: Query, answer: NewAnswerRow, news: GapNews | undefined): Promise<void> {
  const { runId, namespace, readerKey, askedAt, checked } = answer;
  await query(insertAnswer, [runId, namespace, readerKey, askedAt, toStorable(answer.question), checked, answer.answer]);
  await query(insertAsker, [runId, answer.askerKey]);
  if (!news || !('opens' in news)) return;
  const gap = news.opens;
  // As its hash: a wording may be longer than what an index takes.
  const wording = createHash('sha256').update(gap.words).digest('base64url');
  const [topic, question] = [gap.topic, gap.question].map(toStorable);
  const { count, firstAskedAt, lastAskedAt, coverage, closest } = gap;
  await query(insertGap, [gap.namespace, wording, topic, question, count, firstAskedAt, lastAskedAt, coverage, closest]);
}

/** @param closest JSON, with escapes that the database itself would not read */
const withoutDocument = (closest: string, documentId: string): string =>
  JSON.stringify((closestOf({ closest }) ?? []).filter((document) => document.documentId !== documentId));

export function createPostgresAnswers({ query, transact }: Database): AnswerRows {
  /** Unless another server is at it. */
  const trim = ({ maxAnswers, maxBytes, maxGaps }: AnswerBounds) =>
    transact(async (transaction) => {
      const [lock] = await transaction.query<{ isFree: boolean }>(unlessDeleting, [advisoryLocks.answerDeletions]);
      if (!lock?.isFree) return;
      await transaction.query(trimAnswers, [maxAnswers]);
      await transaction.query(trimBytes, [maxBytes]);
      await transaction.query(trimGaps, [maxGaps]);
    });
  const erase = (work: (query: Query) => Promise<unknown>) =>
    transact(async (transaction) => {
      await transaction.query(waitForDeletions, [advisoryLocks.answerDeletions]);
      await work(transaction.query);
    });
  /** Most questions that are answered were no gap: only those that were wait for their turn. */
  async function close({ namespace, topic, askedUntil }: Extract<GapNews, { closes: unknown }>['closes']): Promise<void> {
    const values = [namespace, toStorable(topic), askedUntil];
    const [gap] = await query(`SELECT 1 ${whereAnswered} LIMIT 1`, values);
    if (gap) await erase((erasing) => erasing(`DELETE ${whereAnswered}`, values));
  }

  return {
    open: trim,
    async keep(answer, news, trimTo) {
      await transact((transaction) => insert(transaction.query, answer, news));
      if (news && 'closes' in news) await close(news.closes);
      if (trimTo) await trim(trimTo);
    },
    find: async (runId) => (await query<AnswerRow & object>(selectAnswer, [toStorable(runId)]))[0],
    list: ({ namespaces, readerKey }, before, limit) =>
      query<ListedRow>(selectListed, [namespaces ?? null, readerKey, before ?? null, limit]),
    feedbackOf: (runId) => query<Feedback>(selectFeedback, [toStorable(runId)]),
    async addFeedback({ runId, caller, rating, comment, at }) {
      await query(insertFeedback, [toStorable(runId), caller, rating, comment === null ? null : toStorable(comment), at]);
    },
    async claimTelling({ runIds, now, until }) {
      const claimed = await query<{ runId: string }>(claimTelling, [runIds, now, until]);
      return claimed.map(({ runId }) => runId);
    },
    async endTelling({ runIds, until }, told) {
      await query(endTelling, [runIds, until, told]);
    },
    async forgetTold(runId, told) {
      await query(forgetTold, [runId, told]);
    },
    gaps: () => query<GapRow>(selectGaps),
    forgetDocument: (documentId) =>
      erase(async (erasing) => {
        const named = namedIn(documentId);
        await erasing('DELETE FROM answers WHERE strpos(answer, $1) > 0', [named]);
        const near = await erasing<{ id: string; closest: string }>(selectGapsNear, [named]);
        const left = near.map(({ closest }) => withoutDocument(closest, documentId));
        await erasing(updateClosest, [near.map(({ id }) => id), left]);
      }),
    forgetNamespace: (namespace) =>
      erase(async (erasing) => {
        await erasing('DELETE FROM answers WHERE namespace = $1', [namespace]);
        await erasing('DELETE FROM gaps WHERE namespace = $1', [namespace]);
      }),
    clear: () =>
      erase(async (erasing) => {
        await erasing('DELETE FROM answers');
        await erasing('DELETE FROM gaps');
      }),
    // The database is others' too.
    close: async () => undefined,
  };
}
