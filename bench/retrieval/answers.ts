/**
 * Measures answers without a model against marked answers: 1,000 questions of SQuAD 2.0, searched
 * in all its paragraphs. Also counts how many answers are confident enough to be stated, including
 * those to unanswerable questions. Prints a table. Run: npm run bench:answers
 */
import { extractAnswer, isSure } from '../../src/app/ask/extract-answer.ts';
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
const passages = new Map(squad.passages.map((passage) => [passage.id, passage]));

const isFound: boolean[] = [];
const isSaid: boolean[] = [];
const chars: number[] = [];
const sentences: number[] = [];
const isStated: boolean[] = [];

async function extractFor(question: string) {
  const { hits, asked } = await index.search(question, passagesPerQuestion);
  const ranked = hits.map(({ documentId, score }, position) => {
    const { title, text } = passages.get(documentId)!;
    return { number: position + 1, label: title, text, language: 'en' as const, score };
  });
  return { ranked, extracted: extractAnswer({ question, passages: ranked, asked }) };
}

for (const { id, text: question } of squad.questions) {
  const { ranked, extracted } = await extractFor(question);
  const extracts = extracted?.extracts ?? [];
  isStated.push(extracted !== undefined && isSure(extracted.features));
  const answer = extracts.map(({ text }) => text).join(' ');
  const gold = squad.answers.get(id)!.map((text) => text.toLowerCase());
  const holds = (text: string) => gold.some((each) => text.toLowerCase().includes(each));
  isFound.push(ranked.some(({ text }) => holds(text)));
  isSaid.push(holds(answer));
  chars.push(answer.length);
  sentences.push(extracts.length);
}

const unanswerable: boolean[] = [];
for (const { text: question } of squad.unanswerable) {
  const { extracted } = await extractFor(question);
  unanswerable.push(extracted !== undefined && isSure(extracted.features));
}
const statedRight = isSaid.filter((_, at) => isStated[at]);

console.log(`| keyless answers: ${squad.questions.length} questions of ${squad.name} over ${squad.passages.length} paragraphs | measured |
|---|---|
| marked answer in one of the ${passagesPerQuestion} passages | ${percent(isFound)} |
| marked answer in the answer | ${percent(isSaid)} |
| stated as the answer; share of these right | ${percent(isStated)}, ${percent(statedRight)} |
| stated for ${unanswerable.length} unanswerable questions | ${percent(unanswerable)} |
| mean length of an answer | ${mean(chars).toFixed(0)} characters, ${mean(sentences).toFixed(2)} sentences |
| answers without a sentence | ${sentences.filter((count) => count === 0).length} |`);
