import { setTimeout as sleep } from 'node:timers/promises';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ModelCall } from '../../src/agent/model-call.ts';
import { createModelChain } from '../../src/agent/model-chain.ts';
import type { Replacements } from '../../src/compose.ts';
import { createLogger } from '../../src/log.ts';
import { generated, problemsOf, type ReceivedAnswer, streamed } from '../support/answer-contract.ts';
import { cases } from '../support/depth.ts';
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts';
import { sentBy } from '../support/lie-stage.ts';
import { freePort } from '../support/postgres.ts';
import { faultMark, type ProviderFault, providerFaults } from '../support/provider-faults.ts';
import { event } from '../support/provider-wire.ts';
import { handbook, topics } from '../support/staged-handbook.ts';
import { whenDone } from '../support/when-done.ts';
import { startService, type TestService } from '../support/workspace.ts';

const isDeep = cases(1) > 1;
const { question } = topics[0]!;
const sentence = 'Full refunds are granted within 30 days of purchase';
const honest = `${sentence}. [1]`;
const asked = { messages: `@agent ${question}`, toolParams: { namespace: 'docs' } };

async function newProvider(): Promise<FakeProvider> {
  const provider = await startFakeProvider();
  whenDone(() => provider.close());
  return provider;
}

/** Short, so that what hangs takes no time; where something has to be done meanwhile, a busy machine has all it needs. */
const patience = {
  maxFailures: 3,
  firstPauseMs: 1,
  giveUpMs: 3_000,
  answerMs: 60_000,
  circuitPauseMs: 60_000,
};
/** With another model, that one has as much time, which a busy machine has to keep to. */
const impatient = (fallback: unknown) => (fallback ? { firstPartMs: 3_000, wholeMs: 3_000 } : { firstPartMs: 400, wholeMs: 400 });
const patient = { firstPartMs: 60_000, wholeMs: 60_000 };
/** Where a failure is that the time is up. */
const upTo = (code: RegExp) => (code.test('timeout') ? { patience: { answerMs: 2_500 } } : {});

interface Setup {
  readonly fallback?: FakeProvider;
  readonly isDegraded?: boolean;
  readonly settings?: Record<string, string>;
  readonly replacements?: Replacements;
}

async function startBefore(baseUrl: string, { fallback, isDegraded, settings, replacements }: Setup = {}) {
  const calls: ModelCall[] = [];
  const service = await startService(
    {
      LLM_BASE_URL: baseUrl,
      LLM_API_KEY: 'sk-server-secret',
      LLM_MODEL: 'main',
      ...(fallback ? { LLM_FALLBACK_MODEL: 'second', LLM_FALLBACK_BASE_URL: fallback.baseUrl } : {}),
      ...(isDegraded ? { DEGRADED_ANSWERS: 'true' } : {}),
      ...settings,
    },
    handbook,
    {
      onModelCall: (call) => calls.push(call),
      ...replacements,
      patience: { ...patience, ...(fallback || isDegraded ? impatient(fallback) : patient), ...replacements?.patience },
    },
  );
  return { service, calls };
}

interface Line {
  readonly level: string;
  readonly msg: string;
}

const ofModels = (lines: readonly Line[]) => lines.filter(({ msg }) => msg.startsWith('The model')).map(({ level, msg }) => [level, msg]);

/** Lines of the log, read back. */
function logged() {
  const lines: Line[] = [];
  return { lines, logger: createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }) };
}

async function failing({ wire }: ProviderFault) {
  const provider = await newProvider();
  if (wire) provider.reply(wire);
  return { provider, baseUrl: wire ? provider.baseUrl : `http://127.0.0.1:${await freePort()}/v1` };
}

const askedOf = (init: RequestInit = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(asked),
  ...init,
});

const asks = [
  { way: 'whole', ask: generated },
  { way: 'streamed', ask: streamed },
];
type AskedFault = ProviderFault & (typeof asks)[number];
const isSlow = ({ code }: AskedFault) => code.test('timeout');
const named = (name: string) => providerFaults.find((fault) => fault.name === name)!;

/** One fault of each outcome: what comes after a failure does not look at its cause. */
const kinds = isDeep ? providerFaults : [...new Map(providerFaults.map((fault) => [`${fault.code}${fault.breaksOff}`, fault])).values()];

/** A test of each fault, whole or streamed in turn, and one of all that end by a timeout: they are waited for together. */
function itOfFaults(outcome: string, of: readonly ProviderFault[], check: (fault: AskedFault) => Promise<void>): void {
  const faults = of.flatMap((fault, order) =>
    asks.filter((_, way) => isDeep || fault.breaksOff || (order + way) % 2 === 0).map((one) => ({ ...fault, ...one })),
  );
  it.each(faults.filter((fault) => !isSlow(fault)))(`$name, $way: ${outcome}`, check);
  it(`hangs or drips: ${outcome}`, async () => void (await Promise.all(faults.filter(isSlow).map(check))));
}

/** Nothing of what the provider said, and nothing of the server. */
function expectNothingTold(told: ReceivedAnswer, folder: string): void {
  for (const secret of ['evil', 'sk-server-secret', '127.0.0.1', folder, 'You answer questions'])
    expect(sentBy(told)).not.toContain(secret);
  expect(sentBy(told)).not.toContain(faultMark);
}

describe('a provider that fails, and nobody beside it', () => {
  itOfFaults('an error with a code', providerFaults, async ({ ask, code, maxRequests, ...fault }) => {
    const { provider, baseUrl } = await failing({ ...fault, code, maxRequests });
    const { service, calls } = await startBefore(baseUrl, { replacements: upTo(code) });
    const told = await ask(service, question);
    expect(told.code).toMatch(code);
    expect(told.text).toBe('');
    expectNothingTold(told, service.folder);
    expect(provider.requests.length).toBeLessThanOrEqual(maxRequests);
    expect(calls.map(({ model }) => model)).toEqual(calls.map(() => 'main'));
    await vi.waitFor(() => expect(calls.length).toBeGreaterThan(0));
    expect(calls.map(({ outcome }) => outcome)).not.toContain('answered');
  });

  it.each(providerFaults.filter(({ retryAfter }) => retryAfter !== undefined))('$name tells when to come back', async (fault) => {
    const { baseUrl } = await failing(fault);
    const { service } = await startBefore(baseUrl);
    const { status, headers } = await service.post('/api/agents/knowledge/generate', asked);
    expect([status, headers.get('retry-after')]).toEqual([503, fault.retryAfter]);
  });
});

describe('a provider that fails, and a model beside it', () => {
  itOfFaults('the other one answers, and is named', kinds, async ({ ask, ...fault }) => {
    const { provider, baseUrl } = await failing(fault);
    const fallback = await newProvider();
    fallback.reply(honest);
    const isLost = fault.breaksOff && ask === streamed;
    const { service, calls } = await startBefore(baseUrl, { fallback, replacements: isLost ? upTo(fault.code) : {} });
    const told = await ask(service, question);
    if (isLost) {
      // Something of it was handed on, so nobody else is asked.
      expect(told.code).toMatch(fault.code);
      expectNothingTold(told, service.folder);
      return;
    }
    expect(told.body).toMatchObject({ answered: true, model: 'second' });
    expect(told.body).not.toHaveProperty('degraded');
    expect(told.text).toContain(sentence);
    expect(await problemsOf(told, service, fallback.requests.at(-1), ['sk-server-secret', service.folder])).toEqual([]);
    expectNothingTold(told, service.folder);
    expect(provider.requests.length).toBeLessThanOrEqual(fault.maxRequests);
    expect(fallback.requests).toHaveLength(1);
    // The other endpoint has no business with the key of the first.
    expect(fallback.requests[0]?.headers.authorization).not.toContain('sk-server-secret');
    await vi.waitFor(() => expect(calls.map(({ model }) => model)).toContain('second'));
  });

  it('and with the key that is for it', async () => {
    const fallback = await newProvider();
    fallback.reply(honest);
    const { baseUrl } = await failing(providerFaults[0]!);
    const { service } = await startBefore(baseUrl, { fallback, settings: { LLM_FALLBACK_API_KEY: 'sk-for-the-second' } });
    await generated(service, question);
    expect(fallback.requests[0]?.headers.authorization).toBe('Bearer sk-for-the-second');
  });

  it('of the same endpoint, with its key', async () => {
    const provider = await newProvider();
    provider.reply((request, response) => {
      if (request.body.model === 'second') return honest;
      response.writeHead(500).end();
      return undefined;
    });
    const { service } = await startBefore(provider.baseUrl, { settings: { LLM_FALLBACK_MODEL: 'second' } });
    expect((await generated(service, question)).body).toMatchObject({ answered: true, model: 'second' });
    expect(provider.requests.at(-1)?.headers.authorization).toBe('Bearer sk-server-secret');
  });
});

describe('a provider that fails, where answers may be degraded', () => {
  itOfFaults('sentences of the documents answer, and say so', kinds, async ({ ask, ...fault }) => {
    const { provider, baseUrl } = await failing(fault);
    const { service } = await startBefore(baseUrl, { isDegraded: true });
    const told = await ask(service, question);
    expect(told.body).toMatchObject({ answered: true, model: 'extractive', degraded: true });
    expect(told.text).toContain(sentence);
    expect(told.toolCalls).toHaveLength(1);
    expect(await problemsOf(told, service, undefined, ['sk-server-secret', service.folder])).toEqual([]);
    expectNothingTold(told, service.folder);
    expect(provider.requests.length).toBeLessThanOrEqual(fault.maxRequests);
  });

  it('is kept as such; where it is none, the documents are not to blame', async () => {
    const { baseUrl } = await failing(providerFaults[0]!);
    const { service } = await startBefore(baseUrl, { isDegraded: true });
    const { body } = await generated(service, question);
    expect((await service.get(`/api/answers/${body.runId}`)).body.answer).toMatchObject({ degraded: true, model: 'extractive' });
    const unsure = await generated(service, 'which colour have annual plans?');
    expect(unsure.body).toMatchObject({ answered: false, degraded: true });
    expect((await service.get('/api/gaps')).body.gaps).toEqual([]);
  });

  it('whom a sentence was shown to reads no other answer', async () => {
    const provider = await newProvider();
    const { service } = await startBefore(provider.baseUrl, {
      isDegraded: true,
      replacements: { patience: { ...patient, giveUpMs: 60_000 } },
    });
    const coming = provider.nextLive();
    const response = await service.request('/api/agents/knowledge/stream', askedOf());
    const live = await coming;
    live.say(`${honest} And what is more, `);
    let read = '';
    for await (const bytes of response.body!) {
      read += Buffer.from(bytes).toString();
      if (read.includes('"text-delta"') && !read.includes('"error"')) live.fail(faultMark);
    }
    expect(read).toContain(`"text":"${sentence}`);
    expect(read).toContain('"code":"model_failed"');
    expect(read).not.toMatch(/degraded|evil/);
  });

  it('what was asked for a tool is looked up all the same', async () => {
    const { baseUrl } = await failing(providerFaults[0]!);
    const settings = { CALLS_TOOLS: 'true', API_KEYS: 'app-key', CALLS_TRUSTED_KEYS: 'app-key' };
    const { service } = await startBefore(baseUrl, { isDegraded: true, settings });
    const calls = { ...asked, messages: '@agent which calls did I miss?' };
    const headers = { 'x-api-key': 'app-key', onBehalfOf: 'ana' };
    const { body } = await service.post('/api/agents/knowledge/generate', calls, headers);
    expect(body).toMatchObject({ degraded: true, model: 'extractive' });
    expect(body.toolCalls.map(({ toolName }: { toolName: string }) => toolName)).toContain('listCalls');
  });
});

describe('a degraded answer says so in every dialect', () => {
  const messages = [{ role: 'user', content: question }];
  const run = { threadId: 't', runId: 'r', tools: [], context: [], state: {}, forwardedProps: { namespace: 'docs' } };
  const sent = { message: { messageId: '1', parts: [{ text: question }], metadata: { namespace: 'docs' } } };
  const rpc = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
  const chat = { messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: question }] }], namespace: 'docs' };
  let degraded: TestService;
  let sound: TestService;
  beforeAll(async () => {
    const { baseUrl } = await failing(providerFaults[0]!);
    ({ service: degraded } = await startBefore(baseUrl, { isDegraded: true }));
    const provider = await newProvider();
    provider.reply(honest);
    const replacements = { patience: { ...patient, giveUpMs: 60_000 } };
    ({ service: sound } = await startBefore(provider.baseUrl, { isDegraded: true, replacements }));
  });

  it.each<[string, string, object]>([
    ...['generate', 'stream', 'generate-legacy', 'stream-legacy'].map(
      (way) => [way, `/api/agents/knowledge/${way}`, asked] as [string, string, object],
    ),
    ['AI SDK', '/api/chat/knowledge', chat],
    ['chat completions', '/v1/chat/completions', { model: 'knowledge/docs', messages }],
    ['chat completions, streamed', '/v1/chat/completions', { model: 'knowledge/docs', messages, stream: true }],
    ['responses', '/v1/responses', { model: 'knowledge/docs', input: question }],
    ['responses, streamed', '/v1/responses', { model: 'knowledge/docs', input: question, stream: true }],
    ['AG-UI', '/api/agents/knowledge/ag-ui', { ...run, messages: [{ id: '1', ...messages[0] }] }],
    ['A2A', '/a2a', rpc('SendMessage', sent)],
    ['A2A, streamed', '/a2a', rpc('message/stream', sent)],
    ['MCP', '/mcp', rpc('tools/call', { name: 'askKnowledge', arguments: { question, namespace: 'docs' } })],
  ])('%s', async (_, path, body) => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const textOf = async ({ request }: TestService) => (await request(path, askedOf({ headers, body: JSON.stringify(body) }))).text();
    expect(await textOf(degraded)).toContain('"degraded":true');
    const text = await textOf(sound);
    expect(text).toContain(sentence);
    expect(text).not.toContain('degraded');
  });
});

describe('the circuit of a model', () => {
  it('opens after three failures in a row, says how long, and closes by itself', async () => {
    const provider = await newProvider();
    provider.reply((_, response) => void response.writeHead(500).end() as undefined);
    const { service } = await startBefore(provider.baseUrl, { replacements: { patience: { circuitPauseMs: 1_500 } } });
    expect((await generated(service, question)).code).toBe('model_failed');
    expect(provider.requests).toHaveLength(3);
    const { status, body, headers } = await service.post('/api/agents/knowledge/generate', asked);
    expect([status, body.code]).toEqual([503, 'model_unavailable']);
    expect(['1', '2']).toContain(headers.get('retry-after'));
    expect((await streamed(service, question)).code).toBe('model_unavailable');
    expect(provider.requests).toHaveLength(3);
    provider.reply(honest);
    await vi.waitFor(async () => expect((await generated(service, question)).body).toMatchObject({ answered: true, model: 'main' }), {
      timeout: 20_000,
      interval: 200,
    });
    expect(provider.requests).toHaveLength(4);
    expect((await streamed(service, question)).body).toMatchObject({ answered: true });
  });

  it.each(asks)('opens after five calls without a first token, $way', async ({ ask }) => {
    const provider = await newProvider();
    provider.reply(async () => undefined);
    const { lines, logger } = logged();
    const { service, calls } = await startBefore(provider.baseUrl, {
      replacements: { logger, patience: { maxFailures: 5, firstPartMs: 30 } },
    });
    for (let at = 0; at < 5; at++) expect((await ask(service, question)).code).toBe('timeout');
    expect((await ask(service, question)).code).toBe('model_unavailable');
    expect(calls.map(({ outcome, reason }) => [outcome, reason])).toEqual(Array.from({ length: 5 }, () => ['failed', 'first_token']));
    expect(ofModels(lines)).toEqual([
      ['warn', 'The model main is failing (no first token within 0.03 seconds). It is paused and retried every 60 seconds.'],
    ]);
  });

  it.each([
    ['the wrong key', 'status 401'],
    ['429', 'status 429'],
    ['500', 'status 500'],
    ['is down', 'ECONNREFUSED'],
    ['no JSON', 'a malformed or incomplete reply'],
  ])('names in the log why it opened: %s', async (name, reason) => {
    const { baseUrl } = await failing(named(name));
    const { lines, logger } = logged();
    const { service } = await startBefore(baseUrl, { replacements: { logger, patience: { maxFailures: 1 } } });
    await generated(service, question);
    expect(ofModels(lines)).toEqual([['warn', `The model main is failing (${reason}). It is paused and retried every 60 seconds.`]]);
    for (const secret of [faultMark, 'evil', 'sk-server-secret']) expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('logs once that a model answers again', async () => {
    const { baseUrl, provider } = await failing(named('the wrong key'));
    const { lines, logger } = logged();
    const { service } = await startBefore(baseUrl, { replacements: { logger, patience: { circuitPauseMs: 0 } } });
    await generated(service, question);
    provider.reply(honest);
    for (let at = 0; at < 3; at++) expect((await generated(service, question)).body).toMatchObject({ answered: true });
    expect(ofModels(lines)).toEqual([
      ['warn', 'The model main is failing (status 401). It is paused and retried every 0 seconds.'],
      ['info', 'The model main answers again.'],
    ]);
  });

  it('counts a reply that stalls, and shows what was checked before', async () => {
    const provider = await newProvider();
    const { service, calls } = await startBefore(provider.baseUrl, {
      replacements: { patience: { ...patient, stallMs: 50, maxFailures: 2 } },
    });
    for (let at = 0; at < 2; at++) {
      const coming = provider.nextLive();
      const told = streamed(service, question);
      const live = await coming;
      live.say(`${honest} And also, `);
      await live.closed;
      expect(await told).toMatchObject({ code: 'timeout', text: expect.stringContaining(sentence) });
    }
    expect(calls.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['failed', 'stall'],
      ['failed', 'stall'],
    ]);
    expect((await streamed(service, question)).code).toBe('model_unavailable');
  });

  it('calls the next model if a reply stalls that no reader has seen', async () => {
    const provider = await newProvider();
    const fallback = await newProvider();
    fallback.reply(honest);
    const { service } = await startBefore(provider.baseUrl, { fallback, replacements: { patience: { ...patient, stallMs: 50 } } });
    const coming = provider.nextLive();
    const told = generated(service, question);
    (await coming).say(`${honest} And also, `);
    expect((await told).body).toMatchObject({ answered: true, model: 'second' });
  });

  it('opens at once where the key is wrong', async () => {
    const { provider, baseUrl } = await failing(named('the wrong key'));
    const { service } = await startBefore(baseUrl);
    expect((await generated(service, question)).code).toBe('model_failed');
    expect((await generated(service, question)).code).toBe('model_unavailable');
    expect(provider.requests).toHaveLength(1);
  });

  it('does not open for requests that a model refuses, nor for callers who leave', async () => {
    const { provider, baseUrl } = await failing(named('a request that is too long'));
    const { service, calls } = await startBefore(baseUrl);
    for (let at = 0; at < 5; at++) expect((await generated(service, question)).code).toBe('model_failed');
    expect(calls.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 5 }, () => 'refused'));
    for (let at = 0; at < 5; at++) {
      const coming = provider.nextLive();
      const leaving = new AbortController();
      const left = service.request('/api/agents/knowledge/generate', askedOf({ signal: leaving.signal }));
      const live = await coming;
      leaving.abort();
      await live.closed;
      await left.then((response) => response.text());
    }
    provider.reply(honest);
    expect((await generated(service, question)).body).toMatchObject({ answered: true });
    expect(provider.requests).toHaveLength(11);
  });
});

it('a caller who leaves ends the question, retries and all', async () => {
  const provider = await newProvider();
  const seen = Promise.withResolvers<void>();
  provider.reply((_, response) => {
    response.writeHead(429, { 'retry-after': '1' }).end();
    seen.resolve();
    return undefined;
  });
  const fallback = await newProvider();
  fallback.reply(honest);
  const { service } = await startBefore(provider.baseUrl, { fallback, isDegraded: true });
  const leaving = new AbortController();
  const left = service.request('/api/agents/knowledge/generate', askedOf({ signal: leaving.signal }));
  await seen.promise;
  leaving.abort();
  await left.then((response) => response.text());
  await sleep(1_500);
  expect([provider.requests.length, fallback.requests.length]).toEqual([1, 0]);
});

it('a short Retry-After is waited for', async () => {
  const provider = await newProvider();
  provider.reply((_, response) => {
    if (provider.requests.length > 1) return honest;
    response.writeHead(429, { 'retry-after': '1' }).end();
    return undefined;
  });
  const { service, calls } = await startBefore(provider.baseUrl, {});
  expect((await generated(service, question)).body).toMatchObject({ answered: true, model: 'main' });
  expect(calls).toMatchObject([
    { model: 'main', outcome: 'failed', inputTokens: 0, outputTokens: 0 },
    { model: 'main', outcome: 'answered', inputTokens: 11, outputTokens: 7 },
  ]);
});

it('a call whose tokens nobody tells is counted by its characters', async () => {
  const provider = await newProvider();
  provider.reply((request, response) => {
    const usage = JSON.stringify({ choices: [], usage: { prompt_tokens: 1e99 } });
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`${event(request, { content: honest })}${event(request, {}, 'stop')}data: ${usage}\n\ndata: [DONE]\n\n`);
    return undefined;
  });
  const { service, calls } = await startBefore(provider.baseUrl);
  await generated(service, question);
  expect(calls).toHaveLength(1);
  const [{ inputTokens, outputTokens }] = calls as [ModelCall];
  expect(outputTokens).toBe(Math.ceil(honest.length / 4));
  expect(inputTokens).toBeGreaterThan(100);
  expect(inputTokens).toBeLessThan(10_000);
});

it('a judge that fails three times in a row is left alone, and is told of as any model', async () => {
  const provider = await newProvider();
  const likely = 'Full refunds are granted to customers within 30 days of purchase by bank transfer. [1]';
  provider.reply((request, response) => {
    if (request.body.model === 'main') return likely;
    response.writeHead(500).end();
    return undefined;
  });
  const { service, calls } = await startBefore(provider.baseUrl, { settings: { JUDGE_MODEL: 'judge' } });
  for (let at = 0; at < 5; at++) expect((await generated(service, question)).status).toBe(200);
  const judged = provider.requests.filter(({ body }) => body.model === 'judge');
  expect(judged).toHaveLength(3);
  expect(calls.filter(({ model }) => model === 'judge').map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
});

describe('the first token', () => {
  type Part = LanguageModelV4StreamPart;
  const started: Part = { type: 'stream-start', warnings: [] };
  const thought = (reasoning: string): Part => ({ type: 'raw', rawValue: { choices: [{ delta: { reasoning_content: reasoning } }] } });

  /** @returns the reply of a model that has sent these parts, one second later */
  async function aSecondAfter(...parts: Part[]) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const stream = new ReadableStream<Part>({
      start(controller) {
        for (const part of parts) controller.enqueue(part);
      },
    });
    const noGenerate = () => Promise.reject(new Error('every reply is streamed'));
    const model = { specificationVersion: 'v4', provider: 'p', modelId: 'm', supportedUrls: {}, doGenerate: noGenerate } as const;
    const chain = createModelChain({
      models: [{ role: 'main', model: { ...model, doStream: async () => ({ stream }) } }],
      hasStandIn: false,
      onCall: () => undefined,
      onCircuit: () => undefined,
      patience: { firstPartMs: 1_000, stallMs: 60_000 },
    });
    const reply = chain.for({}).doStream({ prompt: [] });
    const told = reply.then(
      () => 'begun',
      (error: Error) => error.message,
    );
    await vi.advanceTimersByTimeAsync(1_000);
    return told;
  }

  it('is not an empty text, which servers send before the model has begun', async () => {
    const empty: Part[] = [started, { type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: '' }, thought('')];
    expect(await aSecondAfter(...empty)).toBe('The model sent no first token within 1 second.');
  });

  it.each([
    ['a text', { type: 'text-delta', id: '0', delta: 'Full' } satisfies Part],
    ['a thought that the SDK leaves out', thought('The user asks')],
  ])('is %s', async (_, part) => {
    expect(await aSecondAfter(started, part)).toBe('begun');
  });
});
