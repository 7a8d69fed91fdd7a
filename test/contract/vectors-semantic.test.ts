import { expect, it, onTestFinished, vi } from 'vitest';
import { ProviderEmbedder } from '../../src/models/provider.ts';
import { SemanticIndexes } from '../../src/search/vectors/semantic-index.ts';
import { startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { temporaryFolder } from '../support/workspace.ts';

const patient = { timeout: 60_000 };
const documentOf = (id: string, text: string) => ({
  id,
  title: id,
  chunks: [{ headingPath: [], text }],
});

/** Uses HTTP throughout, with the same parts as `compose`. */
async function start(folder: string) {
  const provider = await startFakeEmbeddings();
  const { baseUrl } = provider;
  const firstPauseMs = 1;
  const embedder = new ProviderEmbedder({ apiKey: 'key', baseUrl, model: 'fake', firstPauseMs });
  const onWarning = () => undefined;
  const indexes = new SemanticIndexes({ embedder, folder, onWarning, firstPauseMs, gatherMs: 1 });
  onTestFinished(() => indexes.close());
  await indexes.store.open();
  return { provider, indexes, index: indexes.of('docs') };
}

it('a semantic index throws if another model runs under the same name', async () => {
  const folder = await temporaryFolder();
  const first = await start(folder);
  first.index.upsert(documentOf('refunds', 'Refunds are paid.'));
  await vi.waitUntil(() => first.indexes.queue.progress().done === 1, patient);
  const keys = first.index.keysOf('refunds')!;
  await first.indexes.close();
  const second = await start(folder);
  second.provider.script(({ input }) => input.map(() => [1, 2, 3]));
  second.index.restore('refunds', keys);
  await expect(second.index.search('money back', 5)).rejects.toMatchObject({
    code: 'model_failed',
    message: expect.stringContaining('INDEX_DIR'),
  });
  second.index.upsert(documentOf('access', 'Log in with your company account.'));
  await vi.waitUntil(() => second.indexes.queue.progress().failure === 'model_failed', patient);
});
