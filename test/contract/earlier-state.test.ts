import { appendFile, cp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { Schedules } from '../../src/ingest/schedules.ts';
import { createChatDeliveries } from '../../src/state/chat-deliveries.ts';
import { importEarlierState } from '../../src/state/earlier.ts';
import { JobRows } from '../../src/state/jobs.ts';
import { createScheduleStore } from '../../src/state/schedules.ts';
import { storeIn } from '../support/state.ts';
import { temporaryFolder } from '../support/workspace.ts';

const earlierFolder = fileURLToPath(new URL('../fixtures/state-0.5.0', import.meta.url));

/** Copies the state of version 0.5.0. @param change edits it before the import */
async function importState(change: (folder: string) => Promise<unknown> = async () => undefined) {
  const root = await temporaryFolder();
  await cp(earlierFolder, root, { recursive: true });
  const folder = join(root, 'index');
  const knowledgeDir = join(root, 'knowledge');
  await change(folder);
  const warnings: string[] = [];
  const onWarning = (message: string) => void warnings.push(message);
  const store = storeIn(folder, onWarning);
  onTestFinished(() => store.close());
  const start = () => importEarlierState({ store, folders: [folder], knowledgeDir, onWarning });
  // The second import finds nothing.
  for (let starts = 0; starts < 2; starts++) await start();
  return {
    knowledgeDir,
    folder,
    store,
    warnings,
    files: async () =>
      (await readdir(folder)).filter((name) => !name.startsWith('state.db')).sort(),
  };
}

it('imports token counts', async () => {
  const { store, warnings, files } = await importState();
  const rows = await store.query(
    'SELECT day, key, tokens FROM model_tokens ORDER BY day, key LIMIT 2',
  );
  expect(rows).toMatchObject([
    { day: '2026-03-04', key: '', tokens: 60 },
    { day: '2026-03-04', key: expect.stringMatching(/^Sn1/), tokens: 60 },
  ]);
  expect(await store.query('SELECT 1 FROM model_tokens')).toHaveLength(5);
  expect(await files()).not.toContain('model-tokens.json');
  expect(warnings).toEqual([]);
});

it.each(['', '{', '[["2026-03-04",[["",-5]]]]', '[["yesterday",[["",5]]]]', '\0\0\0'])(
  'keeps unreadable token counts (%j) as a damaged file, and imports the rest',
  async (text) => {
    const { store, warnings, files } = await importState((folder) =>
      writeFile(join(folder, 'model-tokens.json'), text),
    );
    expect(await store.query('SELECT 1 FROM model_tokens')).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('model-tokens.json')]);
    expect(await files()).toContainEqual(expect.stringMatching(/^model-tokens\.json\.damaged-/));
  },
);

it('imports answered chat messages without damaged lines', async () => {
  const { store, warnings, files } = await importState((folder) =>
    appendFile(join(folder, 'chat-webhooks.jsonl'), '{"id":7}\n[]\n{"id":"later"}\n{"id"'),
  );
  const deliveries = createChatDeliveries({ store });
  const ids = [...[1, 2, 3, 4, 5].map((at) => `message-${at}`), 'later', '7', 'unknown'];
  const states = await Promise.all(ids.map((id) => deliveries.stateOf([id])));
  expect(states).toEqual([
    undefined,
    'settled',
    'settled',
    'settled',
    'settled',
    'settled',
    undefined,
    undefined,
  ]);
  expect((await files()).filter((name) => name.startsWith('chat'))).toEqual([]);
  expect(warnings).toEqual([]);
});

it('imports schedules', async () => {
  const { store, knowledgeDir, warnings } = await importState((folder) =>
    writeFile(join(folder, '../knowledge/other/.schedules.json'), '[{'),
  );
  const parts = { jobs: {} as never, clock: () => new Date(), onWarning: () => undefined };
  const schedules = new Schedules({ store: createScheduleStore(store), ...parts });
  expect(await schedules.list('docs')).toMatchObject([
    {
      request: { source: { url: 'https://example.com/a' } },
      everyMs: 3_600_000,
      nextAt: '2026-11-20T11:00:00.000Z',
    },
    { request: { path: '/srv/handbook' }, everyMs: 86_400_000 },
  ]);
  expect(await schedules.list('other')).toEqual([]);
  expect(await readdir(join(knowledgeDir, 'docs'))).toEqual([]);
  expect(warnings).toEqual([
    expect.stringContaining('other/.schedules.json of an earlier version could not be read'),
  ]);
});

it('imports jobs in the order of their requests, without damaged lines', async () => {
  const name = (number: number) => `${String(number).repeat(8)}-2222-4333-8444-555555555555`;
  const { store, warnings, files } = await importState(async (folder) => {
    await appendFile(
      join(folder, 'jobs', `${name(2)}.jsonl`),
      '\n{"line":"done","task":1,"sum":1}\n{"cut',
    );
    await writeFile(
      join(folder, 'jobs', `${name(4)}.jsonl`),
      `{"line":"asked","id":"${name(4)}","sum":7}`,
    );
  });
  const jobs = new JobRows({ store, onUnexpected: () => undefined, onWarning: () => undefined });
  expect(await jobs.waiting()).toEqual([
    { id: name(2), owner: 'a' },
    { id: name(3), owner: 'b' },
  ]);
  expect((await jobs.read(name(1)))?.job.report()).toMatchObject({
    status: 'completed',
    added: 2,
    createdAt: '2026-11-21T10:00:00.000Z',
  });
  const claimed = await jobs.claim(name(2), 'run');
  expect(claimed?.job.asked.requests).toMatchObject([
    { source: { text: 'Text 2a, in full.' } },
    { source: { text: 'Text 2b, in full.' } },
  ]);
  expect(claimed?.job.unended).toBe(1);
  expect(claimed?.job.history.done.map(({ task }) => task)).toEqual([0]);
  for (const id of ['document-1a', 'document-2a']) await jobs.forgetDocument('docs', id);
  const rows = await Promise.all(
    [1, 2].map(async (number) =>
      (await jobs.read(name(number)))?.job.rows().map(({ source }) => source),
    ),
  );
  expect(rows).toEqual([['(deleted)', 'Text 1b'], ['(deleted)']]);
  expect(warnings).toEqual([
    expect.stringContaining(`the job ${name(2)} were skipped: 2.`),
    expect.stringContaining(`the job ${name(4)} were skipped`),
    expect.stringContaining(`${name(4)}.jsonl of an earlier version could not be read`),
  ]);
  expect(await files()).toEqual(['jobs']);
});
