import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { ProviderEmbedder } from '../../src/models/provider.ts';
import { answerWithMeaning, meaningOf, startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { mockHttp } from '../support/mocked-http.ts';

const apiKey = 'sk-very-secret-key';
const baseUrl = 'https://provider.example/v1';
const { json } = HttpResponse;

function createEmbed(options: Partial<ConstructorParameters<typeof ProviderEmbedder>[0]> = {}) {
  const usual = { apiKey, baseUrl, model: 'fake-embed', firstPauseMs: 1 };
  const embedder = new ProviderEmbedder({ ...usual, ...options });
  return (...texts: string[]) => embedder.embed(texts, new AbortController().signal);
}

const answerWithVectors = (vectors: readonly (readonly number[])[]) =>
  json({ data: vectors.map((embedding, index) => ({ index, embedding })) });
const answerWithMeaningOf = async (request: Request) =>
  answerWithVectors(((await request.json()) as { input: string[] }).input.map(meaningOf));
const answerWithStatus = (status: number, message = 'no') =>
  json({ error: { message, type: 'error', param: null, code: null } }, { status });

const failureOf = async (promise: Promise<unknown>): Promise<KnowledgeError> => {
  const error = await promise.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(KnowledgeError);
  return error as KnowledgeError;
};

describe('the provider embedder', () => {
  const respond = mockHttp(baseUrl);

  it('sends the texts, the model and the key, and returns vectors of length 1 in order', async () => {
    const requests = respond(answerWithMeaningOf);
    const input = ['refund', 'login page'];
    const vectors = await createEmbed()(...input);
    expect(requests).toHaveLength(1);
    const { method, url, headers } = requests[0]!;
    expect([method, url]).toEqual(['POST', `${baseUrl}/embeddings`]);
    expect(headers.get('authorization')).toBe(`Bearer ${apiKey}`);
    expect(await requests[0]?.json()).toMatchObject({ model: 'fake-embed', input });
    for (const vector of vectors) expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    const isLong = (value: number) => Math.abs(value) > 0.9;
    expect(vectors[0]?.findIndex(isLong)).toBe(meaningOf('refund').findIndex(isLong));
  });

  it('assigns vectors in another order to their texts', async () => {
    const [embed, texts] = [createEmbed(), ['refund', 'login page', 'invoice']];
    respond(() =>
      json({ data: texts.map((text, index) => ({ index, embedding: meaningOf(text) })).reverse() }),
    );
    const mixed = await embed(...texts);
    respond(answerWithMeaningOf);
    expect(mixed).toEqual(await embed(...texts));
  });

  it.each([408, 429, 500])('retries after %i', async (status) => {
    const requests = respond((request, number) =>
      number < 2 ? answerWithStatus(status) : answerWithMeaningOf(request),
    );
    expect(await createEmbed()('refund')).toHaveLength(1);
    expect(requests).toHaveLength(3);
  });

  it.each([
    [400, 'model_failed'],
    [401, 'model_unavailable'],
    [404, 'model_unavailable'],
    [422, 'model_failed'],
  ])('does not retry after %i, which becomes %s', async (status, code) => {
    const requests = respond(() => answerWithStatus(status));
    expect((await failureOf(createEmbed()('refund'))).code).toBe(code);
    expect(requests).toHaveLength(1);
  });

  it('aborts a call that takes too long', async () => {
    const requests = respond(() => new Promise(() => undefined));
    expect((await failureOf(createEmbed({ timeoutMs: 1_000 })('refund'))).code).toBe('timeout');
    expect(requests).toHaveLength(1);
  });

  it.each<[string, () => Response]>([
    ['too few vectors', () => answerWithVectors([[1, 2]])],
    ['vectors of different lengths', () => answerWithVectors([[1, 2], [1]])],
    [
      'a zero vector',
      () =>
        answerWithVectors([
          [0, 0],
          [1, 1],
        ]),
    ],
    [
      'invalid numbers',
      () =>
        answerWithVectors([
          [1, Number.NaN],
          [1, 2],
        ]),
    ],
    [
      'an overflowing length',
      () =>
        answerWithVectors([
          [1, 1e308],
          [1, 1e308],
        ]),
    ],
    ['a web page', () => HttpResponse.html('<h1>Sign in</h1>')],
    ['other JSON', () => json({ embeddings: [[1]] })],
  ])('rejects %s', async (_, response) => {
    const requests = respond(response);
    expect((await failureOf(createEmbed()('a', 'b'))).code).toBe('model_failed');
    expect(requests).toHaveLength(1);
  });

  it('rejects vectors of another length than before', async () => {
    const embed = createEmbed();
    respond((request, number) =>
      number === 0 ? answerWithMeaningOf(request) : answerWithVectors([[1, 2, 3]]),
    );
    await embed('refund');
    expect(await failureOf(embed('refund'))).toMatchObject({
      code: 'model_failed',
      message: expect.stringContaining('3 numbers instead of 64'),
    });
  });

  it("never reveals the key, the provider's message or the texts in errors", async () => {
    const errors: KnowledgeError[] = [];
    for (const status of [400, 401, 429, 500]) {
      respond(() => answerWithStatus(status, `Incorrect API key provided: ${apiKey}`));
      errors.push(await failureOf(createEmbed()('a private text')));
    }
    errors.push(await failureOf(createEmbed({ apiKey: `${apiKey}\nnext` })('a private text')));
    for (const error of errors)
      expect(
        [error.message, error.stack, String(error.cause), JSON.stringify(error)].join('\n'),
      ).not.toMatch(/secret|Incorrect|private/);
  });
});

it('a call is retried after a reset, even in the middle of a response', async () => {
  const provider = await startFakeEmbeddings();
  provider.script(
    (_, response) => void response.socket?.resetAndDestroy() as undefined,
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"data":', () => response.socket?.destroy());
      return undefined;
    },
    answerWithMeaning,
  );
  expect(await createEmbed({ baseUrl: provider.baseUrl })('refund')).toHaveLength(1);
  expect(provider.requests).toHaveLength(3);
});
