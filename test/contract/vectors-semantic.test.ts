import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProviderEmbedder } from '../../src/models/provider.ts';
import { SemanticIndexes } from '../../src/search/vectors/semantic-index.ts';
import { startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { temporaryFolder } from '../support/workspace.ts';

const document = (id: string, title: string, ...texts: string[]) => ({
  id,
  title,
  chunks: texts.map((text) => ({ headingPath: [title], text })),
});
const refunds = document(
  'refunds',
  'Refunds',
  'Refunds are paid within 30 days.',
  'Write to billing.',
);
const access = document('access', 'Access', 'Log in with your company account.');

/** Uses HTTP throughout, with the same parts as `compose`. */
async function start(
  options: Partial<ConstructorParameters<typeof SemanticIndexes>[0]> & {
    provider?: Awaited<ReturnType<typeof startFakeEmbeddings>>;
  } = {},
) {
  const provider = options.provider ?? (await startFakeEmbeddings());
  const warnings: string[] = [];
  const embedder = new ProviderEmbedder({
    apiKey: 'key',
    baseUrl: provider.baseUrl,
    model: 'fake',
    firstPauseMs: 1,
    maxBatch: 4,
  });
  const folder = options.folder ?? (await temporaryFolder());
  const indexes = new SemanticIndexes({
    embedder,
    folder,
    onWarning: (message) => warnings.push(message),
    firstPauseMs: 1,
    gatherMs: 1,
    forgetDelayMs: 1,
    ...options,
  });
  onTestFinished(() => indexes.close());
  await indexes.open();
  const done = () =>
    vi.waitUntil(() => indexes.queue.progress().done === indexes.queue.progress().wanted, {
      interval: 2,
      timeout: 60_000,
    });
  const texts = () => provider.requests.flatMap(({ input }) => input);
  return { provider, indexes, index: indexes.of('docs'), warnings, folder, done, texts };
}

describe('the semantic index', () => {
  it('drops the old text of a replaced document, and a removed document', async () => {
    const { index, indexes, done, folder } = await start();
    indexes.queue.settle();
    index.upsert(refunds);
    index.upsert(access);
    await done();
    index.upsert(document('refunds', 'Refunds', 'Write to billing.'));
    index.remove('access');
    index.remove('unknown');
    await done();
    expect((await index.search('money back', 5)).hits).toMatchObject([
      { documentId: 'refunds', chunk: 0 },
    ]);
    expect(indexes.queue.progress()).toMatchObject({ wanted: 1, done: 1 });
    await indexes.close();
    const restarted = await start({ folder });
    expect(restarted.index.restore('refunds', index.keysOf('refunds')!)).toBe(true);
    expect(restarted.index.restore('access', ['x'.repeat(43)])).toBe(false);
  });

  it('throws if another model runs under the same name', async () => {
    const first = await start();
    first.index.upsert(refunds);
    await first.done();
    const keys = first.index.keysOf('refunds')!;
    await first.indexes.close();
    const second = await start({ folder: first.folder });
    second.provider.script(({ input }) => input.map(() => [1, 2, 3]));
    second.index.restore('refunds', keys);
    await expect(second.index.search('money back', 5)).rejects.toMatchObject({
      code: 'model_failed',
      message: expect.stringContaining('INDEX_DIR'),
    });
    second.index.upsert(access);
    await vi.waitUntil(() => second.indexes.queue.progress().failure === 'model_failed', {
      timeout: 60_000,
    });
  });
});
