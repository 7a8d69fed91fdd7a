/** Writes a public collection as Markdown files of a namespace, and provides questions about it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCollections } from '../retrieval/collections.ts';

export interface LoadCorpus {
  /** Texts of all collections, in their order. */
  readonly texts: readonly string[];
  readonly questions: readonly string[];
}

/** @param documents number of MedQuAD documents, in addition to the 1,216 of SQuAD */
export function readCorpus(documents: number): LoadCorpus {
  const [squad, medquad] = loadCollections();
  const passages = [...(squad?.passages ?? []), ...(medquad?.passages ?? []).slice(0, documents)];
  const texts = passages.map(
    ({ title, text }) => `${title === '' ? '' : `# ${title.replace(/\s+/g, ' ')}\n\n`}${text}\n`,
  );
  return { texts, questions: (squad?.questions ?? []).map(({ text }) => text.slice(0, 1_000)) };
}

export function writeCorpus(folder: string, namespace: string, texts: readonly string[]): void {
  const path = join(folder, namespace);
  mkdirSync(path, { recursive: true });
  for (const [at, text] of texts.entries()) writeFileSync(join(path, `passage-${at}.md`), text);
}
