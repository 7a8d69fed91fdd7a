/**
 * Damages each file of INDEX_DIR. The server answers as before, reports what it rebuilds and keeps
 * data that it cannot rebuild.
 */
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { beforeAll, describe, expect, it } from 'vitest';
import { Job } from '../../src/ingest/jobs/job.ts';
import { JobRows } from '../../src/records/job-tables.ts';
import { startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { createRandom } from '../support/ledger.ts';
import { storeIn } from '../support/state.ts';
import { foldersIn, startService, temporaryFolder } from '../support/workspace.ts';

const waitingText = 'Complete text of the waiting job.';
const waitingJob = '11111111-2222-4333-8444-555555555555';

async function serve(folder: string, baseUrl: string) {
  const lines: string[] = [];
  const logger = pino(
    { level: 'warn', customLevels: { audit: 25 } },
    { write: (line: string) => void lines.push(line) },
  );
  const service = await startService(
    { ...foldersIn(folder), EMBEDDING_MODEL: 'fake', LLM_BASE_URL: baseUrl },
    {},
    { logger, model: 'extractive' },
  );
  return { ...service, lines };
}

type Server = Awaited<ReturnType<typeof serve>>;

const words = ['quokka', 'wombat', 'wallaby', 'numbat', 'bilby', 'potoroo', 'dunnart', 'bettong'];
const namespaceOf = (at: number) => (at % 2 === 0 ? 'docs' : 'more');
const unanswered = [
  'who founded the company?',
  'where is the parking garage?',
  'when does the train leave?',
  'which paint dries fastest?',
  'can I bring a bicycle?',
  'what does a visa cost?',
  'how tall is the tower?',
  'why was the concert cancelled?',
];
const runs: string[] = [];

/** Returns the text that the waiting job stored, or 'none' if there is no such job. */
async function resultOfWaitingJob({ get }: Server): Promise<string> {
  for (;;) {
    const { status, body } = await get(`/api/jobs/${waitingJob}`);
    if (status === 404) return 'none';
    const [row] = body.results;
    if (row?.document) {
      const { markdown, bodyStart } = (
        await get(`/api/namespaces/later/documents/${row.document.id}`)
      ).body;
      return markdown.slice(bodyStart).trim();
    }
    if (!['queued', 'running'].includes(body.status)) return JSON.stringify(body);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function askAll({ find, generate }: Server) {
  const answers: unknown[] = [];
  for (const [at, word] of words.entries()) {
    const namespace = namespaceOf(at);
    const query = { namespace, query: `what does the ${word} eat`, maxResults: 3 };
    let found = await find(query);
    // Until the vectors are rebuilt, it falls back to keyword search.
    while (found.body.mode !== 'hybrid' || found.body.degraded) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      found = await find(query);
    }
    const asked = await generate({
      messages: `@agent what does the ${word} eat?`,
      toolParams: { namespace },
    });
    const { text, citations } = asked.body;
    answers.push([found.status, found.body.results, asked.status, text, citations]);
  }
  return answers;
}

async function readStored({ get }: Server) {
  const kept = new Map<string, string>();
  const keep = (name: string, { status, body }: { status: number; body: unknown }) => {
    expect([200, 404], `${name}: ${status} ${JSON.stringify(body)}`).toContain(status);
    if (status === 200) kept.set(name, JSON.stringify(body));
  };
  for (const runId of runs) keep(runId, await get(`/api/answers/${runId}`));
  for (const thread of ['t1', 't2', 't3']) {
    const reply = await get(`/api/memory/threads/${thread}/messages?resourceId=r`);
    keep(thread, { status: reply.status === 404 ? 404 : reply.status, body: null });
    for (const { id, role, content } of reply.body.messages ?? [])
      kept.set(id, JSON.stringify([role, content]));
  }
  const gaps = await get('/api/gaps');
  for (const { question, ...gap } of gaps.body.gaps)
    kept.set(`gap ${question}`, JSON.stringify(gap.closest));
  return kept;
}

async function fill(server: Server): Promise<void> {
  const { get, post, delete: remove, generate, ingest, request } = server;
  for (const [at, word] of words.entries()) {
    const text = `# The ${word}\n\nThe ${word} eats leaves of kind ${at} at night. It weighs ${at + 1} kilograms.\n\n## Habits\n\nIt sleeps by day.\n`;
    const namespace = namespaceOf(at);
    const form = new FormData();
    form.append('files', new Blob([text]), `${word}.md`);
    const init = { method: 'POST', body: form };
    expect((await request(`/api/namespaces/${namespace}/documents`, init)).status).toBe(200);
  }
  for (const [at, word] of words.entries()) {
    const memory = { thread: `t${(at % 3) + 1}`, resource: 'r' };
    const toolParams = { namespace: namespaceOf(at) };
    const messages = `@agent what does the ${word} eat?`;
    const { body } = await generate({ messages, toolParams, memory });
    runs.push(body.runId);
    await post(`/api/answers/${body.runId}/feedback`, {
      rating: 'up',
      comment: `good, ${word}`,
    });
    await generate({ messages: `@agent ${unanswered[at]}`, toolParams });
  }
  const { body } = await ingest({
    namespace: 'docs',
    sources: ['A text of a job.'],
    wait: false,
  });
  while ((await get(`/api/jobs/${body.id}`)).body.status !== 'completed')
    await new Promise((resolve) => setTimeout(resolve, 10));
  await remove(
    `/api/namespaces/docs/documents/${(await get(`/api/jobs/${body.id}`)).body.results[0].document.id}`,
  );
}

type Damage = (bytes: Buffer, random: () => number) => Buffer;
const flipAt =
  (share: number): Damage =>
  (bytes, random) => {
    const altered = Buffer.from(bytes);
    const at = Math.min(
      bytes.length - 1,
      Math.floor(bytes.length * share + random() * bytes.length * 0.1),
    );
    altered[at] = (altered[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return altered;
  };
const garbage = (length: number, random: () => number) =>
  Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));

const damages: Readonly<Record<string, Damage>> = {
  'first byte flipped': (bytes) => flipAt(0)(bytes, () => 0),
  'byte near the start flipped': flipAt(0),
  'byte in the middle flipped': flipAt(0.45),
  'byte near the end flipped': flipAt(0.9),
  'second half cut off': (bytes) => bytes.subarray(0, bytes.length >> 1),
  emptied: () => Buffer.alloc(0),
  'replaced by garbage': (bytes, random) => garbage(bytes.length, random),
  'garbage appended': (bytes, random) => Buffer.concat([bytes, garbage(500, random)]),
};

const filesOf = (index: string): string[] =>
  readdirSync(index, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    // SQLite checksums its WAL files itself.
    .filter(({ name }) => !/-(?:wal|shm)$/.test(name))
    .map((entry) => join(entry.parentPath, entry.name).slice(index.length + 1))
    .sort();

/**
 * Files to damage together: the state, and two halves of the rest, so that each half leaves intact
 * files.
 */
function groupsOf(index: string): string[][] {
  const rest = filesOf(index).filter((file) => file !== 'state.db');
  return [['state.db'], rest.filter((_, at) => at % 2 === 0), rest.filter((_, at) => at % 2 === 1)];
}

describe('a damaged INDEX_DIR', () => {
  let original: string;
  let baseUrl: string;
  let originalAnswers: unknown[];
  let kept: Map<string, string>;

  beforeAll(async () => {
    const provider = await startFakeEmbeddings();
    baseUrl = provider.baseUrl;
    original = await temporaryFolder();
    const server = await serve(original, baseUrl);
    await fill(server);
    originalAnswers = await askAll(server);
    await server.close();
    const again = await serve(original, baseUrl);
    kept = await readStored(again);
    await again.close();
    // A waiting job, as after a kill.
    const asked = {
      id: waitingJob,
      namespace: 'later',
      prune: false,
      at: '2026-11-23T10:00:00.000Z',
      owner: 'x',
    };
    const source = { kind: 'text' as const, text: waitingText, title: 'Waiting', label: 'Waiting' };
    const store = storeIn(join(original, 'index'));
    const jobs = new JobRows({ store, onUnexpected: () => undefined, onWarning: () => undefined });
    await jobs.add(new Job({ ...asked, requests: [{ type: 'source', source }] }), () => undefined);
    await store.close();
  });

  it('contains every kind of file and enough stored data', () => {
    const kinds = new Set(
      filesOf(join(original, 'index')).map((path) =>
        path.replace(/[^/]*\.(\w+)$/, '*.$1').replace(/\/.+\//, '/*/'),
      ),
    );
    expect([...kinds].sort()).toEqual([
      '*.catalogue',
      '*.db',
      '*.reserve',
      'index/*/*.part',
      'vectors/*.bin',
      'words/*/*.part',
    ]);
    expect(kept.size).toBeGreaterThan(20);
  });

  it.each(Object.entries(damages))('loses nothing silently: %s', async (name, damage) => {
    const wrong: string[] = [];
    for (const [number, group] of groupsOf(join(original, 'index')).entries()) {
      const random = createRandom(
        Number.parseInt(
          createHash('sha256').update(`${name}${number}`).digest('hex').slice(0, 8),
          16,
        ),
      );
      const folder = await temporaryFolder();
      cpSync(original, folder, { recursive: true, preserveTimestamps: true });
      for (const file of group) {
        const path = join(folder, 'index', file);
        writeFileSync(path, damage(readFileSync(path), random));
      }
      const server = await serve(folder, baseUrl);
      const report = (what: string) => wrong.push(`${group}: ${what}`);
      if (JSON.stringify(await askAll(server)) !== JSON.stringify(originalAnswers))
        report('answers differ');
      const lost = [...kept.keys()];
      for (const [what, text] of await readStored(server)) {
        // SQLite has no checksums for rows: a flipped bit may change a stored text.
        const mayDiffer = number === 0 && name.endsWith('flipped');
        if (kept.get(what) !== text && kept.has(what) && !mayDiffer)
          report(`${what} is ${text}, was ${kept.get(what)}`);
        lost.splice(lost.indexOf(what), 1);
      }
      const isReported = server.lines.join('').includes('damaged');
      const job = await resultOfWaitingJob(server);
      if (
        job !== waitingText &&
        !(job === 'none' && (isReported || server.lines.join('').includes(waitingJob)))
      )
        report(`the job stored ${job}`);
      if (lost.length > 0 && !isReported)
        report(`lost ${lost} and logs ${server.lines.join('') || 'nothing'}`);
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    }
    expect(wrong).toEqual([]);
  });
});
