/**
 * The newest answers with what was said of them, and the questions that were not answered, with bounds of their own, so that answered
 * questions do not push the others out. An answer never fails with this; everything here may be deleted at any time.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { linesOf, parseLine } from '../disk/line-file.ts';
import { withoutInvisible } from '../language/invisible.ts';
import { createDatabase, type Database, deleteBeyond } from './database.ts';
import { type ClosestDocument, type GapGroup, type GapRow, groupGaps, topicOf, wordingOf } from './gaps.ts';

/** What became of the sentences of a reply. */
export interface SentenceCheck {
  /** Sentences that the caller read: the citation that each points to, and how well its passage supports it, 0 to 1. */
  readonly kept: readonly { readonly text: string; readonly index: number; readonly score: number }[];
  /** How many were not supported. */
  readonly dropped: number;
}

export interface AnswerEntry {
  readonly runId: string;
  readonly namespace: string;
  /** What was asked, without the mention. */
  readonly question: string;
  /** As the host names who asked; only its hash is kept. */
  readonly callerId: string;
  /** As the caller got it. `not_mentioned` is never kept. */
  readonly answer: {
    readonly reason: 'answered' | 'closest' | 'no_context' | 'not_mentioned' | 'small_talk';
    readonly [field: string]: unknown;
  };
  readonly check: SentenceCheck;
  /** How surely the documents speak of what is asked, 0 to 1. */
  readonly coverage: number;
  /** Best first. */
  readonly closest: readonly ClosestDocument[];
  /** Whether it is a question that the documents should have answered and did not. */
  readonly isGap: boolean;
  /** Whether it tells what only its caller may see. */
  readonly isPersonal?: boolean;
}

export interface Feedback {
  readonly rating: 'up' | 'down';
  readonly comment: string | null;
  /** ISO 8601. */
  readonly at: string;
}

export interface AnswerLogOptions {
  /** Absolute. */
  readonly folder: string;
  /** 0: nothing is kept. */
  readonly maxAnswers: number;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error?: unknown) => void;
  /** Different questions; default 10,000. */
  readonly maxGaps?: number;
  /** Of all answers together; default 64 million. */
  readonly maxBytes?: number;
}

interface AnswerRow {
  readonly namespace: string;
  /** Who alone may read it; null: whoever may read the namespace. */
  readonly readerKey: string | null;
  readonly askedAt: string;
  readonly question: string;
  /** JSON. */
  readonly checked: string;
  readonly answer: string;
}

const schema = `
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

const insertAnswer = 'INSERT INTO answers VALUES ($runId, $namespace, $readerKey, $askedAt, $question, $checked, $answer)';
/** Of each caller the newest counts, and stands last. */
const insertFeedback = 'INSERT OR REPLACE INTO feedback VALUES ($runId, $caller, $rating, $comment, $at)';
const insertGap = `
  INSERT INTO gaps VALUES ($namespace, $words, $topic, $question, $count, $firstAskedAt, $lastAskedAt, $coverage, $closest)
  ON CONFLICT DO UPDATE SET question = excluded.question, count = count + excluded.count,
    firstAskedAt = min(firstAskedAt, excluded.firstAskedAt), lastAskedAt = max(lastAskedAt, excluded.lastAskedAt),
    closest = iif(excluded.coverage >= coverage, excluded.closest, closest), coverage = max(coverage, excluded.coverage)`;

const newest = 'row_number() OVER (PARTITION BY namespace ORDER BY rowid DESC)';
/** In turns what was asked most and what was asked last. */
const mostOrLast = `min(
  row_number() OVER (PARTITION BY namespace ORDER BY count DESC, lastAskedAt DESC),
  row_number() OVER (PARTITION BY namespace ORDER BY lastAskedAt DESC))`;
const trimAnswers = deleteBeyond('answers', newest);
const trimBytes = deleteBeyond('answers', newest, 'octet_length(answer)');
const trimGaps = deleteBeyond('gaps', mostOrLast);

/** Of an unanswered question. */
const maxQuestionChars = 1_000;
const maxCommentChars = 2_000;

/** A comment as one line that does nothing to a terminal or a table. */
const plainComment = (text: string | undefined): string | null =>
  withoutInvisible(text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxCommentChars) || null;

/** Who asked is a key, a token's subject or an address: to tell callers apart, a hash will do. */
const callerKeyOf = (callerId: string) => createHash('sha256').update(callerId).digest('hex').slice(0, 16);

function gapOf(said: string) {
  const question = said.slice(0, maxQuestionChars).trim();
  return { question, words: wordingOf(question), topic: topicOf(question) };
}

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

export class AnswerLog {
  readonly maxAnswers: number;
  readonly #options: AnswerLogOptions;
  readonly #database: Database;
  /** Answers until the next look at how many there are. */
  #untilTrim = 0;
  #isFailing = false;

  constructor(options: AnswerLogOptions) {
    const { folder, maxAnswers, onWarning } = options;
    this.maxAnswers = maxAnswers;
    this.#options = options;
    this.#database = createDatabase({ path: join(folder, 'answers.db'), schema, takeOver: (made) => takeOver(folder, made), onWarning });
  }

  /** Brings what is kept within its bounds; without answers to keep, removes it. */
  async open(): Promise<void> {
    const { folder, onWarning } = this.#options;
    try {
      if (this.maxAnswers === 0) return rmSync(folder, { recursive: true, force: true });
      if (existsSync(folder)) this.#database.write((made) => this.#trim(made));
      for (const name of earlierFiles) rmSync(join(folder, name), { force: true });
    } catch (error) {
      onWarning('The kept answers could not be read.', error);
    }
  }

  /** Never throws; a disk that stays full is told of once. */
  keep(entry: AnswerEntry): void {
    if (this.maxAnswers === 0 || entry.answer.reason === 'not_mentioned') return;
    try {
      this.#database.write((made) => this.#insert(made, entry));
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) this.#options.onWarning('An answer could not be kept.', error);
      this.#isFailing = true;
    }
  }

  /** What is personal is found by the caller who got it alone. */
  async get(runId: string, callerId = '') {
    if (this.maxAnswers === 0) return undefined;
    const [row] = this.#database.read<AnswerRow>('SELECT * FROM answers WHERE runId = $runId', { runId });
    if (!row || (row.readerKey !== null && row.readerKey !== callerKeyOf(callerId))) return undefined;
    const { namespace, askedAt, question, checked, answer } = row;
    const said = 'SELECT rating, comment, at FROM feedback WHERE runId = $runId ORDER BY rowid';
    const check: SentenceCheck = JSON.parse(checked);
    const feedback = this.#database.read<Feedback>(said, { runId });
    return { runId, namespace, askedAt, question, answer: JSON.parse(answer), check, feedback };
  }

  /** @returns what is kept of it; undefined where there is no such answer */
  async addFeedback(
    runId: string,
    callerId: string,
    { rating, comment }: Pick<Feedback, 'rating'> & { readonly comment?: string | undefined },
  ) {
    if (!(await this.get(runId, callerId))) return undefined;
    const feedback: Feedback = { rating, comment: plainComment(comment), at: this.#options.clock().toISOString() };
    this.#database.write((made) => made.prepare(insertFeedback).run({ runId, caller: callerKeyOf(callerId), ...feedback }));
    return feedback;
  }

  /** Unanswered questions, each once however it is worded, most asked first. */
  async gaps(isWanted: (namespace: string) => boolean): Promise<GapGroup[]> {
    if (this.maxAnswers === 0) return [];
    return groupGaps(this.#database.read<GapRow>('SELECT * FROM gaps', {}).filter(({ namespace }) => isWanted(namespace)));
  }

  /** Removes the answers that rest on a document. */
  async forgetDocument(documentId: string): Promise<void> {
    this.#database.erase(
      { documentId, named: `"documentId":${JSON.stringify(documentId)}` },
      'DELETE FROM answers WHERE instr(answer, $named)',
      `UPDATE gaps SET closest =
        (SELECT json_group_array(json(value)) FROM json_each(closest) WHERE value ->> 'documentId' <> $documentId) WHERE instr(closest, $named)`,
    );
  }

  async forgetNamespace(namespace: string): Promise<void> {
    this.#database.erase(
      { namespace },
      'DELETE FROM answers WHERE namespace = $namespace',
      'DELETE FROM gaps WHERE namespace = $namespace',
    );
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #insert(made: DatabaseSync, entry: AnswerEntry): void {
    const { runId, namespace, question, callerId, coverage } = entry;
    const askedAt = this.#options.clock().toISOString();
    const readerKey = entry.isPersonal ? callerKeyOf(callerId) : null;
    const text = { checked: JSON.stringify(entry.check), answer: JSON.stringify(entry.answer) };
    made.prepare(insertAnswer).run({ runId, namespace, readerKey, askedAt, question, ...text });
    const gap = gapOf(question);
    const times = { firstAskedAt: askedAt, lastAskedAt: askedAt };
    const closest = JSON.stringify(entry.closest);
    if (entry.isGap && gap.question !== '') made.prepare(insertGap).run({ namespace, ...gap, count: 1, ...times, coverage, closest });
    if (--this.#untilTrim <= 0) this.#trim(made);
  }

  #trim(made: DatabaseSync): void {
    const { maxGaps = 10_000, maxBytes = 64_000_000 } = this.#options;
    made.prepare(trimAnswers).run({ limit: this.maxAnswers });
    made.prepare(trimBytes).run({ limit: maxBytes });
    made.prepare(trimGaps).run({ limit: maxGaps });
    this.#untilTrim = Math.ceil(Math.min(this.maxAnswers, maxGaps) / 10);
  }
}
