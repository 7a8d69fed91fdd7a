/**
 * Effect of RERANK_MODEL on the public collections, through the real client and a stand-in server
 * on loopback. No reranker model runs: the stand-in ranks by the collection's judgements (upper
 * bound), by TF-IDF cosine, or at random (lower bound). Run: node bench/retrieval/rerank.ts
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createReranker } from '../../src/agent/reranker.ts';
import {
  type Collection,
  loadCollections,
  loadConversations,
  type Passage,
} from './collections.ts';
import { qualityOf } from './metrics.ts';
import { createOurs } from './ours.ts';
import { createRandom } from './random.ts';

type Scorer = (query: string, text: string) => number;

const collectionNames = new Set(['medquad', 'npl', 'squad2', 'mtrag-un']);
const depths = [10, 20, 32, 60];
/** As in the service. */
const servedDepth = 32;
const maxChars = 2_000;

const textOf = ({ title, text }: Passage) => `${title}\n\n${text}`.slice(0, maxChars);
const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/**
 * Cosine of TF-IDF vectors, without stemming, stop words, titles or proximity (Salton & Buckley
 * 1988, ltc.ltc).
 */
function createTfIdf(passages: readonly Passage[]): Scorer {
  const counts = new Map<string, number>();
  for (const passage of passages)
    for (const word of new Set(wordsOf(textOf(passage))))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const weightsOf = (text: string) => {
    const terms = new Map<string, number>();
    for (const word of wordsOf(text)) terms.set(word, (terms.get(word) ?? 0) + 1);
    const weights = new Map(
      [...terms].map(([word, tf]) => [
        word,
        (1 + Math.log(tf)) * Math.log(passages.length / (counts.get(word) ?? 1)),
      ]),
    );
    const length = Math.hypot(...weights.values()) || 1;
    return new Map([...weights].map(([word, weight]) => [word, weight / length]));
  };
  return (query, text) => {
    const own = weightsOf(text);
    return [...weightsOf(query)].reduce(
      (sum, [word, weight]) => sum + weight * (own.get(word) ?? 0),
      0,
    );
  };
}

function createOracle({ passages, questions, gains }: Collection): Scorer {
  const ids = new Map(passages.map((passage) => [textOf(passage), passage.id]));
  const questionIds = new Map(questions.map(({ id, text }) => [text, id]));
  return (query, text) => gains.get(questionIds.get(query) ?? '')?.get(ids.get(text) ?? '') ?? 0;
}

let scorer: Scorer = () => 0;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    const { query, documents } = JSON.parse(body) as { query: string; documents: string[] };
    const results = documents.map((text, index) => ({
      index,
      relevance_score: scorer(query, text),
    }));
    response.end(JSON.stringify({ results }));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const onWarning = (message: string) => {
  throw new Error(message);
};
const rerank = createReranker({
  apiKey: undefined,
  baseUrl,
  model: 'stand-in',
  onWarning,
  timeoutMs: 60_000,
});

const figure = (value: number) => value.toFixed(3).replace(/^0\./, '.');
const random = createRandom(1);

console.log(
  '| collection | order | passages reordered | nDCG@10 | Recall@10 | MRR@10 | ms a question, p50 |\n|---|---|---|---|---|---|---|',
);
for (const collection of [...loadCollections(), loadConversations()].filter(({ name }) =>
  collectionNames.has(name),
)) {
  const engine = createOurs();
  await engine.add(collection.passages);
  const texts = new Map(collection.passages.map((passage) => [passage.id, textOf(passage)]));
  const found = new Map<string, string[]>();
  for (const { id, text } of collection.questions)
    found.set(id, await engine.search(text, Math.max(...depths)));

  async function measure(name: string, own: Scorer | undefined, depth: number): Promise<void> {
    scorer = own ?? scorer;
    const rankings = new Map<string, string[]>();
    const times: number[] = [];
    for (const { id, text } of collection.questions) {
      const ids = found.get(id) ?? [];
      const ranked = ids.slice(0, depth);
      const started = performance.now();
      const order =
        own && ranked.length > 1
          ? await rerank(
              text,
              ranked.map((one) => texts.get(one) ?? ''),
            )
          : undefined;
      times.push(performance.now() - started);
      rankings.set(id, [
        ...(order ? order.flatMap((at) => ranked[at] ?? []) : ranked),
        ...ids.slice(depth),
      ]);
    }
    const { ndcg, recall, mrr } = qualityOf(collection, rankings);
    const ms = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
    const shown = [
      name,
      own ? depth : '–',
      figure(ndcg),
      figure(recall),
      figure(mrr),
      own ? ms.toFixed(1) : '–',
    ];
    console.log(`| ${[collection.name, ...shown].join(' | ')} |`);
  }

  await measure('search alone', undefined, 0);
  await measure('at random', () => random.next(), servedDepth);
  await measure('TF-IDF cosine', createTfIdf(collection.passages), servedDepth);
  for (const depth of depths) await measure('by the judgements', createOracle(collection), depth);
}
server.close();
