/** Runs `src/mastra/index.ts` like Mastra's tools: bundled to `.mastra/output` with a package.json, in another working directory. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const ask = `
  import { mastra } from './index.mjs';
  const ingested = await mastra.getTool('ingestSources').execute({ sources: [{ path: 'hours.html' }] });
  const { text } = await mastra.getAgent('knowledge').generate('@agent how long are refunds open?');
  console.log(JSON.stringify({ cwd: process.cwd(), failed: ingested.failed, text }));
  process.exit();
`;

it('uses the documents and settings of the project from any working directory', async () => {
  const project = await temporaryFolder();
  for (const name of ['src', 'node_modules', 'samples']) await symlink(join(root, name), join(project, name));
  await writeFiles(project, {
    'knowledge/default/refunds.md': '# Refunds\n\nRefunds are open for 30 days.\n',
    'hours.html': '<title>Hours</title><main><h1>Hours</h1><p>The office opens at nine.</p></main>',
    '.mastra/output/package.json': '{"name":"server","type":"module"}',
    '.mastra/output/index.mjs': stripTypeScriptTypes(readFileSync(join(root, 'src/mastra/index.ts'), 'utf8')),
    '.mastra/output/ask.mjs': ask,
    'public/.keep': '',
  });
  const { stdout } = await promisify(execFile)(process.execPath, ['../.mastra/output/ask.mjs'], {
    cwd: join(project, 'public'),
    env: { PATH: process.env['PATH'], ALLOWED_FILE_ROOTS: '.', LOG_LEVEL: 'silent' },
  });
  expect(JSON.parse(stdout)).toMatchObject({ failed: 0, text: expect.stringContaining('Refunds are open for 30 days. [1]') });
  expect(readdirSync(join(project, 'public'))).toEqual(['.keep']);
  expect(readdirSync(join(project, 'knowledge/default'))).toHaveLength(2);
});
