import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('the example of docs/extend.md prints its documented output in a project that links the package', async () => {
  const manual = readFileSync(join(root, 'docs/extend.md'), 'utf8');
  const [, code = '', output] = /```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/.exec(manual) ?? [];
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'node_modules'));
  await symlink(root, join(folder, 'node_modules/knowledge-agent'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'example.ts'), code);
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], { cwd: folder, env: { NO_COLOR: '1' } });
  expect(stdout).toBe(output);
});
