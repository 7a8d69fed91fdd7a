/**
 * Runs: asking every question, a few at a time; keeping what was measured; and a run beside an earlier one of the same file. A question that
 * the provider fails on is a failed question, not a failed run; a run that is interrupted gives what was done.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { z } from 'zod';
import type { AskResult } from '../app/ask/ask.ts';
import { createLimit } from '../concurrency/queue.ts';
import { linesOf, parseLine } from '../disk/line-file.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { KnowledgeError } from '../errors.ts';
import type { Question } from './questions.ts';
import {
  byNamespace,
  evaluationFiguresOf,
  type FigureName,
  figureNames,
  type Score,
  type ScoredVerdict,
  scoreAnswer,
  scoreFailure,
  scoreSchema,
} from './score.ts';

export interface QuestionOutcome {
  readonly score: Score;
  /** Undefined where the question failed. */
  readonly result: AskResult | undefined;
}

export interface RunOptions {
  readonly questions: readonly Question[];
  readonly ask: (question: Question) => Promise<AskResult>;
  /** Questions at a time. */
  readonly concurrency: number;
  /** What is under way then is not waited for. */
  readonly signal: AbortSignal;
  readonly onOutcome: (outcome: QuestionOutcome) => void;
}

/** @returns in the order of the questions; fewer than them where it was interrupted */
export async function runQuestions(options: RunOptions): Promise<QuestionOutcome[]> {
  const { questions, ask, concurrency, signal, onOutcome } = options;
  const limit = createLimit(concurrency);

  async function askOne(question: Question): Promise<QuestionOutcome> {
    const started = performance.now();
    try {
      const result = await ask(question);
      return { score: scoreAnswer(question, result, performance.now() - started), result };
    } catch (error) {
      if (!(error instanceof KnowledgeError)) throw error;
      return { score: scoreFailure(question, error, performance.now() - started), result: undefined };
    }
  }

  const outcomes = questions.map((question) =>
    limit(async () => {
      const outcome = signal.aborted ? undefined : await askOne(question);
      // Ended by the interruption, not by itself.
      if (signal.aborted || !outcome) return [];
      onOutcome(outcome);
      return [outcome];
    }),
  );
  return (await Promise.all(outcomes)).flat();
}

/** Raised when a score says something else than before. */
const formatVersion = 1;
const savedRun = z.object({
  version: z.literal(formatVersion),
  /** ISO 8601. */
  at: z.string(),
  model: z.string(),
  scores: z.array(scoreSchema),
});
export type SavedRun = Readonly<Omit<z.infer<typeof savedRun>, 'version'>>;

export type Differences = Readonly<Partial<Record<FigureName, number>>>;

/** To say nothing is better than to say what is wrong. */
const worth: Readonly<Record<ScoredVerdict, number>> = { failed: 0, wrong: 0, refused: 1, right: 2 };

function differenceOf(pairs: readonly { readonly after: Score; readonly before: Score }[]): Differences {
  const [now, then] = [evaluationFiguresOf(pairs.map(({ after }) => after)), evaluationFiguresOf(pairs.map(({ before }) => before))];
  return Object.fromEntries(
    figureNames.flatMap((name) => {
      const [after, before] = [now[name], then[name]];
      return after && before ? [[name, after.value - before.value]] : [];
    }),
  );
}

export type RunComparison = ReturnType<typeof compareRuns>;

/**
 * Figures now minus then, and the questions whose verdict has changed. Only what both have measured is compared: a question that is new, was
 * changed, or failed in one of them would move the figures without anything having become better or worse.
 * @param then the earlier run
 */
export function compareRuns(now: SavedRun, then: SavedRun) {
  const measured = ({ verdict }: Score) => verdict !== 'failed';
  const earlier = new Map(then.scores.filter(measured).map((score) => [score.key, score]));
  const pairs = now.scores.filter(measured).flatMap((after) => {
    const before = earlier.get(after.key);
    return before ? [{ after, before, namespace: after.namespace }] : [];
  });
  const changed = (direction: 1 | -1) =>
    pairs.flatMap(({ after: { question, verdict: to }, before: { verdict: from }, namespace }) =>
      Math.sign(worth[to] - worth[from]) === direction ? [{ question, namespace, from, to }] : [],
    );
  return {
    at: then.at,
    model: then.model,
    questions: pairs.length,
    all: differenceOf(pairs),
    namespaces: new Map([...byNamespace(pairs)].map(([name, group]) => [name, differenceOf(group)])),
    better: changed(1),
    worse: changed(-1),
  };
}

const maxRuns = 20;
const nameHexDigits = 12;
const maxSlugChars = 60;

/**
 * Earlier runs: `STATE_DIR/evaluations/<questions file>-<kind of model>.jsonl`, one run a line, the last twenty. May be deleted at any
 * time; a line that cannot be read, or is of another version, is as if it were not there. The text of answers is not kept.
 * @param questionsFile absolute path: another file of the same name has runs of its own
 * @param kind answers that were picked and answers that were written are not compared with each other
 */
export function createSavedRuns(folder: string, questionsFile: string, kind: 'extractive' | 'provider') {
  const slug = basename(questionsFile, extname(questionsFile)).replace(/[^\p{L}\p{N}]+/gu, '-');
  const hash = createHash('sha256').update(questionsFile).digest('hex').slice(0, nameHexDigits);
  const path = join(folder, `${slug.slice(0, maxSlugChars)}-${hash}-${kind}.jsonl`);

  const read = async () => linesOf(await readFile(path).catch(() => Buffer.alloc(0))).flatMap((line) => parseLine(line) ?? []);

  return {
    /** The newest; undefined where there is none. */
    last: async (): Promise<SavedRun | undefined> => (await read()).flatMap((line) => savedRun.safeParse(line).data ?? []).at(-1),
    async add({ at, model, scores }: SavedRun): Promise<void> {
      const runs = [...(await read()), { version: formatVersion, at, model, scores }].slice(-maxRuns);
      await mkdir(folder, { recursive: true });
      await replaceFile(path, (file) => file.writeFile(runs.map((run) => `${JSON.stringify(run)}\n`).join('')));
    },
  };
}
