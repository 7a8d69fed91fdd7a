import { expect, it, vi } from 'vitest';
import { PartFiles } from '../../../packages/shared/src/disk/part-files.ts';
import { documentIdOf } from '../../../src/documents/document-file.ts';
import { Namespace, type NamespaceOptions } from '../../../src/documents/namespace.ts';
import { Bm25Engine } from '../../../src/search/bm25/bm25-engine.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const count = 1_000;

it('yields while it looks through many documents', async () => {
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
  let names = Array.from({ length: count }, (_, at) => `${at}.md`);
  const files = {
    *[Symbol.iterator]() {
      for (const name of names) yield [name, hold() || '1.1.1.1'];
    },
    has: () => false,
  };
  const semantic = { upsert() {}, remove() {}, keysOf: hold };
  const options = {
    store: {
      scan: async () => ({ files, folders: [''], unreadable: new Map() }),
      removeLeftovers: async () => undefined,
      stampNow: () => undefined,
      read: async () => undefined,
    },
    snapshotDir: await temporaryFolder(),
    engine: new Bm25Engine(),
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
  names = [];
  await namespace.reconcile();
  await namespace.save();
  isOver = true;
  vi.useRealTimers();
  expect(namespace.size).toBe(count);
  // A file of the snapshot is written at once.
  expect(longest).toBeLessThan(600);
});

/** A namespace whose files change each day. */
async function changingNamespace(engine: object) {
  let day = 1;
  const options = {
    store: { read: async () => undefined, stampNow: () => `${day}` },
    snapshotDir: await temporaryFolder(),
    engine,
    readDocument: async (_: string, file: string) => ({
      document: {
        id: documentIdOf('docs', file),
        file,
        title: 'Warranty',
        revision: '1',
        fetchedAt: `2026-01-0${day}`,
      },
      titles: ['Warranty', file],
      stamp: `${day++}`,
    }),
    onChange() {},
    onTextChange() {},
    warnings: { begin() {}, end() {} },
  };
  return Namespace.open('docs', options as unknown as NamespaceOptions);
}

it('removes a document from the engine even if its snapshot cannot be erased', async () => {
  const index = { versions: async () => new Map(), remove: vi.fn() };
  const namespace = await changingNamespace({ open: async () => index });
  await namespace.refresh('a.md');
  vi.spyOn(PartFiles.prototype, 'erase').mockRejectedValueOnce(new Error('full'));
  await expect(namespace.erase('a.md', { remove: async () => undefined })).rejects.toThrow('full');
  expect(index.remove).toHaveBeenCalledWith(documentIdOf('docs', 'a.md'));
});

it('leaves a title to its older document when that is refreshed', async () => {
  const namespace = await changingNamespace(new Bm25Engine());
  for (const file of ['b.md', 'a.md', 'b.md', 'b.md']) await namespace.refresh(file);
  expect(namespace.document(documentIdOf('docs', 'b.md'))?.document.title).toBe('Warranty');
  expect(namespace.document(documentIdOf('docs', 'a.md'))?.document.title).toBe('a.md');
});
