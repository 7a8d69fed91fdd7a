import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashKey } from '../../src/keys.ts';
import { runCommand } from '../support/run-command.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder } from '../support/workspace.ts';

async function setUp() {
  const folder = await temporaryFolder();
  const file = join(folder, 'keys.jsonl');
  const run = (...args: string[]) => runCommand(['keys', ...args], { API_KEYS_FILE: file });
  return { folder, file, run };
}

describe('npm run keys', () => {
  it('makes a key that is shown once, and whose hash alone is kept', async () => {
    const { file, run } = await setUp();
    const { code, out, err } = await run('add', '--name', 'Support bot', '--namespaces', 'docs+HR', '--expires', '90d');
    const key = out.trim();
    expect([code, key]).toEqual([0, expect.stringMatching(/^ka_[\w-]{43}$/)]);
    expect(err).toContain('read+write in docs+hr');
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain(key.slice(3));
    expect(JSON.parse(text)).toMatchObject({
      name: 'Support bot',
      sha256: hashKey(key),
      namespaces: ['docs', 'hr'],
      rights: ['read', 'write'],
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const listed = await run('list');
    expect([listed.code, listed.out.includes('Support bot'), listed.out.includes(key)]).toEqual([0, true, false]);
  });

  it.each([
    [['add']],
    [['add', '--name', 'x', '--rights', 'read+reed']],
    [['add', '--name', 'x', '--rights', '']],
    [['add', '--name', 'x', '--namespaces', '*']],
    [['add', '--name', 'x', '--namespaces', '']],
    [['add', '--name', 'x', '--expires', 'soon']],
    [['revoke']],
    [['remove']],
  ])('refuses %j, and writes nothing', async (args) => {
    const { file, run } = await setUp();
    expect((await run(...args)).code).toBe(2);
    await expect(stat(file)).rejects.toThrow(/ENOENT/);
  });

  it('says what is wrong with a file, and leaves it', async () => {
    const { file, run } = await setUp();
    await writeFile(file, 'x\n');
    for (const args of [['list'], ['add', '--name', 'x'], ['revoke', 'x']]) {
      const { code, err } = await run(...args);
      expect([code, err]).toEqual([1, expect.stringContaining('line 1: is not JSON')]);
    }
    expect(await readFile(file, 'utf8')).toBe('x\n');
  });

  it('opens a server that runs, and closes it again', async () => {
    const { folder, file, run } = await setUp();
    await writeFile(file, '');
    const dirs = { KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: join(folder, 'index') };
    // With the file it needs no other credentials to be reached from outside.
    const server = await startServerProcess({ ...dirs, API_KEYS_FILE: file, HOST: '0.0.0.0' });
    const key = (await run('add', '--name', 'x', '--rights', 'read')).out.trim();
    const url = server.url.replace('0.0.0.0', '127.0.0.1');
    const until = async (status: number) => {
      const end = performance.now() + 2_000;
      let last = 0;
      while (last !== status && performance.now() < end) {
        ({ status: last } = await fetch(`${url}/api/namespaces`, { headers: { 'x-api-key': key } }));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return last;
    };
    expect(await until(200)).toBe(200);
    expect((await run('revoke', hashKey(key).slice(0, 12))).code).toBe(0);
    expect(await until(401)).toBe(401);
    expect(server.output()).not.toContain(key);
  });

  it('a server starts with no broken file, and says its line', async () => {
    const { file } = await setUp();
    await writeFile(file, '\n{}\n');
    await expect(startServerProcess({ API_KEYS_FILE: file })).rejects.toThrow(/ended with 1: API_KEYS_FILE: .*line 2: /);
  });
});
