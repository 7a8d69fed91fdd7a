/**
 * Answers and what people said of them, as lines: how they are written, found and read again, and which of them stay when the file is
 * rewritten. The folder is open to whoever has the machine, so a line is looked at before it is believed.
 */
import { linesOf, parseLine } from './line-file.ts';

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
  readonly answer: { readonly reason: 'answered' | 'no_context' | 'not_mentioned'; readonly [field: string]: unknown };
  readonly check: SentenceCheck;
  /** How surely the documents speak of what is asked, 0 to 1. */
  readonly coverage: number;
  /** Best first. */
  readonly closest: readonly ClosestDocument[];
  /** Whether it is a question that the documents should have answered and did not: small talk is none. */
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

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** An id that a caller may send; it is looked for in the file as it is. */
const isRunId = (runId: string) => /^[\w-]{1,100}$/.test(runId);

/** How the lines begin, so that they can be told without being parsed: a megabyte a millisecond. */
const answerStart = '{"line":"answer",';
const feedbackStart = '{"line":"feedback",';
const headPattern = /^\{"line":"(?:(answer)","runId":"([\w-]{1,100})","namespace"|feedback","runId":"([\w-]{1,100})","caller":"([^"\\]*)")/;
const maxHeadBytes = 300;

/** Undefined for an answer that cannot be found again. */
export function answerLine(entry: AnswerEntry, callerKey: string, at: string): string | undefined {
  const { runId, namespace, question, answer, check, coverage, isPersonal = false } = entry;
  if (!isRunId(runId)) return undefined;
  return JSON.stringify({ line: 'answer', runId, namespace, caller: callerKey, at, question, coverage, check, isPersonal, answer });
}

export const feedbackLine = (runId: string, callerKey: string, feedback: Feedback): string =>
  JSON.stringify({ line: 'feedback', runId, caller: callerKey, ...feedback });

function headOf(line: Buffer) {
  const [, answer, answered, rated, caller = ''] = headPattern.exec(line.toString('latin1', 0, maxHeadBytes)) ?? [];
  const runId = answered ?? rated;
  if (runId === undefined || line.at(-1) !== '}'.charCodeAt(0)) return undefined;
  return { isAnswer: answer !== undefined, runId, caller };
}

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

function lineAt(content: Buffer, start: number): Record<string, unknown> | undefined {
  const end = content.indexOf(0x0a, start);
  return parseLine(content.subarray(start, end < 0 ? content.length : end));
}

/** Where lines with this start begin, oldest first. */
function* startsOf(content: Buffer, lineStart: string, from = 0): Generator<number> {
  const wanted = Buffer.from(`\n${lineStart}`);
  if (from === 0 && content.subarray(0, lineStart.length).equals(wanted.subarray(1))) yield 0;
  for (let found = content.indexOf(wanted, from); found >= 0; found = content.indexOf(wanted, found + 1)) yield found + 1;
}

/** @param maxAnswers only one of so many newest is found */
export function findAnswer(content: Buffer, runId: string, maxAnswers: number): KeptAnswer | undefined {
  if (!isRunId(runId)) return undefined;
  const start = [...startsOf(content, `${answerStart}"runId":"${runId}",`)].at(-1);
  const line = start === undefined ? undefined : lineAt(content, start);
  if (start === undefined || !line) return undefined;
  if ([...startsOf(content, answerStart, start + 1)].length >= maxAnswers) return undefined;
  const newest = new Map<unknown, Feedback>();
  for (const at of startsOf(content, `${feedbackStart}"runId":"${runId}",`)) {
    const given = lineAt(content, at);
    const feedback = given && toFeedback(given);
    if (!feedback) continue;
    newest.delete(given['caller']);
    newest.set(given['caller'], feedback);
  }
  return toAnswer(line, [...newest.values()]);
}

export interface Bounds {
  readonly maxAnswers: number;
  readonly maxBytes: number;
}

const withEnds = (lines: readonly Buffer[]): Buffer => Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));

/** What stays: the newest answers, and of what each caller said of them the last word. */
export function compactAnswers(content: Buffer, { maxAnswers, maxBytes }: Bounds): { content: Buffer; lines: number } {
  const stay: { readonly line: Buffer; readonly runId: string }[] = [];
  const answers = new Set<string>();
  const feedback = new Set<string>();
  let bytes = 0;
  for (const line of linesOf(content).reverse()) {
    const head = headOf(line);
    if (!head) continue;
    const seen = head.isAnswer ? answers : feedback;
    const name = head.isAnswer ? head.runId : `${head.runId} ${head.caller}`;
    if (seen.has(name)) continue;
    bytes += line.length + 1;
    if (bytes > maxBytes || (head.isAnswer && answers.size === maxAnswers)) break;
    seen.add(name);
    stay.push({ line, runId: head.runId });
  }
  const kept = stay.filter(({ runId }) => answers.has(runId)).reverse();
  return { content: withEnds(kept.map(({ line }) => line)), lines: kept.length };
}

/** Without the answers that hold these words, and what was said of them; undefined where there are none. */
export function withoutAnswers(content: Buffer, holds: string): Buffer | undefined {
  if (!content.includes(holds)) return undefined;
  const lines = linesOf(content).map((line) => ({ line, head: headOf(line) }));
  const gone = new Set(lines.flatMap(({ line, head }) => (head?.isAnswer && line.includes(holds) ? [head.runId] : [])));
  // What is damaged may be one of them.
  return withEnds(lines.flatMap(({ line, head }) => (head && !gone.has(head.runId) ? [line] : [])));
}
