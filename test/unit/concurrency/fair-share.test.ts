import { describe, expect, it } from 'vitest';
import {
  fairLevel,
  fairShare,
  isWithinFairShare,
} from '../../../packages/shared/src/concurrency/fair-share.ts';

describe('a fair level', () => {
  it('cuts the largest holders to one level, and no holder if everything fits', () => {
    expect(fairLevel([3, 7, 10], 20)).toBe(Number.POSITIVE_INFINITY);
    expect(fairLevel([1_000, 10], 1_000)).toBe(990);
    expect(fairLevel([1_000, 1_000, 10], 1_000)).toBe(495);
    expect(fairLevel([1, 1, 1], 2)).toBe(1);
    expect(fairLevel([], 5)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('a fair share', () => {
  const ofFirst = (item: string) => item[0] ?? '';

  it('keeps the first items of each key within the capacity', () => {
    expect(fairShare(['a1', 'a2', 'a3', 'a4', 'b1'], 3, ofFirst)).toEqual(['a1', 'a2', 'b1']);
    expect(fairShare(['a', 'b', 'c', 'd'], 2, ofFirst)).toEqual(['a', 'b']);
    expect(fairShare(['a1', 'b1'], 2, ofFirst)).toEqual(['a1', 'b1']);
  });
});

it('leaves slots for others if callers take all they can get', () => {
  const held = [0, 0, 0];
  const all = () => held.reduce((sum, one) => sum + one);
  for (const who of held.keys())
    while (isWithinFairShare(held[who] ?? 0, all(), 100)) held[who] = (held[who] ?? 0) + 1;
  expect(held).toEqual([50, 25, 13]);
});
