import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Replacements } from '../../src/context.ts';
import { dialects } from '../../src/http/agents/agent-routes.ts';
import { createLogger } from '../../src/log.ts';
import type { ModelCall } from '../../src/models/model-call.ts';
import {
  generated,
  problemsOf,
  type ReceivedAnswer,
  streamed,
} from '../support/answer-contract.ts';
import { cases } from '../support/depth.ts';
import { type FakeProvider, type Script, startFakeProvider } from '../support/fake-provider.ts';
import { sentBy } from '../support/lie-stage.ts';
import { bodiesFor, mcpCall } from '../support/operation-bodies.ts';
import { freePort } from '../support/postgres.ts';
import { faultMark, type ProviderFault, providerFaults } from '../support/provider-faults.ts';
import { event, sse } from '../support/provider-wire.ts';
import { handbook, topics } from '../support/staged-handbook.ts';
import { sharedBy, startService, type TestService } from '../support/workspace.ts';

const isDeep = cases(1) > 1;
const { question } = topics[0]!;
const sentence = 'Full refunds are granted within 30 days of purchase';
const supported = `${sentence}. [1]`;
const questionBody = { messages: `@agent ${question}`, toolParams: { namespace: 'docs' } };

type Patience = NonNullable<Replacements['patience']>;
/**
 * Short, so that a hanging request costs little time. A test that acts during the wait sets longer
 * times.
 */
const shortPatience: Patience = {
  maxFailures: 3,
  firstPauseMs: 1,
  giveUpMs: 3_000,
  answerMs: 60_000,
  circuitPauseMs: 60_000,
};
const timeouts = (ms: number): Patience => ({ firstPartMs: ms, wholeMs: ms });
const longTimeouts = timeouts(60_000);
/** Ends early if the expected failure is a timeout, but not before the model is asked. */
const patienceFor = (code: RegExp): Patience => (code.test('timeout') ? { answerMs: 8_000 } : {});

interface Setup {
  readonly fallback?: FakeProvider;
  readonly isDegraded?: boolean;
  readonly settings?: Record<string, string>;
  readonly patience?: Patience;
}

async function startBefore(
  baseUrl: string,
  { fallback, isDegraded, settings, patience }: Setup = {},
) {
  const calls: ModelCall[] = [];
  const lines: Line[] = [];
  // The fallback model has the same time limits, which must suffice on a busy machine.
  const short = fallback ? timeouts(3_000) : timeouts(400);
  const service = await startService(
    {
      LLM_BASE_URL: baseUrl,
      LLM_API_KEY: 'sk-server-secret',
      LLM_MODEL: 'main',
      LLM_FALLBACK_MODEL: [fallback ? 'second' : '', isDegraded ? 'extractive' : ''].join(','),
      LLM_FALLBACK_BASE_URL: fallback?.baseUrl ?? '',
      ...settings,
    },
    handbook,
    {
      onModelCall: (call) => calls.push(call),
      logger: createLogger('info', { write: (line) => void lines.push(JSON.parse(line)) }),
      patience: {
        ...shortPatience,
        ...(fallback || isDegraded ? short : longTimeouts),
        ...patience,
      },
    },
  );
  return { service, calls, lines };
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

async function providing(script: string | Script) {
  const provider = await startFakeProvider();
  provider.reply(script);
  return provider;
}

async function failing({ wire }: ProviderFault) {
  const provider = await providing(wire ?? 'unreachable');
  return { provider, baseUrl: wire ? provider.baseUrl : `http://127.0.0.1:${await freePort()}/v1` };
}

/** Asks, until the caller leaves. */
function askUntilLeft({ request }: TestService) {
  const leaving = new AbortController();
  const response = request('/api/agents/knowledge/generate', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(questionBody),
    signal: leaving.signal,
  });
  return async () => {
    leaving.abort();
    await (await response).text();
  };
}

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
  : ['is down', 'hangs after its headers', '500', 'a connection that breaks in the middle'].map(
      named,
    );

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

const secretTexts = [...faultMark.split(' '), '127.0.0.1', 'You answer questions'];

function expectNoSecrets(answer: ReceivedAnswer, { folder }: TestService): void {
  for (const secret of [...secretTexts, folder]) expect(sentBy(answer)).not.toContain(secret);
}

describe('a failing provider without a fallback', () => {
  testFaults('returns an error code', providerFaults, async ({ ask, ...fault }) => {
    const { provider, baseUrl } = await failing(fault);
    const { service, calls } = await startBefore(baseUrl, { patience: patienceFor(fault.code) });
    const answer = await ask(service, question);
    expect(answer.code).toMatch(fault.code);
    expect(answer.text).toBe('');
    expectNoSecrets(answer, service);
    expect(provider.requests.length).toBeLessThanOrEqual(fault.maxRequests);
    await expect.poll(() => calls.length).toBeGreaterThan(0);
    for (const { model, outcome } of calls)
      expect([model, outcome]).toEqual(['main', expect.not.stringMatching('answered')]);
  });
});

const fallbacks = [
  {
    outcome: 'the fallback model answers and is named',
    hasModel: true,
    wanted: { answered: true, model: 'second' },
  },
  {
    outcome: 'the documents are quoted, and the answer is marked',
    hasModel: false,
    wanted: { reason: 'closest', model: 'extractive' },
  },
];

describe('a failing provider with a fallback', () => {
  for (const { outcome, hasModel, wanted } of fallbacks)
    testFaults(outcome, kinds, async ({ ask, ...fault }) => {
      const { provider, baseUrl } = await failing(fault);
      const fallback = await providing(supported);
      const isLost = hasModel && fault.breaksOff && ask === streamed;
      const { service, calls } = await startBefore(baseUrl, {
        ...(hasModel ? { fallback } : { isDegraded: true }),
        patience: isLost ? patienceFor(fault.code) : {},
      });
      const answer = await ask(service, question);
      expectNoSecrets(answer, service);
      if (isLost) {
        // The reader has seen a part of the answer, so the fallback is not called.
        expect(answer.code).toMatch(fault.code);
        return;
      }
      expect(answer.body).toMatchObject(wanted);
      expect(answer.body.degraded).toBe(hasModel ? undefined : true);
      expect(answer.text).toContain(sentence);
      expect(answer.toolCalls).toHaveLength(1);
      const hidden = ['sk-server-secret', service.folder];
      const [request] = fallback.requests;
      expect(await problemsOf(answer, service, request, hidden)).toEqual([]);
      expect(provider.requests.length).toBeLessThanOrEqual(fault.maxRequests);
      expect(fallback.requests).toHaveLength(hasModel ? 1 : 0);
      if (!hasModel) return;
      // The fallback's endpoint must not receive the key of the first.
      expect(request?.headers.authorization).not.toContain('sk-server-secret');
      await expect.poll(() => calls.map(({ model }) => model)).toContain('second');
    });

  const degraded = () =>
    sharedBy('degraded', async () => {
      const { baseUrl } = await failing(named('is down'));
      return (await startBefore(baseUrl, { isDegraded: true })).service;
    });

  it('stores degraded answers as such, and counts unanswered questions not as gaps', async () => {
    const service = await degraded();
    const { body } = await generated(service, question);
    expect((await service.get(`/api/answers/${body.runId}`)).body.answer).toMatchObject({
      degraded: true,
      model: 'extractive',
    });
    const unsure = await generated(service, 'which colour have annual plans?');
    expect(unsure.body).toMatchObject({ answered: false, degraded: true });
    expect((await service.get('/api/gaps')).body.gaps).toEqual([]);
  });

  it.each<[string, unknown]>([
    ...dialects.flatMap(({ operations }) =>
      operations.map(({ card }): [string, unknown] => [card.at, bodiesFor('docs')[card.id]]),
    ),
    ['POST /mcp', mcpCall('askKnowledge', { question: 'refunds?', namespace: 'docs' })],
  ])('marks the answer of %s', async (at, template) => {
    const { post } = await degraded();
    const path = at.replace('POST ', '').replace(':agentId', 'knowledge');
    const body = JSON.parse(JSON.stringify(template).replace('refunds?', question));
    for (const more of path.startsWith('/v1/') ? [{}, { stream: true }] : [{}]) {
      const accept = { accept: 'application/json, text/event-stream' };
      const answer = await post(path, { ...body, ...more }, accept);
      expect(JSON.stringify(answer.body)).toMatch(/\\?"degraded\\?":true/);
    }
  });
});

describe('the circuit breaker of a model', () => {
  it('opens after three consecutive failures and returns the pause', async () => {
    const { provider, baseUrl } = await failing(named('500'));
    const { service } = await startBefore(baseUrl);
    expect((await generated(service, question)).code).toBe('model_failed');
    const { status, body, headers } = await service.generate(questionBody);
    expect([status, body.code]).toEqual([503, 'model_unavailable']);
    expect(headers.get('retry-after')).toMatch(/^(?:5\d|60)$/);
    expect((await streamed(service, question)).code).toBe('model_unavailable');
    expect(provider.requests).toHaveLength(3);
  });

  it.each<[string, string, number, Patience?]>([
    ['the wrong key', 'status 401', 1],
    ['is down', 'ECONNREFUSED', 0],
    ['invalid JSON', 'a malformed or incomplete reply', 3],
    ['hangs without a byte', 'no first token within 0.5 seconds', 3, { firstPartMs: 500 }],
  ])(
    'logs its reason, and opens at once if the key is wrong: %s',
    async (name, reason, requests, patience = {}) => {
      const { provider, baseUrl } = await failing(named(name));
      const { service, lines } = await startBefore(baseUrl, { patience });
      for (let at = 0; at < 5; at++) await generated(service, question);
      expect(provider.requests).toHaveLength(requests);
      expect(ofModels(lines)).toEqual([
        ['warn', expect.stringContaining(`The model main is failing (${reason}).`)],
      ]);
      const away = lines.filter(
        ({ code, msg }) => code === 'model_unavailable' && msg !== 'request',
      );
      expect(away).toMatchObject([{ level: 'warn' }]);
      expect(away[0]).not.toHaveProperty('err');
      expect(JSON.stringify(lines)).not.toMatch(/evil|sk-server-secret/);
    },
  );

  it('logs once that the model answers again', async () => {
    const { baseUrl, provider } = await failing(named('the wrong key'));
    const { service, lines } = await startBefore(baseUrl, { patience: { circuitPauseMs: 0 } });
    await generated(service, question);
    provider.reply(supported);
    for (let at = 0; at < 3; at++)
      expect((await generated(service, question)).body).toMatchObject({ answered: true });
    expect(ofModels(lines)).toEqual([
      ['warn', expect.stringContaining('(status 401)')],
      ['info', 'The model main answers again.'],
    ]);
  });

  it('counts a stalled reply, whose checked part is still shown', async () => {
    const provider = await startFakeProvider();
    const { service, calls } = await startBefore(provider.baseUrl, {
      patience: { ...longTimeouts, stallMs: 50, maxFailures: 2 },
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
    expect(calls).toMatchObject(Array(2).fill({ outcome: 'failed', reason: 'stall' }));
    expect((await streamed(service, question)).code).toBe('model_unavailable');
  });

  it('does not open for rejected requests or callers who leave', async () => {
    const { provider, baseUrl } = await failing(named('a request that is too long'));
    const { service, calls } = await startBefore(baseUrl);
    for (let at = 0; at < 5; at++)
      expect((await generated(service, question)).code).toBe('model_failed');
    expect(calls).toMatchObject(Array(5).fill({ outcome: 'refused' }));
    for (let at = 0; at < 5; at++) {
      const coming = provider.nextLive();
      const leave = askUntilLeft(service);
      const live = await coming;
      await leave();
      await live.closed;
    }
    provider.reply(supported);
    expect((await generated(service, question)).body).toMatchObject({ answered: true });
    expect(provider.requests).toHaveLength(11);
  });
});

it('a caller who leaves aborts the question and its retries', async () => {
  const seen = Promise.withResolvers<void>();
  const provider = await providing((_, response) => {
    response.writeHead(429, { 'retry-after': '1' }).end();
    seen.resolve();
    return undefined;
  });
  const fallback = await providing(supported);
  const { service } = await startBefore(provider.baseUrl, { fallback, isDegraded: true });
  const leave = askUntilLeft(service);
  await seen.promise;
  await leave();
  await sleep(1_500);
  expect([provider.requests.length, fallback.requests.length]).toEqual([1, 0]);
});

it('a model is called again after a short Retry-After', async () => {
  let isFirst = true;
  const provider = await providing((_, response) => {
    if (!isFirst) return supported;
    isFirst = false;
    response.writeHead(429, { 'retry-after': '1' }).end();
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
  const provider = await providing((request, response) => {
    const usage = JSON.stringify({ choices: [], usage: { prompt_tokens: 1e99 } });
    response
      .writeHead(200, sse)
      .end(
        `${event(request, { content: supported })}${event(request, {}, 'stop')}data: ${usage}\n\ndata: [DONE]\n\n`,
      );
    return undefined;
  });
  const { service, calls } = await startBefore(provider.baseUrl);
  await generated(service, question);
  expect(calls).toMatchObject([{ outputTokens: Math.ceil(supported.length / 4) }]);
  expect(calls[0]?.inputTokens).toBeGreaterThan(100);
  expect(calls[0]?.inputTokens).toBeLessThan(10_000);
});

it('a judge that fails three times in a row is paused, and its failures are counted', async () => {
  const likely =
    'Full refunds are granted to customers within 30 days of purchase by bank transfer. [1]';
  const provider = await providing((request, response) => {
    if (request.body.model === 'main') return likely;
    response.writeHead(500).end();
    return undefined;
  });
  const settings = { JUDGE_MODEL: 'judge' };
  const { service, calls } = await startBefore(provider.baseUrl, { settings });
  for (let at = 0; at < 5; at++) expect((await generated(service, question)).status).toBe(200);
  const failures = calls.filter(({ model }) => model === 'judge');
  expect(failures.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'failed']);
});

it.each([
  ['an empty text', { content: '' }, 'first_token'],
  ['an empty reasoning', { reasoning_content: '' }, 'first_token'],
  ['a text', { content: 'Full' }, 'stall'],
  ['a reasoning that the SDK omits', { reasoning_content: 'The user asks' }, 'stall'],
])('a model hangs after %s: only an empty part is no first token', async (_, part, reason) => {
  const provider = await providing((request, response) => {
    response.writeHead(200, sse).write(event(request, part));
    return undefined;
  });
  const patience = { firstPartMs: 500, stallMs: 100 };
  const { service, calls } = await startBefore(provider.baseUrl, { patience });
  expect((await generated(service, question)).code).toBe('timeout');
  expect(calls).toMatchObject([{ reason }]);
});
