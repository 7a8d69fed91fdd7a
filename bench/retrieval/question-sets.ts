/**
 * Questions for a support chat (`bench/questions`, checked by its verify.mjs) and their documents:
 * the handbook of a fictional company, and documentation inside our dependencies, so nothing is
 * copied here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../server.ts';

const folder = join(root, 'bench/questions');
const modules = join(root, 'node_modules');

/** Folder of a set's documents, and the folder in its questions' file names. */
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

/** `tune`: for choosing settings; `check`: for confirming them. */
export type Split = 'tune' | 'check';
export const splits: readonly Split[] = ['tune', 'check'];

export interface SupportQuestion {
  readonly id: string;
  readonly split: Split;
  /** `unanswerable`: close to the documents' topics, but without an answer there. */
  readonly kind: 'answerable' | 'unanswerable' | 'off-topic';
  readonly question: string;
  /** Files with the answer; empty unless it is answerable. */
  readonly files: readonly string[];
  /** Case-insensitive regular expressions; a text that matches one of them contains the answer. */
  readonly answer: readonly string[];
}

const readQuestions = (name: string): SupportQuestion[] =>
  readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

export const questionsOf = (set: SetName): SupportQuestion[] => readQuestions(set);

/** Questions that no set answers. */
export const offTopicQuestions = (): SupportQuestion[] => readQuestions('off-topic');

/** Markdown files of a set. @returns `file` as named in the questions, `path` on disk */
export function filesOf(set: SetName): { readonly file: string; readonly path: string }[] {
  return origins[set].flatMap(({ from, under }) =>
    readdirSync(from, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.mdx?$/.test(name))
      .sort()
      .map((name) => ({ file: join(under, name), path: join(from, name) })),
  );
}
