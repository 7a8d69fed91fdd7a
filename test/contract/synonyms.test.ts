import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startService, writeFiles } from '../support/workspace.ts';

it("the operator's synonyms apply after the file is written or removed, only in its namespace", async () => {
  const text = '# Wombat\n\nThe wombat is kept in the cellar.';
  const files = { 'docs/wombat.md': text, 'other/wombat.md': text };
  const { knowledgeDir, find } = await startService({}, files);
  const found = async (query: string, namespace = 'docs') =>
    (await find({ query, namespace })).body.sources;
  const untilFound = (sources: readonly string[]) =>
    expect.poll(() => found('zorbit')).toEqual(sources);
  expect(await found('zorbit')).toEqual([]);
  await writeFiles(knowledgeDir, { 'docs/.synonyms.txt': '# of our house\nzorbit, wombat\n' });
  await untilFound(['wombat.md']);
  expect(await found('zorbit', 'other')).toEqual([]);
  await rm(join(knowledgeDir, 'docs/.synonyms.txt'));
  await untilFound([]);
});
