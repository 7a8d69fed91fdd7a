import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startService } from '../support/workspace.ts';

const within = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 60_000, interval: 25 });
const text = (subject: string) => `# ${subject}\n\nThe ${subject} is kept in the cellar.`;

it("the operator's synonyms apply after the file is written, changed or removed, only in its namespace", async () => {
  const files = {
    'docs/wombat.md': text('wombat'),
    'docs/leave.md': '# Absence\n\nPaid quokka hours are counted.',
    'other/wombat.md': text('wombat'),
  };
  const { knowledgeDir, find } = await startService({}, files);
  const found = async (query: string, namespace = 'docs') =>
    (await find({ query, namespace })).body.sources;
  const path = join(knowledgeDir, 'docs/.synonyms.txt');
  expect(await found('zorbit')).toEqual([]);

  await writeFile(path, '# of our house\nzorbit, wombat\nqhx => paid quokka hours\n');
  await within(async () => expect(await found('zorbit')).toEqual(['wombat.md']));
  expect(await found('qhx')).toEqual(['leave.md']);
  expect(await found('zorbit', 'other')).toEqual([]);

  await writeFile(path, 'blintar => wombat\n, ,\n');
  await within(async () => expect(await found('blintar')).toEqual(['wombat.md']));
  expect([await found('zorbit'), await found('qhx')]).toEqual([[], []]);

  await rm(path);
  await within(async () => expect(await found('blintar')).toEqual([]));
  expect(await found('wombat')).toEqual(['wombat.md']);
});
