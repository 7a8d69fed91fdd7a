import { describe, expect, it, onTestFinished } from 'vitest';
import { KnowledgeError } from '../../src/errors.ts';
import { createProviderEmbedder, type ProviderEmbedderOptions } from '../../src/mastra/provider.ts';
import { answerWithMeaning, answerWithStatus, meaningOf, startFakeEmbeddings } from '../support/fake-embeddings.ts';

const key = 'sk-very-secret-key';

async function start(options: Partial<ProviderEmbedderOptions> = {}) {
  const provider = await startFakeEmbeddings();
  onTestFinished(() => provider.close());
  const embedder = createProviderEmbedder({ apiKey: key, baseUrl: provider.baseUrl, model: 'fake-embed', firstPauseMs: 1, ...options });
  const embed = (texts: readonly string[], signal = new AbortController().signal) => embedder.embed(texts, signal);
  return { provider, embed };
}

const failureOf = async (promise: Promise<unknown>): Promise<KnowledgeError> => {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(KnowledgeError);
  return error as KnowledgeError;
};

const lengthOf = (vector: Float32Array | undefined) => Math.hypot(...(vector ?? []));

describe('the provider embedder', () => {
  it('sends the texts, the model and the key, and gives back vectors of length 1 in their order', async () => {
    const { provider, embed } = await start();
    const vectors = await embed(['refund', 'login page']);
    expect(provider.requests.map(({ model, input, headers }) => [model, input, headers.authorization])).toEqual([
      ['fake-embed', ['refund', 'login page'], `Bearer ${key}`],
    ]);
    expect(vectors.map(lengthOf).map((length) => length.toFixed(5))).toEqual(['1.00000', '1.00000']);
    const expected = meaningOf('refund');
    expect(vectors[0]?.findIndex((value) => Math.abs(value) > 0.9)).toBe(expected.findIndex((value) => Math.abs(value) > 0.9));
  });

  it('asks nobody about no texts', async () => {
    const { provider, embed } = await start();
    expect(await embed([])).toEqual([]);
    expect(provider.requests).toEqual([]);
  });

  it('puts vectors that came in another order to their texts', async () => {
    const { provider, embed } = await start();
    provider.script(({ input }, response) => {
      const data = input.map((text, index) => ({ index, embedding: meaningOf(text) })).reverse();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data }));
      return undefined;
    });
    const mixed = await embed(['refund', 'login page', 'invoice']);
    provider.script(answerWithMeaning);
    expect(mixed).toEqual(await embed(['refund', 'login page', 'invoice']));
  });

  it.each([408, 429, 500, 502, 503])('asks again after %i', async (status) => {
    const { provider, embed } = await start();
    provider.script(answerWithStatus(status), answerWithStatus(status), answerWithMeaning);
    expect(await embed(['refund'])).toHaveLength(1);
    expect(provider.requests).toHaveLength(3);
  });

  it('waits as long as the provider asks for', async () => {
    const { provider, embed } = await start();
    provider.script(answerWithStatus(429, { 'retry-after': '1' }), answerWithMeaning);
    const started = performance.now();
    await embed(['refund']);
    expect(performance.now() - started).toBeGreaterThan(950);
  });

  it('hands a long wait on instead of waiting', async () => {
    const { provider, embed } = await start();
    provider.script(answerWithStatus(429, { 'retry-after': '3600' }));
    expect(await failureOf(embed(['refund']))).toMatchObject({ code: 'model_unavailable', retryAfterSeconds: 3_600 });
    expect(provider.requests).toHaveLength(1);
  });

  it('gives up after three attempts', async () => {
    const { provider, embed } = await start();
    provider.script(answerWithStatus(500));
    expect((await failureOf(embed(['refund']))).code).toBe('model_unavailable');
    expect(provider.requests).toHaveLength(3);
  });

  it.each([
    [400, 'model_failed'],
    [401, 'model_unavailable'],
    [404, 'model_unavailable'],
    [409, 'model_failed'],
    [413, 'model_failed'],
    [422, 'model_failed'],
  ])('does not ask again after %i, which is %s', async (status, code) => {
    const { provider, embed } = await start();
    provider.script(answerWithStatus(status));
    expect((await failureOf(embed(['refund']))).code).toBe(code);
    expect(provider.requests).toHaveLength(1);
  });

  it('asks again after a connection that was reset, also in the middle of an answer', async () => {
    const { provider, embed } = await start();
    provider.script(
      (_, response) => {
        response.socket?.resetAndDestroy();
        return undefined;
      },
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"data":', () => response.socket?.destroy());
        return undefined;
      },
      answerWithMeaning,
    );
    expect(await embed(['refund'])).toHaveLength(1);
    expect(provider.requests).toHaveLength(3);
  });

  it('says that nobody is there', async () => {
    const { provider, embed } = await start();
    await provider.close();
    expect(await failureOf(embed(['refund']))).toMatchObject({
      code: 'model_unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('ends a call that takes too long', async () => {
    const { provider, embed } = await start({ timeoutMs: 1_000 });
    provider.script(() => undefined);
    expect((await failureOf(embed(['refund']))).code).toBe('timeout');
    expect(provider.requests).toHaveLength(1);
  });

  it('ends with the reason of the signal, in a call and in a pause', async () => {
    const { provider, embed } = await start();
    for (const script of [() => undefined, answerWithStatus(429, { 'retry-after': '10' })]) {
      const controller = new AbortController();
      const reason = new Error('enough');
      provider.script((request, response) => {
        setImmediate(() => controller.abort(reason));
        return script(request, response);
      });
      await expect(embed(['refund'], controller.signal)).rejects.toBe(reason);
    }
  });

  it.each([
    ['too few vectors', [[1, 2]]],
    ['too many vectors', [[1], [2], [3]]],
    ['vectors of different lengths', [[1, 2], [1]]],
    [
      'a vector of nothing',
      [
        [0, 0],
        [1, 1],
      ],
    ],
    ['an empty vector', [[], []]],
    [
      'numbers that are none',
      [
        [1, null as never],
        [1, 2],
      ],
    ],
    [
      'numbers without end',
      [
        [1, 1e308],
        [1, 1e308],
      ],
    ],
  ])('refuses %s', async (_, vectors) => {
    const { provider, embed } = await start();
    provider.script(() => vectors);
    expect((await failureOf(embed(['a', 'b']))).code).toBe('model_failed');
    expect(provider.requests).toHaveLength(1);
  });

  it('refuses vectors of another length than before', async () => {
    const { provider, embed } = await start();
    await embed(['refund']);
    provider.script(() => [[1, 2, 3]]);
    expect(await failureOf(embed(['refund']))).toMatchObject({
      code: 'model_failed',
      message: expect.stringContaining('3 numbers instead of 64'),
    });
  });

  it.each([
    ['HTML', 'text/html', '<h1>Sign in</h1>'],
    ['other JSON', 'application/json', '{"embeddings":[[1]]}'],
  ])('refuses %s as an answer', async (_, type, body) => {
    const { provider, embed } = await start();
    provider.script((_request, response) => {
      response.writeHead(200, { 'content-type': type });
      response.end(body);
      return undefined;
    });
    expect((await failureOf(embed(['a']))).code).toBe('model_failed');
  });

  it('never tells the key, nor what the provider said, nor the texts', async () => {
    const told: unknown[] = [];
    for (const status of [400, 401, 429, 500]) {
      const { provider, embed } = await start();
      provider.script(answerWithStatus(status, {}, `Incorrect API key provided: ${key}`));
      told.push(await failureOf(embed(['a private text'])));
    }
    const broken = await start({ apiKey: `${key}\nsecond line` });
    told.push(await failureOf(broken.embed(['a private text'])));
    for (const error of told as KnowledgeError[]) {
      expect([error.message, error.stack, String(error.cause), JSON.stringify(error)].join('\n')).not.toMatch(/secret|Incorrect|private/);
    }
  });
});
