/**
 * The questions that people put to a support chat (`bench/questions`, checked by its verify.mjs), and the documents that they are about: the
 * handbook of a fictional company, and documentation that our dependencies carry, so that nothing of it has to be copied here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../server.ts';

const folder = join(root, 'bench/questions');
const modules = join(root, 'node_modules');

/** Where the documents of a set lie, and the folder under which its questions name them. */
const origins = {
  handbook: [{ from: join(folder, 'handbook'), under: '' }],
  mastra: [{ from: join(modules, '@mastra/core/dist/docs/references'), under: '' }],
  undici: [
    { from: join(modules, 'undici/docs/docs'), under: 'undici' },
    { from: join(modules, 'pino/docs'), under: 'pino' },
  ],
} as const satisfies Record<string, readonly { readonly from: string; readonly under: string }[]>;

export type SetName = keyof typeof origins;
export const setNames = Object.keys(origins) as SetName[];

/** `tune` is there to choose settings by, `check` to see whether they hold. */
export type Split = 'tune' | 'check';
export const splits: readonly Split[] = ['tune', 'check'];

export interface SupportQuestion {
  readonly id: string;
  readonly split: Split;
  /** `unanswerable`: near to what the documents are about, but they do not say it. */
  readonly kind: 'answerable' | 'unanswerable' | 'off-topic';
  readonly question: string;
  /** Those that answer it; none unless it is answerable. */
  readonly files: readonly string[];
  /** Regular expressions, case-insensitive; a text that one of them matches holds the answer. */
  readonly answer: readonly string[];
}

const readQuestions = (name: string): SupportQuestion[] =>
  readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export const questionsOf = (set: SetName): SupportQuestion[] => readQuestions(set);

/** What no set answers. */
export const offTopicQuestions = (): SupportQuestion[] => readQuestions('off-topic');

/** The Markdown files of a set. @returns `file` as the questions name it, `path` where it lies */
export function filesOf(set: SetName): { readonly file: string; readonly path: string }[] {
  return origins[set].flatMap(({ from, under }) =>
    readdirSync(from, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.mdx?$/.test(name))
      .sort()
      .map((name) => ({ file: join(under, name), path: join(from, name) })),
  );
}
