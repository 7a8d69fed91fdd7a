/**
 * Whether coverage tells questions that the documents answer from those that they know nothing of: per public collection its own questions
 * against those of the other two, per question set what it answers against off-topic chat. AUROC is the chance that one of the first has
 * more than one of the second; each threshold keeps so many of the first and turns away so many of the second. Prints a table.
 * Run: npm run bench:abstention
 */
import { readFileSync } from 'node:fs';
import { minCoverage } from '../../src/agent/agent.ts';
import type { SearchIndex } from '../../src/search/search-index.ts';
import { loadCollections } from './collections.ts';
import { pickQuestions } from './corpus.ts';
import { indexMarkdown } from './markdown-index.ts';
import { indexPassages } from './ours.ts';
import { filesOf, offTopicQuestions, questionsOf, setNames } from './question-sets.ts';

const shipped = minCoverage.lexical;
const thresholds = [...new Set([0.2, 0.3, shipped, 0.4, 0.5, 0.6])].sort((a, b) => a - b);
/** Does not matter: coverage is judged on the best chunks, however many of them are asked for. */
const limit = 10;

/** Ties count half. */
function auroc(good: readonly number[], foreign: readonly number[]): number {
  let above = 0;
  for (const own of good) for (const other of foreign) above += own > other ? 1 : own === other ? 0.5 : 0;
  return above / (good.length * foreign.length);
}

const percent = (part: number, whole: number) => ((part / whole) * 100).toFixed(0);

async function measure(name: string, index: SearchIndex, own: readonly string[], foreign: readonly string[]): Promise<void> {
  const coverage = async (questions: readonly string[]) => {
    const measured: number[] = [];
    for (const question of questions) measured.push((await index.search(question, limit)).coverage);
    return measured;
  };
  const [good, bad] = [await coverage(own), await coverage(foreign)];
  const shares = thresholds.map((threshold) => {
    const kept = good.filter((value) => value >= threshold).length;
    const turnedAway = bad.filter((value) => value < threshold).length;
    return `${percent(kept, good.length)} / ${percent(turnedAway, bad.length)}`;
  });
  console.log(`| ${[name, `${good.length} / ${bad.length}`, auroc(good, bad).toFixed(3), ...shares].join(' | ')} |`);
}

const columns = thresholds.map((threshold) => `${threshold}${threshold === shipped ? ' (shipped)' : ''}`);
console.log(`| documents | questions: own / foreign | AUROC | kept / turned away, % at ${columns.join(' | ')} |`);
console.log(`|${'---|'.repeat(3 + columns.length)}`);

const offTopic = offTopicQuestions().map(({ question }) => question);
for (const set of setNames) {
  const index = await indexMarkdown(filesOf(set).map(({ file, path }) => ({ file, content: readFileSync(path, 'utf8') })));
  const answerable = questionsOf(set).filter(({ kind }) => kind === 'answerable');
  await measure(
    set,
    index,
    answerable.map(({ question }) => question),
    offTopic,
  );
}

const collections = loadCollections();
for (const collection of collections) {
  const others = collections.filter((other) => other !== collection);
  // As many of each, so that the larger of them does not decide.
  const foreign = pickQuestions(others, others.length * Math.min(...others.map(({ questions }) => questions.length)));
  const texts = (questions: typeof foreign) => questions.map(({ text }) => text);
  await measure(collection.name, await indexPassages(collection.passages), texts([...collection.questions]), texts(foreign));
}
