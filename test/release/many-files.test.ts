/**
 * Another process adds and removes thousands of files in the knowledge folder while the server
 * answers.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cases } from '../support/depth.ts';
import { startServerProcess } from '../support/server-process.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

const files = cases(3_000);
const drop = `
  const { mkdirSync, writeFileSync } = require('node:fs');
  const [folder, files] = process.argv.slice(1);
  for (let at = 0; at < Number(files); at++) {
    const below = folder + '/part' + (at % 10);
    if (at < 10) mkdirSync(below, { recursive: true });
    writeFileSync(below + '/file' + at + '.md', '# File ' + at + '\\n\\nThe word of file ' + at + ' is zebra' + at + 'x.\\n');
  }`;
const remove = "require('node:fs').rmSync(process.argv[1], { recursive: true })";

async function run(script: string, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, ['-e', script, ...args], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([0, null]);
}

it(`indexes ${files} files that arrive at once and removes them at once while answering questions`, async () => {
  const folder = await temporaryFolder();
  const { KNOWLEDGE_DIR: knowledge } = foldersIn(folder);
  await writeFiles(knowledge, {
    'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
    'many/here.md': '# Here\n\nAlready here.\n',
  });
  const server = await startServerProcess(foldersIn(folder));
  let isOver = false;
  let asked = 0;
  const asking = (async () => {
    for (; !isOver; asked++) {
      const { status, body } = await server.generate({
        messages: '@agent within how many days are refunds paid?',
      });
      expect([status, body.text]).toEqual([200, expect.stringContaining('within 30 days')]);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const documents = async () => {
    const { namespaces } = (await server.get('/api/namespaces')).body;
    return namespaces.find(({ name }: { name: string }) => name === 'many')?.documents;
  };
  const find = async (word: string) => {
    const { body } = await server.find({ namespace: 'many', query: word, maxResults: 3 });
    return body.results
      .map(({ text }: { text: string }) => text)
      .filter((text: string) => text.includes(word));
  };

  // Half written now, completed after the other files arrive.
  await writeFile(join(knowledge, 'many/halves.md'), '# Halves\n\nThe first half says okapi');
  await run(drop, join(knowledge, 'many/dropped'), String(files));
  await appendFile(join(knowledge, 'many/halves.md'), 'whole. And the second half is here.\n');
  await expect.poll(documents, { timeout: 300_000, interval: 200 }).toBe(files + 2);
  for (let at = 0; at < files; at += 187) expect(await find(`zebra${at}x`)).toHaveLength(1);
  await expect.poll(async () => (await find('okapiwhole')).length).toBe(1);

  const askedWhileAdding = asked;
  expect(askedWhileAdding).toBeGreaterThan(2);
  await run(remove, join(knowledge, 'many/dropped'));
  await expect.poll(documents, { timeout: 300_000, interval: 200 }).toBe(2);
  for (let at = 0; at < files; at += 187) expect(await find(`zebra${at}x`)).toEqual([]);
  expect(await find('okapiwhole')).toHaveLength(1);
  isOver = true;
  await asking;
  expect(asked).toBeGreaterThan(askedWhileAdding);
  expect(await server.stop('SIGTERM')).toBe(0);
});
