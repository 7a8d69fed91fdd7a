import { expect, it, vi } from 'vitest';
import { documentIdOf } from '../../../src/documents/document-file.ts';
import { Namespace, type NamespaceOptions } from '../../../src/documents/namespace.ts';
import { createBm25Engine } from '../../../src/search/bm25/bm25-engine.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const count = 1_000;
/** A file of the snapshot, which holds fewer documents, is written at once. */
const mostAtOnce = 600;

it('yields while it looks through many documents: scanned, missing and saved ones', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  let held = 0;
  let longest = 0;
  const hold = () => {
    vi.advanceTimersByTime(1);
    longest = Math.max(longest, ++held);
    return false;
  };
  let isOver = false;
  const turn = () => {
    held = 0;
    if (!isOver) setImmediate(turn);
  };
  turn();
  class Found extends Map<string, string> {
    override *[Symbol.iterator]() {
      for (const entry of this.entries()) {
        hold();
        yield entry;
      }
      return undefined;
    }
  }
  const found = new Found(Array.from({ length: count }, (_, at) => [`${at}.md`, '1.1.1.1']));
  const semantic = { restore: () => true, upsert() {}, remove() {}, keysOf: hold };
  const options = {
    store: {
      scan: async () => ({ files: found, folders: [''], unreadable: new Map() }),
      stampNow: () => undefined,
      read: async () => undefined,
    },
    snapshotDir: await temporaryFolder(),
    engine: createBm25Engine(),
    semantic: { of: () => semantic },
    readDocument: async (_: string, file: string) => ({
      document: { id: documentIdOf('docs', file), file, title: file, revision: '1' },
      titles: [file],
      stamp: '1.1.1.1',
    }),
    accepts: (_name: string, _file: string, revision?: string) => revision !== undefined || hold(),
    onChange() {},
    onTextChange() {},
    warnings: { begin() {}, end() {} },
  };
  const namespace = await Namespace.open('docs', options as unknown as NamespaceOptions);
  await namespace.reconcile();
  found.clear();
  await namespace.reconcile();
  await namespace.save();
  isOver = true;
  vi.useRealTimers();
  expect(namespace.size).toBe(count);
  expect(longest).toBeLessThan(mostAtOnce);
});
