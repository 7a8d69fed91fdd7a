/**
 * Embeds documents until it is done or killed. Arguments: base URL of the provider, folder, number
 * of documents.
 */

import { ProviderEmbedder } from '../../src/models/provider.ts';
import { SemanticIndexes } from '../../src/search/vectors/semantic-index.ts';

const [baseUrl = '', folder = '', count = '0'] = process.argv.slice(2);
const embedder = new ProviderEmbedder({
  apiKey: undefined,
  baseUrl,
  model: 'fake',
  maxBatch: 8,
  firstPauseMs: 1,
});
const onWarning = (message: string, error: unknown) => console.error(message, error);
const indexes = new SemanticIndexes({
  embedder,
  folder,
  onWarning,
  gatherMs: 0,
  forgetDelayMs: 0,
});
await indexes.store.open();
indexes.queue.settle();
const index = indexes.of('docs');
for (let number = 0; number < Number(count); number++) {
  index.upsert({
    id: `d${number}`,
    title: `Document ${number}`,
    chunks: [{ headingPath: [], text: `the word zebra${number}x` }],
  });
}
const timer = setInterval(async () => {
  const { wanted, done } = indexes.queue.progress();
  if (done < wanted) return;
  clearInterval(timer);
  await indexes.close();
}, 5);
