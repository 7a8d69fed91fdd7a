/**
 * Stores the newest answers with their feedback, and unanswered questions. A slow or failed write
 * never affects answering.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { parseLine } from '../../packages/shared/src/disk/line-file.ts';
import { KnowledgeError, storageError } from '../../packages/shared/src/errors.ts';
import { plainLine } from '../../packages/shared/src/language/invisible.ts';
import type { Purpose } from '../models/model-call.ts';
import type { Warnings } from '../warnings.ts';
import type { AnswerRow, AnswerRows, ChatAnswer, Feedback } from './answer-tables.ts';
import {
  type ClosestDocument,
  citedRevisions,
  closestDocument,
  closestOf,
  type GapChange,
  gapOf,
  groupGaps,
  type KeptGap,
  maxClosest,
} from './gaps.ts';
import { type Counts, twoDigits } from './weekly-counts.ts';

type UnshownSentence = Readonly<{ text: string | null; reason: string }>;

type KeptSentence = Readonly<{
  text: string;
  index: number;
  /** 0 to 1: how well the passage supports it. */
  score: number;
  rewritten?: true;
  reason?: string;
  instead?: string | null;
}>;

/** A request to a model. Milliseconds; tokens as reported, or else estimated. */
export interface RequestMade {
  readonly purpose: Purpose;
  readonly model: string;
  readonly outcome: string;
  readonly ms: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of `check`: whether each sentence holds, in order; null: not decided. */
  verdicts?: readonly (boolean | null)[];
}

type SentenceCheck = Readonly<{
  kept: readonly KeptSentence[];
  dropped: number;
  /** Sections shown in place of sentences, 0 or 1. */
  repaired: number;
  /** Sentences that the model wrote again; absent in old rows. */
  rewritten?: number;
  checkedBy?: 'model' | 'rules' | 'mixed';
  requests?: readonly RequestMade[];
  /**
   * At most 20 sentences that were not shown, of at most 500 characters each; absent in old rows.
   */
  droppedSentences: readonly UnshownSentence[];
}>;

/** Who asked, for people who get the question. */
export type Asker = Readonly<{
  previousQuestion: string | null;
  thread: string | null;
  /** Only a user that authentication proved. */
  user: string | null;
  /** Name that the caller chose for the owner of the thread; proves nothing. */
  resource: string | null;
  entryPoint: string | null;
  /** Ids of its message in a chat and of the first one of its thread, if the platform shows them. */
  message?: string | undefined;
  parentId?: string | undefined;
}>;

/** An answer that a caller rated as not helpful. */
export type RatedAnswer = Asker &
  Readonly<{
    runId: string;
    namespace: string;
    question: string;
    reason: string;
    closest: readonly ClosestDocument[];
  }>;

/** Stored with the check of an answer; readers do not see `asker`. */
type StoredCheck = SentenceCheck & Pick<AnswerEntry, 'requestId' | 'entryPoint' | 'asker'>;

const unknownAsker: Asker = {
  previousQuestion: null,
  thread: null,
  user: null,
  resource: null,
  entryPoint: null,
};

export type AnswerEntry = Readonly<{
  runId: string;
  namespace: string;
  question: string;
  callerId: string;
  /** Undefined if the question did not come from an HTTP request. */
  requestId?: string | undefined;
  /** Operation or protocol of the question. */
  entryPoint?: string | undefined;
  /** Only if a bad rating hands the question off. */
  asker?: Asker | undefined;
  /** As sent to the caller. `not_mentioned` is never stored. */
  answer: {
    readonly reason: 'answered' | 'closest' | 'no_context' | 'not_mentioned' | 'small_talk';
    readonly [field: string]: unknown;
  };
  check: SentenceCheck;
  coverage: number;
  closest: readonly ClosestDocument[];
  isGap: boolean;
  isPersonal?: boolean;
}>;

/** `replyTo`: as given to `sentToChat`. */
export type ChatSentence = Readonly<{ runId: string; text: string; replyTo: string }>;

export type AnswersRead = Readonly<{
  /** Undefined: all namespaces. */
  namespaces: readonly string[] | undefined;
  /** Undefined: the reader sees no personal answers. */
  callerId: string | undefined;
}>;

const pageSize = 20;
const maxCommentChars = 2_000;
const maxPendingWrites = 100;
const maxFailedWrites = 1_000;

/**
 * A caller id is a key, a token's subject or an address; a hash is enough to distinguish callers.
 */
const callerKeyOf = (callerId: string) => hash('sha256', callerId).slice(0, 16);

/** A question without words opens no gap. */
function gapAt(
  askedAt: string,
  { namespace, question }: Pick<AnswerRow, 'namespace' | 'question'>,
  { closest, ...found }: Pick<AnswerEntry, 'coverage' | 'closest' | 'entryPoint'>,
): KeptGap | undefined {
  const asked = gapOf(question);
  if (asked.question === '') return undefined;
  const times = { firstAskedAt: askedAt, lastAskedAt: askedAt };
  return { namespace, ...asked, count: 1, ...times, ...found, closest: JSON.stringify(closest) };
}

function gapChangeOf(entry: AnswerEntry, askedAt: string): GapChange {
  const { coverage, closest, entryPoint, answer } = entry;
  const gap = gapAt(askedAt, entry, { coverage, closest, entryPoint });
  if (!gap) return {};
  if (entry.isGap) return { opens: gap };
  // A personal answer may use results of the caller's tool calls, so it closes no gap of the
  // documents.
  const isShown =
    answer.reason === 'answered' || (answer.reason === 'closest' && answer['degraded'] !== true);
  if (!isShown || entry.isPersonal) return {};
  const { namespace, topic } = gap;
  return { closes: { namespace, topic, askedUntil: askedAt, revisions: citedRevisions(answer) } };
}

type SearchResult = Readonly<{
  toolName: string;
  result: { coverage?: number; results?: readonly ClosestDocument[] };
}>;
type Rating = Pick<Feedback, 'rating'> & { readonly comment?: string | undefined };

/** Gap of an answer, or of sections, that were not helpful. Refusals are gaps already. */
function gapOfAnswer(row: AnswerRow) {
  const answer = parseLine(row.answer);
  if (answer?.['reason'] !== 'answered' && answer?.['reason'] !== 'closest') return undefined;
  const search = ((answer['toolResults'] ?? []) as readonly SearchResult[]).find(
    ({ toolName }) => toolName === 'docsRetriever',
  );
  const { coverage = 0, results = [] } = search?.result ?? {};
  const documents = new Map(results.map((one) => [one.documentId, closestDocument(one)]));
  const closest = [...documents.values()].slice(0, maxClosest);
  const entryPoint = parseLine(row.checked)?.['entryPoint'] as string | undefined;
  return gapAt(row.askedAt, row, { coverage, closest, entryPoint });
}

/** Counts of an answer; none for small talk. */
function countsOf({ answer, check }: AnswerEntry): Counts | undefined {
  const { reason, usage } = answer;
  if (reason === 'small_talk' || reason === 'not_mentioned') return undefined;
  const tokens = (usage as { totalTokens?: number } | undefined)?.totalTokens ?? 0;
  return {
    questions: 1,
    [reason === 'no_context' ? 'refused' : reason]: 1,
    [`requests ${check.requests?.length ?? 0}`]: 1,
    [`tokens ${twoDigits(tokens)}`]: 1,
  };
}

export class AnswerLog {
  readonly maxAnswers;
  /** Hands off a bad answer. @returns the sentence that tells the user so */
  onUnhelpful: ((rated: RatedAnswer, callerId: string) => Promise<string | undefined>) | undefined;
  readonly #options;
  readonly #rows;
  readonly #bounds;
  readonly #pendingWrites = new Map<string, Promise<void>>();
  #writesUntilTrim = 0;
  /** By run id. */
  readonly #failedWrites = new LRUCache<string, { callerKey: string; reason: KnowledgeError }>({
    max: maxFailedWrites,
  });
  #isFailing = false;

  constructor(
    options: Readonly<{
      rows: AnswerRows;
      /** 0: nothing is stored. */
      maxAnswers: number;
      clock: () => Date;
      onWarning: (message: string, error?: unknown) => void;
      warnings?: Pick<Warnings, 'begin'>;
      maxGaps?: number;
      maxBytes?: number;
    }>,
  ) {
    const { rows, maxAnswers, maxGaps = 10_000, maxBytes = 64_000_000 } = options;
    this.maxAnswers = maxAnswers;
    this.#options = options;
    this.#rows = rows;
    this.#bounds = { maxAnswers, maxGaps, maxBytes };
  }

  /**
   * Deletes rows beyond the bounds. @throws KnowledgeError `internal` if a later version of the
   * program wrote the answers
   */
  async open() {
    try {
      if (this.maxAnswers === 0) await this.#rows.clear();
      else await this.#rows.open(this.#bounds);
    } catch (error) {
      if (error instanceof KnowledgeError && error.code === 'internal') throw error;
      this.#options.onWarning('Stored answers could not be read.', error);
    }
  }

  /** Writes in the background and never throws. Warns once per outage, such as a full disk. */
  keep(entry: AnswerEntry) {
    const { runId, answer } = entry;
    if (this.maxAnswers === 0 || answer.reason === 'not_mentioned') return;
    const written = this.#insert(entry).then(
      () => {
        this.#isFailing = false;
      },
      (error: unknown) => this.#fail(entry, error),
    );
    this.#pendingWrites.set(
      runId,
      written.finally(() => this.#pendingWrites.delete(runId)),
    );
  }

  /**
   * Returns a personal answer to its caller only. @throws KnowledgeError `storage_full`,
   * `storage_unavailable` if it could not be written
   */
  async get(runId: string, callerId = '') {
    if (this.maxAnswers === 0) return undefined;
    await this.#pendingWrites.get(runId);
    const row = await this.#rows.find(runId);
    if (!row) this.#throwIfNotStored(runId, callerId);
    if (!row || (row.readerKey !== null && row.readerKey !== callerKeyOf(callerId)))
      return undefined;
    const { namespace, askedAt, question, checked, answer } = row;
    const parsedCheck = this.#parse<StoredCheck>(runId, checked);
    const whole = this.#parse<AnswerEntry['answer']>(runId, answer);
    if (!parsedCheck || !whole) return undefined;
    const { requestId, entryPoint: _, asker: __, ...checks } = parsedCheck;
    const check: SentenceCheck = {
      ...checks,
      repaired: checks.repaired ?? 0,
      droppedSentences: checks.droppedSentences ?? [],
    };
    const feedback = await this.#rows.feedbackOf(runId);
    return { runId, requestId, namespace, askedAt, question, answer: whole, check, feedback };
  }

  /** Returns undefined for an invalid row, so that lists omit it. */
  #parse<Form extends object>(runId: string, text: string) {
    const value: object | undefined = parseLine(text);
    if (value && (!('citations' in value) || Array.isArray(value.citations))) return value as Form;
    this.#warnInvalid(`answers: ${runId}`);
    return undefined;
  }

  /** Yields answers, newest first. @param before `place` of an answer: yields only older ones */
  async *newest({ namespaces, callerId }: AnswersRead, before?: string) {
    if (this.maxAnswers === 0) return;
    await this.settled();
    const readerKey = callerId === undefined ? null : callerKeyOf(callerId);
    for (let last = before; ; ) {
      const rows = await this.#rows.list(namespaces, readerKey, last, pageSize);
      for (const { answer, ...row } of rows) {
        last = row.place;
        const parsed = this.#parse<AnswerEntry['answer']>(row.runId, answer);
        if (parsed) yield { ...row, answer: parsed };
      }
      if (rows.length < pageSize) return;
    }
  }

  async addFeedback(runId: string, callerId: string, rating: Rating) {
    return (await this.get(runId, callerId)) && this.#rate(runId, callerId, rating);
  }

  /**
   * Saves a rating, or takes it back. The first bad rating opens a gap, and withdrawing the last
   * closes it.
   */
  async #rate(runId: string, callerId: string, { rating, comment }: Rating, isWithdrawn = false) {
    const feedback = {
      rating,
      comment: plainLine(comment ?? '', maxCommentChars) || null,
      at: this.#options.clock().toISOString(),
    };
    const row = await this.#rows.find(runId);
    await this.#rows.addFeedback(
      { runId, caller: callerKeyOf(callerId), ...feedback },
      row && gapOfAnswer(row),
      isWithdrawn,
    );
    // Stored before the rating is acknowledged, so that a crash loses neither.
    const handedOff =
      row && rating === 'down' && !isWithdrawn ? await this.#handOff(row, callerId) : undefined;
    return { ...feedback, ...(handedOff !== undefined && { handedOff }) };
  }

  async #handOff(row: AnswerRow, callerId: string) {
    const { runId, namespace, question } = row;
    const reason = this.#parse<AnswerEntry['answer']>(runId, row.answer)?.reason;
    if (reason === undefined || reason === 'small_talk') return undefined;
    const { asker = unknownAsker } = this.#parse<StoredCheck>(runId, row.checked) ?? {};
    const closest = closestOf(gapOfAnswer(row) ?? { closest: '[]' }) ?? [];
    return this.onUnhelpful?.({ runId, namespace, question, reason, closest, ...asker }, callerId);
  }

  /** Saves that an answer is about to be sent to a conversation of the chat platform. */
  async sentToChat(runId: string, conversation: string, replyTo: string) {
    await this.#pendingWrites.get(runId);
    if (this.maxAnswers > 0) await this.#rows.addChatAnswer(runId, conversation, replyTo);
  }

  /** Saves the platform's message id of an answer that was sent. */
  setChatMessage(answer: ChatAnswer) {
    return this.#rows.setChatMessage(answer);
  }

  /**
   * Rates the answer in a message of the chat platform, whose users may see it even if it is
   * personal. @returns undefined for other messages; `said`: what the chat learns of a hand-off, once
   * an answer
   */
  async rateChatMessage(
    message: string,
    callerId: string,
    rating: Feedback['rating'],
    isWithdrawn: boolean,
  ): Promise<{ readonly said?: ChatSentence } | undefined> {
    const runId = await this.#rows.runOfChatMessage(message);
    if (runId === undefined) return undefined;
    const { handedOff } = await this.#rate(runId, callerId, { rating }, isWithdrawn);
    if (handedOff === undefined) return {};
    const replyTo = await this.#rows.takeReplyTo(runId);
    const { text } = parseLine((await this.#rows.find(runId))?.answer ?? '') ?? {};
    const isKnown = String(text).includes(handedOff);
    return replyTo === undefined || isKnown ? {} : { said: { runId, text: handedOff, replyTo } };
  }

  async gaps(isWanted: (namespace: string) => boolean) {
    if (this.maxAnswers === 0) return [];
    await this.settled();
    const rows = (await this.#rows.gaps()).filter((row) => {
      if (!isWanted(row.namespace) || closestOf(row)) return isWanted(row.namespace);
      this.#warnInvalid(`gaps: ${row.namespace}`);
      return false;
    });
    return groupGaps(rows, await this.#rows.gapDetails());
  }

  /** Figures of each week, newest first. */
  async weeks(isWanted: (namespace: string) => boolean) {
    await this.settled();
    const weeks = await this.#rows.weeks(this.#options.clock());
    return weeks.filter(({ namespace }) => isWanted(namespace));
  }

  #warnInvalid(row: string) {
    this.#options.warnings?.begin('rows_invalid', undefined, new Error(row));
  }

  /** Deletes written answers that quote the document; await `settled` first. */
  forgetDocument(documentId: string) {
    return this.#rows.forgetDocument(documentId);
  }

  forgetNamespace(namespace: string) {
    return this.#rows.forgetNamespace(namespace);
  }

  async settled() {
    await Promise.all(this.#pendingWrites.values());
  }

  #throwIfNotStored(runId: string, callerId: string) {
    const failed = this.#failedWrites.peek(runId);
    if (failed?.callerKey !== callerKeyOf(callerId)) return;
    const { code, message } = failed.reason;
    throw new KnowledgeError(
      code,
      `This answer was not stored, so it cannot be read or rated. ${message}`,
    );
  }

  #fail({ runId, callerId }: AnswerEntry, error: unknown) {
    const reason = storageError(error);
    if (reason) this.#failedWrites.set(runId, { callerKey: callerKeyOf(callerId), reason });
    if (!this.#isFailing) this.#options.onWarning('An answer could not be stored.', error);
    this.#isFailing = true;
  }

  async #insert(entry: AnswerEntry) {
    if (this.#pendingWrites.size >= maxPendingWrites)
      throw new Error(`${maxPendingWrites} answers are already being written`);
    const { runId, namespace, question, callerId, requestId, entryPoint, asker } = entry;
    await yieldToEventLoop();
    const askedAt = this.#options.clock().toISOString();
    const askerKey = callerKeyOf(callerId);
    const readerKey = entry.isPersonal ? askerKey : null;
    const { maxAnswers, maxGaps } = this.#bounds;
    const isTrimmed = --this.#writesUntilTrim <= 0;
    if (isTrimmed) this.#writesUntilTrim = Math.ceil(Math.min(maxAnswers, maxGaps) / 10);
    const checked = JSON.stringify({ ...entry.check, requestId, entryPoint, asker });
    const texts = { question, checked, answer: JSON.stringify(entry.answer) };
    const keys = { runId, namespace, askerKey, readerKey, askedAt };
    await this.#rows.keep(
      { ...keys, ...texts, counts: countsOf(entry) },
      gapChangeOf(entry, askedAt),
      isTrimmed ? this.#bounds : undefined,
    );
  }
}
