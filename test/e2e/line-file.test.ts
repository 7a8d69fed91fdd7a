import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../support/workspace.ts';

describe('a file of lines', () => {
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
