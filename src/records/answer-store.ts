/** Port to the storage of answers, feedback and gaps. */
import type { GapChange, GapDetails, GapRow, KeptGap } from './gaps.ts';
import type { Counts, WeekFigures } from './weekly-counts.ts';

export interface AnswerRow {
  readonly runId: string;
  readonly namespace: string;
  /** Key of the only caller who may read it; null: every reader of the namespace may. */
  readonly readerKey: string | null;
  /** ISO 8601. */
  readonly askedAt: string;
  readonly question: string;
  readonly checked: string;
  readonly answer: string;
}

export interface NewAnswerRow extends AnswerRow {
  /**
   * Distinguishes callers: beyond the bounds, the heaviest callers lose their oldest answers first.
   */
  readonly askerKey: string;
  /** Added to the counts of its week. */
  readonly counts?: Counts | undefined;
}

export interface Feedback {
  readonly rating: 'up' | 'down';
  readonly comment: string | null;
  /** ISO 8601. */
  readonly at: string;
}

export interface FeedbackRow extends Feedback {
  readonly runId: string;
  readonly caller: string;
}

/** An answer as a message of the chat platform. */
export type ChatAnswer = Readonly<{ runId: string; conversation: string; message: string }>;

export interface AnswersWanted {
  /** Undefined: all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /**
   * Key of the reader, whose own personal answers are listed; null: no personal answers are listed.
   */
  readonly readerKey: string | null;
}

export interface ListedRow extends Omit<AnswerRow, 'checked' | 'readerKey'> {
  readonly place: string;
  readonly up: number;
  readonly down: number;
}

/** Limits over all namespaces; rows of the heaviest owners are deleted first. */
export type AnswerBounds = Readonly<{ maxAnswers: number; maxGaps: number; maxBytes: number }>;

/** Methods fail with the error of the database and then change nothing. */
export interface AnswerStore {
  open(bounds: AnswerBounds): Promise<void>;
  keep(
    answer: NewAnswerRow,
    gapChange: GapChange | undefined,
    trimTo: AnswerBounds | undefined,
  ): Promise<void>;
  find(runId: string): Promise<AnswerRow | undefined>;
  list(wanted: AnswersWanted, before: string | undefined, limit: number): Promise<ListedRow[]>;
  feedbackOf(runId: string): Promise<Feedback[]>;
  /**
   * @param gap opened by a first bad rating @param isWithdrawn the caller takes this rating back
   */
  addFeedback(
    feedback: FeedbackRow,
    gap: KeptGap | undefined,
    isWithdrawn?: boolean,
  ): Promise<void>;
  /** Saves that an answer was sent to a conversation of the chat platform. */
  addChatAnswer(runId: string, conversation: string, replyTo: string): Promise<void>;
  /** Returns where an answer was sent, once. */
  takeReplyTo(runId: string): Promise<string | undefined>;
  /** Saves the platform's message id of an answer that was sent to that conversation. */
  setChatMessage(answer: ChatAnswer): Promise<void>;
  runOfChatMessage(message: string): Promise<string | undefined>;
  gaps(): Promise<GapRow[]>;
  gapDetails(): Promise<GapDetails>;
  weeks(now: Date): Promise<WeekFigures[]>;
  forgetDocument(documentId: string): Promise<void>;
  forgetNamespace(namespace: string): Promise<void>;
  clear(): Promise<void>;
}

interface RowsToTrim {
  readonly table: string;
  /**
   * Subquery with only the sort columns and `amount`, because all its rows are sorted; default: the
   * table.
   */
  readonly ranked?: (amount: string) => string;
  readonly id: string;
  readonly limit: string;
  /** SQL expression for a row's rank among the rows of its owner, from 1. */
  readonly rank: string;
  readonly amount?: string;
}

/**
 * Returns SQL that deletes rows beyond a limit: the last ranks of every owner, so heavy owners lose
 * most.
 */
export const deleteBeyond = ({
  table,
  ranked,
  id,
  limit,
  rank,
  amount = '1',
}: RowsToTrim): string => `
  DELETE FROM ${table} WHERE ${id} IN (
    SELECT id FROM (
      SELECT id, sum(amount) OVER (ORDER BY rank, id DESC ROWS UNBOUNDED PRECEDING) AS total
      FROM (SELECT ${id} AS id, ${ranked ? 'amount' : amount} AS amount, ${rank} AS rank FROM ${ranked?.(amount) ?? table}) AS ranked
    ) AS summed
    WHERE total > ${limit})`;
