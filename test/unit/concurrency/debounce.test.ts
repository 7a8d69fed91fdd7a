import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDebounce } from '../../../packages/shared/src/concurrency/debounce.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

function setUp(work: () => Promise<number> = async () => 0) {
  const doneAt: number[] = [];
  const began = performance.now();
  const debounce = createDebounce({
    quietMs: 5_000,
    maxWaitMs: 60_000,
    work: () => {
      doneAt.push(Math.round((performance.now() - began) / 1_000));
      return work();
    },
  });
  const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);
  return { ...debounce, doneAt, pass };
}

describe('debounced work', () => {
  it('runs once after a burst of requests', async () => {
    const { request, doneAt, pass } = setUp();
    for (let second = 0; second < 10; second++) {
      request();
      await pass(1);
    }
    await pass(100);
    expect(doneAt).toEqual([14]);
  });

  it('runs at intervals while requests keep coming, and never without a request', async () => {
    const { request, doneAt, pass } = setUp();
    await pass(100);
    for (let second = 0; second < 150; second++) {
      request();
      await pass(1);
    }
    await pass(100);
    expect(doneAt).toEqual([160, 220, 254]);
  });

  it('runs again after a run in which it was requested', async () => {
    let end: (pauseMs: number) => void = () => undefined;
    const { request, doneAt, pass } = setUp(() => new Promise((resolve) => (end = resolve)));
    request();
    await pass(6);
    request();
    await pass(100);
    expect(doneAt).toEqual([5]);
    end(0);
    await pass(1);
    expect(doneAt).toEqual([5, 106]);
  });

  it('closes after the current run and starts no other', async () => {
    let end: (pauseMs: number) => void = () => undefined;
    const { request, close, doneAt, pass } = setUp(() => new Promise((resolve) => (end = resolve)));
    request();
    await pass(5);
    request();
    let isClosed = false;
    const closed = close().then(() => {
      isClosed = true;
    });
    await pass(1);
    expect(isClosed).toBe(false);
    end(0);
    await closed;
    request();
    await pass(100);
    expect(doneAt).toEqual([5]);
  });
});
