import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DocumentStore, isStorablePath } from '../../../src/documents/document-store.ts';
import { temporaryFolder, writeFiles } from '../../support/workspace.ts';

const outside = [
  '../x.md',
  'a/../../x.md',
  '/etc/x.md',
  'a//x.md',
  './x.md',
  'a\\..\\x.md',
  'x\0.md',
  `${'x'.repeat(260)}.md`,
];

describe('the document store', () => {
  it.each(outside)('rejects the path %j when reading, writing and removing', async (file) => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { 'x.md': 'outside', 'root/docs/a.md': '# A' });
    const store = new DocumentStore(join(folder, 'root'));
    const refused = expect.objectContaining({ code: 'source_not_allowed' });
    await expect(store.write('docs', file, 'stolen')).rejects.toEqual(refused);
    await expect(store.read('docs', file)).rejects.toEqual(refused);
    await expect(store.remove('docs', file)).rejects.toEqual(refused);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
      'root',
      'root/docs',
      'root/docs/a.md',
      'x.md',
    ]);
  });

  it.each(['..', '.', '', 'a/b', 'A'])('rejects the namespace %j', async (namespace) => {
    const folder = await temporaryFolder();
    const store = new DocumentStore(join(folder, 'root'));
    await expect(store.write(namespace, 'a.md', 'x')).rejects.toMatchObject({
      code: 'source_not_allowed',
    });
    await expect(store.removeNamespace(namespace)).rejects.toMatchObject({
      code: 'source_not_allowed',
    });
  });
});

it('reports names that it cannot read, and lists the other files', async () => {
  const root = await temporaryFolder();
  await writeFiles(root, { 'docs/a.md': '# A', 'docs/b\\c/d.md': '# D' });
  const latin1 = (path: string) => Buffer.from(join(root, 'docs', path), 'latin1');
  await mkdir(latin1('é'));
  await writeFile(latin1('é/e.md'), '# E');
  await writeFile(latin1('ü.md'), '# U');
  const { files, folders, unreadable } = await new DocumentStore(root).scan('docs');
  expect([[...files.keys()], folders]).toEqual([['a.md'], ['']]);
  expect([...unreadable.keys()].sort()).toEqual(['b\\c', '\ufffd', '\ufffd.md']);
});

it('accepts only names of documents and auxiliary files from a database', () => {
  for (const file of outside) expect(isStorablePath('docs', file), file).toBe(false);
  for (const file of [
    '',
    'a.txt',
    '.schedules.json',
    '.git/a.md',
    '.a.md',
    'node_modules/a.md',
    'a.md/',
  ]) {
    expect(isStorablePath('docs', file), file).toBe(false);
  }
  expect(isStorablePath('..', 'a.md')).toBe(false);
  for (const file of ['a.md', 'a/b/c.mdx', '.synonyms.txt', '.messages.yaml', 'Größe.md'])
    expect(isStorablePath('docs', file), file).toBe(true);
});
