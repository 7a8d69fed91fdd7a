/**
 * Eleven documents of a fictional company, each with a question and honest sentences of a model.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { read } from './repository.ts';

export interface Topic {
  readonly name: string;
  readonly question: string;
  /** Text of the answering passage, word for word. */
  readonly fact: string;
  /** Whole sentences of the document, or lightly reworded ones. */
  readonly sentences: readonly string[];
  readonly items?: readonly string[];
  readonly rows?: readonly string[];
  /** A true sentence of another document. */
  readonly elsewhere: string;
}

const folder = new URL('../fixtures/staged-handbook/', import.meta.url);

export const handbook: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder).map((name) => [`docs/${name}`, readFileSync(new URL(name, folder), 'utf8')]),
);

export const topics: readonly Topic[] = read('test/fixtures/staged-topics.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
