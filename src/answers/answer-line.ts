/**
 * Answers and what people said of them, as lines: how they are written, found and read again, and which of them stay when the file is
 * rewritten. The folder is open to whoever has the machine, so a line is looked at before it is believed.
 */
import { countBy, fairLevel, fairShare } from '../concurrency/fair-share.ts';
import { isObject, linesOf, parseLine } from '../disk/line-file.ts';

/** A passage that came closest to the question. */
export interface ClosestDocument {
  readonly documentId: string;
  readonly file: string;
  readonly title: string;
  readonly source: string;
  /** Comparable within one question only. */
  readonly score: number;
}

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
  readonly answer: { readonly reason: 'answered' | 'no_context' | 'not_mentioned' | 'small_talk'; readonly [field: string]: unknown };
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

export type Rating = 'up' | 'down';

export interface Feedback {
  readonly rating: Rating;
  readonly comment: string | null;
  /** ISO 8601. */
  readonly at: string;
}

export interface KeptAnswer {
  readonly runId: string;
  readonly namespace: string;
  /** ISO 8601. */
  readonly askedAt: string;
  readonly question: string;
  readonly answer: Readonly<Record<string, unknown>>;
  readonly check: SentenceCheck;
  readonly coverage: number;
  /** Hash of the one caller who may read it; undefined: whoever may read the namespace. */
  readonly readerKey: string | undefined;
  /** One of each caller, the newest, oldest first. */
  readonly feedback: readonly Feedback[];
}

/** An id that a caller may send; it is looked for in the file as it is. */
const isRunId = (runId: string) => /^[\w-]{1,100}$/.test(runId);

/** How the lines begin, so that they can be told without being parsed. */
const headPattern =
  /^\{"line":"(?:(answer)","runId":"([\w-]{1,100})","namespace":"([^"\\]*)"|feedback","runId":"([\w-]{1,100})","caller":"([^"\\]*)")/;
const maxHeadBytes = 300;

/** Undefined for an answer that cannot be found again. */
export function answerLine(entry: AnswerEntry, callerKey: string, at: string): string | undefined {
  const { runId, namespace, question, answer, check, coverage, isPersonal = false } = entry;
  if (!isRunId(runId)) return undefined;
  return JSON.stringify({ line: 'answer', runId, namespace, caller: callerKey, at, question, coverage, check, isPersonal, answer });
}

export const feedbackLine = (runId: string, callerKey: string, feedback: Feedback): string =>
  JSON.stringify({ line: 'feedback', runId, caller: callerKey, ...feedback });

interface Head {
  readonly line: Buffer;
  readonly isAnswer: boolean;
  readonly runId: string;
  /** Of an answer. */
  readonly namespace: string;
  /** Of a feedback. */
  readonly caller: string;
}

function headOf(line: Buffer): Head | undefined {
  const [, answer, answered, namespace = '', rated, caller = ''] = headPattern.exec(line.toString('latin1', 0, maxHeadBytes)) ?? [];
  const runId = answered ?? rated;
  if (runId === undefined || line.at(-1) !== '}'.charCodeAt(0)) return undefined;
  return { line, isAnswer: answer !== undefined, runId, namespace, caller };
}

/** Of all lines that are not damaged, oldest first. */
const headsOf = (content: Buffer): Head[] => linesOf(content).flatMap((line) => headOf(line) ?? []);

function toFeedback({ rating, comment, at }: Record<string, unknown>): Feedback | undefined {
  if ((rating !== 'up' && rating !== 'down') || typeof at !== 'string') return undefined;
  return { rating, comment: typeof comment === 'string' ? comment : null, at };
}

const isCheck = (value: unknown): value is SentenceCheck =>
  isObject(value) &&
  typeof value['dropped'] === 'number' &&
  Array.isArray(value['kept']) &&
  value['kept'].every((one) => isObject(one) && typeof one['text'] === 'string');

function toAnswer(line: Record<string, unknown>, feedback: readonly Feedback[]): KeptAnswer | undefined {
  const { runId, namespace, at, question, answer, check, coverage, caller, isPersonal } = line;
  if (typeof runId !== 'string' || typeof namespace !== 'string' || typeof at !== 'string' || typeof question !== 'string')
    return undefined;
  if (!isObject(answer) || !isCheck(check)) return undefined;
  const readerKey = isPersonal === true ? String(caller) : undefined;
  return {
    runId,
    namespace,
    askedAt: at,
    question,
    answer,
    check,
    coverage: typeof coverage === 'number' ? coverage : 0,
    readerKey,
    feedback,
  };
}

/** Whether an answer is one of those that a rewrite would keep. */
function isAmongKept(answers: readonly Head[], answer: Head, maxAnswers: number): boolean {
  const newer = answers.slice(answers.indexOf(answer) + 1).filter(({ namespace }) => namespace === answer.namespace);
  return newer.length < fairLevel(countBy(answers, ({ namespace }) => namespace).values(), maxAnswers);
}

/** @param maxAnswers only one of so many newest is found, of which each namespace has a fair share */
export function findAnswer(content: Buffer, runId: string, maxAnswers: number): KeptAnswer | undefined {
  const heads = headsOf(content);
  const answers = heads.filter(({ isAnswer }) => isAnswer);
  const found = answers.findLast((head) => head.runId === runId);
  const line = found && parseLine(found.line);
  if (!line || !isAmongKept(answers, found, maxAnswers)) return undefined;
  const newest = new Map<string, Feedback>();
  for (const head of heads) {
    if (head.isAnswer || head.runId !== runId) continue;
    const feedback = toFeedback(parseLine(head.line) ?? {});
    if (!feedback) continue;
    newest.delete(head.caller);
    newest.set(head.caller, feedback);
  }
  return toAnswer(line, [...newest.values()]);
}

export interface Bounds {
  readonly maxAnswers: number;
  readonly maxBytes: number;
}

const withEnds = (lines: readonly Buffer[]): Buffer => Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));

/** What stays: the newest answers, of each namespace a fair share, and of what each caller said of them the last word. */
export function compactAnswers(content: Buffer, { maxAnswers, maxBytes }: Bounds): { content: Buffer; lines: number } {
  const seen = new Set<string>();
  const newestFirst = headsOf(content)
    .reverse()
    .filter(({ isAnswer, runId, caller }) => {
      const name = `${isAnswer} ${runId} ${caller}`;
      const isLatest = !seen.has(name);
      seen.add(name);
      return isLatest;
    });
  const answers = newestFirst.filter(({ isAnswer }) => isAnswer);
  const namespaceOf = new Map(
    fairShare(answers, maxAnswers, ({ namespace }) => namespace).map(({ runId, namespace }) => [runId, namespace]),
  );
  const stay = fairShare(
    newestFirst.filter(({ runId }) => namespaceOf.has(runId)),
    maxBytes,
    ({ runId }) => namespaceOf.get(runId) ?? '',
    ({ line }) => line.length + 1,
  );
  const kept = new Set(stay.flatMap(({ isAnswer, runId }) => (isAnswer ? [runId] : [])));
  const lines = stay.filter(({ runId }) => kept.has(runId)).reverse();
  return { content: withEnds(lines.map(({ line }) => line)), lines: lines.length };
}

/** Without the answers that hold these words, and what was said of them; undefined where there are none. */
export function withoutAnswers(content: Buffer, holds: string): Buffer | undefined {
  if (!content.includes(holds)) return undefined;
  const heads = headsOf(content);
  const gone = new Set(heads.flatMap(({ line, isAnswer, runId }) => (isAnswer && line.includes(holds) ? [runId] : [])));
  // What is damaged may be one of them, and is not among the heads.
  return withEnds(heads.flatMap(({ line, runId }) => (gone.has(runId) ? [] : [line])));
}
