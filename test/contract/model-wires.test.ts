/** Runs each row of the table of models in docs/answers.md against a stand-in of its wire. */
import type { ServerResponse } from 'node:http';
import { expect, it, vi } from 'vitest';
import { openStream, readChunks, serveOnLoopback, textOf } from '../support/event-stream.ts';
import { failing, type ModelWires, startModelWires } from '../support/model-wires.ts';
import { read } from '../support/repository.ts';
import { startService, type TestService } from '../support/workspace.ts';

const table = /## Models\n(.*?)\n\| rule/s.exec(read('docs/answers.md'))?.[1] ?? '';
const codesIn = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const rows = table
  .split('\n')
  .filter((line) => /^\| .*`(?:LLM|EMBEDDING|RERANK)_/.test(line))
  .map((line) => {
    const [name = '', settings, request, header, tried = ''] = line.slice(2, -2).split(' | ');
    const [path = ''] = codesIn(request);
    return {
      name,
      settings: codesIn(settings),
      path: path.replace('POST ', ''),
      header: codesIn(header)[0] ?? '',
      tried: tried.split(', '),
    };
  });
type Row = (typeof rows)[number];

const key = 'k3y-of-the-provider';
const sentence = 'Refunds are paid within 30 days of purchase.';
const files = {
  'docs/shop.md': `# Refunds\n\n${sentence}\n`,
  'docs/shop-2.md':
    '# Refunds abroad\n\nRefunds abroad take longer, as banks differ. Refunds, refunds, refunds.\n',
  'docs/bikes.md': '# Parking\n\nBicycles are parked in the cellar.\n',
};
const questionBody = {
  messages: '@agent within how many days are refunds paid?',
  toolParams: { namespace: 'docs' },
};
const search = async ({ find }: TestService, query: string) =>
  (await find({ query, namespace: 'docs' })).body;
const untilHybrid = (service: TestService) =>
  vi.waitUntil(async () => (await search(service, 'x')).mode === 'hybrid', {
    interval: 10,
    timeout: 60_000,
  });

/** Settings of a row, at the stand-in. */
function settingsOf({ settings }: Row, url: string): Record<string, string> {
  const filled = settings.map((line) => {
    const [name = '', value = ''] = line.split('=');
    if (value === 'https://:KEY@…') return [name, url.replace('://', `://:${key}@`)];
    if (value !== '…') return [name, value];
    return [name, name.endsWith('_URL') ? url : key];
  });
  const provider = /=(\w+)\//.exec(settings.join(' '))?.[1];
  return {
    ...Object.fromEntries(filled),
    ...(provider ? { [`${provider.toUpperCase()}_BASE_URL`]: url } : {}),
  };
}

function sendJson(response: ServerResponse, value: unknown) {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  return true;
}
const scoresOf = (texts: readonly string[], field: string) =>
  texts.map((text, index) => ({ index, [field]: text.includes('abroad') ? 0.9 : -0.5 }));

const repliesOfRerankers: Readonly<Record<string, ModelWires['instead']>> = {
  Voyage: ({ body }, response) =>
    sendJson(response, { object: 'list', data: scoresOf(body.documents, 'relevance_score') }),
  TEI({ body }, response) {
    if (body.texts) return sendJson(response, scoresOf(body.texts, 'score'));
    response.writeHead(422).end('Failed to deserialize the JSON body: missing field `texts`');
    return true;
  },
};

async function start(row: Row) {
  const wires = await startModelWires();
  wires.text = `${sentence} [1]`;
  const service = await startService(settingsOf(row, wires.url), files, {
    patience: { maxAttempts: 1 },
    rerank: { pauseMs: 0 },
  });
  return { wires, service };
}

type Trial = (row: Row) => Promise<ModelWires>;

const failsWith =
  (status: number, headers: Record<string, string>, code: string): Trial =>
  async (row) => {
    const { wires, service } = await start(row);
    if (row.tried.includes('hybrid')) await untilHybrid(service);
    wires.instead = failing(status, headers);
    if (row.tried.includes('answer')) {
      const answer = await service.generate(questionBody);
      expect(answer.body).toMatchObject({ code });
      if (headers['retry-after'])
        expect(answer.headers.get('retry-after')).toBe(headers['retry-after']);
      expect(JSON.stringify(answer.body)).not.toContain(key);
      return wires;
    }
    const found = await search(service, 'refunds abroad today');
    expect(found.results.map(({ file }: { file: string }) => file)).toContain('shop.md');
    if (row.tried.includes('hybrid'))
      expect(found).toMatchObject({ mode: 'lexical', degraded: 'model_unavailable' });
    expect(JSON.stringify(found)).not.toContain(key);
    return wires;
  };

const trials: Readonly<Record<string, Trial>> = {
  async answer(row) {
    const { wires, service } = await start(row);
    const { body } = await service.generate(questionBody);
    expect(body).toMatchObject({ answered: true, usage: { inputTokens: 11, outputTokens: 7 } });
    expect(body.text).toContain(sentence);
    const sent = JSON.stringify(wires.requests[0]?.body);
    expect(sent).toMatch(/"(?:max_tokens|maxOutputTokens)":4000/);
    expect(sent).toMatch(/"temperature":0\b/);
    return wires;
  },
  async stream(row) {
    const { wires, service } = await start(row);
    const url = `${await serveOnLoopback(service)}/api/agents/knowledge/stream`;
    expect(textOf(await readChunks(await openStream(url, questionBody)))).toContain(sentence);
    return wires;
  },
  401: failsWith(401, {}, 'model_failed'),
  429: failsWith(429, { 'retry-after': '7' }, 'model_unavailable'),
  529: failsWith(529, {}, 'model_unavailable'),
  async hybrid(row) {
    const { wires, service } = await start(row);
    await untilHybrid(service);
    const { body } = await service.generate(questionBody);
    expect(body).toMatchObject({ reason: 'closest', model: 'extractive' });
    expect(body.text).toContain(sentence);
    return wires;
  },
  async order(row) {
    const { wires, service } = await start(row);
    wires.relevance = (_, text) => (text.includes('abroad') ? 0.9 : -3);
    wires.instead = repliesOfRerankers[row.name.replace('order by ', '')];
    const { results } = await search(service, 'within how many days are refunds paid');
    expect(results.slice(0, 2)).toMatchObject([{ file: 'shop-2.md' }, { file: 'shop.md' }]);
    return wires;
  },
};

it('the table of models has a row for each wire', () => {
  expect(new Set(rows.map(({ path }) => path.replace(/gemini.*:/, '…:')))).toEqual(
    new Set([
      '/chat/completions',
      '/messages',
      '/models/…:streamGenerateContent',
      '/embeddings',
      '/openai/embeddings',
      '/rerank',
    ]),
  );
});

it.each(rows.flatMap((row) => row.tried.map((trial) => [row.name, trial, row] as const)))(
  '%s: %s',
  async (_, trial, row) => {
    const { requests = [] } = (await trials[trial]?.(row)) ?? {};
    expect(requests.length).toBeGreaterThan(0);
    for (const { path, headers } of requests) {
      expect(path.split('?')[0]).toBe(`/v1${row.path}`);
      expect(headers[row.header]).toMatch(new RegExp(`^(?:Bearer )?${key}$`));
    }
  },
);
