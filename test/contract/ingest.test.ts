import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readFrontMatter } from '../../packages/shared/src/markdown/front-matter.ts';
import { listed } from '../support/listed.ts';
import { sharedService, startService, temporaryFolder, writeFiles } from '../support/workspace.ts';

const path = '/api/tools/ingestSources';
const allFiles = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

async function withRoot(files: Record<string, string>) {
  const root = await temporaryFolder();
  await writeFiles(root, files);
  return { root, ...(await startService({ ALLOWED_FILE_ROOTS: root })) };
}

describe('a text', () => {
  it('is stored as Markdown with front matter, and found when the call returns', async () => {
    const { post, find, storedText } = await startService();
    const text = 'Refunds are paid within 30 days of purchase. Write to billing@example.com.';
    const { status, body } = await post(path, { namespace: 'Docs', sources: [text] });
    expect(status).toBe(200);
    const title = 'Refunds are paid within 30 days of purchase';
    expect(body).toMatchObject({
      ...{ namespace: 'docs', added: 1, updated: 0, unchanged: 0, failed: 0 },
      results: [{ kind: 'text', status: 'added', document: { title, chunks: 1 } }],
    });
    const { file, revision } = body.results[0].document;
    expect(file).toMatch(/^refunds-are-paid-[a-z0-9-]+\.md$/);
    const stored = await storedText('docs', file);
    const { attributes, bodyStart } = readFrontMatter(stored);
    expect(Object.keys(attributes)).toEqual(['title', 'source', 'kind', 'fetchedAt', 'revision']);
    expect(stored.slice(bodyStart).trim()).toBe(text);
    const { results } = (await find({ namespace: 'docs', query: 'refund window' })).body;
    expect(results).toMatchObject([{ file, revision, text }]);
  });

  it('replaces an earlier text of the same title; texts without a title are distinguished by content', async () => {
    const { post, find } = await startService();
    for (const [source, status] of [
      [{ text: 'Thirty days.', title: 'Window' }, 'added'],
      [{ text: 'Sixty days.', title: 'Window' }, 'updated'],
      ['The same beginning, then this.', 'added'],
      ['The same beginning, then that.', 'added'],
      ['The same beginning, then that.', 'unchanged'],
    ])
      expect((await post(path, { sources: [source] })).body.results).toMatchObject([{ status }]);
    expect((await find({ query: 'thirty' })).body.results).toEqual([]);
    expect((await find({ query: 'beginning' })).body.results).toHaveLength(2);
  });

  it('is the last one, if a request has several of its title', async () => {
    const { post, find } = await startService();
    const title = 'Fee';
    const long = `The fee is 10 EUR. ${'The house has a green door. '.repeat(20_000)}`;
    const sources = [
      { title, text: long },
      { title, text: 'The fee is 20 EUR.' },
    ];
    const { body } = await post(path, { namespace: 'docs', sources });
    expect(body.results.map(({ status }: any) => status)).toEqual(['added', 'updated']);
    const found = await find({ namespace: 'docs', query: 'fee' });
    expect(found.body.results[0].text).toContain('20 EUR');
  });

  it('keeps its author and review date until they change', async () => {
    let now = new Date('2026-11-05T23:59:00Z');
    const service = await startService({}, {}, { clock: () => now });
    const { post, get } = service;
    const source = { text: 'Thirty days.', title: 'Window' };
    const ingestAgain = async (author?: string, reviewBy?: string) => {
      const { body } = await post(path, { sources: [{ ...source, author, reviewBy }] });
      const [{ status, document }] = body.results;
      const shown = (await get(`/api/namespaces/default/documents/${document.id}`)).body;
      return [status, shown.author, shown.reviewedAt, shown.reviewBy];
    };
    const first = ['Ann Lee', '2026-11-05', '2027-05-01'];
    expect(await ingestAgain('  Ann Lee ', '2027-05-01')).toEqual(['added', ...first]);

    now = new Date('2026-11-07T00:00:00Z');
    expect(await ingestAgain('Ann Lee', '2027-05-01')).toEqual(['unchanged', ...first]);
    const reviewBy = '2028-01-01';
    for (const author of ['Ann Lee', 'Bo']) {
      const updated = ['updated', author, '2026-11-07', reviewBy];
      expect(await ingestAgain(author, reviewBy)).toEqual(updated);
    }
    expect(await ingestAgain()).toEqual(['updated', null, null, null]);
  });

  it.each([
    [{ author: 'x'.repeat(201) }, 'author'],
    [{ author: 'Ann\nsource: https://evil.example' }, 'one line'],
    [{ author: 'Ann\u202e' }, 'invisible'],
    [{ reviewBy: '2027-02-30' }, 'reviewBy'],
    [{ reviewedAt: '2027-05-01' }, 'reviewedAt'],
    [{ title: undefined, url: 'https://example.com', author: 'Ann' }, 'author'],
  ])('with %j is rejected with the reason', async (more, problem) => {
    const { status, body } = await (await sharedService()).post(path, {
      sources: [{ text: 'Thirty days.', title: 'Window', ...more }],
    });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(JSON.stringify(body)).toContain(problem);
  });

  it('cannot set its source in its own front matter', async () => {
    const { post, find } = await startService();
    await post(path, {
      sources: ['---\ntitle: Mine\nsource: https://evil.example\nkind: url\n---\nRefunds here.'],
    });
    const [result] = (await find({ query: 'refunds' })).body.results;
    expect(result).toMatchObject({ title: 'Mine', kind: 'text' });
    expect(JSON.stringify(result)).not.toContain('evil');
  });

  it('is stored once if it is ingested many times concurrently', async () => {
    const { post, knowledgeDir } = await startService();
    const sources = Array(5).fill('Refunds again and again.');
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(path, { sources })));
    const statuses = answers.flatMap(({ body }) => body.results.map(({ status }: any) => status));
    expect(statuses.sort()).toEqual(['added', ...Array(39).fill('unchanged')]);
    expect(await allFiles(knowledgeDir)).toHaveLength(1);
  });
});

it('two sources never share a file even if their names are similar', async () => {
  const files = listed(
    'a/sla.md | b/sla.md | 返金.md | 返品.md | 👍.md | 👎.md | x?y=1.md | x/y/1.md',
  );
  const { post, knowledgeDir } = await withRoot(
    Object.fromEntries(files.map((file) => [file, `The sla of ${file}.`])),
  );
  expect((await post(path, { files })).body.added).toBe(8);
  expect(await allFiles(knowledgeDir)).toHaveLength(8);
});

it('a failing source is reported in its row, and the other sources are stored', async () => {
  const { post } = await withRoot({ 'good.md': '# Good\n\nText.' });
  const { status, body } = await post(path, {
    sources: [
      './missing.md',
      'A good text.',
      'http://127.0.0.1/x',
      { url: 'example.com', crawl: true },
    ],
    files: ['good.md', '../../etc/passwd'],
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({ added: 2, failed: 4 });
  const rows = body.results.map((row: any) => [row.source, row.kind, row.status, row.error?.code]);
  expect(rows).toEqual([
    ['./missing.md', 'file', 'failed', 'source_not_found'],
    ['A good text.', 'text', 'added', undefined],
    ['http://127.0.0.1/x', 'url', 'failed', 'source_not_allowed'],
    ['example.com', 'url', 'failed', 'source_not_allowed'],
    ['good.md', 'file', 'added', undefined],
    ['../../etc/passwd', 'file', 'failed', 'source_not_allowed'],
  ]);
});
