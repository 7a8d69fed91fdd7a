import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { HttpResponse } from 'msw';
import { describe, expect, it } from 'vitest';
import { createCallsClient } from '../../../packages/calls/src/client.ts';
import { mockHttp } from '../../support/mocked-http.ts';
import {
  callRecord,
  callsErrorOf,
  pageOf,
  quickRetries,
  readable,
  refusal,
  send,
  startUpstream,
} from '../../support/upstream.ts';

const apiKey = 'k3y-of-the-app';
const shortTimeouts = { attemptTimeoutMs: 150, totalTimeoutMs: 600 };
const baseUrl = 'https://calls.example';
const clientOf = (more: object = {}) =>
  createCallsClient({ ...quickRetries, apiKey, baseUrl, maxRetryAfterMs: 1_500, ...more });
const { json } = HttpResponse;
const withStatus = (status: number, headers: Record<string, string> = {}, body = '') =>
  new Response(body, { status, headers });

describe('an error response', () => {
  const respond = mockHttp(baseUrl);

  it.each([
    [400, 'ERR_BAD_REQUEST', 400, 1],
    [401, 'AUTH_ERR_APIKEY_NOT_FOUND', 401, 1],
    [403, 'AUTH_ERR_NO_ACCESS', 403, 1],
    [404, 'ERR_UPSTREAM_UNEXPECTED', 502, 1],
    [408, 'ERR_UPSTREAM_TIMEOUT', 408, 3],
    [429, 'ERR_TOO_MANY_REQUESTS', 429, 3],
    [500, 'ERR_UPSTREAM_FAILED', 500, 3],
  ])('%d becomes %s', async (status, code, expectedStatus, attempts) => {
    const requests = respond(() =>
      withStatus(status, { 'x-request-id': 'req-7' }, 'upstream-body-marker'),
    );
    const error = await callsErrorOf(clientOf().list());
    expect(error).toMatchObject({
      code,
      status: expectedStatus,
      requestId: 'req-7',
      retryable: attempts > 1,
    });
    expect(requests).toHaveLength(attempts);
    expect(readable(error)).not.toMatch(/k3y-of-the-app|upstream-body-marker/);
  });

  it('with a status 2xx other than 200 is unexpected', async () => {
    respond(() => withStatus(202, {}, JSON.stringify({ error: { code: 'ERR_SOME' } })));
    expect(await callsErrorOf(clientOf().list())).toMatchObject({
      code: 'ERR_UPSTREAM_UNEXPECTED',
      status: 502,
    });
  });

  it('keeps only a well-formed error code of the service', async () => {
    const unsafe = { status: 401, headers: { 'x-request-id': 'a b\tupstream-body-marker' } };
    respond((_, number) =>
      json(
        refusal(number === 0 ? 'AUTH_ERR_EMPTY_APIKEY' : '<script>upstream-body-marker'),
        unsafe,
      ),
    );
    const client = clientOf();
    expect(await callsErrorOf(client.list())).toMatchObject({
      code: 'AUTH_ERR_EMPTY_APIKEY',
      requestId: undefined,
    });
    const error = await callsErrorOf(client.list());
    expect(error.code).toBe('AUTH_ERR_APIKEY_NOT_FOUND');
    expect(readable(error)).not.toContain('upstream-body-marker');
  });

  it.each([400, 422])('%d is quoted on one line, only to the owner of the key', async (status) => {
    const sentence = `The parameter region\u0000 is\n not valid for ${apiKey}. ${'x'.repeat(1_000)}`;
    respond(() => json(refusal('ERR_BAD_REGION', sentence), { status }));
    const client = (quotesRefusals: boolean) => clientOf({ quotesRefusals });
    const quoted = await callsErrorOf(client(true).list());
    expect(quoted.code).toBe('ERR_BAD_REGION');
    expect(quoted.message).toMatch(
      /^The calling service rejected the request: "The parameter region is not valid for …\. x+…"$/,
    );
    expect(quoted.message.length).toBeLessThan(400);
    expect(readable(quoted)).not.toMatch(/k3y-of-the-app|upstream-body-marker/);
    expect((await callsErrorOf(client(false).list())).message).toContain('Check the filter');
  });

  it('404 means a missing call, a wrong address if it is a web page, or the code of the service', async () => {
    const answers = [
      json(refusal('ERR_CALL_SESSION_NOT_FOUND'), { status: 404 }),
      withStatus(404, { 'content-type': 'text/html' }, '<html>nope</html>'),
      json(refusal('ERR_UID_NOT_FOUND'), { status: 404 }),
    ];
    respond((_, number) => answers[number]!);
    for (const [code, status] of [
      ['ERR_CALL_SESSION_NOT_FOUND', 404],
      ['ERR_UPSTREAM_UNEXPECTED', 502],
      ['ERR_UID_NOT_FOUND', 404],
    ])
      expect(await callsErrorOf(clientOf().get('v1.gone'))).toMatchObject({ code, status });
  });
});

describe('a retry', () => {
  const respond = mockHttp(baseUrl);

  it('waits for Retry-After in seconds or as a date, plus a random pause', async () => {
    const now = Date.parse('2026-11-21T10:00:00Z');
    const waits: number[] = [];
    const answers = [
      withStatus(429, { 'retry-after': '7' }),
      withStatus(503, { 'retry-after': 'Sat, 21 Nov 2026 10:00:05 GMT' }),
      withStatus(429, { 'x-rate-limit-reset': String(now / 1000 + 3) }),
      withStatus(500, { 'retry-after': 'soon' }),
    ];
    respond((_, number) => answers[number] ?? json(pageOf([])));
    const client = clientOf({
      maxRetryAfterMs: 10_000,
      maxAttempts: 5,
      firstPauseMs: 100,
      maxPauseMs: 300,
      random: () => 0.5,
      now: () => now,
      sleep: async (ms: number) => void waits.push(ms),
    });
    await client.list();
    expect(waits).toEqual([7_050, 5_100, 3_150, 150]);
  });

  it('is skipped if Retry-After exceeds the limit, and the error names the delay', async () => {
    const requests = respond(() => withStatus(429, { 'retry-after': '9999999' }));
    const client = clientOf({ totalTimeoutMs: 1e9 });
    expect(await callsErrorOf(client.list())).toMatchObject({
      code: 'ERR_TOO_MANY_REQUESTS',
      retryAfterSeconds: 86_400,
    });
    expect(requests).toHaveLength(1);
  });
});

describe('a request times out', () => {
  it('if the body arrives too slowly', async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(drip));
    });
    const client = clientOf({ ...shortTimeouts, baseUrl: upstream.baseUrl });
    const timeout = { code: 'ERR_UPSTREAM_TIMEOUT', status: 504 };
    expect(await callsErrorOf(client.list())).toMatchObject(timeout);
  });

  it('if fetch ignores its signal', async () => {
    const client = clientOf({
      ...shortTimeouts,
      baseUrl: 'http://127.0.0.1:1',
      fetch: () => new Promise(() => undefined),
    });
    expect((await callsErrorOf(client.list())).code).toBe('ERR_UPSTREAM_TIMEOUT');
  });

  it('if the caller aborts during a request or a pause', async () => {
    const upstream = await startUpstream((_, response, number) =>
      number === 0 ? undefined : send(response, 429, '', { 'retry-after': '5' }),
    );
    const client = clientOf({ baseUrl: upstream.baseUrl, maxRetryAfterMs: 10_000 });
    for (const round of [0, 1]) {
      const giveUp = new AbortController();
      const failure = callsErrorOf(client.list({}, { signal: giveUp.signal }));
      await upstream.until(() => upstream.requests.length > round);
      giveUp.abort();
      expect(await failure).toMatchObject({ code: 'ERR_ABORTED', retryable: false });
    }
    expect(upstream.requests).toHaveLength(2);
  });
});

describe('the client', () => {
  it('does not follow redirects, so the key is sent nowhere else', async () => {
    const elsewhere = await startUpstream((_, response) => send(response, 200, pageOf([])));
    const upstream = await startUpstream((_, response) =>
      send(response, 307, '', { location: `${elsewhere.baseUrl}/v3/calls` }),
    );
    const error = await callsErrorOf(clientOf({ baseUrl: upstream.baseUrl }).list());
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM_REDIRECT', status: 502, retryable: false });
    expect(elsewhere.requests).toHaveLength(0);
  });

  it('retries after a 500, a broken connection and a slow response', async () => {
    const upstream = await startUpstream((request, response, number) => {
      if (number === 0) send(response, 500, '');
      else if (number === 1) request.socket.destroy();
      else if (number === 2)
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"data":');
      else send(response, 200, pageOf([callRecord(1)]));
    });
    const client = clientOf({
      baseUrl: upstream.baseUrl,
      maxAttempts: 4,
      attemptTimeoutMs: 2_000,
    });
    expect((await client.list()).data).toHaveLength(1);
    expect(upstream.requests).toHaveLength(4);
  });
});

describe('an unexpected body', () => {
  const respond = mockHttp(baseUrl);

  it.each([
    ['malformed JSON', '{"data":[', 'application/json'],
    ['a web page', '<!doctype html>upstream-body-marker', 'text/html; charset=utf-8'],
    ['JSON without data', '{"ok":"upstream-body-marker"}', 'application/json'],
  ])('is rejected: %s', async (_, body, type) => {
    const requests = respond(() => withStatus(200, { 'content-type': type }, body));
    const client = clientOf();
    const errors = [await callsErrorOf(client.list()), await callsErrorOf(client.get('v1.x'))];
    for (const error of errors) {
      expect(error).toMatchObject({
        code: 'ERR_UPSTREAM_MALFORMED',
        status: 502,
        retryable: false,
      });
      expect(error.message).toContain('Check the base URL');
      expect(error.message.includes('a web page')).toBe(type.startsWith('text/html'));
      expect(readable(error)).not.toContain('upstream-body-marker');
    }
    expect(requests).toHaveLength(2);
  });

  it('is rejected if it is not valid UTF-8', async () => {
    respond(() => new Response(Buffer.from('{"data":[],"x":"\xff"}', 'latin1')));
    expect((await callsErrorOf(clientOf().list())).code).toBe('ERR_UPSTREAM_MALFORMED');
  });

  it('is accepted with exactly the requested number of records and any text in them', async () => {
    const records = Array.from({ length: 100 }, (_, number) =>
      callRecord(number, { note: `[{"a":1},{"\\` }),
    );
    respond(() => json(pageOf(records)));
    const { data } = await clientOf().list({ perPage: 100 });
    expect(data).toEqual(records);
  });
});

function writeEndlessly(response: ServerResponse) {
  while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, 0x20)));
  response.once('drain', () => writeEndlessly(response));
}

describe('a body over a limit', () => {
  it.each([
    [
      '101 of 100 records',
      'more records than requested',
      `{"meta":{},"data":[${Array(101).fill('{"sessionId":"a"}').join()}]}`,
    ],
    [
      'one record of 100,000 values',
      'more values than its records can have',
      `{"data":[{"sessionId":"a","participants":[${Array(100_000).fill('{}').join()}]}]}`,
    ],
    [
      'a field nested 10,000 times',
      'nested too deeply',
      `{"data":[{"sessionId":"a","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}]}`,
    ],
  ])('is rejected without parsing: %s', async (_, problem, body) => {
    // The response stays open: a client that waits for its end would time out.
    const upstream = await startUpstream((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).write(body),
    );
    const client = clientOf({ baseUrl: upstream.baseUrl });
    const error = await callsErrorOf(client.list());
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM_MALFORMED', status: 502, retryable: false });
    expect(error.message).toContain(problem);
    expect(client.drift().records).toBe(0);
  });

  it.each<[string, Record<string, string>, (response: ServerResponse) => void]>([
    ['announced', { 'content-length': '100000000' }, (response) => response.flushHeaders()],
    ['endless', {}, writeEndlessly],
    [
      'compressed',
      { 'content-encoding': 'gzip' },
      (response) => response.end(gzipSync(Buffer.alloc(60 * 1024 * 1024, 0x20))),
    ],
  ])('is read up to the limit if it is %s', async (_, headers, write) => {
    const upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', ...headers });
      write(response);
    });
    const error = await callsErrorOf(clientOf({ baseUrl: upstream.baseUrl }).list());
    const tooLarge = { code: 'ERR_UPSTREAM_TOO_LARGE', status: 502, retryable: false };
    expect(error).toMatchObject(tooLarge);
    expect(upstream.requests).toHaveLength(1);
  });
});
