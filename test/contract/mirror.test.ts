/**
 * Two servers with one database: each sees the other's changes, and an outage of the database loses
 * none.
 */
import { lstat, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it } from 'vitest';
import { urlSource } from '../../src/ingest/source.ts';
import { Database } from '../../src/records/postgres/database.ts';
import {
  DocumentRecord,
  importFile,
  noFolder,
} from '../../src/records/postgres/document-tables.ts';
import { cases } from '../support/depth.ts';
import { postgres } from '../support/postgres.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';
import {
  startService,
  type TestService,
  temporaryFolder,
  writeFiles,
} from '../support/workspace.ts';

const ingest = (service: TestService, title: string, text: string, namespace = 'docs') =>
  service.post('/api/tools/ingestSources', { namespace, sources: [{ text, title }] });
const titlesIn = async (service: TestService, namespace = 'docs'): Promise<string[]> =>
  ((await service.get(`/api/namespaces/${namespace}/documents`)).body.documents ?? [])
    .map(({ title }: { title: string }) => title)
    .sort();
const filesOf = async ({ knowledgeDir }: TestService, namespace = 'docs') => {
  const names = await readdir(join(knowledgeDir, namespace)).catch(() => []);
  const read = async (name: string) =>
    [name, await readFile(join(knowledgeDir, namespace, name), 'utf8')] as const;
  return Object.fromEntries(await Promise.all(names.sort().map(read)));
};
const eventually = (look: () => Promise<void>) =>
  expect.poll(async () => look().then(() => 'so', String), { timeout: 60_000 }).toBe('so');

async function twoServers(files: Readonly<Record<string, string>> = {}) {
  const url = await postgres.newDatabase();
  const start = (own = {}, replacements = {}) =>
    startService({ DATABASE_URL: url }, own, replacements);
  return { url, start, one: await start(files), other: await start() };
}

describe('a change on one server', () => {
  it('appears on the other: authors, schedules and the age of the mirror', async () => {
    const { one, other } = await twoServers();
    const sources = [
      {
        text: 'Refunds are paid within 30 days.',
        title: 'Refunds',
        author: 'Ann Lee',
        reviewBy: '2027-05-01',
      },
    ];
    await one.post('/api/tools/ingestSources', { namespace: 'docs', sources });
    await one.schedules.set('docs', urlSource('https://example.com/'), 3_600_000);
    const shown = async (service: TestService) =>
      (await service.get('/api/namespaces/docs/documents?query=refunds')).body;
    await eventually(async () => expect(await shown(other)).toEqual(await shown(one)));
    expect((await shown(other)).documents).toMatchObject([
      { author: 'Ann Lee', reviewBy: '2027-05-01' },
    ]);
    const { namespaces } = (await other.get('/api/namespaces')).body;
    const [{ id }] = namespaces.find(({ name }: { name: string }) => name === 'docs').schedules;
    expect(
      (await other.request(`/api/namespaces/docs/schedules/${id}`, { method: 'DELETE' })).status,
    ).toBe(200);
    expect(await one.schedules.list('docs')).toEqual([]);
    const { body } = await other.get('/api/state');
    expect(body).toMatchObject({
      documents: 1,
      mirror: { ageMs: expect.any(Number), isWritten: true },
    });
    expect(JSON.stringify(body)).not.toMatch(/postgres:|127\.0\.0\.1/);
  });
});

it('a document that another server acknowledged can be deleted at once', async () => {
  const { one, other } = await twoServers();
  for (let round = 0; round < 3; round++) {
    const { body } = await ingest(one, 'Refunds', `Refunds are paid within ${round} days.`);
    const { id } = body.results[0].document;
    expect(
      (await other.request(`/api/namespaces/docs/documents/${id}`, { method: 'DELETE' })).status,
    ).toBe(200);
    await ingest(one, 'Prices', 'A seat is 9 dollars.', `fresh-${round}`);
    expect(
      (await other.request(`/api/namespaces/fresh-${round}`, { method: 'DELETE' })).status,
    ).toBe(200);
  }
  await eventually(async () => expect(await filesOf(one)).toEqual({}));
});

describe('the folder as a mirror', () => {
  it('reverts files that a person edits, adds or removes, and saves them in .put-back', async () => {
    const { one } = await twoServers();
    await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
    const before = await filesOf(one);
    const [file = ''] = Object.keys(before);
    await writeFile(join(one.knowledgeDir, 'docs', file), 'Refunds are never paid.');
    await writeFile(join(one.knowledgeDir, 'docs', 'mine.md'), '# Mine');
    await eventually(async () => expect(await filesOf(one)).toEqual(before));
    expect(
      (await readdir(join(one.knowledgeDir, '.put-back/docs')))
        .map((name) => name.replace(/\.\d+$/, ''))
        .sort(),
    ).toEqual([file, 'mine.md'].sort());
    await rm(join(one.knowledgeDir, 'docs'), { recursive: true });
    await one.post('/api/tools/searchDocs', { query: 'refunds', namespace: 'docs' });
    await ingest(one, 'Prices', 'A seat is 9 dollars.');
    await eventually(async () => expect(await titlesIn(one)).toContain('Prices'));
    expect(
      (await one.post('/api/tools/searchDocs', { query: 'never', namespace: 'docs' })).body.results,
    ).toEqual([]);
  });

  it('moves aside a link in place of a namespace, and does not touch its target', async () => {
    const { one } = await twoServers();
    await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
    const before = await filesOf(one);
    const elsewhere = await temporaryFolder();
    await writeFiles(elsewhere, {
      'mine.md': '# Mine',
      [Object.keys(before)[0] ?? '']: 'Mine too.',
    });
    await rename(join(one.knowledgeDir, 'docs'), join(elsewhere, 'docs'));
    await symlink(elsewhere, join(one.knowledgeDir, 'docs'));
    await ingest(one, 'Refunds', 'Refunds are paid within 60 days.');
    await eventually(async () =>
      expect(Object.values(await filesOf(one)).join()).toContain('60 days'),
    );
    expect((await readdir(elsewhere)).sort()).toEqual(
      [...Object.keys(before), 'docs', 'mine.md'].sort(),
    );
    expect((await lstat(join(one.knowledgeDir, 'docs'))).isDirectory()).toBe(true);
  });

  it('does not mistake a delayed file for an edit: concurrent writes leave nothing in .put-back', async () => {
    const { one, other } = await twoServers();
    for (let round = 0; round < 2; round++) {
      const texts = Array.from(
        { length: 6 },
        (_, number) => `Refunds are paid within ${round * 10 + number} days.`,
      );
      await Promise.all(
        texts.map((text, number) => ingest(number % 2 ? one : other, 'Refunds', text)),
      );
    }
    await eventually(async () => expect(await filesOf(one)).toEqual(await filesOf(other)));
    for (const { knowledgeDir } of [one, other])
      expect(await readdir(knowledgeDir)).not.toContain('.put-back');
  });

  it('moves aside additional documents of another folder, and does not answer from them', async () => {
    const { one, start } = await twoServers();
    await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
    const late = await start({ 'docs/old.md': '# Old\n\nDeleted long ago.\n' });
    expect(await titlesIn(late)).toEqual(['Refunds']);
    expect(await readdir(join(late.knowledgeDir, '.put-back/docs'))).toHaveLength(1);
  });
});

describe('a database outage', () => {
  it('allows reads, rejects writes, and neither loses nor duplicates documents', async () => {
    const { one, other } = await twoServers();
    await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
    await eventually(async () => expect(await titlesIn(other)).toEqual(['Refunds']));
    await postgres.kill();
    try {
      expect((await other.get('/ready')).status).toBe(200);
      expect(
        (await other.post('/api/tools/searchDocs', { query: 'refunds', namespace: 'docs' })).body
          .results,
      ).toHaveLength(1);
      const refused = await ingest(one, 'Prices', 'A seat is 9 dollars.');
      expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
        503,
        'storage_unavailable',
        '5',
      ]);
      const { body } = await other.get('/health');
      expect(body.mirror.ageMs).toBeGreaterThan(0);
    } finally {
      await postgres.start();
    }
    expect((await ingest(one, 'Prices', 'A seat is 9 dollars.')).body.added).toBe(1);
    await eventually(async () => expect(await titlesIn(other)).toEqual(['Prices', 'Refunds']));
    expect(await filesOf(other)).toEqual(await filesOf(one));
  });

  it('after any message of the startup lets the server answer from its folder', async () => {
    const way = await openTcpProxy(await postgres.port());
    const url = new URL(await postgres.newDatabase());
    url.port = String(way.port);
    const { knowledgeDir, close } = await startService(
      { DATABASE_URL: url.href },
      { 'docs/refunds.md': '# Refunds\n\nIn 30 days.\n' },
    );
    await close();
    // The startup exchanges about 85 messages.
    for (
      let messages = 1;
      messages < 100;
      messages = Math.ceil(messages * (cases(1) > 1 ? 1.2 : 2.5))
    ) {
      way.breakAfter(messages);
      const server = await startService({ DATABASE_URL: url.href, KNOWLEDGE_DIR: knowledgeDir });
      expect([messages, await titlesIn(server)]).toEqual([messages, ['Refunds']]);
      if (messages === 1) expect((await server.get('/health')).body.mirror.ageMs).toBeNull();
      way.restore();
      await server.close();
    }
    way.close();
  });

  it('during an ingest undoes it, and the ingest can be repeated', async () => {
    const { start, url } = await twoServers();
    const one = await start({}, { database: { timeoutMs: 1_500 } });
    // The lock lasts until the ingest fails.
    const database = new Database({ url, statementTimeoutMs: 600_000 });
    const refused = await database.transact(async ({ query }) => {
      await query('LOCK TABLE documents IN ACCESS EXCLUSIVE MODE');
      return ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
    });
    expect([refused.status, refused.body.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'storage_unavailable',
      '5',
    ]);
    expect((await ingest(one, 'Refunds', 'Refunds are paid within 30 days.')).body.added).toBe(1);
    await database.close();
  });

  it('under load stops no server', async () => {
    const { one, other } = await twoServers();
    let isOver = false;
    const load = [one, other, one, other].map(async (service, number) => {
      for (let round = 0; !isOver; round++)
        await ingest(service, `Text ${number}`, `Text ${number} says ${round}.`);
    });
    try {
      await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
      await postgres.crash();
      await postgres.start();
    } finally {
      isOver = true;
      await Promise.all(load);
    }
    await eventually(async () => expect(await filesOf(one)).toEqual(await filesOf(other)));
  });

  it('makes /ready 503 if the mirror is older than MAX_MIRROR_AGE', async () => {
    const way = await openTcpProxy(await postgres.port());
    const url = new URL(await postgres.newDatabase());
    url.port = String(way.port);
    const server = await startService({ DATABASE_URL: url.href, MAX_MIRROR_AGE: '1' });
    const ready = async () => {
      const { status, body } = await server.get('/ready');
      return [status, body.code];
    };
    way.breakAfter(0);
    await eventually(async () => expect(await ready()).toEqual([503, 'storage_unavailable']));
    expect((await server.get('/health')).status).toBe(200);
    way.restore();
    await eventually(async () => expect(await ready()).toEqual([200, undefined]));
    await server.close();
    way.close();
  });

  it('makes a server with an empty folder wait, and is logged once', async () => {
    const way = await openTcpProxy(await postgres.port());
    const url = new URL(await postgres.newDatabase());
    url.port = String(way.port);
    const lines: string[] = [];
    const logger = pino(
      { level: 'warn', customLevels: { audit: 25 } },
      { write: (line: string) => void lines.push(line) },
    );
    way.breakAfter(0);
    const starting = startService(
      { DATABASE_URL: url.href },
      { 'docs/refunds.md': '# Refunds\n\nIn 30 days.\n' },
      { logger },
    );
    await eventually(async () =>
      expect(lines.join('')).toContain(
        'the database is unreachable and KNOWLEDGE_DIR is not a mirror of it yet',
      ),
    );
    way.restore();
    const server = await starting;
    expect(await titlesIn(server)).toEqual(['Refunds']);
    expect(lines.filter((line) => line.includes('not a mirror of it yet'))).toHaveLength(1);
    await server.close();
    way.close();
  });

  const refusedUser = 'The database refuses the user or the password of DATABASE_URL.';
  it.each([
    ['a wrong password', { password: 'secret' }, refusedUser],
    ['an unknown role', { username: 'secret' }, refusedUser],
    [
      'an unknown database',
      { pathname: '/secret' },
      'The database that DATABASE_URL names does not exist.',
    ],
    [
      'sslmode=require and no TLS',
      { search: '?sslmode=require' },
      'The database does not offer the TLS of DATABASE_URL. Enable it there, or remove sslmode.',
    ],
  ])('with %s stops the start of a server with an empty folder', async (_, wrong, message) => {
    const url = Object.assign(new URL(await postgres.newDatabase()), wrong);
    await expect(startService({ DATABASE_URL: url.href })).rejects.toMatchObject({
      code: 'storage_unavailable',
      message,
    });
  });
});

it('a restore into another cluster does not stop the propagation of changes', async () => {
  const { one, other, url } = await twoServers();
  await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
  const database = new Database({ url });
  // A dump contains transaction ids that this cluster has not reached.
  await database.query("UPDATE installation SET system_identifier = '1'");
  await database.query("UPDATE documents SET changed = '99999999999'::xid8");
  await postgres.crash();
  // Waits until both servers have noticed; afterwards the cluster is the original one again.
  for (const server of [one, other])
    await eventually(async () =>
      expect((await server.get('/health')).body.mirror.ageMs).toBeGreaterThan(1_000),
    );
  await postgres.start();
  const late = 'SELECT file FROM documents WHERE changed > pg_current_xact_id()';
  await eventually(async () => expect(await database.query(late)).toEqual([]));
  await ingest(one, 'Prices', 'A seat is 9 dollars.');
  await eventually(async () => expect(await titlesIn(other)).toEqual(['Prices', 'Refunds']));
  await database.close();
});

it('a write that began before the deletion of its namespace restores nothing', async () => {
  const { one, other } = await twoServers();
  await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
  const late = one.post('/api/tools/ingestSources', {
    namespace: 'docs',
    sources: Array.from({ length: 30 }, (_, number) => ({
      title: `Text ${number}`,
      text: `Text number ${number}.`,
    })),
  });
  await eventually(async () =>
    expect((await other.get('/api/namespaces/docs/documents')).status).toBe(200),
  );
  await other.request('/api/namespaces/docs', { method: 'DELETE' });
  await late;
  await eventually(async () => {
    expect(await filesOf(one)).toEqual({});
    expect(await filesOf(other)).toEqual({});
  });
});

it("the operator's chat messages are mirrored, including those for all namespaces", async () => {
  const messages = {
    '.messages.yaml': 'refusal: Sorry.\n',
    'docs/.messages.yaml': 'greeting: Welcome!\n',
  };
  const { one, start, url } = await twoServers({
    'docs/a.md': '# Leave\n\nPaid time off is 25 days.\n',
    ...messages,
  });
  const late = await start();
  const textOf = async (service: TestService, message: string) =>
    (
      await service.post('/api/agents/knowledge/generate', {
        messages: `@agent ${message}`,
        toolParams: { namespace: 'docs' },
      })
    ).body.text;
  for (const service of [one, late]) {
    expect(await textOf(service, 'hi')).toBe('Welcome!');
    expect(await textOf(service, 'what is the capital of France?')).toBe('Sorry.\n\nSources: none');
    expect(await readFile(join(service.knowledgeDir, '.messages.yaml'), 'utf8')).toBe(
      messages['.messages.yaml'],
    );
  }
  const database = new Database({ url });
  const writes = new DocumentRecord(database).writesThrough(noFolder);
  await importFile(
    writes,
    { namespace: '', file: '.messages.yaml', text: 'refusal: Still nothing.\n' },
    true,
  );
  await database.close();
  for (const service of [one, late])
    await eventually(async () =>
      expect(await textOf(service, 'what is the capital of France?')).toBe(
        'Still nothing.\n\nSources: none',
      ),
    );
  expect((await one.get('/health')).body.warnings).toBeUndefined();
  expect(
    (await late.get('/api/namespaces')).body.namespaces.map(({ name }: { name: string }) => name),
  ).not.toContain('');
});

it('rows with paths outside the folder are skipped with one warning, and all others are mirrored', async () => {
  const { url, start, one } = await twoServers();
  await ingest(one, 'Refunds', 'Refunds are paid within 30 days.');
  const database = new Database({ url });
  for (const [namespace, file] of [
    ['docs', '../../outside.md'],
    ['..', 'outside.md'],
    ['docs', '.hidden/a.md'],
  ])
    await database.query(
      `INSERT INTO documents (namespace, file, generation, content, revision) VALUES ($1, $2, 0, 'Stolen.', 'sha256-x')`,
      [namespace, file],
    );
  await ingest(one, 'Prices', 'A seat is 9 dollars.');
  await eventually(async () =>
    expect((await one.get('/health')).body.warnings).toEqual([{ code: 'rows_invalid', count: 1 }]),
  );
  const other = await start();
  expect(await titlesIn(other)).toEqual(['Prices', 'Refunds']);
  await database.query(
    "UPDATE documents SET content = NULL, revision = NULL, changed = pg_current_xact_id() WHERE revision = 'sha256-x'",
  );
  await database.close();
  for (const { folder, knowledgeDir } of [one, other]) {
    expect(await readdir(folder)).not.toContain('outside.md');
    expect((await readdir(knowledgeDir)).filter((name) => !name.startsWith('.')).sort()).toEqual([
      'docs',
    ]);
  }
});
