import { expect, it } from 'vitest';
import { chunkDocument, maxChunkWords } from '../../../src/documents/chunk.ts';
import { splitProse } from '../../../src/documents/split-prose.ts';

const chunksOf = chunkDocument.bind(undefined, splitProse);
const words = (text: string) => text.split(/\s+/).length;

it('gives each chunk its heading path and a unique anchor in the form of Markdown renderers', async () => {
  const text =
    '# Refunds\n\nIntro.\n\n## Window\n\n30 days.\n\n## Window\n\nAgain.\n\n### `code` & [link](x) {#own-id}\n\nDeep.\n';
  const chunks = await chunksOf(text, 0);
  expect(chunks.map((chunk) => [chunk.headingPath, chunk.anchor])).toEqual([
    [['Refunds'], 'refunds'],
    [['Refunds', 'Window'], 'window'],
    [['Refunds', 'Window'], 'window-1'],
    [['Refunds', 'Window', 'code & link'], 'own-id'],
  ]);
});

it('gives no two headings one anchor, also if one is written', async () => {
  const text =
    '## Refunds {#window}\n\n30 days.\n\n## Window\n\nAgain.\n\n## Late {#window}\n\nNo.\n';
  const anchors = (await chunksOf(text, 0)).map(({ anchor }) => anchor);
  expect(anchors).toEqual(['window', 'window-1', 'window-2']);
});

it('joins consecutive headings with the chunk below them', async () => {
  const text = '# Refunds\n\n## Window\n\n30 days.';
  expect((await chunksOf(text, 0)).map(({ start, end }) => text.slice(start, end))).toEqual([text]);
});

it('gives a chunk of many short sections the path that they share', async () => {
  const sections = Array.from({ length: 2_100 }, (_, at) => `### Term ${at}\n\nMeaning ${at}.\n`);
  const chunks = await chunksOf(`# Terms\n\n## A to Z\n\n${sections.join('\n')}`, 0);
  expect(chunks[1_999]).toMatchObject({ headingPath: ['Terms', 'A to Z', 'Term 1999'] });
  expect(chunks[2_000]).toMatchObject({ headingPath: ['Terms', 'A to Z'], anchor: 'a-to-z' });
});

it('finds the heading that follows a component tag', async () => {
  const text = '<Tabs>\n## Inside\n\nText.\n</Tabs>\n';
  expect((await chunksOf(text, 0)).at(-1)?.headingPath).toEqual(['Inside']);
});

it('reads a comment line in a code fence as code, not as a heading', async () => {
  const [chunk, ...more] = await chunksOf('```sh\n# install\nnpm ci\n```\n', 0);
  expect(more).toEqual([]);
  expect(chunk?.headingPath).toEqual([]);
});

it('cuts long prose between sentences and long lists between items', async () => {
  const prose = 'This sentence has exactly seven words here. '.repeat(100).trim();
  const list = Array.from({ length: 80 }, (_, n) => `- item number ${n} has a few words`).join(
    '\n',
  );
  for (const text of [prose, list]) {
    const chunks = await chunksOf(text, 0);
    expect(chunks.length).toBeGreaterThan(2);
    for (const { start, end } of chunks) {
      expect(words(text.slice(start, end))).toBeLessThanOrEqual(maxChunkWords * 1.1);
      expect(text.slice(start, end)).toMatch(/^(This|- item)/);
    }
  }
});

it('ends chunks at page marks and gives each its page number', async () => {
  const text =
    '# SLA\n\n<!-- page 1 -->\n\n## Credits\n\nTen percent.\n\n<!-- page 2 -->\n\nTwenty percent.\n\n- a\n<!-- page 3 -->\n\nThirty percent.\n';
  const chunks = await chunksOf(text, 0);
  expect(
    chunks.map(({ start, end, page, headingPath }) => [
      text.slice(start, end),
      page,
      headingPath.at(-1),
    ]),
  ).toEqual([
    ['# SLA', null, 'SLA'],
    ['## Credits\n\nTen percent.', 1, 'Credits'],
    ['Twenty percent.\n\n- a', 2, 'Credits'],
    ['Thirty percent.', 3, 'Credits'],
  ]);
});

it('gives a chunk the number printed on its page', async () => {
  const chunks = await chunksOf('<!-- page 3 (1) -->\n\nOne.\n\n<!-- page 4 -->\n\nTwo.\n', 0);
  expect(chunks.map(({ page, pageLabel }) => [page, pageLabel])).toEqual([
    [3, '1'],
    [4, undefined],
  ]);
});

it('reads a page mark in a code fence as code', async () => {
  const chunks = await chunksOf('```html\n<!-- page 7 -->\n```\n\nText.\n', 0);
  expect(chunks.map(({ page }) => page)).toEqual([null]);
});
