import { describe, expect, it } from 'vitest';
import type { Replacements } from '../../src/context.ts';
import { createLogger } from '../../src/log.ts';
import { failing, type ModelWires, startModelWires } from '../support/model-wires.ts';
import { sharedService, startService, type TestService } from '../support/workspace.ts';

const files = Object.fromEntries(
  Array.from({ length: 40 }, (_, at) => [
    `docs/page-${String(at).padStart(2, '0')}.md`,
    `# Page ${at}\n\nRefunds of page ${at} are paid${' slowly'.repeat(at)}.\n`,
  ]),
);
const rerankKey = 'k3y-of-the-reranker';

async function start(rerank: Replacements['rerank'] = {}) {
  const wires = await startModelWires();
  const warnings: string[] = [];
  const service = await startService(
    { RERANK_MODEL: 'ranker', RERANK_BASE_URL: wires.url.replace('//', `//:${rerankKey}@`) },
    files,
    { rerank, logger: createLogger('warn', { write: (line) => warnings.push(line) }) },
  );
  const found = async () => filesOf(await search(service));
  return { wires, service, warnings, found };
}

const search = async ({ find }: TestService, maxResults = 5) =>
  (await find({ query: 'refunds paid', namespace: 'docs', maxResults })).body;
const filesOf = (body: { results: { file: string }[] }) => body.results.map(({ file }) => file);
const orderWithout = async (maxResults?: number) =>
  filesOf(await search(await sharedService({}, files), maxResults));
const scored = (index: number, score = '1') =>
  `{"results":[{"index":${index},"relevance_score":${score}}]}`;
const send =
  (value: string): ModelWires['instead'] =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(value);
    return true;
  };

describe('RERANK_MODEL', () => {
  it('orders the first 32 passages before the best are taken, and keeps their offsets and the order of the scores', async () => {
    const { wires, service } = await start();
    const before = await orderWithout(32);
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
    const { wires, found } = await start();
    const [first, second, third, ...others] = await orderWithout();
    wires.instead = send(scored(2, '-4.5'));
    expect(await found()).toEqual([third, first, second, ...others]);
  });

  it('gets no request without a passage', async () => {
    const { wires, service } = await start();
    const { body } = await service.find({ query: 'xylophone', namespace: 'docs' });
    expect([body.results, wires.requests]).toEqual([[], []]);
  });
});

describe('a reranker that fails', () => {
  it.each<[string, ModelWires['instead'], string]>([
    ['500', failing(500), 'status 500'],
    ['a redirect', failing(307, { location: '/v1/other' }), 'endpoint redirects'],
    ['no JSON', send('<html>'), 'malformed'],
    ['a position of another list', send(scored(32)), 'malformed'],
    ['a score in words', send(scored(1, '"high"')), 'malformed'],
    ['a reply of five megabytes', send(`${scored(1)}${' '.repeat(5 * 1024 * 1024)}`), 'malformed'],
    [
      'a reply that breaks off',
      (_, response) => response.writeHead(200).write('{"res', () => response.destroy()) || true,
      '',
    ],
  ])('leaves the order of the search, warns once and pauses: %s', async (_, instead, reason) => {
    const { wires, warnings, found } = await start();
    wires.instead = instead;
    for (let time = 0; time < 3; time++) expect(await found()).toEqual(await orderWithout());
    expect(wires.requests).toHaveLength(1);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('RERANK_MODEL does not answer as expected (');
    expect(warnings[0]).toContain(reason);
    expect(warnings[0]).not.toContain(rerankKey);
  });

  it('does not delay the search beyond its time limit', async () => {
    const { wires, warnings, found } = await start({ timeoutMs: 20 });
    wires.instead = () => true;
    expect(await found()).toHaveLength(5);
    expect(warnings).toEqual([expect.stringContaining('no whole reply within 0.02 seconds')]);
  });

  it('is asked again after the pause', async () => {
    const { wires, warnings, found } = await start({ pauseMs: 0 });
    wires.instead = failing(503);
    await found();
    await found();
    expect(warnings).toHaveLength(1);
    wires.instead = undefined;
    wires.relevance = (_, text) => (text.includes('Page 7\n') ? 1 : 0);
    expect((await found())[0]).toBe('page-07.md');
  });
});
