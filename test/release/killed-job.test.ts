import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFrontMatter } from '../../packages/shared/src/markdown/front-matter.ts';
import { cases } from '../support/depth.ts';
import { createRandom } from '../support/ledger.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { temporaryFolder, writeFiles } from '../support/workspace.ts';

const textOf = (number: number) =>
  `# Document ${number}\n\nThe unique word of document ${number} is zebra${number}x.\n\n${`Filling sentence ${number}. `.repeat(100)}`;
const numberIn = (text: unknown) => Number(/\d+(?=\D*$)/.exec(String(text))?.[0]);

/** @param parts number of folders @param documents number of documents in each folder */
async function setUp(parts: number, documents: number) {
  const folder = await temporaryFolder();
  const files = Array.from({ length: parts * documents }, (_, number) => [
    `files/part${Math.floor(number / documents)}/d${number}.md`,
    textOf(number),
  ]);
  await writeFiles(folder, Object.fromEntries(files));
  const settings = {
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    INDEX_DIR: join(folder, 'index'),
    ALLOWED_FILE_ROOTS: join(folder, 'files'),
  };
  const startServer = () => startServerProcess(settings);
  const startJob = async (server: ServerProcess, sources: readonly unknown[]): Promise<string> =>
    (await server.ingest({ namespace: 'docs', sources, wait: false })).body.id;
  const part = (number: number) => ({ path: join(folder, `files/part${number}`) });
  const read = async ({ url }: ServerProcess, id: string) =>
    (await (await fetch(`${url}/api/jobs/${id}`)).json()) as any;
  async function until(server: ServerProcess, id: string, isSo: (job: any) => boolean) {
    for (;;) {
      const job = await read(server, id);
      if (isSo(job)) return job;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
  /** Checks that each document is stored completely and only once. @returns document numbers */
  function storedNumbers(): number[] {
    const path = join(folder, 'knowledge/docs');
    const numbers = readdirSync(path)
      .filter((name) => name.endsWith('.md'))
      .map((name) => {
        const content = readFileSync(join(path, name), 'utf8');
        const { attributes, bodyStart } = readFrontMatter(content);
        const number = numberIn(attributes['title']);
        expect(content.slice(bodyStart).trim()).toBe(textOf(number).trim());
        return number;
      });
    expect(new Set(numbers).size).toBe(numbers.length);
    return numbers;
  }
  async function expectFound(server: ServerProcess, numbers: readonly number[]) {
    for (const number of numbers) {
      const { body } = await server.find({
        namespace: 'docs',
        query: `zebra${number}x`,
        maxResults: 2,
      });
      expect(body.results.map((result: { title: string }) => result.title)).toEqual([
        `Document ${number}`,
      ]);
    }
  }
  return { startServer, startJob, part, read, until, storedNumbers, expectFound };
}

const failedOf = (results: { status: string }[]) =>
  results.filter(({ status }) => status !== 'added');
const isEnded = ({ status }: { status: string }) => !['queued', 'running'].includes(status);
const isRunning = ({ status, results }: { status: string; results: unknown[] }) =>
  status === 'running' && results.length > 0;

it('resumes a job after any number of kills and clean stops', async () => {
  const kills = cases(1);
  const documents = 40;
  const { startServer, startJob, part, read, until, storedNumbers, expectFound } = await setUp(
    kills + 2,
    documents,
  );
  const random = createRandom(7);
  let server = await startServer();
  const again = async (signal: NodeJS.Signals) => {
    await server.stop(signal);
    server = await startServer();
  };
  let killed = 0;
  for (let number = 0; number < kills; number++) {
    const id = await startJob(server, [part(number)]);
    // Kills each job at another row.
    const rows = Math.floor(random() * documents * 0.8);
    if (!isEnded(await until(server, id, (job) => isEnded(job) || job.results.length >= rows)))
      killed++;
    await again('SIGKILL');
    const { status, added, results } = await until(server, id, isEnded);
    expect(failedOf(results)).toEqual([]);
    expect([status, added]).toEqual(['completed', documents]);
    expect(new Set(results.map((row: { source: string }) => row.source)).size).toBe(documents);
    expect(storedNumbers()).toHaveLength((number + 1) * documents);
  }
  // At least one kill hit a running job.
  expect(killed).toBeGreaterThan(0);
  const all = kills * documents;
  await expectFound(
    server,
    Array.from({ length: 40 }, (_, at) => Math.floor((at * all) / 40)),
  );

  const id = await startJob(server, [part(kills)]);
  for (let kill = 0, rows = 0; kill < 3; kill++) {
    const job = await until(server, id, (one) => isEnded(one) || one.results.length > rows);
    rows = job.results.length;
    await again('SIGKILL');
  }
  const job = await until(server, id, isEnded);
  expect(failedOf(job.results)).toEqual([]);
  expect(job).toMatchObject({ status: 'completed', added: documents });
  expect(storedNumbers()).toHaveLength((kills + 1) * documents);

  const next = await startJob(server, [part(kills + 1)]);
  await until(server, next, isRunning);
  await again('SIGTERM');
  const resumed = await until(server, next, isEnded);
  expect(failedOf(resumed.results)).toEqual([]);
  expect(resumed).toMatchObject({ status: 'completed', added: documents });
  expect(await read(server, id)).toEqual(job);
});
