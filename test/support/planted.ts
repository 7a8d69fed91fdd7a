/** Thirty prompt injection documents. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const file = new URL('../fixtures/planted.yaml', import.meta.url);
interface Planted {
  readonly documents: Readonly<Record<string, string>>;
  readonly honest: readonly (readonly [question: string, file: string, sentence: string])[];
}
const { documents, honest }: Planted = parse(readFileSync(file, 'utf8'));

export const honestOfPlanted = honest;
export const plantedFiles: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(documents).map(([name, text]) => [`docs/${name}.md`, text]),
);
export const plantedNames: ReadonlySet<string> = new Set(
  Object.keys(documents).map((name) => `${name}.md`),
);
