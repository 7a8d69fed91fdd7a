import { execFileSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SourceVersion } from '../../src/documents/document.ts';
import { FileRoots, identifyFile, loadFile } from '../../src/ingest/fetch/load.ts';
import type { LoadedSource } from '../../src/ingest/source.ts';
import { listed } from '../support/listed.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const loaderFor = (...options: ConstructorParameters<typeof FileRoots>) => {
  const roots = new FileRoots(...options);
  return async (path: string, known?: SourceVersion) =>
    (await loadFile(roots, 1_000, identifyFile(await roots.locate(path)), known)) as LoadedSource;
};

async function setUp() {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'root/a.md': 'A',
    'root/sub/日本 語.md': 'B',
    'root/.env': 'SECRET=1',
    'root/.git/x.md': 'x',
    'outside/secret.md': 'S',
    'root-2/c.md': 'C',
  });
  await symlink(join(folder, 'outside/secret.md'), join(folder, 'root/link.md'));
  await symlink(join(folder, 'outside'), join(folder, 'root/linked'));
  const load = loaderFor(['root'], folder);
  return {
    folder,
    load,
    code: (path: string) =>
      load(path).then(
        () => 'loaded',
        (error) => error.code,
      ),
  };
}

describe('A file loader', () => {
  it('reads a file below a root by absolute path, or relative to the working directory or root', async () => {
    const { folder, load } = await setUp();
    for (const path of [
      join(folder, 'root/a.md'),
      'root/a.md',
      './root/a.md',
      'a.md',
      'sub/../a.md',
    ]) {
      const loaded = await load(path);
      expect(Buffer.from(loaded.bytes).toString()).toBe('A');
      expect(loaded.origin).toBe('a.md');
    }
    expect((await load('sub/日本 語.md')).origin).toBe('sub/日本 語.md');
  });
});

describe('A file loader refuses', () => {
  it.each([
    ...listed(`
      ../outside/secret.md | ../outside/../outside/secret.md | /etc/passwd | ../root-2/c.md | /proc/self/environ | /dev/zero
      .env | .git/x.md | link.md | linked/secret.md | /etc/no-such-file
    `),
    'a.md\0',
    '',
    '.',
    'sub',
  ])('%j', async (path) => {
    const { code } = await setUp();
    expect(await code(path)).toBe('source_not_allowed');
  });

  it('a named pipe, without waiting for a writer', async () => {
    const { folder, code } = await setUp();
    execFileSync('mkfifo', [join(folder, 'root/pipe.md')]);
    expect(await code('pipe.md')).toBe('source_not_allowed');
  });

  it('system folders even below a root of /', async () => {
    const load = loaderFor(['/'], '/');
    await expect(load('/proc/self/environ')).rejects.toMatchObject({ code: 'source_not_allowed' });
    await expect(load('/dev/zero')).rejects.toMatchObject({ code: 'source_not_allowed' });
  });

  it('every file if there is no root', async () => {
    const { folder } = await setUp();
    const load = loaderFor([], folder);
    await expect(load('root/a.md')).rejects.toMatchObject({ code: 'source_not_allowed' });
  });

  it('a missing file with source_not_found and a large one with payload_too_large', async () => {
    const { folder, code } = await setUp();
    await mkdir(join(folder, 'root/deep'));
    await writeFile(join(folder, 'root/deep/big.md'), 'x'.repeat(1_001));
    expect(await code('root/none.md')).toBe('source_not_found');
    expect(await code('none.md')).toBe('source_not_found');
    expect(await code('deep/big.md')).toBe('payload_too_large');
  });
});
