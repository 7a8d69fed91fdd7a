import { cp, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { expectProof } from '../support/citations.ts';
import { openStream, readChunks, serveOnLoopback, textOf } from '../support/event-stream.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startService, temporaryFolder, writeFiles } from '../support/workspace.ts';

const thirty = 'Refunds are paid within 30 days of purchase.';
const fourteen = 'Refunds are paid within 14 days of purchase.';
const page = (body: string, front: Record<string, string> = {}, title = 'Refunds') => {
  const lines = Object.entries(front).map(([name, value]) => `${name}: ${value}\n`);
  return `${lines.length === 0 ? '' : `---\n${lines.join('')}---\n\n`}# ${title}\n\n${body}\n`;
};
const path = '/api/agents/knowledge/generate';
const question = { messages: '@agent within how many days are refunds paid?', toolParams: { namespace: 'docs' } };
const notice = /^The documents give different figures \[1\]\[2\], the newest first:\n\n- (.*) \[1\]\n- (.*) \[2\]/;

async function start(files: Record<string, string>, settings: Record<string, string> = {}, times: Record<string, string> = {}) {
  const folder = await temporaryFolder();
  await writeFiles(folder, { 'docs/office.md': '# Office\n\nThe bicycle cellar is locked at eight.\n', ...files });
  for (const [file, time] of Object.entries(times)) await utimes(join(folder, file), new Date(time), new Date(time));
  const service = await startService({ KNOWLEDGE_DIR: folder, ...settings });
  // Its own folder is another one than that which holds these files.
  return { ...service, storedText: async (namespace: string, file: string) => files[`${namespace}/${file}`] ?? '' };
}

const told = (text: string) => notice.exec(text)?.slice(1) ?? [text];

describe('where two documents give different figures, an answer without a model says so, the newest first', () => {
  it.each<[string, Record<string, string>, Record<string, string>]>([
    [
      'by lastModified',
      { 'docs/a.md': page(thirty, { lastModified: '2024-01-01' }), 'docs/b.md': page(fourteen, { lastModified: '2025-06-01' }) },
      {},
    ],
    [
      'by lastModified before fetchedAt',
      {
        'docs/a.md': page(thirty, { lastModified: '2024-01-01T00:00:00Z', fetchedAt: '2026-01-01T00:00:00Z' }),
        'docs/b.md': page(fourteen, { lastModified: '2025-06-01T00:00:00Z', fetchedAt: '2025-06-02T00:00:00Z' }),
      },
      {},
    ],
    [
      'by fetchedAt',
      {
        'docs/a.md': page(thirty, { fetchedAt: '2024-01-01T00:00:00Z' }),
        'docs/b.md': page(fourteen, { fetchedAt: '2025-06-01T00:00:00Z' }),
      },
      {},
    ],
    [
      'by the time of the file',
      { 'docs/a.md': page(thirty), 'docs/b.md': page(fourteen) },
      { 'docs/a.md': '2024-01-01', 'docs/b.md': '2025-06-01' },
    ],
    [
      'by the time of the file and a date',
      { 'docs/a.md': page(thirty, { lastModified: '2024-01-01' }), 'docs/b.md': page(fourteen) },
      { 'docs/a.md': '2026-01-01', 'docs/b.md': '2025-06-01' },
    ],
    [
      'by a date that is no quoted text',
      { 'docs/a.md': page(thirty, { lastModified: '2024-01-01' }), 'docs/b.md': page(fourteen, { lastModified: '"2025-06-01"' }) },
      {},
    ],
  ])('%s', async (_, files, times) => {
    const service = await start(files, {}, times);
    const { body } = await service.post(path, question);
    expect(told(body.text)).toEqual([fourteen, thirty]);
    expect(body.citations.map(({ file, quote }: any) => [file, quote])).toEqual([
      ['b.md', fourteen],
      ['a.md', thirty],
    ]);
    expect(body).toMatchObject({ answered: true, reason: 'answered' });
    await expectProof(service, body, false);
  });

  it('also where the files are the other way round', async () => {
    const { post } = await start({
      'docs/a.md': page(fourteen, { lastModified: '2025-06-01' }),
      'docs/b.md': page(thirty, { lastModified: '2024-01-01' }),
    });
    expect(told((await post(path, question)).body.text)).toEqual([fourteen, thirty]);
  });

  it('also after one was edited', async () => {
    const service = await start({ 'docs/a.md': page(thirty, { lastModified: '2024-01-01' }) });
    expect((await service.post(path, question)).body.text).not.toContain('different figures');
    await service.post('/api/tools/ingestSources', { namespace: 'docs', sources: [{ text: fourteen, title: 'Refunds of today' }] });
    expect(told((await service.post(path, question)).body.text)).toEqual([fourteen, thirty]);
  });
});

describe('with a model', () => {
  const files = { 'docs/a.md': page(thirty, { lastModified: '2024-01-01' }), 'docs/b.md': page(fourteen, { lastModified: '2025-06-01' }) };
  async function withProvider(more: Record<string, string> = {}) {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.close());
    return { provider, service: await start({ ...files, ...more }, { LLM_BASE_URL: provider.baseUrl }) };
  }

  it.each([
    ['that cites the old one only', thirty],
    ['that cites the new one only', fourteen],
    ['that says both', `${thirty} ${fourteen}`],
    ['that says the old one in its own words', 'Purchases: refunds are paid within 30 days.'],
    ['that lies besides', `Refunds take a year. ${thirty}`],
  ])('%s, both are told, and once', async (_, reply) => {
    const { provider, service } = await withProvider();
    provider.reply(reply);
    const { body } = await service.post(path, question);
    expect(told(body.text)).toEqual([fourteen, thirty]);
    expect(body.text.match(/Refunds are paid/g)).toHaveLength(2);
    expect(provider.requests).toHaveLength(1);
    await expectProof(service, body, false);
  });

  it('in the stream as well, the same text', async () => {
    const { provider, service } = await withProvider();
    provider.reply(thirty);
    const stream = await openStream(`${await serveOnLoopback(service as never)}/api/agents/knowledge/stream`, question);
    const chunks = await readChunks(stream);
    expect(told(textOf(chunks))).toEqual([fourteen, thirty]);
    expect(textOf(chunks)).toBe((await service.post(path, question)).body.text);
    expect(chunks.at(-1)?.payload.citations).toHaveLength(2);
  });

  it('that speaks of something else, nothing of it is told', async () => {
    const { provider, service } = await withProvider({ 'docs/c.md': page('Refunds are paid to the same card.', {}, 'Card') });
    provider.reply('Refunds are paid to the same card.');
    expect((await service.post(path, question)).body.text).toMatch(/^Refunds are paid to the same card\. \[1\]\n\nSources:/);
  });

  it('that says neither, it is a refusal', async () => {
    const { provider, service } = await withProvider();
    provider.reply('NO_ANSWER');
    expect((await service.post(path, question)).body).toMatchObject({ answered: false, reason: 'no_context' });
  });

  it('a document cannot bring in links, images or words for the model by it', async () => {
    const hostile = 'Refunds are paid within 99 days of purchase, see [here](https://evil.example/x) ![x](https://evil.example/p.png).';
    const { provider, service } = await withProvider({ 'docs/c.md': page(hostile, { lastModified: '2026-01-01' }) });
    provider.reply(thirty);
    const { body } = await service.post(path, question);
    expect(body.text).not.toContain('evil.example');
  });
});

describe('a text added to the sample documents', () => {
  it('stands beside what they say, with the notice', async () => {
    const folder = await temporaryFolder();
    await cp('knowledge', folder, { recursive: true });
    const service = await startService({ KNOWLEDGE_DIR: folder });
    const text = 'Refunds are paid within 30 days.';
    expect((await service.post('/api/tools/ingestSources', { sources: [text] })).body.added).toBe(1);
    const { body } = await service.post(path, { messages: '@agent how long do refunds take?' });
    expect(body.text).toMatch(
      /^The documents give different figures \[1\]\[2\], the newest first:\n\n- Refunds are paid within 30 days\. \[1\]\n- Approved refunds take 5 to 10 business days to (?:reach your card|arrive)\. \[2\]\n\nSources:/,
    );
  });
});

describe('no disagreement is told', () => {
  it.each([
    ['two weeks and 14 days', 'Refunds are paid within two weeks of purchase.', fourteen],
    ['the same range', 'Refunds are paid within 5 to 10 days of purchase.', 'Refunds are paid within 5 to 10 days of the purchase.'],
  ])('%s', async (_, one, other) => {
    const { post } = await start({ 'docs/a.md': page(one), 'docs/b.md': page(other) });
    const { body } = await post(path, question);
    expect(body.answered).toBe(true);
    expect(body.text).not.toContain('different figures');
  });

  it('in one document', async () => {
    const { post } = await start({ 'docs/a.md': page(`${thirty}\n\n## Others\n\n${fourteen}`) });
    expect((await post(path, question)).body.text).not.toContain('different figures');
  });

  it('for another namespace', async () => {
    const { post } = await start({ 'docs/a.md': page(thirty), 'hr/b.md': page(fourteen) });
    expect((await post(path, question)).body.text).not.toMatch(/different figures|14 days/);
  });

  it.each([
    'how long is the refund window?',
    'how much does the Team plan cost?',
    'how long are recordings kept?',
    'how quickly does support answer?',
    'how large can an import file be?',
    'how long is the free trial?',
  ])('by the sample documents: %s', async (asked) => {
    const { post } = await startService({ KNOWLEDGE_DIR: 'knowledge' });
    expect((await post(path, { messages: `@agent ${asked}` })).body.text).not.toContain('different figures');
  });

  // Seen in the sample documents: none of these figures contradicts the other.
  it.each(['how much does the Business plan cost?', 'how many times is a failed payment retried?', 'how long is a session valid?'])(
    'by the sample documents, but it is: %s',
    async (asked) => {
      const { post } = await startService({ KNOWLEDGE_DIR: 'knowledge' });
      expect((await post(path, { messages: `@agent ${asked}` })).body.text).not.toContain('different figures');
    },
  );
});
