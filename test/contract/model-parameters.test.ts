/**
 * Temperature and token limit of model requests, and the reaction to a model that rejects one of
 * them.
 */
import { describe, expect, it } from 'vitest';
import { lastText, type ProviderRequest, startFakeProvider } from '../support/fake-provider.ts';
import { startService } from '../support/workspace.ts';

const questionBody = {
  messages: '@agent within how many days are refunds paid?',
  toolParams: { namespace: 'docs' },
};
const files = { 'docs/shop.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n' };
const supported = 'Refunds are paid within 30 days of purchase. [1]';
/** The score alone cannot decide this sentence. */
const unsure = 'Refunds are paid to customers within 30 days of purchase by bank transfer. [1]';

type Body = ProviderRequest['body'];
/** @returns the error message of a rejection; undefined: the model answers */
type Refusal = (body: Body) => string | undefined;

const rejecting =
  (name: 'temperature' | 'max_tokens' | 'max_completion_tokens', message: string): Refusal =>
  (body) =>
    body[name] === undefined ? undefined : message;
const noTemperature = rejecting(
  'temperature',
  "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
);
const noMaxTokens = rejecting(
  'max_tokens',
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
);
const oneAfterTheOther =
  (...refusals: readonly Refusal[]): Refusal =>
  (body) =>
    refusals.map((refusal) => refusal(body)).find((message) => message !== undefined);

async function startRefusing(
  refusal: Refusal,
  settings: Record<string, string> = {},
  { status = 400, reply = supported }: { status?: number; reply?: string } = {},
) {
  const provider = await startFakeProvider();
  provider.reply((request, response) => {
    const message = refusal(request.body);
    if (message === undefined)
      return request.body.model === 'judge' || lastText(request).includes('"sentences"')
        ? '1: yes'
        : reply;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }));
    return undefined;
  });
  const { post, generate } = await startService(
    { LLM_BASE_URL: provider.baseUrl, LLM_MODEL: 'writer', ...settings },
    files,
  );
  const parameters = () =>
    provider.requests
      .splice(0)
      .map(({ body: { model, temperature, max_tokens, max_completion_tokens } }) =>
        JSON.parse(JSON.stringify({ model, temperature, max_tokens, max_completion_tokens })),
      );
  return { post, parameters, ask: async () => (await generate(questionBody)).body };
}

const writer = { model: 'writer', temperature: 0, max_tokens: 4_000 };

describe('every request to a model', () => {
  it('has temperature 0, also of a reasoning model, and a limit of 4,000 tokens', async () => {
    const models = ['gpt-5.4-mini', 'judge'];
    const settings = { LLM_MODEL: 'gpt-5.4-mini', JUDGE_MODEL: 'judge' };
    const { ask, parameters } = await startRefusing(() => undefined, settings, { reply: unsure });
    expect(await ask()).toMatchObject({ answered: true });
    expect(parameters()).toEqual(models.map((model) => ({ ...writer, model })));
  });

  it.each([
    ['50', { max_tokens: 50 }],
    ['0', {}],
  ])('has the limit of LLM_MAX_TOKENS=%s', async (LLM_MAX_TOKENS, limit) => {
    const { ask, parameters } = await startRefusing(() => undefined, { LLM_MAX_TOKENS });
    await ask();
    expect(parameters()).toEqual([{ model: 'writer', temperature: 0, ...limit }]);
  });
});

describe('a model that rejects a parameter', () => {
  it.each<[string, Refusal, number, object, number?]>([
    ['temperature', noTemperature, 2, { max_tokens: 4_000 }],
    ['max_tokens', noMaxTokens, 2, { temperature: 0, max_completion_tokens: 4_000 }, 422],
    [
      'both, one after the other',
      oneAfterTheOther(noMaxTokens, noTemperature),
      3,
      { max_completion_tokens: 4_000 },
    ],
  ])(
    'is called again without it and never receives it again: %s',
    async (_, refusal, requests, accepted, status = 400) => {
      const { post, ask, parameters } = await startRefusing(refusal, {}, { status });
      expect(await ask()).toMatchObject({ answered: true, model: 'writer' });
      const sent = parameters();
      expect(sent).toHaveLength(requests);
      expect(sent.at(-1)).toEqual({ model: 'writer', ...accepted });
      await post('/api/agents/knowledge/stream', questionBody);
      expect(parameters()).toEqual([{ model: 'writer', ...accepted }]);
    },
  );

  it('may be the fallback or the judge', async () => {
    const noWriter: Refusal = ({ model }) => (model === 'writer' ? 'another request' : undefined);
    const refusal = oneAfterTheOther(noWriter, noTemperature);
    const settings = { LLM_FALLBACK_MODEL: 'second', JUDGE_MODEL: 'judge' };
    const { ask, parameters } = await startRefusing(refusal, settings, { reply: unsure });
    for (const asked of [
      ['writer', 'second', 'second', 'judge', 'judge'],
      ['writer', 'second', 'judge'],
    ]) {
      expect(await ask()).toMatchObject({ answered: true, model: 'second' });
      expect(parameters().map(({ model }) => model)).toEqual(asked);
    }
  });

  it('is known to the judge if both are the same model', async () => {
    const settings = { JUDGE_MODEL: 'same' };
    const { ask, parameters } = await startRefusing(noTemperature, settings, { reply: unsure });
    expect(await ask()).toMatchObject({ answered: true });
    const { temperature: _, ...accepted } = writer;
    expect(parameters()).toEqual([writer, accepted, accepted]);
  });

  it('is called without a limit if it rejects both names, and the next question tries the limit again', async () => {
    const tooLarge = "'max_tokens' or 'max_completion_tokens' is too large: 1000.";
    const { ask, parameters } = await startRefusing(
      oneAfterTheOther(
        rejecting('max_tokens', tooLarge),
        rejecting('max_completion_tokens', tooLarge),
      ),
    );
    for (let time = 0; time < 2; time++) {
      expect(await ask()).toMatchObject({ answered: true });
      const { max_tokens: limit, ...rest } = writer;
      expect(parameters()).toEqual([writer, { ...rest, max_completion_tokens: limit }, rest]);
    }
  });
});

it('a rejection for another reason does not affect the next question, even if it names a parameter', async () => {
  let isRefused = true;
  const { ask, parameters } = await startRefusing(() =>
    isRefused ? 'no words on room temperature are allowed' : undefined,
  );
  expect(await ask()).toMatchObject({ code: 'model_failed' });
  expect(parameters()).toHaveLength(2);
  isRefused = false;
  await ask();
  expect(parameters()).toEqual([writer]);
});
