/** Answers, feedback and gaps in a SQLite file of this server's own. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { linesOf, parseLine } from '../disk/line-file.ts';
import { type AnswerBounds, type AnswerRow, type AnswerRows, deleteBeyond, type Feedback, type ListedRow, namedIn } from './answer-rows.ts';
import { type GapRow, gapOf } from './gaps.ts';
import { createSqliteFile, withSums } from './sqlite-file.ts';

export interface SqliteAnswersOptions {
  /** Absolute; of nothing else. */
  readonly folder: string;
  readonly onWarning: (message: string, error?: unknown) => void;
  /** The file was deleted or replaced while the server was running. */
  readonly onLost?: (path: string) => void;
}

const firstTables = `
  CREATE TABLE answers (
    runId TEXT NOT NULL UNIQUE, namespace TEXT NOT NULL, readerKey TEXT, askedAt TEXT NOT NULL, question TEXT NOT NULL,
    checked TEXT NOT NULL, answer TEXT NOT NULL
  ) STRICT;
  CREATE TABLE feedback (
    runId TEXT NOT NULL REFERENCES answers (runId) ON DELETE CASCADE, caller TEXT NOT NULL, rating TEXT NOT NULL, comment TEXT,
    at TEXT NOT NULL, PRIMARY KEY (runId, caller)
  ) STRICT;
  CREATE TABLE gaps (
    namespace TEXT NOT NULL, words TEXT NOT NULL, topic TEXT NOT NULL, question TEXT NOT NULL, count INTEGER NOT NULL,
    firstAskedAt TEXT NOT NULL, lastAskedAt TEXT NOT NULL, coverage REAL NOT NULL, closest TEXT NOT NULL, PRIMARY KEY (namespace, words)
  ) STRICT`;

/** Who asked; earlier versions kept it of what is personal alone. */
const askerTable = `
  CREATE TABLE askers (
    runId TEXT NOT NULL PRIMARY KEY REFERENCES answers (runId) ON DELETE CASCADE, asker TEXT NOT NULL
  ) STRICT`;
const insertAsker = 'INSERT INTO askers VALUES ($runId, $askerKey)';

/** Those that have sums. */
const columns = {
  answers: 'runId, namespace, readerKey, askedAt, question, checked, answer',
  feedback: 'runId, caller, rating, comment, at',
  gaps: 'namespace, words, topic, question, count, firstAskedAt, lastAskedAt, coverage, closest',
};

/** Version n is the n-th, made once and never changed afterwards. */
const versions = [firstTables, askerTable, 'ALTER TABLE answers ADD COLUMN told TEXT', withSums(columns)];

const insertAnswer = `
  INSERT INTO answers (runId, namespace, readerKey, askedAt, question, checked, answer)
  VALUES ($runId, $namespace, $readerKey, $askedAt, $question, $checked, $answer)`;
const rated = (rating: string) => `(SELECT count(*) FROM feedback WHERE feedback.runId = answers.runId AND rating = '${rating}')`;
const selectListed = `
  SELECT CAST(rowid AS TEXT) AS place, runId, namespace, askedAt, question, answer, told, ${rated('up')} AS up, ${rated('down')} AS down
  FROM answers
  WHERE ($namespaces IS NULL OR namespace IN (SELECT value FROM json_each($namespaces)))
    AND (readerKey IS NULL OR readerKey = $readerKey) AND ($before IS NULL OR rowid < CAST($before AS INTEGER))
  ORDER BY rowid DESC LIMIT $limit`;
/** Of each caller the newest counts, and stands last. */
const insertFeedback = 'INSERT OR REPLACE INTO feedback VALUES ($runId, $caller, $rating, $comment, $at, NULL)';
const insertGap = `
  INSERT INTO gaps VALUES ($namespace, $words, $topic, $question, $count, $firstAskedAt, $lastAskedAt, $coverage, $closest, NULL)
  ON CONFLICT DO UPDATE SET question = excluded.question, count = count + excluded.count,
    firstAskedAt = min(firstAskedAt, excluded.firstAskedAt), lastAskedAt = max(lastAskedAt, excluded.lastAskedAt),
    closest = iif(excluded.coverage >= coverage, excluded.closest, closest), coverage = max(coverage, excluded.coverage)`;

/** A claim that is over is nobody's, and so is one that ends later than any would: the clock was wrong. */
const claimTelling = `
  UPDATE answers SET told = $until
  WHERE runId IN (SELECT value FROM json_each($runIds))
    AND (told IS NULL OR (told <> 'told' AND NOT (told > $now AND told <= $until)))
  RETURNING runId`;
const endTelling = 'UPDATE answers SET told = $told WHERE runId IN (SELECT value FROM json_each($runIds)) AND told = $until';
const forgetTold = 'UPDATE answers SET told = NULL WHERE runId = $runId AND told = $told';

const deleteAnswered = 'DELETE FROM gaps WHERE namespace = $namespace AND topic = $topic AND lastAskedAt <= $askedUntil';

/** By turns: of each namespace, and in it of each asker, the newest. */
const byTurns = {
  ranked: (amount: string) => `(SELECT answers.rowid AS rowid, namespace, ${amount} AS amount,
    row_number() OVER (PARTITION BY namespace, coalesce(asker, readerKey) ORDER BY answers.rowid DESC) AS turn
    FROM answers LEFT JOIN askers USING (runId))`,
  rank: 'row_number() OVER (PARTITION BY namespace ORDER BY turn, rowid DESC)',
};
/** In turns what was asked most and what was asked last. */
const mostOrLast = `min(
  row_number() OVER (PARTITION BY namespace ORDER BY count DESC, lastAskedAt DESC),
  row_number() OVER (PARTITION BY namespace ORDER BY lastAskedAt DESC))`;
const bytesOfAnswer = 'octet_length(answer) + octet_length(checked)';
const rows = { id: 'rowid', limit: '$limit' };
/** What is added up, and what deletes: to rank takes much longer, in which nothing else runs here. */
const trims: Readonly<Record<keyof AnswerBounds, { readonly sum: string; readonly delete: string }>> = {
  maxAnswers: { sum: 'SELECT count(*) AS total FROM answers', delete: deleteBeyond({ ...rows, table: 'answers', ...byTurns }) },
  maxBytes: {
    sum: `SELECT sum(${bytesOfAnswer}) AS total FROM answers`,
    delete: deleteBeyond({ ...rows, table: 'answers', ...byTurns, amount: bytesOfAnswer }),
  },
  maxGaps: { sum: 'SELECT count(*) AS total FROM gaps', delete: deleteBeyond({ ...rows, table: 'gaps', rank: mostOrLast }) },
};

/** Where earlier versions kept the same, as lines of JSON. */
const earlierFiles = ['answers.jsonl', 'gaps.jsonl'];

function takeOver(folder: string, database: DatabaseSync): void {
  const paths = earlierFiles.map((name) => join(folder, name)).filter((path) => existsSync(path));
  for (const line of paths.flatMap((path) => linesOf(readFileSync(path)))) {
    const { line: kind, check, answer, closest, at, isPersonal, caller, question, ...said } = parseLine(line) ?? {};
    const text = { checked: JSON.stringify(check), answer: JSON.stringify(answer), closest: JSON.stringify(closest) };
    const values = { ...said, ...text, question, caller, at, askedAt: at, readerKey: isPersonal ? caller : null };
    try {
      if (kind === 'answer') database.prepare(insertAnswer).run(values as never);
      if (kind === 'feedback') database.prepare(insertFeedback).run(values as never);
      if (kind === 'gap') database.prepare(insertGap).run({ ...values, ...gapOf(String(question)) } as never);
    } catch {
      // A line that is damaged or of an answer that is gone.
    }
  }
}

function trim(database: DatabaseSync, bounds: AnswerBounds): void {
  for (const [bound, statements] of Object.entries(trims)) {
    const limit = bounds[bound as keyof AnswerBounds];
    const total = Number(database.prepare(statements.sum).get()?.['total']);
    if (total > limit) database.prepare(statements.delete).run({ limit });
  }
}

/** A statement takes well under a millisecond, so each is done when its method returns. */
export function createSqliteAnswers({ folder, onWarning, onLost = () => undefined }: SqliteAnswersOptions): AnswerRows {
  const path = join(folder, 'answers.db');
  const file = createSqliteFile({ path, versions, columns, takeOver: (made) => takeOver(folder, made), onWarning, onLost });
  return {
    async open(bounds) {
      if (existsSync(folder)) file.write((made) => trim(made, bounds));
      for (const name of earlierFiles) rmSync(join(folder, name), { force: true });
    },
    async keep(answer, news, trimTo) {
      file.write((made) => {
        made.prepare(insertAnswer).run({ ...answer });
        made.prepare(insertAsker).run({ ...answer });
        if (news && 'opens' in news) made.prepare(insertGap).run({ ...news.opens });
        if (news && 'closes' in news) made.prepare(deleteAnswered).run({ ...news.closes });
        if (trimTo) trim(made, trimTo);
      });
    },
    find: async (runId) => file.read<AnswerRow>('SELECT * FROM answers WHERE runId = $runId', { runId })[0],
    list: async ({ namespaces, readerKey }, before, limit) => {
      const names = namespaces ? JSON.stringify(namespaces) : null;
      return file.read<ListedRow>(selectListed, { namespaces: names, readerKey, before: before ?? null, limit });
    },
    feedbackOf: async (runId) =>
      file.read<Feedback>('SELECT rating, comment, at FROM feedback WHERE runId = $runId ORDER BY rowid', { runId }),
    async addFeedback(feedback) {
      file.write((made) => made.prepare(insertFeedback).run({ ...feedback }));
    },
    async claimTelling({ runIds, ...times }) {
      const claimed = file.write((made) => made.prepare(claimTelling).all({ runIds: JSON.stringify(runIds), ...times }));
      return claimed.map(({ runId }) => String(runId));
    },
    async endTelling({ runIds, until }, told) {
      file.write((made) => made.prepare(endTelling).run({ runIds: JSON.stringify(runIds), until, told }));
    },
    async forgetTold(runId, told) {
      file.write((made) => made.prepare(forgetTold).run({ runId, told }));
    },
    gaps: async () => file.read<GapRow>('SELECT * FROM gaps', {}),
    async forgetDocument(documentId) {
      file.erase(
        { documentId, named: namedIn(documentId) },
        'DELETE FROM answers WHERE instr(answer, $named)',
        // Of a row that is not valid nothing can be taken out.
        'DELETE FROM gaps WHERE instr(closest, $named) AND NOT json_valid(closest)',
        `UPDATE gaps SET closest =
          (SELECT json_group_array(json(value)) FROM json_each(closest) WHERE value ->> 'documentId' <> $documentId)
          WHERE instr(closest, $named)`,
      );
    },
    async forgetNamespace(namespace) {
      file.erase({ namespace }, 'DELETE FROM answers WHERE namespace = $namespace', 'DELETE FROM gaps WHERE namespace = $namespace');
    },
    async clear() {
      file.close();
      rmSync(folder, { recursive: true, force: true });
    },
    async close() {
      file.close();
    },
  };
}
