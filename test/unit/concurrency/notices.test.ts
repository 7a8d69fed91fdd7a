import { expect, it } from 'vitest';
import { Notices } from '../../../packages/shared/src/concurrency/notices.ts';

it('notices arrive between the items, also while the next item is awaited', async () => {
  const notices = new Notices<string>();
  const second = Promise.withResolvers<void>();
  async function* items() {
    notices.add('begun');
    yield 1;
    await second.promise;
    yield 2;
  }
  const seen: unknown[] = [];
  for await (const step of notices.beside(items())) {
    seen.push('notice' in step ? step.notice : step.item);
    if (seen.length === 2) setImmediate(() => notices.add('waiting'));
    if (seen.at(-1) === 'waiting') second.resolve();
  }
  expect(seen).toEqual(['begun', 1, 'waiting', 2]);
});

it('a reader can leave at a notice although the next item never comes, or fails', async () => {
  const notices = new Notices<string>();
  const { promise, reject } = Promise.withResolvers<never>();
  async function* items() {
    yield await promise;
  }
  notices.add('writing');
  for await (const step of notices.beside(items())) {
    expect(step).toEqual({ notice: 'writing' });
    break;
  }
  reject(new Error('aborted'));
  await expect(promise).rejects.toThrow('aborted');
});
