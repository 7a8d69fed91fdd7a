/**
 * No request, source or stored document blocks the event loop for long. Each of these once did, for
 * up to 77 seconds.
 */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { callRecords, toJsonLines } from '../../scripts/call-records.ts';
import { maxHeldMs } from '../support/loop-monitor.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { page, type Site, startSite } from '../support/site.ts';
import { answersIn } from '../support/state.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

const repeated = (text: string, chars: number) => text.repeat(Math.ceil(chars / text.length));

const listChars = 2_000_000;
const sitemap = (body: string | Uint8Array) => ({ '/sitemap.xml': { body } });
const pages = Array.from({ length: 5_000 }, (_, at) => `/${at}?${'utm_a=&'.repeat(100)}`);
const attacks: Record<string, Parameters<typeof startSite>[0]> = {
  'nested elements of a sitemap': sitemap(`<urlset>${repeated('<a>', listChars)}`),
  'nested elements in gzip': sitemap(gzipSync(`<urlset>${repeated('<a>', listChars)}`)),
  'many elements': sitemap(`<urlset>${repeated('<a/>', listChars)}`),
  'many pages': sitemap(`<urlset>${pages.map((path) => `<loc>${path}</loc>`).join('')}`),
  'brackets in llms.txt': { '/llms.txt': { body: repeated('](a)', listChars) } },
  'many links': { '/': page('Home', 'Welcome.', pages) },
};

const words = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => `word${(from + at * 7) % 5_000}`).join(' ');
const sections = Array.from(
  { length: 1_000 },
  (_, at) => `## Section ${at}\n\n${words(at, 100)}\n`,
);
const scripts = [
  ['Arabic', 'هذا نص عربي طويل عن سياسة الاسترداد. '],
  ['Chinese', '退款政策适用于所有购买的商品。'],
  ['Hindi', 'यह रिफंड नीति के बारे में एक लंबा पाठ है। '],
  ['Persian with joiners', 'می‌خواهم کتاب‌ها را پس بدهم. '],
] as const;
const calls = callRecords({
  count: 10_000,
  seed: 1,
  until: Date.UTC(2026, 10, 21) / 1_000,
  days: 300,
  users: 500,
});

/** A try that is repeated reads everything again. */
const own = (namespace: string) => `${namespace}-${randomUUID()}`;

let folder: string;
let sites: Site[];
let server: ServerProcess;

beforeAll(async () => {
  folder = await temporaryFolder();
  sites = await Promise.all(
    Object.values(attacks).map((attack) => startSite({ '/': page('Home', 'Welcome.'), ...attack })),
  );
  await writeFiles(folder, {
    'knowledge/words/words.md': sections.join('\n'),
    'calls.jsonl': toJsonLines(calls),
    ...Object.fromEntries(
      scripts.map(([name, text]) => [
        `${name}.md`,
        text.repeat(Math.ceil(5_000_000 / Buffer.byteLength(text))),
      ]),
    ),
    'knowledge/default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  });
  const rows = answersIn(`${folder}/index`);
  const text = JSON.stringify({ text: 'x'.repeat(20_000) });
  const row = {
    namespace: 'default',
    readerKey: null,
    askedAt: '2026-01-01T00:00:00.000Z',
    question: 'why?',
    checked: text,
    answer: text,
  };
  for (let at = 0; at < 1_000; at++)
    await rows.keep({ ...row, runId: randomUUID(), askerKey: `${at % 9}` }, {}, undefined);
  server = await startServerProcess({
    ...foldersIn(folder),
    ALLOWED_FILE_ROOTS: folder,
    ALLOWED_URL_HOSTS: sites.map(({ host }) => host).join(','),
    CALLS_FILE: `${folder}/calls.jsonl`,
    MAX_BODY_BYTES: '4000000',
    LIMITS: 'answers=1000',
  });
});

beforeEach(() => server.watchHeld());
afterEach(async () => expect(await server.heldMs()).toBeLessThanOrEqual(maxHeldMs));

it('serves the OpenAPI document without blocking', async () => {
  expect((await server.get('/api/openapi.json')).status).toBe(200);
});

it.each(scripts)('reads five megabytes of %s while answering others', async (name) => {
  const sources = [{ path: `${folder}/${name}.md` }];
  const { body } = await server.ingest({ namespace: own('scripts'), sources });
  expect(body.results).toMatchObject([{ status: 'added' }]);
});

it('answers after a history of thousands of refused turns', async () => {
  const refused = [
    { role: 'user', content: '@agent what is the capital of France?' },
    { role: 'assistant', content: 'I could not find that in the documents.\n\nSources: none' },
  ];
  const { status } = await server.generate({
    messages: [...Array(6_000).fill(refused).flat(), refused[0]],
  });
  expect(status).toBe(200);
});

it('crawls sites with hostile sitemaps and links while answering others', async () => {
  for (const { url } of sites) {
    const sources = [{ url: `${url}/`, crawl: { maxPages: 2 } }];
    const { body } = await server.ingest({ namespace: own('hostile'), sources });
    expect(body.results).not.toEqual([]);
  }
});

it('handles many long search queries without blocking', async () => {
  const search = (from: number) =>
    server.find({
      namespace: 'words',
      query: words(from, 400).slice(0, 2_000),
      maxResults: 50,
      explain: true,
    });
  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => search(at * 40)));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

it('adds up all calls for many at once', async () => {
  const summary = () => server.get('/v3/calls/summary', { apikey: 'any' });
  const answers = await Promise.all(Array.from({ length: 6 }, summary));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

it('answers long messages without blocking', async () => {
  const distinct = Array.from({ length: 100_000 }, (_, number) => `w${number}`).join(' ');
  for (const text of [
    distinct,
    ...['\n', 'www.', '返', 'a@'].map((part) => `x${repeated(part, 900_000)}`),
  ]) {
    const { status } = await server.generate({ messages: `@agent ${text}?` });
    expect(status).toBe(200);
  }
});

it('saves an answer while evicting one of many without blocking', async () => {
  const { body } = await server.generate({ messages: '@agent when are refunds paid?' });
  await expect.poll(async () => (await server.get(`/api/answers/${body.runId}`)).status).toBe(200);
});
