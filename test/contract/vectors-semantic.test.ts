import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createProviderEmbedder } from '../../src/mastra/provider.ts';
import { fuse } from '../../src/search/fusion.ts';
import { createSemanticIndexes, type SemanticIndexesOptions } from '../../src/search/vectors/semantic-index.ts';
import { answerWithMeaning, answerWithStatus, startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { temporaryFolder } from '../support/workspace.ts';

const document = (id: string, title: string, ...texts: string[]) => ({
  id,
  title,
  chunks: texts.map((text) => ({ headingPath: [title], text })),
});
const refunds = document('refunds', 'Refunds', 'Refunds are paid within 30 days.', 'Write to billing.');
const access = document('access', 'Access', 'Log in with your company account.');

/** Everything over the wire, as `compose` puts it together. */
async function start(options: Partial<SemanticIndexesOptions> & { provider?: Awaited<ReturnType<typeof startFakeEmbeddings>> } = {}) {
  const provider = options.provider ?? (await startFakeEmbeddings());
  onTestFinished(() => provider.close());
  const warnings: string[] = [];
  const embedder = createProviderEmbedder({ apiKey: 'key', baseUrl: provider.baseUrl, model: 'fake', firstPauseMs: 1, maxBatch: 4 });
  const folder = options.folder ?? (await temporaryFolder());
  const indexes = createSemanticIndexes({
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
  const done = () => vi.waitUntil(() => indexes.progress().done === indexes.progress().wanted, { interval: 2, timeout: 60_000 });
  const texts = () => provider.requests.flatMap(({ input }) => input);
  return { provider, indexes, index: indexes.of('docs'), warnings, folder, done, texts };
}

describe('the semantic index', () => {
  it('finds by meaning what shares no word with the question', async () => {
    const { index, done } = await start();
    index.upsert(refunds);
    index.upsert(access);
    await done();
    const { hits, share } = await index.search('money back', 2);
    expect(share).toBe(1);
    expect(hits.map((hit) => hit.documentId)).toEqual(['refunds', 'refunds']);
    expect((await index.search('sign in', 1)).hits[0]?.documentId).toBe('access');
    expect(fuse([{ documentId: 'access', chunk: 0 }], hits, 5).map((hit) => hit.documentId)).toEqual(['access', 'refunds', 'refunds']);
  });

  it('asks for no vector of a question while no chunk has one', async () => {
    const { index, provider } = await start({ gatherMs: 60_000 });
    expect(await index.search('money back', 5)).toEqual({ hits: [], share: 0 });
    index.upsert(refunds);
    expect(await index.search('money back', 5)).toEqual({ hits: [], share: 0 });
    expect(provider.requests).toEqual([]);
  });

  it('says how much of the text has vectors', async () => {
    const { index, provider, indexes } = await start();
    provider.script(answerWithMeaning, answerWithStatus(401));
    index.upsert(document('a', 'A', ...Array.from({ length: 6 }, (_, number) => `Chunk ${number}.`)));
    await vi.waitUntil(() => indexes.progress().failure !== undefined && indexes.progress().done > 0, { timeout: 60_000 });
    provider.script(answerWithMeaning);
    const { share, hits } = await index.search('chunk', 10);
    expect([2 / 3, 1]).toContain(share);
    expect(hits.length).toBe(Math.round(share * 6));
  });

  it('forgets the old text of a document that is replaced, and a document that is removed', async () => {
    const { index, indexes, done, folder } = await start();
    indexes.settle();
    index.upsert(refunds);
    index.upsert(access);
    await done();
    index.upsert(document('refunds', 'Refunds', 'Write to billing.'));
    index.remove('access');
    index.remove('unknown');
    await done();
    expect((await index.search('money back', 5)).hits).toMatchObject([{ documentId: 'refunds', chunk: 0 }]);
    expect(indexes.progress()).toMatchObject({ wanted: 1, done: 1 });
    await indexes.close();
    const again = await start({ folder });
    expect(again.index.restore('refunds', index.keysOf('refunds')!)).toBe(true);
    expect(again.index.restore('access', ['x'.repeat(43)])).toBe(false);
  });

  it('takes up documents after a restart without their texts, and without a call', async () => {
    const first = await start();
    first.index.upsert(refunds);
    await first.done();
    const keys = first.index.keysOf('refunds')!;
    await first.indexes.close();
    const second = await start({ folder: first.folder });
    expect(second.index.restore('refunds', keys)).toBe(true);
    second.indexes.settle();
    expect((await second.index.search('money back', 1)).hits[0]).toMatchObject({ documentId: 'refunds' });
    expect(second.texts()).toEqual(['money back']);
  });

  it('keeps namespaces apart, and embeds what two of them hold once', async () => {
    const { indexes, index, done, texts } = await start();
    const other = indexes.of('other');
    index.upsert(refunds);
    await done();
    other.upsert(refunds);
    other.upsert(access);
    await done();
    expect(texts()).toHaveLength(3);
    expect((await index.search('sign in', 9)).hits.map((hit) => hit.documentId)).not.toContain('access');
    indexes.settle();
    indexes.remove('docs');
    expect(await indexes.of('docs').search('money back', 5)).toEqual({ hits: [], share: 0 });
    expect((await other.search('money back', 1)).hits[0]?.documentId).toBe('refunds');
    expect(indexes.progress()).toMatchObject({ wanted: 3, done: 3 });
  });

  it('throws where the question cannot be embedded, at once for the next 30 seconds', async () => {
    const { index, provider, done } = await start();
    index.upsert(refunds);
    await done();
    provider.script(answerWithStatus(503));
    await expect(index.search('money back', 5)).rejects.toMatchObject({ code: 'model_unavailable' });
    const calls = provider.requests.length;
    await expect(index.search('another', 5)).rejects.toMatchObject({ code: 'model_unavailable' });
    expect(provider.requests).toHaveLength(calls);
    provider.script(answerWithMeaning);
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 30_000);
    onTestFinished(() => later.mockRestore());
    expect((await index.search('money back', 5)).hits).toHaveLength(2);
  });

  it('throws where the provider hangs', async () => {
    const { index, provider, done } = await start({ timeoutMs: 1_000 });
    index.upsert(refunds);
    await done();
    provider.script(() => undefined);
    await expect(index.search('money back', 5)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('throws where the model has become another one under the same name', async () => {
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
    await vi.waitUntil(() => second.indexes.progress().failure === 'model_failed', { timeout: 60_000 });
  });

  it('stays with the words where there is too much to compare, embeds no more, and says so once', async () => {
    const { index, provider, warnings, done, indexes, texts } = await start({ maxSearchedNumbers: 64 * 72 });
    index.upsert(refunds);
    await done();
    index.upsert(document('a', 'A', ...Array.from({ length: 71 }, (_, number) => `Chunk ${number}.`)));
    expect(await index.search('money back', 5)).toEqual({ hits: [], share: 0 });
    index.upsert(access);
    expect(await index.search('sign in', 5)).toEqual({ hits: [], share: 0 });
    expect(warnings).toEqual([expect.stringContaining('docs')]);
    expect(indexes.progress()).toMatchObject({ wanted: 2, done: 2 });
    index.remove('a');
    index.remove('access');
    expect((await index.search('money back', 5)).hits).toHaveLength(2);
    expect(texts()).toHaveLength(3);
    expect(provider.requests.length).toBeLessThanOrEqual(3);
  });

  it('ends with the reason of the signal', async () => {
    const { index } = await start();
    await expect(index.search('money back', 5, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});
