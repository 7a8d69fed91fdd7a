/**
 * Answers, feedback and gaps. A lock serializes bulk deletes to avoid deadlocks. Claiming
 * notifications skips locked rows.
 */
import { hash } from 'node:crypto';
import { parseLine } from '../../packages/shared/src/disk/line-file.ts';
import {
  createGroup,
  dropEmptyGroups,
  groupOf,
  type NewGap,
  readGapDetails,
} from './gap-groups.ts';
import {
  type ClosedGap,
  citedRevisions,
  closestOf,
  type GapChange,
  type GapRow,
  type KeptGap,
} from './gaps.ts';
import {
  deleteBeyond,
  type Query,
  type SqlDialect,
  type Store,
  sqliteDialect,
  type Transaction,
  toStorable,
} from './store.ts';
import { addCounts, type Counts, readWeeks } from './weekly-counts.ts';

export type AnswerRow = Readonly<{
  runId: string;
  namespace: string;
  /** Key of the only caller who may read it; null: every reader of the namespace may. */
  readerKey: string | null;
  /** ISO 8601. */
  askedAt: string;
  question: string;
  checked: string;
  answer: string;
}>;

type NewAnswerRow = AnswerRow &
  Readonly<{
    /**
     * Distinguishes callers: beyond the bounds, the heaviest callers lose their oldest answers first.
     */
    askerKey: string;
    /** Added to the counts of its week. */
    counts?: Counts | undefined;
  }>;

type ListedRow = Omit<AnswerRow, 'checked' | 'readerKey'> &
  Readonly<{
    place: string;
    up: number;
    down: number;
  }>;

export type Feedback = Readonly<{
  rating: 'up' | 'down';
  comment: string | null;
  /** ISO 8601. */
  at: string;
}>;

/** Limits over all namespaces; rows of the heaviest owners are deleted first. */
type AnswerBounds = Readonly<{ maxAnswers: number; maxGaps: number; maxBytes: number }>;

/**
 * Tables that list the documents of each answer and gap, so that deleting a document finds them.
 */
export const answerDocumentTables = ({ keyText }: SqlDialect) => `
  CREATE TABLE answer_documents (
    run_id ${keyText} NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    document ${keyText} NOT NULL, PRIMARY KEY (run_id, document));
  CREATE INDEX answer_documents_document ON answer_documents (document);
  CREATE TABLE gap_documents (
    namespace ${keyText} NOT NULL, wording ${keyText} NOT NULL, document ${keyText} NOT NULL,
    PRIMARY KEY (namespace, wording, document),
    FOREIGN KEY (namespace, wording) REFERENCES gaps (namespace, wording) ON DELETE CASCADE);
  CREATE INDEX gap_documents_document ON gap_documents (document);`;

/**
 * `gap_answers`: answers that were rated as not helpful. `chat_answers`: answers as messages of the
 * chat platform.
 */
export const ratedAnswerTables = ({ keyText }: SqlDialect) => `
  CREATE TABLE gap_answers (
    run_id ${keyText} PRIMARY KEY REFERENCES answers (run_id) ON DELETE CASCADE,
    namespace ${keyText} NOT NULL, wording ${keyText} NOT NULL,
    FOREIGN KEY (namespace, wording) REFERENCES gaps (namespace, wording) ON DELETE CASCADE);
  CREATE INDEX gap_answers_gap ON gap_answers (namespace, wording);
  CREATE TABLE chat_answers (
    run_id ${keyText} PRIMARY KEY REFERENCES answers (run_id) ON DELETE CASCADE,
    conversation text NOT NULL, message ${keyText} UNIQUE);`;

export const answerTables = ({ keyText, growingId, strict }: SqlDialect) => `
  CREATE TABLE answers (
    ${growingId}, run_id ${keyText} NOT NULL UNIQUE, namespace ${keyText} NOT NULL,
    reader_key text, asked_at text NOT NULL,
    question text NOT NULL, checked text NOT NULL, answer text NOT NULL) ${strict};
  CREATE TABLE answer_askers (
    run_id ${keyText} PRIMARY KEY REFERENCES answers (run_id) ON DELETE CASCADE,
    asker ${keyText} NOT NULL) ${strict};`;

const { keyText, growingId } = sqliteDialect;
export const sqliteAnswerTables = `
  ${answerTables(sqliteDialect)}
  CREATE TABLE feedback (
    run_id ${keyText} NOT NULL REFERENCES answers (run_id) ON DELETE CASCADE,
    caller ${keyText} NOT NULL, rating text NOT NULL, comment text,
    given_at text NOT NULL, PRIMARY KEY (run_id, caller)) STRICT;
  CREATE TABLE gaps (
    ${growingId}, namespace ${keyText} NOT NULL, wording ${keyText} NOT NULL, topic text NOT NULL,
    question text NOT NULL,
    count integer NOT NULL, first_asked_at ${keyText} NOT NULL, last_asked_at ${keyText} NOT NULL,
    coverage real NOT NULL,
    closest text NOT NULL, UNIQUE (namespace, wording)) STRICT;
  ${answerDocumentTables(sqliteDialect)}
  ${ratedAnswerTables(sqliteDialect)}`;

const insertAnswer = `
  INSERT INTO answers (run_id, namespace, reader_key, asked_at, question, checked, answer)
    VALUES ($1, $2, $3, $4, $5, $6, $7)`;
const insertAsker = 'INSERT INTO answer_askers (run_id, asker) VALUES ($1, $2)';
const selectAnswer = `
  SELECT run_id AS "runId", namespace, reader_key AS "readerKey", asked_at AS "askedAt", question,
    checked, answer
  FROM answers WHERE run_id = $1`;
const rated = (rating: string) =>
  `(SELECT CAST(count(*) AS integer) FROM feedback WHERE feedback.run_id = answers.run_id
    AND rating = '${rating}')`;
const selectFeedback =
  'SELECT rating, comment, given_at AS at FROM feedback WHERE run_id = $1 ORDER BY given_at, caller';
const selectGaps = `
  SELECT gaps.namespace, topic, gaps.question, count, first_asked_at AS "firstAskedAt",
    last_asked_at AS "lastAskedAt", coverage, closest,
    gap_group AS "group", (SELECT state FROM gap_groups WHERE gap_groups.id = gap_group) AS state,
    answers.run_id AS "runId", CASE WHEN answers.reader_key IS NULL THEN answers.answer END AS answer
  FROM gaps LEFT JOIN answers ON answers.run_id = (
    SELECT rated.run_id FROM gap_answers JOIN answers AS rated USING (run_id)
    WHERE gap_answers.namespace = gaps.namespace AND gap_answers.wording = gaps.wording
      ORDER BY rated.id DESC LIMIT 1)`;
const selectRated = `
  SELECT gaps.wording, answers.answer FROM gaps JOIN gap_answers USING (namespace, wording)
    JOIN answers USING (run_id)
  WHERE gaps.namespace = $1 AND topic = $2`;
const selectOpen = `
  SELECT (SELECT CAST(count(*) AS integer) FROM feedback WHERE run_id = $1 AND rating = 'down') AS downs,
    (SELECT wording FROM gap_answers WHERE run_id = $1) AS wording`;
const selectRating = `
  SELECT namespace, (SELECT rating FROM feedback WHERE feedback.run_id = $1 AND caller = $2) AS known
  FROM answers WHERE run_id = $1`;
const insertChatAnswer = `
  INSERT INTO chat_answers (run_id, conversation, reply_to)
    SELECT run_id, CAST($2 AS text), CAST($3 AS text) FROM answers
    WHERE run_id = $1 ON CONFLICT (run_id) DO NOTHING`;
const ofGap = 'WHERE namespace = $1 AND wording = $2';
/** Questions with drafts wait for a reviewer. */
const hasNoDraft =
  'NOT EXISTS (SELECT 1 FROM gap_drafts WHERE gap_drafts.gap_group = gaps.gap_group)';
const whereAnswered = `FROM gaps
  WHERE namespace = $1 AND topic = $2 AND last_asked_at <= $3 AND ${hasNoDraft}`;

/** Ranks round-robin over namespaces, then over askers, newest first. */
const byTurns = {
  ranked: (amount: string) => `(SELECT answers.id AS id, namespace, ${amount} AS amount,
    row_number() OVER (PARTITION BY namespace, coalesce(asker, reader_key) ORDER BY answers.id DESC) AS turn
    FROM answers LEFT JOIN answer_askers USING (run_id)) AS by_turns`,
  rank: 'row_number() OVER (PARTITION BY namespace ORDER BY turn, id DESC)',
};
const bytesOfAnswer = 'octet_length(answer) + octet_length(checked)';

function statementsFor({ elementsOf, least, greatest, forUpdate }: SqlDialect) {
  /** Alternates between the most frequent and the most recent questions. */
  const mostOrLast = `${least}(
    row_number() OVER (PARTITION BY namespace ORDER BY count DESC, last_asked_at DESC),
    row_number() OVER (PARTITION BY namespace ORDER BY last_asked_at DESC))`;
  const rows = { id: 'id', limit: '$1' };
  return {
    insertGap: `
      INSERT INTO gaps (namespace, wording, topic, question, count, first_asked_at, last_asked_at,
        coverage, closest, gap_group)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
      ON CONFLICT (namespace, wording) DO UPDATE SET question = excluded.question,
        count = gaps.count + excluded.count,
        first_asked_at = ${least}(gaps.first_asked_at, excluded.first_asked_at),
        last_asked_at = ${greatest}(gaps.last_asked_at, excluded.last_asked_at),
        closest = CASE WHEN excluded.coverage >= gaps.coverage THEN excluded.closest ELSE gaps.closest END,
        coverage = ${greatest}(gaps.coverage, excluded.coverage)
      RETURNING closest`,
    /** Keeps only the newest feedback of each caller. */
    insertFeedback: `
      INSERT INTO feedback (run_id, caller, rating, comment, given_at)
      SELECT run_id, CAST($2 AS text), CAST($3 AS text), CAST($4 AS text), CAST($5 AS text)
        FROM answers WHERE run_id = $1 ${forUpdate}
      ON CONFLICT (run_id, caller) DO UPDATE SET rating = excluded.rating,
        comment = excluded.comment, given_at = excluded.given_at`,
    selectListed: `
      SELECT CAST(id AS text) AS place, run_id AS "runId", namespace, asked_at AS "askedAt", question, answer,
        ${rated('up')} AS up, ${rated('down')} AS down
      FROM answers
      WHERE (CAST($1 AS text) IS NULL OR namespace IN (${elementsOf('$1')}))
        AND (reader_key IS NULL OR reader_key = $2)
        AND (CAST($3 AS text) IS NULL OR id < CAST(CAST($3 AS text) AS bigint))
      ORDER BY id DESC LIMIT $4`,
    selectGapsNear: `
      SELECT namespace, wording, closest FROM gaps
      WHERE (namespace, wording) IN (SELECT namespace, wording FROM gap_documents
        WHERE document = $1) ${forUpdate}`,
    /**
     * Statements for each limit: total and delete. The total is checked first, because ranking is
     * slow.
     */
    trims: {
      maxAnswers: {
        sum: 'SELECT count(*) AS total FROM answers',
        delete: deleteBeyond({ ...rows, table: 'answers', ...byTurns }),
      },
      maxBytes: {
        sum: `SELECT sum(${bytesOfAnswer}) AS total FROM answers`,
        delete: deleteBeyond({ ...rows, table: 'answers', ...byTurns, amount: bytesOfAnswer }),
      },
      maxGaps: {
        sum: 'SELECT count(*) AS total FROM gaps',
        delete: deleteBeyond({ ...rows, table: 'gaps', rank: mostOrLast }),
      },
    } satisfies Record<keyof AnswerBounds, object>,
  };
}

/** Rows of other tables refer to these and are deleted with them. */
const forgottenTables = ['answers', 'gaps', 'gap_groups', 'weekly_counts'];

/** An answer as a message of the chat platform. */
export type ChatAnswer = Readonly<{ runId: string; conversation: string; message: string }>;

/**
 * Finds document ids in JSON of citations or closest documents. Quotation marks inside strings are
 * escaped, so strings do not match.
 */
const documentIdsIn = (json: string) => [
  ...new Set(
    json
      .matchAll(/"documentId":("(?:[^"\\]|\\.)*")/g)
      .map(([, id = '""']) => JSON.parse(id) as string),
  ),
];

// Hashed, because a wording may be too long for an index.
export const wordingKeyOf = (words: string) => hash('sha256', words, 'base64url');

export const selectGroupOf = `SELECT gap_group AS "group" FROM gaps ${ofGap}`;

/** Returns the group of a question. An answered one is open again. */
async function openGroup({ query, lock }: Transaction, dialect: SqlDialect, gap: NewGap) {
  const { namespace, wording, at } = gap;
  await lock('gapGroups');
  const [known] = await query<{ group: string | null }>(selectGroupOf, [namespace, wording]);
  const found = known?.group ?? (await groupOf(query, dialect, gap));
  const group = found ?? (await createGroup(query, gap));
  const reopened = found
    ? await query(
        "UPDATE gap_groups SET state = 'open', changed_at = $2 WHERE id = $1 AND state = 'answered' RETURNING id",
        [group, at],
      )
    : [group];
  if (reopened.length > 0) await addCounts(query, namespace, at, { gapsOpened: 1 });
  return group;
}

const insertWay = `
  INSERT INTO gap_ways (namespace, wording, way, count) VALUES ($1, $2, $3, $4)
  ON CONFLICT (namespace, wording, way) DO UPDATE SET count = gap_ways.count + excluded.count`;

/** @returns the key of the wording */
export async function openGap(transaction: Transaction, dialect: SqlDialect, gap: KeptGap) {
  const { query } = transaction;
  const wording = wordingKeyOf(gap.words);
  const [topic = '', question = ''] = [gap.topic, gap.question].map(toStorable);
  const { namespace, count, firstAskedAt, lastAskedAt, coverage } = gap;
  const values = [
    namespace,
    wording,
    topic,
    question,
    count,
    firstAskedAt,
    lastAskedAt,
    coverage,
    gap.closest,
    await openGroup(transaction, dialect, { namespace, wording, question, at: lastAskedAt }),
  ];
  const [kept] = await query<{ closest: string }>(statementsFor(dialect).insertGap, values);
  await query(`DELETE FROM gap_documents ${ofGap}`, [namespace, wording]);
  for (const document of documentIdsIn(kept?.closest ?? ''))
    await query('INSERT INTO gap_documents VALUES ($1, $2, $3)', [namespace, wording, document]);
  if (gap.entryPoint)
    await query(insertWay, [namespace, wording, toStorable(gap.entryPoint), count]);
  return wording;
}

/** Opens the gap of a run with its first bad rating, and takes it back with the last. */
async function followRating(
  transaction: Transaction,
  dialect: SqlDialect,
  runId: string,
  gap: KeptGap,
) {
  const { namespace } = gap;
  const { query } = transaction;
  const [open] = await query<{ downs: number; wording: string | null }>(selectOpen, [runId]);
  const wording = open?.wording ?? null;
  if (open && open.downs > 0 && wording === null)
    await query('INSERT INTO gap_answers VALUES ($1, $2, $3)', [
      runId,
      namespace,
      await openGap(transaction, dialect, gap),
    ]);
  if (open?.downs !== 0 || wording === null) return;
  await query('DELETE FROM gap_answers WHERE run_id = $1', [runId]);
  await query(`UPDATE gaps SET count = count - 1 ${ofGap}`, [namespace, wording]);
  await query(`DELETE FROM gaps ${ofGap} AND count < 1 AND ${hasNoDraft}`, [namespace, wording]);
  await closeEmptyGroups(transaction, namespace, gap.lastAskedAt);
}

async function closeEmptyGroups({ query, lock }: Transaction, namespace: string, at: string) {
  await lock('gapGroups');
  const { length: gapsClosed } = await dropEmptyGroups(query);
  if (gapsClosed > 0) await addCounts(query, namespace, at, { gapsClosed });
}

/** Methods fail with the error of the database and then change nothing. */
export class AnswerRows {
  readonly #store;
  readonly #statements;

  constructor(store: Store) {
    this.#store = store;
    this.#statements = statementsFor(store.dialect);
  }

  async open(bounds: AnswerBounds) {
    if (!(await this.#hasRows())) return;
    await this.#trim(bounds);
    while (await this.#groupOlder());
  }

  async keep(answer: NewAnswerRow, { opens, closes }: GapChange, trimTo: AnswerBounds | undefined) {
    const { runId, namespace, readerKey, askedAt, question, checked, answer: json } = answer;
    await this.#store.transact(async (transaction) => {
      const { query } = transaction;
      const values = [runId, namespace, readerKey, askedAt, toStorable(question), checked, json];
      await query(insertAnswer, values);
      await query(insertAsker, [runId, answer.askerKey]);
      for (const document of documentIdsIn(json))
        await query('INSERT INTO answer_documents VALUES ($1, $2)', [runId, document]);
      if (opens) await openGap(transaction, this.#store.dialect, opens);
      await addCounts(query, namespace, askedAt, answer.counts ?? {});
    });
    if (closes) await this.#close(closes);
    if (trimTo) await this.#trim(trimTo);
  }

  async find(runId: string) {
    return (await this.#store.query<AnswerRow>(selectAnswer, [toStorable(runId)]))[0];
  }

  /**
   * @param namespaces undefined: all @param readerKey key of the reader, whose own personal answers
   * are listed; null: none are
   */
  list(
    namespaces: readonly string[] | undefined,
    readerKey: string | null,
    before: string | undefined,
    limit: number,
  ) {
    const wanted = namespaces ? JSON.stringify(namespaces) : null;
    const values = [wanted, readerKey, before ?? null, limit];
    return this.#store.query<ListedRow>(this.#statements.selectListed, values);
  }

  feedbackOf(runId: string) {
    return this.#store.query<Feedback>(selectFeedback, [toStorable(runId)]);
  }

  /** @param gap opened by a first bad rating @param isWithdrawn the caller takes this rating back */
  async addFeedback(
    { runId, caller, rating, comment, at }: Feedback & Readonly<{ runId: string; caller: string }>,
    gap: KeptGap | undefined,
    isWithdrawn = false,
  ) {
    const id = toStorable(runId);
    const given = [id, caller, rating];
    await this.#store.transact(async (transaction) => {
      const { query, lock } = transaction;
      await lock('answerDeletions');
      const [rated] = await query<{ namespace: string; known: string | null }>(selectRating, [
        id,
        caller,
      ]);
      if (isWithdrawn)
        await query(
          'DELETE FROM feedback WHERE run_id = $1 AND caller = $2 AND rating = $3',
          given,
        );
      else
        await query(this.#statements.insertFeedback, [
          ...given,
          comment && toStorable(comment),
          at,
        ]);
      if (gap) await followRating(transaction, this.#store.dialect, id, gap);
      if (rated?.known === null) await addCounts(query, rated.namespace, at, { rated: 1 });
    });
  }

  /** Saves that an answer was sent to a conversation of the chat platform. */
  async addChatAnswer(runId: string, conversation: string, replyTo: string) {
    const values = [runId, toStorable(conversation), toStorable(replyTo)];
    await this.#store.query(insertChatAnswer, values);
  }

  /** Returns where an answer was sent, once. */
  async takeReplyTo(runId: string) {
    const [sent] = await this.#store.query<{ replyTo: string | null }>(
      'SELECT reply_to AS "replyTo" FROM chat_answers WHERE run_id = $1',
      [runId],
    );
    // Of several servers, only one changes the row.
    const taken = await this.#store.query(
      'UPDATE chat_answers SET reply_to = NULL WHERE run_id = $1 AND reply_to IS NOT NULL RETURNING run_id',
      [runId],
    );
    return taken.length > 0 ? (sent?.replyTo ?? undefined) : undefined;
  }

  /** Saves the platform's message id of an answer that was sent to that conversation. */
  async setChatMessage({ runId, conversation, message }: ChatAnswer) {
    await this.#store.query(
      'UPDATE chat_answers SET message = $3 WHERE run_id = $1 AND conversation = $2 AND message IS NULL',
      [runId, conversation, message].map(toStorable),
    );
  }

  async runOfChatMessage(message: string) {
    const [found] = await this.#store.query<{ runId: string }>(
      'SELECT run_id AS "runId" FROM chat_answers WHERE message = $1',
      [toStorable(message)],
    );
    return found?.runId;
  }

  gaps() {
    return this.#store.query<GapRow>(selectGaps);
  }

  gapDetails() {
    return readGapDetails(this.#store.query);
  }

  weeks(now: Date) {
    return readWeeks(this.#store.query, now);
  }

  forgetDocument(documentId: string) {
    return this.#erase((query) => forgetInAnswers(query, this.#store.dialect, documentId));
  }

  forgetNamespace(namespace: string) {
    return this.#erase(async (query) => {
      for (const table of forgottenTables)
        await query(`DELETE FROM ${table} WHERE namespace = $1`, [namespace]);
    });
  }

  async clear() {
    if (await this.#hasRows())
      await this.#erase(async (query) => {
        for (const table of forgottenTables) await query(`DELETE FROM ${table}`);
      });
  }

  async #hasRows() {
    const any = 'SELECT 1 FROM answers UNION ALL SELECT 1 FROM gaps LIMIT 1';
    return (await this.#store.query(any)).length > 0;
  }

  async #erase(work: (query: Query) => Promise<unknown>) {
    await this.#store.erase(async ({ query, lock }) => {
      await lock('answerDeletions');
      await lock('gapGroups');
      await work(query);
    });
  }

  /** Does nothing while another server trims. */
  async #trim(bounds: AnswerBounds) {
    await this.#store.transact(async ({ query, lock, tryLock }) => {
      if (!(await tryLock('answerDeletions'))) return;
      for (const [bound, { sum, delete: deleteRows }] of Object.entries(this.#statements.trims)) {
        const limit = bounds[bound as keyof AnswerBounds];
        const [found] = await query<{ total: number | string | null }>(sum);
        if (Number(found?.total) > limit) await query(deleteRows, [limit]);
      }
      await lock('gapGroups');
      await dropEmptyGroups(query);
    });
  }

  /** Groups questions of earlier versions, a batch a transaction. @returns whether there were some */
  #groupOlder() {
    return this.#store.transact(async ({ query, lock }) => {
      await lock('gapGroups');
      const older = await query<NewGap>(
        `SELECT namespace, wording, question, last_asked_at AS at FROM gaps
          WHERE gap_group IS NULL ORDER BY id LIMIT 100`,
      );
      for (const gap of older) {
        const { namespace, wording } = gap;
        const found = await groupOf(query, this.#store.dialect, gap);
        await query(`UPDATE gaps SET gap_group = $3 ${ofGap}`, [
          namespace,
          wording,
          found ?? (await createGroup(query, gap)),
        ]);
      }
      return older.length > 0;
    });
  }

  /** Checks for a gap before taking the lock: most answered questions were not gaps. */
  async #close({ namespace, topic, askedUntil, revisions }: ClosedGap) {
    const place = [namespace, toStorable(topic)];
    const values = [...place, askedUntil];
    const [gap] = await this.#store.query(`SELECT 1 ${whereAnswered} LIMIT 1`, values);
    if (!gap) return;
    await this.#store.transact(async (transaction) => {
      const { query, lock } = transaction;
      await lock('answerDeletions');
      const rated = await query<{ wording: string; answer: string }>(selectRated, place);
      const isSame = (answer: string) =>
        new Set(revisions).isSubsetOf(new Set(citedRevisions(parseLine(answer))));
      const kept = rated.filter(({ answer }) => isSame(answer)).map(({ wording }) => wording);
      await query(
        `DELETE ${whereAnswered} AND wording NOT IN (${this.#store.dialect.elementsOf('$4')})`,
        [...values, JSON.stringify(kept)],
      );
      await closeEmptyGroups(transaction, namespace, askedUntil);
    });
  }
}

/** Deletes answers that quote a document, and removes the document from gaps. */
async function forgetInAnswers(query: Query, dialect: SqlDialect, documentId: string) {
  await query(
    'DELETE FROM answers WHERE run_id IN (SELECT run_id FROM answer_documents WHERE document = $1)',
    [documentId],
  );
  const near = await query<{ namespace: string; wording: string; closest: string }>(
    statementsFor(dialect).selectGapsNear,
    [documentId],
  );
  for (const { namespace, wording, closest } of near) {
    const left = (closestOf({ closest }) ?? []).filter(
      (document) => document.documentId !== documentId,
    );
    await query(`UPDATE gaps SET closest = $3 ${ofGap}`, [
      namespace,
      wording,
      JSON.stringify(left),
    ]);
  }
  await query('DELETE FROM gap_documents WHERE document = $1', [documentId]);
  await query('DELETE FROM gap_drafts WHERE document = $1', [documentId]);
  await query("UPDATE gap_groups SET state = 'open', document = NULL WHERE document = $1", [
    documentId,
  ]);
}
