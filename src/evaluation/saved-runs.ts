/**
 * Earlier runs: `INDEX_DIR/evaluations/<questions file>-<kind of model>.jsonl`, one run a line, the last twenty. May be deleted at any
 * time; a line that cannot be read, or is of another version, is as if it were not there. The text of answers is not kept.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Run } from './compare.ts';

export interface SavedRuns {
  /** The newest; undefined where there is none. */
  last(): Promise<Run | undefined>;
  add(run: Run): Promise<void>;
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

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const countNames = ['expected', 'rank', 'cited', 'citedExpected', 'expectedCited', 'sentences', 'dropped', 'chars', 'ms'];
const isScore = (value: unknown) =>
  isRecord(value) &&
  ['key', 'question', 'namespace', 'verdict'].every((name) => typeof value[name] === 'string') &&
  ['isUnanswerable', 'isAnswered', 'hasPatterns'].every((name) => typeof value[name] === 'boolean') &&
  countNames.every((name) => typeof value[name] === 'number');

function parseRun(line: string): Run | undefined {
  try {
    const value: unknown = JSON.parse(line);
    if (!isRecord(value) || value['version'] !== formatVersion) return undefined;
    const isRun = typeof value['at'] === 'string' && typeof value['model'] === 'string' && Array.isArray(value['scores']);
    return isRun && (value['scores'] as unknown[]).every(isScore) ? (value as unknown as Run) : undefined;
  } catch {
    return undefined;
  }
}

export function createSavedRuns({ folder, questionsFile, kind }: SavedRunsOptions): SavedRuns {
  const slug = basename(questionsFile, extname(questionsFile)).replace(/[^\p{L}\p{N}]+/gu, '-');
  const hash = createHash('sha256').update(questionsFile).digest('hex').slice(0, nameHexDigits);
  const path = join(folder, `${slug.slice(0, maxSlugChars)}-${hash}-${kind}.jsonl`);

  async function read(): Promise<string[]> {
    const content = await readFile(path, 'utf8').catch(() => '');
    return content.split('\n').filter((line) => line !== '');
  }

  return {
    async last() {
      for (const line of (await read()).reverse()) {
        const run = parseRun(line);
        if (run) return run;
      }
      return undefined;
    },

    async add({ at, model, scores }) {
      const lines = [...(await read()), JSON.stringify({ version: formatVersion, at, model, scores })].slice(-maxRuns);
      await mkdir(folder, { recursive: true });
      const temporary = join(folder, `.${randomUUID()}.tmp`);
      try {
        await writeFile(temporary, `${lines.join('\n')}\n`, { mode: 0o600, flag: 'wx', flush: true });
        await rename(temporary, path);
      } finally {
        await rm(temporary, { force: true });
      }
    },
  };
}
