/** Two servers with one database: each sees the other's changes. `outage.test.ts` takes it away. */
import { lstat, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { urlSource } from '../../src/ingest/source.ts';
import { Database } from '../../src/records/postgres/database.ts';
import {
  DocumentRecord,
  importFile,
  noFolder,
} from '../../src/records/postgres/document-tables.ts';
import { eventually, filesOf, ingest, titlesIn, twoServers } from '../support/two-servers.ts';
import { type TestService, temporaryFolder, writeFiles } from '../support/workspace.ts';

const text = 'Refunds are paid within 30 days.';
const named = (namespace: string) => (one: { name: string }) => one.name === namespace;

it('a change on one server appears on the other: authors, schedules and the age of the mirror', async () => {
  const { one, other } = await twoServers();
  const source = { text, title: 'Refunds', author: 'Ann Lee', reviewBy: '2027-05-01' };
  await one.ingest({ namespace: 'docs', sources: [source] });
  await one.schedules.set('docs', urlSource('https://example.com/'), 3_600_000);
  const shown = async (service: TestService) =>
    (await service.get('/api/namespaces/docs/documents?query=refunds')).body;
  await eventually(async () => expect(await shown(other)).toEqual(await shown(one)));
  const { author, reviewBy } = source;
  expect((await shown(other)).documents).toMatchObject([{ author, reviewBy }]);
  const { namespaces } = (await other.get('/api/namespaces')).body;
  const [{ id }] = namespaces.find(named('docs')).schedules;
  expect((await other.delete(`/api/namespaces/docs/schedules/${id}`)).status).toBe(200);
  expect(await one.schedules.list('docs')).toEqual([]);
  const { body } = await other.get('/api/state');
  const mirror = { ageMs: expect.any(Number), isWritten: true };
  expect(body).toMatchObject({ documents: 1, mirror });
  expect(JSON.stringify(body)).not.toMatch(/postgres:|127\.0\.0\.1/);
});

it('a document that another server acknowledged can be deleted at once', async () => {
  const { one, other } = await twoServers();
  for (let round = 0; round < 3; round++) {
    const { body } = await ingest(one, 'Refunds', `Refunds are paid within ${round} days.`);
    const { id } = body.results[0].document;
    expect((await other.delete(`/api/namespaces/docs/documents/${id}`)).status).toBe(200);
    await ingest(one, 'Prices', 'A seat is 9 dollars.', `fresh-${round}`);
    expect((await other.delete(`/api/namespaces/fresh-${round}`)).status).toBe(200);
  }
  await eventually(async () => expect(await filesOf(one)).toEqual({}));
});

describe('the folder as a mirror', () => {
  it('reverts files that a person edits, adds or removes, and saves them in .put-back', async () => {
    const { one } = await twoServers();
    await ingest(one, 'Refunds', text);
    const before = await filesOf(one);
    const [file = ''] = Object.keys(before);
    const edits = { [file]: 'Refunds are never paid.', 'mine.md': '# Mine' };
    await writeFiles(join(one.knowledgeDir, 'docs'), edits);
    await eventually(async () => expect(await filesOf(one)).toEqual(before));
    expect((await one.find({ query: 'never', namespace: 'docs' })).body.results).toEqual([]);
    const saved = await readdir(join(one.knowledgeDir, '.put-back/docs'));
    const names = saved.map((name) => name.replace(/\.\d+$/, ''));
    expect(names.sort()).toEqual([file, 'mine.md'].sort());
    await rm(join(one.knowledgeDir, 'docs'), { recursive: true });
    await eventually(async () => expect(await filesOf(one)).toEqual(before));
  });

  it('moves aside a link in place of a namespace, and does not touch its target', async () => {
    const { one } = await twoServers();
    await ingest(one, 'Refunds', text);
    const [file = ''] = Object.keys(await filesOf(one));
    const elsewhere = await temporaryFolder();
    const folder = join(one.knowledgeDir, 'docs');
    await writeFiles(elsewhere, { 'mine.md': '# Mine', [file]: 'Mine too.' });
    await rename(folder, join(elsewhere, 'docs'));
    await symlink(elsewhere, folder);
    await ingest(one, 'Refunds', 'Refunds are paid within 60 days.');
    await eventually(async () =>
      expect(Object.values(await filesOf(one)).join()).toContain('60 days'),
    );
    expect((await readdir(elsewhere)).sort()).toEqual([file, 'docs', 'mine.md'].sort());
    expect((await lstat(folder)).isDirectory()).toBe(true);
  });

  it('does not mistake a delayed file for an edit: concurrent writes leave nothing in .put-back', async () => {
    const { one, other } = await twoServers();
    for (let round = 0; round < 2; round++)
      await Promise.all(
        [0, 1, 2, 3, 4, 5].map((number) => {
          const said = `Refunds are paid within ${round * 10 + number} days.`;
          return ingest(number % 2 ? one : other, 'Refunds', said);
        }),
      );
    await eventually(async () => expect(await filesOf(one)).toEqual(await filesOf(other)));
    for (const { knowledgeDir } of [one, other])
      expect(await readdir(knowledgeDir)).not.toContain('.put-back');
  });

  it('moves aside additional documents of another folder, and does not answer from them', async () => {
    const { one, start } = await twoServers();
    await ingest(one, 'Refunds', text);
    const late = await start({ 'docs/old.md': '# Old\n\nDeleted long ago.\n' });
    expect(await titlesIn(late)).toEqual(['Refunds']);
    expect(await readdir(join(late.knowledgeDir, '.put-back/docs'))).toHaveLength(1);
  });
});

it('a write that began before the deletion of its namespace restores nothing', async () => {
  const { one, other } = await twoServers();
  await ingest(one, 'Refunds', text);
  const sources = Array.from({ length: 30 }, (_, number) => `Text number ${number}.`);
  const late = one.ingest({ namespace: 'docs', sources });
  await eventually(async () =>
    expect((await other.get('/api/namespaces/docs/documents')).status).toBe(200),
  );
  await other.delete('/api/namespaces/docs');
  await late;
  await eventually(async () =>
    expect([await filesOf(one), await filesOf(other)]).toEqual([{}, {}]),
  );
});

it("the operator's chat messages are mirrored, including those for all namespaces", async () => {
  const { one, other, url } = await twoServers({
    'docs/a.md': '# Leave\n\nPaid time off is 25 days.\n',
    '.messages.yaml': 'refusal: Sorry.\n',
    'docs/.messages.yaml': 'greeting: Welcome!\n',
  });
  const textOf = async (service: TestService, message: string) => {
    const body = { messages: `@agent ${message}`, toolParams: { namespace: 'docs' } };
    return (await service.generate(body)).body.text;
  };
  const unanswered = 'what is the capital of France?';
  for (const service of [one, other]) {
    expect(await textOf(service, 'hi')).toBe('Welcome!');
    expect(await textOf(service, unanswered)).toBe('Sorry.\n\nSources: none');
  }
  const database = new Database({ url });
  const writes = new DocumentRecord(database).writesThrough(noFolder);
  const changed = { namespace: '', file: '.messages.yaml', text: 'refusal: Still nothing.\n' };
  await importFile(writes, changed, true);
  await database.close();
  for (const service of [one, other])
    await eventually(async () =>
      expect(await textOf(service, unanswered)).toBe('Still nothing.\n\nSources: none'),
    );
  expect((await one.get('/health')).body.warnings).toBeUndefined();
  expect((await other.get('/api/namespaces')).body.namespaces.some(named(''))).toBe(false);
});

it('rows with paths outside the folder are skipped with one warning, and all others are mirrored', async () => {
  const { url, start, one } = await twoServers();
  await ingest(one, 'Refunds', text);
  const database = new Database({ url });
  await database.query(
    `INSERT INTO documents (namespace, file, generation, content, revision) VALUES
     ('docs', '../../outside.md', 0, 'Stolen.', 'x'), ('..', 'outside.md', 0, 'Stolen.', 'x')`,
  );
  await database.close();
  await ingest(one, 'Prices', 'A seat is 9 dollars.');
  await eventually(async () =>
    expect((await one.get('/health')).body.warnings).toEqual([{ code: 'rows_invalid', count: 1 }]),
  );
  const other = await start();
  expect(await titlesIn(other)).toEqual(['Prices', 'Refunds']);
  for (const { folder, knowledgeDir } of [one, other]) {
    expect(await readdir(folder)).not.toContain('outside.md');
    expect(await readdir(knowledgeDir)).not.toContain('outside.md');
  }
});
