/**
 * The newest answers with what was said of them, and the questions that were not answered, each in a file of `INDEX_DIR/answers` with a
 * bound of its own, so that answered questions do not push the others out. An answer never waits for this and never fails with it;
 * everything here may be deleted at any time.
 */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LineFile, linesOf } from '../disk/line-file.ts';
import { removeLeftovers } from '../disk/replace-file.ts';
import { withoutInvisible } from '../language/invisible.ts';
import {
  type AnswerEntry,
  answerLine,
  compactAnswers,
  type Feedback,
  feedbackLine,
  findAnswer,
  type KeptAnswer,
  type Rating,
  withoutAnswers,
} from './answer-line.ts';
import { compactGaps, type GapGroup, gapLine, groupGaps, readGaps, withoutDocument, withoutNamespace } from './gaps.ts';

export interface AnswerLog {
  /** How many answers are kept; 0: nothing is. */
  readonly maxAnswers: number;
  /** Brings the folder within its bounds; without answers to keep, removes it. Later calls do nothing. */
  open(): Promise<void>;
  /** Returns at once and never throws. */
  keep(entry: AnswerEntry): void;
  /** What was kept this moment is found; what is personal by the caller who got it alone. */
  get(runId: string, callerId?: string): Promise<KeptAnswer | undefined>;
  /** Of each caller the newest counts. @returns what is kept of it; undefined where there is no such answer */
  addFeedback(
    runId: string,
    callerId: string,
    given: { readonly rating: Rating; readonly comment?: string | undefined },
  ): Promise<Feedback | undefined>;
  /** Unanswered questions, each once however it is worded, most asked first. */
  gaps(isWanted: (namespace: string) => boolean): Promise<GapGroup[]>;
  /** Removes the answers that rest on a document. */
  forgetDocument(documentId: string): Promise<void>;
  forgetNamespace(namespace: string): Promise<void>;
  /** Resolves when everything is with the system. */
  close(): Promise<void>;
}

export interface AnswerLogOptions {
  /** Absolute. */
  readonly folder: string;
  readonly maxAnswers: number;
  readonly clock: () => Date;
  readonly onWarning: (message: string, error: unknown) => void;
  /** Different questions; default 10,000. */
  readonly maxGaps?: number;
  /** Beyond this a file is rewritten, to at most half of it; default 64 million. */
  readonly maxFileBytes?: number;
}

const defaults = { maxGaps: 10_000, maxFileBytes: 64_000_000 };
/** An answer with its passages takes some ten thousand. */
const maxLineChars = 1_000_000;
const maxCommentChars = 2_000;
/** For a rewrite that has to happen. */
const patienceMs = 15_000;

/** A comment as one line that does nothing to a terminal or a table. */
const plainComment = (text: string | undefined): string | null =>
  withoutInvisible(text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxCommentChars) || null;

/** Who asked is a key, a token's subject or an address: to tell callers apart, a hash will do. */
const callerKeyOf = (callerId: string) => createHash('sha256').update(callerId).digest('hex').slice(0, 16);

type OnWarning = AnswerLogOptions['onWarning'];
type Compact = (content: Buffer) => { readonly content: Buffer; readonly lines: number };

/** A file that is rewritten when it holds twice the lines that it needs, or too many bytes. */
function createBoundedFile(path: string, minLines: number, maxBytes: number, compact: Compact, onWarning: OnWarning) {
  const file = new LineFile(path);
  const inProgress = new Set<Promise<void>>();
  /** Undefined until the file was looked at. */
  let lines: number | undefined;
  let needed = minLines;
  let isFailing = false;
  let isCompacting = false;

  async function compactIfDue(bytes: number): Promise<void> {
    // Many lines may have gone into one write.
    if (isCompacting || ((lines ?? 0) <= 2 * needed && bytes <= maxBytes)) return;
    isCompacting = true;
    try {
      await file.rewrite((content) => {
        const compacted = compact(content);
        lines = compacted.lines;
        needed = Math.max(minLines, lines);
        return compacted.content;
      });
    } finally {
      isCompacting = false;
    }
  }

  return {
    read: () => file.read(),

    async open(): Promise<void> {
      const content = await file.read();
      lines = linesOf(content).length;
      await compactIfDue(content.length);
    },

    async append(line: string): Promise<void> {
      if (line.length > maxLineChars) throw new Error(`a line of ${line.length} characters is not kept`);
      const bytes = await file.append(line);
      lines ??= linesOf(await file.read()).length - 1;
      lines++;
      await compactIfDue(bytes).catch((error: unknown) => onWarning('Kept answers could not be brought within their bounds.', error));
    },

    /** `append` for which nobody waits; a disk that stays full is told of once. */
    write(line: string): void {
      const done = this.append(line)
        .then(
          () => {
            isFailing = false;
          },
          (error: unknown) => {
            if (!isFailing) onWarning('An answer could not be kept.', error);
            isFailing = true;
          },
        )
        .finally(() => inProgress.delete(done));
      inProgress.add(done);
    },

    async forget(without: (content: Buffer) => Buffer | undefined): Promise<void> {
      if (!(await file.rewrite(without, patienceMs))) throw new Error('another process holds the kept answers');
    },

    async settle(): Promise<void> {
      await Promise.all(inProgress);
    },
  };
}

export function createAnswerLog(options: AnswerLogOptions): AnswerLog {
  const { folder, maxAnswers, clock, onWarning, maxGaps, maxFileBytes } = { ...defaults, ...options };
  const isOff = maxAnswers === 0;
  const boundedFile = (name: string, minLines: number, compact: (content: Buffer, maxBytes: number) => ReturnType<Compact>) =>
    createBoundedFile(join(folder, name), minLines, maxFileBytes, (content) => compact(content, maxFileBytes / 2), onWarning);
  const answers = boundedFile('answers.jsonl', maxAnswers, (content, maxBytes) => compactAnswers(content, { maxAnswers, maxBytes }));
  const gaps = boundedFile('gaps.jsonl', maxGaps, (content, maxBytes) => compactGaps(content, { maxRows: maxGaps, maxBytes }));
  let opening: Promise<void> | undefined;

  async function open(): Promise<void> {
    if (isOff) return rm(folder, { recursive: true, force: true });
    await removeLeftovers(folder);
    await answers.open();
    await gaps.open();
  }

  return {
    maxAnswers,

    open() {
      opening ??= open().catch((error: unknown) => onWarning('The kept answers could not be read.', error));
      return opening;
    },

    keep(entry) {
      if (isOff || entry.answer.reason === 'not_mentioned') return;
      try {
        const at = clock().toISOString();
        const line = answerLine(entry, callerKeyOf(entry.callerId), at);
        if (line !== undefined) answers.write(line);
        if (entry.isGap && entry.question.trim() !== '') gaps.write(gapLine(entry, at));
      } catch (error) {
        onWarning('An answer could not be kept.', error);
      }
    },

    async get(runId, callerId = '') {
      const kept = isOff ? undefined : findAnswer(await answers.read(), runId, maxAnswers);
      return kept?.readerKey === undefined || kept.readerKey === callerKeyOf(callerId) ? kept : undefined;
    },

    async addFeedback(runId, callerId, { rating, comment }) {
      if (!(await this.get(runId, callerId))) return undefined;
      const feedback = { rating, comment: plainComment(comment), at: clock().toISOString() };
      await answers.append(feedbackLine(runId, callerKeyOf(callerId), feedback));
      return feedback;
    },

    gaps: async (isWanted) => {
      if (isOff) return [];
      const rows = readGaps(await gaps.read());
      return groupGaps(rows.filter((row) => isWanted(row.namespace)));
    },

    async forgetDocument(documentId) {
      await answers.forget((content) => withoutAnswers(content, `"documentId":${JSON.stringify(documentId)}`));
      await gaps.forget((content) => withoutDocument(content, documentId));
    },

    async forgetNamespace(namespace) {
      await answers.forget((content) => withoutAnswers(content, `"namespace":${JSON.stringify(namespace)}`));
      await gaps.forget((content) => withoutNamespace(content, namespace));
    },

    async close() {
      await Promise.all([answers.settle(), gaps.settle()]);
    },
  };
}
