import { describe, expect, it } from 'vitest';
import type { Upstream, UpstreamRequest } from '../../../packages/calls/src/upstream.ts';
import { CallProxy, RequestDeduplicator } from '../../../src/calls/proxy.ts';

/** Answers every call with a text of `size` characters. */
function countingUpstream(size = 10, status = 'ended') {
  const asked: UpstreamRequest[] = [];
  const upstream: Pick<Upstream, 'ask'> = {
    async ask(request) {
      asked.push(request);
      const json = { data: { sessionId: request.sessionId, status, text: 'x'.repeat(size) } };
      const bytes = Buffer.from(JSON.stringify(json));
      return { json, bytes, requestId: undefined, rateLimit: undefined };
    },
  };
  return { upstream, asked };
}

const asker = { apiKey: undefined, onBehalfOf: undefined, signal: undefined };

const unexpected = () => Promise.reject(new Error('no test requests pages or summaries'));
const summarizeWith = () => ({ list: unexpected, summarize: unexpected });

describe('the cache of ended calls', () => {
  it('keeps a call for 30 seconds', async () => {
    const { upstream, asked } = countingUpstream();
    let now = 1_000_000;
    const proxy = new CallProxy(upstream, 'k', summarizeWith, () => now);
    for (const [at, requests] of [
      [0, 1],
      [30_000, 1],
      [30_001, 2],
      [60_001, 2],
    ] as const) {
      now = 1_000_000 + at;
      await proxy.get('a', asker);
      expect(asked).toHaveLength(requests);
    }
  });

  it.each([
    [100_000, 'ended'],
    [10, 'ongoing'],
  ])('does not keep a call of %d bytes that is %s', async (size, status) => {
    const { upstream, asked } = countingUpstream(size, status);
    const proxy = new CallProxy(upstream, 'k', summarizeWith);
    await proxy.get('a', asker);
    await proxy.get('a', asker);
    expect(asked).toHaveLength(2);
  });

  it('keeps the newest 500 calls', async () => {
    const { upstream, asked } = countingUpstream();
    const proxy = new CallProxy(upstream, 'k', summarizeWith);
    for (let number = 0; number <= 500; number++) await proxy.get(`call-${number}`, asker);
    await proxy.get('call-1', asker);
    expect(asked).toHaveLength(501);
    await proxy.get('call-0', asker);
    expect(asked).toHaveLength(502);
  });
});

describe('a request of several callers', () => {
  it('is shared, like its kept call, only by callers with the same key, user and session', async () => {
    const { upstream, asked } = countingUpstream();
    const proxy = new CallProxy(upstream, undefined, summarizeWith);
    const askAll = () =>
      Promise.all(
        [
          ['a', 'k', undefined],
          ['a', 'k', undefined],
          ['a', 'other', undefined],
          ['a', 'k', 'alice'],
          ['a', 'k', 'bob'],
          ['b', 'k', undefined],
        ].map(([id = '', apiKey, onBehalfOf]) => proxy.get(id, { ...asker, apiKey, onBehalfOf })),
      );
    await askAll();
    await askAll();
    expect(
      asked.map(({ sessionId, apiKey, onBehalfOf }) => [sessionId, apiKey, onBehalfOf]),
    ).toEqual([
      ['a', 'k', undefined],
      ['a', 'other', undefined],
      ['a', 'k', 'alice'],
      ['a', 'k', 'bob'],
      ['b', 'k', undefined],
    ]);
  });

  it('ends when the last caller leaves, and the next caller starts again', async () => {
    const requests = new RequestDeduplicator<number>();
    const started: AbortSignal[] = [];
    const join = (giveUp: AbortController) =>
      requests
        .run('same', giveUp.signal, (signal) => {
          started.push(signal);
          return new Promise(() => undefined);
        })
        .catch((error: { code: string }) => error.code);
    const [first, second] = [new AbortController(), new AbortController()];
    const outcomes = [join(first), join(second)];
    first.abort();
    expect(await outcomes[0]).toBe('ERR_ABORTED');
    expect(started.map((signal) => signal.aborted)).toEqual([false]);
    second.abort();
    expect(await outcomes[1]).toBe('ERR_ABORTED');
    expect(started.map((signal) => signal.aborted)).toEqual([true]);
    void join(new AbortController());
    expect(started.map((signal) => signal.aborted)).toEqual([true, false]);
  });

  it('answers or fails for every caller, and runs again for the next', async () => {
    const requests = new RequestDeduplicator<number>();
    let starts = 0;
    const failing = () =>
      requests.run('same', undefined, async () => Promise.reject(new Error(`failure ${++starts}`)));
    const outcomes = await Promise.allSettled([failing(), failing(), failing()]);
    expect(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason.message),
    ).toEqual(Array(3).fill('failure 1'));
    await expect(failing()).rejects.toThrow('failure 2');
  });
});
