import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { page, revalidated, startSite } from '../support/site.ts';
import {
  everythingIn,
  reopened,
  sharedService,
  startService,
  type TestService,
  temporaryFolder,
  writeFiles,
} from '../support/workspace.ts';

const ingest = (service: TestService, sources: unknown[], more: object = {}) =>
  service.ingest({ namespace: 'docs', sources, ...more });
const path = '/api/namespaces/docs/documents';
const documentsOf = async (service: TestService, query = ''): Promise<any[]> =>
  (await service.get(path + query)).body.documents;
const search = async (service: TestService, query: string, namespace = 'docs') =>
  (await service.find({ namespace, query })).body;
const hits = async (service: TestService, query: string): Promise<number> =>
  (await search(service, query)).results.length;
const ask = (service: TestService, question: string, more: object = {}, headers = {}) =>
  service.generate(
    { messages: `@agent ${question}`, toolParams: { namespace: 'docs' }, ...more },
    headers,
  );
const codesOf = ({ results }: any) => results.map((row: any) => row.error?.code);

it('GET /api/namespaces returns the sizes of the namespaces that the caller may read', async () => {
  const service = await startService(
    { API_KEYS: 'all,one=docs' },
    { 'docs/a.md': '# A\n\nText.', 'hr/b.md': '# B\n\nText.' },
  );
  const { body } = await service.get('/api/namespaces', { 'x-api-key': 'one' });
  expect(body.namespaces).toEqual([
    { name: 'docs', documents: 1, chunks: 1, bytes: 10, isIndexed: true, schedules: [] },
  ]);
});

it('the counts of a namespace follow added, changed and deleted documents', async () => {
  const sections = (count: number) =>
    Array.from({ length: count }, (_, at) => `## Part ${at}\n\n${'Words. '.repeat(150)}`).join(
      '\n\n',
    );
  const service = await startService({}, { 'docs/a.md': sections(3), 'docs/b.md': '# B\n\nText.' });
  const expectCounts = async (documents: number, chunks: number) => {
    const listed = await documentsOf(service);
    const bytes = listed.reduce((sum, document) => sum + document.bytes, 0);
    const { namespaces } = (await service.get('/api/namespaces')).body;
    expect(namespaces).toContainEqual(
      expect.objectContaining({ name: 'docs', documents, chunks, bytes }),
    );
  };
  await expectCounts(2, 4);
  for (const [count, status] of [
    [5, 'added'],
    [2, 'updated'],
    [2, 'unchanged'],
  ] as const) {
    const { results } = (await ingest(service, [{ text: sections(count), title: 'T' }])).body;
    expect(results[0].status).toBe(status);
  }
  await expectCounts(3, 6);
  const [{ id }] = await documentsOf(service);
  await service.delete(`${path}/${id}`);
  await expectCounts(2, 3);
});

describe('GET /api/namespaces/{namespace}/documents', () => {
  it('returns the documents that contain the words of a query, with their metadata', async () => {
    const service = await startService(
      {},
      {
        'docs/a.md':
          '---\ntitle: Café prices\nauthor: "  Ann\u200b  Lee "\nreviewedAt: 2026-01-31\nreviewBy: 2027-05-01\n---\nText.',
        'docs/b.md':
          '---\ntitle: Prices\nauthor: [Ann]\nreviewedAt: soon\nreviewBy: 2027-02-30\n---\nText.',
        'docs/c.md': '# Other\n\nCafé prices.',
      },
    );
    const listed = async (query: string) => (await service.get(`${path}?${query}`)).body;
    const metadata = { author: 'Ann Lee', reviewedAt: '2026-01-31', reviewBy: '2027-05-01' };
    const { total, documents } = await listed('query=PRICES%20cafe');
    expect(total).toBe(1);
    expect(documents).toMatchObject([{ file: 'a.md', isRefreshable: false, ...metadata }]);
    expect((await service.get(`${path}/${documents[0].id}`)).body).toMatchObject(metadata);
    expect(await listed('query=prices&perPage=1&page=2')).toMatchObject({
      total: 2,
      documents: [{ file: 'b.md', author: null, reviewedAt: null, reviewBy: null }],
    });
    expect((await listed('query=')).total).toBe(3);
  });

  it('returns only documents without text, or only outdated ones', async () => {
    const service = await startService(
      { API_KEYS: 'all,reader=docs:read' },
      {
        'docs/a.md': '---\ntitle: Due\nreviewBy: 2020-01-31\n---\nText.',
        'docs/b.md': '---\ntitle: Empty\n---\n',
        'docs/c.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.',
      },
    );
    const admin = { 'x-api-key': 'all' };
    const listed = async (state: string, headers = admin) =>
      (await service.get(`${path}?state=${state}`, headers)).body.documents.map(
        ({ file }: { file: string }) => file,
      );
    await ask(service, 'Within how many days are refunds paid?', {}, admin);
    expect(await listed('no_text')).toEqual(['b.md']);
    expect(await listed('outdated')).toEqual(['a.md']);
    await writeFiles(service.knowledgeDir, { 'docs/c.md': '# Refunds\n\nRefunds are never paid.' });
    await (await service.namespaces.get('docs')).refresh('c.md');
    expect(await listed('outdated')).toEqual(['a.md', 'c.md']);
    // Which answers no longer match is only for callers who may list answers.
    expect(await listed('outdated', { 'x-api-key': 'reader' })).toEqual(['a.md']);
  });

  it('distinguishes documents with the same title, like every other endpoint', async () => {
    const guide = (name: string) => `# Product\n\n## ${name}\n\n${name} run before handlers.\n`;
    const service = await startService(
      {},
      { 'docs/one.md': guide('Hooks'), 'docs/two.md': guide('Routes') },
    );
    const titles = ['Errors', 'Hooks', 'Routes'];
    const { body } = await ingest(service, [{ text: guide('Errors'), title: 'Product' }]);
    const { title, id } = body.results[0].document;
    expect([title, (await service.get(`${path}/${id}`)).body.title]).toEqual(['Errors', 'Errors']);
    const titlesOf = (all: { title: string }[]) => all.map((one) => one.title).sort();
    expect(titlesOf(await documentsOf(service))).toEqual(titles);
    expect(titlesOf((await search(service, 'handlers')).results)).toEqual(titles);
    const { body: answer } = await ask(service, 'Do hooks run before handlers?');
    expect(answer.citations[0].title).toBe('Hooks');
    expect(answer.text).toMatch(/\[1\] Hooks$/m);
  });

  it.each(['page=0', 'perPage=501', `query=${'x'.repeat(301)}`])('rejects %s', async (query) => {
    const service = await sharedService();
    expect((await service.get(`/api/namespaces/default/documents?${query}`)).body.code).toBe(
      'invalid_request',
    );
  });
});

it('GET /api/namespaces/{namespace}/documents/{id} returns the stored file, which is the base of all offsets, and its source', async () => {
  const canonical = '<link rel="canonical" href="/refunds">';
  const site = await startSite({
    '/refunds': page('Refunds', 'Refunds are paid within 30 days.', [], canonical),
  });
  const service = await startService({ ALLOWED_URL_HOSTS: site.host });
  await ingest(service, [`${site.url}/refunds`]);
  const [{ id, file }] = await documentsOf(service);
  const { body } = await service.get(`${path}/${id}`);
  const source = `${site.url}/refunds`;
  expect(body).toMatchObject({ id, file, title: 'Refunds', source, canonicalUrl: source });
  expect(body.markdown).toBe(await service.storedText('docs', file));
  expect(body.markdown.slice(body.bodyStart)).toMatch(/^\s*# Refunds/);
  const [found] = (await search(service, 'refunds paid')).results;
  expect(body.markdown.slice(found.start, found.end)).toBe(found.text);
});

describe('a DELETE request', () => {
  it('removes a document from search, index, disk and jobs', async () => {
    const service = await startService();
    const quokka = { text: 'The quokka papers are secret: xylophonist.', title: 'Quokka' };
    await ingest(service, [quokka, 'Something that stays here.']);
    const again = ['The second quokka text: xylophonist again.'];
    const { body: job } = await ingest(service, again, { wait: false });
    await expect
      .poll(async () => (await service.get(`/api/jobs/${job.id}`)).body.status)
      .toBe('completed');
    for (const document of await documentsOf(service)) {
      if (!document.title.toLowerCase().includes('quokka')) continue;
      const { status, body } = await service.delete(`${path}/${document.id}`);
      expect([status, body.deleted.id]).toEqual([200, document.id]);
      expect((await service.delete(`${path}/${document.id}`)).body.code).toBe('document_not_found');
    }
    expect(await hits(service, 'quokka xylophonist')).toBe(0);
    expect(await documentsOf(service)).toHaveLength(1);
    expect(everythingIn(service.folder)).not.toMatch(/quokka|xylophonist/i);
    await service.close();
    expect(everythingIn(service.folder)).not.toMatch(/quokka|xylophonist/i);
  });

  it('removes the folder, the index and the jobs of a namespace, and nothing of another', async () => {
    const service = await startService(
      {},
      { 'docs/a.md': 'quokka', 'docs/deep/b.md': 'quokka', 'hr/c.md': '# C\n\nstays' },
    );
    await ingest(service, ['Another quokka.'], { wait: true });
    expect((await service.delete('/api/namespaces/docs')).body).toEqual({
      namespace: 'docs',
      deleted: { documents: 3 },
    });
    expect((await search(service, 'quokka')).code).toBe('namespace_not_found');
    expect(everythingIn(service.folder)).not.toContain('quokka');
    expect((await search(service, 'stays', 'hr')).results).toHaveLength(1);
    expect((await service.delete('/api/namespaces/docs')).body.code).toBe('namespace_not_found');
    expect((await ingest(service, ['A new beginning.'])).body.added).toBe(1);
  });
});

describe('a refresh', () => {
  it('restores a stored file that a person edited, even if its source is unchanged', async () => {
    const site = await startSite({ '/p': revalidated(page('P', 'The true text.'), () => '"1"') });
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    const sources = [`${site.url}/p`, { text: 'A text.', title: 'T' }];
    await ingest(service, sources);
    for (const { file } of await documentsOf(service)) {
      const path = join(service.knowledgeDir, 'docs', file);
      writeFileSync(path, readFileSync(path, 'utf8').replace(/text/g, 'forgery'));
    }
    expect((await ingest(service, sources)).body).toMatchObject({ updated: 2 });
    expect(await hits(service, 'forgery')).toBe(0);
  });

  it('re-reads every URL and file, keeps failed ones, and removes missing ones if prune is set', async () => {
    const site = await startSite({
      '/a': page('A', 'Alpha.'),
      '/b': page('B', 'Beta.'),
      '/c': page('C', 'Gamma.'),
    });
    const service = await startService(
      { ALLOWED_URL_HOSTS: site.host },
      { 'docs/mine.md': '# Mine\n\nBy hand.' },
    );
    const pages = ['/a', '/b', '/c'].map((path) => site.url + path);
    await ingest(service, [...pages, 'A text of its own.']);
    const hitsOf = (...words: string[]) => Promise.all(words.map((word) => hits(service, word)));
    const refresh = (body: object) => service.post('/api/namespaces/docs/refresh', body);
    site.set('/a', page('A', 'Alpha the second.'));
    site.set('/b', { status: 500 });
    site.set('/c', { status: 404 });
    const { body } = await refresh({});
    expect(body).toMatchObject({ updated: 1, failed: 2, added: 0 });
    expect(codesOf(body)).toEqual([undefined, 'fetch_failed', 'source_gone']);
    expect(await hitsOf('beta', 'gamma')).toEqual([1, 1]);
    expect((await refresh({ prune: true })).body).toMatchObject({
      unchanged: 1,
      failed: 1,
      removed: 1,
    });
    expect(await hitsOf('beta', 'gamma', 'hand')).toEqual([1, 0, 1]);
    const [{ id }] = (await documentsOf(service)).filter(({ title }) => title === 'A');
    expect((await refresh({ documents: [id] })).body.results).toHaveLength(1);
    expect((await refresh({ documents: ['none'] })).body.code).toBe('document_not_found');
    const bodiless = await service.request('/api/namespaces/docs/refresh', { method: 'POST' });
    expect(await bodiless.json()).toMatchObject({ unchanged: 1, failed: 1 });
  });
});

describe('a folder', () => {
  it('is read by its glob, re-read for changes, and pruned of missing files', async () => {
    const service = await startService();
    const root = join(service.folder, 'files');
    await writeFiles(root, {
      'handbook/a.md': '# A\n\nAlpha.',
      'handbook/deep/b.txt': 'Beta.',
      'handbook/.hidden/d.md': 'Delta',
      'handbook/image.png': 'x',
    });
    const other = await startService({ ALLOWED_FILE_ROOTS: root });
    const folder = `${root}/handbook`;
    const rows = async (source: object, more: object = {}) => {
      const { body } = await ingest(other, [source], more);
      return body.results.map(
        (row: { source: string; status: string }) =>
          `${row.status} ${row.source.slice(root.length + 1)}`,
      );
    };
    expect(await rows({ path: folder, glob: '**/*.md' })).toEqual(['added handbook/a.md']);
    expect(await rows({ path: folder })).toEqual([
      'unchanged handbook/a.md',
      'added handbook/deep/b.txt',
    ]);
    rmSync(`${folder}/a.md`);
    expect(await rows({ path: folder, glob: '**/*.txt' }, { prune: true })).toEqual([
      'unchanged handbook/deep/b.txt',
    ]);
    expect(await rows({ path: folder })).toContain('failed handbook/a.md');
    expect(await rows({ path: folder }, { prune: true })).toContain('removed handbook/a.md');
    expect(await rows({ path: `${folder}/deep/b.txt` })).toEqual(['unchanged handbook/deep/b.txt']);
    for (const [source, code] of [
      [{ path: `${folder}/deep/b.txt`, glob: '*' }, 'ingest_failed'],
      [{ path: folder, glob: '*.nothing' }, 'empty_source'],
      [{ path: service.folder }, 'source_not_allowed'],
    ] as const)
      expect(codesOf((await ingest(other, [source])).body)).toEqual([code]);
  });

  it('is read without a subfolder that cannot be opened, which is reported', async () => {
    const root = await temporaryFolder();
    await writeFiles(root, { 'files/z.md': '# Z\n\nZulu.' });
    const service = await startService({ ALLOWED_FILE_ROOTS: root });
    // No program can open a path of more than 4,096 bytes.
    const deep = Array.from({ length: 12 }, () => 'x'.repeat(250)).join('/');
    const more = join(root, 'files', deep, 'more');
    await mkdir(join(root, 'files', deep), { recursive: true });
    await mkdir(join(root, 'outside', deep), { recursive: true });
    await rename(join(root, 'outside'), more);
    const { results } = (await ingest(service, [{ path: `${root}/files` }])).body;
    await rename(more, join(root, 'outside'));
    const statuses = results.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(['failed', 'added']);
  });
});

describe('"prune": true keeps documents whose source may still exist', () => {
  it.each([
    [
      'two roots contain files of the same name',
      ['one/a.md', 'two/a.md'],
      ['one', 'two'],
      ['unchanged', 'unchanged'],
    ],
    ['a file is outside the roots of this server', ['one/a.md'], ['two'], ['source_not_found']],
  ])('even without the index, if %s', async (_, files, roots, expected) => {
    const folder = await temporaryFolder();
    await writeFiles(folder, { 'two/b.md': '# B' });
    await writeFiles(folder, Object.fromEntries(files.map((file) => [file, `# ${file}`])));
    const service = await startService({ ALLOWED_FILE_ROOTS: `${folder}/one,${folder}/two` });
    await ingest(
      service,
      files.map((file) => ({ path: `${folder}/${file}` })),
    );
    await service.close();
    rmSync(join(service.folder, 'index'), { recursive: true });
    const ALLOWED_FILE_ROOTS = roots.map((root) => join(folder, root)).join(',');
    const { api, open } = reopened(service, { ALLOWED_FILE_ROOTS });
    await open();
    const requests = await api.documents.refreshRequests('docs', undefined);
    const rows = await api.ingestNow({ namespace: 'docs', requests, prune: true });
    expect(rows.map(({ status, error }) => error?.code ?? status)).toEqual(expected);
  });
});

describe('deleted data stays deleted', () => {
  /** A site that holds back one page until the test releases it. */
  async function slowSite() {
    const requested = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const site = await startSite({ '/first': page('First', 'The first page.') });
    site.set('/slow', async (_, response) => {
      requested.resolve();
      await release.promise;
      response.setHeader('content-type', 'text/html').end(page('Slow', 'The slow page.').body);
    });
    return { ...site, requested: requested.promise, release: release.resolve };
  }

  it('if a namespace is deleted while one of its sources is being read, including the schedule', async () => {
    const site = await slowSite();
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    await ingest(service, ['A text.']);
    const slow = ingest(service, [{ url: `${site.url}/slow`, refreshEvery: '1h' }]);
    await site.requested;
    expect((await service.delete('/api/namespaces/docs')).status).toBe(200);
    site.release();
    expect(codesOf((await slow).body)).toEqual(['cancelled']);
    expect(existsSync(join(service.knowledgeDir, 'docs'))).toBe(false);
    expect((await service.get(path)).body.code).toBe('namespace_not_found');
  });

  it('if a document is deleted while it is being re-read', async () => {
    const site = await slowSite();
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    await ingest(service, [`${site.url}/first`]);
    const [{ id }] = await documentsOf(service);
    site.set('/first', async (_, response) => {
      const slow = await fetch(`${site.url}/slow`);
      response.setHeader('content-type', 'text/html').end(await slow.text());
    });
    const refresh = service.post('/api/namespaces/docs/refresh', {});
    await site.requested;
    expect((await service.delete(`${path}/${id}`)).status).toBe(200);
    site.release();
    expect((await refresh).body.results).toMatchObject([
      { status: 'failed', error: { code: 'document_not_found' } },
    ]);
    expect(await documentsOf(service)).toEqual([]);
  });
});

it('a failed deletion changes nothing; a successful one removes the document from every store', async () => {
  const files = { 'docs/refunds.md': 'Refunds are paid within 14 days of purchase.' };
  const service = await startService({}, files);
  await ask(service, 'what about refunds?', { threadId: 't', resourceId: 'u' });
  const storedCounts = async () => [
    (await service.get('/api/answers')).body.answers.length,
    (await service.get('/api/memory/threads?resourceId=u')).body.total,
    (await documentsOf(service)).length,
  ];
  expect(await storedCounts()).toEqual([1, 1, 1]);
  const database = new DatabaseSync(join(service.folder, 'index', 'state.db'));
  database.exec(
    "CREATE TRIGGER broken BEFORE DELETE ON messages BEGIN SELECT raise(ABORT, 'broken'); END",
  );
  const [{ id }] = await documentsOf(service);
  const remove = () => service.delete(`${path}/${id}`);
  expect((await remove()).status).toBe(500);
  expect(await storedCounts()).toEqual([1, 1, 1]);
  database.exec('DROP TRIGGER broken');
  database.close();
  expect((await remove()).status).toBe(200);
  expect(await storedCounts()).toEqual([0, 0, 0]);
});
