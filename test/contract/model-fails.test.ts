import { setTimeout as sleep } from 'node:timers/promises';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { MockLanguageModelV4 } from 'ai/test';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Replacements } from '../../src/context.ts';
import { createLogger } from '../../src/log.ts';
import type { ModelCall } from '../../src/models/model-call.ts';
import { ModelChain } from '../../src/models/model-chain.ts';
import {
  generated,
  problemsOf,
  type ReceivedAnswer,
  streamed,
} from '../support/answer-contract.ts';
import { cases } from '../support/depth.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { sentBy } from '../support/lie-stage.ts';
import { freePort } from '../support/postgres.ts';
import { faultMark, type ProviderFault, providerFaults } from '../support/provider-faults.ts';
import { event } from '../support/provider-wire.ts';
import { handbook, topics } from '../support/staged-handbook.ts';
import { startService, type TestService } from '../support/workspace.ts';

const isDeep = cases(1) > 1;
const { question } = topics[0]!;
const sentence = 'Full refunds are granted within 30 days of purchase';
const supported = `${sentence}. [1]`;
/** Few, as nearly every test starts a service. */
const files = { 'docs/refunds.md': handbook['docs/refunds.md']! };
const generatePath = '/api/agents/knowledge/generate';
const questionBody = { messages: `@agent ${question}`, toolParams: { namespace: 'docs' } };

/**
 * Short, so that a hanging request costs little time. A test that acts during the wait sets longer
 * times.
 */
const patience = {
  maxFailures: 3,
  firstPauseMs: 1,
  giveUpMs: 3_000,
  answerMs: 60_000,
  circuitPauseMs: 60_000,
};
/** The fallback model has the same time limits, which must suffice on a busy machine. */
const shortTimeouts = (fallback: unknown) =>
  fallback ? { firstPartMs: 3_000, wholeMs: 3_000 } : { firstPartMs: 400, wholeMs: 400 };
const longTimeouts = { firstPartMs: 60_000, wholeMs: 60_000 };
/** Ends early if the expected failure is a timeout, but not before the model is asked. */
const answerTimeFor = (code: RegExp) =>
  code.test('timeout') ? { patience: { answerMs: 5_000 } } : {};

interface Setup {
  readonly fallback?: FakeProvider;
  readonly isDegraded?: boolean;
  readonly settings?: Record<string, string>;
  readonly replacements?: Replacements;
}

async function startBefore(
  baseUrl: string,
  { fallback, isDegraded, settings, replacements }: Setup = {},
) {
  const calls: ModelCall[] = [];
  const service = await startService(
    {
      LLM_BASE_URL: baseUrl,
      LLM_API_KEY: 'sk-server-secret',
      LLM_MODEL: 'main',
      LLM_FALLBACK_MODEL: [fallback ? 'second' : '', isDegraded ? 'extractive' : ''].join(','),
      LLM_FALLBACK_BASE_URL: fallback?.baseUrl ?? '',
      ...settings,
    },
    files,
    {
      onModelCall: (call) => calls.push(call),
      ...replacements,
      patience: {
        ...patience,
        ...(fallback || isDegraded ? shortTimeouts(fallback) : longTimeouts),
        ...replacements?.patience,
      },
    },
  );
  return { service, calls };
}

interface Line {
  readonly level: string;
  readonly msg: string;
  readonly code?: string;
}

const ofModels = (lines: readonly Line[]) =>
  lines
    .filter(({ msg, code }) => msg.startsWith('The model') && code === undefined)
    .map(({ level, msg }) => [level, msg]);

function logged() {
  const lines: Line[] = [];
  return {
    lines,
    logger: createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }),
  };
}

async function failing({ wire }: ProviderFault) {
  const provider = await startFakeProvider();
  if (wire) provider.reply(wire);
  return { provider, baseUrl: wire ? provider.baseUrl : `http://127.0.0.1:${await freePort()}/v1` };
}

const questionRequest = (signal: AbortSignal): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(questionBody),
  signal,
});

const askFunctions = [
  { way: 'generate', ask: generated },
  { way: 'stream', ask: streamed },
];
type FaultCase = ProviderFault & (typeof askFunctions)[number];
const isSlow = ({ code }: FaultCase) => code.test('timeout');
const named = (name: string) => providerFaults.find((fault) => fault.name === name)!;

/** Fallbacks do not depend on the cause. */
const kinds = isDeep
  ? providerFaults
  : ['is down', 'hangs after its headers', 'a connection that breaks in the middle'].map(named);

/**
 * One test per fault, alternating between generate and stream, and one concurrent test of all
 * timeouts.
 */
function testFaults(
  outcome: string,
  of: readonly ProviderFault[],
  check: (fault: FaultCase) => Promise<void>,
): void {
  const faults = of.flatMap((fault, order) =>
    askFunctions
      .filter((_, way) => isDeep || fault.breaksOff || (order + way) % 2 === 0)
      .map((one) => ({ ...fault, ...one })),
  );
  it.each(faults.filter((fault) => !isSlow(fault)))(`$name, $way: ${outcome}`, check);
  it(`hangs or drips: ${outcome}`, async () =>
    void (await Promise.all(faults.filter(isSlow).map(check))));
}

function expectNoSecrets(answer: ReceivedAnswer, folder: string): void {
  for (const secret of ['evil', 'sk-server-secret', '127.0.0.1', folder, 'You answer questions'])
    expect(sentBy(answer)).not.toContain(secret);
  expect(sentBy(answer)).not.toContain(faultMark);
}

describe('a failing provider without a fallback', () => {
  testFaults(
    'returns an error code',
    providerFaults,
    async ({ ask, code, maxRequests, ...fault }) => {
      const { provider, baseUrl } = await failing({ ...fault, code, maxRequests });
      const { service, calls } = await startBefore(baseUrl, { replacements: answerTimeFor(code) });
      const answer = await ask(service, question);
      expect(answer.code).toMatch(code);
      expect(answer.text).toBe('');
      expectNoSecrets(answer, service.folder);
      expect(provider.requests.length).toBeLessThanOrEqual(maxRequests);
      expect(calls.map(({ model }) => model)).toEqual(calls.map(() => 'main'));
      await expect.poll(() => calls.length).toBeGreaterThan(0);
      expect(calls.map(({ outcome }) => outcome)).not.toContain('answered');
    },
  );
});

describe('a failing provider with a fallback model', () => {
  testFaults('the fallback answers and is named', kinds, async ({ ask, ...fault }) => {
    const { provider, baseUrl } = await failing(fault);
    const fallback = await startFakeProvider();
    fallback.reply(supported);
    const isLost = fault.breaksOff && ask === streamed;
    const { service, calls } = await startBefore(baseUrl, {
      fallback,
      replacements: isLost ? answerTimeFor(fault.code) : {},
    });
    const answer = await ask(service, question);
    if (isLost) {
      // The reader has seen a part of the answer, so the fallback is not called.
      expect(answer.code).toMatch(fault.code);
      expectNoSecrets(answer, service.folder);
      return;
    }
    expect(answer.body).toMatchObject({ answered: true, model: 'second' });
    expect(answer.body).not.toHaveProperty('degraded');
    expect(answer.text).toContain(sentence);
    expect(
      await problemsOf(answer, service, fallback.requests.at(-1), [
        'sk-server-secret',
        service.folder,
      ]),
    ).toEqual([]);
    expectNoSecrets(answer, service.folder);
    expect(provider.requests.length).toBeLessThanOrEqual(fault.maxRequests);
    expect(fallback.requests).toHaveLength(1);
    // The fallback's endpoint must not receive the key of the first.
    expect(fallback.requests[0]?.headers.authorization).not.toContain('sk-server-secret');
    await expect.poll(() => calls.map(({ model }) => model)).toContain('second');
  });
});

describe('a failing provider with degraded answers', () => {
  testFaults(
    'quotes the documents and marks the answer as degraded',
    kinds,
    async ({ ask, ...fault }) => {
      const { provider, baseUrl } = await failing(fault);
      const { service } = await startBefore(baseUrl, { isDegraded: true });
      const answer = await ask(service, question);
      expect(answer.body).toMatchObject({ reason: 'closest', model: 'extractive', degraded: true });
      expect(answer.text).toContain(sentence);
      expect(answer.toolCalls).toHaveLength(1);
      expect(
        await problemsOf(answer, service, undefined, ['sk-server-secret', service.folder]),
      ).toEqual([]);
      expectNoSecrets(answer, service.folder);
      expect(provider.requests.length).toBeLessThanOrEqual(fault.maxRequests);
    },
  );

  it('stores degraded answers as such, and counts unanswered questions not as gaps', async () => {
    const { baseUrl } = await failing(providerFaults[0]!);
    const { service } = await startBefore(baseUrl, { isDegraded: true });
    const { body } = await generated(service, question);
    expect((await service.get(`/api/answers/${body.runId}`)).body.answer).toMatchObject({
      degraded: true,
      model: 'extractive',
    });
    const unsure = await generated(service, 'which colour have annual plans?');
    expect(unsure.body).toMatchObject({ answered: false, degraded: true });
    expect((await service.get('/api/gaps')).body.gaps).toEqual([]);
  });
});

describe('a degraded answer is marked', () => {
  const messages = [{ id: '1', role: 'user', content: question }];
  const forwardedProps = { namespace: 'docs' };
  const run = { threadId: 't', runId: 'r', tools: [], context: [], state: {}, forwardedProps };
  const params = { name: 'askKnowledge', arguments: { question, namespace: 'docs' } };
  const model = 'knowledge/docs';
  let degraded: TestService;
  beforeAll(async () => {
    const { baseUrl } = await failing(providerFaults[0]!);
    ({ service: degraded } = await startBefore(baseUrl, { isDegraded: true }));
  });

  it.each<[string, object]>([
    ...['generate', 'stream', 'generate-legacy', 'stream-legacy'].map(
      (way) => [`/api/agents/knowledge/${way}`, questionBody] as [string, object],
    ),
    ['/api/chat/knowledge', { messages, namespace: 'docs' }],
    ['/v1/chat/completions', { model, messages }],
    ['/v1/chat/completions', { model, messages, stream: true }],
    ['/v1/responses', { model, input: question }],
    ['/v1/responses', { model, input: question, stream: true }],
    ['/api/agents/knowledge/ag-ui', { ...run, messages }],
    ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }],
  ])('in the response of %s: %#', async (path, body) => {
    const accept = 'application/json, text/event-stream';
    const answer = await degraded.send(path, body, { accept });
    expect(await answer.text()).toContain('"degraded":true');
  });
});

describe('the circuit breaker of a model', () => {
  it('opens after three consecutive failures and returns the pause; failures are no gaps', async () => {
    const provider = await startFakeProvider();
    provider.reply((_, response) => void response.writeHead(500).end() as undefined);
    const { service } = await startBefore(provider.baseUrl);
    expect((await generated(service, question)).code).toBe('model_failed');
    const { status, body, headers } = await service.post(generatePath, questionBody);
    expect([status, body.code]).toEqual([503, 'model_unavailable']);
    expect(headers.get('retry-after')).toMatch(/^(?:5\d|60)$/);
    expect((await streamed(service, question)).code).toBe('model_unavailable');
    expect(provider.requests).toHaveLength(3);
    expect((await service.get('/api/gaps')).body.gaps).toEqual([]);
  });

  it.each<[string, string, number, { firstPartMs?: number }?]>([
    ['the wrong key', 'status 401', 1],
    ['is down', 'ECONNREFUSED', 0],
    ['invalid JSON', 'a malformed or incomplete reply', 3],
    ['hangs without a byte', 'no first token within 0.03 seconds', 3, { firstPartMs: 30 }],
  ])(
    'logs its reason, and opens at once if the key is wrong: %s',
    async (name, reason, requests, timeouts = {}) => {
      const { provider, baseUrl } = await failing(named(name));
      const { lines, logger } = logged();
      const { service, calls } = await startBefore(baseUrl, {
        replacements: { logger, patience: timeouts },
      });
      for (let at = 0; at < 5; at++) await generated(service, question);
      expect(provider.requests).toHaveLength(requests);
      expect(calls[0]?.reason === 'first_token').toBe(name === 'hangs without a byte');
      expect(ofModels(lines)).toEqual([
        [
          'warn',
          `The model main is failing (${reason}). It is paused and retried every 60 seconds.`,
        ],
      ]);
      const away = lines.filter(
        ({ code, msg }) => code === 'model_unavailable' && msg !== 'request',
      );
      expect(away).toMatchObject([{ level: 'warn' }]);
      expect(away[0]).not.toHaveProperty('err');
      for (const secret of [faultMark, 'evil', 'sk-server-secret'])
        expect(JSON.stringify(lines)).not.toContain(secret);
    },
  );

  it('logs once that the model answers again', async () => {
    const { baseUrl, provider } = await failing(named('the wrong key'));
    const { lines, logger } = logged();
    const { service } = await startBefore(baseUrl, {
      replacements: { logger, patience: { circuitPauseMs: 0 } },
    });
    await generated(service, question);
    provider.reply(supported);
    for (let at = 0; at < 3; at++)
      expect((await generated(service, question)).body).toMatchObject({ answered: true });
    expect(ofModels(lines)).toEqual([
      ['warn', 'The model main is failing (status 401). It is paused and retried every 0 seconds.'],
      ['info', 'The model main answers again.'],
    ]);
  });

  it('counts a stalled reply, whose checked part is still shown', async () => {
    const provider = await startFakeProvider();
    const { service, calls } = await startBefore(provider.baseUrl, {
      replacements: { patience: { ...longTimeouts, stallMs: 50, maxFailures: 2 } },
    });
    for (let at = 0; at < 2; at++) {
      const coming = provider.nextLive();
      const answer = streamed(service, question);
      const live = await coming;
      live.say(`${supported} And also, `);
      await live.closed;
      const text = expect.stringContaining(sentence);
      expect(await answer).toMatchObject({ code: 'timeout', text });
    }
    expect(calls.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['failed', 'stall'],
      ['failed', 'stall'],
    ]);
    expect((await streamed(service, question)).code).toBe('model_unavailable');
  });

  it('does not open for rejected requests or callers who leave', async () => {
    const { provider, baseUrl } = await failing(named('a request that is too long'));
    const { service, calls } = await startBefore(baseUrl);
    for (let at = 0; at < 5; at++)
      expect((await generated(service, question)).code).toBe('model_failed');
    expect(calls.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'refused'));
    for (let at = 0; at < 5; at++) {
      const coming = provider.nextLive();
      const leaving = new AbortController();
      const pendingResponse = service.request(generatePath, questionRequest(leaving.signal));
      const live = await coming;
      leaving.abort();
      await live.closed;
      await (await pendingResponse).text();
    }
    provider.reply(supported);
    expect((await generated(service, question)).body).toMatchObject({ answered: true });
    expect(provider.requests).toHaveLength(11);
  });
});

it('a caller who leaves aborts the question and its retries', async () => {
  const provider = await startFakeProvider();
  const seen = Promise.withResolvers<void>();
  provider.reply((_, response) => {
    response.writeHead(429, { 'retry-after': '1' }).end();
    seen.resolve();
    return undefined;
  });
  const fallback = await startFakeProvider();
  fallback.reply(supported);
  const { service } = await startBefore(provider.baseUrl, { fallback, isDegraded: true });
  const leaving = new AbortController();
  const pendingResponse = service.request(generatePath, questionRequest(leaving.signal));
  await seen.promise;
  leaving.abort();
  await (await pendingResponse).text();
  await sleep(1_200);
  expect([provider.requests.length, fallback.requests.length]).toEqual([1, 0]);
});

it('a failed request is repeated, and has no tokens', async () => {
  const provider = await startFakeProvider();
  provider.reply((_, response) => {
    if (provider.requests.length > 1) return supported;
    response.writeHead(429).end();
    return undefined;
  });
  const { service, calls } = await startBefore(provider.baseUrl);
  expect((await generated(service, question)).body).toMatchObject({ answered: true });
  expect(calls).toMatchObject([
    { model: 'main', outcome: 'failed', inputTokens: 0, outputTokens: 0 },
    { model: 'main', outcome: 'answered', inputTokens: 11, outputTokens: 7 },
  ]);
});

it('a call without token counts is estimated by its characters', async () => {
  const provider = await startFakeProvider();
  provider.reply((request, response) => {
    const usage = JSON.stringify({ choices: [], usage: { prompt_tokens: 1e99 } });
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(
        `${event(request, { content: supported })}${event(request, {}, 'stop')}data: ${usage}\n\ndata: [DONE]\n\n`,
      );
    return undefined;
  });
  const { service, calls } = await startBefore(provider.baseUrl);
  await generated(service, question);
  expect(calls).toHaveLength(1);
  const [{ inputTokens, outputTokens }] = calls as [ModelCall];
  expect(outputTokens).toBe(Math.ceil(supported.length / 4));
  expect(inputTokens).toBeGreaterThan(100);
  expect(inputTokens).toBeLessThan(10_000);
});

it('a judge that fails three times in a row is paused, and its failures are counted', async () => {
  const provider = await startFakeProvider();
  const likely =
    'Full refunds are granted to customers within 30 days of purchase by bank transfer. [1]';
  provider.reply((request, response) => {
    if (request.body.model === 'main') return likely;
    response.writeHead(500).end();
    return undefined;
  });
  const { service, calls } = await startBefore(provider.baseUrl, {
    settings: { JUDGE_MODEL: 'judge' },
  });
  for (let at = 0; at < 5; at++) expect((await generated(service, question)).status).toBe(200);
  const judged = provider.requests.filter(({ body }) => body.model === 'judge');
  expect(judged).toHaveLength(3);
  const outcomes = calls.flatMap(({ model, outcome }) => (model === 'judge' ? outcome : []));
  expect(outcomes).toEqual(['failed', 'failed', 'failed']);
});

describe('the first token', () => {
  type Part = LanguageModelV4StreamPart;
  const started: Part = { type: 'stream-start', warnings: [] };
  const thought = (reasoning: string): Part => ({
    type: 'raw',
    rawValue: { choices: [{ delta: { reasoning_content: reasoning } }] },
  });

  /** @returns the result of a model call one second after these parts were sent */
  async function resultAfterOneSecond(...parts: Part[]) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const stream = new ReadableStream<Part>({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
      },
    });
    const model = new MockLanguageModelV4({ doStream: { stream } });
    const chain = new ModelChain({
      models: [{ role: 'main', model }],
      hasFallbackAnswerer: false,
      onCall: () => undefined,
      onCircuit: () => undefined,
      patience: { firstPartMs: 1_000, stallMs: 60_000 },
    });
    const reply = chain.for({}).doStream({ prompt: [] });
    const result = reply.then(
      () => 'begun',
      (error: Error) => error.message,
    );
    await vi.advanceTimersByTimeAsync(1_000);
    return result;
  }

  it('does not include an empty text, which some servers send before the model starts', async () => {
    const empty = { type: 'text-delta', id: '0', delta: '' } satisfies Part;
    expect(await resultAfterOneSecond(started, empty, thought(''))).toBe(
      'The model sent no first token within 1 second.',
    );
  });

  it.each([
    ['a text', { type: 'text-delta', id: '0', delta: 'Full' } satisfies Part],
    ['a reasoning part that the SDK omits', thought('The user asks')],
  ])('may be %s', async (_, part) => {
    expect(await resultAfterOneSecond(started, part)).toBe('begun');
  });
});
