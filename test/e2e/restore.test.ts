/** A restore replaces state and documents, or changes nothing and says why. */
import { createWriteStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, it } from 'vitest';
import yazl from 'yazl';
import { runCommand } from '../support/run-command.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

async function restore(entries: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  await writeFiles(folder, {
    'knowledge/docs/own.md': '# Own\n\nText.\n',
    'state/state.db': 'not read by the command',
    'state/keys.jsonl': 'own keys',
  });
  const zip = new yazl.ZipFile();
  for (const [name, text] of Object.entries(entries)) zip.addBuffer(Buffer.from(text), name);
  zip.end();
  const file = join(folder, 'backup.zip');
  await pipeline(zip.outputStream, createWriteStream(file));
  const settings = { ...foldersIn(folder), STATE_DIR: join(folder, 'state') };
  const { code, err } = await runCommand(['restore', file], settings);
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const left = files
    .filter((one) => one.isFile() && one.name !== 'server.lock')
    .map(({ name }) => name);
  return {
    code,
    err,
    left: left.sort(),
    keys: await readFile(join(folder, 'state/keys.jsonl'), 'utf8'),
  };
}

it.each([
  ['an empty ZIP file', {}, 'it is empty'],
  ['a key file', { 'state/keys.jsonl': 'foreign', 'knowledge/docs/a.md': 'a' }, 'keys.jsonl'],
  ['an index', { 'state/index/x': 'x', 'knowledge/docs/a.md': 'a' }, 'state/index/x'],
  ['files of an earlier restore', { 'knowledge/.before-restore-1/a.md': 'a' }, '.before-restore-1'],
  [
    'a damaged state.db',
    { 'state/state.db': 'no database', 'knowledge/docs/a.md': 'a' },
    'damaged',
  ],
])('refuses %s with one sentence and changes nothing', async (_, entries, sentence) => {
  const { code, err, left, keys } = await restore(entries);
  expect([code, err.trim().split('\n').length, keys]).toEqual([1, 1, 'own keys']);
  expect(err).toContain(sentence);
  expect(left).toEqual(['backup.zip', 'keys.jsonl', 'own.md', 'state.db']);
});

it('replaces documents, keeps earlier ones in a subfolder, and leaves other files of STATE_DIR', async () => {
  const { code, left, keys } = await restore({ 'knowledge/docs/a.md': '# A' });
  expect([code, keys]).toEqual([0, 'own keys']);
  expect(left).toEqual(['a.md', 'backup.zip', 'keys.jsonl', 'own.md', 'state.db']);
});
