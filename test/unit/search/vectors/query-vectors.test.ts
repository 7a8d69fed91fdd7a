import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KnowledgeError } from '../../../../packages/shared/src/errors.ts';
import { QueryVectors } from '../../../../src/search/vectors/query-vectors.ts';
import { createFakeEmbedder } from '../../../support/fake-embeddings.ts';

const down = () => new KnowledgeError('model_unavailable', 'down');

function start(timeoutMs = 3_000) {
  const embedder = createFakeEmbedder();
  const queries = new QueryVectors(embedder, timeoutMs);
  return {
    embedder,
    queries,
    ask: (query: string) => queries.vectorOf(query),
  };
}

describe('query vectors', () => {
  it('embed a question once, even for concurrent callers', async () => {
    const { embedder, ask } = start();
    const [one, two] = await Promise.all([ask('refund'), ask(' refund ')]);
    expect(two).toBe(one);
    expect(await ask('refund')).toBe(one);
    expect(embedder.asked).toEqual([['refund']]);
  });

  it('cache the last 256 questions', async () => {
    const { embedder, ask } = start();
    await ask('first');
    await ask('second');
    for (let number = 0; number < 255; number++) await ask(`question ${number}`);
    const calls = embedder.asked.length;
    await ask('second');
    expect(embedder.asked).toHaveLength(calls);
    await ask('first');
    expect(embedder.asked).toHaveLength(calls + 1);
  });

  it('do not call the provider for 30 seconds after a failure, then with one question only', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { embedder, ask } = start();
    await ask('known');
    embedder.before = () => {
      throw down();
    };
    await expect(ask('one')).rejects.toThrow('down');
    vi.advanceTimersByTime(29_000);
    await expect(ask('two')).rejects.toMatchObject({
      code: 'model_unavailable',
      retryAfterSeconds: 1,
    });
    expect(await ask('known')).toBeDefined();
    expect(embedder.asked).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    const opened = Promise.withResolvers<void>();
    embedder.before = () => opened.promise;
    const probe = ask('three');
    await expect(ask('four')).rejects.toMatchObject({ code: 'model_unavailable' });
    opened.resolve();
    await probe;
    expect(await ask('four')).toBeDefined();
    expect(embedder.asked.map(([text]) => text)).toEqual(['known', 'one', 'three', 'four']);
  });

  it('embed other questions after a rejected one', async () => {
    const { embedder, ask } = start();
    embedder.before = ([text]) => {
      if (text === 'bad') throw new KnowledgeError('model_failed', 'no');
    };
    await expect(ask('bad')).rejects.toMatchObject({ code: 'model_failed' });
    expect(await ask('good')).toBeDefined();
  });

  it('abort running calls when they are closed', async () => {
    const { embedder, queries, ask } = start();
    embedder.before = () => new Promise(() => undefined);
    const pending = ask('refund');
    queries.close();
    await expect(pending).rejects.toMatchObject({ code: 'cancelled' });
  });
});
