/**
 * Temperature and token limit of model requests, and the reaction to a model that rejects one of
 * them.
 */
import { expect, it } from 'vitest';
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
type Settings = Readonly<Record<string, string>>;

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

async function startRefusing(refusal: Refusal, settings: Settings = {}, status = 400) {
  const reply = 'JUDGE_MODEL' in settings ? unsure : supported;
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
  const { generate } = await startService(
    { LLM_BASE_URL: provider.baseUrl, LLM_MODEL: 'writer', ...settings },
    files,
  );
  const parameters = () =>
    provider.requests
      .splice(0)
      .map(({ body: { model, temperature, max_tokens, max_completion_tokens } }) =>
        JSON.parse(JSON.stringify({ model, temperature, max_tokens, max_completion_tokens })),
      );
  return { parameters, ask: async () => (await generate(questionBody)).body };
}

const writer = { model: 'writer', temperature: 0, max_tokens: 4_000 };
const warm = { model: 'writer', max_tokens: 4_000 };
const renamed = { model: 'writer', temperature: 0, max_completion_tokens: 4_000 };
const unlimited = { model: 'writer', temperature: 0 };
const both = { model: 'writer', max_completion_tokens: 4_000 };
const none: Refusal = () => undefined;
const tooLarge = "'max_tokens' or 'max_completion_tokens' is too large: 1000.";

it.each<[string, Refusal, Settings, readonly (readonly object[])[]]>([
  [
    'a request has temperature 0, also of a reasoning model, and a limit of 4,000 tokens',
    none,
    { LLM_MODEL: 'gpt-5.4-mini', JUDGE_MODEL: 'judge' },
    [['gpt-5.4-mini', 'judge'].map((model) => ({ ...writer, model }))],
  ],
  [
    'a request has the limit of LLM_MAX_TOKENS',
    none,
    { LLM_MAX_TOKENS: '50' },
    [[{ ...unlimited, max_tokens: 50 }]],
  ],
  ['LLM_MAX_TOKENS=0 sends no limit', none, { LLM_MAX_TOKENS: '0' }, [[unlimited]]],
  [
    'a model that rejects the temperature never receives it again',
    noTemperature,
    {},
    [[writer, warm], [warm]],
  ],
  [
    'a model that rejects max_tokens receives the other name',
    noMaxTokens,
    {},
    [[writer, renamed], [renamed]],
  ],
  [
    'a model may reject both, one after the other',
    oneAfterTheOther(noMaxTokens, noTemperature),
    {},
    [[writer, renamed, both], [both]],
  ],
  [
    'the judge knows what the same model has rejected',
    noTemperature,
    { JUDGE_MODEL: 'same' },
    [[writer, warm, warm]],
  ],
  [
    'a model that rejects both names gets no limit, and the next question tries it again',
    oneAfterTheOther(
      rejecting('max_tokens', tooLarge),
      rejecting('max_completion_tokens', tooLarge),
    ),
    {},
    [
      [writer, renamed, unlimited],
      [writer, renamed, unlimited],
    ],
  ],
])('%s', async (_, refusal, settings, sent) => {
  const { ask, parameters } = await startRefusing(refusal, settings);
  for (const requests of sent) {
    expect(await ask()).toMatchObject({ answered: true });
    expect(parameters()).toEqual(requests);
  }
});

it('a status 422 is a rejection too', async () => {
  const { ask, parameters } = await startRefusing(noMaxTokens, {}, 422);
  expect(await ask()).toMatchObject({ answered: true });
  expect(parameters()).toEqual([writer, renamed]);
});

it('a fallback and a judge may reject a parameter', async () => {
  const noWriter: Refusal = ({ model }) => (model === 'writer' ? 'another request' : undefined);
  const refusal = oneAfterTheOther(noWriter, noTemperature);
  const settings = { LLM_FALLBACK_MODEL: 'second', JUDGE_MODEL: 'judge' };
  const { ask, parameters } = await startRefusing(refusal, settings);
  for (const asked of [
    ['writer', 'second', 'second', 'judge', 'judge'],
    ['writer', 'second', 'judge'],
  ]) {
    expect(await ask()).toMatchObject({ answered: true, model: 'second' });
    expect(parameters().map(({ model }) => model)).toEqual(asked);
  }
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
