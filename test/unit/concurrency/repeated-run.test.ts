import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RepeatedRun } from '../../../packages/shared/src/concurrency/repeated-run.ts';

/** Work whose runs end one by one. */
function setUp() {
  const ends: (() => void)[] = [];
  const run = new RepeatedRun(() => new Promise((resolve) => ends.push(resolve)));
  const end = async () => {
    ends.at(-1)?.();
    await setImmediate();
  };
  return { run, ends, end };
}

describe('a repeated run', () => {
  it('runs once more after a run in which it was requested, and never without a request', async () => {
    const { run, ends, end } = setUp();
    expect(ends).toHaveLength(0);
    run.request();
    await setImmediate();
    expect(ends).toHaveLength(1);
    for (let at = 0; at < 3; at++) run.request();
    await end();
    expect(ends).toHaveLength(2);
    await end();
    expect(ends).toHaveLength(2);
    run.request();
    await setImmediate();
    expect(ends).toHaveLength(3);
  });

  it('closes after the current run and starts no other', async () => {
    const { run, ends, end } = setUp();
    run.request();
    await setImmediate();
    run.request();
    let isClosed = false;
    const closed = run.close().then(() => {
      isClosed = true;
    });
    await setImmediate();
    expect(isClosed).toBe(false);
    await end();
    await closed;
    run.request();
    await setImmediate();
    expect(ends).toHaveLength(1);
  });
});
