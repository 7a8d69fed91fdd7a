import { expect, it } from 'vitest';
import { yieldToEventLoop } from '../../../packages/shared/src/concurrency/event-loop.ts';

it('resumes one task per iteration of the event loop, in turn', async () => {
  const log: string[] = [];
  let isOver = false;
  const turn = () => {
    log.push('|');
    if (!isOver) setImmediate(turn);
  };
  const work = async (name: string) => {
    for (let piece = 0; piece < 3; piece++) {
      await yieldToEventLoop();
      log.push(name);
    }
  };
  setImmediate(turn);
  await Promise.all(['a', 'b', 'c'].map(work));
  isOver = true;
  const perTurn = log.join('').split('|');
  expect(perTurn.every((pieces) => pieces.length <= 1)).toBe(true);
  expect(perTurn.join('')).toBe('abcabcabc');
});
