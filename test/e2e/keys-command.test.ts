import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hashKey } from '../../src/keys.ts';
import { runCommand } from '../support/run-command.ts';
import { temporaryFolder } from '../support/workspace.ts';

async function setUp() {
  const folder = await temporaryFolder();
  const file = join(folder, 'keys.jsonl');
  const run = (...args: string[]) => runCommand(['keys', ...args], { API_KEYS_FILE: file });
  return { file, run };
}

describe('npm run keys', () => {
  it('creates a key, shows it once and stores only its hash', async () => {
    const { file, run } = await setUp();
    const args = ['--name', 'Support bot', '--namespaces', 'docs+HR', '--expires', '90d'];
    const { code, out, err } = await run('add', ...args);
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
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('Support bot')]);
    expect(listed.out).not.toContain(key);
  });

  it('creates a publishable key, which may only ask from its origins', async () => {
    const { file, run } = await setUp();
    const args = ['add', '--name', 'Shop', '--publishable', '--namespaces', 'help'];
    const given = 'https://Shop.example/, http://localhost:3000';
    const { code, out, err } = await run(...args, '--origins', given);
    expect([code, out.trim()]).toEqual([0, expect.stringMatching(/^pk_[\w-]{43}$/)]);
    const origins = ['https://shop.example', 'http://localhost:3000'];
    expect(err).toContain(`ask in help from ${origins.join(', ')}`);
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      sha256: hashKey(out.trim()),
      namespaces: ['help'],
      rights: ['ask'],
      origins,
    });
    expect((await run('list')).out).toContain(origins.join(' '));
  });

  const named = ['add', '--name', 'x'];
  const inHelp = [...named, '--publishable', '--namespaces', 'help'];
  const fromShop = ['--origins', 'https://shop.example'];
  it.each([
    [['add']],
    [[...named, '--rights', 'read+reed']],
    [[...named, '--rights', '']],
    [[...named, '--namespaces', '*']],
    [[...named, '--namespaces', '']],
    [[...named, '--expires', 'soon']],
    [['revoke']],
    [['remove']],
    [inHelp],
    [[...named, '--publishable', ...fromShop]],
    [[...named, '--namespaces', 'help', ...fromShop]],
    [[...inHelp, ...fromShop, '--rights', 'ask']],
    [[...inHelp, '--origins', '']],
    [[...inHelp, '--origins', 'shop.example']],
    [[...inHelp, '--origins', 'https://shop.example,*']],
  ])('rejects %j and writes nothing', async (args) => {
    const { file, run } = await setUp();
    expect((await run(...args)).code).toBe(2);
    await expect(stat(file)).rejects.toThrow(/ENOENT/);
  });

  it('reports an invalid keys file and does not change it', async () => {
    const { file, run } = await setUp();
    await writeFile(file, 'x\n');
    for (const args of [['list'], ['add', '--name', 'x'], ['revoke', 'x']]) {
      const { code, err } = await run(...args);
      expect([code, err]).toEqual([1, expect.stringContaining('line 1: is not JSON')]);
    }
    expect(await readFile(file, 'utf8')).toBe('x\n');
  });
});
