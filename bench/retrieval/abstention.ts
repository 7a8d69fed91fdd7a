/**
 * Measures whether coverage separates answerable questions from foreign ones: for a collection, its
 * own questions and those of the other two; for a question set, its answerable questions and
 * off-topic chat. Prints AUROC, and per threshold the share of own questions kept and of foreign
 * questions rejected. Run: npm run bench:abstention
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
/** Any value works: coverage depends only on the best chunks. */
const limit = 10;

/** Ties count half. */
function auroc(good: readonly number[], foreign: readonly number[]): number {
  let above = 0;
  for (const own of good)
    for (const other of foreign) above += own > other ? 1 : own === other ? 0.5 : 0;
  return above / (good.length * foreign.length);
}

const percent = (part: number, whole: number) => ((part / whole) * 100).toFixed(0);

async function measure(
  name: string,
  index: SearchIndex,
  own: readonly string[],
  foreign: readonly string[],
): Promise<void> {
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
  console.log(
    `| ${[name, `${good.length} / ${bad.length}`, auroc(good, bad).toFixed(3), ...shares].join(' | ')} |`,
  );
}

const columns = thresholds.map(
  (threshold) => `${threshold}${threshold === shipped ? ' (shipped)' : ''}`,
);
console.log(
  `| documents | questions: own / foreign | AUROC | kept / rejected, % at ${columns.join(' | ')} |`,
);
console.log(`|${'---|'.repeat(3 + columns.length)}`);

const offTopic = offTopicQuestions().map(({ question }) => question);
for (const set of setNames) {
  const index = await indexMarkdown(
    filesOf(set).map(({ file, path }) => ({ file, content: readFileSync(path, 'utf8') })),
  );
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
  // As many of each collection, so the larger one does not dominate.
  const foreign = pickQuestions(
    others,
    others.length * Math.min(...others.map(({ questions }) => questions.length)),
  );
  const texts = (questions: typeof foreign) => questions.map(({ text }) => text);
  await measure(
    collection.name,
    await indexPassages(collection.passages),
    texts([...collection.questions]),
    texts(foreign),
  );
}
