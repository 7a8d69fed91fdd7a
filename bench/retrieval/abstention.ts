/**
 * Measures whether coverage separates answerable questions from foreign ones: for a collection, its
 * own questions and those of the other two; for a question set, its answerable questions and
 * off-topic chat. Prints AUROC, and per threshold the share of own questions kept and of foreign
 * questions rejected. Then sweeps when queries are written, and what they weigh. Run: npm run
 * bench:abstention
 */
import { readFileSync } from 'node:fs';
import { fusedPassages, minCoverage } from '../../src/ask/search.ts';
import { maxPassages } from '../../src/ask/search-docs.ts';
import type { Passage } from '../../src/documents/document.ts';
import type { SearchIndex } from '../../src/search/search-index.ts';
import { answerableIn, loadCollections, loadConversations } from './collections.ts';
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

/** A question, and what stands in for the query that a model writes. */
interface Written {
  readonly text: string;
  readonly query: string;
  readonly isRelevant: (passage: string) => boolean;
}

const sweptThresholds = [0, 0.2, 0.35, 0.5, 1.01];
const sweptWeights = [0.25, 0.5, 1];

interface Found {
  readonly coverage: number;
  readonly passages: readonly Passage[];
}

const asPassage = (documentId: string) =>
  ({ document: { id: documentId }, start: 0, end: 1 }) as unknown as Passage;

/**
 * Share of questions with a relevant passage among those given, and requests a question, for each
 * threshold below which a query is written, and each weight of its results.
 */
async function sweep(name: string, passages: Parameters<typeof indexPassages>[0], all: Written[]) {
  const index = await indexPassages(passages);
  const found = async (query: string): Promise<Found> => {
    const { hits, coverage } = await index.search(query, maxPassages);
    return { coverage, passages: hits.map(({ documentId }) => asPassage(documentId)) };
  };
  const asked: (Written & { readonly own: Found; readonly written: Found })[] = [];
  for (const one of all)
    asked.push({ ...one, own: await found(one.text), written: await found(one.query) });
  for (const threshold of sweptThresholds) {
    const isWritten = ({ own }: (typeof asked)[number]) => own.coverage < threshold;
    const shares = sweptWeights.map((weight) => {
      const shown = asked.filter((one) => {
        const written = { ...one.written, weight: one.own.coverage < 0.2 ? 1 : weight };
        const lists = [{ ...one.own, weight: 1 }, ...(isWritten(one) ? [written] : [])];
        return fusedPassages(lists).some(({ document }) => one.isRelevant(document.id));
      });
      return `${((shown.length / asked.length) * 100).toFixed(1)} %`;
    });
    const requests = asked.filter(isWritten).length / asked.length;
    console.log(`| ${[name, threshold, requests.toFixed(2), ...shares].join(' | ')} |`);
  }
}

console.log(
  `\n| collection | written below coverage | queries a question | ${sweptWeights.map((weight) => `weight ${weight}`).join(' | ')} |`,
);
console.log(`|${'---|'.repeat(3 + sweptWeights.length)}`);
const [squad] = collections;
if (squad) {
  // Another person's question about the same paragraph; three of ten about another one.
  const ofPassage = Map.groupBy(
    answerableIn('squad2', squad.gains),
    ({ id }) => [...(squad.gains.get(id)?.keys() ?? [])][0] ?? '',
  );
  const order = [...ofPassage.keys()];
  const written = squad.questions.flatMap(({ id, text }, at): Written[] => {
    const [passage = ''] = squad.gains.get(id)?.keys() ?? [];
    const about = at % 10 < 3 ? order[(order.indexOf(passage) + 1) % order.length] : passage;
    const other = ofPassage.get(about ?? '')?.find((one) => one.id !== id);
    const isRelevant = (one: string) => (squad.gains.get(id)?.get(one) ?? 0) > 0;
    return other ? [{ text, query: other.text, isRelevant }] : [];
  });
  await sweep('squad2', squad.passages, written);
}
const talks = loadConversations();
await sweep(
  'mtrag-un',
  talks.passages,
  talks.questions.map(({ id, text, before = '' }) => ({
    text,
    query: `${before} ${text}`,
    isRelevant: (one) => (talks.gains.get(id)?.get(one) ?? 0) > 0,
  })),
);
