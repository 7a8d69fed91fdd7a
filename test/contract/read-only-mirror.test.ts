/** A mirror in a folder that rejects writes: the disk is full or read-only. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { DocumentStore } from '../../src/documents/document-store.ts';
import { Database } from '../../src/records/postgres/database.ts';
import {
  DocumentRecord,
  importFile,
  noFolder,
} from '../../src/records/postgres/document-tables.ts';
import { Mirror } from '../../src/records/postgres/mirror.ts';
import { postgres } from '../support/postgres.ts';
import { temporaryFolder } from '../support/workspace.ts';

class ReadOnlyStore extends DocumentStore {
  isReadOnly = false;

  #check(): void {
    if (this.isReadOnly)
      throw Object.assign(new Error('read-only file system'), { code: 'EROFS', syscall: 'open' });
  }

  override async stage(...parameters: Parameters<DocumentStore['stage']>) {
    this.#check();
    return super.stage(...parameters);
  }

  override async remove(...parameters: Parameters<DocumentStore['remove']>) {
    this.#check();
    return super.remove(...parameters);
  }
}

async function mirrored() {
  const database = new Database({ url: await postgres.newMigrated() });
  onTestFinished(() => database.close());
  const record = new DocumentRecord(database);
  const knowledgeDir = await temporaryFolder();
  const store = new ReadOnlyStore(knowledgeDir);
  const erased: string[] = [];
  const namespace = {
    size: 1,
    documents: () => [],
    document: () => undefined,
    refresh: async () => undefined,
    erase: async (file: string) => void erased.push(file),
  };
  const namespaces = {
    find: async () => namespace,
    getOrCreate: async () => namespace,
    drop: async () => undefined,
    names: async () => ['docs'],
  };
  const mirror = new Mirror({
    record,
    store,
    knowledgeDir,
    namespaces: () => namespaces as never,
    prepare: async () => undefined,
    onWarning: () => undefined,
  });
  await mirror.open();
  const document = { namespace: 'docs', file: 'a.md' };
  await importFile(record.writesThrough(noFolder), { ...document, text: '# Refunds' }, true);
  await mirror.syncNow();
  const path = join(knowledgeDir, 'docs/a.md');
  expect(existsSync(path)).toBe(true);
  const stored = await store.read('docs', 'a.md');
  store.isReadOnly = true;
  const revisionNow = async () => (await record.contentsOf([document]))[0]?.revision;
  return { record, store, mirror, erased, path, revision: stored?.revision, revisionNow };
}

it('does not answer from documents deleted on another server, and reports that it is outdated', async () => {
  const { record, store, mirror, erased, path, revision } = await mirrored();
  const writes = record.writesThrough(noFolder);
  const token = await writes.token('docs');
  await writes.change('docs', token, 'a.md', (lockedFile) => lockedFile.remove());
  await mirror.syncNow();
  expect([erased, mirror.health().isWritten]).toEqual([['a.md'], false]);
  expect(mirror.accepts('docs', 'a.md', revision)).toBe(false);
  store.isReadOnly = false;
  await mirror.syncNow();
  expect([existsSync(path), mirror.health().isWritten]).toEqual([false, true]);
});

it('undoes its own writes if the folder rejects them', async () => {
  const { record, mirror, revisionNow } = await mirrored();
  const before = await revisionNow();
  const writes = record.writesThrough(mirror.files);
  const token = await writes.token('docs');
  await expect(
    writes.change('docs', token, 'a.md', (lockedFile) => lockedFile.write('# Prices')),
  ).rejects.toThrow('read-only');
  expect(await revisionNow()).toBe(before);
});
