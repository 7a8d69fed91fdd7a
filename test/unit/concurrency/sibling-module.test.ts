import { expect, it } from 'vitest';
import { siblingModule } from '../../../packages/shared/src/concurrency/sibling-module.ts';

it.each(['ts', 'js'])('a sibling of a .%s file has the same extension', (extension) => {
  expect(siblingModule('worker', `file:///a.b/pool.${extension}`).href).toBe(
    `file:///a.b/worker.${extension}`,
  );
});
