/**
 * Measures answers without a model against marked answers: 1,000 questions of SQuAD 2.0, searched
 * in all its paragraphs. Prints a table. Run: npm run bench:answers
 */

import { quotedSections } from '../../src/ask/reply/section-reply.ts';
import type { Passage } from '../../src/documents/document.ts';
import { loadCollections } from './collections.ts';
import { indexPassages } from './ours.ts';

/** Same number as the agent passes to a model. */
const passagesPerQuestion = 6;

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const percent = (values: readonly boolean[]) =>
  `${((values.filter(Boolean).length / Math.max(1, values.length)) * 100).toFixed(1)} %`;

const squad = loadCollections().find(({ answers }) => answers.size > 0)!;
const index = await indexPassages(squad.passages);
const texts = new Map(squad.passages.map((passage) => [passage.id, passage]));

function toPassage(id: string, score: number): Passage {
  const { title, text } = texts.get(id)!;
  const file = `${id}.md`;
  const place = { start: 0, end: text.length, headingPath: [], anchor: null, page: null };
  return {
    ...place,
    chunkId: id,
    text,
    score,
    document: {
      id,
      namespace: 'squad',
      file,
      title,
      source: file,
      kind: 'file',
      revision: '',
      bytes: text.length,
      textLanguage: 'en',
    },
  };
}

const isFound: boolean[] = [];
const isSaid: boolean[] = [];
const chars: number[] = [];
const sections: number[] = [];

for (const { id, text: question } of squad.questions) {
  const { hits, asked } = await index.search(question, passagesPerQuestion);
  const passages = hits.map(({ documentId, score }) => toPassage(documentId, score));
  const quoted = quotedSections(passages, asked, question);
  const answer = quoted.map(({ text }) => text).join('\n\n');
  const gold = squad.answers.get(id)!.map((text) => text.toLowerCase());
  const holds = (text: string) => gold.some((each) => text.toLowerCase().includes(each));
  isFound.push(passages.some(({ text }) => holds(text)));
  isSaid.push(holds(answer));
  chars.push(answer.length);
  sections.push(quoted.length);
}

console.log(`| answers without a model: ${squad.questions.length} questions of ${squad.name} over ${squad.passages.length} paragraphs | measured |
|---|---|
| marked answer in one of the ${passagesPerQuestion} passages | ${percent(isFound)} |
| marked answer in the answer | ${percent(isSaid)} |
| mean length of an answer | ${mean(chars).toFixed(0)} characters, ${mean(sections).toFixed(2)} sections |
| answers without a section | ${sections.filter((count) => count === 0).length} |`);
