import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LineFile } from '../../src/disk/line-file.ts';
import { temporaryFolder } from '../support/workspace.ts';

describe('a file of lines', () => {
  it('gives whole lines to a rewrite, and leaves out half a line at the end', async () => {
    const path = join(await temporaryFolder(), 'lines');
    writeFileSync(path, '{"a":1}\n{"b":');
    const seen: string[] = [];
    const given = (content: Buffer) => {
      seen.push(content.toString());
      return content;
    };
    await new LineFile(path).rewrite(given);
    expect([seen, readFileSync(path, 'utf8')]).toEqual([['{"a":1}\n'], '{"a":1}\n']);
  });

  it('says so where only a part of a line could be written', async () => {
    const folder = await temporaryFolder();
    const module = new URL('../../src/disk/line-file.ts', import.meta.url).href;
    const script = `const { LineFile } = await import(${JSON.stringify(module)});
      await new LineFile(process.argv[1]).append('x'.repeat(50_000)).catch((error) => process.stdout.write(error.message));`;
    const args = [
      '-c',
      `trap '' XFSZ; ulimit -f 8; exec "$0" --input-type=module -e "$1" "$2"`,
      process.execPath,
      script,
      join(folder, 'lines'),
    ];
    expect(execFileSync('bash', args, { encoding: 'utf8' })).toMatch(/^only \d+ of 50002 bytes could be written$/);
  });
});
