/** Runs each row of the table of models in docs/answers.md against a stand-in of its wire. */
import { describe, expect, it, vi } from 'vitest';
import { openStream, readChunks, serveOnLoopback, textOf } from '../support/event-stream.ts';
import { failing, type ModelWires, startModelWires } from '../support/model-wires.ts';
import { read } from '../support/repository.ts';
import { startService, type TestService } from '../support/workspace.ts';

const page = read('docs/answers.md');
const table = /## Models\n(.*?)\n\| rule/s.exec(page)?.[1] ?? '';
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
const generate = '/api/agents/knowledge/generate';
const search = async ({ find }: TestService, query: string) =>
  (await find({ query, namespace: 'docs' })).body;

/** Settings of a row, at the stand-in. */
function settingsOf({ settings }: Row, url: string): Record<string, string> {
  const given = Object.fromEntries(settings.map((line) => line.split('=') as [string, string]));
  const placed: Readonly<Record<string, string>> = {
    'https://:KEY@…': url.replace('://', `://:${key}@`),
  };
  const filled = Object.entries(given).map(([name, value]) => [
    name,
    value === '…' ? (name.endsWith('_URL') ? url : key) : (placed[value] ?? value),
  ]);
  const provider = /=(\w+)\//.exec(settings.join(' '))?.[1];
  return {
    ...Object.fromEntries(filled),
    ...(provider && !given['RERANK_MODEL'] ? { [`${provider.toUpperCase()}_BASE_URL`]: url } : {}),
  };
}

const repliesOfRerankers: Readonly<Record<string, ModelWires['instead']>> = {
  Voyage({ body }, response) {
    const data = body.documents.map((text: string, index: number) => ({
      index,
      relevance_score: text.includes('abroad') ? 0.9 : -0.5,
    }));
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ object: 'list', data }));
    return true;
  },
  TEI({ body }, response) {
    if (!body.texts) {
      response
        .writeHead(422)
        .end(
          'Failed to deserialize the JSON body into the target type: missing field `texts` at line 1 column 82',
        );
      return true;
    }
    const scored = body.texts.map((text: string, index: number) => ({
      index,
      score: text.includes('abroad') ? 0.9 : 0.1,
    }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(scored));
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
  (status: number, headers: Record<string, string>, expected: object): Trial =>
  async (row) => {
    const { wires, service } = await start(row);
    if (row.tried.includes('hybrid'))
      await vi.waitUntil(async () => (await search(service, 'x')).mode === 'hybrid', {
        interval: 10,
        timeout: 60_000,
      });
    wires.instead = failing(status, headers);
    const isChat = row.tried.includes('answer');
    const answer = isChat ? await service.post(generate, questionBody) : undefined;
    const body = answer?.body ?? (await search(service, 'refunds abroad today'));
    if (headers['retry-after'])
      expect(answer?.headers.get('retry-after')).toBe(headers['retry-after']);
    expect(body).toMatchObject(
      isChat
        ? expected
        : { results: expect.arrayContaining([expect.objectContaining({ file: 'shop.md' })]) },
    );
    if (row.tried.includes('hybrid'))
      expect(body).toMatchObject({ mode: 'lexical', degraded: 'model_unavailable' });
    expect(JSON.stringify(body)).not.toContain(key);
    return wires;
  };

const trials: Readonly<Record<string, Trial>> = {
  async answer(row) {
    const { wires, service } = await start(row);
    const { body } = await service.post(generate, questionBody);
    expect(body).toMatchObject({ answered: true, usage: { inputTokens: 11, outputTokens: 7 } });
    expect(body.text).toContain(sentence);
    const { body: sent } = wires.requests[0] ?? {};
    expect(JSON.stringify(sent)).toMatch(/"(?:max_tokens|maxOutputTokens)":4000/);
    expect(JSON.stringify(sent)).toMatch(/"temperature":0\b/);
    return wires;
  },
  async stream(row) {
    const { wires, service } = await start(row);
    const stream = await openStream(
      (await serveOnLoopback(service)) + generate.replace('generate', 'stream'),
      questionBody,
    );
    expect(textOf(await readChunks(stream))).toContain(sentence);
    return wires;
  },
  401: failsWith(401, {}, { code: 'model_failed' }),
  429: failsWith(429, { 'retry-after': '7' }, { code: 'model_unavailable' }),
  529: failsWith(529, {}, { code: 'model_unavailable' }),
  async hybrid(row) {
    const { wires, service } = await start(row);
    await vi.waitUntil(async () => (await search(service, 'x')).mode === 'hybrid', {
      interval: 10,
      timeout: 60_000,
    });
    const { body } = await service.post(generate, questionBody);
    expect(body).toMatchObject({ reason: 'closest', model: 'extractive' });
    expect(body.text).toContain(sentence);
    return wires;
  },
  async order(row) {
    const { wires, service } = await start(row);
    wires.relevance = (_, text) => (text.includes('abroad') ? 0.9 : -3);
    wires.instead = repliesOfRerankers[row.name.replace('order by ', '')];
    const found = await search(service, 'within how many days are refunds paid');
    expect(found.results.map(({ file }: { file: string }) => file).slice(0, 2)).toEqual([
      'shop-2.md',
      'shop.md',
    ]);
    return wires;
  },
};

describe('the table of models', () => {
  it('has a row for each wire', () => {
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
});
