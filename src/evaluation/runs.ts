/**
 * Runs: asking every question, a few at a time; keeping what was measured; and a run beside an earlier one of the same file. A question that
 * the provider fails on is a failed question, not a failed run; a run that is interrupted gives what was done.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { AskResult } from '../app/ask/ask.ts';
import type { KnowledgeApi } from '../app/knowledge-api.ts';
import { isObject, linesOf, parseLine } from '../disk/line-file.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { KnowledgeError } from '../errors.ts';
import type { Question } from './questions.ts';
import {
  byNamespace,
  evaluationFiguresOf,
  type FigureName,
  type Figures,
  figureNames,
  type Score,
  type ScoredVerdict,
  scoreAnswer,
  scoreFailure,
} from './score.ts';

export interface QuestionOutcome {
  readonly score: Score;
  /** Undefined where the question failed. */
  readonly result: AskResult | undefined;
}

export interface RunOptions {
  readonly questions: readonly Question[];
  readonly ask: KnowledgeApi['ask'];
  /** The message that asks the agent this question. */
  readonly toMessage: (question: string) => string;
  /** Questions at a time. */
  readonly concurrency: number;
  /** What is under way then is not waited for. */
  readonly signal: AbortSignal;
  /** In milliseconds, never going back. */
  readonly now: () => number;
  readonly onOutcome: (outcome: QuestionOutcome) => void;
}

/** @returns in the order of the questions; fewer than them where it was interrupted */
export async function runQuestions(options: RunOptions): Promise<QuestionOutcome[]> {
  const { questions, ask, toMessage, concurrency, signal, now, onOutcome } = options;
  const outcomes: (QuestionOutcome | undefined)[] = questions.map(() => undefined);
  let next = 0;

  async function askOne(question: Question): Promise<QuestionOutcome> {
    const started = now();
    try {
      const content = toMessage(question.question);
      const result = await ask({ messages: [{ role: 'user', content }], namespace: question.namespace, signal });
      return { score: scoreAnswer(question, result, now() - started), result };
    } catch (error) {
      if (!(error instanceof KnowledgeError)) throw error;
      return { score: scoreFailure(question, error, now() - started), result: undefined };
    }
  }

  async function work(): Promise<void> {
    for (let position = next++; position < questions.length; position = next++) {
      const outcome = await askOne(questions[position] as Question);
      // Ended by the interruption, not by itself.
      if (signal.aborted) return;
      outcomes[position] = outcome;
      onOutcome(outcome);
    }
  }

  await Promise.all(Array.from({ length: Math.min(concurrency, questions.length) }, work));
  return outcomes.filter((outcome) => outcome !== undefined);
}

export interface SavedRun {
  /** ISO 8601. */
  readonly at: string;
  readonly model: string;
  readonly scores: readonly Score[];
}

export interface Change {
  readonly question: string;
  readonly namespace: string;
  readonly from: ScoredVerdict;
  readonly to: ScoredVerdict;
}

export type Differences = Readonly<Partial<Record<FigureName, number>>>;

export interface RunComparison {
  /** The earlier run. */
  readonly at: string;
  readonly model: string;
  /** Questions that both have measured. */
  readonly questions: number;
  /** Now minus then, over these questions. */
  readonly all: Differences;
  readonly namespaces: ReadonlyMap<string, Differences>;
  readonly better: readonly Change[];
  readonly worse: readonly Change[];
}

/** To say nothing is better than to say what is wrong. */
const worth: Readonly<Record<ScoredVerdict, number>> = { failed: 0, wrong: 0, refused: 1, right: 2 };

function difference(now: Figures, then: Figures): Differences {
  return Object.fromEntries(
    figureNames.flatMap((name) => {
      const [after, before] = [now[name], then[name]];
      return after && before ? [[name, after.value - before.value]] : [];
    }),
  );
}

/**
 * Only what both have measured is compared: a question that is new, was changed, or failed in one of them would move the figures without
 * anything having become better or worse.
 */
export function compareRuns(now: SavedRun, then: SavedRun): RunComparison {
  const measured = ({ verdict }: Score) => verdict !== 'failed';
  const earlier = new Map(then.scores.filter(measured).map((score) => [score.key, score]));
  const pairs = now.scores.filter(measured).flatMap((after) => {
    const before = earlier.get(after.key);
    return before ? [{ after, before }] : [];
  });
  const before = byNamespace(pairs.map((pair) => pair.before));
  const after = byNamespace(pairs.map((pair) => pair.after));
  const changed = (isWanted: (gain: number) => boolean) =>
    pairs
      .filter((pair) => isWanted(worth[pair.after.verdict] - worth[pair.before.verdict]))
      .map((pair): Change => {
        const { question, namespace, verdict } = pair.after;
        return { question, namespace, from: pair.before.verdict, to: verdict };
      });
  return {
    at: then.at,
    model: then.model,
    questions: pairs.length,
    all: difference(evaluationFiguresOf(pairs.map((pair) => pair.after)), evaluationFiguresOf(pairs.map((pair) => pair.before))),
    namespaces: new Map(
      [...after].map(([name, scores]) => [name, difference(evaluationFiguresOf(scores), evaluationFiguresOf(before.get(name) ?? []))]),
    ),
    better: changed((gain) => gain > 0),
    worse: changed((gain) => gain < 0),
  };
}

export interface SavedRunsOptions {
  /** `INDEX_DIR/evaluations`. */
  readonly folder: string;
  /** Absolute path of the questions file: another file of the same name has runs of its own. */
  readonly questionsFile: string;
  /** Answers that were picked and answers that were written are not compared with each other. */
  readonly kind: 'extractive' | 'provider';
}

/** Raised when a score says something else than before. */
const formatVersion = 1;
const maxRuns = 20;
const nameHexDigits = 12;
const maxSlugChars = 60;

const fieldTypes = {
  string: ['key', 'question', 'namespace', 'verdict'],
  boolean: ['isUnanswerable', 'isAnswered', 'hasPatterns'],
  number: ['expected', 'rank', 'cited', 'citedExpected', 'expectedCited', 'sentences', 'dropped', 'chars', 'ms'],
} as const satisfies Readonly<Record<string, readonly (keyof Score)[]>>;
const isScore = (value: unknown): value is Score =>
  isObject(value) && Object.entries(fieldTypes).every(([type, names]) => names.every((name) => typeof value[name] === type));

const isSavedRun = (value: unknown): value is SavedRun =>
  isObject(value) &&
  value['version'] === formatVersion &&
  typeof value['at'] === 'string' &&
  typeof value['model'] === 'string' &&
  Array.isArray(value['scores']) &&
  value['scores'].every(isScore);

/**
 * Earlier runs: `INDEX_DIR/evaluations/<questions file>-<kind of model>.jsonl`, one run a line, the last twenty. May be deleted at any
 * time; a line that cannot be read, or is of another version, is as if it were not there. The text of answers is not kept.
 */
export function createSavedRuns({ folder, questionsFile, kind }: SavedRunsOptions) {
  const slug = basename(questionsFile, extname(questionsFile)).replace(/[^\p{L}\p{N}]+/gu, '-');
  const hash = createHash('sha256').update(questionsFile).digest('hex').slice(0, nameHexDigits);
  const path = join(folder, `${slug.slice(0, maxSlugChars)}-${hash}-${kind}.jsonl`);

  const read = async () => linesOf(await readFile(path).catch(() => Buffer.alloc(0))).flatMap((line) => parseLine(line) ?? []);

  return {
    /** The newest; undefined where there is none. */
    last: async (): Promise<SavedRun | undefined> => (await read()).findLast(isSavedRun),
    async add({ at, model, scores }: SavedRun): Promise<void> {
      const runs = [...(await read()), { version: formatVersion, at, model, scores }].slice(-maxRuns);
      await mkdir(folder, { recursive: true });
      await replaceFile(path, (file) => file.writeFile(runs.map((run) => `${JSON.stringify(run)}\n`).join('')));
    },
  };
}
