import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFrontMatter } from '../../src/markdown/front-matter.ts';
import { createRandom } from '../support/ledger.ts';
import { startServerProcess } from '../support/server-process.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const documents = 500;
const kills = 10;
const textOf = (number: number) =>
  `# Document ${number}\n\nThe unique word of document ${number} is zebra${number}x.\n\n${`Filling sentence ${number}. `.repeat(100)}`;

it(`a job of ${documents} documents that is killed up to ${kills} times is done in the end, with nothing lost, doubled or half-written`, async () => {
  const folder = await temporaryFolder();
  await writeFiles(folder, Object.fromEntries(Array.from({ length: documents }, (_, number) => [`files/d${number}.md`, textOf(number)])));
  const settings = {
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    INDEX_DIR: join(folder, 'index'),
    ALLOWED_FILE_ROOTS: join(folder, 'files'),
  };
  const random = createRandom(7);
  const stateOf = async (url: string, id: string) => (await (await fetch(`${url}/api/jobs/${id}`)).json()) as any;

  let server = await startServerProcess(settings);
  const asked = await server.post('/api/tools/ingestSources', {
    namespace: 'docs',
    sources: [{ path: join(folder, 'files') }],
    wait: false,
  });
  const { id } = asked.body;
  let killed = 0;
  for (; killed < kills; killed++) {
    await new Promise((resolve) => setTimeout(resolve, 10 + random() * 90));
    if ((await stateOf(server.url, id)).status === 'completed') break;
    await server.stop('SIGKILL');
    server = await startServerProcess(settings);
  }
  // Killed in the middle of the work, not before or after it.
  expect(killed).toBeGreaterThan(5);
  for (;;) {
    const { status } = await stateOf(server.url, id);
    if (status === 'completed') break;
    expect(['queued', 'running']).toContain(status);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  const { added, results } = await stateOf(server.url, id);
  expect(added).toBe(documents);
  expect(new Set(results.map((row: { source: string }) => row.source)).size).toBe(documents);
  const stored = readdirSync(join(folder, 'knowledge/docs')).filter((name) => name.endsWith('.md'));
  expect(stored).toHaveLength(documents);
  for (const name of stored) {
    const content = readFileSync(join(folder, 'knowledge/docs', name), 'utf8');
    const { attributes, bodyStart } = readFrontMatter(content);
    expect(content.slice(bodyStart).trim()).toBe(textOf(Number(/\d+$/.exec(String(attributes['title']))?.[0])).trim());
  }
  for (let number = 0; number < documents; number += 25) {
    const { body } = await server.post('/api/tools/searchDocs', { namespace: 'docs', query: `zebra${number}x`, maxResults: 2 });
    expect(body.results.map((result: { title: string }) => result.title)).toEqual([`Document ${number}`]);
  }
});
