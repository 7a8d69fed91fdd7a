import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KnowledgeError } from '../../../../packages/shared/src/errors.ts';
import {
  EmbeddingQueue,
  type EmbeddingQueueOptions,
} from '../../../../src/search/vectors/embedding-queue.ts';
import { VectorStore } from '../../../../src/search/vectors/vector-store.ts';
import {
  createFakeEmbedder,
  embeddedBy,
  type FakeEmbedder,
  keysOf,
  many,
  textsOf,
} from '../../../support/fake-embeddings.ts';
import { temporaryFolder } from '../../../support/workspace.ts';

const down = () => new KnowledgeError('model_unavailable', 'down');
const refusal = () => new KnowledgeError('model_failed', 'no');

interface Setup extends Partial<EmbeddingQueueOptions> {
  readonly embedder?: FakeEmbedder;
  readonly folder?: string;
}

async function start({ embedder = createFakeEmbedder(), folder, ...options }: Setup = {}) {
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const store = new VectorStore(folder ?? (await temporaryFolder()), embedder.model, onWarning);
  await store.open();
  const queue = new EmbeddingQueue({
    embedder,
    store,
    onWarning,
    firstPauseMs: 1,
    gatherMs: 1,
    forgetDelayMs: 1,
    ...options,
  });
  onTestFinished(() => queue.close());
  const done = () => embeddedBy(queue);
  return { queue, store, embedder, warnings, done, askedTexts: embedder.askedTexts };
}

const until = (isTrue: () => boolean) => vi.waitUntil(isTrue, { timeout: 60_000 });

/** Calls wait until `open`. */
async function startClosed() {
  const { promise, resolve: open } = Promise.withResolvers<void>();
  const started = await start();
  started.embedder.before = (_, signal) =>
    Promise.race([
      promise,
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      ),
    ]);
  return { ...started, open };
}

describe('the embedding queue', () => {
  it('embeds each text of the documents once, in batches', async () => {
    const { queue, embedder, done, askedTexts } = await start();
    queue.hold(textsOf(...many(20)));
    queue.hold(textsOf('text 3', 'text 21', ' '));
    await done();
    expect(queue.progress()).toEqual({ wanted: 21, done: 21, refused: 0, failure: undefined });
    expect(askedTexts().sort()).toEqual([...many(20), 'text 21'].sort());
    expect(Math.max(...embedder.asked.map((texts) => texts.length))).toBeLessThanOrEqual(8);
    expect(embedder.asked).toHaveLength(3);
  });

  it('has at most two batches in flight', async () => {
    const { embedder, open, queue, done } = await startClosed();
    queue.hold(textsOf(...many(50)));
    await until(() => embedder.asked.length > 0);
    expect(embedder.asked).toHaveLength(2);
    open();
    await done();
    expect(embedder.asked).toHaveLength(7);
  });

  it('backs off while the provider fails, with one warning, one call at a time and the reason in its progress', async () => {
    const embedder = createFakeEmbedder();
    let isDown = true;
    let calls = 0;
    let most = 0;
    embedder.before = async () => {
      most = Math.max(most, ++calls);
      await new Promise(setImmediate);
      calls--;
      if (isDown) throw down();
    };
    const { queue, warnings, done } = await start({ embedder });
    queue.hold(textsOf(...many(40)));
    await until(() => embedder.asked.length >= 5);
    expect(queue.progress()).toMatchObject({ done: 0, failure: 'model_unavailable' });
    expect(warnings).toHaveLength(1);
    most = 0;
    const before = embedder.asked.length;
    await until(() => embedder.asked.length >= before + 2);
    expect(most).toBe(1);
    isDown = false;
    await done();
    expect(queue.progress().failure).toBeUndefined();
  });

  it('doubles its pauses, and waits as long as the provider asks', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const embedder = createFakeEmbedder();
    let thrown = down();
    embedder.before = () => {
      throw thrown;
    };
    const { queue } = await start({ embedder, firstPauseMs: 1_000 });
    queue.hold(textsOf('a'));
    const callsAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return embedder.asked.length;
    };
    expect(await callsAfter(10)).toBe(1);
    expect(await callsAfter(900)).toBe(1);
    expect(await callsAfter(100)).toBe(2);
    expect(await callsAfter(1_900)).toBe(2);
    thrown = new KnowledgeError('model_unavailable', 'later', { retryAfterSeconds: 60 });
    expect(await callsAfter(100)).toBe(3);
    expect(await callsAfter(59_000)).toBe(3);
    thrown = new KnowledgeError('model_unavailable', 'much later', { retryAfterSeconds: 86_400 });
    expect(await callsAfter(1_000)).toBe(4);
    expect(await callsAfter(299_000)).toBe(4);
    expect(await callsAfter(1_000)).toBe(5);
  });

  it('does not embed waiting texts that are released', async () => {
    const { embedder, open, queue, done, askedTexts } = await startClosed();
    queue.hold(textsOf(...many(30)));
    await until(() => embedder.asked.length === 2);
    queue.release(keysOf(...many(30).slice(16)));
    open();
    await done();
    expect(askedTexts()).toEqual(many(16));
    expect(queue.progress()).toMatchObject({ wanted: 16, done: 16 });
  });

  it('discards vectors of texts that are released during the call, unless they are held again', async () => {
    const { embedder, open, queue, store, done } = await startClosed();
    queue.hold(textsOf('a', 'b', 'c'));
    await until(() => embedder.asked.length === 1);
    queue.release(keysOf('a', 'b'));
    queue.hold(textsOf('b'));
    open();
    await done();
    expect(keysOf('a', 'b', 'c').map((key) => store.has(key))).toEqual([false, true, true]);
    queue.hold(textsOf('a'));
    await done();
    expect(store.has(keysOf('a')[0]!)).toBe(true);
  });

  it('deletes unused vectors once all documents are loaded', async () => {
    const folder = await temporaryFolder();
    const before = await start({ folder });
    before.queue.hold(textsOf('a', 'b', 'c'));
    before.queue.hold(textsOf('b'));
    await before.done();
    before.queue.release(keysOf('a'));
    await before.queue.close();
    expect(before.store.has(keysOf('a')[0]!)).toBe(true);

    const { queue, store } = await start({ folder });
    queue.hold(textsOf('b', 'c'));
    queue.hold(textsOf('b'));
    queue.settle();
    await until(() => !store.has(keysOf('a')[0]!));
    queue.release(keysOf('b'));
    queue.release(keysOf('c'));
    await queue.close();
    expect(keysOf('a', 'b', 'c').map((key) => store.has(key))).toEqual([false, true, false]);
  });

  it('counts a rejected text, warns once and does not send it again', async () => {
    const { queue, embedder, warnings, done } = await start();
    embedder.before = (texts) => {
      if (texts.some((text) => text.includes('bad'))) throw refusal();
    };
    queue.hold(textsOf(...many(10), 'bad'));
    await done();
    expect(queue.progress()).toEqual({ wanted: 11, done: 10, refused: 1, failure: undefined });
    await until(() => warnings.length === 1);
    const calls = embedder.asked.length;
    queue.hold(textsOf('bad', 'good'));
    await done();
    expect(embedder.asked).toHaveLength(calls + 1);
  });

  it('stops after a few calls to a provider that rejects everything', async () => {
    const { queue, embedder } = await start({
      embedder: createFakeEmbedder(96),
      firstPauseMs: 60_000,
    });
    embedder.before = () => {
      throw refusal();
    };
    queue.hold(textsOf(...many(96)));
    await until(() => queue.progress().failure !== undefined);
    expect(queue.progress()).toMatchObject({ done: 0, refused: 4, failure: 'model_failed' });
    expect(embedder.asked.length).toBeLessThan(20);
  });

  it('aborts running calls when it is closed, and starts no others', async () => {
    const { embedder, queue, warnings } = await startClosed();
    queue.hold(textsOf(...many(30)));
    await until(() => embedder.asked.length === 2);
    await queue.close();
    queue.hold(textsOf('another'));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(embedder.asked).toHaveLength(2);
    expect(warnings).toEqual([]);
  });
});
