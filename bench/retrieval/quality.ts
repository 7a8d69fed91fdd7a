/**
 * Ranking quality on the public collections, ours and other engines, without typos and with one per
 * question (mean of three seeds). Prints a table. Run: npm run bench:quality
 * [-- --without fts5]
 */
import { parseArgs } from 'node:util';
import {
  type Collection,
  loadCollections,
  loadConversations,
  type Question,
} from './collections.ts';
import { createEngine, type Engine, engineNames, titles } from './engines.ts';
import { depth, type Quality, qualityOf } from './metrics.ts';
import { withTypos } from './typos.ts';

const { values } = parseArgs({
  options: { without: { type: 'string', multiple: true, default: [] } },
});
const compared = engineNames.filter((name) => !values.without.includes(name));
const typoSeeds = [1, 2, 3];
const figure = (value: number) => value.toFixed(3).replace(/^(-?)0\./, '$1.');

async function ask(
  engine: Engine,
  collection: Collection,
  questions: readonly Question[],
): Promise<Quality> {
  const rankings = new Map<string, string[]>();
  for (const { id, text } of questions) rankings.set(id, await engine.search(text, depth));
  return qualityOf(collection, rankings);
}

const collections = [...loadCollections(), loadConversations()];
console.log(
  `| collection | engine | nDCG@10 | Recall@10 | MRR@10 | nDCG@10, one typo | lost | CPU of a question, ms |\n|---|---|---|---|---|---|---|---|`,
);
for (const collection of collections) {
  for (const name of compared) {
    const engine = createEngine(name);
    await engine.add(collection.passages);
    const started = process.cpuUsage();
    const clean = await ask(engine, collection, collection.questions);
    const { user, system } = process.cpuUsage(started);
    const cpuMs = (user + system) / 1_000 / collection.questions.length;
    let typo = 0;
    for (const seed of typoSeeds)
      typo +=
        (await ask(engine, collection, withTypos(collection.questions, seed))).ndcg /
        typoSeeds.length;
    const measured = [clean.ndcg, clean.recall, clean.mrr, typo, clean.ndcg - typo];
    console.log(
      `| ${collection.name} | ${titles[name]} | ${measured.map(figure).join(' | ')} | ${cpuMs.toFixed(1)} |`,
    );
  }
}
