/**
 * Eleven documents of a fictional company, each with a question and honest sentences of a model.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { read } from './repository.ts';

export type Topic = Readonly<{
  name: string;
  question: string;
  /** Text of the answering passage, word for word. */
  fact: string;
  /** Whole sentences of the document, or lightly reworded ones. */
  sentences: readonly string[];
  items?: readonly string[];
  rows?: readonly string[];
  /** A true sentence of another document. */
  elsewhere: string;
}>;

const folder = new URL('../fixtures/staged-handbook/', import.meta.url);

export const handbook: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder).map((name) => [`docs/${name}`, readFileSync(new URL(name, folder), 'utf8')]),
);

export const topics: readonly Topic[] = read('test/fixtures/staged-topics.jsonl')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line));
