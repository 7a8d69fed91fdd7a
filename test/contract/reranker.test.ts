import { describe, expect, it } from 'vitest';
import type { Replacements } from '../../src/context.ts';
import { failing, type ModelWires, startModelWires } from '../support/model-wires.ts';
import { sharedService, startService, type TestService } from '../support/workspace.ts';

const files = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `docs/page-${String(at).padStart(2, '0')}.md`,
    `# Page ${at}\n\nRefunds of page ${at} are paid${' slowly'.repeat(at)}.\n`,
  ]),
);
const rerankKey = 'k3y-of-the-reranker';

async function start(more: Replacements = {}, settings: Record<string, string> = {}) {
  const wires = await startModelWires();
  const warnings: string[] = [];
  const logger = {
    debug: () => 0,
    info: () => 0,
    error: () => 0,
    audit: () => 0,
    warn: (_: unknown, text: string) => warnings.push(text),
  };
  const service = await startService(
    {
      RERANK_MODEL: 'ranker',
      RERANK_BASE_URL: wires.url.replace('//', `//:${rerankKey}@`),
      ...settings,
    },
    files,
    { ...more, logger: logger as never },
  );
  return { wires, service, warnings };
}

const search = async ({ find }: TestService, query = 'refunds paid', maxResults = 5) =>
  (await find({ query, namespace: 'docs', maxResults })).body;
const filesOf = (body: { results: { file: string }[] }) => body.results.map(({ file }) => file);
const send =
  (value: string): ModelWires['instead'] =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(value);
    return true;
  };

describe('RERANK_MODEL', () => {
  it('orders the first 32 passages before the best are taken, and keeps their offsets and the order of the scores', async () => {
    const { wires, service } = await start();
    const before = filesOf(await search(await sharedService({}, files), 'refunds paid', 32));
    const last = before.at(-1) ?? '';
    wires.relevance = (_, text) =>
      text.includes(`Page ${Number(/\d+/.exec(last)?.[0])}\n`) ? 1 : 0;
    const found = await search(service);
    expect(filesOf(found)).toEqual([last, ...before.slice(0, 4)]);
    const scores = found.results.map(({ score }: { score: number }) => score);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    for (const { start: from, end, text, file } of found.results)
      expect((await service.storedText('docs', file)).slice(from, end)).toBe(text);
    const { body, headers, path } = wires.requests[0] ?? {};
    expect(path).toBe('/v1/rerank');
    expect(headers?.authorization).toBe(`Bearer ${rerankKey}`);
    expect(body).toMatchObject({ model: 'ranker', query: 'refunds paid', top_n: 32 });
    expect(body.documents).toHaveLength(32);
    expect(body.documents[0]).toMatch(/^Page \d+\n\n# Page \d+\n\nRefunds of page/);
  });

  it('places texts without a score after those with one', async () => {
    const { wires, service } = await start();
    const before = filesOf(await search(await sharedService({}, files)));
    wires.instead = send('{"results":[{"index":2,"relevance_score":-4.5}]}');
    expect(filesOf(await search(service))).toEqual([
      before[2],
      before[0],
      before[1],
      before[3],
      before[4],
    ]);
  });

  it('gets no request for a single passage, or without the setting', async () => {
    const { wires, service } = await start();
    await search(service, 'page 17 xylophone');
    const asked = wires.requests.length;
    expect((await search(service, 'xylophone')).results).toEqual([]);
    expect(wires.requests).toHaveLength(asked);
  });
});

describe('a reranker that fails', () => {
  it.each<[string, ModelWires['instead'], string]>([
    ['500', failing(500), 'status 500'],
    ['a redirect', failing(307, { location: '/v1/other' }), 'endpoint redirects'],
    ['no JSON', send('<html>'), 'malformed'],
    [
      'a position of another list',
      send('{"results":[{"index":32,"relevance_score":1}]}'),
      'malformed',
    ],
    ['a score in words', send('{"results":[{"index":1,"relevance_score":"high"}]}'), 'malformed'],
    [
      'a reply of five megabytes',
      send(`{"results":[{"index":1,"relevance_score":1}],"x":"${'x'.repeat(5 * 1024 * 1024)}"}`),
      'malformed',
    ],
    [
      'a reply that breaks off',
      (_, response) => response.writeHead(200).write('{"res', () => response.destroy()) || true,
      '',
    ],
  ])('leaves the order of the search, warns once and pauses: %s', async (_, instead, reason) => {
    const { wires, service, warnings } = await start();
    const before = filesOf(await search(await sharedService({}, files)));
    wires.instead = instead;
    for (let time = 0; time < 3; time++) expect(filesOf(await search(service))).toEqual(before);
    expect(wires.requests).toHaveLength(1);
    expect(warnings).toEqual([
      expect.stringContaining(`RERANK_MODEL does not answer as expected (`),
    ]);
    expect(warnings[0]).toContain(reason);
    expect(warnings[0]).not.toContain(rerankKey);
  });

  it('does not delay the search beyond its time limit', async () => {
    const { wires, service, warnings } = await start({ rerank: { timeoutMs: 20 } });
    wires.instead = () => true;
    expect((await search(service)).results).toHaveLength(5);
    expect(warnings).toEqual([expect.stringContaining('no whole reply within 0.02 seconds')]);
  });

  it('is asked again after the pause', async () => {
    const { wires, service, warnings } = await start({ rerank: { pauseMs: 0 } });
    wires.instead = failing(503);
    await search(service);
    await search(service);
    expect(warnings).toHaveLength(1);
    wires.instead = undefined;
    wires.relevance = (_, text) => (text.includes('Page 7\n') ? 1 : 0);
    expect(filesOf(await search(service))[0]).toBe('page-07.md');
  });
});
