import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startService, writeFiles } from '../support/workspace.ts';

const text = (subject: string) => `# ${subject}\n\nThe ${subject} is kept in the cellar.`;

it("the operator's synonyms apply after the file is written, changed or removed, only in its namespace", async () => {
  const { knowledgeDir, find } = await startService(
    {},
    { 'docs/wombat.md': text('wombat'), 'other/wombat.md': text('wombat') },
  );
  const found = async (query: string, namespace = 'docs') =>
    (await find({ query, namespace })).body.sources;
  const write = (lines: string) => writeFiles(knowledgeDir, { 'docs/.synonyms.txt': lines });
  const untilFound = (query: string, sources: readonly string[]) =>
    vi.waitFor(async () => expect(await found(query)).toEqual(sources), {
      timeout: 60_000,
      interval: 25,
    });
  expect(await found('zorbit')).toEqual([]);

  await write('# of our house\nzorbit, wombat\n');
  await untilFound('zorbit', ['wombat.md']);
  expect(await found('zorbit', 'other')).toEqual([]);

  await write('blintar => wombat\n, ,\n');
  await untilFound('blintar', ['wombat.md']);
  expect(await found('zorbit')).toEqual([]);

  await rm(join(knowledgeDir, 'docs/.synonyms.txt'));
  await untilFound('blintar', []);
  expect(await found('wombat')).toEqual(['wombat.md']);
});
