import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DocumentStore } from '../../src/documents/document-store.ts';
import { FolderWatch } from '../../src/documents/folder-watch.ts';
import { Namespace } from '../../src/documents/namespace.ts';
import { reopened, startService, type TestService, writeFiles } from '../support/workspace.ts';

const found = async ({ find }: TestService, query: string) =>
  (await find({ query, namespace: 'docs' })).body.sources;
const within = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 25 });
/** Simulates a system that reports no change of a folder. */
const stopEvents = () => {
  vi.spyOn(FolderWatch.prototype, 'setFolders').mockResolvedValue(false);
  onTestFinished(() => void vi.restoreAllMocks());
};
/** Also scans the folder each second instead of each minute. */
const refuseToWatch = () => {
  stopEvents();
  vi.spyOn(FolderWatch.prototype, 'isComplete', 'get').mockReturnValue(false);
};
/** Waits until queries find exactly these files. */
const whenFound = (service: TestService, wanted: Readonly<Record<string, readonly string[]>>) =>
  within(async () => {
    for (const [query, files] of Object.entries(wanted))
      expect((await found(service, query)).sort()).toEqual(files);
  });

describe('a change in the knowledge folder is found within two seconds', () => {
  it('after a file is added, edited, renamed or deleted, in nested folders too', async () => {
    const service = await startService({}, { 'docs/a.md': 'alpha text' });
    const at = (path: string) => join(service.knowledgeDir, 'docs', path);
    await writeFile(at('b.md'), 'bravo text');
    await whenFound(service, { bravo: ['b.md'] });
    await writeFile(at('b.md'), 'charlie text');
    await whenFound(service, { bravo: [], charlie: ['b.md'] });
    await appendFile(at('b.md'), '\n\ndelta text');
    await whenFound(service, { delta: ['b.md'] });
    await rename(at('b.md'), at('c.mdx'));
    await whenFound(service, { delta: ['c.mdx'] });
    await mkdir(at('deep/er'), { recursive: true });
    await writeFile(at('deep/er/d.md'), 'echo text');
    await whenFound(service, { echo: ['deep/er/d.md'] });
    await writeFile(at('deep/er/d.md'), 'foxtrot text');
    await whenFound(service, { foxtrot: ['deep/er/d.md'] });
    await rename(at('deep'), at('moved'));
    await whenFound(service, { foxtrot: ['moved/er/d.md'] });
    await rm(at('moved'), { recursive: true });
    await unlink(at('c.mdx'));
    await whenFound(service, { foxtrot: [], delta: [], alpha: ['a.md'] });
  });

  it('after a folder replaces another of the same name, and after edits in it', async () => {
    const service = await startService(
      {},
      { 'default/x.md': 'x', 'docs/sub/a.md': 'mike text', 'stage/b.md': 'november text' },
    );
    const at = (path: string) => join(service.knowledgeDir, path);
    await rm(at('docs/sub'), { recursive: true });
    await rename(at('stage'), at('docs/sub'));
    await whenFound(service, { mike: [], november: ['sub/b.md'] });
    await writeFile(at('docs/sub/b.md'), 'oscar text');
    await whenFound(service, { oscar: ['sub/b.md'] });
  });

  it('but a concurrent search returns only text of the file', async () => {
    const service = await startService({}, { 'docs/a.md': 'hotel one' });
    for (let round = 0; round < 20; round++) {
      await writeFile(
        join(service.knowledgeDir, 'docs/a.md'),
        `# Title ${round}\n\nhotel ${'x'.repeat(round)} india${round}`,
      );
      const [result] = (await service.find({ query: 'hotel', namespace: 'docs' })).body.results;
      // The file was read while it was empty: it is found after the next read.
      if (!result) continue;
      const stored = await service.storedText('docs', 'a.md');
      expect(stored.slice(result.start, result.end)).toBe(result.text);
      expect(result.revision).toBe(`sha256-${createHash('sha256').update(stored).digest('hex')}`);
    }
  });

  it.each(['utf-16le', 'utf-16be'])('if the file is %s', async (encoding) => {
    const service = await startService({}, { 'docs/a.md': 'alpha text' });
    const text = '\uFEFF# Papa\r\n\r\nPapa text, naïve.\r\n';
    const bytes = Buffer.from(text, 'utf16le');
    if (encoding === 'utf-16be') bytes.swap16();
    await writeFile(join(service.knowledgeDir, 'docs/b.md'), bytes);
    await whenFound(service, { papa: ['b.md'] });
    const asked = { messages: '@agent papa?', toolParams: { namespace: 'docs' } };
    const { body } = await service.post('/api/agents/knowledge/generate', asked);
    const [{ quote, start, end }] = body.citations;
    expect(quote).toContain('naïve');
    expect(text.slice(start, end)).toBe(quote);
    const verified = await service.post('/api/answers/verify', body);
    expect(verified.body.citations[0].status).toBe('holds');
  });

  it('except for links, dot files and other file types', async () => {
    const names = [
      'docs/a.md',
      'docs/.hidden.md',
      'docs/.git/x.md',
      'docs/notes.txt',
      'secret/s.md',
    ];
    const files = Object.fromEntries(names.map((name) => [name, 'juliet text']));
    const service = await startService({}, files);
    const at = (path: string) => join(service.knowledgeDir, path);
    await symlink(at('secret/s.md'), at('docs/link.md'));
    await symlink(at('secret'), at('docs/linked'));
    await writeFile(at('docs/b.md'), 'juliet too');
    await whenFound(service, { juliet: ['a.md', 'b.md'] });
  });
});

describe('a restart', () => {
  const reopen = async (service: TestService) => {
    const { api, open, close } = reopened(service);
    await open();
    const result = await api.searchDocs({ namespace: 'docs', query: 'kilo lima', maxResults: 10 });
    await close();
    return result;
  };
  const files = { 'docs/a.md': '# Kilo\n\nkilo text', 'docs/b.md': 'lima text' };

  it('returns the same results without its snapshot and with a damaged one', async () => {
    const service = await startService({}, files);
    const asked = { namespace: 'docs', query: 'kilo lima', maxResults: 10 };
    const before = (await service.find(asked)).body;
    await service.close();
    const fileIn = async (name: string) => {
      const folder = join(service.folder, 'index', name, 'docs');
      return join(folder, (await readdir(folder))[0] ?? '');
    };
    const spoiled = (text: Buffer) =>
      Buffer.from(text.toString('latin1').replaceAll('lima', 'limo'), 'latin1');
    const snapshot = await fileIn('index');
    for (const damage of [
      () => appendFile(snapshot, 'x'),
      async () => writeFile(snapshot, spoiled(await readFile(snapshot))),
      async () => writeFile(await fileIn('words'), 'nonsense'),
      async () => rm(await fileIn('words')),
      () => rm(join(service.folder, 'index'), { recursive: true }),
    ]) {
      await damage();
      expect(await reopen(service)).toEqual(before);
    }
  });

  it('finds changes made while the server was down, even with an old timestamp', async () => {
    const service = await startService({}, files);
    await service.close();
    const path = join(service.knowledgeDir, 'docs/b.md');
    await writeFile(path, 'kilo  now');
    await utimes(path, 1, 1);
    await unlink(join(service.knowledgeDir, 'docs/a.md'));
    expect((await reopen(service)).results.map((result) => result.text)).toEqual(['kilo  now']);
  });
});

it('the text of killed writes is deleted from all folders, but not that of running ones', async () => {
  const temporary = '.a.md.0f8fad5b-d9cb-469f-a165-70867728950e.tmp';
  const service = await startService({}, { [`docs/sub/${temporary}`]: 'alpha' });
  const path = join(service.knowledgeDir, 'docs/sub', temporary);
  expect(existsSync(path)).toBe(true);
  await utimes(path, 1, 1);
  await writeFile(join(service.knowledgeDir, 'docs/sub/note.txt'), 'causes a scan');
  await within(async () => expect(existsSync(path)).toBe(false));
});

it('an edit is indexed although another file of the same moment cannot be', async () => {
  const service = await startService({}, { 'docs/z.md': 'zulu text' });
  const scans = vi.spyOn(Namespace.prototype, 'reconcile');
  onTestFinished(() => scans.mockRestore());
  await writeFiles(service.knowledgeDir, { 'docs/a\\b.md': 'alpha', 'docs/c.md': 'charlie text' });
  await whenFound(service, { charlie: ['c.md'] });
  expect(scans).not.toHaveBeenCalled();
});

it('creating or deleting a namespace, by request or on disk, scans no other namespace', async () => {
  const service = await startService({}, { 'docs/a.md': 'alpha text' });
  await found(service, 'alpha');
  const scans = vi.spyOn(DocumentStore.prototype, 'scan');
  onTestFinished(() => scans.mockRestore());
  const names = async () => (await service.api.documents.namespaces()).map(({ name }) => name);
  await service.ingest({ namespace: 'made', sources: ['bravo'] });
  expect((await service.delete('/api/namespaces/made')).status).toBe(200);
  await writeFiles(service.knowledgeDir, { 'by-hand/c.md': 'charlie text' });
  await within(async () => expect(await names()).toContain('by-hand'));
  await rm(join(service.knowledgeDir, 'by-hand'), { recursive: true });
  await within(async () => expect(await names()).not.toContain('by-hand'));
  const scanned = new Set(scans.mock.calls.map(([name]) => name));
  expect([...scanned.difference(new Set(['made', 'by-hand']))]).toEqual([]);
});

it('a deleted namespace whose files cannot be deleted is a health warning until they are', async () => {
  refuseToWatch();
  const service = await startService({}, { 'docs/a.md': 'alpha text' });
  // No program can delete a path of more than 4,096 bytes.
  const deep = Array.from({ length: 12 }, () => 'x'.repeat(250)).join('/');
  const outside = join(service.folder, 'outside');
  await mkdir(join(service.knowledgeDir, 'docs', deep), { recursive: true });
  await mkdir(join(outside, deep), { recursive: true });
  await rename(outside, join(service.knowledgeDir, 'docs', deep, 'more'));
  expect((await service.delete('/api/namespaces/docs')).status).toBe(200);
  const warnings = async () =>
    ((await service.get('/health')).body.warnings ?? []).map(({ code }: { code: string }) => code);
  await within(async () => expect(await warnings()).toContain('removal_unfinished'));
  const [removed = ''] = await readdir(service.knowledgeDir);
  await rename(join(service.knowledgeDir, removed, deep, 'more'), outside);
  await within(async () => expect(await warnings()).not.toContain('removal_unfinished'));
  expect(await readdir(service.knowledgeDir)).toEqual([]);
});

describe('a system that reports no folder changes', () => {
  const warningsOf = async (service: TestService) => (await service.get('/health')).body.warnings;

  it('causes a health warning if it refuses to watch, and changes are still found', async () => {
    refuseToWatch();
    const service = await startService({}, { 'docs/a.md': 'alpha text' });
    expect(await warningsOf(service)).toEqual([{ code: 'watching_degraded', count: 1 }]);
    await writeFile(join(service.knowledgeDir, 'docs', 'b.md'), 'bravo text');
    await whenFound(service, { bravo: ['b.md'] });
    await within(async () =>
      expect(await (await service.request('/metrics')).text()).toMatch(
        /knowledge_folder_scan_seconds \d/,
      ),
    );
  });

  it('causes a health warning if it watches but reports nothing', async () => {
    stopEvents();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const service = await startService({}, { 'docs/a.md': 'alpha text' });
    expect(await warningsOf(service)).toBeUndefined();
    await writeFile(join(service.knowledgeDir, 'docs', 'b.md'), 'bravo text');
    vi.advanceTimersByTime(60_000);
    await within(async () =>
      expect(await warningsOf(service)).toEqual([{ code: 'watching_degraded', count: 1 }]),
    );
    expect(await found(service, 'bravo')).toEqual(['b.md']);
  });
});
