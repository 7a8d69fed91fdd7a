/** The newest answers and what was said of them, and the questions that were not answered. An answer never waits for it or fails with it. */
import { createHash } from 'node:crypto';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { KnowledgeError, storageError } from '../errors.ts';
import { plainLine } from '../language/invisible.ts';
import type { Warnings } from '../warnings.ts';
import type { AnswerBounds, AnswerStore, AnswersWanted, Feedback, NotificationClaim } from './answer-store.ts';
import { type ClosestDocument, closestOf, type GapChange, type GapGroup, type GapRow, gapOf, groupGaps } from './gaps.ts';

export type UnshownSentence = Readonly<{ text: string | null; reason: string }>;

interface KeptSentence {
  readonly text: string;
  readonly index: number;
  /** How well the passage supports it, 0 to 1. */
  readonly score: number;
  readonly repaired?: true;
  readonly reason?: string;
  readonly instead?: string | null;
}

export interface SentenceCheck {
  readonly kept: readonly KeptSentence[];
  readonly dropped: number;
  /** How many were replaced by the words of a passage; earlier answers have none. */
  readonly repaired: number;
  /** At most 20 that the caller did not read, at most 500 characters each; earlier answers have none. */
  readonly droppedSentences: readonly UnshownSentence[];
}

export interface AnswerEntry {
  readonly runId: string;
  readonly namespace: string;
  readonly question: string;
  readonly callerId: string;
  /** Id of the request that asked the question; undefined if no request did. */
  readonly requestId?: string | undefined;
  /** As the caller got it. `not_mentioned` is never kept. */
  readonly answer: {
    readonly reason: 'answered' | 'closest' | 'no_context' | 'not_mentioned' | 'small_talk';
    readonly [field: string]: unknown;
  };
  readonly check: SentenceCheck;
  readonly coverage: number;
  readonly closest: readonly ClosestDocument[];
  readonly isGap: boolean;
  readonly isPersonal?: boolean;
}

export interface AnswerLogOptions {
  readonly rows: AnswerStore;
  /** 0: nothing is kept. */
  readonly maxAnswers: number;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly warnings?: Pick<Warnings, 'begin'>;
  readonly maxGaps?: number;
  readonly maxBytes?: number;
}

export interface AnswersRead extends Pick<AnswersWanted, 'namespaces'> {
  /** Undefined: nobody, who has none of their own. */
  readonly callerId: string | undefined;
}

const rowsAtOnce = 20;
const maxCommentChars = 2_000;
const maxWriting = 100;

const maxRefused = 1_000;

const plainComment = (text: string | undefined): string | null => plainLine(text ?? '', maxCommentChars) || null;

/** Who asked is a key, a token's subject or an address: to tell callers apart, a hash will do. */
const callerKeyOf = (callerId: string) => createHash('sha256').update(callerId).digest('hex').slice(0, 16);

function gapNewsOf(
  { question, namespace, answer, isGap, isPersonal, coverage, closest }: AnswerEntry,
  askedAt: string,
): GapChange | undefined {
  const asked = gapOf(question);
  if (asked.question === '') return undefined;
  const times = { firstAskedAt: askedAt, lastAskedAt: askedAt };
  if (isGap) return { opens: { namespace, ...asked, count: 1, ...times, coverage, closest: JSON.stringify(closest) } };
  // What somebody's own calls answered, the documents may still not say.
  const isClosed = answer.reason === 'answered' && isPersonal !== true;
  return isClosed ? { closes: { namespace, topic: asked.topic, askedUntil: askedAt } } : undefined;
}

export class AnswerLog {
  readonly maxAnswers: number;
  readonly #options: AnswerLogOptions;
  readonly #rows: AnswerStore;
  readonly #bounds: AnswerBounds;
  readonly #writing = new Map<string, Promise<void>>();
  #untilTrim = 0;
  /** Run → its caller, and why the disk did not take the answer; oldest first. */
  readonly #refused = new Map<string, { readonly callerKey: string; readonly reason: KnowledgeError }>();
  #isFailing = false;

  constructor(options: AnswerLogOptions) {
    const { rows, maxAnswers, maxGaps = 10_000, maxBytes = 64_000_000 } = options;
    this.maxAnswers = maxAnswers;
    this.#options = options;
    this.#rows = rows;
    this.#bounds = { maxAnswers, maxGaps, maxBytes };
  }

  /** Brings what is kept within its bounds. @throws KnowledgeError `internal` if a later version of the program wrote the answers */
  async open(): Promise<void> {
    try {
      if (this.maxAnswers === 0) await this.#rows.clear();
      else await this.#rows.open(this.#bounds);
    } catch (error) {
      // Of a later version: answers of this one could not be kept.
      if (error instanceof KnowledgeError && error.code === 'internal') throw error;
      this.#options.onWarning('The kept answers could not be read.', error);
    }
  }

  /** Never throws, and nobody waits for it; what stays away, such as a full disk, is told of once. */
  keep(entry: AnswerEntry): void {
    const { runId, answer } = entry;
    if (this.maxAnswers === 0 || answer.reason === 'not_mentioned') return;
    const written = this.#insert(entry).then(
      () => {
        this.#isFailing = false;
      },
      (error: unknown) => this.#fail(entry, error),
    );
    this.#writing.set(
      runId,
      written.finally(() => this.#writing.delete(runId)),
    );
  }

  /** A personal answer is found by its caller only. @throws KnowledgeError `storage_full`, `storage_unavailable` if the disk refused it */
  async get(runId: string, callerId = '') {
    if (this.maxAnswers === 0) return undefined;
    await this.#writing.get(runId);
    const row = await this.#rows.find(runId);
    if (!row) this.#requireTaken(runId, callerId);
    if (!row || (row.readerKey !== null && row.readerKey !== callerKeyOf(callerId))) return undefined;
    const { namespace, askedAt, question, checked, answer } = row;
    const parsedCheck = this.#parse<SentenceCheck & Pick<AnswerEntry, 'requestId'>>(runId, checked);
    const parsedAnswer = this.#parse<AnswerEntry['answer']>(runId, answer);
    if (!parsedCheck || !parsedAnswer) return undefined;
    const { requestId, ...checks } = parsedCheck;
    const check: SentenceCheck = { ...checks, repaired: checks.repaired ?? 0, droppedSentences: checks.droppedSentences ?? [] };
    const feedback = await this.#rows.feedbackOf(runId);
    return { runId, requestId, namespace, askedAt, question, answer: parsedAnswer, check, feedback };
  }

  /** Undefined if it is not valid: the row is left out. */
  #parse<Form extends object>(runId: string, text: string): Form | undefined {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && ('citations' in value ? Array.isArray(value.citations) : true))
        return value as Form;
    } catch {
      // The warning below reports it.
    }
    this.#options.warnings?.begin('rows_invalid', undefined, new Error(`answers: ${runId}`));
    return undefined;
  }

  /** @param before the place of an answer: only older ones */
  async *newest({ namespaces, callerId }: AnswersRead, before?: string) {
    if (this.maxAnswers === 0) return;
    await this.settled();
    const wanted = { namespaces, readerKey: callerId === undefined ? null : callerKeyOf(callerId) };
    for (let last = before; ; ) {
      const rows = await this.#rows.list(wanted, last, rowsAtOnce);
      for (const { answer, ...row } of rows) {
        last = row.place;
        const parsed = this.#parse<AnswerEntry['answer']>(row.runId, answer);
        if (parsed) yield { ...row, answer: parsed };
      }
      if (rows.length < rowsAtOnce) return;
    }
  }

  /** One of several servers takes what is to be told. @returns what this one has to tell, within `maxMs` */
  async claimNotification(runIds: readonly string[], maxMs: number): Promise<NotificationClaim> {
    const nowMs = this.#options.clock().getTime();
    const times = { now: new Date(nowMs).toISOString(), until: new Date(nowMs + maxMs).toISOString() };
    return { ...times, runIds: await this.#rows.claimNotification({ ...times, runIds }) };
  }

  /** @param isTold where it is not, it is to be told again */
  async finishNotification(claim: NotificationClaim, isTold: boolean): Promise<void> {
    await this.#rows.finishNotification(claim, isTold ? 'told' : null);
  }

  async resetNotification(runId: string, told: string): Promise<void> {
    await this.#rows.resetNotification(runId, told);
  }

  async addFeedback(
    runId: string,
    callerId: string,
    { rating, comment }: Pick<Feedback, 'rating'> & { readonly comment?: string | undefined },
  ) {
    if (!(await this.get(runId, callerId))) return undefined;
    const feedback: Feedback = { rating, comment: plainComment(comment), at: this.#options.clock().toISOString() };
    await this.#rows.addFeedback({ runId, caller: callerKeyOf(callerId), ...feedback });
    return feedback;
  }

  async gaps(isWanted: (namespace: string) => boolean): Promise<GapGroup[]> {
    if (this.maxAnswers === 0) return [];
    await this.settled();
    const rows = (await this.#rows.gaps()).filter(({ namespace }) => isWanted(namespace));
    return groupGaps(rows.filter((row) => this.#isValid(row)));
  }

  #isValid(row: GapRow): boolean {
    const isValid = closestOf(row) !== undefined;
    if (!isValid) this.#options.warnings?.begin('rows_invalid', undefined, new Error(`gaps: ${row.namespace}`));
    return isValid;
  }

  /** Removes the answers that rest on a document, if they are written: see `settled`. */
  async forgetDocument(documentId: string): Promise<void> {
    await this.#rows.forgetDocument(documentId);
  }

  async forgetNamespace(namespace: string): Promise<void> {
    await this.#rows.forgetNamespace(namespace);
  }

  async close(): Promise<void> {
    await this.settled();
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values());
  }

  #requireTaken(runId: string, callerId: string): void {
    const refused = this.#refused.get(runId);
    if (refused?.callerKey !== callerKeyOf(callerId)) return;
    const { code, message } = refused.reason;
    throw new KnowledgeError(code, `This answer was not kept, so it cannot be read or rated. ${message}`);
  }

  #fail({ runId, callerId }: AnswerEntry, error: unknown): void {
    const reason = storageError(error);
    if (reason) this.#refused.set(runId, { callerKey: callerKeyOf(callerId), reason });
    for (const oldest of this.#refused.keys()) if (this.#refused.size > maxRefused) this.#refused.delete(oldest);
    if (!this.#isFailing) this.#options.onWarning('An answer could not be kept.', error);
    this.#isFailing = true;
  }

  async #insert(entry: AnswerEntry): Promise<void> {
    if (this.#writing.size >= maxWriting) throw new Error('too much waits to be written');
    const { runId, namespace, question, callerId } = entry;
    // In a turn of its own: to make an answer takes one long enough.
    await yieldToEventLoop();
    const askedAt = this.#options.clock().toISOString();
    const askerKey = callerKeyOf(callerId);
    const readerKey = entry.isPersonal ? askerKey : null;
    const text = { checked: JSON.stringify({ ...entry.check, requestId: entry.requestId }), answer: JSON.stringify(entry.answer) };
    const isTrimmed = --this.#untilTrim <= 0;
    if (isTrimmed) this.#untilTrim = Math.ceil(Math.min(this.#bounds.maxAnswers, this.#bounds.maxGaps) / 10);
    const answer = { runId, namespace, askerKey, readerKey, askedAt, question, ...text };
    await this.#rows.keep(answer, gapNewsOf(entry, askedAt), isTrimmed ? this.#bounds : undefined);
  }
}
