/** `API_KEYS_FILE`: stores hashes of keys and is re-read while the server runs. */
import { writeFileSync } from 'node:fs';
import { chmod, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { editKeys, hashKey, KeyFileError, parseKeys, type StoredKey } from '../../src/keys.ts';
import { createLogger } from '../../src/log.ts';
import { startService, temporaryFolder } from '../support/workspace.ts';

const keyOf = (key: string, more: object = {}) => ({
  ...{ id: key, name: `of ${key}`, sha256: hashKey(key), namespaces: '*', rights: ['read'] },
  ...{ createdAt: '2027-01-02T03:04:05Z', ...more },
});
const linesOf = (...keys: object[]) => keys.map((key) => `${JSON.stringify(key)}\n`).join('');

const publishable = { namespaces: ['docs'], rights: ['ask'], origins: ['https://shop.example'] };

describe('a key file', () => {
  it.each<[string, object]>([
    ['no rights', { rights: undefined }],
    ['an unknown right', { rights: ['read', 'reed'] }],
    ['an empty list of namespaces', { namespaces: [] }],
    ['* among namespaces', { namespaces: ['*'] }],
    ['an unknown field', { namespace: ['docs'] }],
    ['an invalid hash', { sha256: 'A'.repeat(64) }],
    ['origins with another right', { ...publishable, rights: ['ask', 'read'] }],
    ['origins with all namespaces', { ...publishable, namespaces: '*' }],
    ['* as an origin', { ...publishable, origins: ['*'] }],
    ['an origin with a path', { ...publishable, origins: ['https://shop.example/'] }],
    ['a key itself', { key: 's3cret' }],
    ['the same id', { id: 'good' }],
    ['the same key', { sha256: hashKey('good') }],
    ['a key of API_KEYS', { sha256: hashKey('taken') }],
  ])('stops the start with the line number for %s', (_name, wrong) => {
    const lines = `${linesOf(keyOf('good'))}\n${linesOf(keyOf('a', wrong))}`;
    const parse = () => parseKeys(lines, new Set([hashKey('taken')]));
    expect(parse).toThrow(KeyFileError);
    expect(parse).toThrow(/^line 3: /);
    expect(parse).not.toThrow(/s3cret/);
  });

  it('is read if it is valid', () => {
    const keys = parseKeys(
      linesOf(keyOf('a', { namespaces: ['Docs'], expiresAt: '2027-05-01T00:00:00Z' })),
    );
    expect(keys).toMatchObject([
      { id: 'a', namespaces: ['docs'], rights: ['read'], expiresAt: '2027-05-01T00:00:00Z' },
    ]);
    expect(parseKeys('\n')).toEqual([]);
  });
});

async function start(content: string) {
  const folder = await temporaryFolder();
  const path = join(folder, 'keys.jsonl');
  await writeFile(path, content);
  const logger = createLogger('silent');
  const warnings: string[] = [];
  vi.spyOn(logger, 'warn').mockImplementation(
    ((...parts: unknown[]) => void warnings.push(parts.map(String).join(' '))) as never,
  );
  const service = await startService(
    { API_KEYS_FILE: path },
    { 'docs/a.md': '# A\n\nText.' },
    { logger },
  );
  const statusOf = async (key: string) =>
    (await service.get('/api/namespaces', { 'x-api-key': key })).status;
  return { ...service, path, warnings, statusOf };
}

/** A busy machine needs longer than the two seconds that are promised. */
const soon = { timeout: 60_000, interval: 50 };

describe('a server', () => {
  it('accepts keys of the file, but not their hashes; with an empty file it accepts no caller', async () => {
    const { statusOf } = await start(linesOf(keyOf('a')));
    expect([await statusOf('a'), await statusOf(hashKey('a'))]).toEqual([200, 401]);
    const empty = await start('');
    expect([await empty.statusOf('a'), (await empty.get('/api/namespaces')).status]).toEqual([
      401, 401,
    ]);
  });

  it('rejects a key as soon as it expires', async () => {
    const { statusOf } = await start(
      linesOf(keyOf('soon', { expiresAt: new Date(Date.now() + 60_000).toISOString() })),
    );
    expect(await statusOf('soon')).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
    try {
      expect(await statusOf('soon')).toBe(401);
    } finally {
      vi.useRealTimers();
    }
  });

  it('applies added and revoked keys while it runs', async () => {
    const { statusOf, path, warnings } = await start(linesOf(keyOf('a')));
    await editKeys(path, (keys) => [...keys, ...parseKeys(linesOf(keyOf('b')))]);
    await vi.waitFor(async () => expect(await statusOf('b')).toBe(200), soon);
    await editKeys(path, (keys) => keys.filter(({ id }) => id !== 'a'));
    await vi.waitFor(async () => expect(await statusOf('a')).toBe(401), soon);
    // Some editors write in place.
    await writeFile(path, linesOf(keyOf('c')));
    await vi.waitFor(
      async () => expect([await statusOf('b'), await statusOf('c')]).toEqual([401, 200]),
      soon,
    );
    expect(warnings).toEqual([]);
  });

  it('keeps its keys if the file breaks or disappears, warns once, and then follows the file again', async () => {
    const { statusOf, path, warnings } = await start(linesOf(keyOf('a')));
    const settle = () => new Promise((resolve) => setTimeout(resolve, 1_100));
    await writeFile(path, `${linesOf(keyOf('b'))}{"id":`);
    // A server reads the file when a caller comes.
    const warned = (times: number) =>
      vi.waitFor(async () => {
        await statusOf('a');
        expect(warnings).toHaveLength(times);
      }, soon);
    await warned(1);
    expect([await statusOf('a'), await statusOf('b')]).toEqual([200, 401]);
    await rename(path, `${path}.away`);
    await settle();
    expect(await statusOf('a')).toBe(200);
    expect(warnings).toEqual([
      expect.stringMatching(/^API_KEYS_FILE line 2: is not JSON; its earlier keys stay valid$/),
    ]);
    await writeFile(path, linesOf(keyOf('b')));
    await vi.waitFor(
      async () => expect([await statusOf('a'), await statusOf('b')]).toEqual([401, 200]),
      soon,
    );
    await rm(path);
    await warned(2);
    expect(await statusOf('b')).toBe(200);
    expect(warnings.join()).not.toContain(path);
  });
});

describe('editing the file', () => {
  it('fails if the file was changed concurrently', async () => {
    const path = join(await temporaryFolder(), 'keys.jsonl');
    await writeFile(path, linesOf(keyOf('a'), keyOf('b')));
    const editing = editKeys(path, (keys) => {
      writeFileSync(path, linesOf(keyOf('b')));
      return [...keys, ...parseKeys(linesOf(keyOf('c')))];
    });
    await expect(editing).rejects.toThrow(/changed by another process/);
    expect([await readFile(path, 'utf8'), await readdir(dirname(path))]).toEqual([
      linesOf(keyOf('b')),
      ['keys.jsonl'],
    ]);
  });

  it('restricts the file to its owner, and keeps a symbolic link', async () => {
    const folder = await temporaryFolder();
    const [path, link] = [join(folder, 'keys.jsonl'), join(folder, 'link')];
    await writeFile(path, '');
    await chmod(path, 0o644);
    await symlink(path, link);
    const keys: StoredKey[] = parseKeys(linesOf(keyOf('a')));
    await editKeys(link, () => keys);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(parseKeys(await readFile(path, 'utf8'))).toEqual(keys);
  });
});
