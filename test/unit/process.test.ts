import { expect, it, onTestFinished, vi } from 'vitest';
import { onStopSignal } from '../../src/process.ts';

it('signals within a second count as one, and a later one ends the process', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const others = process.listeners('SIGHUP');
  onTestFinished(() => {
    for (const one of process.listeners('SIGHUP'))
      if (!others.includes(one)) process.off('SIGHUP', one);
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const stop = vi.fn();
  onStopSignal(['SIGHUP'], stop);
  for (const ms of [0, 500, 499]) {
    vi.advanceTimersByTime(ms);
    process.emit('SIGHUP', 'SIGHUP');
  }
  expect([stop.mock.calls, exit.mock.calls]).toEqual([[['SIGHUP']], []]);
  vi.advanceTimersByTime(2);
  process.emit('SIGHUP', 'SIGHUP');
  expect([stop.mock.calls.length, exit.mock.calls]).toEqual([1, [[130]]]);
});
