/** The port to where answers, feedback and gaps are kept. */
import type { GapChange, GapRow } from './gaps.ts';

export interface AnswerRow {
  readonly runId: string;
  readonly namespace: string;
  /** Who alone may read it; null: whoever may read the namespace. */
  readonly readerKey: string | null;
  /** ISO 8601. */
  readonly askedAt: string;
  readonly question: string;
  readonly checked: string;
  readonly answer: string;
}

export interface NewAnswerRow extends AnswerRow {
  /** Tells callers apart: of more answers than there is room for, those of whoever asked most go first. */
  readonly askerKey: string;
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

export interface AnswersWanted {
  /** Undefined: of all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /** Who reads: what is somebody else's own is not listed; null: nobody's own is. */
  readonly readerKey: string | null;
}

/** Whether it was told that an answer does not hold any more; `null`: no. A time (ISO 8601): somebody is telling it, until then at most. */
export type NotificationState = 'told' | string | null;

export interface NotificationClaim {
  readonly runIds: readonly string[];
  /** ISO 8601. */
  readonly now: string;
  /** The same; tells this claim from others. */
  readonly until: string;
}

export interface ListedRow extends Omit<AnswerRow, 'checked' | 'readerKey'> {
  readonly place: string;
  readonly up: number;
  readonly down: number;
  readonly told: NotificationState;
}

/** Of all namespaces together; whoever has most of it makes room first. */
export type AnswerBounds = Readonly<{ maxAnswers: number; maxGaps: number; maxBytes: number }>;

/** Every method may fail as what it is kept in does; what stands before is then unchanged. */
export interface AnswerStore {
  open(bounds: AnswerBounds): Promise<void>;
  keep(answer: NewAnswerRow, news: GapChange | undefined, trimTo: AnswerBounds | undefined): Promise<void>;
  find(runId: string): Promise<AnswerRow | undefined>;
  list(wanted: AnswersWanted, before: string | undefined, limit: number): Promise<ListedRow[]>;
  feedbackOf(runId: string): Promise<Feedback[]>;
  addFeedback(feedback: FeedbackRow): Promise<void>;
  claimNotification(claim: NotificationClaim): Promise<string[]>;
  finishNotification(claim: NotificationClaim, told: 'told' | null): Promise<void>;
  /** What holds again can be told anew. @param told as it was read */
  resetNotification(runId: string, told: string): Promise<void>;
  gaps(): Promise<GapRow[]>;
  forgetDocument(documentId: string): Promise<void>;
  forgetNamespace(namespace: string): Promise<void>;
  clear(): Promise<void>;
}

interface RowsToTrim {
  readonly table: string;
  /** Its rows with what they are ranked by and their `amount`, and no more: they are sorted; default: as they stand there. */
  readonly ranked?: (amount: string) => string;
  readonly id: string;
  readonly limit: string;
  /** Of a row among those of its owner, from 1. */
  readonly rank: string;
  readonly amount?: string;
}

/** SQL that deletes what is beyond a limit: of each owner what ranks last, so that whoever has much makes room first. */
export const deleteBeyond = ({ table, ranked, id, limit, rank, amount = '1' }: RowsToTrim): string => `
  DELETE FROM ${table} WHERE ${id} IN (
    SELECT id FROM (
      SELECT id, sum(amount) OVER (ORDER BY rank, id DESC ROWS UNBOUNDED PRECEDING) AS total
      FROM (SELECT ${id} AS id, ${ranked ? 'amount' : amount} AS amount, ${rank} AS rank FROM ${ranked?.(amount) ?? table}) AS ranked
    ) AS summed
    WHERE total > ${limit})`;
